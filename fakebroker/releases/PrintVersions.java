// SPDX-License-Identifier: Apache-2.0
// Prints "KEY:MIN-MAX" for each API of the kafka-clients release on the class path, by whatever
// that release calls it.
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

public final class PrintVersions {
    public static void main(String[] args) throws Exception {
        Class<?> apiKeys = Class.forName("org.apache.kafka.common.protocol.ApiKeys");
        List<String> ranges = new ArrayList<>();
        for (Object key : apiKeys.getEnumConstants()) {
            short id = ((Number) apiKeys.getField("id").get(key)).shortValue();
            short oldest = (short) apiKeys.getMethod("oldestVersion").invoke(key);
            short latest = latest(apiKeys, key);
            if (latest >= oldest) {
                ranges.add(id + ":" + oldest + "-" + latest);
            }
        }
        System.out.println(String.join(" ", ranges));
    }

    // A version that is not final yet does not count.
    private static short latest(Class<?> apiKeys, Object key) throws Exception {
        Method stable = method(apiKeys, "latestVersion", boolean.class);
        if (stable != null) {
            return (short) stable.invoke(key, false);
        }
        return (short) apiKeys.getMethod("latestVersion").invoke(key);
    }

    private static Method method(Class<?> type, String name, Class<?>... parameters) {
        try {
            return type.getMethod(name, parameters);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Writes golden vectors with Apache Kafka's own message classes (README.md says how to run it):
//
//   Vectors LIST OUT            all versions this Kafka release has
//   Vectors LIST OUT NEWER      only versions below those in NEWER, written by a newer release
//
// LIST holds one message name a line, e.g. MetadataRequest. A line of OUT is
// name <blank> version <blank> variant <blank> hex <blank> JSON as Kafka's own converter shows it.
import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.types.Schema;

public class Vectors {
    private static final String PACKAGE = "org.apache.kafka.common.message.";

    public static void main(String[] args) throws Exception {
        List<String> names = Files.readAllLines(Path.of(args[0]));
        Map<String, Integer> below = args.length > 2 ? lowest(Path.of(args[2])) : Map.of();
        try (PrintWriter out = new PrintWriter(args[1], "UTF-8")) {
            for (String name : names) {
                messages(out, name, below.getOrDefault(name, Integer.MAX_VALUE));
            }
        }
        if (args.length == 2) {
            errors(Path.of(args[1]).resolveSibling("errors.txt"));
            headers(Path.of(args[1]).resolveSibling("headers.txt"));
        }
    }

    // The lowest version of each message in a file of vectors.
    private static Map<String, Integer> lowest(Path file) throws Exception {
        Map<String, Integer> lowest = new HashMap<>();
        for (String line : Files.readAllLines(file)) {
            String[] words = line.split(" ", 3);
            lowest.merge(words[0], Integer.parseInt(words[1]), Math::min);
        }
        return lowest;
    }

    private static void messages(PrintWriter out, String name, int below) throws Exception {
        boolean headed = name.endsWith("Request") || name.endsWith("Response");
        Class<?> type;
        try {
            type = Class.forName(PACKAGE + name + (headed ? "Data" : ""));
        } catch (ClassNotFoundException e) {
            return;
        }
        Schema[] schemas = (Schema[]) type.getField("SCHEMAS").get(null);
        short lowest = type.getField("LOWEST_SUPPORTED_VERSION").getShort(null);
        short highest = type.getField("HIGHEST_SUPPORTED_VERSION").getShort(null);
        Method converter = Class.forName(type.getName() + "JsonConverter")
            .getMethod("write", type, short.class, boolean.class);
        for (short version = lowest; version <= Math.min(highest, below - 1); version++) {
            String last = null;
            for (Filler.Variant variant : Filler.Variant.values()) {
                Message message = (Message) type.getDeclaredConstructor().newInstance();
                new Filler(variant, name.hashCode() * 31L + version).fill(message, schemas[version]);
                String hex = encode(message, version);
                if (hex.equals(last)) continue;
                last = hex;
                JsonNode json;
                try {
                    json = (JsonNode) converter.invoke(null, message, version, false);
                } catch (InvocationTargetException e) {
                    throw new IllegalStateException(name + " v" + version, e.getCause());
                }
                out.print(name + " " + version + " " + variant.name().toLowerCase() + " "
                    + (hex.isEmpty() ? "-" : hex) + " " + json + "\n");
            }
        }
    }

    private static String encode(Message message, short version) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer buffer = ByteBuffer.allocate(message.size(cache, version));
        message.write(new ByteBufferAccessor(buffer), cache, version);
        return HexFormat.of().formatHex(buffer.array(), 0, buffer.position());
    }

    // "code name retriable" for every error.
    private static void errors(Path file) throws Exception {
        try (PrintWriter out = new PrintWriter(file.toFile(), "UTF-8")) {
            for (Errors error : Errors.values()) {
                out.print(error.code() + " " + error.name() + " " + (error.exception() instanceof RetriableException) + "\n");
            }
        }
    }

    // "api-key version request-header-version response-header-version".
    private static void headers(Path file) throws Exception {
        try (PrintWriter out = new PrintWriter(file.toFile(), "UTF-8")) {
            for (ApiKeys api : ApiKeys.values()) {
                for (short version = api.messageType.lowestSupportedVersion(); version <= api.latestVersion(); version++) {
                    out.print(api.id + " " + version + " " + api.requestHeaderVersion(version) + " "
                        + api.responseHeaderVersion(version) + "\n");
                }
            }
        }
    }
}

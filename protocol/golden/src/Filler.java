// SPDX-License-Identifier: Apache-2.0
// Sets the fields of a generated message by walking the schema of one version beside the object, so
// that only fields of that version are touched: others must keep their defaults or Kafka refuses to
// write the message. Values depend on the seed alone.
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;

final class Filler {
    enum Variant {
        DEFAULT,  // as constructed
        FILLED,   // every field set, an unknown tagged field in every struct
        NULLS,    // as filled, but null wherever the version allows it
        EXTREMES  // the ends of the ranges, empty and non-ASCII strings, empty arrays at the leaves
    }

    private static final String[] TEXTS = {"", "\u00e9t\u00e9", "\u65e5\u672c", "\ud83d\ude00"};

    private final Variant variant;
    private long state;
    private int extremes;

    Filler(Variant variant, long seed) {
        this.variant = variant;
        this.state = seed;
    }

    void fill(Message message, Schema schema) throws ReflectiveOperationException {
        if (variant != Variant.DEFAULT) struct(message, schema, 0);
    }

    private void struct(Message message, Schema schema, int depth) throws ReflectiveOperationException {
        for (BoundField bound : schema.fields()) {
            if (bound.def.type instanceof TaggedFields tagged) {
                for (var field : fields(tagged)) set(message, field, depth);
                message.unknownTaggedFields().add(new RawTaggedField(9000 + depth, bytes(3)));
            } else {
                set(message, bound.def, depth);
            }
        }
    }

    // Older releases have no accessor.
    private static Collection<org.apache.kafka.common.protocol.types.Field> fields(TaggedFields tagged)
        throws ReflectiveOperationException {
        Field held = TaggedFields.class.getDeclaredField("fields");
        held.setAccessible(true);
        return ((Map<?, ?>) held.get(tagged)).values().stream()
            .map(org.apache.kafka.common.protocol.types.Field.class::cast).toList();
    }

    private void set(Message message, org.apache.kafka.common.protocol.types.Field def, int depth)
        throws ReflectiveOperationException {
        Field member = member(message.getClass(), def.name);
        if (def.type.isNullable() && variant == Variant.NULLS) {
            member.set(message, null);
        } else {
            member.set(message, value(member.getType(), member.getGenericType(), def.type, depth));
        }
    }

    // Schemas name fields in snake case, classes in camel case.
    private static Field member(Class<?> type, String name) {
        String wanted = name.replace("_", "");
        for (Field field : type.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers()) && field.getName().toLowerCase(Locale.ROOT).equals(wanted)) {
                field.setAccessible(true);
                return field;
            }
        }
        throw new IllegalStateException(type + " has no " + name);
    }

    private Object value(Class<?> type, Type generic, org.apache.kafka.common.protocol.types.Type schema, int depth)
        throws ReflectiveOperationException {
        if (schema.isArray()) return array(type, generic, schema.arrayElementType().orElseThrow(), depth);
        if (schema instanceof Schema nested) {
            Message message = (Message) type.getDeclaredConstructor().newInstance();
            struct(message, nested, depth + 1);
            return message;
        }
        if (type == boolean.class || type == Boolean.class) return next() % 2 == 0;
        if (type == byte.class || type == Byte.class) return (byte) number(Byte.MIN_VALUE, Byte.MAX_VALUE);
        if (type == short.class || type == Short.class) return (short) number(Short.MIN_VALUE, Short.MAX_VALUE);
        if (type == int.class || type == Integer.class) {
            boolean unsigned16 = schema.toString().equals("UINT16");
            return (int) (unsigned16 ? number(0, 65535) : number(Integer.MIN_VALUE, Integer.MAX_VALUE));
        }
        if (type == long.class || type == Long.class) {
            boolean unsigned32 = schema.toString().equals("UINT32");
            return unsigned32 ? number(0, 4294967295L) : number(Long.MIN_VALUE, Long.MAX_VALUE);
        }
        if (type == double.class || type == Double.class) return (double) next() / 7;
        if (type == String.class) {
            return variant == Variant.EXTREMES ? TEXTS[extremes++ % TEXTS.length] : "s" + next() % 1000;
        }
        if (type == Uuid.class) return new Uuid(next(), next());
        if (type == byte[].class) return bytes(variant == Variant.EXTREMES ? 0 : 3);
        if (type == ByteBuffer.class) return ByteBuffer.wrap(bytes(variant == Variant.EXTREMES ? 0 : 3));
        if (type.getSimpleName().equals("BaseRecords")) return records(type);
        throw new IllegalStateException("no value for " + type);
    }

    @SuppressWarnings("unchecked")
    private Object array(Class<?> type, Type generic, org.apache.kafka.common.protocol.types.Type element, int depth)
        throws ReflectiveOperationException {
        Collection<Object> made = type.isInterface()
            ? new ArrayList<>() : (Collection<Object>) type.getDeclaredConstructor().newInstance();
        Type holder = type.isInterface() ? generic : type.getGenericSuperclass();
        Type of = ((ParameterizedType) holder).getActualTypeArguments()[0];
        Class<?> elementType = (Class<?>) (of instanceof ParameterizedType p ? p.getRawType() : of);
        boolean leaf = !(element instanceof Schema) && !element.isArray();
        int count = variant == Variant.EXTREMES && leaf ? 0 : depth < 2 ? 2 : 1;
        for (int i = 0; i < count; i++) made.add(value(elementType, of, element, depth));
        return made;
    }

    // The class moved to another package between releases.
    private Object records(Class<?> base) throws ReflectiveOperationException {
        String home = base.getPackageName();
        for (String name : new String[] {home + ".MemoryRecords", home + ".internal.MemoryRecords"}) {
            try {
                return Class.forName(name).getMethod("readableRecords", ByteBuffer.class)
                    .invoke(null, ByteBuffer.wrap(bytes(variant == Variant.EXTREMES ? 0 : 5)));
            } catch (ClassNotFoundException e) {
                continue;
            }
        }
        throw new IllegalStateException("MemoryRecords not found beside " + base);
    }

    private byte[] bytes(int size) {
        byte[] made = new byte[size];
        for (int i = 0; i < size; i++) made[i] = (byte) next();
        return made;
    }

    private long number(long least, long greatest) {
        if (variant == Variant.EXTREMES) return extremes++ % 2 == 0 ? least : greatest;
        return 1 + next() % 100;
    }

    private long next() {
        state = state * 6364136223846793005L + 1442695040888963407L;
        return state >>> 33;
    }
}

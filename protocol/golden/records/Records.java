// SPDX-License-Identifier: Apache-2.0
// Writes and reads record batches with Apache Kafka's own classes, as vectors for
// records_golden_test.cc. Needs kafka-clients 4.4 with snappy-java, lz4-java, zstd-jni, slf4j:
//
//   java -cp ... Records.java write DIR    one text file per format and compression
//   java -cp ... Records.java read FILE    adds Java's reading to a file that holds our bytes
//
// A file's first line is the records field in hex; each other line is a record as Java reads it.
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;

public class Records {
    public static void main(String[] args) throws IOException {
        if (args[0].equals("write")) {
            write(Path.of(args[1]));
        } else {
            Path file = Path.of(args[1]);
            String hex = Files.readAllLines(file).get(0);
            store(file, ByteBuffer.wrap(HexFormat.of().parseHex(hex)));
        }
    }

    private static void write(Path directory) throws IOException {
        for (byte magic = 0; magic <= 2; magic++) {
            for (CompressionType type : CompressionType.values()) {
                if (magic < 2 && type == CompressionType.ZSTD) continue;
                store(directory.resolve("v" + magic + "-" + type.name + ".txt"), batch(magic, type));
            }
        }
        ByteBuffer two = ByteBuffer.allocate(1 << 20);
        two.put(batch((byte) 1, CompressionType.GZIP));
        two.put(batch((byte) 2, CompressionType.LZ4));
        store(directory.resolve("mixed.txt"), two.flip());
        MemoryRecords marker = MemoryRecords.withEndTransactionMarker(
            30, 4000L, 2, 77L, (short) 3, new EndTransactionMarker(ControlRecordType.COMMIT, 5));
        store(directory.resolve("marker.txt"), marker.buffer());
    }

    private static ByteBuffer batch(byte magic, CompressionType type) {
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1 << 10), magic,
            Compression.of(type).build(), TimestampType.CREATE_TIME, 100L);
        if (magic == 2) builder.setProducerState(4242L, (short) 7, 11, true);
        builder.append(1_700_000_000_000L, bytes("key"), bytes("value"), headers(magic));
        builder.append(1_700_000_000_005L, null, bytes("no key"));
        builder.append(1_699_999_999_999L, bytes(""), null);
        // Several blocks of every codec's framing.
        builder.append(1_700_000_100_000L, bytes("large"), bytes("0123456789abcdef".repeat(type == CompressionType.NONE ? 20 : 9_000)));
        return builder.build().buffer();
    }

    private static Header[] headers(byte magic) {
        if (magic < 2) return new Header[0];
        return new Header[] {new RecordHeader("a", bytes("1")), new RecordHeader("b", null)};
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void store(Path file, ByteBuffer records) throws IOException {
        byte[] raw = new byte[records.remaining()];
        records.duplicate().get(raw);
        List<String> lines = new ArrayList<>();
        lines.add(HexFormat.of().formatHex(raw));
        MemoryRecords.readableRecords(ByteBuffer.wrap(raw)).batches().forEach(batch -> {
            batch.ensureValid();
            for (Record record : batch) lines.add(line(record));
        });
        Files.write(file, lines);
    }

    private static String line(Record record) {
        StringBuilder line = new StringBuilder();
        line.append(record.offset()).append(' ').append(record.timestamp());
        line.append(' ').append(field(record.key())).append(' ').append(field(record.value()));
        for (Header header : record.headers()) {
            line.append(' ').append(header.key()).append('=');
            line.append(field(header.value() == null ? null : ByteBuffer.wrap(header.value())));
        }
        return line.toString();
    }

    // "null", the bytes in hex after a colon, or length and CRC-32 of a long one.
    private static String field(ByteBuffer buffer) {
        if (buffer == null) return "null";
        byte[] raw = new byte[buffer.remaining()];
        buffer.duplicate().get(raw);
        if (raw.length <= 64) return ":" + HexFormat.of().formatHex(raw);
        CRC32 crc = new CRC32();
        crc.update(raw);
        return String.format("#%d:%08x", raw.length, crc.getValue());
    }
}

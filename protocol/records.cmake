# Record batches and message sets: apart from the codec, which treats records as bytes.
ktrial_library(ktrial_records
  SRCS
    control_record.cc
    legacy_message_set.cc
    murmur2.cc
    read_records.cc
    record_batch.cc
    record_batch_builder.cc
    record_batch_patch.cc
    record_reader.cc
  DEPS ktrial_common
  PRIVATE_DEPS ZLIB::ZLIB)

ktrial_test(records_test
  SRCS
    legacy_message_set_test.cc
    murmur2_test.cc
    record_batch_test.cc
    record_reader_test.cc
    records_golden_test.cc
  DEPS ktrial_records ZLIB::ZLIB)

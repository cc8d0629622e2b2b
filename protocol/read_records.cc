// SPDX-License-Identifier: Apache-2.0
#include "protocol/read_records.h"

#include "protocol/legacy_message_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ktrial::protocol {
namespace {

Result<std::vector<Record>> of_legacy(const Slice& entry, std::size_t max_unpacked) {
  const auto message = read_legacy_message(entry);
  KTRIAL_TRY(message);
  return legacy_records(*message, max_unpacked);
}

Result<std::vector<Record>> of_batch(const Slice& entry, const ReadOptions& options,
                                     std::size_t max_unpacked) {
  std::vector<Record> records;
  const auto batch = RecordBatch::open(entry);
  KTRIAL_TRY(batch);
  if (options.check_crc) KTRIAL_TRY(batch->check_crc());
  if (batch->header().control() && !options.control_records) return records;
  auto reader = RecordReader::open(*batch, max_unpacked);
  KTRIAL_TRY(reader);
  for (;;) {
    const auto view = reader->next();
    KTRIAL_TRY(view);
    if (!view->has_value()) return records;
    records.push_back(reader->keep(**view));
  }
}

std::size_t bytes_in(const std::vector<Record>& records) {
  std::size_t bytes = 0;
  for (const Record& record : records) {
    bytes += (record.key ? record.key->size() : 0) + (record.value ? record.value->size() : 0);
  }
  return bytes;
}

}  // namespace

Result<std::vector<Record>> read_records(const Slice& records, const ReadOptions& options) {
  std::vector<Record> all;
  std::size_t budget = options.max_unpacked;
  BatchIterator entries(records);
  for (;;) {
    const std::size_t start = entries.offset();
    const auto entry = entries.next();
    KTRIAL_TRY(entry);
    if (!entry->has_value()) return all;
    auto some =
        magic_of(**entry) < 2 ? of_legacy(**entry, budget) : of_batch(**entry, options, budget);
    if (!some) {
      some.error().where = fmt::format("entry at byte {}: {}", start, some.error().where);
      return tl::unexpected<Error>(std::move(some.error()));
    }
    budget -= std::min(budget, bytes_in(*some));
    std::move(some->begin(), some->end(), std::back_inserter(all));
  }
}

}  // namespace ktrial::protocol

// SPDX-License-Identifier: Apache-2.0
// Any bytes as the records field of Produce or Fetch. Checksums are not required to match, or no
// input would get past them; what both ways of reading accept must agree.
#include "protocol/control_record.h"
#include "protocol/legacy_message_set.h"
#include "protocol/read_records.h"

#include <zlib.h>

#include <cstdint>
#include <cstdlib>

namespace {

using namespace ktrial;            // NOLINT(google-build-using-namespace)
using namespace ktrial::protocol;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kLimit = 1U << 20U;

void read_batch(const Slice& entry) {
  const auto batch = RecordBatch::open(entry);
  if (!batch) return;
  static_cast<void>(batch->check_crc());
  const bool valid = validate_records(*batch, kLimit).has_value();
  auto reader = RecordReader::open(*batch, kLimit);
  if (valid && !reader) std::abort();
  if (!reader) return;
  std::int32_t count = 0;
  for (auto record = reader->next();; record = reader->next()) {
    if (!record && valid) std::abort();
    if (!record || !record->has_value()) break;
    static_cast<void>(control_type_of(**record));
    const Record kept = reader->keep(**record);
    if (kept.headers.size() != static_cast<std::size_t>((*record)->header_count)) std::abort();
    ++count;
  }
  if (valid && count != batch->header().record_count) std::abort();
}

void patch(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint8_t> copy(bytes.begin(), bytes.end());
  if (!set_log_append_time(copy, 1)) return;
  if (!RecordBatch::open(Slice::unowned(copy))->check_crc()) std::abort();
}

void mend_legacy_crc(std::span<std::uint8_t> bytes) {
  while (bytes.size() > batch_at::kMagic + 1) {
    const auto length = load_be<std::int32_t>(bytes.data() + batch_at::kLength);
    if (length < 14 || static_cast<std::size_t>(length) > bytes.size() - kBatchLengthOverhead)
      return;
    const std::size_t size = static_cast<std::size_t>(length) + kBatchLengthOverhead;
    if (bytes[batch_at::kMagic] < 2) {
      const auto crc = crc32_z(0, bytes.data() + batch_at::kMagic, size - batch_at::kMagic);
      store_be(bytes.data() + 12, static_cast<std::uint32_t>(crc));
    }
    bytes = bytes.subspan(size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Slice bytes = Slice::copy_of({data, size});
  static_cast<void>(
      read_records(bytes, {.check_crc = false, .control_records = true, .max_unpacked = kLimit}));
  BatchIterator entries(bytes);
  for (auto entry = entries.next(); entry && entry->has_value(); entry = entries.next()) {
    if (magic_of(**entry) >= 2) {
      read_batch(**entry);
      patch((*entry)->span());
    }
  }
  return 0;
}

// Mutations of legacy messages would all die at their CRC-32: mend it, so that they get further.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned int seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 8 != 0) mend_legacy_crc({data, size});
  return size;
}

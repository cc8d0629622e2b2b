// SPDX-License-Identifier: Apache-2.0
#include "clients/reference/fetched_records.h"

#include "protocol/control_record.h"
#include "protocol/read_records.h"
#include "protocol/record_batch.h"
#include "protocol/record_reader.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ktrial::client {
namespace {

using protocol::BatchHeader;
using protocol::fetch_response::AbortedTransaction;
using protocol::fetch_response::PartitionData;

// Which producers' transactional records are of an aborted transaction, batch by batch.
class AbortedProducers {
 public:
  explicit AbortedProducers(const PartitionData& data)
      : to_come_(data.aborted_transactions.value_or(std::vector<AbortedTransaction>())) {
    std::ranges::sort(to_come_, std::greater<>(), &AbortedTransaction::first_offset);
  }

  bool skips(const BatchHeader& header, bool is_abort_marker) {
    while (!to_come_.empty() && to_come_.back().first_offset <= header.last_offset()) {
      aborted_.insert(to_come_.back().producer_id);
      to_come_.pop_back();
    }
    if (is_abort_marker) aborted_.erase(header.producer_id);
    return header.transactional() && aborted_.contains(header.producer_id);
  }

 private:
  std::vector<AbortedTransaction> to_come_;  // the next one last
  std::set<std::int64_t> aborted_;
};

bool is_abort_marker(const Slice& entry) {
  const auto batch = protocol::RecordBatch::open(entry);
  if (!batch || !batch->header().control()) return false;
  auto reader = protocol::RecordReader::open(*batch);
  if (!reader) return false;
  const auto record = reader->next();
  if (!record || !*record) return false;
  const auto type = protocol::control_type_of(**record);
  return type && *type == protocol::ControlType::kAbort;
}

std::size_t size_of(const protocol::Record& record) {
  return (record.key ? record.key->size() : 0) + (record.value ? record.value->size() : 0);
}

class Reading {
 public:
  Reading(const TopicPartition& at, std::int64_t from, const PartitionData& data,
          const ReadingRules& rules)
      : at_(at), rules_(rules), aborted_(data), from_(from) {
    result_.next_offset = from;
    protocol::BatchIterator entries(data.records.value_or(Slice()));
    for (;;) {
      const auto entry = entries.next();
      if (!entry) {
        fail(entry.error());
        return;
      }
      if (!entry->has_value()) break;
      if (!read_entry(**entry)) return;
    }
    // Brokers cut the last batch off where the limit falls, but never the first.
    if (entries.offset() == 0 && entries.partial_bytes() > 0) {
      fail({Errc::kTruncated, "a batch that is not there to its end", {}});
    }
  }

  FetchedRecords result() && { return std::move(result_); }

 private:
  bool read_entry(const Slice& entry) {
    if (protocol::magic_of(entry) < 2) return read_records_of(entry);
    const auto header = protocol::read_batch_header(entry.span());
    if (!header) return fail_at(header.error());
    if (header->last_offset() < from_) return true;
    const bool seen = !rules_.read_committed || header->producer_id < 0 ||
                      !aborted_.skips(*header, is_abort_marker(entry));
    // What nobody sees must be whole too.
    if ((!seen || header->control()) && rules_.check_crcs &&
        !protocol::crc_is_valid(entry.span(), *header)) {
      return fail_at({Errc::kMalformed, "the checksum is wrong", {}});
    }
    if (seen && !header->control() && !read_records_of(entry)) return false;
    result_.next_offset = std::max(result_.next_offset,
                                   protocol::wrapping_add(header->last_offset(), std::int64_t{1}));
    return true;
  }

  bool read_records_of(const Slice& entry) {
    auto records =
        protocol::read_records(entry, {.check_crc = rules_.check_crcs, .max_unpacked = budget_});
    if (!records) return fail_at(records.error());
    for (protocol::Record& record : *records) {
      budget_ -= std::min(budget_, size_of(record));
      // A batch may begin before the offset asked for.
      if (record.offset < result_.next_offset) continue;
      result_.next_offset = protocol::wrapping_add(record.offset, std::int64_t{1});
      result_.records.push_back({at_, record.offset, std::move(record.key), std::move(record.value),
                                 record.timestamp, std::move(record.headers)});
    }
    return true;
  }

  bool fail_at(const Error& error) {
    fail(error);
    return false;
  }
  void fail(const Error& error) {
    result_.error = ClientError{"CORRUPT_MESSAGE", false,
                                at_.topic + "-" + std::to_string(at_.partition) + " at offset " +
                                    std::to_string(result_.next_offset) + ": " + error.to_string()};
  }

  const TopicPartition& at_;
  const ReadingRules& rules_;
  AbortedProducers aborted_;
  const std::int64_t from_;
  std::size_t budget_ = protocol::kMaxUnpacked;
  FetchedRecords result_;
};

}  // namespace

FetchedRecords read_fetched(const TopicPartition& at, std::int64_t from, const PartitionData& data,
                            const ReadingRules& rules) {
  return Reading(at, from, data, rules).result();
}

}  // namespace ktrial::client

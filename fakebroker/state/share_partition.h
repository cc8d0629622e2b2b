// SPDX-License-Identifier: Apache-2.0
// SharePartition: one partition as one share group sees it (KIP-932): from the start offset, below
// which all is done with, to the end offset, above which nothing was delivered, the state of each
// record between them. Acquiring, acknowledging and losing locks move it.
#pragma once

#include "fakebroker/state/share_in_flight.h"
#include "fakebroker/state/share_settings.h"
#include "protocol/errors.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ktrial::fakebroker {

// A record batch that a fetch read from the log.
struct FetchedBatch {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool aborted = false;  // of a transaction that was aborted, and the group reads committed ones
};

struct AcquiredRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int16_t delivery_count = 1;
  bool operator==(const AcquiredRange&) const = default;
};

// AcknowledgementBatch: one type for all offsets, or one for each.
struct ShareAcknowledgement {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::vector<std::int8_t> types = {};
};
enum AcknowledgeType : std::int8_t { kGap = 0, kAccept = 1, kRelease = 2, kReject = 3, kRenew = 4 };

struct ShareFault {
  protocol::KafkaError error = protocol::KafkaError::kNone;
  std::string message = {};
};

class SharePartition {
 public:
  static constexpr std::int64_t kUnset = -1;

  // A start offset that is unset is found out when the first fetch comes.
  explicit SharePartition(std::int64_t start = kUnset);

  [[nodiscard]] bool is_open() const { return start_ != kUnset; }
  void open(std::int64_t start);

  [[nodiscard]] std::int64_t start_offset() const { return start_; }
  // After the last offset in flight.
  [[nodiscard]] std::int64_t end_offset() const { return end_; }
  // The first that may be delivered: released, or new.
  [[nodiscard]] std::int64_t next_fetch_offset() const;
  [[nodiscard]] bool can_acquire(const ShareSettings& settings) const;

  struct Wanted {
    const std::string& member;
    std::int64_t fetch_offset = 0;  // what next_fetch_offset() was when the batches were read
    std::int32_t max_records = 0;   // more where a batch is not to be split
    std::int32_t batch_size = 0;    // ranges are cut between record batches after so many
    bool record_limit = false;      // ShareAcquireMode 1: never more than max_records
  };
  // Locks what the member may have of `fetched`, in order of offset.
  std::vector<AcquiredRange> acquire(const Wanted& wanted, std::span<const FetchedBatch> fetched,
                                     const ShareSettings& settings, TimePoint now);

  // All or nothing, but for locks that were renewed.
  ShareFault acknowledge(const std::string& member, std::span<const ShareAcknowledgement> batches,
                         const ShareSettings& settings, TimePoint now);
  // The member's session ended.
  void release(const std::string& member, const ShareSettings& settings);
  // Locks that ran out; false if none did.
  bool expire(const ShareSettings& settings, TimePoint now);
  [[nodiscard]] std::optional<TimePoint> next_expiry() const;

  // The log begins later now: what was not delivered of the rest never will be.
  void log_start_moved(std::int64_t offset);
  // Another broker leads: what it finds is what was written last, locks are not.
  void reload();

  // What was last written to the group's state, and others are told: the start offset at that
  // moment (kUnset if nothing was), and how many after it were done with.
  [[nodiscard]] std::int64_t written_start() const { return written_start_; }
  [[nodiscard]] std::int64_t written_done() const { return written_done_; }

 private:
  using Batches = std::map<std::int64_t, InFlightBatch>;  // by first offset
  struct Change {
    Delivery* delivery;
    Delivery before;
    std::int64_t offsets;  // how many of them are not below the start
  };

  [[nodiscard]] std::int64_t in_flight() const { return batches_.empty() ? 0 : end_ - start_; }
  [[nodiscard]] Batches::iterator batch_of(std::int64_t offset);
  [[nodiscard]] std::int64_t counted(std::int64_t first, std::int64_t last) const;
  void lock(Delivery& delivery, const std::string& member, const ShareSettings& settings,
            TimePoint now);
  // To kAvailable, or to kArchived if it was delivered too often.
  void set_free(std::int64_t first, std::int64_t last, Delivery& delivery,
                const ShareSettings& settings);
  void finish(std::int64_t first, std::int64_t last, Delivery& delivery, DeliveryState state);

  // Again what was released; returns how many offsets.
  std::int64_t acquire_again(InFlightBatch& batch, const Wanted& wanted, std::int64_t room,
                             std::int64_t from, std::int64_t to, bool& stop,
                             const ShareSettings& settings, TimePoint now,
                             std::vector<AcquiredRange>& acquired);
  std::int64_t acquire_some(InFlightBatch& batch, const Wanted& wanted, std::int64_t room,
                            std::int64_t from, std::int64_t to, const ShareSettings& settings,
                            TimePoint now, std::vector<AcquiredRange>& acquired);
  void acquire_new(const Wanted& wanted, std::span<const FetchedBatch> fetched, std::int64_t from,
                   std::int64_t to, std::int64_t room, const ShareSettings& settings, TimePoint now,
                   std::vector<AcquiredRange>& acquired);
  void archive_aborted(std::span<const FetchedBatch> fetched, std::vector<AcquiredRange>& acquired);

  ShareFault acknowledge(const std::string& member, const ShareAcknowledgement& batch,
                         const ShareSettings& settings, TimePoint now,
                         std::vector<Change>& changes);
  ShareFault acknowledge(const std::string& member, const ShareAcknowledgement& batch,
                         InFlightBatch& in_flight, const ShareSettings& settings, TimePoint now,
                         std::vector<Change>& changes);
  ShareFault turn(std::int64_t first, std::int64_t last, Delivery& delivery, std::int8_t type,
                  const ShareSettings& settings, TimePoint now, std::vector<Change>& changes);
  void undo(std::vector<Change>& changes);
  void write();
  void advance();

  std::int64_t start_;
  std::int64_t end_;
  Batches batches_;
  std::int64_t done_ = 0;     // offsets from start_ on that are done with
  bool may_be_free_ = false;  // false: nothing in flight is kAvailable
  std::int64_t written_start_;
  std::int64_t written_done_ = 0;
};

}  // namespace ktrial::fakebroker

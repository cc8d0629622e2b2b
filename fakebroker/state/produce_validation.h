// SPDX-License-Identifier: Apache-2.0
// Produce validation: what a broker checks of a partition's records before it appends them, in its
// order (ProduceRequest.validateRecords, then LogValidator).
#pragma once

#include "common/slice.h"
#include "protocol/errors.h"
#include "protocol/record_batch.h"

#include <cstdint>
#include <string>

namespace ktrial::fakebroker {

struct ValidatedBatch {
  protocol::KafkaError error = protocol::KafkaError::kNone;
  std::string message;  // Kafka's error_message, where it gives one
  protocol::BatchHeader header;
};

// What the request may not hold whatever the partition: not one whole batch of magic 2, or a codec
// that its version does not have. Told before acks and leadership are looked at.
ValidatedBatch validate_form(const Slice& records, std::int16_t version);

// `version` is the request's, 3 or later. The whole slice must be one batch of magic 2.
ValidatedBatch validate_produce(const Slice& records, std::int16_t version,
                                std::int64_t max_message_bytes);

}  // namespace ktrial::fakebroker

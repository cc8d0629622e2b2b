// SPDX-License-Identifier: Apache-2.0
// What the handlers of the transaction APIs share.
#pragma once

#include "fakebroker/handlers/coordination.h"
#include "protocol/errors.h"

namespace ktrial::fakebroker {

// Older versions know PRODUCER_FENCED as INVALID_PRODUCER_EPOCH (KIP-588).
inline protocol::KafkaError as_told(protocol::KafkaError error, bool knows_fenced) {
  using protocol::KafkaError;
  return error == KafkaError::kProducerFenced && !knows_fenced ? KafkaError::kInvalidProducerEpoch
                                                               : error;
}

// Nobody coordinates the id without a name.
inline protocol::KafkaError check_transactional_id(const RequestContext& ctx,
                                                   const std::string& id) {
  return id.empty() ? protocol::KafkaError::kInvalidRequest : check_coordinator(ctx, id);
}

// ... and TRANSACTION_ABORTABLE as INVALID_TXN_STATE (KIP-890).
inline protocol::KafkaError as_told_of_verification(protocol::KafkaError error,
                                                    bool knows_abortable) {
  using protocol::KafkaError;
  return error == KafkaError::kTransactionAbortable && !knows_abortable
             ? KafkaError::kInvalidTxnState
             : error;
}

}  // namespace ktrial::fakebroker

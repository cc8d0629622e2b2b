// SPDX-License-Identifier: Apache-2.0
// Mutants: deliberate small faults of the reference client, so that a scenario can prove that its
// checks notice them. clients/reference/MUTANTS.md says what each does.
#pragma once

#include "common/result.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>

namespace ktrial::client {

enum class Mutant : std::uint8_t {
  kLazyConnect,
  kDialAllBootstrap,
  kProduceWithoutMetadata,
  kMetadataAllTopics,
  kWrongLeader,
  kDialAllBrokers,
  kMetadataHammer,
  kConstantBackoffMetadata,
  kNoMetadataRefresh,
  kMetadataTooOften,
  kIdleCloseEarly,
  kIdleCloseLate,
  kIdleNeverClose,
  kIdleRst,
  kIgnoreBrokerFin,
  kConnectInConstructor,
  kConnectOnSubscribe,
  kFindBeforeMetadata,
  kJoinBeforeFind,
  kCoordinatorShared,
  kFetchViaCoordinator,
  kTwoConnsPerLeader,
  kMetadataOnCoordinator,
  kKeepBootstrap,
  kNoLeaveGroup,
  kNoCommitOnClose,
  kCloseWithoutFin,
  kDropQueuedOnClose,
  kCloseRst,
  kSocketsOutliveProcess,
  kIdleIgnoresOff,
  kNoKeepalive,
  kConstantReconnectBackoff,
  kNoBackoffCap,
  kHttpFirst,
  kInFlightUncapped,
  kNoPipelining,
  kOneAtATime,
  kMetadataToAll,
  kInterleavedFrames,
  kMostLoaded,
  kIdleDespiteTraffic,
  kPassiveIdle,
  kNeverRedials,
  kMetadataGivesUp,
  kReconnectHammer,
  kMetadataLate,
  kIdleCloseSlack,
  kIdleEager,
  kConnectionPerRequest,
  kPollDoesNothing,
  kLeaveBeforeCommit,
  kHeartbeatElsewhere,
  kFindOnNewConnection,
  kMetadataOnFirst,
  kNeverTheLeader,
  kFirstBootstrapOnly,
  kSetupNeverTimesOut,
  kSetupImpatient,
  kBelievesEmptyMetadata,
  kTakesStaleEpoch,
  kNeverRebootstraps,
  kRebootstrapKeepsSockets,
  kIgnoresTrouble,
  kIgnoresThrottle,
  kRequestNeverTimesOut,
  kRequestImpatient,
  kNoRetries,
  kNoIdempotence,
  kForgetsRequests,
};

inline constexpr std::array<std::string_view, 70> kMutantNames{"lazy-connect",
                                                               "dial-all-bootstrap",
                                                               "produce-without-metadata",
                                                               "metadata-all-topics",
                                                               "wrong-leader",
                                                               "dial-all-brokers",
                                                               "metadata-hammer",
                                                               "constant-backoff-metadata",
                                                               "no-metadata-refresh",
                                                               "metadata-too-often",
                                                               "idle-close-early",
                                                               "idle-close-late",
                                                               "idle-never-close",
                                                               "idle-rst",
                                                               "ignore-broker-fin",
                                                               "connect-in-constructor",
                                                               "connect-on-subscribe",
                                                               "find-before-metadata",
                                                               "join-before-find",
                                                               "coordinator-shared",
                                                               "fetch-via-coordinator",
                                                               "two-conns-per-leader",
                                                               "metadata-on-coordinator",
                                                               "keep-bootstrap",
                                                               "no-leave-group",
                                                               "no-commit-on-close",
                                                               "close-without-fin",
                                                               "drop-queued-on-close",
                                                               "close-rst",
                                                               "sockets-outlive-process",
                                                               "idle-ignores-off",
                                                               "no-keepalive",
                                                               "constant-reconnect-backoff",
                                                               "no-backoff-cap",
                                                               "http-first",
                                                               "in-flight-uncapped",
                                                               "no-pipelining",
                                                               "one-at-a-time",
                                                               "metadata-to-all",
                                                               "interleaved-frames",
                                                               "most-loaded",
                                                               "idle-despite-traffic",
                                                               "passive-idle",
                                                               "never-redials",
                                                               "metadata-gives-up",
                                                               "reconnect-hammer",
                                                               "metadata-late",
                                                               "idle-close-slack",
                                                               "idle-eager",
                                                               "connection-per-request",
                                                               "poll-does-nothing",
                                                               "leave-before-commit",
                                                               "heartbeat-elsewhere",
                                                               "find-on-new-connection",
                                                               "metadata-on-first",
                                                               "never-the-leader",
                                                               "first-bootstrap-only",
                                                               "setup-never-times-out",
                                                               "setup-impatient",
                                                               "believes-empty-metadata",
                                                               "takes-stale-epoch",
                                                               "never-rebootstraps",
                                                               "rebootstrap-keeps-sockets",
                                                               "ignores-trouble",
                                                               "ignores-throttle",
                                                               "request-never-times-out",
                                                               "request-impatient",
                                                               "no-retries",
                                                               "no-idempotence",
                                                               "forgets-requests"};

class Mutants {
 public:
  // A comma list of names; an unknown name is an error.
  static Result<Mutants> parse(std::string_view list);

  [[nodiscard]] bool has(Mutant mutant) const {
    return set_.test(static_cast<std::size_t>(mutant));
  }
  void add(Mutant mutant) { set_.set(static_cast<std::size_t>(mutant)); }

 private:
  std::bitset<kMutantNames.size()> set_;
};

}  // namespace ktrial::client

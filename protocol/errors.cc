// SPDX-License-Identifier: Apache-2.0
#include "protocol/errors.h"

#include <algorithm>
#include <iterator>

namespace ktrial::protocol {
namespace {

struct Row {
  KafkaError error;
  std::string_view name;
  bool retriable;
};

constexpr Row kRows[] = {
    {KafkaError::kUnknownServerError, "UNKNOWN_SERVER_ERROR", false},
    {KafkaError::kNone, "NONE", false},
    {KafkaError::kOffsetOutOfRange, "OFFSET_OUT_OF_RANGE", false},
    {KafkaError::kCorruptMessage, "CORRUPT_MESSAGE", true},
    {KafkaError::kUnknownTopicOrPartition, "UNKNOWN_TOPIC_OR_PARTITION", true},
    {KafkaError::kInvalidFetchSize, "INVALID_FETCH_SIZE", false},
    {KafkaError::kLeaderNotAvailable, "LEADER_NOT_AVAILABLE", true},
    {KafkaError::kNotLeaderOrFollower, "NOT_LEADER_OR_FOLLOWER", true},
    {KafkaError::kRequestTimedOut, "REQUEST_TIMED_OUT", true},
    {KafkaError::kBrokerNotAvailable, "BROKER_NOT_AVAILABLE", false},
    {KafkaError::kReplicaNotAvailable, "REPLICA_NOT_AVAILABLE", true},
    {KafkaError::kMessageTooLarge, "MESSAGE_TOO_LARGE", false},
    {KafkaError::kStaleControllerEpoch, "STALE_CONTROLLER_EPOCH", false},
    {KafkaError::kOffsetMetadataTooLarge, "OFFSET_METADATA_TOO_LARGE", false},
    {KafkaError::kNetworkException, "NETWORK_EXCEPTION", true},
    {KafkaError::kCoordinatorLoadInProgress, "COORDINATOR_LOAD_IN_PROGRESS", true},
    {KafkaError::kCoordinatorNotAvailable, "COORDINATOR_NOT_AVAILABLE", true},
    {KafkaError::kNotCoordinator, "NOT_COORDINATOR", true},
    {KafkaError::kInvalidTopicException, "INVALID_TOPIC_EXCEPTION", false},
    {KafkaError::kRecordListTooLarge, "RECORD_LIST_TOO_LARGE", false},
    {KafkaError::kNotEnoughReplicas, "NOT_ENOUGH_REPLICAS", true},
    {KafkaError::kNotEnoughReplicasAfterAppend, "NOT_ENOUGH_REPLICAS_AFTER_APPEND", true},
    {KafkaError::kInvalidRequiredAcks, "INVALID_REQUIRED_ACKS", false},
    {KafkaError::kIllegalGeneration, "ILLEGAL_GENERATION", false},
    {KafkaError::kInconsistentGroupProtocol, "INCONSISTENT_GROUP_PROTOCOL", false},
    {KafkaError::kInvalidGroupId, "INVALID_GROUP_ID", false},
    {KafkaError::kUnknownMemberId, "UNKNOWN_MEMBER_ID", false},
    {KafkaError::kInvalidSessionTimeout, "INVALID_SESSION_TIMEOUT", false},
    {KafkaError::kRebalanceInProgress, "REBALANCE_IN_PROGRESS", false},
    {KafkaError::kInvalidCommitOffsetSize, "INVALID_COMMIT_OFFSET_SIZE", false},
    {KafkaError::kTopicAuthorizationFailed, "TOPIC_AUTHORIZATION_FAILED", false},
    {KafkaError::kGroupAuthorizationFailed, "GROUP_AUTHORIZATION_FAILED", false},
    {KafkaError::kClusterAuthorizationFailed, "CLUSTER_AUTHORIZATION_FAILED", false},
    {KafkaError::kInvalidTimestamp, "INVALID_TIMESTAMP", false},
    {KafkaError::kUnsupportedSaslMechanism, "UNSUPPORTED_SASL_MECHANISM", false},
    {KafkaError::kIllegalSaslState, "ILLEGAL_SASL_STATE", false},
    {KafkaError::kUnsupportedVersion, "UNSUPPORTED_VERSION", false},
    {KafkaError::kTopicAlreadyExists, "TOPIC_ALREADY_EXISTS", false},
    {KafkaError::kInvalidPartitions, "INVALID_PARTITIONS", false},
    {KafkaError::kInvalidReplicationFactor, "INVALID_REPLICATION_FACTOR", false},
    {KafkaError::kInvalidReplicaAssignment, "INVALID_REPLICA_ASSIGNMENT", false},
    {KafkaError::kInvalidConfig, "INVALID_CONFIG", false},
    {KafkaError::kNotController, "NOT_CONTROLLER", true},
    {KafkaError::kInvalidRequest, "INVALID_REQUEST", false},
    {KafkaError::kUnsupportedForMessageFormat, "UNSUPPORTED_FOR_MESSAGE_FORMAT", false},
    {KafkaError::kPolicyViolation, "POLICY_VIOLATION", false},
    {KafkaError::kOutOfOrderSequenceNumber, "OUT_OF_ORDER_SEQUENCE_NUMBER", false},
    {KafkaError::kDuplicateSequenceNumber, "DUPLICATE_SEQUENCE_NUMBER", false},
    {KafkaError::kInvalidProducerEpoch, "INVALID_PRODUCER_EPOCH", false},
    {KafkaError::kInvalidTxnState, "INVALID_TXN_STATE", false},
    {KafkaError::kInvalidProducerIdMapping, "INVALID_PRODUCER_ID_MAPPING", false},
    {KafkaError::kInvalidTransactionTimeout, "INVALID_TRANSACTION_TIMEOUT", false},
    {KafkaError::kConcurrentTransactions, "CONCURRENT_TRANSACTIONS", true},
    {KafkaError::kTransactionCoordinatorFenced, "TRANSACTION_COORDINATOR_FENCED", false},
    {KafkaError::kTransactionalIdAuthorizationFailed, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", false},
    {KafkaError::kSecurityDisabled, "SECURITY_DISABLED", false},
    {KafkaError::kOperationNotAttempted, "OPERATION_NOT_ATTEMPTED", false},
    {KafkaError::kKafkaStorageError, "KAFKA_STORAGE_ERROR", true},
    {KafkaError::kLogDirNotFound, "LOG_DIR_NOT_FOUND", false},
    {KafkaError::kSaslAuthenticationFailed, "SASL_AUTHENTICATION_FAILED", false},
    {KafkaError::kUnknownProducerId, "UNKNOWN_PRODUCER_ID", false},
    {KafkaError::kReassignmentInProgress, "REASSIGNMENT_IN_PROGRESS", false},
    {KafkaError::kDelegationTokenAuthDisabled, "DELEGATION_TOKEN_AUTH_DISABLED", false},
    {KafkaError::kDelegationTokenNotFound, "DELEGATION_TOKEN_NOT_FOUND", false},
    {KafkaError::kDelegationTokenOwnerMismatch, "DELEGATION_TOKEN_OWNER_MISMATCH", false},
    {KafkaError::kDelegationTokenRequestNotAllowed, "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED", false},
    {KafkaError::kDelegationTokenAuthorizationFailed, "DELEGATION_TOKEN_AUTHORIZATION_FAILED", false},
    {KafkaError::kDelegationTokenExpired, "DELEGATION_TOKEN_EXPIRED", false},
    {KafkaError::kInvalidPrincipalType, "INVALID_PRINCIPAL_TYPE", false},
    {KafkaError::kNonEmptyGroup, "NON_EMPTY_GROUP", false},
    {KafkaError::kGroupIdNotFound, "GROUP_ID_NOT_FOUND", false},
    {KafkaError::kFetchSessionIdNotFound, "FETCH_SESSION_ID_NOT_FOUND", true},
    {KafkaError::kInvalidFetchSessionEpoch, "INVALID_FETCH_SESSION_EPOCH", true},
    {KafkaError::kListenerNotFound, "LISTENER_NOT_FOUND", true},
    {KafkaError::kTopicDeletionDisabled, "TOPIC_DELETION_DISABLED", false},
    {KafkaError::kFencedLeaderEpoch, "FENCED_LEADER_EPOCH", true},
    {KafkaError::kUnknownLeaderEpoch, "UNKNOWN_LEADER_EPOCH", true},
    {KafkaError::kUnsupportedCompressionType, "UNSUPPORTED_COMPRESSION_TYPE", false},
    {KafkaError::kStaleBrokerEpoch, "STALE_BROKER_EPOCH", false},
    {KafkaError::kOffsetNotAvailable, "OFFSET_NOT_AVAILABLE", true},
    {KafkaError::kMemberIdRequired, "MEMBER_ID_REQUIRED", false},
    {KafkaError::kPreferredLeaderNotAvailable, "PREFERRED_LEADER_NOT_AVAILABLE", true},
    {KafkaError::kGroupMaxSizeReached, "GROUP_MAX_SIZE_REACHED", false},
    {KafkaError::kFencedInstanceId, "FENCED_INSTANCE_ID", false},
    {KafkaError::kEligibleLeadersNotAvailable, "ELIGIBLE_LEADERS_NOT_AVAILABLE", true},
    {KafkaError::kElectionNotNeeded, "ELECTION_NOT_NEEDED", true},
    {KafkaError::kNoReassignmentInProgress, "NO_REASSIGNMENT_IN_PROGRESS", false},
    {KafkaError::kGroupSubscribedToTopic, "GROUP_SUBSCRIBED_TO_TOPIC", false},
    {KafkaError::kInvalidRecord, "INVALID_RECORD", false},
    {KafkaError::kUnstableOffsetCommit, "UNSTABLE_OFFSET_COMMIT", true},
    {KafkaError::kThrottlingQuotaExceeded, "THROTTLING_QUOTA_EXCEEDED", true},
    {KafkaError::kProducerFenced, "PRODUCER_FENCED", false},
    {KafkaError::kResourceNotFound, "RESOURCE_NOT_FOUND", false},
    {KafkaError::kDuplicateResource, "DUPLICATE_RESOURCE", false},
    {KafkaError::kUnacceptableCredential, "UNACCEPTABLE_CREDENTIAL", false},
    {KafkaError::kInconsistentVoterSet, "INCONSISTENT_VOTER_SET", false},
    {KafkaError::kInvalidUpdateVersion, "INVALID_UPDATE_VERSION", false},
    {KafkaError::kFeatureUpdateFailed, "FEATURE_UPDATE_FAILED", false},
    {KafkaError::kPrincipalDeserializationFailure, "PRINCIPAL_DESERIALIZATION_FAILURE", false},
    {KafkaError::kSnapshotNotFound, "SNAPSHOT_NOT_FOUND", false},
    {KafkaError::kPositionOutOfRange, "POSITION_OUT_OF_RANGE", false},
    {KafkaError::kUnknownTopicId, "UNKNOWN_TOPIC_ID", true},
    {KafkaError::kDuplicateBrokerRegistration, "DUPLICATE_BROKER_REGISTRATION", false},
    {KafkaError::kBrokerIdNotRegistered, "BROKER_ID_NOT_REGISTERED", false},
    {KafkaError::kInconsistentTopicId, "INCONSISTENT_TOPIC_ID", true},
    {KafkaError::kInconsistentClusterId, "INCONSISTENT_CLUSTER_ID", false},
    {KafkaError::kTransactionalIdNotFound, "TRANSACTIONAL_ID_NOT_FOUND", false},
    {KafkaError::kFetchSessionTopicIdError, "FETCH_SESSION_TOPIC_ID_ERROR", true},
    {KafkaError::kIneligibleReplica, "INELIGIBLE_REPLICA", false},
    {KafkaError::kNewLeaderElected, "NEW_LEADER_ELECTED", false},
    {KafkaError::kOffsetMovedToTieredStorage, "OFFSET_MOVED_TO_TIERED_STORAGE", false},
    {KafkaError::kFencedMemberEpoch, "FENCED_MEMBER_EPOCH", false},
    {KafkaError::kUnreleasedInstanceId, "UNRELEASED_INSTANCE_ID", false},
    {KafkaError::kUnsupportedAssignor, "UNSUPPORTED_ASSIGNOR", false},
    {KafkaError::kStaleMemberEpoch, "STALE_MEMBER_EPOCH", false},
    {KafkaError::kMismatchedEndpointType, "MISMATCHED_ENDPOINT_TYPE", false},
    {KafkaError::kUnsupportedEndpointType, "UNSUPPORTED_ENDPOINT_TYPE", false},
    {KafkaError::kUnknownControllerId, "UNKNOWN_CONTROLLER_ID", false},
    {KafkaError::kUnknownSubscriptionId, "UNKNOWN_SUBSCRIPTION_ID", false},
    {KafkaError::kTelemetryTooLarge, "TELEMETRY_TOO_LARGE", false},
    {KafkaError::kInvalidRegistration, "INVALID_REGISTRATION", false},
    {KafkaError::kTransactionAbortable, "TRANSACTION_ABORTABLE", false},
    {KafkaError::kInvalidRecordState, "INVALID_RECORD_STATE", false},
    {KafkaError::kShareSessionNotFound, "SHARE_SESSION_NOT_FOUND", true},
    {KafkaError::kInvalidShareSessionEpoch, "INVALID_SHARE_SESSION_EPOCH", true},
    {KafkaError::kFencedStateEpoch, "FENCED_STATE_EPOCH", false},
    {KafkaError::kInvalidVoterKey, "INVALID_VOTER_KEY", false},
    {KafkaError::kDuplicateVoter, "DUPLICATE_VOTER", false},
    {KafkaError::kVoterNotFound, "VOTER_NOT_FOUND", false},
    {KafkaError::kInvalidRegularExpression, "INVALID_REGULAR_EXPRESSION", false},
    {KafkaError::kRebootstrapRequired, "REBOOTSTRAP_REQUIRED", false},
    {KafkaError::kStreamsInvalidTopology, "STREAMS_INVALID_TOPOLOGY", false},
    {KafkaError::kStreamsInvalidTopologyEpoch, "STREAMS_INVALID_TOPOLOGY_EPOCH", false},
    {KafkaError::kStreamsTopologyFenced, "STREAMS_TOPOLOGY_FENCED", false},
    {KafkaError::kShareSessionLimitReached, "SHARE_SESSION_LIMIT_REACHED", true},
    {KafkaError::kGroupDeletionFailed, "GROUP_DELETION_FAILED", false},
    {KafkaError::kStreamsTopologyDescriptionUpdateFailed, "STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED", false},
    {KafkaError::kControllerIdNotRegistered, "CONTROLLER_ID_NOT_REGISTERED", false},
};

const Row* find(KafkaError error) {
  const auto* row = std::lower_bound(std::begin(kRows), std::end(kRows), error, [](const Row& a, KafkaError b) { return a.error < b; });
  return row != std::end(kRows) && row->error == error ? row : nullptr;
}

}  // namespace

std::string_view name(KafkaError error) {
  const Row* row = find(error);
  return row == nullptr ? "UNKNOWN" : row->name;
}

std::optional<KafkaError> find_error(std::string_view name) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [name](const Row& candidate) { return candidate.name == name; });
  return row == std::end(kRows) ? std::nullopt : std::optional(row->error);
}

bool retriable(KafkaError error) {
  const Row* row = find(error);
  return row != nullptr && row->retriable;
}

}  // namespace ktrial::protocol

// SPDX-License-Identifier: Apache-2.0
// AlterUserScramCredentials (51), v0 (KIP-554).
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/alter_user_scram_credentials_request.h"
#include "protocol/messages/alter_user_scram_credentials_response.h"

#include <map>

namespace ktrial::fakebroker {
namespace {

using protocol::AlterUserScramCredentialsRequest;
using protocol::AlterUserScramCredentialsResponse;
using protocol::KafkaError;
using protocol::alter_user_scram_credentials_request::ScramCredentialDeletion;
using protocol::alter_user_scram_credentials_request::ScramCredentialUpsertion;

struct Fault {
  KafkaError error;
  std::string message;
};

std::optional<Fault> fault_of(const std::string& user, std::int8_t mechanism) {
  if (user.empty()) return Fault{KafkaError::kUnacceptableCredential, "Username must not be empty"};
  if (!ScramCredentials::is_mechanism(mechanism))
    return Fault{KafkaError::kUnsupportedSaslMechanism, "Unknown SCRAM mechanism"};
  return std::nullopt;
}

std::optional<Fault> erase(RequestContext& ctx, const ScramCredentialDeletion& wanted) {
  if (auto fault = fault_of(wanted.name, wanted.mechanism)) return fault;
  const auto mechanism = static_cast<ScramMechanism>(wanted.mechanism);
  ScramCredentials& credentials = ctx.cluster.scram_credentials();
  if (!credentials.contains(wanted.name, mechanism)) {
    return Fault{KafkaError::kResourceNotFound,
                 "Attempt to delete a user credential that does not exist"};
  }
  credentials.erase(wanted.name, mechanism);
  return std::nullopt;
}

std::optional<Fault> put(RequestContext& ctx, const ScramCredentialUpsertion& wanted) {
  if (auto fault = fault_of(wanted.name, wanted.mechanism)) return fault;
  if (wanted.iterations < ScramCredentials::kLeastIterations)
    return Fault{KafkaError::kUnacceptableCredential, "Too few iterations"};
  if (wanted.iterations > ScramCredentials::kMostIterations)
    return Fault{KafkaError::kUnacceptableCredential, "Too many iterations"};
  const auto bytes = [](const auto& from) {
    const auto span = from.span();
    return std::vector<std::uint8_t>(span.begin(), span.end());
  };
  ctx.cluster.scram_credentials().put(
      wanted.name, static_cast<ScramMechanism>(wanted.mechanism),
      {wanted.iterations, bytes(wanted.salt), bytes(wanted.salted_password)});
  return std::nullopt;
}

std::map<std::string, int> users_of(const AlterUserScramCredentialsRequest& request) {
  std::map<std::string, int> users;
  for (const auto& deletion : request.deletions) ++users[deletion.name];
  for (const auto& upsertion : request.upsertions) ++users[upsertion.name];
  return users;
}

void add(AlterUserScramCredentialsResponse& response, const std::string& user,
         const std::optional<Fault>& fault) {
  auto& result = response.results.emplace_back();
  result.user = user;
  result.error_code = fault ? code(fault->error) : std::int16_t{0};
  result.error_message = fault ? std::optional(fault->message) : std::nullopt;
}

}  // namespace

Reply alter_user_scram_credentials(RequestContext& ctx,
                                   const AlterUserScramCredentialsRequest& request) {
  const std::map<std::string, int> users = users_of(request);
  AlterUserScramCredentialsResponse response;
  for (const auto& deletion : request.deletions) {
    if (users.at(deletion.name) == 1) add(response, deletion.name, erase(ctx, deletion));
  }
  for (const auto& upsertion : request.upsertions) {
    if (users.at(upsertion.name) == 1) add(response, upsertion.name, put(ctx, upsertion));
  }
  for (const auto& [user, times] : users) {
    if (times == 1) continue;
    add(response, user,
        Fault{KafkaError::kDuplicateResource,
              "A user credential cannot be altered twice in the same request"});
  }
  return response;
}

Reply refuse_alter_user_scram_credentials(RequestContext&,
                                          const AlterUserScramCredentialsRequest& request,
                                          std::int16_t error) {
  AlterUserScramCredentialsResponse response;
  for (const auto& [user, times] : users_of(request)) {
    auto& result = response.results.emplace_back();
    result.user = user;
    result.error_code = error;
    result.error_message = std::nullopt;
  }
  return response;
}

}  // namespace ktrial::fakebroker

// SPDX-License-Identifier: Apache-2.0
// DescribeUserScramCredentials (50), v0 (KIP-554): mechanisms and iterations, never the secrets.
#include "fakebroker/handlers/authorization_words.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/handlers/refusals.h"
#include "fakebroker/request_context.h"
#include "protocol/messages/describe_user_scram_credentials_request.h"
#include "protocol/messages/describe_user_scram_credentials_response.h"

#include <map>

namespace ktrial::fakebroker {
namespace {

using protocol::DescribeUserScramCredentialsRequest;
using protocol::DescribeUserScramCredentialsResponse;
using protocol::KafkaError;
using protocol::describe_user_scram_credentials_response::DescribeUserScramCredentialsResult;

// Users, and how often each was asked for.
std::map<std::string, int> wanted(const RequestContext& ctx,
                                  const DescribeUserScramCredentialsRequest& request) {
  std::map<std::string, int> users;
  if (request.users) {
    for (const auto& user : *request.users) ++users[user.name];
  }
  if (users.empty()) {
    for (const auto& [user, credentials] : ctx.cluster.scram_credentials().all()) users[user] = 1;
  }
  return users;
}

DescribeUserScramCredentialsResult failed(const std::string& user, KafkaError error,
                                          const std::string& message) {
  DescribeUserScramCredentialsResult result;
  result.user = user;
  result.error_code = code(error);
  result.error_message = message + user;
  return result;
}

DescribeUserScramCredentialsResult describe(const RequestContext& ctx, const std::string& user,
                                            int times) {
  if (times > 1) {
    return failed(
        user, KafkaError::kDuplicateResource,
        "Cannot describe SCRAM credentials for the same user twice in a single request: ");
  }
  const auto& all = ctx.cluster.scram_credentials().all();
  const auto known = all.find(user);
  if (known == all.end()) {
    return failed(user, KafkaError::kResourceNotFound,
                  "Attempt to describe a user credential that does not exist: ");
  }
  DescribeUserScramCredentialsResult result;
  result.user = user;
  for (const auto& [mechanism, credential] : known->second) {
    auto& info = result.credential_infos.emplace_back();
    info.mechanism = static_cast<std::int8_t>(mechanism);
    info.iterations = credential.iterations;
  }
  return result;
}

}  // namespace

Reply describe_user_scram_credentials(RequestContext& ctx,
                                      const DescribeUserScramCredentialsRequest& request) {
  DescribeUserScramCredentialsResponse response;
  for (const auto& [user, times] : wanted(ctx, request))
    response.results.push_back(describe(ctx, user, times));
  return response;
}

// A result for each user that was named, which does not say of whom it is.
Reply refuse_describe_user_scram_credentials(RequestContext&,
                                             const DescribeUserScramCredentialsRequest& request,
                                             std::int16_t error) {
  DescribeUserScramCredentialsResponse response;
  response.error_code = error;
  if (error == code(KafkaError::kClusterAuthorizationFailed))
    response.error_message = words_of_denial(KafkaError::kClusterAuthorizationFailed);
  if (!request.users) return response;
  for (std::size_t i = 0; i < request.users->size(); ++i) {
    DescribeUserScramCredentialsResult& result = response.results.emplace_back();
    result.error_code = error;
    result.error_message = response.error_message;
  }
  return response;
}

}  // namespace ktrial::fakebroker

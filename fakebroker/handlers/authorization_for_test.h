// SPDX-License-Identifier: Apache-2.0
// A cluster with an authorizer, its admin, and alice, who may do nothing until she is allowed to.
#pragma once

#include "fakebroker/cluster_for_test.h"
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/requests_for_test.h"
#include "protocol/messages/create_acls_request.h"
#include "protocol/messages/create_acls_response.h"
#include "protocol/messages/sasl_authenticate_request.h"
#include "protocol/messages/sasl_authenticate_response.h"
#include "protocol/messages/sasl_handshake_request.h"
#include "protocol/messages/sasl_handshake_response.h"

#include <gtest/gtest.h>

#include <string>

namespace ktrial::fakebroker {

inline ClusterSpec guarded_cluster() {
  ClusterSpec spec = spec_for_test();
  spec.topics.push_back({.name = "hidden"});
  spec.auto_create_topics = true;
  spec.security.listeners = {{.protocol = SecurityProtocol::kSaslPlaintext}};
  spec.security.sasl.users = {{"admin", "x"}, {"alice", "x"}};
  spec.security.authorizer = {.enabled = true, .super_users = {"User:admin"}};
  return spec;
}

struct GuardedTest : testing::Test {
  ClusterForTest cluster{guarded_cluster()};
  ClientForTest admin{cluster.broker()};
  ClientForTest alice{cluster.broker()};

  GuardedTest() {
    log_in(admin, "admin");
    log_in(alice, "alice");
  }
  static void log_in(ClientForTest& client, const std::string& user) {
    protocol::SaslHandshakeRequest handshake;
    handshake.mechanism = "PLAIN";
    client.call<protocol::SaslHandshakeResponse>(handshake, 1);
    protocol::SaslAuthenticateRequest request;
    std::string token = "?" + user + "?x";
    for (char& c : token) c = c == '?' ? '\0' : c;
    request.auth_bytes = Slice::copy_of(token);
    EXPECT_EQ(client.call<protocol::SaslAuthenticateResponse>(request, 2).error_code, 0);
  }
  std::int16_t allow(ResourceType type, const std::string& name, AclOperation operation,
                     ClientForTest* by = nullptr) {
    protocol::CreateAclsRequest request;
    auto& acl = request.creations.emplace_back();
    acl.resource_type = static_cast<std::int8_t>(type);
    acl.resource_name = name;
    acl.resource_pattern_type = 3;
    acl.principal = "User:alice";
    acl.host = "*";
    acl.operation = static_cast<std::int8_t>(operation);
    constexpr std::int8_t kAllow = 3;
    acl.permission_type = kAllow;
    return (by == nullptr ? admin : *by)
        .call<protocol::CreateAclsResponse>(request, 3)
        .results.at(0)
        .error_code;
  }
};

}  // namespace ktrial::fakebroker

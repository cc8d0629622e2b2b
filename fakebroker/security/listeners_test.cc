// SPDX-License-Identifier: Apache-2.0
// End to end: listeners with TLS and SASL, as clients meet them.
#include "fakebroker/cluster_for_test.h"
#include "fakebroker/requests_for_test.h"
#include "fakebroker/security/crypto.h"
#include "fakebroker/security/tls_client_for_test.h"
#include "protocol/errors.h"
#include "protocol/messages/sasl_authenticate_request.h"
#include "protocol/messages/sasl_authenticate_response.h"
#include "protocol/messages/sasl_handshake_request.h"
#include "protocol/messages/sasl_handshake_response.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ktrial::fakebroker {
namespace {

using namespace protocol;              // NOLINT: this file is little else than messages
using namespace std::string_literals;  // NOLINT: for the NULs of PLAIN
using Ending = ClientForTest::Ending;

ClusterSpec secured(std::vector<ListenerSpec> listeners, int brokers = 1) {
  ClusterSpec spec = spec_for_test(brokers);
  spec.security.listeners = std::move(listeners);
  spec.security.sasl.users = {{"alice", "secret"}};
  spec.security.sasl.failure_delay = Millis(30);
  return spec;
}

BrokerStatus at(const BrokerStatus& broker, std::size_t listener) {
  BrokerStatus reached = broker;
  reached.host = broker.listeners.at(listener).host;
  reached.port = broker.listeners.at(listener).port;
  return reached;
}

SaslHandshakeResponse handshake(ClientForTest& client, const std::string& mechanism) {
  SaslHandshakeRequest request;
  request.mechanism = mechanism;
  return client.call<SaslHandshakeResponse>(request, 1);
}

template <class Client>
SaslAuthenticateResponse authenticate(Client& client, const std::string& token) {
  SaslAuthenticateRequest request;
  request.auth_bytes = Slice::copy_of(token);
  return client.template call<SaslAuthenticateResponse>(request, 2);
}

std::string principal_of(ClusterForTest& cluster) { return cluster->connections().at(0).principal; }

struct SaslListener : testing::Test {
  ClusterForTest cluster{secured({{.protocol = SecurityProtocol::kSaslPlaintext}})};
  ClientForTest client{cluster.broker()};
};

TEST_F(SaslListener, AnswersAnythingOnceTheClientIsAuthenticated) {
  EXPECT_EQ(handshake(client, "PLAIN").error_code, 0);
  EXPECT_EQ(authenticate(client, "\0alice\0secret"s).error_code, 0);
  EXPECT_EQ(client.call<MetadataResponse>(a_metadata(), 9).topics.size(), 1U);
  EXPECT_EQ(principal_of(cluster), "User:alice");
}

TEST_F(SaslListener, ClosesOnAnythingBefore) {
  client.send(a_metadata(), 9);
  EXPECT_EQ(client.ending(), Ending::kFin);
  EXPECT_EQ(cluster.close_reason(), "not authenticated");
}

TEST_F(SaslListener, AWrongPasswordIsAnsweredThenTheConnectionIsClosed) {
  handshake(client, "PLAIN");
  const auto answer = authenticate(client, "\0alice\0wrong"s);
  EXPECT_EQ(answer.error_code, code(KafkaError::kSaslAuthenticationFailed));
  EXPECT_EQ(answer.error_message, "Authentication failed: Invalid username or password");
  EXPECT_EQ(client.ending(), Ending::kFin);
  EXPECT_EQ(cluster.close_reason(), "Authentication failed: Invalid username or password");
}

TEST_F(SaslListener, TellsItsMechanismsToOneWhoWantsAnother) {
  const auto answer = handshake(client, "GSSAPI");
  EXPECT_EQ(answer.error_code, code(KafkaError::kUnsupportedSaslMechanism));
  EXPECT_EQ(answer.mechanisms.size(), 4U);
  EXPECT_EQ(client.ending(), Ending::kFin);
}

TEST_F(SaslListener, ATokenCannotClaimMoreThanATokenMayBe) {
  const std::vector<std::uint8_t> length{0, 8, 0, 1};  // 524,289
  client.send_raw(length);
  EXPECT_EQ(client.ending(), Ending::kFin);
}

TEST_F(SaslListener, AnErrorOfARuleIsAnswered) {
  Rule rule;
  rule.id = "r";
  rule.match.apis = {"SaslAuthenticate"};
  rule.match.times = 1;
  rule.action.apply = false;
  rule.action.error = code(KafkaError::kSaslAuthenticationFailed);
  ASSERT_TRUE(cluster->add_rule(rule));
  handshake(client, "PLAIN");
  EXPECT_EQ(authenticate(client, "\0alice\0secret"s).error_code,
            code(KafkaError::kSaslAuthenticationFailed));
}

TEST(Listeners, WhoDoesNotAuthenticateInTimeIsClosed) {
  ClusterSpec spec = secured({{.protocol = SecurityProtocol::kSaslPlaintext}});
  spec.security.authentication_timeout = Millis(50);
  ClusterForTest cluster(std::move(spec));
  ClientForTest client(cluster.broker());
  EXPECT_EQ(client.ending(), Ending::kFin);
  EXPECT_EQ(cluster.close_reason(), "not authenticated in time");
}

TEST(Listeners, EachTellsItsOwnAddresses) {
  ClusterForTest cluster(
      secured({{.name = "INSIDE"},
               {.name = "OUTSIDE", .advertised_host = "outside.example", .advertised_port = 9000}},
              2));
  const auto broker = cluster.broker();
  EXPECT_EQ(broker.listeners.at(0).port, broker.port);
  EXPECT_EQ(broker.listeners.at(1).port, 9000);
  EXPECT_EQ(cluster->bootstrap_servers("OUTSIDE"), "outside.example:9000,outside.example:9001");
  ClientForTest inside(broker);
  EXPECT_EQ(inside.call<MetadataResponse>(a_metadata(), 9).brokers.at(0).port, broker.port);
}

TEST(Listeners, AClientOfTheSecondSeesTheSecond) {
  ClusterForTest cluster(secured({{.name = "A"}, {.name = "B"}}, 2));
  ClientForTest client(at(cluster.broker(), 1));
  const auto brokers = client.call<MetadataResponse>(a_metadata(), 9).brokers;
  EXPECT_EQ(brokers.at(0).port, cluster.broker(1).listeners.at(1).port);
  EXPECT_EQ(brokers.at(1).port, cluster.broker(2).listeners.at(1).port);
  EXPECT_EQ(cluster->connections().at(0).listener, "B");
  ASSERT_TRUE(cluster->stop_broker(1, CloseKind::kFin));
  EXPECT_EQ(client.ending(), Ending::kFin);
  EXPECT_THROW(ClientForTest(at(cluster.broker(), 1)), std::runtime_error);
  ASSERT_TRUE(cluster->start_broker(1));
  ClientForTest again(at(cluster.broker(), 1));
}

TEST(Listeners, AWrongSpecificationIsToldSo) {
  const auto fault = [](ClusterSpec spec) {
    const auto started = Cluster::start(std::move(spec));
    return started ? std::string() : started.error().message;
  };
  EXPECT_EQ(fault(secured({{.name = "A"}, {.name = "A"}})), "two listeners have the name A");
  ClusterSpec unknown = secured({{.protocol = SecurityProtocol::kSaslPlaintext}});
  unknown.security.sasl.mechanisms = {"GSSAPI"};
  EXPECT_TRUE(fault(unknown).starts_with("no such SASL mechanism: 'GSSAPI'"));
  ClusterSpec half = secured({{.protocol = SecurityProtocol::kSsl}});
  half.security.tls.certificate_file = "x.pem";
  EXPECT_EQ(fault(half), "TLS wants a certificate with its key, or neither");
  half.security.tls.key_file = "/nonexistent/x.key";
  EXPECT_NE(fault(half), "");
  ClusterSpec keys = secured({{.protocol = SecurityProtocol::kSaslPlaintext}});
  keys.security.sasl.oauth.keys = "{}";
  EXPECT_NE(fault(keys), "");
}

struct TlsListener : testing::Test {
  static ClusterSpec spec(ClientAuth auth) {
    ClusterSpec made = secured({{.protocol = SecurityProtocol::kSsl}});
    made.security.tls.client_auth = auth;
    return made;
  }
  static TlsClientForTest connect(ClusterForTest& cluster, bool with_certificate,
                                  const char* ciphers = nullptr) {
    return {cluster.broker().listeners.at(0), cluster->tls_material(), with_certificate, ciphers};
  }
};

TEST_F(TlsListener, ServesTls13AndTls12) {
  ClusterForTest cluster(spec(ClientAuth::kNone));
  for (const char* const ciphers : {static_cast<const char*>(nullptr), "HIGH"}) {
    TlsClientForTest client = connect(cluster, false, ciphers);
    EXPECT_EQ(client.call<MetadataResponse>(a_metadata(), 9).topics.size(), 1U);
    EXPECT_EQ(principal_of(cluster), "User:ANONYMOUS");
  }
}

TEST_F(TlsListener, CarriesLargeRequestsAndAnswers) {
  ClusterSpec made = spec(ClientAuth::kNone);
  made.topics.at(0).configs["max.message.bytes"] = "8000000";
  ClusterForTest cluster(std::move(made));
  TlsClientForTest client = connect(cluster, false);
  const Slice batch = a_batch({.value = std::string(3U << 20U, 'x')});
  const auto produced = client.call<ProduceResponse>(a_produce(batch), 9);
  EXPECT_EQ(produced.responses.at(0).partition_responses.at(0).error_code, 0);
  const auto fetched = client.call<FetchResponse>(
      a_fetch({.max_bytes = 8 << 20, .partition_max_bytes = 8 << 20}), 12);
  EXPECT_EQ(fetched.responses.at(0).partitions.at(0).records->size(), batch.size());
}

TEST_F(TlsListener, KnowsAClientByItsCertificate) {
  for (const ClientAuth auth : {ClientAuth::kRequested, ClientAuth::kRequired}) {
    ClusterForTest cluster(spec(auth));
    TlsClientForTest client = connect(cluster, true);
    client.call<MetadataResponse>(a_metadata(), 9);
    EXPECT_EQ(principal_of(cluster), "User:CN=client,O=ktrial");
  }
}

TEST_F(TlsListener, WhoHasNoCertificateIsRefusedIfItIsRequiredOnly) {
  ClusterForTest asking(spec(ClientAuth::kRequested));
  TlsClientForTest let_in = connect(asking, false);
  EXPECT_EQ(let_in.call<MetadataResponse>(a_metadata(), 9).topics.size(), 1U);
  ClusterForTest strict(spec(ClientAuth::kRequired));
  // TLS 1.3's client learns it with its first answer.
  EXPECT_THROW(connect(strict, false).call<MetadataResponse>(a_metadata(), 9), std::runtime_error);
  EXPECT_THROW(connect(strict, false, "HIGH"), std::runtime_error);
  EXPECT_TRUE(strict.close_reason().starts_with("TLS: ")) << strict.close_reason();
}

TEST_F(TlsListener, AClientOfAnotherAuthorityIsRefused) {
  ClusterForTest cluster(spec(ClientAuth::kRequired));
  ClusterForTest other(spec(ClientAuth::kRequired));
  TlsMaterial mixed = other->tls_material();
  mixed.ca = cluster->tls_material().ca;
  EXPECT_THROW(TlsClientForTest(cluster.broker().listeners.at(0), mixed, true)
                   .call<MetadataResponse>(a_metadata(), 9),
               std::runtime_error);
}

TEST_F(TlsListener, WhatIsNotTlsIsClosed) {
  ClusterForTest cluster(spec(ClientAuth::kNone));
  ClientForTest client(cluster.broker());
  client.send(a_metadata(), 9);
  EXPECT_EQ(client.ending(), Ending::kFin);
  EXPECT_TRUE(cluster.close_reason().starts_with("TLS: ")) << cluster.close_reason();
}

TEST_F(TlsListener, WritesCertificatesAndTheSecretsOfSessions) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("ktrial-tls-" + random_text().substr(0, 8));
  ClusterSpec made = spec(ClientAuth::kNone);
  made.security.tls.write_to = folder / "certificates";
  std::filesystem::create_directories(folder);
  made.security.tls.key_log_file = folder / "keys.log";
  {
    ClusterForTest cluster(std::move(made));
    connect(cluster, false).call<MetadataResponse>(a_metadata(), 9);
    const auto text = [&](const std::filesystem::path& path) {
      std::ifstream file(path);
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_EQ(text(folder / "certificates" / "ca.pem"), cluster->tls_material().ca);
    EXPECT_TRUE(text(folder / "certificates" / "client-keystore.pem")
                    .starts_with("-----BEGIN PRIVATE KEY-----"));
    EXPECT_NE(text(folder / "keys.log").find("CLIENT_TRAFFIC_SECRET_0 "), std::string::npos);
  }
  std::filesystem::remove_all(folder);
}

TEST_F(TlsListener, WithSaslTheUserCounts) {
  ClusterSpec made = secured({{.protocol = SecurityProtocol::kSaslSsl}});
  ClusterForTest cluster(std::move(made));
  TlsClientForTest client = connect(cluster, false);
  SaslHandshakeRequest request;
  request.mechanism = "PLAIN";
  EXPECT_EQ(client.call<SaslHandshakeResponse>(request, 1).error_code, 0);
  EXPECT_EQ(authenticate(client, "\0alice\0secret"s).error_code, 0);
  EXPECT_EQ(client.call<MetadataResponse>(a_metadata(), 9).topics.size(), 1U);
  EXPECT_EQ(principal_of(cluster), "User:alice");
}

}  // namespace
}  // namespace ktrial::fakebroker

// SPDX-License-Identifier: Apache-2.0
// End to end: client metrics subscriptions and pushes.
#include "fakebroker/cluster_for_test.h"
#include "protocol/errors.h"
#include "protocol/messages/api_versions_request.h"
#include "protocol/messages/api_versions_response.h"
#include "protocol/messages/get_telemetry_subscriptions_request.h"
#include "protocol/messages/get_telemetry_subscriptions_response.h"
#include "protocol/messages/incremental_alter_configs_request.h"
#include "protocol/messages/incremental_alter_configs_response.h"
#include "protocol/messages/push_telemetry_request.h"
#include "protocol/messages/push_telemetry_response.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ktrial::fakebroker {
namespace {

using namespace protocol;  // NOLINT: this file is little else than messages

ClusterSpec with_telemetry() {
  ClusterSpec spec = spec_for_test();
  spec.telemetry = true;
  return spec;
}

struct TelemetryApi : testing::Test {
  ClusterForTest cluster{with_telemetry()};
  ClientForTest client{cluster.broker(), "app"};

  GetTelemetrySubscriptionsResponse subscribe(const Uuid& instance = {}) {
    GetTelemetrySubscriptionsRequest request;
    request.client_instance_id = instance;
    return client.call<GetTelemetrySubscriptionsResponse>(request, 0);
  }
  std::int16_t push(const GetTelemetrySubscriptionsResponse& of, std::size_t bytes = 10,
                    bool terminating = false, std::int8_t compression = 0) {
    PushTelemetryRequest request;
    request.client_instance_id = of.client_instance_id;
    request.subscription_id = of.subscription_id;
    request.terminating = terminating;
    request.compression_type = compression;
    request.metrics = Slice(std::vector<std::uint8_t>(bytes));
    return client.call<PushTelemetryResponse>(request, 0).error_code;
  }
  void configure(const std::string& name, const std::string& key, const std::string& value) {
    IncrementalAlterConfigsRequest request;
    auto& resource = request.resources.emplace_back();
    resource.resource_type = 16;
    resource.resource_name = name;
    auto& config = resource.configs.emplace_back();
    config.name = key;
    config.value = value;
    EXPECT_EQ(client.call<IncrementalAlterConfigsResponse>(request, 1).responses.at(0).error_code,
              0);
  }
};

bool offers_telemetry(ClientForTest& client) {
  ApiVersionsRequest request;
  request.client_software_name = "test";
  request.client_software_version = "1";
  const auto keys = client.call<ApiVersionsResponse>(request, 3).api_keys;
  return std::any_of(keys.begin(), keys.end(), [](const auto& api) { return api.api_key == 71; });
}

TEST(TelemetryApis, AreOfferedOnlyByBrokersThatTakeMetrics) {
  ClusterForTest without;
  ClientForTest client(without.broker());
  EXPECT_FALSE(offers_telemetry(client));
  client.send(GetTelemetrySubscriptionsRequest(), 0);
  EXPECT_EQ(client.ending(), ClientForTest::Ending::kFin);
}

TEST_F(TelemetryApi, WithoutASubscriptionNoMetricsAreWanted) {
  EXPECT_TRUE(offers_telemetry(client));
  const auto answer = subscribe();
  EXPECT_EQ(answer.error_code, 0);
  EXPECT_FALSE(answer.client_instance_id.is_zero());
  EXPECT_TRUE(answer.requested_metrics.empty());
  EXPECT_EQ(answer.push_interval_ms, 300'000);
  EXPECT_EQ(answer.telemetry_max_bytes, 1 << 20);
  EXPECT_TRUE(answer.delta_temporality);
  EXPECT_EQ(answer.accepted_compression_types, (std::vector<std::int8_t>{4, 3, 1, 2}));
  EXPECT_NE(subscribe().client_instance_id, answer.client_instance_id);
}

TEST_F(TelemetryApi, AClientThatAsksAgainTooEarlyIsThrottled) {
  const auto answer = subscribe();
  EXPECT_EQ(subscribe(answer.client_instance_id).error_code,
            code(KafkaError::kThrottlingQuotaExceeded));
  configure("s", "metrics", "a.b");  // a change is told at once
  const auto changed = subscribe(answer.client_instance_id);
  EXPECT_EQ(changed.requested_metrics, std::vector<std::string>{"a.b"});
  EXPECT_NE(changed.subscription_id, answer.subscription_id);
}

TEST_F(TelemetryApi, SubscriptionsAreJoinedForTheClientsTheyAreMeantFor) {
  configure("all", "metrics", "a.,b.");
  configure("mine", "metrics", "c.");
  configure("mine", "interval.ms", "1000");
  configure("mine", "match", "client_id=a.*,client_source_address=127\\..*");
  configure("others", "metrics", "*");
  configure("others", "match", "client_id=x");
  const auto answer = subscribe();
  EXPECT_EQ(answer.requested_metrics, (std::vector<std::string>{"a.", "b.", "c."}));
  EXPECT_EQ(answer.push_interval_ms, 1000);
}

TEST_F(TelemetryApi, SoftwareIsKnownFromApiVersions) {
  configure("s", "metrics", "*");
  configure("s", "match", "client_software_name=te.t");
  EXPECT_TRUE(subscribe().requested_metrics.empty());
  offers_telemetry(client);  // says that it is "test"
  EXPECT_EQ(subscribe().requested_metrics, std::vector<std::string>{"*"});
}

TEST_F(TelemetryApi, PushesAreChecked) {
  auto of = subscribe();
  EXPECT_EQ(push(of), 0);
  EXPECT_EQ(push(of), code(KafkaError::kThrottlingQuotaExceeded));
  of = subscribe();
  ++of.subscription_id;
  EXPECT_EQ(push(of), code(KafkaError::kUnknownSubscriptionId));
  of = subscribe();
  EXPECT_EQ(push(of, 10, false, 9), code(KafkaError::kUnsupportedCompressionType));
  of = subscribe();
  EXPECT_EQ(push(of, (1 << 20) + 1), code(KafkaError::kTelemetryTooLarge));
  of = subscribe();
  EXPECT_EQ(push(of, 10), 0);
  EXPECT_EQ(push(of, 10, true), 0);  // the last may come at any time
  EXPECT_EQ(push(of, 10), code(KafkaError::kInvalidRequest));
  EXPECT_EQ(push({}), code(KafkaError::kInvalidRequest));
}

}  // namespace
}  // namespace ktrial::fakebroker

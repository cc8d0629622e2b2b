// SPDX-License-Identifier: Apache-2.0
#include "capture/body_json.h"

#include "capture/record_summary.h"
#include "common/slice.h"
#include "protocol/api_info.h"
#include "protocol/codec.h"
#include "protocol/errors.h"
#include "protocol/messages/fetch_response.h"
#include "protocol/messages/produce_request.h"

#include <utility>

namespace ktrial::capture {

namespace {

// The member `name` of the i-th object of an array, where a message as JSON has one.
boost::json::value* member(boost::json::value* array, std::size_t i, std::string_view name) {
  if (array == nullptr || !array->is_array() || i >= array->get_array().size()) return nullptr;
  boost::json::value& each = array->get_array()[i];
  return each.is_object() ? each.get_object().if_contains(name) : nullptr;
}

void add_batches(boost::json::value* shown, const std::optional<Slice>& records) {
  if (shown == nullptr || !shown->is_object() || !records || records->empty()) return;
  shown->get_object()["batches"] = summarise_records(records->span());
}

Result<boost::json::value> produce_json(std::int16_t version, const Slice& body) {
  const auto message = protocol::decode<protocol::ProduceRequest>(body, version);
  if (!message) return tl::unexpected<Error>(message.error());
  boost::json::object fields = protocol::to_json(*message, version);
  auto* topics = fields.if_contains("topicData");
  for (std::size_t i = 0; i < message->topic_data.size(); ++i) {
    const auto& partitions = message->topic_data[i].partition_data;
    auto* shown = member(topics, i, "partitionData");
    for (std::size_t j = 0; j < partitions.size(); ++j)
      add_batches(member(shown, j, "records"), partitions[j].records);
  }
  return boost::json::value(std::move(fields));
}

Result<boost::json::value> fetched_json(std::int16_t version, const Slice& body) {
  const auto message = protocol::decode<protocol::FetchResponse>(body, version);
  if (!message) return tl::unexpected<Error>(message.error());
  boost::json::object fields = protocol::to_json(*message, version);
  auto* topics = fields.if_contains("responses");
  for (std::size_t i = 0; i < message->responses.size(); ++i) {
    const auto& partitions = message->responses[i].partitions;
    auto* shown = member(topics, i, "partitions");
    for (std::size_t j = 0; j < partitions.size(); ++j)
      add_batches(member(shown, j, "records"), partitions[j].records);
  }
  return boost::json::value(std::move(fields));
}

// `fields` or the reason why there are none.
void add(boost::json::object& data, Result<boost::json::value> decoded) {
  if (decoded) {
    data["fields"] = std::move(*decoded);
  } else {
    data["undecoded"] = decoded.error().to_string();
  }
}

bool whole(boost::json::object& data, std::span<const std::uint8_t> body, bool complete) {
  if (complete) return true;
  data["undecoded"] = "only " + std::to_string(body.size()) + " bytes of the body were captured";
  return false;
}

}  // namespace

std::optional<std::int16_t> first_error(const boost::json::value& fields) {
  if (const auto* array = fields.if_array()) {
    for (const auto& each : *array)
      if (const auto error = first_error(each)) return error;
  }
  if (const auto* object = fields.if_object()) {
    for (const auto& [name, value] : *object) {
      if (name == "errorCode" || name == "partitionErrorCode") {
        const std::int64_t* code = value.if_int64();
        if (code != nullptr && *code != 0 && *code >= INT16_MIN && *code <= INT16_MAX)
          return static_cast<std::int16_t>(*code);
      } else if (const auto error = first_error(value)) {
        return error;
      }
    }
  }
  return std::nullopt;
}

void add_request_fields(boost::json::object& data, std::int16_t key, std::int16_t version,
                        std::span<const std::uint8_t> body, bool complete) {
  if (!whole(data, body, complete)) return;
  const Slice bytes = Slice::unowned(body);
  add(data, key == protocol::ProduceRequest::kApiKey ? produce_json(version, bytes)
                                                     : protocol::request_json(key, version, bytes));
}

void add_response_fields(boost::json::object& data, std::int16_t key, std::int16_t version,
                         std::span<const std::uint8_t> body, bool complete) {
  if (!whole(data, body, complete)) return;
  const Slice bytes = Slice::unowned(body);
  add(data, key == protocol::FetchResponse::kApiKey ? fetched_json(version, bytes)
                                                    : protocol::response_json(key, version, bytes));
  const auto* fields = data.if_contains("fields");
  if (fields == nullptr) return;
  if (const auto error = first_error(*fields)) {
    data["error"] = *error;
    data["error_name"] = protocol::name(static_cast<protocol::KafkaError>(*error));
  }
}

}  // namespace ktrial::capture

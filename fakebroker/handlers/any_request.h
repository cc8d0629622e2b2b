// SPDX-License-Identifier: Apache-2.0
// AnyRequest: a decoded request of any API, with what can be done with it.
#pragma once

#include "common/result.h"
#include "common/slice.h"
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/reply.h"
#include "fakebroker/request_context.h"
#include "protocol/codec.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ktrial::fakebroker {

class AnyRequest {
 public:
  virtual ~AnyRequest() = default;
  virtual Reply handle(RequestContext& ctx) const = 0;
  // As handle() would answer, but with `error` and without doing anything.
  virtual Reply refuse(RequestContext& ctx, std::int16_t error) const = 0;
  // By name or by id, or by the fetch session that it goes on with.
  [[nodiscard]] virtual bool names_topic(ClusterState& cluster, int broker,
                                         std::string_view topic) const = 0;
};

namespace detail {

// Looks through the names and ids of topics in a request.
class TopicSearch {
 public:
  TopicSearch(Topics& topics, std::string_view topic, std::int16_t version)
      : topic_(topic), version_(version) {
    if (const Topic* const known = topics.find(topic)) id_ = known->id;
  }
  [[nodiscard]] bool found() const { return found_; }

  template <class T>
  void field(std::string_view name, const T& value, bool) {
    look(name, value);
  }
  template <class T>
  void inflexible_field(std::string_view name, const T& value, bool) {
    look(name, value);
  }
  template <class Each>
  void tagged_fields(const protocol::UnknownTags&, Each&&) {}

 private:
  void look(std::string_view name, const std::string& value) {
    static constexpr std::string_view kNames[] = {"name",       "topic",  "topicName",
                                                  "topicNames", "topics", "subscribedTopicNames"};
    for (const std::string_view candidate : kNames)
      found_ = found_ || (candidate == name && value == topic_);
  }
  void look(std::string_view, const protocol::Uuid& value) {
    found_ = found_ || (!id_.is_zero() && value == id_);
  }
  template <class T>
  void look(std::string_view name, const std::vector<T>& values) {
    if constexpr (std::is_class_v<T>) {
      for (const T& value : values) look(name, value);
    }
  }
  template <class T>
  void look(std::string_view name, const std::optional<T>& value) {
    if (value) look(name, *value);
  }
  template <class T>
  void look(std::string_view, const T& value) {
    if constexpr (requires { T::fields(value, *this, version_); })
      T::fields(value, *this, version_);
  }

  std::string_view topic_;
  std::int16_t version_;
  protocol::Uuid id_;
  bool found_ = false;
};

}  // namespace detail

template <class Request>
using HandleFunction = Reply (*)(RequestContext&, const Request&);
template <class Request>
using RefuseFunction = Reply (*)(RequestContext&, const Request&, std::int16_t error);

template <class Request, HandleFunction<Request> kHandle, RefuseFunction<Request> kRefuse>
class TypedRequest final : public AnyRequest {
 public:
  TypedRequest(Request request, std::int16_t version)
      : request_(std::move(request)), version_(version) {}

  Reply handle(RequestContext& ctx) const override {
    if constexpr (requires { denied(ctx, request_); }) {
      if (ctx.cluster.spec().security.authorizer.enabled) {
        const protocol::KafkaError error = denied(ctx, request_);
        if (error != protocol::KafkaError::kNone) return kRefuse(ctx, request_, code(error));
      }
    }
    return kHandle(ctx, request_);
  }
  Reply refuse(RequestContext& ctx, std::int16_t error) const override {
    return kRefuse(ctx, request_, error);
  }
  [[nodiscard]] bool names_topic(ClusterState& cluster, int broker,
                                 std::string_view topic) const override {
    detail::TopicSearch search(cluster.topics(), topic, version_);
    Request::fields(request_, search, version_);
    if constexpr (std::is_same_v<Request, protocol::FetchRequest>) {
      return search.found() || session_fetches(cluster, broker, request_, topic);
    }
    return search.found();
  }

  static Result<std::unique_ptr<AnyRequest>> decode(const Slice& body, std::int16_t version) {
    auto request = protocol::decode<Request>(body, version);
    if (!request) return tl::unexpected<Error>(std::move(request.error()));
    return std::make_unique<TypedRequest>(std::move(*request), version);
  }

 private:
  Request request_;
  std::int16_t version_;
};

}  // namespace ktrial::fakebroker

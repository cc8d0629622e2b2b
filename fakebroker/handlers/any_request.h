// SPDX-License-Identifier: Apache-2.0
// AnyRequest: a decoded request of any API, with what can be done with it.
#pragma once

#include "common/result.h"
#include "common/slice.h"
#include "fakebroker/handlers/authorization.h"
#include "fakebroker/handlers/handlers.h"
#include "fakebroker/reply.h"
#include "fakebroker/request_context.h"
#include "fakebroker/rules/request_search.h"
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
  // As handle() would answer, but for the parts that `errors` are for: nothing is done to them. The
  // answers to these go to `refused`, to be merged into the other; one may be Reply::close().
  virtual Reply handle_but(RequestContext& ctx, const std::vector<PlacedError>& errors,
                           std::vector<Reply>& refused) const = 0;
  // What the request says of a part for all that is in it: PlacedError::given.
  [[nodiscard]] virtual unsigned given(const PlacedError& of) const = 0;
  // The topic (by name or id, or by the fetch session that it goes on with), partition, group and
  // transactional id of a rule.
  [[nodiscard]] virtual bool names(ClusterState& cluster, int broker,
                                   const RuleMatch& match) const = 0;
  [[nodiscard]] virtual boost::json::object to_json() const = 0;
};

template <class Request>
using HandleFunction = Reply (*)(RequestContext&, const Request&);
template <class Request>
using RefuseFunction = Reply (*)(RequestContext&, const Request&, std::int16_t error);

// Sessions know partitions that the request does not name: their handlers ask
// RequestContext::part_error().
template <class Request>
constexpr bool refuses_parts = std::is_same_v<Request, protocol::FetchRequest> ||
                               std::is_same_v<Request, protocol::ShareFetchRequest>;

template <class Request, HandleFunction<Request> kHandle, RefuseFunction<Request> kRefuse>
class TypedRequest final : public AnyRequest {
 public:
  TypedRequest(Request request, std::int16_t version)
      : request_(std::move(request)), version_(version) {}

  Reply handle(RequestContext& ctx) const override { return handle(ctx, request_); }
  Reply handle_but(RequestContext& ctx, const std::vector<PlacedError>& errors,
                   std::vector<Reply>& refused) const override {
    using Share = PartSearch::Share;
    Request rest = request_;
    for (const PlacedError& each : errors) {
      const PartSearch search(each, version_);
      if (search.is_all(each.given)) {
        refused.clear();
        return kRefuse(ctx, request_, each.error);
      }
      if constexpr (refuses_parts<Request>) continue;
      Request part = rest;
      const Share share = search.split(part, true);
      if (share == Share::kAll) return kRefuse(ctx, rest, each.error);
      if (share == Share::kNone && !each.or_whole) continue;
      Reply refusal = kRefuse(ctx, part, each.error);
      const bool has_part = refusal.kind() != Reply::Kind::kMessage ||
                            refusal.message().set_errors(each, version_) > 0;
      if (share == Share::kNone || !has_part) {
        refused.clear();
        return kRefuse(ctx, request_, each.error);
      }
      search.split(rest, false);
      refused.push_back(std::move(refusal));
    }
    if constexpr (refuses_parts<Request>)
      ctx.part_errors = std::make_shared<const std::vector<PlacedError>>(errors);
    return handle(ctx, rest);
  }
  [[nodiscard]] unsigned given(const PlacedError& of) const override {
    return PartSearch(of, version_).named_by(request_);
  }
  Reply refuse(RequestContext& ctx, std::int16_t error) const override {
    return kRefuse(ctx, request_, error);
  }
  [[nodiscard]] bool names(ClusterState& cluster, int broker,
                           const RuleMatch& match) const override {
    const Topic* const topic = match.topic ? cluster.topics().find(*match.topic) : nullptr;
    RequestSearch search(match, topic == nullptr ? protocol::Uuid() : topic->id, version_);
    search.look_in(request_);
    if (!search.rest()) return false;
    if (!match.topic || search.topic()) return true;
    if constexpr (std::is_same_v<Request, protocol::FetchRequest>)
      return session_fetches(cluster, broker, request_, match);
    return false;
  }

  [[nodiscard]] boost::json::object to_json() const override {
    return protocol::to_json(request_, version_);
  }

  static Reply handle(RequestContext& ctx, const Request& request) {
    if constexpr (requires { denied(ctx, request); }) {
      if (ctx.cluster.spec().security.authorizer.enabled) {
        const protocol::KafkaError error = denied(ctx, request);
        if (error != protocol::KafkaError::kNone) return kRefuse(ctx, request, code(error));
      }
    }
    return kHandle(ctx, request);
  }

  static Result<std::unique_ptr<AnyRequest>> decode(const Slice& body, std::int16_t version) {
    auto request = protocol::decode<Request>(body, version, protocol::Trailing::kIgnored);
    if (!request) return tl::unexpected<Error>(std::move(request.error()));
    return std::make_unique<TypedRequest>(std::move(*request), version);
  }

 private:
  Request request_;
  std::int16_t version_;
};

}  // namespace ktrial::fakebroker

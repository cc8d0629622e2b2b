// SPDX-License-Identifier: Apache-2.0
// ScriptedBroker: answers a client's state machine by functions of the test, without sockets and on
// a clock that the test moves.
#pragma once

#include "clients/reference/channel.h"
#include "clients/reference/frame_splitter.h"
#include "common/manual_clock.h"
#include "protocol/api_info.h"
#include "protocol/codec.h"
#include "protocol/header.h"
#include "protocol/messages/api_versions_response.h"
#include "protocol/writer.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ktrial::client {

class ScriptedBroker final : public Dialer {
 public:
  explicit ScriptedBroker(ManualClock& clock) : clock_(clock) {}

  // `answer` takes the request; without an answer the broker is silent. `port`: the broker's, if
  // brokers differ.
  template <class Req, class Res>
  void on(std::function<std::optional<Res>(const Req&, int port)> answer,
          std::int16_t newest = Req::kMaxVersion) {
    Handler& handler = handlers_[Req::kApiKey];
    handler.newest = newest;
    handler.call = [answer = std::move(answer)](
                       const Slice& body, std::int16_t version,
                       int port) -> std::optional<std::vector<std::uint8_t>> {
      const auto request = protocol::decode<Req>(body, version);
      if (!request) return std::nullopt;
      const auto response = answer(*request, port);
      if (!response) return std::nullopt;
      return protocol::encode_to_bytes(*response, version);
    };
  }
  [[nodiscard]] std::size_t count(std::int16_t key) const {
    const auto found = asked_.find(key);
    return found == asked_.end() ? 0 : found->second;
  }
  template <class Req>
  [[nodiscard]] std::size_t count() const {
    return count(Req::kApiKey);
  }

  // Changes the frames of the next answers to an API, their size fields included.
  using Change = std::function<void(std::vector<std::uint8_t>&)>;
  void spoil(std::int16_t key, std::deque<Change> changes) { spoilt_[key] = std::move(changes); }

  // Attempts to connect to a port, refused ones included.
  [[nodiscard]] int dialled(int port) { return dialled_[port]; }
  void refuse(int port, bool yes = true) {
    if (yes)
      refused_.insert(port);
    else
      refused_.erase(port);
  }
  // Connections to a port that neither side has closed.
  [[nodiscard]] int open(int port) {
    std::erase_if(connections_, [](const auto& weak) {
      const auto connection = weak.lock();
      return !connection || connection->listener == nullptr;
    });
    return static_cast<int>(std::ranges::count_if(
        connections_, [port](const auto& weak) { return weak.lock()->port == port; }));
  }

  std::unique_ptr<Link> dial(const HostPort& to, LinkListener& listener) override {
    auto connection = std::make_shared<Connection>(Connection{*this, to.port, &listener, {}});
    connections_.push_back(connection);
    ++dialled_[to.port];
    const bool refused = refused_.contains(to.port);
    clock_.after(Nanos::zero(), [connection, refused] {
      LinkListener* const client = connection->listener;
      if (client == nullptr) return;
      if (refused) {
        connection->listener = nullptr;
        client->link_down("refused");
      } else {
        client->link_up();
      }
    });
    return std::make_unique<ScriptedLink>(std::move(connection));
  }

 private:
  struct Handler {
    std::int16_t newest = 0;
    std::function<std::optional<std::vector<std::uint8_t>>(const Slice&, std::int16_t, int)> call;
  };
  struct Connection {
    ScriptedBroker& broker;
    int port;
    LinkListener* listener;
    FrameSplitter splitter;
  };
  class ScriptedLink final : public Link {
   public:
    explicit ScriptedLink(std::shared_ptr<Connection> connection)
        : connection_(std::move(connection)) {}
    ~ScriptedLink() override { connection_->listener = nullptr; }
    void write(std::vector<std::uint8_t> bytes) override {
      connection_->splitter.feed(bytes);
      for (auto frame = connection_->splitter.next(); frame && *frame;
           frame = connection_->splitter.next()) {
        connection_->broker.receive(connection_, **frame);
      }
    }
    void close(CloseKind) override { connection_->listener = nullptr; }

   private:
    std::shared_ptr<Connection> connection_;
  };

  void receive(const std::shared_ptr<Connection>& from, const Slice& frame) {
    std::size_t body = 0;
    const auto header = protocol::decode_request_header(frame, body);
    ++asked_[header->api_key];
    // Answered a little later, as a network does.
    clock_.after(Millis(1), [this, from, header = *header, body = frame.part(body)] {
      const auto answer = header.api_key == protocol::ApiVersionsResponse::kApiKey
                              ? versions(header.api_version)
                              : handled(header, body, from->port);
      if (!answer || from->listener == nullptr) return;
      protocol::Writer writer;
      writer.integer(std::int32_t{0});
      protocol::encode_response_header(
          header.correlation_id,
          protocol::response_header_version(header.api_key, header.api_version), writer);
      writer.append(std::span<const std::uint8_t>(*answer));
      writer.patch_int32(0, static_cast<std::int32_t>(writer.size() - 4));
      std::vector<std::uint8_t> bytes = std::move(writer).take();
      if (auto& changes = spoilt_[header.api_key]; !changes.empty()) {
        changes.front()(bytes);
        changes.pop_front();
      }
      from->listener->link_data(bytes);
    });
  }

  std::optional<std::vector<std::uint8_t>> handled(const protocol::RequestHeader& header,
                                                   const Slice& body, int port) {
    const auto found = handlers_.find(header.api_key);
    if (found == handlers_.end()) return std::nullopt;
    return found->second.call(body, header.api_version, port);
  }

  std::vector<std::uint8_t> versions(std::int16_t version) {
    protocol::ApiVersionsResponse response;
    for (const auto& [key, handler] : handlers_) {
      auto& api = response.api_keys.emplace_back();
      api.api_key = key;
      api.max_version = handler.newest;
    }
    return protocol::encode_to_bytes(response, version);
  }

  ManualClock& clock_;
  std::map<std::int16_t, Handler> handlers_;
  std::map<std::int16_t, std::size_t> asked_;
  std::map<std::int16_t, std::deque<Change>> spoilt_;
  std::map<int, int> dialled_;
  std::set<int> refused_;
  std::vector<std::weak_ptr<Connection>> connections_;
};

}  // namespace ktrial::client

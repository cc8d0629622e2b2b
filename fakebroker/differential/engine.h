// SPDX-License-Identifier: Apache-2.0
// Holds each conversation with both brokers, step by step, and compares what they answer.
#pragma once

#include "fakebroker/differential/comparison.h"
#include "fakebroker/differential/conversation.h"
#include "fakebroker/differential/figures.h"
#include "fakebroker/differential/peer.h"
#include "fakebroker/differential/variables.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ktrial::fakebroker::differential {

// The versions that both brokers serve of an API; those that the fake offers.
struct ServedApi {
  std::int16_t key = 0;
  std::string name;
  VersionSpan versions;
};

class Engine {
 public:
  // `first_run` keeps names apart from those of earlier runs with the same broker.
  Engine(Peer& real, Peer& fake, Comparison comparison, std::vector<ServedApi> apis, int first_run)
      : sides_{{real, Variables(0)}, {fake, Variables(0)}},
        comparison_(std::move(comparison)),
        apis_(std::move(apis)),
        run_(first_run) {}

  // Waits until coordinators and their topics are there.
  void warm_up();
  // Once per version of the APIs that it varies. Throws std::runtime_error on a fault of the
  // conversation itself.
  void hold(const Conversation& conversation);
  // Called with each answer of either broker, for looking into what goes on.
  void on_answer(std::function<void(const std::string&)> tell) { tell_ = std::move(tell); }

  [[nodiscard]] const Figures& figures() const { return figures_; }

 private:
  struct Side {
    Peer& peer;
    Variables variables;
  };
  struct Sent {
    const Step* step = nullptr;
    std::int16_t version = 0;
  };

  [[nodiscard]] const ServedApi* find(std::int16_t key) const;
  [[nodiscard]] std::int16_t version_of(const Step& step, const Conversation& in, int run) const;
  void hold_in(const Conversation& conversation, int index);
  void create_topics(const boost::json::object& topics);
  void delete_topics(const boost::json::object& topics);
  void take(const Step& step, std::int16_t version);
  void exchange(const Step& step, std::int16_t version);
  void send(Side& side, const Step& step, std::int16_t version);
  boost::json::value receive(Side& side, const Step& step, std::int16_t version);
  boost::json::value call(Side& side, const Step& step, std::int16_t version);
  boost::json::value ask(Side& side, const std::string& api, const boost::json::value& body,
                         int broker = 1);
  [[nodiscard]] bool all_served(Side& side, const boost::json::array& topics);
  void count(const Step& step, std::int16_t version, const boost::json::value& real,
             const boost::json::value& fake);
  [[nodiscard]] Compared compared(const Step& step, const boost::json::value& real,
                                  const boost::json::value& fake, Names& names) const;

  Side sides_[2];
  Comparison comparison_;
  std::vector<ServedApi> apis_;
  Figures figures_;
  std::function<void(const std::string&)> tell_;
  int run_;
  Names names_;
  std::map<std::string, Sent> sent_;  // by connection: what awaits its answer
  std::string where_;                 // "produce-errors v9 step 3"
};

}  // namespace ktrial::fakebroker::differential

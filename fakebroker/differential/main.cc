// SPDX-License-Identifier: Apache-2.0
// The fake cluster beside a real broker of the same release: the same requests to both, every
// answer compared (docs/fidelity.md). Exits with 77 where no broker can be had, with 1 on a
// difference that no rule explains.
#include "common/real_kafka_for_test.h"
#include "fakebroker/cluster.h"
#include "fakebroker/differential/engine.h"
#include "fakebroker/differential/generated.h"
#include "fakebroker/differential/twin.h"
#include "fakebroker/differential/yaml.h"
#include "protocol/api_info.h"
#include "source_dir.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker::differential {
namespace {

constexpr const char* kUsage =
    "differential_test [--real PORT] [--only WORD] [--table FILE] [--answers]\n"
    "  --real PORT   a broker that runs already, instead of one started here\n"
    "  --only WORD   conversations whose name, or API, has WORD in it\n"
    "  --table FILE  write the figures there\n"
    "  --answers     print every answer\n";

struct Options {
  int real = 0;
  std::string only;
  std::string table;
  bool answers = false;
};

std::optional<Options> options_of(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const bool more = i + 1 < count;
    if (word == "--answers") {
      options.answers = true;
    } else if (word == "--real" && more) {
      options.real = std::atoi(words[++i]);
    } else if (word == "--only" && more) {
      options.only = words[++i];
    } else if (word == "--table" && more) {
      options.table = words[++i];
    } else {
      return std::nullopt;
    }
  }
  return options;
}

bool wanted(const Conversation& conversation, const std::string& word) {
  if (conversation.name.find(word) != std::string::npos) return true;
  const auto* const info = protocol::find_api(conversation.varied.front());
  return info->name.find(word) != std::string::npos;
}

template <class T>
T value_or_die(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().to_string());
  return std::move(*result);
}

int report(const Figures& figures, const Options& options) {
  // The same field of several versions and steps is one fault: shown once, with its count.
  std::map<std::string, std::pair<const Found*, int>> kinds;
  for (const Found& found : figures.unexplained()) {
    const std::string conversation = found.where.substr(0, found.where.find(' '));
    const std::string step = found.where.substr(found.where.find(" step") + 1);
    const std::string kind = conversation + step + found.difference.path + found.difference.real;
    const auto at = kinds.try_emplace(kind, &found, 0).first;
    ++at->second.second;
  }
  for (const auto& [kind, found] : kinds) {
    const Difference& difference = found.first->difference;
    std::printf("%s (%d times)\n  %s\n    real %.600s\n    fake %.600s\n",
                found.first->where.c_str(), found.second, difference.path.c_str(),
                difference.real.c_str(), difference.fake.c_str());
  }
  const std::string table = figures.table();
  std::printf("%s%zu fields differ without a reason\n", table.c_str(),
              figures.unexplained().size());
  if (!options.table.empty()) std::ofstream(options.table) << table;
  return figures.unexplained().empty() ? 0 : 1;
}

// A cluster of real brokers, ids 1, 2, ...
class RealNodes {
 public:
  explicit RealNodes(int count) {
    std::string voters;
    std::vector<RealKafka::Seat> seats;
    for (int id = 1; id <= count; ++id) {
      seats.push_back({id, RealKafka::free_port(), ""});
      voters += (id == 1 ? "" : ",") + std::to_string(id) +
                "@127.0.0.1:" + std::to_string(seats.back().controller_port);
    }
    for (RealKafka::Seat& seat : seats) {
      seat.voters = voters;
      nodes_.push_back(count == 1 ? std::make_unique<RealKafka>(kAsTheFake)
                                  : std::make_unique<RealKafka>(kAsTheFake, seat));
    }
  }
  // All at once: none serves before most are there.
  bool start() {
    std::vector<std::future<bool>> started;
    for (const auto& node : nodes_)
      started.push_back(std::async(std::launch::async, [&node] { return node->start(); }));
    return std::ranges::all_of(started, [](auto& one) { return one.get(); });
  }
  [[nodiscard]] std::vector<std::uint16_t> ports() const {
    std::vector<std::uint16_t> all;
    for (const auto& node : nodes_) all.push_back(static_cast<std::uint16_t>(node->port()));
    return all;
  }

 private:
  std::vector<std::unique_ptr<RealKafka>> nodes_;
};

// With clusters of so many brokers each. Nothing: no broker can be had.
std::optional<Figures> hold(const std::vector<Conversation>& conversations, int brokers,
                            const std::vector<Rule>& rules, const Options& options) {
  std::unique_ptr<RealNodes> kafka;
  std::vector<std::uint16_t> ports{static_cast<std::uint16_t>(options.real)};
  if (options.real == 0) {
    // A port that was free may have gone to another's outgoing connection by the time it is wanted.
    bool started = false;
    for (int tries = 0; tries < 3 && !started; ++tries) {
      kafka = std::make_unique<RealNodes>(brokers);
      started = kafka->start();
    }
    if (!started) return std::nullopt;
    ports = kafka->ports();
  }
  const auto cluster = value_or_die(Cluster::start(twin(brokers)));
  Peer real(ports);
  ports.clear();
  for (const BrokerStatus& broker : cluster->brokers()) ports.push_back(broker.port);
  Peer fake(ports);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(now).count();
  Engine engine(real, fake, Comparison(rules), served_by_both(),
                options.real == 0 ? 0 : static_cast<int>(minutes % 100'000) * 1'000);
  if (options.answers) {
    engine.on_answer([](const std::string& text) { std::printf("%s\n", text.c_str()); });
  }
  if (brokers == 1) engine.warm_up();
  for (const Conversation& conversation : conversations) engine.hold(conversation);
  return engine.figures();
}

int run(const Options& options) {
  const std::string folder = std::string(KTRIAL_SOURCE_DIR) + "/fakebroker/differential/";
  const auto rules = value_or_die(parse_rules(value_or_die(read_yaml(folder + "allowed.yaml"))));
  auto all = value_or_die(load_conversations(folder + "conversations"));
  for (auto& made : generated_conversations(served_by_both())) all.push_back(std::move(made));
  std::erase_if(all, [&](const Conversation& one) { return !wanted(one, options.only); });
  std::map<int, std::vector<Conversation>> by_brokers;
  for (Conversation& one : all) by_brokers[one.nodes].push_back(std::move(one));
  Figures figures;
  for (const auto& [brokers, conversations] : by_brokers) {
    if (options.real != 0 && brokers != 1) continue;
    const auto held = hold(conversations, brokers, rules, options);
    if (!held) return 77;
    figures.add(*held);
  }
  return report(figures, options);
}

}  // namespace
}  // namespace ktrial::fakebroker::differential

int main(int count, char** words) {
  using namespace ktrial::fakebroker::differential;
  const auto options = options_of(count, words);
  if (!options) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  try {
    return run(*options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

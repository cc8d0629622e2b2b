// SPDX-License-Identifier: Apache-2.0
// The same client programs with a real broker and with the fake cluster, their packets captured,
// and what they asked compared connection by connection (docs/fidelity.md). Exits with 77 where
// the broker, every program, or the right to capture is missing; with 1 on a difference that
// nobody has reviewed.
#include "capture/live_capture.h"
#include "common/real_kafka_for_test.h"
#include "fakebroker/cluster.h"
#include "fakebroker/differential/message_codecs.h"
#include "fakebroker/differential/peer.h"
#include "fakebroker/differential/twin.h"
#include "fakebroker/differential/yaml.h"
#include "harness/traces/trace.h"
#include "protocol/messages/create_topics_request.h"
#include "source_dir.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::harness::traces {
namespace {

namespace diff = fakebroker::differential;

constexpr int kSkip = 77;
constexpr const char* kUsage =
    "client_traces [--show] [--keep FOLDER] [PROGRAM...]\n"
    "  --show         print every connection's requests\n"
    "  --keep FOLDER  leave the captures there\n";

struct Options {
  bool show = false;
  std::filesystem::path keep = std::filesystem::temp_directory_path();
  std::vector<std::string> programs;
};

Options options_of(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--show") {
      options.show = true;
    } else if (word == "--keep" && i + 1 < count) {
      options.keep = words[++i];
    } else if (word.starts_with('-')) {
      throw std::invalid_argument(kUsage);
    } else {
      options.programs.emplace_back(word);
    }
  }
  if (options.programs.empty()) options.programs = {"java", "librdkafka", "franz-go", "kafkajs"};
  return options;
}

template <class T>
T value_or_die(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().to_string());
  return std::move(*result);
}

// Topics as the short flow wants them, and coordinators that serve.
void prepare(std::uint16_t port, const std::vector<std::string>& programs) {
  boost::json::array topics;
  for (const std::string& program : programs) {
    for (const std::string kind : {"-classic", "-consumer", "-transactions"}) {
      topics.push_back(boost::json::object{
          {"name", program + kind}, {"numPartitions", "6"}, {"replicationFactor", "1"}});
    }
  }
  diff::Peer peer(port);
  const auto body = value_or_die(diff::encode_request(
      protocol::CreateTopicsRequest::kApiKey, protocol::CreateTopicsRequest::kMaxVersion,
      boost::json::object{{"topics", topics}, {"timeoutMs", "10000"}}));
  peer.send("a", {protocol::CreateTopicsRequest::kApiKey,
                  protocol::CreateTopicsRequest::kMaxVersion, body});
  if (peer.receive("a", std::chrono::seconds(15)).kind != diff::Received::Kind::kAnswer)
    throw std::runtime_error("no topics were made");
}

struct Seen {
  int code = 0;  // of the program
  capture::EventLog log;
};

Seen watch(const std::string& program, const std::string& side, int port, const Options& options) {
  capture::LiveOptions live;
  live.filter = "tcp port " + std::to_string(port);
  live.note_address.clear();
  const std::string file = options.keep / (program + '-' + side + ".pcapng");
  auto capture = capture::LiveCapture::start("lo", file, live);
  if (!capture) {
    std::printf("cannot capture: %s\n", capture.error().to_string().c_str());
    return {kSkip, {}};
  }
  const std::string command = std::string(KTRIAL_SOURCE_DIR) +
                              "/ci/programs --bootstrap 127.0.0.1:" + std::to_string(port) +
                              " --short " + program;
  const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): a script of ours
  auto summary = value_or_die((*capture)->stop());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 1, std::move(summary.log)};
}

void show(const std::string& program, const std::vector<ConnectionTrace>& real,
          const std::vector<ConnectionTrace>& fake) {
  for (const auto& [side, traces] : {std::pair{"real", &real}, {"fake", &fake}}) {
    for (const auto& trace : *traces)
      std::printf("%s %s %s: %s\n", program.c_str(), side, trace.client.c_str(),
                  whole(trace).c_str());
  }
}

// True if every difference was reviewed.
bool tell(const std::string& program, const Compared& compared) {
  bool good = true;
  for (const Difference& found : compared.differences) {
    good = good && !found.why.empty();
    std::printf("%s %s: %s\n  real %s\n  fake %s\n", program.c_str(), found.client.c_str(),
                found.why.empty() ? "not reviewed" : found.why.c_str(), found.real.c_str(),
                found.fake.c_str());
  }
  return good;
}

std::string row(const std::string& program, const Compared& compared) {
  const auto allowed = std::ranges::count_if(compared.differences,
                                             [](const auto& found) { return !found.why.empty(); });
  return fmt::format("| {} | {} | {} | {} | {} |\n", program, compared.connections,
                     compared.requests, compared.differences.size(), allowed);
}

int run(const Options& options) {
  const auto rules = value_or_die(
      parse_rules(value_or_die(diff::read_yaml(KTRIAL_SOURCE_DIR "/harness/traces/rules.yaml"))));
  RealKafka kafka(diff::kAsTheFake);
  if (!kafka.start()) return kSkip;
  const auto cluster = value_or_die(fakebroker::Cluster::start(diff::twin()));
  const int fake_port = cluster->brokers().at(0).port;
  diff::Peer real(static_cast<std::uint16_t>(kafka.port()));
  diff::Peer fake(static_cast<std::uint16_t>(fake_port));
  diff::Engine(real, fake, diff::Comparison({}), diff::served_by_both(), 0).warm_up();
  std::fflush(stdout);
  prepare(static_cast<std::uint16_t>(kafka.port()), options.programs);
  prepare(static_cast<std::uint16_t>(fake_port), options.programs);
  std::string table =
      "| program | connections | requests | differ | of these allowed |\n|---|--:|--:|--:|--:|\n";
  bool any = false;
  bool good = true;
  for (const std::string& program : options.programs) {
    const Seen with_real = watch(program, "real", kafka.port(), options);
    if (with_real.code == kSkip) continue;
    const Seen with_fake = watch(program, "fake", fake_port, options);
    if (with_real.code != 0 || with_fake.code != 0) throw std::runtime_error(program + " failed");
    any = true;
    const auto one = traces_of(with_real.log);
    const auto other = traces_of(with_fake.log);
    if (options.show) show(program, one, other);
    const Compared compared = compare(program, one, other, rules);
    good = tell(program, compared) && good;
    table += row(program, compared);
  }
  if (!any) return kSkip;
  std::printf("%s", table.c_str());
  return good ? 0 : 1;
}

}  // namespace
}  // namespace ktrial::harness::traces

int main(int count, char** words) {
  using namespace ktrial::harness::traces;
  try {
    return run(options_of(count, words));
  } catch (const std::invalid_argument& usage) {
    std::fputs(usage.what(), stderr);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/differential/engine.h"

#include "fakebroker/differential/message_codecs.h"
#include "protocol/api_info.h"
#include "protocol/errors.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

namespace ktrial::fakebroker::differential {
namespace {

using boost::json::object;
using boost::json::value;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{1'500};
constexpr milliseconds kSetUpPatience{20'000};  // several JVMs on a busy machine
constexpr const char* kSetUp = "engine@";       // the connections that no step uses
constexpr milliseconds kPause{25};
constexpr int kTries = 200;

std::string name_of(std::int16_t key) {
  const auto* const info = protocol::find_api(key);
  return info == nullptr ? "API " + std::to_string(key) : std::string(info->name);
}

// True if any error in the answer says: later.
bool says_later(const value& answer) {
  using protocol::code;
  using enum protocol::KafkaError;
  static const std::set<std::int64_t> codes{
      code(kCoordinatorLoadInProgress), code(kCoordinatorNotAvailable), code(kNotCoordinator),
      code(kConcurrentTransactions),    code(kUnstableOffsetCommit),    code(kLeaderNotAvailable)};
  if (const auto* const elements = answer.if_array())
    return std::ranges::any_of(*elements, says_later);
  const auto* const members = answer.if_object();
  if (members == nullptr) return false;
  return std::ranges::any_of(*members, [](const auto& member) {
    const value& content = member.value();
    if (content.is_structured()) return says_later(content);
    return member.key() == "errorCode" && content.is_int64() && codes.contains(content.get_int64());
  });
}

[[noreturn]] void refuse(const std::string& what) { throw std::runtime_error(what); }

}  // namespace

const ServedApi* Engine::find(std::int16_t key) const {
  const auto found = std::ranges::find(apis_, key, &ServedApi::key);
  return found == apis_.end() ? nullptr : &*found;
}

std::int16_t Engine::version_of(const Step& step, const Conversation& in, int index) const {
  const ServedApi* const api = find(step.key);
  if (step.version || api == nullptr) return step.version.value_or(0);
  if (std::ranges::find(in.varied, step.key) == in.varied.end()) return api->versions.max;
  const int first = std::max(api->versions.min, in.versions.min);
  const int last = std::min(api->versions.max, in.versions.max);
  return static_cast<std::int16_t>(std::min(first + index, last));
}

void Engine::warm_up() {
  using boost::json::array;
  // What auto-creates the coordinators' topics, and shows that they serve.
  const value group{{"keyType", "0"}, {"coordinatorKeys", array{"warm-up"}}};
  const value transaction{{"keyType", "1"}, {"coordinatorKeys", array{"warm-up"}}};
  for (Side& side : sides_) {
    for (const auto& [api, body] : {std::pair{"FindCoordinator", group},
                                    {"FindCoordinator", transaction},
                                    {"InitProducerId", value{{"transactionalId", "warm-up"},
                                                             {"transactionTimeoutMs", "1000"}}},
                                    {"OffsetCommit", value{{"groupId", "warm-up"}}},
                                    {"DescribeGroups", value{{"groups", array{"warm-up"}}}}}) {
      for (int left = kTries; says_later(ask(side, api, body)) && left > 0; --left) {
        std::this_thread::sleep_for(kPause * 4);
      }
    }
  }
}

void Engine::hold(const Conversation& conversation) {
  int runs = 0;
  for (const std::int16_t key : conversation.varied) {
    const ServedApi* const api = find(key);
    if (api == nullptr) refuse(conversation.name + ": the fake does not offer " + name_of(key));
    const int first = std::max(api->versions.min, conversation.versions.min);
    const int last = std::min(api->versions.max, conversation.versions.max);
    runs = std::max(runs, last - first + 1);
  }
  for (int index = 0; index < runs; ++index) hold_in(conversation, index);
}

void Engine::hold_in(const Conversation& conversation, int index) {
  ++run_;
  names_ = {};
  names_.conversation = conversation.name;
  sent_.clear();
  const auto now =
      std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  for (Side& side : sides_) {
    side.variables = Variables(run_);
    side.variables.set("now", std::to_string(now.count()));
    side.peer.close_all();
  }
  create_topics(conversation.topics);
  const Step subject{.key = conversation.varied.front()};
  const std::int16_t varied = version_of(subject, conversation, index);
  int number = 0;
  for (const Step& step : conversation.steps) {
    where_ =
        conversation.name + " v" + std::to_string(varied) + " step " + std::to_string(++number);
    if (!step.only.has(varied)) continue;
    take(step, version_of(step, conversation, index));
  }
  delete_topics(conversation.topics);
}

value Engine::ask(Side& side, const std::string& api, const value& body, int broker) {
  const auto* const info = protocol::find_api(std::string_view(api));
  Step step{.key = info->key, .body = body, .connection = kSetUp + std::to_string(broker)};
  const ServedApi* const served = find(info->key);
  return call(side, step, served->versions.max);
}

// True once each of the partitions has a broker that says where its log ends.
bool Engine::all_served(Side& side, const boost::json::array& topics) {
  std::set<std::string> silent;
  for (int broker = 1; broker <= side.peer.brokers(); ++broker) {
    const object body{{"topics", topics}, {"replicaId", "-1"}};
    const value seen = ask(side, "ListOffsets", body, broker);
    if (!seen.is_object()) return false;
    std::set<std::string> refused;
    for (const value& topic : seen.at("topics").as_array()) {
      for (const value& partition : topic.at("partitions").as_array()) {
        const std::string at =
            boost::json::serialize(topic.at("name")) + serialize(partition.at("partitionIndex"));
        if (partition.at("errorCode") != 0) refused.insert(at);
      }
    }
    if (broker == 1) silent = refused;
    std::erase_if(silent, [&](const std::string& at) { return !refused.contains(at); });
  }
  return silent.empty();
}

void Engine::create_topics(const object& topics) {
  if (topics.empty()) return;
  for (Side& side : sides_) {
    boost::json::array wanted;
    boost::json::array named;
    for (const auto& [name, written] : topics) {
      object topic{{"name", name}, {"replicationFactor", "1"}, {"numPartitions", "1"}};
      int count = 0;
      if (const auto* const detail = written.if_object()) {
        if (const auto* const settings = detail->if_contains("configs")) {
          boost::json::array configs;
          for (const auto& [key, setting] : settings->as_object()) {
            configs.push_back(object{{"name", key}, {"value", setting}});
          }
          topic["configs"] = configs;
        }
        if (const auto* const replicas = detail->if_contains("replicas")) {
          boost::json::array assignments;
          for (const auto& of_one : replicas->as_array()) {
            assignments.push_back(
                object{{"partitionIndex", std::to_string(count++)}, {"brokerIds", of_one}});
          }
          topic["assignments"] = assignments;
          topic["numPartitions"] = topic["replicationFactor"] = "-1";
        } else {
          topic["numPartitions"] = detail->at("partitions");
        }
      } else {
        topic["numPartitions"] = written;
      }
      wanted.push_back(topic);
      if (count == 0) count = std::stoi(std::string(topic["numPartitions"].as_string()));
      boost::json::array partitions;
      for (int i = count; i-- > 0;) {
        partitions.push_back(object{{"partitionIndex", std::to_string(i)}, {"timestamp", "-1"}});
      }
      named.push_back(object{{"name", name}, {"partitions", partitions}});
    }
    const value made = ask(side, "CreateTopics", object{{"topics", wanted}, {"timeoutMs", "5000"}});
    // The brokers learn of what the controller made a moment later, and their leaders serve after
    // that.
    for (int left = kTries; left > 0 && !all_served(side, named); --left) {
      if (left == 1) refuse("topics not made: " + boost::json::serialize(made));
      std::this_thread::sleep_for(kPause);
    }
    if (!made.is_object()) refuse("topics not made: " + boost::json::serialize(made));
    for (const value& topic : made.at("topics").as_array()) {
      const std::string name(topic.at("name").as_string());
      const std::string plain = name.substr(0, name.rfind('-'));
      side.variables.set(plain + "@.id", std::string(topic.at("topicId").as_string()));
    }
  }
}

void Engine::delete_topics(const object& topics) {
  if (topics.empty()) return;
  boost::json::array names;
  for (const auto& topic : topics) names.push_back(object{{"name", topic.key()}});
  for (Side& side : sides_) {
    ask(side, "DeleteTopics", object{{"topics", names}, {"timeoutMs", "5000"}});
  }
}

void Engine::send(Side& side, const Step& step, std::int16_t version) {
  std::vector<std::uint8_t> bytes;
  if (step.raw) {
    bytes = *step.raw;
  } else {
    const auto body = side.variables.put_into(step.body);
    if (!body) refuse(where_ + ": " + body.error().to_string());
    auto encoded = encode_request(step.key, version, body->as_object());
    if (!encoded) refuse(where_ + ": " + encoded.error().to_string());
    bytes = std::move(*encoded);
  }
  bytes.insert(bytes.end(), step.trailing.begin(), step.trailing.end());
  side.peer.send(step.connection, {step.key, version, bytes});
}

value Engine::receive(Side& side, const Step& step, std::int16_t version) {
  const bool sets_up = step.connection.starts_with(kSetUp);
  const Received received =
      side.peer.receive(step.connection, sets_up ? kSetUpPatience : kPatience);
  if (received.kind == Received::Kind::kClosed) return value("(closed)");
  if (received.kind == Received::Kind::kSilence) return value("(no answer)");
  auto shown = show_response(step.key, version, received.body);
  if (!shown) return value("(unreadable: " + shown.error().to_string() + ")");
  return std::move(*shown);
}

value Engine::call(Side& side, const Step& step, std::int16_t version) {
  send(side, step, version);
  return receive(side, step, version);
}

void Engine::take(const Step& step, std::int16_t version) {
  if (step.pause_ms > 0) std::this_thread::sleep_for(milliseconds(step.pause_ms));
  if (step.await) {
    const Sent sent = sent_.at(*step.await);
    const value real = receive(sides_[0], *sent.step, sent.version);
    count(*sent.step, sent.version, real, receive(sides_[1], *sent.step, sent.version));
    return;
  }
  if (step.key < 0) return;
  if (step.answered && !step.later) return exchange(step, version);
  for (Side& side : sides_) send(side, step, version);
  if (!step.later) return;
  // What is to be waiting at the broker has arrived there before the next step.
  std::this_thread::sleep_for(kPause * 4);
  sent_[step.connection] = {&step, version};
}

void Engine::exchange(const Step& step, std::int16_t version) {
  std::array<value, 2> answers;
  const bool once = !step.retry && !step.eventually;
  for (int left = once ? 1 : kTries; left > 0; --left) {
    for (std::size_t i = 0; i < 2; ++i) {
      if (step.retry && !answers.at(i).is_null() && !says_later(answers.at(i))) continue;
      answers.at(i) = call(sides_[i], step, version);
    }
    if (step.eventually) {
      Names names = names_;
      if (compared(step, answers[0], answers[1], names).differences.empty()) break;
      left -= kTries / 40;  // two hundred tries are for coordinators that start
    } else if (!says_later(answers[0]) && !says_later(answers[1])) {
      break;
    }
    std::this_thread::sleep_for(kPause);
  }
  count(step, version, answers[0], answers[1]);
}

Compared Engine::compared(const Step& step, const value& real, const value& fake,
                          Names& names) const {
  return comparison_.compare(name_of(step.key), real, fake, names);
}

void Engine::count(const Step& step, std::int16_t version, const value& real, const value& fake) {
  if (tell_) {
    tell_(where_ + " " + name_of(step.key) + " v" + std::to_string(version) + "\n  real " +
          boost::json::serialize(real) + "\n  fake " + boost::json::serialize(fake));
  }
  const std::string conversation = where_.substr(0, where_.find(' '));
  const ServedApi* const api = find(step.key);
  const bool served = api != nullptr && api->versions.has(version);
  figures_.add({name_of(step.key), version, conversation, where_, served},
               compared(step, real, fake, names_));
  for (const auto& [variable, path] : step.save) {
    for (const auto& [side, answer] : {std::pair{&sides_[0], &real}, {&sides_[1], &fake}}) {
      if (auto found = value_at(*answer, path)) side->variables.set(variable, std::move(*found));
    }
  }
}

}  // namespace ktrial::fakebroker::differential

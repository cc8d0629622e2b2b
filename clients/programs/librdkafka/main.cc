// SPDX-License-Identifier: Apache-2.0
// librdkafka: both group protocols, and a transaction that is aborted and one that commits.
#include "member.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <stdexcept>

namespace program {
namespace {

constexpr int kPartitions = 6;
constexpr int kWave = 100;  // records per partition
constexpr int kShort = 20;  // of the short flow
constexpr std::chrono::seconds kPatience{60};
using SteadyClock = std::chrono::steady_clock;
using Members = std::vector<Member*>;

std::string text(int partition, int number) {
  std::string value = std::to_string(partition) + ':' + std::to_string(number) + ':';
  value.resize(100, 'x');
  return value;
}

// Sees each record once, and a partition's records in order.
class Witness {
 public:
  std::vector<Row> wave(int count) {
    std::vector<Row> rows;
    for (int i = 0; i < count; ++i) {
      for (int p = 0; p < kPartitions; ++p)
        rows.push_back({p, text(p, produced_[static_cast<std::size_t>(p)]++)});
    }
    return rows;
  }
  [[nodiscard]] bool has_all() const { return seen_ == produced_; }
  [[nodiscard]] int total() const {
    int sum = 0;
    for (const int n : seen_) sum += n;
    return sum;
  }
  // Polls the members in turn; returns how many records each of them read.
  std::vector<int> until(const std::function<bool()>& done, const std::string& what,
                         const Members& members) {
    std::vector<int> counts(members.size());
    const auto deadline = SteadyClock::now() + kPatience;
    while (!done()) {
      if (SteadyClock::now() > deadline)
        throw std::runtime_error("not in time: " + what + "; seen " + std::to_string(total()));
      for (std::size_t i = 0; i < members.size(); ++i) {
        for (const Row& row : members[i]->poll()) {
          saw(row);
          ++counts[i];
        }
      }
    }
    return counts;
  }
  std::vector<int> until_all(const std::string& what, const Members& members) {
    return until([this] { return has_all(); }, what, members);
  }

 private:
  void saw(const Row& row) {
    const std::string expected =
        text(row.partition, seen_[static_cast<std::size_t>(row.partition)]++);
    if (row.value != expected)
      throw std::runtime_error("expected " + expected + ", got " + row.value);
  }

  std::array<int, kPartitions> produced_{}, seen_{};
};

bool shared(const Members& members) {
  std::vector<int> all;
  for (const Member* const member : members) {
    const std::vector<int> share = member->assignment();
    if (share.empty()) return false;
    all.insert(all.end(), share.begin(), share.end());
  }
  std::ranges::sort(all);
  return all == std::vector<int>{0, 1, 2, 3, 4, 5};
}

class Program {
 public:
  explicit Program(std::string bootstrap) : bootstrap_(std::move(bootstrap)) {}

  void group(const std::string& topic, const std::string& protocol, const std::string& codec) {
    const auto started = SteadyClock::now();
    Witness witness;
    produce(topic, codec, witness.wave(kWave));
    Member first = join(topic, topic + "-group", protocol);
    witness.until_all("the first wave", {&first});
    first.commit();
    Member second = join(topic, topic + "-group", protocol);
    const Members both{&first, &second};
    witness.until([&] { return shared(both); }, "the second member's share", both);
    produce(topic, codec, witness.wave(kWave));
    const std::vector<int> counts = witness.until_all("the second wave", both);
    if (counts[0] == 0 || counts[1] == 0) throw std::runtime_error("one member read nothing");
    for (Member* const member : both) {
      member->commit();
      member->close();
    }
    produce(topic, codec, witness.wave(1));
    Member third = join(topic, topic + "-group", protocol);
    witness.until_all("the third wave", {&third});
    third.close();
    const std::chrono::duration<double> took = SteadyClock::now() - started;
    std::printf("%s, %s: %d records, rebalanced %d+%d, %.1f s\n", protocol.c_str(), codec.c_str(),
                witness.total(), counts[0], counts[1], took.count());
  }

  // One member reads it all, commits and closes.
  void group_of_one(const std::string& topic, const std::string& protocol) {
    Witness witness;
    produce(topic, "none", witness.wave(kShort));
    Member member = join(topic, topic + "-group", protocol);
    witness.until_all("the records", {&member});
    member.commit();
    member.close();
    std::printf("%s: %d records\n", topic.c_str(), witness.total());
  }

  void transactions(const std::string& topic) {
    Witness witness;
    const Handle producer = open(
        RD_KAFKA_PRODUCER, {{"bootstrap.servers", bootstrap_}, {"transactional.id", "librdkafka"}});
    check(rd_kafka_init_transactions(producer.get(), 30'000));
    check(rd_kafka_begin_transaction(producer.get()));
    std::vector<Row> undone;
    for (int p = 0; p < kPartitions; ++p) undone.push_back({p, "never to be read"});
    send(producer.get(), topic, undone);
    check(rd_kafka_abort_transaction(producer.get(), 30'000));
    check(rd_kafka_begin_transaction(producer.get()));
    send(producer.get(), topic, witness.wave(kWave));
    check(rd_kafka_commit_transaction(producer.get(), 30'000));
    Member reader = join(topic, "committed", "classic");  // read_committed is its default
    witness.until_all("the committed records", {&reader});
    reader.close();
    std::printf("transactions: %d records committed, %d aborted\n", witness.total(), kPartitions);
  }

 private:
  void produce(const std::string& topic, const std::string& codec,
               const std::vector<Row>& rows) const {
    const Handle producer =
        open(RD_KAFKA_PRODUCER, {{"bootstrap.servers", bootstrap_}, {"compression.type", codec}});
    send(producer.get(), topic, rows);
  }
  [[nodiscard]] Member join(const std::string& topic, const std::string& group,
                            const std::string& protocol) const {
    return Member(topic, {{"bootstrap.servers", bootstrap_},
                          {"group.id", group},
                          {"group.protocol", protocol},
                          {"enable.auto.commit", "false"},
                          {"auto.offset.reset", "earliest"}});
  }

  std::string bootstrap_;
};

}  // namespace
}  // namespace program

int main(int count, char** arguments) {
  try {
    program::Program run(arguments[1]);
    std::printf("librdkafka %s\n", rd_kafka_version_str());
    if (count > 2) {  // the short flow, on topics of this prefix
      const std::string prefix = arguments[2];
      run.group_of_one(prefix + "-classic", "classic");
      run.group_of_one(prefix + "-consumer", "consumer");
      run.transactions(prefix + "-transactions");
      return 0;
    }
    run.group("classic", "classic", "gzip");
    run.group("consumer", "consumer", "zstd");
    run.transactions("transactions");
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/differential/generated.h"

#include "fakebroker/differential/message_codecs.h"

#include <set>

namespace ktrial::fakebroker::differential {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes empty_request(std::int16_t key, std::int16_t version) {
  return encode_request(key, version, {}).value();
}

Step raw(std::int16_t key, std::int16_t version, Bytes bytes) {
  Step step{.key = key};
  step.version = version;
  step.raw = std::move(bytes);
  return step;
}

Bytes shorter(Bytes bytes) {
  if (!bytes.empty()) bytes.pop_back();
  return bytes;
}

Bytes longer(Bytes bytes) {
  bytes.insert(bytes.end(), {0, 1, 2});
  return bytes;
}

class Maker {
 public:
  explicit Maker(const ServedApi& api) : api_(api) {}

  Conversation of(const std::string& what, Bytes (*make)(std::int16_t, std::int16_t)) {
    Conversation made = named(what);
    for (std::int16_t v = api_.versions.min; v <= api_.versions.max; ++v) {
      made.steps.push_back(raw(api_.key, v, make(api_.key, v)));
    }
    return made;
  }
  Conversation unsupported() {
    Conversation made = named("unsupported");
    for (const int version : {api_.versions.min - 1, api_.versions.max + 1, 99, -1}) {
      const auto v = static_cast<std::int16_t>(version);
      // A rejected version's body is never looked at.
      made.steps.push_back(raw(api_.key, v, empty_request(api_.key, v)));
    }
    return made;
  }

 private:
  // All versions are in the steps: said once.
  Conversation named(const std::string& what) {
    Conversation made;
    made.name = "generated-" + what;
    made.varied = {api_.key};
    made.versions = {api_.versions.min, api_.versions.min};
    return made;
  }
  const ServedApi& api_;
};

}  // namespace

std::vector<Conversation> generated_conversations(const std::vector<ServedApi>& apis) {
  std::vector<Conversation> all;
  for (const ServedApi& api : apis) {
    Maker maker(api);
    all.push_back(maker.of("empty", &empty_request));
    all.push_back(
        maker.of("filled", [](auto key, auto v) { return filled_request(key, v, false); }));
    all.push_back(maker.of("nulls", [](auto key, auto v) { return filled_request(key, v, true); }));
    all.push_back(
        maker.of("short", [](auto key, auto v) { return shorter(empty_request(key, v)); }));
    all.push_back(maker.of("long", [](auto key, auto v) { return longer(empty_request(key, v)); }));
    all.push_back(maker.unsupported());
  }
  return all;
}

}  // namespace ktrial::fakebroker::differential

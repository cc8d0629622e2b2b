// SPDX-License-Identifier: Apache-2.0
// What the analyser's tests share: two endpoints, small Kafka frames, and questions to a log.
#pragma once

#include "capture/synth.h"

#include <string>
#include <string_view>
#include <vector>

namespace ktrial::capture {

inline const Endpoint kClientAt = Endpoint::v4(0x7f000001, 40112);
inline const Endpoint kBrokerAt = Endpoint::v4(0x7f010001, 9092);

// ApiVersions v0 has an empty request body, so its frames need no codec.
inline synth::Bytes ask(std::int32_t correlation_id, std::string_view client_id = "c1") {
  return synth::request(18, 0, correlation_id, client_id, {});
}
inline synth::Bytes answer(std::int32_t correlation_id) {
  return synth::response(correlation_id, {0, 0, 0, 0, 0, 0});
}

inline std::vector<std::string> types(const EventLog& log) {
  std::vector<std::string> out;
  for (const Event& event : log.events) out.push_back(event.type);
  return out;
}

inline std::size_t count(const EventLog& log, std::string_view type) {
  std::size_t n = 0;
  for (const Event& event : log.events) n += event.type == type ? 1U : 0U;
  return n;
}

inline const Event* find(const EventLog& log, std::string_view type, std::size_t nth = 0) {
  for (const Event& event : log.events)
    if (event.type == type && nth-- == 0) return &event;
  return nullptr;
}

}  // namespace ktrial::capture

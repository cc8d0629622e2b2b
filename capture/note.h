// SPDX-License-Identifier: Apache-2.0
// Notes: what the harness knows (marks, driver calls, broker actions, host stalls), sent as small
// UDP datagrams over the captured interface so that the kernel's clock stamps them like every
// packet, and each one proves that the capture was alive. The destination is the discard port
// (RFC 863); the payload is one JSON object with "e" = the event type. Longer payloads are split
// by the sender over "part"/"parts" members and joined by the analyser.
#pragma once

#include <cstdint>

namespace ktrial::capture {

inline constexpr std::uint16_t kNotePort = 9;

}  // namespace ktrial::capture

// SPDX-License-Identifier: Apache-2.0
// The primitives' and combinators' readers, one source file each; registry.cc lists them.
#pragma once

#include "harness/check/check.h"

namespace ktrial::harness {

CheckPointer read_count(Reader& reader, const Node& node, bool info);
CheckPointer read_order(Reader& reader, const Node& node, bool info);
CheckPointer read_gap(Reader& reader, const Node& node, bool info);
CheckPointer read_series(Reader& reader, const Node& node, bool info);
CheckPointer read_value(Reader& reader, const Node& node, bool info);
CheckPointer read_closer(Reader& reader, const Node& node, bool info);
CheckPointer read_stat(Reader& reader, const Node& node, bool info);

CheckPointer read_all(Reader& reader, const Node& node, bool info);
CheckPointer read_any(Reader& reader, const Node& node, bool info);
CheckPointer read_not(Reader& reader, const Node& node, bool info);
// Wraps what stands beside `each` in a check's map.
CheckPointer read_each(Reader& reader, const Node& each, const Node& body, bool info);

// Sugar: expands to count, order and gap.
CheckPointer read_never(Reader& reader, const Node& node, bool info);
CheckPointer read_once(Reader& reader, const Node& node, bool info);
CheckPointer read_before(Reader& reader, const Node& node, bool info);
CheckPointer read_within(Reader& reader, const Node& node, bool info);

}  // namespace ktrial::harness

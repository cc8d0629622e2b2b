// SPDX-License-Identifier: Apache-2.0
// What the generated message headers are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/slice.h"
#include "protocol/codec.h"
#include "protocol/uuid.h"

namespace ktrial::protocol {

// Tagged fields that this build's schema does not know (KIP-482): kept, and sent on.
struct UnknownTags {
  struct Tag {
    std::uint32_t number = 0;
    Slice data;
    bool operator==(const Tag&) const = default;
  };
  std::vector<Tag> tags;
  bool operator==(const UnknownTags&) const = default;
};

// What a struct without tagged fields of its own passes to a visitor's tagged_fields(): calls
// nothing, and lets visitors have one function for all such structs.
struct NoTaggedFields {
  template <class Visit>
  void operator()(Visit&&) const {}
};

}  // namespace ktrial::protocol

// SPDX-License-Identifier: Apache-2.0
// What a schema file says (docs/wire-codec.md has the notation).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ktrial::codegen {

inline constexpr int kMaxVersion = 32767;

struct VersionRange {
  int min = 0;
  int max = kMaxVersion;
  [[nodiscard]] bool contains(const VersionRange& other) const {
    return min <= other.min && max >= other.max;
  }
  bool operator==(const VersionRange&) const = default;
};

struct Field {
  std::string name;                       // as Kafka spells it: ThrottleTimeMs
  std::string type;                       // int32, string, ..., or a struct's name; of an element for arrays
  bool is_array = false;
  bool is_struct = false;
  VersionRange versions;
  std::optional<VersionRange> nullable;
  std::optional<int> tag;
  VersionRange tagged;                    // meaningful if tag is set
  bool inflexible = false;                // never compact (the header's client id)
  std::string default_value;              // as written; "" if none
  std::string entity;
  int line = 0;                           // where its name stands
  std::size_t column = 0;
};

struct Struct {
  std::string name;
  std::vector<Field> fields;
};

struct Message {
  std::string name;                       // MetadataRequest
  std::optional<int> api_key;
  VersionRange valid;
  std::optional<VersionRange> flexible;
  bool latest_unstable = false;
  std::vector<Struct> structs;            // each before those that use it
  std::vector<Field> fields;
};

struct Schema {
  std::string api;                        // "Metadata", or "" for a data message
  std::optional<int> key;
  std::vector<Message> messages;
};

}  // namespace ktrial::codegen

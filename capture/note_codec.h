// SPDX-License-Identifier: Apache-2.0
// Notes as datagram payloads (note.h): one JSON object each; a longer one is cut into datagrams
// {"e","note":n,"part":i,"parts":k,"text":"..."} whose texts joined are the object's JSON.
#pragma once

#include "common/result.h"

#include <boost/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::capture {

// Payloads of at most about `limit` bytes each; `number` tells the parts of one note from
// another's.
std::vector<std::string> encode_note(const boost::json::object& note, std::uint64_t number,
                                     std::size_t limit);

// Joins parts. Notes come complete or not at all; the memory for incomplete ones is bounded.
class NoteDecoder {
 public:
  // `sender` tells the part numbers of several senders apart. nullopt: a part of a note whose
  // other parts have yet to come.
  Result<std::optional<boost::json::object>> datagram(std::string_view sender,
                                                      std::string_view payload);
  [[nodiscard]] std::size_t incomplete() const { return partial_.size(); }

 private:
  struct Partial {
    std::vector<std::optional<std::string>> texts;
    std::size_t have = 0;
  };
  Result<std::optional<boost::json::object>> part(const std::string& key, std::int64_t part,
                                                  std::int64_t parts, std::string_view text);

  std::map<std::string, Partial> partial_;
};

}  // namespace ktrial::capture

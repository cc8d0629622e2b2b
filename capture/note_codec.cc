// SPDX-License-Identifier: Apache-2.0
#include "capture/note_codec.h"

#include <algorithm>

namespace ktrial::capture {

namespace {

constexpr std::int64_t kMaxParts = 4096;
constexpr std::size_t kMaxIncomplete = 64;

Result<boost::json::object> parse_object(std::string_view text) {
  boost::system::error_code error;
  boost::json::value value = boost::json::parse(text, error);
  if (error) return fail(Errc::kMalformed, "note is no JSON: " + error.message());
  if (!value.is_object()) return fail(Errc::kMalformed, "note is no JSON object");
  return std::move(value.get_object());
}

// The end of the chunk that starts at `from`: not inside a UTF-8 character.
std::size_t chunk_end(std::string_view text, std::size_t from, std::size_t limit) {
  std::size_t end = std::min(text.size(), from + limit);
  while (end < text.size() && end > from + 1 &&
         (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U)
    --end;
  return end;
}

}  // namespace

std::vector<std::string> encode_note(const boost::json::object& note, std::uint64_t number,
                                     std::size_t limit) {
  std::string whole = boost::json::serialize(note);
  if (whole.size() <= limit) return {std::move(whole)};
  // Quotes and backslashes double inside a JSON string, hence half the room.
  const std::size_t room = std::max<std::size_t>(limit / 2, 256) - 128;
  std::vector<std::string_view> texts;
  for (std::size_t from = 0; from < whole.size();) {
    const std::size_t end = chunk_end(whole, from, room);
    texts.push_back(std::string_view(whole).substr(from, end - from));
    from = end;
  }
  std::vector<std::string> datagrams;
  const auto* type = note.if_contains("e");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    boost::json::object part;
    if (type != nullptr) part["e"] = *type;
    part["note"] = number;
    part["part"] = i + 1;
    part["parts"] = texts.size();
    part["text"] = texts[i];
    datagrams.push_back(boost::json::serialize(part));
  }
  return datagrams;
}

Result<std::optional<boost::json::object>> NoteDecoder::datagram(std::string_view sender,
                                                                 std::string_view payload) {
  auto parsed = parse_object(payload);
  if (!parsed) return tl::unexpected<Error>(parsed.error());
  boost::json::object& note = *parsed;
  const auto integer = [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto* value = note.if_contains(name);
    if (value == nullptr || !value->is_int64()) return std::nullopt;
    return value->get_int64();
  };
  const auto number = integer("note");
  const auto at = integer("part");
  const auto parts = integer("parts");
  const auto* text = note.if_contains("text");
  if (!number || !at || !parts || text == nullptr || !text->is_string())
    return std::optional<boost::json::object>(std::move(note));
  return part(std::string(sender) + "#" + std::to_string(*number), *at, *parts,
              std::string_view(text->get_string()));
}

Result<std::optional<boost::json::object>> NoteDecoder::part(const std::string& key,
                                                             std::int64_t part, std::int64_t parts,
                                                             std::string_view text) {
  if (parts < 1 || parts > kMaxParts || part < 1 || part > parts)
    return fail(Errc::kMalformed, "note part " + std::to_string(part) + " of " +
                                      std::to_string(parts) + " cannot be");
  const auto count = static_cast<std::size_t>(parts);
  if (!partial_.contains(key) && partial_.size() >= kMaxIncomplete)
    partial_.erase(partial_.begin());
  Partial& partial = partial_[key];
  if (partial.texts.empty()) partial.texts.resize(count);
  if (partial.texts.size() != count)
    return fail(Errc::kMalformed, "parts of one note disagree about their number");
  auto& slot = partial.texts[static_cast<std::size_t>(part - 1)];
  if (slot) return std::optional<boost::json::object>();
  slot.emplace(text);
  if (++partial.have < count) return std::optional<boost::json::object>();
  std::string whole;
  for (const auto& piece : partial.texts) whole += *piece;
  partial_.erase(key);
  auto parsed = parse_object(whole);
  if (!parsed) return tl::unexpected<Error>(parsed.error());
  return std::optional<boost::json::object>(std::move(*parsed));
}

}  // namespace ktrial::capture

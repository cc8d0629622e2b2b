// SPDX-License-Identifier: Apache-2.0
#include "protocol/decoder.h"

namespace ktrial::protocol {

void Decoder::tagged_fields(UnknownTags& unknown, NoTaggedFields) {
  if (!flexible_ || reader_.failed()) return;
  for (std::uint64_t left = reader_.uvarint(); left > 0 && !reader_.failed(); --left) {
    const Tag tag = read_tag();
    keep(tag, unknown);
  }
}

Decoder::Tag Decoder::read_tag() {
  const std::uint64_t number = reader_.uvarint();
  if (number > UINT32_MAX) reader_.set_error(Errc::kMalformed, "tag " + std::to_string(number) + " has more than 32 bits");
  return {static_cast<std::uint32_t>(number), static_cast<std::size_t>(reader_.uvarint())};
}

void Decoder::leave_tag(std::string_view name, std::size_t outer_end) {
  if (!reader_.failed() && reader_.remaining() != 0) {
    reader_.set_error(Errc::kMalformed, std::to_string(reader_.remaining()) + " bytes left in the tagged field");
    note(name);
  }
  reader_.leave(outer_end);
}

void Decoder::keep(const Tag& tag, UnknownTags& unknown) {
  Slice data = reader_.slice(tag.size);
  if (!reader_.failed()) unknown.tags.push_back({tag.number, std::move(data)});
}

void Decoder::note(std::string_view name) {
  const bool joined = fault_path_.empty() || fault_path_[0] == '[';
  fault_path_.insert(0, std::string(name) + (joined ? "" : "."));
}

void Decoder::note_index(std::size_t index) {
  fault_path_.insert(0, "[" + std::to_string(index) + "]" + (fault_path_.empty() ? "" : "."));
}

std::int64_t Decoder::short_length() {
  if (flexible_) return static_cast<std::int64_t>(reader_.uvarint()) - 1;
  return reader_.integer<std::int16_t>();
}

std::int64_t Decoder::long_length() {
  if (flexible_) return static_cast<std::int64_t>(reader_.uvarint()) - 1;
  return reader_.integer<std::int32_t>();
}

bool Decoder::usable(std::int64_t size, std::size_t element_size) {
  if (reader_.failed()) return false;
  if (size >= 0) return reader_.need(static_cast<std::size_t>(size) * element_size);
  reader_.set_error(Errc::kMalformed, size == -1 ? "null where this version allows none" : "length " + std::to_string(size) + " is negative");
  return false;
}

void Decoder::get(Uuid& value, bool) {
  const auto raw = reader_.view(value.bytes.size());
  std::copy(raw.begin(), raw.end(), value.bytes.begin());
}

void Decoder::get(std::string& value, bool) {
  const std::int64_t size = short_length();
  if (!usable(size)) return;
  const auto raw = reader_.view(static_cast<std::size_t>(size));
  value.assign(reinterpret_cast<const char*>(raw.data()), raw.size());
}

void Decoder::get(Slice& value, bool) {
  const std::int64_t size = long_length();
  if (usable(size)) value = reader_.slice(static_cast<std::size_t>(size));
}

void Decoder::get(std::optional<std::string>& value, bool nullable) {
  const std::int64_t size = short_length();
  value.reset();
  if (size == -1 && nullable) return;
  if (!usable(size)) return;
  const auto raw = reader_.view(static_cast<std::size_t>(size));
  value.emplace(reinterpret_cast<const char*>(raw.data()), raw.size());
}

void Decoder::get(std::optional<Slice>& value, bool nullable) {
  const std::int64_t size = long_length();
  value.reset();
  if (size == -1 && nullable) return;
  if (usable(size)) value = reader_.slice(static_cast<std::size_t>(size));
}

}  // namespace ktrial::protocol

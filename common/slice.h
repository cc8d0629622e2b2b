// SPDX-License-Identifier: Apache-2.0
// Slice: an immutable view of bytes that keeps its buffer alive. A produce request's records, a
// log segment and a fetch response share one received frame this way, without copying.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace ktrial {

class Slice {
 public:
  Slice() = default;
  Slice(std::shared_ptr<const void> owner, std::span<const std::uint8_t> view)
      : owner_(std::move(owner)), view_(view) {}

  // Takes over the vector.
  explicit Slice(std::vector<std::uint8_t> bytes) {
    auto held = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
    view_ = *held;
    owner_ = std::move(held);
  }

  static Slice copy_of(std::span<const std::uint8_t> bytes) {
    return Slice(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
  }
  static Slice copy_of(std::string_view text) {
    return copy_of({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  // The caller promises that the bytes outlive the slice and its copies.
  static Slice unowned(std::span<const std::uint8_t> bytes) { return Slice(nullptr, bytes); }

  [[nodiscard]] const std::uint8_t* data() const { return view_.data(); }
  [[nodiscard]] std::size_t size() const { return view_.size(); }
  [[nodiscard]] bool empty() const { return view_.empty(); }
  [[nodiscard]] std::span<const std::uint8_t> span() const { return view_; }
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(view_.data()), view_.size()};
  }
  // The part [offset, offset + length) of this slice, sharing the buffer; clamped to the slice.
  [[nodiscard]] Slice part(std::size_t offset, std::size_t length = SIZE_MAX) const {
    offset = offset < size() ? offset : size();
    length = length < size() - offset ? length : size() - offset;
    return Slice(owner_, view_.subspan(offset, length));
  }
  // Who keeps the bytes alive: a decoder hands it on to the slices it yields.
  [[nodiscard]] const std::shared_ptr<const void>& owner() const { return owner_; }

  friend bool operator==(const Slice& a, const Slice& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
  }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::uint8_t> view_;
};

}  // namespace ktrial

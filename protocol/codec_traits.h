// SPDX-License-Identifier: Apache-2.0
// What kinds of members a generated struct has, for the visitors.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <vector>

namespace ktrial::protocol::detail {

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// A generated struct: it walks its own fields.
template <class T>
concept Struct = requires { &T::unknown_tags; };

}  // namespace ktrial::protocol::detail

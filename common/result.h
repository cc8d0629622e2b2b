// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value or an Error, used wherever a failure is an expected outcome (bad input,
// truncated bytes, a refused connection). Exceptions stay at library boundaries (YAML, CLI) and
// are turned into an Error there.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ktrial {

enum class Errc : std::uint8_t {
  kInvalidArgument,  // a caller, option or file asks for something that cannot be
  kTruncated,        // bytes end before the value does
  kMalformed,        // bytes are there and cannot be what they claim
  kUnsupported,      // an API, version, codec or feature this build does not know
  kTooLarge,         // a claimed size beyond a limit; nothing was allocated for it
  kNotFound,
  kIo,  // the operating system said no; message carries strerror
  kTimeout,
  kPermission,  // rights are missing; message says which and how to get them
  kInternal,    // a fault of ktrial itself
};

std::string_view to_string(Errc code);

// `where` locates the fault: "file.yaml:12:7", "MetadataRequest v9 topics[3].name at byte 88".
struct Error {
  Errc code = Errc::kInternal;
  std::string message;
  std::string where;

  // "where: message", or the message alone.
  [[nodiscard]] std::string to_string() const;
  bool operator==(const Error&) const = default;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Errc code, std::string message, std::string where = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(where)});
}

}  // namespace ktrial

// Returns the error of `result_expression` from the enclosing function. A statement, not a
// statement-expression: those miscompile inside g++ 12 coroutines.
#define KTRIAL_TRY(result_expression)                                                            \
  do {                                                                                           \
    auto&& ktrial_try_result = (result_expression);                                              \
    if (!ktrial_try_result) return ::tl::unexpected<::ktrial::Error>(ktrial_try_result.error()); \
  } while (false)

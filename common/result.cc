// SPDX-License-Identifier: Apache-2.0
#include "common/result.h"

namespace ktrial {

std::string_view to_string(Errc code) {
  switch (code) {
    case Errc::kInvalidArgument:
      return "invalid argument";
    case Errc::kTruncated:
      return "truncated";
    case Errc::kMalformed:
      return "malformed";
    case Errc::kUnsupported:
      return "unsupported";
    case Errc::kTooLarge:
      return "too large";
    case Errc::kNotFound:
      return "not found";
    case Errc::kIo:
      return "i/o error";
    case Errc::kTimeout:
      return "timeout";
    case Errc::kPermission:
      return "permission denied";
    case Errc::kInternal:
      return "internal error";
  }
  return "unknown error";
}

std::string Error::to_string() const { return where.empty() ? message : where + ": " + message; }

}  // namespace ktrial

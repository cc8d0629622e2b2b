// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/uuid.h"

#include <optional>
#include <string_view>

namespace ktrial::protocol {

// The reverse of Uuid::to_string(): 22 letters of unpadded URL-safe base64 (RFC 4648, section 5).
std::optional<Uuid> parse_uuid(std::string_view text);

}  // namespace ktrial::protocol

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "common/result.h"
#include "protocol/codegen/model.h"

namespace ktrial::codegen {

// An Error's `where` is "file:line:column".
Result<Schema> parse_schema(std::string_view text, const std::string& file);

}  // namespace ktrial::codegen

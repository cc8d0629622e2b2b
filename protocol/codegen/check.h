// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/result.h"
#include "protocol/codegen/model.h"

namespace ktrial::codegen {

// What a well-formed schema may still get wrong: unknown types, tags, defaults, recursion, elements
// without bytes. Also puts each struct before those that use it, as C++ needs them.
Result<void> check_and_order(Message& message, const std::string& file);

}  // namespace ktrial::codegen

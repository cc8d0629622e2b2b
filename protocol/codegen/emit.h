// SPDX-License-Identifier: Apache-2.0
// Writes the C++ of a schema: plain structs, each with one fields() function that every visitor
// (encoder, decoder, JSON, test fill) walks.
#pragma once

#include <string>
#include <vector>

#include "protocol/codegen/model.h"

namespace ktrial::codegen {

std::string emit_header(const Message& message);
// The .cc of a schema file: the visitors instantiated for its messages.
std::string emit_source(const Schema& schema);
// api_table.cc: one row per API.
std::string emit_api_table(const std::vector<Schema>& schemas);
// all_messages.h: every header, and a list macro for tests over all messages.
std::string emit_all_messages(const std::vector<Schema>& schemas);

}  // namespace ktrial::codegen

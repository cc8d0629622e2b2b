// SPDX-License-Identifier: Apache-2.0
// Expressions inside ${...}: numbers, durations, comparisons, ?:, ??, && || !, + - * / %, min and
// max, names of axes, vars, let values, profile.x.y. A word that names nothing is text, but only
// where a word can be meant: beside == or !=, and as a result of ?: . Nothing has side effects,
// so both results of ?: are evaluated and a fault in either is told.
#pragma once

#include "harness/scenario/scope.h"
#include "harness/scenario/value.h"

#include <tl/expected.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace ktrial::harness {

struct ExpressionError {
  std::size_t offset = 0;  // bytes into the text
  std::string message;
};

tl::expected<Value, ExpressionError> evaluate(std::string_view expression, const Scope& scope);

// Text with ${...} in it. A text that is one ${...} keeps its value's type, another becomes text;
// without ${ it is what it looks like (value_of_text).
tl::expected<Value, ExpressionError> interpolate(std::string_view text, const Scope& scope);
bool has_expression(std::string_view text);

}  // namespace ktrial::harness

// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/expression.h"

#include "harness/scenario/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace ktrial::harness {

namespace {

// A value on its way up, with what the checks of words need.
struct Term {
  Value value = Unknown{};
  std::string axis;   // it is this axis, nothing else
  bool word = false;  // a name that means nothing yet: text, if a word may stand here
  std::size_t at = 0;
};

struct Fault {
  ExpressionError error;
};

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<double> as_number(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

class Parser {
 public:
  Parser(std::string_view text, const Scope& scope) : text_(text), scope_(scope) {}

  // Throws Fault; evaluate() turns it into an ExpressionError.
  Value run() {
    Term result = ternary();
    blanks();
    if (at_ < text_.size())
      refuse(at_,
             "unexpected '" + std::string(text_.substr(at_, 1)) + "'; an operator was expected");
    need_known_name(result);
    return result.value;
  }

 private:
  [[noreturn]] static void refuse(std::size_t at, std::string message) {
    throw Fault{{at, std::move(message)}};
  }
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(std::string_view token) {
    blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  [[nodiscard]] bool next_is(std::string_view token) {
    blanks();
    return text_.substr(at_).starts_with(token);
  }

  Term ternary() {
    if (++depth_ > kDeepest) refuse(at_, "too many levels of nesting");
    Term condition = fallback();
    if (!next_is("??") && take("?")) {
      need_known_name(condition);
      Term yes = ternary();
      if (!take(":")) refuse(at_, "':' of '? :' was expected");
      Term no = ternary();
      allow_word(yes);
      allow_word(no);
      condition = choose(condition, yes, no);
    }
    --depth_;
    return condition;
  }

  static Term choose(const Term& condition, const Term& yes, const Term& no) {
    if (!is_known(condition.value)) return {condition.value, {}, false, condition.at};
    const auto* truth = std::get_if<bool>(&condition.value);
    if (truth == nullptr)
      refuse(condition.at, "the part before '?' must be true or false, it is " +
                               std::string(kind_of(condition.value)));
    return {*truth ? yes.value : no.value, {}, false, condition.at};
  }

  Term fallback() {
    Term left = either();
    while (take("??")) {
      need_known_name(left);
      Term right = either();
      allow_word(right);
      if (std::holds_alternative<Missing>(left.value)) left = {right.value, {}, false, left.at};
    }
    return left;
  }

  Term either() {
    Term left = both();
    while (take("||")) left = logic(left, both(), true);
    return left;
  }
  Term both() {
    Term left = comparison();
    while (take("&&")) left = logic(left, comparison(), false);
    return left;
  }
  Term logic(const Term& left, const Term& right, bool decisive) {
    need_known_name(left);
    need_known_name(right);
    for (const Term* side : {&left, &right}) {
      if (is_known(side->value) && !std::holds_alternative<bool>(side->value))
        refuse(side->at, "true or false was expected, not " + std::string(kind_of(side->value)));
    }
    for (const Term* side : {&left, &right}) {
      const auto* truth = std::get_if<bool>(&side->value);
      if (truth != nullptr && *truth == decisive) return {decisive, {}, false, left.at};
    }
    for (const Term* side : {&left, &right})
      if (!is_known(side->value)) return {side->value, {}, false, left.at};
    return {!decisive, {}, false, left.at};
  }

  Term comparison() {
    Term left = sum();
    if (take("==")) return equality(left, sum(), true);
    if (take("!=")) return equality(left, sum(), false);
    if (take("<=")) return ordering(left, sum(), [](auto a, auto b) { return a <= b; });
    if (take(">=")) return ordering(left, sum(), [](auto a, auto b) { return a >= b; });
    if (take("<")) return ordering(left, sum(), [](auto a, auto b) { return a < b; });
    if (take(">")) return ordering(left, sum(), [](auto a, auto b) { return a > b; });
    return left;
  }

  Term equality(const Term& left, const Term& right, bool wanted) {
    check_words(left, right);
    check_words(right, left);
    for (const Term* side : {&left, &right})
      if (!is_known(side->value)) return {side->value, {}, false, left.at};
    return {equal(left.value, right.value) == wanted, {}, false, left.at};
  }

  static bool equal(const Value& a, const Value& b) {
    const auto x = as_number(a), y = as_number(b);
    if (x && y) return *x == *y;
    if (a.index() == b.index() && std::holds_alternative<Nanos>(a))
      return std::get<Nanos>(a) == std::get<Nanos>(b);
    return to_text(a) == to_text(b);
  }

  // A word opposite to an axis must be one of its values; opposite to anything else it must not
  // look like a misspelt name.
  void check_words(const Term& word, const Term& other) {
    if (!word.word) {
      if (!other.axis.empty() && is_known(word.value)) check_axis_value(word, other.axis);
      return;
    }
    if (other.word) refuse(word.at, unknown_name(to_text(word.value)));
    if (!other.axis.empty())
      check_axis_value(word, other.axis);
    else
      allow_word(word);
  }
  void check_axis_value(const Term& word, const std::string& axis) {
    const auto* values = scope_.axis(axis);
    const std::string text = to_text(word.value);
    if (!word.axis.empty() || std::find(values->begin(), values->end(), text) != values->end())
      return;
    refuse(word.at, "axis '" + axis + "' has no value '" + text + "'" + hint(text, *values));
  }

  template <class Compare>
  Term ordering(const Term& left, const Term& right, Compare compare) {
    if (const auto blocked = blocked_by(left, right)) return *blocked;
    if (const auto a = as_number(left.value), b = as_number(right.value); a && b)
      return {compare(*a, *b), {}, false, left.at};
    const auto* a = std::get_if<Nanos>(&left.value);
    const auto* b = std::get_if<Nanos>(&right.value);
    if (a != nullptr && b != nullptr) return {compare(*a, *b), {}, false, left.at};
    refuse(right.at, mismatch("compare", left, right));
  }

  Term sum() {
    Term left = product();
    while (true) {
      if (take("+"))
        left = add(left, product(), 1);
      else if (take("-"))
        left = add(left, product(), -1);
      else
        return left;
    }
  }

  Term add(const Term& left, const Term& right, int sign) {
    if (const auto blocked = blocked_by(left, right)) return *blocked;
    const auto* a = std::get_if<std::int64_t>(&left.value);
    const auto* b = std::get_if<std::int64_t>(&right.value);
    if (a != nullptr && b != nullptr) {
      std::int64_t out = 0;
      const bool over =
          sign > 0 ? __builtin_add_overflow(*a, *b, &out) : __builtin_sub_overflow(*a, *b, &out);
      if (over) refuse(left.at, "the result is too large");
      return {out, {}, false, left.at};
    }
    if (const auto x = as_number(left.value), y = as_number(right.value); x && y)
      return {*x + sign * *y, {}, false, left.at};
    const auto* x = std::get_if<Nanos>(&left.value);
    const auto* y = std::get_if<Nanos>(&right.value);
    if (x != nullptr && y != nullptr)
      return {duration(static_cast<double>(x->count()) + sign * static_cast<double>(y->count()),
                       left.at),
              {},
              false,
              left.at};
    refuse(right.at, mismatch(sign > 0 ? "add" : "subtract", left, right));
  }

  Term product() {
    Term left = unary();
    while (true) {
      if (take("*"))
        left = multiply(left, unary());
      else if (take("/"))
        left = divide(left, unary());
      else if (take("%"))
        left = remainder(left, unary());
      else
        return left;
    }
  }

  Term multiply(const Term& left, const Term& right) {
    if (const auto blocked = blocked_by(left, right)) return *blocked;
    const auto* a = std::get_if<std::int64_t>(&left.value);
    const auto* b = std::get_if<std::int64_t>(&right.value);
    if (a != nullptr && b != nullptr) {
      std::int64_t out = 0;
      if (__builtin_mul_overflow(*a, *b, &out)) refuse(left.at, "the result is too large");
      return {out, {}, false, left.at};
    }
    const auto x = as_number(left.value), y = as_number(right.value);
    if (x && y) return {*x * *y, {}, false, left.at};
    const auto* p = std::get_if<Nanos>(&left.value);
    const auto* q = std::get_if<Nanos>(&right.value);
    if (p != nullptr && y)
      return {duration(static_cast<double>(p->count()) * *y, left.at), {}, false, left.at};
    if (q != nullptr && x)
      return {duration(static_cast<double>(q->count()) * *x, left.at), {}, false, left.at};
    refuse(right.at, mismatch("multiply", left, right));
  }

  Term divide(const Term& left, const Term& right) {
    if (const auto blocked = blocked_by(left, right)) return *blocked;
    const auto* p = std::get_if<Nanos>(&left.value);
    const auto* q = std::get_if<Nanos>(&right.value);
    const auto x = as_number(left.value), y = as_number(right.value);
    if ((y && *y == 0) || (q != nullptr && q->count() == 0)) refuse(right.at, "division by zero");
    if (p != nullptr && y)
      return {duration(static_cast<double>(p->count()) / *y, left.at), {}, false, left.at};
    if (p != nullptr && q != nullptr)
      return {
          static_cast<double>(p->count()) / static_cast<double>(q->count()), {}, false, left.at};
    if (!x || !y) refuse(right.at, mismatch("divide", left, right));
    const auto* a = std::get_if<std::int64_t>(&left.value);
    const auto* b = std::get_if<std::int64_t>(&right.value);
    if (a != nullptr && b != nullptr && *b != -1 && *a % *b == 0)
      return {*a / *b, {}, false, left.at};
    return {*x / *y, {}, false, left.at};
  }

  Term remainder(const Term& left, const Term& right) {
    if (const auto blocked = blocked_by(left, right)) return *blocked;
    const auto* a = std::get_if<std::int64_t>(&left.value);
    const auto* b = std::get_if<std::int64_t>(&right.value);
    if (a == nullptr || b == nullptr)
      refuse(right.at, mismatch("take the remainder of", left, right));
    if (*b == 0) refuse(right.at, "division by zero");
    return {*b == -1 ? std::int64_t{0} : *a % *b, {}, false, left.at};
  }

  Term unary() {
    blanks();
    const std::size_t at = at_;
    if (!next_is("!=") && take("!")) {
      if (++depth_ > kDeepest) refuse(at, "too many levels of nesting");
      Term operand = unary();
      --depth_;
      need_known_name(operand);
      if (!is_known(operand.value)) return {operand.value, {}, false, at};
      const auto* truth = std::get_if<bool>(&operand.value);
      if (truth == nullptr) refuse(at, "'!' wants true or false");
      return {!*truth, {}, false, at};
    }
    if (take("-")) {
      if (++depth_ > kDeepest) refuse(at, "too many levels of nesting");
      Term operand = unary();
      --depth_;
      return multiply(operand, {std::int64_t{-1}, {}, false, at});
    }
    return primary();
  }

  Term primary() {
    blanks();
    const std::size_t at = at_;
    if (at_ == text_.size()) refuse(at, "the expression ends where a value was expected");
    const char c = text_[at_];
    if (take("(")) {
      Term inside = ternary();
      if (!take(")")) refuse(at_, "')' was expected");
      return inside;
    }
    if (c == '\'' || c == '"') return quoted(c);
    if (is_digit(c)) return literal();
    if (is_word_start(c)) return name();
    refuse(at, "unexpected '" + std::string(1, c) + "'; a value was expected");
  }

  Term quoted(char quote) {
    const std::size_t at = at_++;
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) refuse(at, "the text does not end");
    Term out{std::string(text_.substr(at_, end - at_)), {}, false, at};
    at_ = end + 1;
    return out;
  }

  Term literal() {
    const std::size_t at = at_;
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    while (at_ < text_.size() && is_word_start(text_[at_])) ++at_;
    const std::string_view token = text_.substr(at, at_ - at);
    Value value = value_of_text(token);
    if (std::holds_alternative<std::string>(value))
      refuse(at,
             "'" + std::string(token) + "' is neither a number nor a duration (3s, 250ms, 5min)");
    return {value, {}, false, at};
  }

  Term name() {
    const std::size_t at = at_;
    while (at_ < text_.size() &&
           (is_word_start(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.'))
      ++at_;
    const std::string word(text_.substr(at, at_ - at));
    if (word == "true" || word == "false") return {word == "true", {}, false, at};
    if ((word == "min" || word == "max") && next_is("(")) return extreme(word == "max", at);
    if (auto value = scope_.find(word))
      return {std::move(*value), scope_.axis(word) != nullptr ? word : std::string{}, false, at};
    return {word, {}, true, at};
  }

  Term extreme(bool largest, std::size_t at) {
    take("(");
    Term best = ternary();
    while (take(",")) {
      const Term other = ternary();
      const Term less =
          ordering(best, other, [&](auto a, auto b) { return largest ? a < b : a > b; });
      if (!is_known(less.value))
        best = {less.value, {}, false, at};
      else if (std::get<bool>(less.value))
        best = other;
    }
    if (!take(")")) refuse(at_, "')' was expected");
    return best;
  }

  std::optional<Term> blocked_by(const Term& left, const Term& right) {
    need_known_name(left);
    need_known_name(right);
    for (const Term* side : {&left, &right})
      if (!is_known(side->value)) return Term{side->value, {}, false, left.at};
    return std::nullopt;
  }
  [[nodiscard]] std::string unknown_name(const std::string& word) const {
    const auto names = scope_.names();
    return "unknown name '" + word + "'" + hint(word, names);
  }
  void need_known_name(const Term& term) const {
    if (term.word) refuse(term.at, unknown_name(to_text(term.value)));
  }
  // Where a word may stand, one that is close to a name is still taken for a slip.
  void allow_word(const Term& term) const {
    if (!term.word) return;
    const std::string word = to_text(term.value);
    if (word.find('.') != std::string::npos || !nearest(word, scope_.names()).empty())
      refuse(term.at, unknown_name(word));
  }
  static std::string mismatch(std::string_view verb, const Term& left, const Term& right) {
    return "cannot " + std::string(verb) + " " + std::string(kind_of(left.value)) + " and " +
           std::string(kind_of(right.value));
  }
  static Nanos duration(double ns, std::size_t at) {
    if (std::abs(ns) > 4e18) refuse(at, "the result is too long a time");
    return Nanos(std::llround(ns));
  }

  static constexpr int kDeepest = 60;
  std::string_view text_;
  const Scope& scope_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

tl::expected<Value, ExpressionError> evaluate(std::string_view expression, const Scope& scope) {
  try {
    return Parser(expression, scope).run();
  } catch (Fault& fault) {
    return tl::unexpected<ExpressionError>(std::move(fault.error));
  }
}

bool has_expression(std::string_view text) { return text.find("${") != std::string_view::npos; }

tl::expected<Value, ExpressionError> interpolate(std::string_view text, const Scope& scope) {
  if (!has_expression(text)) return value_of_text(text);
  std::string out;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = text.find("${", at);
    if (open == std::string_view::npos) return out + std::string(text.substr(at));
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos)
      return tl::unexpected<ExpressionError>({open, "'${' without its '}'"});
    auto value = evaluate(text.substr(open + 2, close - open - 2), scope);
    if (!value) {
      value.error().offset += open + 2;
      return value;
    }
    if ((open == 0 && close + 1 == text.size()) || !is_known(*value)) return value;
    out += text.substr(at, open - at);
    out += to_text(*value);
    at = close + 1;
  }
}

}  // namespace ktrial::harness

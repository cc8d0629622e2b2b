// SPDX-License-Identifier: Apache-2.0
// Line-based: indentation nests fields, words are separated by blanks, '#' starts a comment line.
#include "protocol/codegen/parser.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "protocol/codegen/check.h"
#include "protocol/codegen/types.h"

namespace ktrial::codegen {
namespace {

struct Word {
  std::string_view text;
  std::size_t column = 0;
};

struct Line {
  int number = 0;
  std::size_t depth = 0;  // of indentation, in steps of two blanks
  std::vector<Word> words;
};

class Parser {
 public:
  Parser(std::string_view text, std::string file) : file_(std::move(file)) { split(text); }

  Result<Schema> parse() {
    KTRIAL_TRY(check_indentation());
    Schema schema;
    std::size_t at = 0;
    if (at < lines_.size() && lines_[at].words[0].text == "api") {
      KTRIAL_TRY(parse_api(lines_[at], schema));
      ++at;
    }
    while (at < lines_.size()) {
      auto message = parse_message(at, schema);
      if (!message) return tl::unexpected<Error>(message.error());
      schema.messages.push_back(std::move(*message));
    }
    if (schema.messages.empty()) return error(1, 1, "no message: expected 'request', 'response' or 'data NAME'");
    return schema;
  }

 private:
  tl::unexpected<Error> error(int line, std::size_t column, std::string text) const {
    return fail(Errc::kInvalidArgument, std::move(text),
                file_ + ":" + std::to_string(line) + ":" + std::to_string(column));
  }
  tl::unexpected<Error> error(const Line& line, const Word& word, std::string text) const {
    return error(line.number, word.column, std::move(text));
  }
  tl::unexpected<Error> missing(const Line& line, std::string what) const {
    const Word& last = line.words.back();
    return error(line.number, last.column + last.text.size(), "expected " + std::move(what));
  }

  void split(std::string_view text) {
    int number = 0;
    while (!text.empty()) {
      ++number;
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view row = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      Line line{number, 0, {}};
      std::size_t at = std::min(row.find_first_not_of(' '), row.size());
      indents_.push_back(at);
      while (at < row.size() && row[at] != '#') {
        const std::size_t stop = std::min(row.find(' ', at), row.size());
        line.words.push_back({row.substr(at, stop - at), at + 1});
        at = std::min(row.find_first_not_of(' ', stop), row.size());
      }
      if (line.words.empty()) {
        indents_.pop_back();
      } else {
        lines_.push_back(std::move(line));
      }
    }
  }

  Result<void> check_indentation() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::size_t deepest = i == 0 ? 0 : lines_[i - 1].depth + 1;
      if (indents_[i] % 2 != 0) return error(lines_[i].number, indents_[i] + 1, "indent by steps of two blanks");
      lines_[i].depth = indents_[i] / 2;
      if (lines_[i].depth > deepest) return error(lines_[i].number, indents_[i] + 1, "indented deeper than its parent allows");
    }
    return {};
  }

  Result<int> parse_number(const Line& line, const Word& word, std::string_view digits) const {
    int value = 0;
    const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (bad != std::errc() || end != digits.data() + digits.size() || value < 0) {
      return error(line, word, "expected a number, got '" + std::string(digits) + "'");
    }
    return value;
  }

  Result<VersionRange> parse_range(const Line& line, const Word& word) const {
    std::string_view text = word.text;
    VersionRange range;
    const bool open = text.ends_with('+');
    if (open) text.remove_suffix(1);
    const std::size_t dash = text.find('-');
    const auto low = parse_number(line, word, text.substr(0, dash));
    if (!low) return error(line, word, "expected versions such as 3+, 1-5 or 2, got '" + std::string(word.text) + "'");
    range.min = *low;
    if (!open) {
      range.max = *low;
      if (dash != std::string_view::npos) {
        const auto high = parse_number(line, word, text.substr(dash + 1));
        if (!high) return tl::unexpected<Error>(high.error());
        range.max = *high;
      }
    }
    if (range.max < range.min) return error(line, word, "the last version is before the first");
    return range;
  }

  Result<void> parse_api(const Line& line, Schema& schema) const {
    if (line.words.size() != 3) return missing(line, "'api KEY NAME'");
    const auto key = parse_number(line, line.words[1], line.words[1].text);
    if (!key) return tl::unexpected<Error>(key.error());
    schema.key = *key;
    schema.api = line.words[2].text;
    return {};
  }

  Result<Message> parse_message(std::size_t& at, const Schema& schema) {
    const Line& line = lines_[at];
    Message message;
    const std::string_view keyword = line.words[0].text;
    std::size_t word = 1;
    if (line.depth != 0) return error(line, line.words[0], "a message starts at the left margin");
    if (keyword == "request" || keyword == "response") {
      if (!schema.key) return error(line, line.words[0], "'" + std::string(keyword) + "' needs an 'api KEY NAME' line before it");
      message.name = schema.api + (keyword == "request" ? "Request" : "Response");
      message.api_key = schema.key;
    } else if (keyword == "data") {
      if (line.words.size() < 2) return missing(line, "a name");
      message.name = line.words[word++].text;
    } else {
      return error(line, line.words[0], "expected 'request', 'response' or 'data', got '" + std::string(keyword) + "'");
    }
    for (; word < line.words.size(); ++word) {
      const std::string_view name = line.words[word].text;
      if (name == "unstable") {
        message.latest_unstable = true;
        continue;
      }
      if (word + 1 == line.words.size()) return missing(line, "versions after '" + std::string(name) + "'");
      const Word& value = line.words[++word];
      if (name == "flexible" && value.text == "none") continue;
      auto range = parse_range(line, value);
      if (!range) return tl::unexpected<Error>(range.error());
      if (name == "versions") {
        message.valid = *range;
      } else if (name == "flexible") {
        message.flexible = *range;
      } else {
        return error(line, line.words[word - 1], "expected 'versions', 'flexible' or 'unstable', got '" + std::string(name) + "'");
      }
    }
    ++at;
    while (at < lines_.size() && lines_[at].depth > 0) {
      if (lines_[at].words[0].text == "struct") {
        KTRIAL_TRY(parse_common_struct(at, message));
        continue;
      }
      KTRIAL_TRY(parse_field(at, message, message.fields));
    }
    KTRIAL_TRY(check_and_order(message, file_));
    return message;
  }

  Result<void> parse_common_struct(std::size_t& at, Message& message) {
    const Line& line = lines_[at];
    if (line.words.size() < 2) return missing(line, "the struct's name");
    Struct made{std::string(line.words[1].text), {}};
    const std::size_t depth = line.depth;
    ++at;
    while (at < lines_.size() && lines_[at].depth > depth) KTRIAL_TRY(parse_field(at, message, made.fields));
    message.structs.push_back(std::move(made));
    return {};
  }

  // Parses the field at line `at` and the fields nested in it.
  Result<void> parse_field(std::size_t& at, Message& message, std::vector<Field>& into) {
    const Line& line = lines_[at];
    if (line.words.size() < 2) return missing(line, "the field's type");
    Field field;
    field.name = line.words[0].text;
    field.line = line.number;
    field.column = line.words[0].column;
    std::string_view type = line.words[1].text;
    if (type.starts_with("[]")) {
      field.is_array = true;
      type.remove_prefix(2);
    }
    field.type = type;
    field.is_struct = !is_primitive(type);
    KTRIAL_TRY(parse_attributes(line, field));
    const std::size_t depth = line.depth;
    ++at;
    if (at < lines_.size() && lines_[at].depth > depth) {
      if (!field.is_struct) return error(lines_[at], lines_[at].words[0], "'" + field.type + "' has no fields");
      Struct made{field.type, {}};
      while (at < lines_.size() && lines_[at].depth > depth) KTRIAL_TRY(parse_field(at, message, made.fields));
      message.structs.push_back(std::move(made));
    }
    into.push_back(std::move(field));
    return {};
  }

  Result<void> parse_attributes(const Line& line, Field& field) const {
    const auto next = [&line](std::size_t& i) -> const Word* { return i + 1 < line.words.size() ? &line.words[++i] : nullptr; };
    for (std::size_t i = 2; i < line.words.size(); ++i) {
      const Word& word = line.words[i];
      if (word.text == "ignorable") continue;
      if (word.text == "inflexible") {
        field.inflexible = true;
      } else if (word.text.starts_with('@')) {
        field.entity = word.text.substr(1);
      } else if (word.text == "=") {
        const Word* value = next(i);
        if (value == nullptr) return missing(line, "a default after '='");
        field.default_value = value->text;
      } else if (word.text == "nullable") {
        const Word* value = next(i);
        if (value == nullptr) return missing(line, "versions after 'nullable'");
        const auto range = parse_range(line, *value);
        if (!range) return tl::unexpected<Error>(range.error());
        field.nullable = *range;
      } else if (word.text == "tag") {
        const Word* number = next(i);
        const Word* value = next(i);
        if (number == nullptr || value == nullptr) return missing(line, "'tag NUMBER VERSIONS'");
        const auto tag = parse_number(line, *number, number->text);
        if (!tag) return tl::unexpected<Error>(tag.error());
        const auto range = parse_range(line, *value);
        if (!range) return tl::unexpected<Error>(range.error());
        field.tag = *tag;
        field.tagged = *range;
      } else {
        const auto range = parse_range(line, word);
        if (!range) return tl::unexpected<Error>(range.error());
        field.versions = *range;
      }
    }
    return {};
  }

  std::string file_;
  std::vector<std::size_t> indents_;
  std::vector<Line> lines_;
};

}  // namespace

Result<Schema> parse_schema(std::string_view text, const std::string& file) {
  return Parser(text, file).parse();
}

}  // namespace ktrial::codegen

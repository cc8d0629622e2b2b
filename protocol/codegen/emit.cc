// SPDX-License-Identifier: Apache-2.0
#include "protocol/codegen/emit.h"

#include <algorithm>
#include <functional>

#include "protocol/codegen/names.h"

namespace ktrial::codegen {
namespace {

std::string cpp_primitive(const std::string& type) {
  if (type == "bool") return "bool";
  if (type == "float64") return "double";
  if (type == "uuid") return "Uuid";
  if (type == "string") return "std::string";
  if (type == "bytes" || type == "records") return "Slice";
  return "std::" + type + "_t";
}

std::string cpp_type(const Message& message, const Field& field) {
  std::string type = field.is_struct ? snake_case(message.name) + "::" + field.type : cpp_primitive(field.type);
  if (field.is_array) type = "std::vector<" + type + ">";
  if (field.nullable) type = "std::optional<" + type + ">";
  return type;
}

bool is_scalar(const Field& field) {
  return !field.is_array && !field.is_struct && field.type != "string" && field.type != "bytes" &&
         field.type != "records" && field.type != "uuid";
}

// The initialiser, without braces; Kafka's default where the schema gives none.
std::string initialiser(const Field& field) {
  if (is_scalar(field)) {
    if (field.default_value.empty()) return field.type == "bool" ? "false" : "0";
    if (field.default_value == "-9223372036854775808") return "INT64_MIN";
    return field.default_value;
  }
  if (field.nullable) {
    if (field.default_value == "null") return "std::nullopt";
    if (field.is_array || field.is_struct) return "std::in_place";
    if (field.type == "string") {
      const bool empty = field.default_value.empty() || field.default_value == "\"\"";
      return empty ? "std::in_place" : "\"" + field.default_value + "\"";
    }
    return "std::in_place";
  }
  if (!field.is_array && !field.is_struct && field.type == "string" && !field.default_value.empty() && field.default_value != "\"\"") {
    return "\"" + field.default_value + "\"";
  }
  return "";
}

std::string condition(const VersionRange& range, const VersionRange& valid) {
  const bool low = range.min > valid.min;
  const bool high = range.max < valid.max;
  if (!low && !high) return "";
  const std::string above = "version >= " + std::to_string(range.min);
  const std::string below = "version <= " + std::to_string(range.max);
  return low && high ? above + " && " + below : low ? above : below;
}

std::string nullable_now(const Field& field, const VersionRange& valid) {
  if (!field.nullable) return "false";
  const std::string when = condition(*field.nullable, valid);
  return when.empty() ? "true" : when;
}

void emit_fields(std::string& out, const Message& message, const std::vector<Field>& fields) {
  for (const Field& field : fields) {
    const std::string start = initialiser(field);
    out += "  " + cpp_type(message, field) + " " + member_name(field.name) + "{" + start + "};";
    if (!field.entity.empty()) out += "  // " + field.entity;
    out += "\n";
  }
  out += "  UnknownTags unknown_tags{};\n\n";

  out += "  // Walks the fields that `version` has, in wire order.\n";
  out += "  template <class Self, class Visitor>\n";
  out += "  static void fields([[maybe_unused]] Self& self, [[maybe_unused]] Visitor& visitor,\n";
  out += "                     [[maybe_unused]] std::int16_t version) {\n";
  for (const Field& field : fields) {
    const std::string when = condition(field.versions, message.valid);
    const std::string verb = field.inflexible ? "inflexible_field" : "field";
    const std::string call = "visitor." + verb + "(\"" + json_name(field.name) + "\", self." + member_name(field.name) + ", " + nullable_now(field, message.valid) + ");\n";
    // Tagged from the first version on, it is never among the plain fields.
    const bool always_tagged = field.tag && field.tagged.min <= field.versions.min;
    if (always_tagged) continue;
    std::string guard = when;
    if (field.tag) guard += (guard.empty() ? "" : " && ") + std::string("version < ") + std::to_string(field.tagged.min);
    out += guard.empty() ? "    " + call : "    if (" + guard + ") " + call;
  }
  std::vector<const Field*> tagged;
  for (const Field& field : fields) {
    if (field.tag) tagged.push_back(&field);
  }
  std::sort(tagged.begin(), tagged.end(), [](const Field* a, const Field* b) { return *a->tag < *b->tag; });
  if (tagged.empty()) {
    out += "    visitor.tagged_fields(self.unknown_tags, NoTaggedFields{});\n  }\n";
    return;
  }
  out += "    visitor.tagged_fields(self.unknown_tags, [&](auto&& tag) {\n";
  for (const Field* field : tagged) {
    const std::string when = condition(field->tagged, message.valid);
    const std::string start = initialiser(*field);
    const std::string call = "tag(" + std::to_string(*field->tag) + ", \"" + json_name(field->name) + "\", self." + member_name(field->name) + ", " + nullable_now(*field, message.valid) + ", " + cpp_type(message, *field) + "{" + start + "});\n";
    out += when.empty() ? "      " + call : "      if (" + when + ") " + call;
  }
  out += "    });\n  }\n";
}

void emit_struct(std::string& out, const Message& message, const Struct& one) {
  out += "struct " + one.name + " {\n";
  // Members of sibling structs are named without their namespace inside it; both spellings work.
  emit_fields(out, message, one.fields);
  out += "  bool operator==(const " + one.name + "&) const = default;\n};\n\n";
}

std::string flexible_from(const Message& message) { return message.flexible ? std::to_string(message.flexible->min) : "32767"; }

std::string header_of(const Message& message) { return "protocol/messages/" + snake_case(message.name) + ".h"; }

constexpr std::string_view kGenerated = "// Generated from protocol/schema; edit the schema, not this.\n";

}  // namespace

std::string emit_header(const Message& message) {
  std::string out(kGenerated);
  out += "#pragma once\n\n#include \"protocol/message_types.h\"\n\nnamespace ktrial::protocol {\n\n";
  if (!message.structs.empty()) {
    out += "namespace " + snake_case(message.name) + " {\n\n";
    for (const Struct& one : message.structs) emit_struct(out, message, one);
    out += "}  // namespace " + snake_case(message.name) + "\n\n";
  }
  out += "struct " + message.name + " {\n";
  out += "  static constexpr std::string_view kName = \"" + message.name + "\";\n";
  out += "  static constexpr std::int16_t kApiKey = " + std::to_string(message.api_key.value_or(-1)) + ";\n";
  out += "  static constexpr std::int16_t kMinVersion = " + std::to_string(message.valid.min) + ";\n";
  out += "  static constexpr std::int16_t kMaxVersion = " + std::to_string(message.valid.max) + ";\n";
  out += "  static constexpr std::int16_t kFlexibleFrom = " + flexible_from(message) + ";\n\n";
  emit_fields(out, message, message.fields);
  out += "  bool operator==(const " + message.name + "&) const = default;\n};\n\n";
  out += "extern template void encode<" + message.name + ">(const " + message.name + "&, std::int16_t, Writer&);\n";
  out += "extern template Result<" + message.name + "> decode<" + message.name + ">(const Slice&, std::int16_t, Trailing);\n";
  out += "extern template boost::json::object to_json<" + message.name + ">(const " + message.name + "&, std::int16_t);\n\n";
  out += "}  // namespace ktrial::protocol\n";
  return out;
}

std::string emit_source(const Schema& schema) {
  std::string out(kGenerated);
  for (const Message& message : schema.messages) out += "#include \"" + header_of(message) + "\"\n";
  out += "#include \"protocol/codec_impl.h\"\n\nnamespace ktrial::protocol {\n\n";
  for (const Message& message : schema.messages) {
    out += "template void encode<" + message.name + ">(const " + message.name + "&, std::int16_t, Writer&);\n";
    out += "template Result<" + message.name + "> decode<" + message.name + ">(const Slice&, std::int16_t, Trailing);\n";
    out += "template boost::json::object to_json<" + message.name + ">(const " + message.name + "&, std::int16_t);\n";
  }
  out += "\n}  // namespace ktrial::protocol\n";
  return out;
}

std::string emit_api_table(const std::vector<Schema>& schemas) {
  std::string out(kGenerated);
  std::string rows;
  for (const Schema& schema : schemas) {
    if (!schema.key) continue;
    const Message& request = schema.messages.at(0);
    const Message& response = schema.messages.at(1);
    out += "#include \"" + header_of(request) + "\"\n#include \"" + header_of(response) + "\"\n";
    rows += "    {" + std::to_string(*schema.key) + ", \"" + schema.api + "\", " + std::to_string(request.valid.min) + ", " + std::to_string(request.valid.max) + ", " + flexible_from(request) + ", " + flexible_from(response) + ", " + (request.latest_unstable ? "true" : "false") + ", &json_of<" + request.name + ">, &json_of<" + response.name + ">},\n";
  }
  out += "#include \"protocol/api_table.h\"\n\nnamespace ktrial::protocol {\nnamespace {\n\n";
  out += "template <class Message>\nResult<boost::json::object> json_of(const Slice& body, std::int16_t version) {\n";
  out += "  const auto message = decode<Message>(body, version);\n";
  out += "  if (!message) return tl::unexpected<Error>(message.error());\n";
  out += "  return to_json(*message, version);\n}\n\n";
  out += "constexpr ApiInfo kApis[] = {\n" + rows + "};\n\n}  // namespace\n\n";
  out += "std::span<const ApiInfo> all_apis() { return kApis; }\n\n}  // namespace ktrial::protocol\n";
  return out;
}

std::string emit_all_messages(const std::vector<Schema>& schemas) {
  std::string out(kGenerated);
  out += "#pragma once\n\n";
  std::string list;
  for (const Schema& schema : schemas) {
    for (const Message& message : schema.messages) {
      out += "#include \"" + header_of(message) + "\"\n";
      list += " \\\n  X(" + message.name + ")";
    }
  }
  out += "\n#define KTRIAL_ALL_MESSAGES(X)" + list + "\n";
  return out;
}

}  // namespace ktrial::codegen

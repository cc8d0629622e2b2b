// SPDX-License-Identifier: Apache-2.0
#include "protocol/codegen/check.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "protocol/codegen/types.h"

namespace ktrial::codegen {
namespace {

class Checker {
 public:
  Checker(Message& message, const std::string& file) : message_(message), file_(file) {}

  Result<void> run() {
    KTRIAL_TRY(check_fields(message_.fields));
    for (const Struct& one : message_.structs) KTRIAL_TRY(check_fields(one.fields));
    KTRIAL_TRY(order_structs());
    KTRIAL_TRY(check_elements(message_.fields));
    for (const Struct& one : message_.structs) KTRIAL_TRY(check_elements(one.fields));
    return {};
  }

 private:
  tl::unexpected<Error> error(const Field& field, std::string text) const {
    return fail(Errc::kInvalidArgument, std::move(text),
                file_ + ":" + std::to_string(field.line) + ":" + std::to_string(field.column));
  }

  [[nodiscard]] const Struct* find(const std::string& name) const {
    const auto found = std::find_if(message_.structs.begin(), message_.structs.end(), [&name](const Struct& s) { return s.name == name; });
    return found == message_.structs.end() ? nullptr : &*found;
  }

  Result<void> check_fields(const std::vector<Field>& fields) const {
    std::set<std::string_view> names;
    std::set<int> tags;
    for (const Field& field : fields) {
      if (!names.insert(field.name).second) return error(field, "a second field named " + field.name);
      if (field.tag && !tags.insert(*field.tag).second) return error(field, "tag " + std::to_string(*field.tag) + " is taken");
      KTRIAL_TRY(check_field(field));
    }
    return {};
  }

  Result<void> check_field(const Field& field) const {
    if (field.is_struct && find(field.type) == nullptr) {
      return error(field, "type '" + field.type + "' of " + field.name + " is neither a primitive nor a struct of this message");
    }
    if (field.nullable && is_number(field.type) && !field.is_array) return error(field, field.type + " cannot be null");
    if (field.tag && (!message_.flexible || !message_.flexible->contains(in_message(field.tagged)))) {
      return error(field, "tagged in versions that are not flexible");
    }
    if (field.default_value == "null" && !field.nullable) return error(field, "null is not among the values of " + field.name);
    return {};
  }

  [[nodiscard]] VersionRange in_message(VersionRange range) const {
    return {std::max(range.min, message_.valid.min), std::min(range.max, message_.valid.max)};
  }

  Result<void> order_structs() {
    std::vector<Struct> ordered;
    const auto placed = [&ordered](const std::string& name) {
      return std::any_of(ordered.begin(), ordered.end(), [&name](const Struct& s) { return s.name == name; });
    };
    const auto ready = [&placed](const Struct& one) {
      return std::all_of(one.fields.begin(), one.fields.end(), [&placed](const Field& f) { return !f.is_struct || placed(f.type); });
    };
    while (!message_.structs.empty()) {
      const auto next = std::find_if(message_.structs.begin(), message_.structs.end(), ready);
      if (next == message_.structs.end()) {
        return fail(Errc::kInvalidArgument, "struct '" + message_.structs[0].name + "' of " + message_.name + " holds itself", file_ + ":1:1");
      }
      ordered.push_back(std::move(*next));
      message_.structs.erase(next);
    }
    message_.structs = std::move(ordered);
    return {};
  }

  // A false size of an array whose elements take no bytes would run unchecked.
  Result<void> check_elements(const std::vector<Field>& fields) const {
    for (const Field& field : fields) {
      if (!field.is_array || !field.is_struct) continue;
      const VersionRange range = in_message(field.versions);
      for (int version = range.min; version <= range.max; ++version) {
        if (!takes_bytes(*find(field.type), version)) {
          return error(field, "an element of " + field.name + " has no bytes in version " + std::to_string(version));
        }
      }
    }
    return {};
  }

  [[nodiscard]] bool takes_bytes(const Struct& one, int version) const {
    if (message_.flexible && version >= message_.flexible->min) return true;  // at least the number of tags
    return std::any_of(one.fields.begin(), one.fields.end(), [&](const Field& field) {
      if (version < field.versions.min || version > field.versions.max || field.tag) return false;
      return !field.is_struct || field.is_array || field.nullable || takes_bytes(*find(field.type), version);
    });
  }

  Message& message_;
  const std::string& file_;
};

}  // namespace

Result<void> check_and_order(Message& message, const std::string& file) { return Checker(message, file).run(); }

}  // namespace ktrial::codegen

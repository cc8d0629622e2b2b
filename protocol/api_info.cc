// SPDX-License-Identifier: Apache-2.0
#include "protocol/api_info.h"

#include <algorithm>
#include <string>

namespace ktrial::protocol {
namespace {

using Shower = Result<boost::json::object> (*ApiInfo::*)(const Slice&, std::int16_t);

Result<boost::json::value> show(std::int16_t key, std::int16_t version, const Slice& body, Shower shower) {
  const ApiInfo* api = find_api(key);
  if (api == nullptr) return fail(Errc::kUnsupported, "unknown API key " + std::to_string(key));
  auto shown = (api->*shower)(body, version);
  if (!shown) return tl::unexpected<Error>(shown.error());
  return boost::json::value(std::move(*shown));
}

}  // namespace

const ApiInfo* find_api(std::int16_t key) {
  // Sorted by key: the schema files are listed by name, which starts with it.
  const auto apis = all_apis();
  const auto found = std::lower_bound(apis.begin(), apis.end(), key, [](const ApiInfo& api, std::int16_t wanted) { return api.key < wanted; });
  return found != apis.end() && found->key == key ? &*found : nullptr;
}

const ApiInfo* find_api(std::string_view name) {
  const auto apis = all_apis();
  const auto found = std::find_if(apis.begin(), apis.end(), [name](const ApiInfo& api) { return api.name == name; });
  return found != apis.end() ? &*found : nullptr;
}

Result<boost::json::value> request_json(std::int16_t key, std::int16_t version, const Slice& body) {
  return show(key, version, body, &ApiInfo::request_json);
}

Result<boost::json::value> response_json(std::int16_t key, std::int16_t version, const Slice& body) {
  return show(key, version, body, &ApiInfo::response_json);
}

}  // namespace ktrial::protocol

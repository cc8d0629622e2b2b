// SPDX-License-Identifier: Apache-2.0
#include "capture/event_log.h"

#include <algorithm>

namespace ktrial::capture {

bool Connection::has_role(std::string_view role) const {
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

bool Connection::used_api(std::string_view api) const {
  return std::find(apis.begin(), apis.end(), api) != apis.end();
}

}  // namespace ktrial::capture

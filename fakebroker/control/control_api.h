// SPDX-License-Identifier: Apache-2.0
// ControlApi: the fake cluster's REST resources (docs/control-api.md, openapi.json), without HTTP:
// a request's method, path and body in, a status and a body out. It belongs to one thread.
#pragma once

#include "fakebroker/cluster.h"

#include <boost/json.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::fakebroker {

struct ControlRequest {
  std::string method;  // "GET"
  std::string target;  // path and query as sent
  std::string body;
};

struct ControlResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::string allow = {};  // of a 405
};

class ControlApi {
 public:
  explicit ControlApi(Cluster& cluster) : cluster_(cluster) {}
  ControlResponse handle(const ControlRequest& request);

  // What the live page is made of: the same for everybody, so no token is asked for it. (A page
  // that was given one in its address cannot pass it on to its style sheet.)
  static bool is_of_the_page(std::string_view path);
  // "GET /v1/topics/{topic}" and so on: what there is.
  static std::vector<std::string> operations();
  // An entry as /v1/ledger and /v1/events have it.
  static boost::json::object to_json(const LedgerEntry& entry);

 private:
  Cluster& cluster_;
};

}  // namespace ktrial::fakebroker

// SPDX-License-Identifier: Apache-2.0
// The options of `ktrial cluster` that say how clients get in, as they are typed.
#pragma once

#include "common/result.h"
#include "fakebroker/security/security_spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ktrial::harness {

struct SecurityOptions {
  std::vector<std::string> listeners;  // [NAME=]PROTOCOL[:PORT]
  std::vector<std::string> mechanisms;
  std::vector<std::string> users;  // NAME:PASSWORD
  std::int64_t max_reauth_ms = 0;
  std::int64_t failure_delay_ms = 100;
  std::string oauth_keys, oauth_issuer;  // the keys' file
  std::vector<std::string> oauth_audiences;
  std::string certificate, key, client_ca;
  std::string client_auth = "none";
  std::string tls_dir, key_log;
  bool authorizer = false;
  std::vector<std::string> super_users;  // User:NAME
  bool allow_if_no_acl = false;
};

// kInvalidArgument names the option and what is wrong with it.
Result<fakebroker::SecuritySpec> security_of(const SecurityOptions& options);

}  // namespace ktrial::harness

// SPDX-License-Identifier: Apache-2.0
// SCRAM credentials: what users authenticate with, by mechanism. The salted password is kept as the
// client gave it: the keys that a broker stores follow from it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ktrial::fakebroker {

enum class ScramMechanism : std::int8_t { kSha256 = 1, kSha512 = 2 };

struct ScramCredential {
  std::int32_t iterations = 0;
  std::vector<std::uint8_t> salt;
  std::vector<std::uint8_t> salted_password;
};

class ScramCredentials {
 public:
  static constexpr std::int32_t kLeastIterations = 4096;
  static constexpr std::int32_t kMostIterations = 16384;
  using OfUser = std::map<ScramMechanism, ScramCredential>;

  static bool is_mechanism(std::int8_t type) { return type == 1 || type == 2; }

  void put(const std::string& user, ScramMechanism mechanism, ScramCredential credential) {
    users_[user][mechanism] = std::move(credential);
  }
  void erase(const std::string& user, ScramMechanism mechanism) {
    const auto found = users_.find(user);
    if (found == users_.end()) return;
    found->second.erase(mechanism);
    if (found->second.empty()) users_.erase(found);
  }
  [[nodiscard]] bool contains(const std::string& user, ScramMechanism mechanism) const {
    const auto found = users_.find(user);
    return found != users_.end() && found->second.contains(mechanism);
  }
  // In order of user. A user in it has a credential.
  [[nodiscard]] const std::map<std::string, OfUser>& all() const { return users_; }

 private:
  std::map<std::string, OfUser> users_;
};

}  // namespace ktrial::fakebroker

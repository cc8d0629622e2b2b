// SPDX-License-Identifier: Apache-2.0
// Which requests a connection may send when, how its session ends and begins anew.
#include "fakebroker/security/authentication.h"

#include "common/manual_clock.h"

#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using namespace std::string_literals;  // NOLINT: for the NULs of PLAIN
using Admission = Authentication::Admission;
using Outcome = Authentication::HandshakeOutcome;
using Kind = Authentication::Step::Kind;

constexpr std::int16_t kMetadata = 3;
constexpr std::int16_t kHandshake = 17;
constexpr std::int16_t kApiVersions = 18;
constexpr std::int16_t kAuthenticate = 36;

struct AuthenticationTest : testing::Test {
  SaslSpec spec{.users = {{"alice", "a"}, {"bob", "b"}}};
  ScramCredentials scram;
  JwtVerifier tokens = std::move(*JwtVerifier::make({}));
  ManualClock clock;
  Authentication authentication{{spec, scram, tokens, clock},
                                {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"}};

  Authentication::Step log_in(const std::string& message = "\0alice\0a"s) {
    EXPECT_EQ(authentication.handshake("PLAIN", 1), Outcome::kAccepted);
    return authentication.authenticate(message);
  }
};

TEST_F(AuthenticationTest, TakesApiVersionsOnceThenTheHandshakeThenTokensThenAnything) {
  EXPECT_EQ(authentication.admit(kMetadata), Admission::kClose);
  EXPECT_EQ(authentication.admit(kAuthenticate), Admission::kClose);
  EXPECT_EQ(authentication.admit(kApiVersions), Admission::kAdmitted);
  authentication.saw_api_versions();
  EXPECT_EQ(authentication.admit(kApiVersions), Admission::kClose);
  EXPECT_EQ(authentication.admit(kHandshake), Admission::kAdmitted);
  EXPECT_EQ(authentication.handshake("PLAIN", 1), Outcome::kAccepted);
  EXPECT_EQ(authentication.admit(kMetadata), Admission::kIllegalState);
  EXPECT_EQ(authentication.admit(kHandshake), Admission::kIllegalState);
  EXPECT_EQ(authentication.admit(kAuthenticate), Admission::kAdmitted);
  EXPECT_EQ(authentication.principal(), "User:ANONYMOUS");
  EXPECT_EQ(authentication.authenticate("\0alice\0a"s).kind, Kind::kGoesOn);
  EXPECT_TRUE(authentication.complete());
  EXPECT_EQ(authentication.principal(), "User:alice");
  EXPECT_EQ(authentication.admit(kMetadata), Admission::kAdmitted);
}

TEST_F(AuthenticationTest, ListsMechanismsInTheOrderOfABroker) {
  EXPECT_EQ(authentication.mechanisms(),
            (std::vector<std::string>{"PLAIN", "SCRAM-SHA-512", "SCRAM-SHA-256", "OAUTHBEARER"}));
}

TEST_F(AuthenticationTest, AnUnknownMechanismEndsIt) {
  EXPECT_EQ(authentication.handshake("GSSAPI", 1), Outcome::kUnsupported);
  EXPECT_TRUE(authentication.failed());
  EXPECT_EQ(authentication.admit(kHandshake), Admission::kClose);
}

TEST_F(AuthenticationTest, AHandshakeOfVersion0IsFollowedByTokensWithoutHeaders) {
  EXPECT_EQ(authentication.handshake("PLAIN", 0), Outcome::kAccepted);
  EXPECT_TRUE(authentication.takes_raw_tokens());
  authentication.authenticate("\0alice\0a"s);
  EXPECT_FALSE(authentication.takes_raw_tokens());
}

TEST_F(AuthenticationTest, SessionsEndIfTheirTimeIsLimited) {
  spec.max_reauth = Millis(5000);
  EXPECT_EQ(log_in().session_lifetime_ms, 5000);
  clock.advance(Millis(5000));
  EXPECT_EQ(authentication.admit(kMetadata), Admission::kAdmitted);
  clock.advance(Millis(1));
  EXPECT_EQ(authentication.admit(kMetadata), Admission::kClose);
  EXPECT_EQ(authentication.admit(kHandshake), Admission::kAdmitted) << "it may still renew it";
  EXPECT_EQ(log_in().session_lifetime_ms, 5000);
  EXPECT_EQ(authentication.admit(kMetadata), Admission::kAdmitted);
}

TEST_F(AuthenticationTest, RenewsASessionAtMostOnceASecond) {
  spec.max_reauth = Millis(5000);
  log_in();
  log_in();
  EXPECT_EQ(authentication.handshake("PLAIN", 1), Outcome::kIllegalState);
  EXPECT_TRUE(authentication.complete());
  clock.advance(Millis(1000));
  EXPECT_EQ(log_in().kind, Kind::kGoesOn);
}

TEST_F(AuthenticationTest, ASessionWithoutEndCannotBeRenewed) {
  log_in();
  EXPECT_EQ(authentication.handshake("PLAIN", 1), Outcome::kIllegalState);
  EXPECT_TRUE(authentication.complete());
}

TEST_F(AuthenticationTest, ARenewalMayChangeNeitherPrincipalNorMechanism) {
  spec.max_reauth = Millis(5000);
  log_in();
  const auto step = log_in("\0bob\0b"s);
  EXPECT_EQ(step.kind, Kind::kFailed);
  EXPECT_EQ(step.bytes,
            "Cannot change principals during re-authentication from User.alice: User.bob");
  Authentication other{{spec, scram, tokens, clock}, {"PLAIN", "OAUTHBEARER"}};
  other.handshake("PLAIN", 1);
  other.authenticate("\0alice\0a"s);
  EXPECT_EQ(other.handshake("OAUTHBEARER", 1), Outcome::kAccepted);
  EXPECT_TRUE(other.fails_next());
}

TEST_F(AuthenticationTest, AFailedRenewalSaysThatItWasOne) {
  spec.max_reauth = Millis(5000);
  Authentication scrammed{{spec, scram, tokens, clock}, {"OAUTHBEARER"}};
  scrammed.handshake("OAUTHBEARER", 1);
  EXPECT_EQ(scrammed.authenticate("nonsense").bytes,
            "Authentication failed during authentication due to invalid credentials with SASL "
            "mechanism OAUTHBEARER");
}

}  // namespace
}  // namespace ktrial::fakebroker

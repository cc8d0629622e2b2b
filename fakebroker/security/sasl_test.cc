// SPDX-License-Identifier: Apache-2.0
// The mechanisms of SASL, without a connection: vectors of the RFCs, and what each refuses.
#include "common/manual_clock.h"
#include "fakebroker/security/crypto.h"
#include "fakebroker/security/sasl_server.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace ktrial::fakebroker {
namespace {

using Kind = SaslOutcome::Kind;
using namespace std::string_literals;  // NOLINT: for the NULs of PLAIN

std::string unsecured(const std::string& claims) {
  const auto url = [](const std::string& text) {
    std::string out = to_base64(text);
    while (out.back() == '=') out.pop_back();
    for (char& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
    return out;
  };
  return url(R"({"alg":"none"})") + "." + url(claims) + ".";
}

struct SaslTest : testing::Test {
  SaslSpec spec{.users = {{"alice", "secret"}}};
  ScramCredentials scram;
  JwtVerifier tokens = std::move(*JwtVerifier::make({}));
  ManualClock clock;

  std::unique_ptr<SaslServer> server(std::string_view mechanism, std::string nonce = {}) {
    return make_sasl_server(mechanism, {spec, scram, tokens, clock}, std::move(nonce));
  }
  SaslOutcome plain(const std::string& message) { return server("PLAIN")->evaluate(message); }
  std::string claims(int from_now_s) {
    return fmt::format(R"({{"sub":"alice","exp":{}}})", clock.wall_ms() / 1000 + from_now_s);
  }
};

TEST(Crypto, DecodesOnlyWholeBase64) {
  EXPECT_EQ(from_base64("YWI="), "ab");
  EXPECT_EQ(from_base64(""), "");
  for (const char* const bad : {"YWI", "YW=I", "YWI\n", "Y===", "====", "YW-_"})
    EXPECT_FALSE(from_base64(bad)) << bad;
  EXPECT_EQ(from_base64url("-_8"), "\xFB\xFF"s);
  EXPECT_FALSE(from_base64url("+/8"));
}

// RFC 7677 section 3.
TEST_F(SaslTest, ScramSha256IsThatOfTheRfc) {
  const auto salt = from_base64("W22ZaJ0SNY7soEsUEjb6gQ==");
  scram.put("user", ScramMechanism::kSha256,
            make_scram_credential(ScramMechanism::kSha256, "pencil", *salt, 4096));
  const auto exchange = server("SCRAM-SHA-256", "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0");
  const auto first = exchange->evaluate("n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
  EXPECT_EQ(first.kind, Kind::kChallenge);
  EXPECT_EQ(first.bytes,
            "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,"
            "i=4096");
  const auto last = exchange->evaluate(
      "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
      "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
  EXPECT_EQ(last.kind, Kind::kComplete);
  EXPECT_EQ(last.bytes, "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
  EXPECT_EQ(exchange->user(), "user");
}

TEST_F(SaslTest, ScramRefusesAnotherNonceAnotherProofAndAnotherForm) {
  scram.put("user", ScramMechanism::kSha256,
            make_scram_credential(ScramMechanism::kSha256, "pencil", "salt", 4096));
  const std::string zeros = to_base64(std::string(32, '\0'));
  for (const auto& [final, kind] :
       {std::pair("c=biws,r=cs,p=" + zeros, Kind::kInvalid),
        std::pair("c=biws,r=cx,p=" + zeros, Kind::kInvalid),
        std::pair("c=biws,r=cs,p=AAAA"s, Kind::kBroken), std::pair("c=biws,r=cs"s, Kind::kInvalid),
        std::pair("p=AAAA,c=biws,r=cs"s, Kind::kInvalid), std::pair(""s, Kind::kInvalid)}) {
    const auto exchange = server("SCRAM-SHA-256", "s");
    ASSERT_EQ(exchange->evaluate("n,,n=user,r=c").kind, Kind::kChallenge);
    EXPECT_EQ(exchange->evaluate(final).kind, kind) << final;
    EXPECT_EQ(exchange->evaluate("n,,n=user,r=c").kind, Kind::kInvalid) << "it was over";
  }
  for (const char* const first :
       {"", "n,,n=user", "p=x,,n=user,r=c", "n,,n=us=er,r=c", "n,,n=user,r=c,tokenauth=true",
        "n,,n=user,r=c,", "n,,n=,r=c", "n,,n=user,r=c,k", "n,,n=\xC3\xA4,r=c", "n,a=,n=user,r=c"})
    EXPECT_EQ(server("SCRAM-SHA-256")->evaluate(first).kind, Kind::kInvalid) << first;
}

TEST_F(SaslTest, ScramNamesMayHoldCommasAndEqualSigns) {
  scram.put("a,b=c", ScramMechanism::kSha512,
            make_scram_credential(ScramMechanism::kSha512, "x", "salt", 4096));
  EXPECT_EQ(server("SCRAM-SHA-512")->evaluate("n,,n=a=2Cb=3Dc,r=c").kind, Kind::kChallenge);
}

TEST_F(SaslTest, PlainTakesTheRightPasswordOnly) {
  EXPECT_EQ(plain("\0alice\0secret"s).kind, Kind::kComplete);
  EXPECT_EQ(plain("alice\0alice\0secret"s).kind, Kind::kComplete);
  EXPECT_EQ(plain("\0alice\0secres"s).bytes, "Authentication failed: Invalid username or password");
  EXPECT_EQ(plain("bob\0alice\0secret"s).kind, Kind::kRefused);
  EXPECT_EQ(plain("\0\0secret"s).bytes, "Authentication failed: username not specified");
  EXPECT_EQ(plain("\0alice\0"s).bytes, "Authentication failed: password not specified");
  EXPECT_EQ(plain(""s).bytes, "Invalid SASL/PLAIN response: expected 3 tokens, got 1");
}

TEST_F(SaslTest, OauthTakesAnUnsecuredTokenUntilItExpires) {
  const auto exchange = server("OAUTHBEARER");
  const std::string message =
      "n,,\x01"
      "auth=Bearer " +
      unsecured(claims(60)) + "\x01\x01";
  EXPECT_EQ(exchange->evaluate(message).kind, Kind::kComplete);
  EXPECT_EQ(exchange->user(), "alice");
  EXPECT_EQ(exchange->expires_ms(), clock.wall_ms() / 1000 * 1000 + 60'000);
  clock.advance(std::chrono::seconds(60));
  EXPECT_EQ(server("OAUTHBEARER")->evaluate(message).kind, Kind::kChallenge);
}

TEST_F(SaslTest, OauthRefusesABadTokenAfterTheClientHasHeardOfIt) {
  const auto exchange = server("OAUTHBEARER");
  const auto heard = exchange->evaluate(
      "n,,\x01"
      "auth=Bearer " +
      unsecured(claims(-1)) + "\x01\x01");
  EXPECT_EQ(heard.kind, Kind::kChallenge);
  EXPECT_EQ(heard.bytes, R"({"status":"invalid_token"})");
  const auto refused = exchange->evaluate("\x01");
  EXPECT_EQ(refused.kind, Kind::kRefused);
  EXPECT_EQ(refused.bytes, R"({"status":"invalid_token"})");
}

TEST_F(SaslTest, OauthWantsItsOwnForm) {
  const std::string token = unsecured(claims(60));
  for (const std::string& message : {""s, "\x01"s, "n,,"s, "n,,\x01\x01"s, "n,,\x01host=x\x01\x01"s,
                                     "n,,\x01"
                                     "auth=Bearer " +
                                         token + "\x01",
                                     "n,,\x01"
                                     "auth=Bearer\x01\x01"s,
                                     "n,,\x01k3y=x\x01"
                                     "auth=Bearer " +
                                         token + "\x01\x01"})
    EXPECT_EQ(server("OAUTHBEARER")->evaluate(message).kind, Kind::kInvalid) << message;
  EXPECT_EQ(server("OAUTHBEARER")
                ->evaluate("n,,\x01"
                           "auth=Basic " +
                           token + "\x01\x01")
                .kind,
            Kind::kBroken);
  EXPECT_EQ(
      server("OAUTHBEARER")
          ->evaluate("n,a=bob,\x01"
                     "auth=Bearer " +
                     token + "\x01\x01")
          .bytes,
      "Authentication failed: Client requested an authorization id (bob) that is different from "
      "the token's principal name (alice)");
}

}  // namespace
}  // namespace ktrial::fakebroker

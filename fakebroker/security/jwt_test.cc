// SPDX-License-Identifier: Apache-2.0
// Signed tokens: those of RFC 7515's appendix, whose keys are public, and what makes one bad.
#include "fakebroker/security/jwt.h"

#include "fakebroker/security/certificates.h"
#include "fakebroker/security/crypto.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/ecdsa.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <functional>

namespace ktrial::fakebroker {
namespace {

constexpr std::int64_t kNow = 1'700'000'000'000;

std::string url(const std::string& text) {
  std::string out = to_base64(text);
  while (!out.empty() && out.back() == '=') out.pop_back();
  for (char& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return out;
}

std::string public_pem(EVP_PKEY* key) {
  const std::unique_ptr<BIO, OpensslFree<BIO_free_all>> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PUBKEY(bio.get(), key);
  char* text = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(length)};
}

std::string sign(EVP_PKEY* key, const std::string& text) {
  const std::unique_ptr<EVP_MD_CTX, OpensslFree<EVP_MD_CTX_free>> context(EVP_MD_CTX_new());
  std::size_t size = 0;
  EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size());
  std::string signature(size, '\0');
  EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes,
                 text.size());
  signature.resize(size);
  return signature;
}

// r and s side by side instead of ASN.1.
std::string as_jws(const std::string& asn1) {
  const auto* at = reinterpret_cast<const unsigned char*>(asn1.data());
  const std::unique_ptr<ECDSA_SIG, OpensslFree<ECDSA_SIG_free>> both(
      d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(asn1.size())));
  std::string out(64, '\0');
  auto* const bytes = reinterpret_cast<unsigned char*>(out.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(both.get()), bytes, 32);
  BN_bn2binpad(ECDSA_SIG_get0_s(both.get()), bytes + 32, 32);
  return out;
}

struct JwtTest : testing::Test {
  KeyPtr rsa{EVP_RSA_gen(2048)};
  KeyPtr ec{EVP_EC_gen("P-256")};
  OauthSpec spec{.keys = public_pem(rsa.get()) + public_pem(ec.get())};

  static std::string claims(const std::string& more = {}) {
    return fmt::format(R"({{"sub":"alice","iat":{},"exp":{}{}}})", kNow / 1000 - 1,
                       kNow / 1000 + 60, more);
  }
  std::string signed_by(bool elliptic, const std::string& body, const std::string& more = {}) {
    const std::string head = fmt::format(R"({{"alg":"{}"{}}})", elliptic ? "ES256" : "RS256", more);
    const std::string text = url(head) + "." + url(body);
    const std::string signature = sign(elliptic ? ec.get() : rsa.get(), text);
    return text + "." + url(elliptic ? as_jws(signature) : signature);
  }
  // What is wrong with it; empty if it is good.
  std::string fault(const std::string& token, std::int64_t now = kNow) const {
    const auto verified = JwtVerifier::make(spec).value().verify(token, now);
    return verified ? "" : verified.error().message;
  }
};

// RFC 7515 A.2 and A.3: the signatures are good, the claims are not for us ("iss":"joe").
TEST(Jwt, VerifiesTheSignaturesOfTheRfc) {
  OauthSpec spec;
  spec.principal_claim = "iss";
  spec.keys = R"({"keys":[{"kty":"oct","k":"eA"},{"kty":"RSA",
     "n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
     "e":"AQAB"},{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
     "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})";
  const JwtVerifier verifier = JwtVerifier::make(spec).value();
  const std::string claims =
      "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cn"
      "VlfQ";
  const std::string rs256 =
      "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp"
      "5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMH"
      "lb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2"
      "w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";
  const std::string es256 =
      "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
  for (const auto& [header, signature] : {std::pair(std::string("eyJhbGciOiJSUzI1NiJ9"), rs256),
                                          std::pair(std::string("eyJhbGciOiJFUzI1NiJ9"), es256)}) {
    const auto verified = verifier.verify(header + "." + claims + "." + signature, kNow);
    ASSERT_FALSE(verified);
    EXPECT_EQ(verified.error().message, "no time of issue");
    std::string other = signature;
    other[5] = other[5] == 'A' ? 'B' : 'A';
    EXPECT_EQ(verifier.verify(header + "." + claims + "." + other, kNow).error().message,
              "no key verifies its signature");
  }
}

TEST_F(JwtTest, TakesBothAlgorithms) {
  EXPECT_EQ(fault(signed_by(false, claims())), "");
  EXPECT_EQ(fault(signed_by(true, claims())), "");
}

TEST_F(JwtTest, ATokenByAnotherKeyOrWithoutSignatureIsBad) {
  const std::string token = signed_by(true, claims());
  ec.reset(EVP_EC_gen("P-256"));
  EXPECT_EQ(fault(signed_by(true, claims())), "no key verifies its signature");
  const std::string unsecured = url(R"({"alg":"none"})") + "." + url(claims()) + ".";
  EXPECT_EQ(fault(unsecured), "no key verifies its signature");
  EXPECT_EQ(fault(token.substr(0, token.size() - 8)), "no key verifies its signature");
  spec.keys.clear();
  EXPECT_EQ(fault(token), "not unsecured");
  EXPECT_EQ(fault(unsecured), "");
}

TEST_F(JwtTest, TimesCountWithAnAllowanceForClocks) {
  const std::string token = signed_by(false, claims());
  EXPECT_EQ(fault(token, kNow + 60'000), "");
  EXPECT_EQ(fault(token, kNow + 89'999), "");
  EXPECT_EQ(fault(token, kNow + 90'000), "expired");
  EXPECT_EQ(fault(token, kNow - 31'001), "issued in the future");
  spec.clock_skew = Millis(0);
  EXPECT_EQ(fault(token, kNow + 60'000), "expired");
}

TEST_F(JwtTest, IssuerAndAudienceCountIfTheyAreWanted) {
  const std::string token = signed_by(false, claims(R"(,"iss":"me","aud":["x","kafka"])"));
  spec.issuer = "me";
  spec.audiences = {"kafka"};
  EXPECT_EQ(fault(token), "");
  spec.audiences = {"other"};
  EXPECT_EQ(fault(token), "for another audience");
  spec.issuer = "you";
  EXPECT_EQ(fault(token), "another issuer");
  EXPECT_EQ(fault(signed_by(false, claims())), "another issuer");
}

TEST_F(JwtTest, NonsenseIsBad) {
  for (const std::string& token :
       {std::string(), std::string(".."), std::string("a.b"), std::string("a.b.c.d"),
        url("[]") + "." + url("{}") + ".", url("{") + "." + url("{}") + "."})
    EXPECT_NE(fault(token), "") << token;
  for (const char* const times : {R"("exp":"x")", R"("exp":1e300)", R"("exp":null)", R"("x":1)"}) {
    spec.keys.clear();
    EXPECT_EQ(fault(url(R"({"alg":"none"})") + "." +
                    url(fmt::format(R"({{"sub":"a",{}}})", times)) + "."),
              "no time of expiry");
  }
}

TEST(Jwt, KeysThatAreNoneAreToldSo) {
  for (const char* const keys : {"x", "{}", R"({"keys":5})", R"({"keys":[5]})", R"({"keys":[]})",
                                 R"({"keys":[{"kty":"RSA","n":"!","e":"AQAB"}]})", "{",
                                 R"({"keys":[{"kty":"EC","crv":"P-256","x":"eA","y":"eA"}]})"})
    EXPECT_FALSE(JwtVerifier::make({.keys = keys})) << keys;
}

}  // namespace
}  // namespace ktrial::fakebroker

// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/security/tls_context.h"

#include "fakebroker/security/certificates.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace ktrial::fakebroker {

struct TlsContexts::KeyLog {
  std::ofstream file;
  std::function<void(std::string_view)> observer;
};

namespace {

SSL_CTX* new_context() {
  SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
  // As Kafka's ssl.enabled.protocols.
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  // A write may take a part, and be tried again from elsewhere; an idle connection holds no buffer.
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  // A broker's sessions do not outlive their connections.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  return context;
}

Result<void> write_file(const std::filesystem::path& path, const std::string& text, bool secret) {
  std::ofstream file(path, std::ios::trunc);
  if (file && secret) {
    std::error_code ignored;
    std::filesystem::permissions(
        path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, ignored);
  }
  file << text;
  file.flush();
  if (!file) return fail(Errc::kIo, "cannot write " + path.string());
  return {};
}

int key_log_index() {
  static const int kIndex = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return kIndex;
}

}  // namespace

TlsContexts::TlsContexts()
    : none_(new_context()), requested_(new_context()), required_(new_context()) {
  SSL_CTX_set_verify(requested_.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_verify(required_.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
}

TlsContexts::~TlsContexts() = default;

std::vector<SSL_CTX*> TlsContexts::all() const {
  return {none_.get(), requested_.get(), required_.get()};
}

SSL_CTX* TlsContexts::of(ClientAuth auth) const {
  if (auth == ClientAuth::kNone) return none_.get();
  return auth == ClientAuth::kRequested ? requested_.get() : required_.get();
}

Result<std::unique_ptr<TlsContexts>> TlsContexts::make(const TlsSpec& spec,
                                                       const std::vector<std::string>& hosts) {
  if (spec.certificate_file.empty() != spec.key_file.empty())
    return fail(Errc::kInvalidArgument, "TLS wants a certificate with its key, or neither");
  std::unique_ptr<TlsContexts> made(new TlsContexts());
  KTRIAL_TRY(spec.certificate_file.empty() ? made->use_made(spec, hosts) : made->use_files(spec));
  KTRIAL_TRY(made->log_keys(spec));
  return made;
}

Result<void> TlsContexts::use_files(const TlsSpec& spec) {
  const bool asks = spec.client_auth != ClientAuth::kNone;
  if (asks && spec.client_ca_file.empty()) {
    return fail(Errc::kInvalidArgument,
                "with a certificate of your own, clients' certificates need a CA of yours, too");
  }
  for (SSL_CTX* const context : all()) {
    const bool good =
        SSL_CTX_use_certificate_chain_file(context, spec.certificate_file.c_str()) == 1 &&
        SSL_CTX_use_PrivateKey_file(context, spec.key_file.c_str(), SSL_FILETYPE_PEM) == 1 &&
        SSL_CTX_check_private_key(context) == 1;
    if (!good) {
      return fail(Errc::kInvalidArgument, fmt::format("{} and {}: {}", spec.certificate_file,
                                                      spec.key_file, openssl_fault()));
    }
    if (!spec.client_ca_file.empty() &&
        SSL_CTX_load_verify_file(context, spec.client_ca_file.c_str()) != 1)
      return fail(Errc::kInvalidArgument, spec.client_ca_file + ": " + openssl_fault());
  }
  return {};
}

Result<void> TlsContexts::use_made(const TlsSpec& spec, const std::vector<std::string>& hosts) {
  const auto authority = CertificateAuthority::make();
  if (!authority) return tl::unexpected<Error>(authority.error());
  const auto server = authority->issue_server(hosts);
  if (!server) return tl::unexpected<Error>(server.error());
  const auto client = authority->issue_client("client");
  if (!client) return tl::unexpected<Error>(client.error());
  ca_pem_ = authority->identity().certificate_pem();
  client_pem_ = client->certificate_pem();
  client_key_pem_ = client->key_pem();
  for (SSL_CTX* const context : all()) {
    SSL_CTX_use_certificate(context, server->certificate.get());
    SSL_CTX_use_PrivateKey(context, server->key.get());
    if (spec.client_ca_file.empty()) {
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority->identity().certificate.get());
      SSL_CTX_add_client_CA(context, authority->identity().certificate.get());
    } else if (SSL_CTX_load_verify_file(context, spec.client_ca_file.c_str()) != 1) {
      return fail(Errc::kInvalidArgument, spec.client_ca_file + ": " + openssl_fault());
    }
  }
  return spec.write_to.empty() ? Result<void>() : write_files(spec.write_to);
}

Result<void> TlsContexts::write_files(const std::string& folder) const {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(Errc::kIo, fmt::format("cannot make {}: {}", folder, error.message()));
  const std::filesystem::path into(folder);
  KTRIAL_TRY(write_file(into / "ca.pem", ca_pem_, false));
  KTRIAL_TRY(write_file(into / "client.pem", client_pem_, false));
  KTRIAL_TRY(write_file(into / "client.key", client_key_pem_, true));
  // What Java wants as ssl.keystore.location of type PEM.
  return write_file(into / "client-keystore.pem", client_key_pem_ + client_pem_, true);
}

Result<void> TlsContexts::log_keys(const TlsSpec& spec) {
  if (spec.key_log_file.empty() && !spec.on_key_log) return {};
  key_log_ = std::make_unique<KeyLog>();
  key_log_->observer = spec.on_key_log;
  if (!spec.key_log_file.empty()) {
    key_log_->file.open(spec.key_log_file, std::ios::app);
    if (!key_log_->file) return fail(Errc::kIo, "cannot write " + spec.key_log_file);
  }
  for (SSL_CTX* const context : all()) {
    SSL_CTX_set_ex_data(context, key_log_index(), key_log_.get());
    SSL_CTX_set_keylog_callback(context, [](const SSL* session, const char* line) {
      auto* const log =
          static_cast<KeyLog*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), key_log_index()));
      if (log->file.is_open()) log->file << line << '\n' << std::flush;
      if (log->observer) log->observer(line);
    });
  }
  return {};
}

}  // namespace ktrial::fakebroker

// SPDX-License-Identifier: Apache-2.0
// Writes seeds for the fuzz targets that read requests and responses: make_seeds TARGET FOLDER.
// One file per API and version, with every field filled, as the target reads it.
#include "protocol/api_info.h"
#include "protocol/fill_visitor.h"
#include "protocol/header.h"
#include "protocol/messages/all_messages.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace ktrial::protocol {
namespace {

using Bytes = std::vector<std::uint8_t>;

void append_integer(Bytes& to, std::uint32_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    to.push_back(static_cast<std::uint8_t>(value >> static_cast<unsigned>(shift)));
}

void append(Bytes& to, const Bytes& more) { to.insert(to.end(), more.begin(), more.end()); }

// As the target's comment says that its input looks.
Bytes framed(const std::string& target, const Bytes& frame) {
  Bytes out;
  if (target == "handlers_fuzz") append_integer(out, static_cast<std::uint32_t>(frame.size()), 2);
  if (target == "connection_fuzz") {
    out.push_back(1);
    append_integer(out, static_cast<std::uint32_t>(frame.size()), 4);
  }
  append(out, frame);
  return out;
}

template <class Message>
Bytes request_frame(std::int16_t version) {
  Writer writer;
  encode_request_header({Message::kApiKey, version, 1, "seed"}, writer);
  encode(filled<Message>(version, false), version, writer);
  return std::move(writer).take();
}

template <class Message>
Bytes response_input(std::int16_t version) {
  const auto apis = all_apis();
  const auto api = std::ranges::find(apis, Message::kApiKey, &ApiInfo::key);
  Bytes out{static_cast<std::uint8_t>(api - apis.begin()),
            static_cast<std::uint8_t>(version - api->min_version)};
  append(out, encode_to_bytes(filled<Message>(version, false), version));
  return out;
}

template <class Message>
void write_seeds(const std::string& target, const std::string& folder) {
  if constexpr (requires { Message::kApiKey; }) {
    const bool wanted =
        Message::kName.ends_with(target == "decode_response_fuzz" ? "Response" : "Request");
    if (!wanted) return;
    for (std::int16_t version = Message::kMinVersion; version <= Message::kMaxVersion; ++version) {
      const Bytes input = target == "decode_response_fuzz"
                              ? response_input<Message>(version)
                              : framed(target, request_frame<Message>(version));
      std::ofstream file(folder + "/" + std::string(Message::kName) + "-" + std::to_string(version),
                         std::ios::binary);
      file.write(reinterpret_cast<const char*>(input.data()),
                 static_cast<std::streamsize>(input.size()));
    }
  }
}

}  // namespace
}  // namespace ktrial::protocol

int main(int argc, char** argv) {
  using namespace ktrial::protocol;  // NOLINT(google-build-using-namespace)
  if (argc != 3) {
    std::cerr << "usage: make_seeds TARGET FOLDER\n";
    return 2;
  }
  const std::string target = argv[1];
  const std::string folder = argv[2];
#define KTRIAL_WRITE_SEEDS(Message) write_seeds<Message>(target, folder);
  KTRIAL_ALL_MESSAGES(KTRIAL_WRITE_SEEDS)
#undef KTRIAL_WRITE_SEEDS
  return 0;
}

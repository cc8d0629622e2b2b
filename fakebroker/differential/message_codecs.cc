// SPDX-License-Identifier: Apache-2.0
#include "fakebroker/differential/message_codecs.h"

#include "fakebroker/differential/json_reader.h"
#include "fakebroker/differential/tree_visitor.h"
#include "protocol/errors.h"
#include "protocol/fill_visitor.h"
#include "protocol/messages/all_messages.h"

#include <algorithm>
#include <map>

namespace ktrial::fakebroker::differential {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct RequestCodec {
  Bytes (*encode)(const boost::json::object&, std::int16_t version, ReadNotes&);
  Bytes (*filled)(std::int16_t version, bool nulls);
  std::int16_t min_version, max_version;
};

struct ResponseCodec {
  Result<boost::json::value> (*show)(const Slice&, std::int16_t version);
};

struct Codecs {
  std::map<std::int16_t, RequestCodec> requests;
  std::map<std::int16_t, ResponseCodec> responses;
};

template <class Request>
Bytes encode_as(const boost::json::object& body, std::int16_t version, ReadNotes& notes) {
  Request request;
  JsonReader reader(body, version, version >= Request::kFlexibleFrom, notes);
  Request::fields(request, reader, version);
  reader.finish();
  return protocol::encode_to_bytes(request, version);
}

template <class Request>
Bytes filled_as(std::int16_t version, bool nulls) {
  return protocol::encode_to_bytes(protocol::filled<Request>(version, nulls), version);
}

template <class Response>
Result<boost::json::value> show_as(const Slice& body, std::int16_t version) {
  const auto response = protocol::decode<Response>(body, version);
  KTRIAL_TRY(response);
  boost::json::object object;
  TreeVisitor visitor(version, version >= Response::kFlexibleFrom, object);
  Response::fields(*response, visitor, version);
  return object;
}

template <class Message>
void add(Codecs& to) {
  if constexpr (requires { Message::kApiKey; }) {
    if (Message::kName.ends_with("Request")) {
      to.requests[Message::kApiKey] = {&encode_as<Message>, &filled_as<Message>,
                                       Message::kMinVersion, Message::kMaxVersion};
    } else {
      to.responses[Message::kApiKey] = {&show_as<Message>};
    }
  }
}

const Codecs& codecs() {
  static const Codecs all = [] {
    using namespace protocol;
    Codecs made;
#define KTRIAL_ROW(Message) add<Message>(made);
    KTRIAL_ALL_MESSAGES(KTRIAL_ROW)
#undef KTRIAL_ROW
    return made;
  }();
  return all;
}

// A version that the codec does not know is sent in the nearest that it does.
std::int16_t known(const RequestCodec& codec, std::int16_t version) {
  return std::clamp(version, codec.min_version, codec.max_version);
}

}  // namespace

Result<Bytes> encode_request(std::int16_t key, std::int16_t version,
                             const boost::json::object& body) {
  const RequestCodec& codec = codecs().requests.at(key);
  ReadNotes notes;
  Bytes bytes = codec.encode(body, known(codec, version), notes);
  if (!notes.fault.empty()) return fail(Errc::kInvalidArgument, notes.fault);
  for (std::int16_t other = codec.min_version; other <= codec.max_version && !notes.unknown.empty();
       ++other) {
    ReadNotes others;
    codec.encode(body, other, others);
    std::erase_if(notes.unknown, [&](const auto& path) { return !others.unknown.contains(path); });
  }
  if (!notes.unknown.empty()) {
    return fail(Errc::kInvalidArgument, "no version has " + *notes.unknown.begin());
  }
  return bytes;
}

Bytes filled_request(std::int16_t key, std::int16_t version, bool nulls) {
  const RequestCodec& codec = codecs().requests.at(key);
  return codec.filled(known(codec, version), nulls);
}

Result<boost::json::value> show_response(std::int16_t key, std::int16_t version,
                                         const Slice& body) {
  constexpr std::int16_t kApiVersions = 18;
  // What a broker answers to a version of ApiVersions that it does not know: always the first.
  const bool refused = key == kApiVersions && body.size() > 1 && body.data()[0] == 0 &&
                       body.data()[1] == protocol::code(protocol::KafkaError::kUnsupportedVersion);
  return codecs().responses.at(key).show(body, refused ? std::int16_t{0} : version);
}

}  // namespace ktrial::fakebroker::differential

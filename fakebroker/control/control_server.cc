// SPDX-License-Identifier: Apache-2.0
// The one translation unit that sees Boost.Beast.
#include "fakebroker/control/control_server.h"

#include "fakebroker/control/control_api.h"
#include "fakebroker/control/control_target.h"
#include "fakebroker/control/event_hub.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/src.hpp>
#include <boost/beast/websocket.hpp>
#include <fmt/core.h>

#include <deque>
#include <set>
#include <thread>
#include <utility>

namespace ktrial::fakebroker {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kMostConnections = 64;
constexpr std::uint32_t kHeaderLimit = 8 * 1024;
constexpr std::uint64_t kBodyLimit = 1024 * 1024;
constexpr std::size_t kClientMessageLimit = 1024;  // subscribers have nothing to say
constexpr std::size_t kQueueLimit = 10'000;        // events that a slow subscriber may be behind
constexpr std::chrono::seconds kPatience{30};
constexpr std::string_view kEvents = "/v1/events";
// The live page runs its own scripts and no others, whatever clients call themselves.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
constexpr int kTooLarge = 413;
constexpr int kHeadersTooLarge = 431;

using Parser = http::request_parser<http::string_body>;
using Request = http::request<http::string_body>;

// The time that this takes says nothing of where the texts differ.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

bool is_local_name(std::string_view host) {
  const bool bracketed = host.starts_with('[');
  const std::size_t end = bracketed ? host.find(']') : host.rfind(':');
  std::string_view name = host.substr(bracketed ? 1 : 0, bracketed ? end - 1 : end);
  error_code bad;
  asio::ip::make_address(std::string(name), bad);
  return !bad || name == "localhost";
}

// What both kinds of sessions need of the server.
struct Services {
  ControlApi api;
  std::string token;
  std::shared_ptr<EventHub> hub;
  std::set<class EventSession*> subscribers;
  std::size_t connections = 0;
};

class EventSession : public std::enable_shared_from_this<EventSession> {
 public:
  EventSession(beast::tcp_stream stream, Services& services)
      : socket_(std::move(stream)), services_(services) {}
  ~EventSession() { --services_.connections; }
  EventSession(const EventSession&) = delete;
  EventSession& operator=(const EventSession&) = delete;

  void start(const Request& request) {
    beast::get_lowest_layer(socket_).expires_never();
    socket_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    socket_.read_message_max(kClientMessageLimit);
    socket_.async_accept(request, [self = shared_from_this()](error_code error) {
      if (error) return;
      self->services_.subscribers.insert(self.get());
      self->services_.hub->subscribed();
      self->subscribed_ = true;
      self->read();
    });
  }

  void send(const EventText& text) {
    if (queue_.size() >= kQueueLimit) {
      ++missed_;
      return;
    }
    if (missed_ > 0) {
      queue_.push_back(std::make_shared<const std::string>(
          fmt::format(R"({{"kind":"missed","count":{}}})", std::exchange(missed_, 0))));
    }
    queue_.push_back(text);
    if (!writing_) write();
  }

 private:
  // Only to notice that the subscriber has gone.
  void read() {
    socket_.async_read(buffer_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->leave();
      self->buffer_.clear();
      self->read();
    });
  }
  void write() {
    writing_ = true;
    socket_.text(true);
    socket_.async_write(asio::buffer(*queue_.front()),
                        [self = shared_from_this()](error_code error, std::size_t) {
                          self->writing_ = false;
                          self->queue_.pop_front();
                          if (error) return self->leave();
                          if (!self->queue_.empty()) self->write();
                        });
  }
  void leave() {
    if (!std::exchange(subscribed_, false)) return;
    services_.subscribers.erase(this);
    services_.hub->unsubscribed();
  }

  websocket::stream<beast::tcp_stream> socket_;
  Services& services_;
  beast::flat_buffer buffer_;
  std::deque<EventText> queue_;
  std::size_t missed_ = 0;
  bool writing_ = false;
  bool subscribed_ = false;
};

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(tcp::socket socket, Services& services)
      : stream_(std::move(socket)), services_(services) {}
  ~HttpSession() {
    if (!upgraded_) --services_.connections;
  }
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  void read() {
    parser_.emplace();
    parser_->header_limit(kHeaderLimit);
    parser_->body_limit(kBodyLimit);
    stream_.expires_after(kPatience);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (error) return self->broken(error);
                       self->take(self->parser_->release());
                     });
  }

 private:
  static ControlResponse problem(int status, std::string_view message) {
    return {.status = status, .body = fmt::format(R"({{"error":{{"message":"{}"}}}})", message)};
  }

  void broken(const error_code& error) {
    if (error == http::error::body_limit)
      return answer(problem(kTooLarge, "a body is at most 1 MiB"), 11, false);
    if (error == http::error::header_limit)
      return answer(problem(kHeadersTooLarge, "a header is at most 8 KiB"), 11, false);
    if (error.category() == make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message)
      return answer(problem(400, "this is not HTTP"), 11, false);
  }

  void take(Request request) {
    const bool keep = request.keep_alive();
    const unsigned version = request.version();
    auto target =
        ControlTarget::parse(std::string_view(request.target().data(), request.target().size()));
    if (const auto refused = refusal(request, target)) return answer(*refused, version, keep);
    if (target && target->path() == kEvents) {
      if (!websocket::is_upgrade(request))
        return answer(problem(426, "events come over WebSocket"), version, keep);
      upgraded_ = true;
      std::make_shared<EventSession>(std::move(stream_), services_)->start(request);
      return;
    }
    answer(services_.api.handle({std::string(request.method_string()),
                                 std::string(request.target()), std::move(request.body())}),
           version, keep);
  }

  // Who may not ask: without the token, or a page of somebody else's in the user's browser.
  std::optional<ControlResponse> refusal(const Request& request,
                                         const Result<ControlTarget>& target) const {
    const std::string_view host(request[http::field::host].data(),
                                request[http::field::host].size());
    const std::string_view origin(request[http::field::origin].data(),
                                  request[http::field::origin].size());
    const bool foreign_page = !origin.empty() && origin != fmt::format("http://{}", host);
    if (foreign_page) return problem(403, "not for pages of another origin");
    if (services_.token.empty()) {
      return is_local_name(host) ? std::nullopt
                                 : std::optional(problem(403, "not under this host name"));
    }
    if (target && ControlApi::is_of_the_page(target->path())) return std::nullopt;
    const std::string_view sent(request[http::field::authorization].data(),
                                request[http::field::authorization].size());
    const std::string asked = target ? target->query("token").value_or("") : "";
    if (same_secret(sent, "Bearer " + services_.token) || same_secret(asked, services_.token))
      return std::nullopt;
    return problem(401, "a token is needed: Authorization: Bearer TOKEN");
  }

  void answer(ControlResponse response, unsigned version, bool keep) {
    auto message = std::make_shared<http::response<http::string_body>>();
    message->version(version);
    message->result(static_cast<unsigned>(response.status));
    if (!response.body.empty()) message->set(http::field::content_type, response.content_type);
    if (!response.allow.empty()) message->set(http::field::allow, response.allow);
    if (response.status == 401) message->set(http::field::www_authenticate, "Bearer");
    message->set(http::field::cache_control, "no-store");
    message->set("Content-Security-Policy", kPolicy);
    message->set("X-Content-Type-Options", "nosniff");
    message->set("Referrer-Policy", "no-referrer");  // an address may have a token in it
    message->keep_alive(keep);
    message->body() = std::move(response.body);
    message->prepare_payload();
    stream_.expires_after(kPatience);
    http::async_write(stream_, *message,
                      [self = shared_from_this(), message](error_code error, std::size_t) {
                        if (error) return;
                        if (message->keep_alive()) return self->read();
                        error_code ignored;
                        self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
                      });
  }

  beast::tcp_stream stream_;
  Services& services_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  bool upgraded_ = false;
};

}  // namespace

class ControlServer::Impl {
 public:
  Impl(Cluster& cluster, std::string token)
      : services_{ControlApi(cluster), std::move(token), {}, {}, 0}, acceptor_(context_) {
    services_.hub = std::make_shared<EventHub>([this](EventText text) {
      asio::post(context_, [this, text = std::move(text)] {
        for (EventSession* const subscriber : services_.subscribers) subscriber->send(text);
      });
    });
    cluster.on_ledger([hub = services_.hub](const LedgerEntry& entry) {
      if (hub->wanted()) hub->publish(boost::json::serialize(ControlApi::to_json(entry)));
    });
  }
  ~Impl() {
    services_.hub->close();
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<void> listen(const tcp::endpoint& at) {
    error_code bad;
    acceptor_.open(at.protocol(), bad);
    if (!bad) acceptor_.set_option(asio::socket_base::reuse_address(true), bad);
    if (!bad) acceptor_.bind(at, bad);
    if (!bad) acceptor_.listen(asio::socket_base::max_listen_connections, bad);
    if (bad)
      return fail(Errc::kIo, fmt::format("cannot listen: {}", bad.message()),
                  fmt::format("{}:{}", at.address().to_string(), at.port()));
    accept();
    thread_ = std::thread([this] { context_.run(); });
    return {};
  }
  [[nodiscard]] tcp::endpoint endpoint() const { return acceptor_.local_endpoint(); }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error && services_.connections < kMostConnections) {
        ++services_.connections;
        std::make_shared<HttpSession>(std::move(socket), services_)->read();
      }
      accept();
    });
  }

  Services services_;
  asio::io_context context_{1};  // its handlers hold sessions, which refer to the services
  tcp::acceptor acceptor_;
  std::thread thread_;
};

ControlServer::ControlServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ControlServer::~ControlServer() = default;

Result<std::unique_ptr<ControlServer>> ControlServer::start(Cluster& cluster,
                                                            ControlOptions options) {
  error_code bad;
  const auto address = asio::ip::make_address(options.host, bad);
  if (bad) return fail(Errc::kInvalidArgument, "not an IP address: " + options.host);
  if (!address.is_loopback() && options.token.empty()) {
    return fail(Errc::kInvalidArgument,
                "others can reach " + options.host + ": a token is needed there");
  }
  auto impl = std::make_unique<Impl>(cluster, std::move(options.token));
  KTRIAL_TRY(impl->listen({address, options.port}));
  return std::unique_ptr<ControlServer>(new ControlServer(std::move(impl)));
}

std::string ControlServer::url() const {
  const tcp::endpoint at = impl_->endpoint();
  const std::string host = at.address().to_string();
  return fmt::format("http://{}:{}/", at.address().is_v6() ? "[" + host + "]" : host, at.port());
}

}  // namespace ktrial::fakebroker

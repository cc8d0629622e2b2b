// SPDX-License-Identifier: Apache-2.0
#include "capture/analyzer.h"

#include "capture/flow.h"
#include "capture/flow_table.h"
#include "capture/link_layer.h"
#include "capture/note_codec.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ktrial::capture {

class Analyzer::Impl {
 public:
  explicit Impl(AnalyzerOptions options)
      : options_(std::move(options)), log_(options_.on_event, options_.keep_events) {}

  void packet(const PacketView& packet, std::uint64_t number) {
    log_.packet({packet.at_ns, number});
    const TransportView view = dissect(packet);
    if (const auto* tcp = std::get_if<TcpView>(&view)) {
      segment(*tcp);
    } else if (const auto* udp = std::get_if<UdpView>(&view)) {
      if (udp->destination.port == options_.note_port) note(*udp);
    }
  }

  void finish() {
    std::vector<Flow*> open;
    flows_.for_each([&](Flow& flow) { open.push_back(&flow); });
    std::sort(open.begin(), open.end(),
              [](const Flow* a, const Flow* b) { return a->id() < b->id(); });
    for (Flow* flow : open) flow->finish();
    if (notes_.incomplete() > 0)
      log_.problem(
          log_.now(), -1,
          std::to_string(notes_.incomplete()) + " notes lack a part at the end of the capture");
    log_.finish();
  }

  LogWriter& writer() { return log_; }

 private:
  void segment(const TcpView& tcp) {
    const FlowKey key = FlowKey::of(tcp.source, tcp.destination);
    Flow* flow = flows_.find(key);
    const bool attempt = tcp.syn && !tcp.has_ack;
    if (flow != nullptr && attempt && flow->is_other_attempt(tcp)) {
      flow->finish();
      flow = nullptr;
    }
    if (flow == nullptr) {
      // An acknowledgement alone is the tail of a connection that ended, or an idle one: the
      // first packet that says more makes it known.
      if (!tcp.syn && !tcp.fin && !tcp.rst && tcp.payload_length < 2) return;
      const bool to_server = attempt || (!tcp.syn && goes_to_server(tcp));
      const Endpoint& client = to_server ? tcp.source : tcp.destination;
      const Endpoint& server = to_server ? tcp.destination : tcp.source;
      if (tcp.syn) servers_.insert(server);
      flow = &flows_.replace(key, std::make_unique<Flow>(context_, client, server));
    }
    flow->packet(tcp);
  }

  // Which way a packet goes whose connection's SYN was not captured.
  bool goes_to_server(const TcpView& tcp) const {
    if (directory_.broker_at(tcp.destination)) return true;
    if (directory_.broker_at(tcp.source)) return false;
    if (servers_.contains(tcp.destination)) return true;
    if (servers_.contains(tcp.source)) return false;
    if (plausible_request(tcp.payload, options_.limits.max_frame)) return true;
    return tcp.destination.port < tcp.source.port;
  }

  void note(const UdpView& udp) {
    const Moment now = log_.now();
    if (!udp.complete) {
      log_.problem(now, -1, "a note is cut by the snap length");
      return;
    }
    const std::string_view payload{reinterpret_cast<const char*>(udp.payload.data()),
                                   udp.payload.size()};
    auto decoded = notes_.datagram(udp.source.to_string(), payload);
    if (!decoded) {
      log_.problem(now, -1, decoded.error().message);
      return;
    }
    if (!decoded->has_value()) return;
    boost::json::object& object = **decoded;
    const auto* type = object.if_contains("e");
    if (type == nullptr || !type->is_string()) {
      log_.problem(now, -1, "a note without an event type \"e\"");
      return;
    }
    Event event;
    event.at_ns = now.at_ns;
    event.packet = now.packet;
    event.type = std::string(std::string_view(type->get_string()));
    object.erase("e");
    if (event.type == "layout") directory_.layout(object);
    if (event.type == "call.begin") call_begins(object);
    if (const auto* broker = object.if_contains("broker"); broker != nullptr && broker->is_int64())
      event.broker = static_cast<int>(broker->get_int64());
    event.data = std::move(object);
    log_.emit(std::move(event));
  }

  void call_begins(const boost::json::object& note) {
    const auto* call = note.if_contains("call");
    const auto* args = note.if_contains("args");
    if (call == nullptr || *call != "create" || args == nullptr || !args->is_object()) return;
    const auto* config = args->get_object().if_contains("config");
    if (config == nullptr || !config->is_object()) return;
    const auto* id = config->get_object().if_contains("client.id");
    if (id != nullptr && id->is_string()) roles_.client_created(std::string_view(id->get_string()));
  }

  AnalyzerOptions options_;
  LogWriter log_;
  BrokerDirectory directory_;
  Roles roles_;
  AnalysisContext context_{options_, log_, directory_, roles_};
  NoteDecoder notes_;
  FlowTable<Flow> flows_;
  std::unordered_set<Endpoint, EndpointHash> servers_;
};

Analyzer::Analyzer(AnalyzerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Analyzer::~Analyzer() = default;

void Analyzer::packet(const PacketView& packet, std::uint64_t number) {
  impl_->packet(packet, number);
}
void Analyzer::finish() { impl_->finish(); }
const EventLog& Analyzer::log() const { return impl_->writer().log(); }
EventLog Analyzer::take_log() { return std::move(impl_->writer().log()); }
std::uint64_t Analyzer::event_count() const { return impl_->writer().emitted(); }
void Analyzer::set_dropped(std::uint64_t packets) { impl_->writer().log().stats.dropped = packets; }
void Analyzer::source_problem(std::string_view text) {
  if (!text.empty()) impl_->writer().log().stats.problems.emplace_back(text);
}

}  // namespace ktrial::capture

// SPDX-License-Identifier: Apache-2.0
// closer: who ended a connection, how, and whether requests were unanswered then.
#include "harness/check/primitives.h"
#include "harness/check/selector_reader.h"

#include <algorithm>

namespace ktrial::harness {

namespace {

class Closer final : public Check {
 public:
  Closer(std::shared_ptr<const Selector> of, std::string who, std::vector<std::string> kinds,
         std::optional<bool> pending)
      : of_(std::move(of)), who_(std::move(who)), kinds_(std::move(kinds)), pending_(pending) {}

  Outcome judge(const JudgeContext& context) const override {
    Outcome out;
    std::vector<const capture::Connection*> conns;
    if (of_ != nullptr) {
      const Selection found = select(*of_, context.view, context.subject);
      if (not_reached(found, context.view, out)) return out;
      conns = found.conns;
      if (conns.empty()) {
        out.verdict = Verdict::kFail;
        out.measured = false;
        out.sentence = "there is no " + of_->text();
        return out;
      }
    } else if (context.subject.conn != nullptr) {
      conns.push_back(context.subject.conn);
    }
    out.measured = true;
    for (const auto* conn : conns) one(*conn, context.view, out);
    return out;
  }

  std::string expanded() const override {
    std::string out = "closer";
    if (of_ != nullptr) out += " of " + of_->text();
    if (!who_.empty()) out += " is " + who_;
    for (std::size_t i = 0; i < kinds_.size(); ++i) out += (i == 0 ? " by " : "|") + kinds_[i];
    if (pending_) out += *pending_ ? " with requests unanswered" : " with nothing unanswered";
    return out;
  }

 private:
  void one(const capture::Connection& conn, const LogView& view, Outcome& out) const {
    out.conns.insert(conn.id);
    std::string wrong;
    const auto also = [&](const std::string& text) { wrong += (wrong.empty() ? "" : ", ") + text; };
    if (conn.closer.empty()) {
      also("is still open");
    } else {
      if (!who_.empty() && conn.closer != who_) also("ended by " + conn.closer + ", not " + who_);
      if (!kinds_.empty() && std::find(kinds_.begin(), kinds_.end(), kind_of(conn)) == kinds_.end())
        also("ended by " + kind_of(conn) + ", not " + kinds_.front());
      if (pending_ && conn.pending_data != *pending_)
        also(conn.pending_data ? "a request was unanswered" : "no request was unanswered");
    }
    if (!out.sentence.empty()) out.sentence += "; ";
    out.sentence +=
        view.describe(conn) + " " + (wrong.empty() ? seen(conn) : wrong) + ends(conn, view);
    if (conn.client_end_packet != 0)
      out.evidence.push_back(
          end(conn, "client", conn.client_fin_ns, conn.client_rst_ns, conn.client_end_packet));
    if (conn.broker_end_packet != 0)
      out.evidence.push_back(
          end(conn, "broker", conn.broker_fin_ns, conn.broker_rst_ns, conn.broker_end_packet));
    if (conn.closer.empty()) out.evidence.push_back(connection_evidence(conn, view));
    if (wrong.empty()) return;
    out.verdict = Verdict::kFail;
    out.measured = false;
  }

  // How the closing side ended it: "half" is a FIN that the peer has not answered.
  static std::string kind_of(const capture::Connection& conn) {
    return conn.close_kind == "half" ? "fin" : conn.close_kind;
  }
  static std::string seen(const capture::Connection& conn) {
    return "ended by " + conn.closer + " (" + conn.close_kind + ")" +
           (conn.pending_data ? " with a request unanswered" : "");
  }
  static std::string ends(const capture::Connection& conn, const LogView&) {
    std::string out;
    if (conn.client_end_packet != 0)
      out += ", client's end in packet " + std::to_string(conn.client_end_packet);
    if (conn.broker_end_packet != 0)
      out += ", broker's end in packet " + std::to_string(conn.broker_end_packet);
    return out;
  }
  static Evidence end(const capture::Connection& conn, const std::string& side,
                      std::optional<std::int64_t> fin, std::optional<std::int64_t> rst,
                      std::uint64_t packet) {
    const bool reset = !fin || (rst && *rst < *fin);
    return {packet, reset ? rst.value_or(0) : *fin, conn.id,
            (reset ? "RST of the " : "FIN of the ") + side};
  }

  std::shared_ptr<const Selector> of_;  // null: the connection at hand
  std::string who_;
  std::vector<std::string> kinds_;
  std::optional<bool> pending_;
};

}  // namespace

CheckPointer read_closer(Reader& reader, const Node& node, bool) {
  MapReader map(reader, node, "closer");
  std::shared_ptr<const Selector> of;
  if (const Node* selector = map.take("of")) {
    of = read_selector(reader, *selector);
    if (!of->conns) reader.error(selector->at, "closer is about connections, this selects events");
  } else if (node.is_map() && reader.each != "connections") {
    reader.error(node.at, "closer needs 'of', or an each over connections around it");
  }
  std::string who;
  const Node* side = map.take("who");
  if (side != nullptr) who = reader.word(*side, {"client", "broker"}, "side").value_or("");
  std::vector<std::string> kinds;
  const Node* kind = map.take("kind");
  if (kind != nullptr) {
    static const std::vector<std::string> kKinds{"fin", "rst", "refused"};
    for (std::string& text : reader.texts(*kind)) {
      if (std::find(kKinds.begin(), kKinds.end(), text) == kKinds.end())
        reader.error(kind->at, "unknown kind '" + text + "'" + hint(text, kKinds));
      kinds.push_back(std::move(text));
    }
  }
  std::optional<bool> pending;
  const Node* data = map.take("pending_data");
  if (data != nullptr) {
    if (reader.text(*data) == "none")
      pending = false;
    else
      pending = reader.boolean(*data);
  }
  map.finish();
  if (node.is_map() && side == nullptr && kind == nullptr && data == nullptr)
    reader.error(node.at, "closer needs who, kind or pending_data");
  return std::make_shared<Closer>(std::move(of), std::move(who), std::move(kinds), pending);
}

}  // namespace ktrial::harness

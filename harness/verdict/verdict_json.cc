// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/verdict_json.h"

namespace ktrial::harness {

namespace json = boost::json;

namespace {

json::array texts(const std::vector<std::string>& list) {
  json::array out;
  for (const std::string& each : list) out.push_back(json::string(each));
  return out;
}

json::object evidence_json(const Evidence& evidence, std::int64_t first_ns) {
  json::object out;
  out["packet"] = evidence.packet;
  out["t"] = static_cast<double>(evidence.at_ns - first_ns) / 1e9;
  if (evidence.conn >= 0) out["conn"] = evidence.conn;
  out["text"] = evidence.text;
  return out;
}

}  // namespace

json::object to_json(const CheckVerdict& check, std::int64_t first_ns) {
  json::object out;
  out["id"] = check.spec->id;
  out["level"] = to_string(check.spec->level);
  out["basis"] = check.spec->basis;
  out["verdict"] = to_string(check.verdict);
  out["sentence"] = check.sentence;
  out["requirement"] = check.spec->requirement;
  out["expanded"] = check.expanded;
  json::array evidence;
  for (const Evidence& each : check.evidence) evidence.push_back(evidence_json(each, first_ns));
  out["evidence"] = std::move(evidence);
  json::array arithmetic;
  for (const Quantity& each : check.arithmetic)
    arithmetic.push_back(
        json::object{{"name", each.name}, {"value", each.value}, {"unit", each.unit}});
  out["arithmetic"] = std::move(arithmetic);
  out["preconditions"] = texts(check.preconditions);
  out["tshark"] = check.tshark;
  out["claims"] = texts(check.spec->claims);
  if (!check.spec->decides.empty()) out["decides"] = texts(check.spec->decides);
  if (check.holds) out["holds"] = *check.holds;
  if (!check.reason.empty()) out["reason"] = check.reason;
  if (!check.measured.is_null()) out["measured"] = check.measured;
  if (check.finding) out["finding"] = true;
  return out;
}

json::array checks_json(const CaseVerdict& verdict) {
  json::array out;
  for (const CheckVerdict& check : verdict.checks) out.push_back(to_json(check, verdict.first_ns));
  return out;
}

}  // namespace ktrial::harness

// SPDX-License-Identifier: Apache-2.0
#include "core/verdict_json.h"

#include <cmath>
#include <limits>

#include "core/utf8.h"

namespace kbx {
namespace {

using Json = nlohmann::ordered_json;

Json text(const std::string& s) { return valid_utf8(s); }

Json texts(const std::vector<std::string>& list) {
  Json out = Json::array();
  for (const std::string& s : list) out.push_back(text(s));
  return out;
}

Json number(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return x;
}

Json interval(const std::optional<Interval>& i) {
  if (!i) return nullptr;
  return {{"value", number(i->value)}, {"low", number(i->low)}, {"high", number(i->high)}};
}

Json optional_number(const std::optional<double>& x) { return x ? number(*x) : Json(nullptr); }

template <typename List, typename F>
Json list(const List& items, F item) {
  Json out = Json::array();
  for (const auto& i : items) out.push_back(item(i));
  return out;
}

Json roofline(const std::optional<Roofline>& r) {
  if (!r) return nullptr;
  return {{"iou", number(r->iou)},
          {"mfu", number(r->mfu)},
          {"utilisation", number(r->utilisation)},
          {"speed_of_light", number(r->speed_of_light)},
          {"bound", name(r->bound)}};
}

Json perf_result(const PerfResult& p) {
  return {{"line", text(p.line)},
          {"baseline_seconds", number(p.baseline_seconds)},
          {"candidate_seconds", number(p.candidate_seconds)},
          {"speedup", interval(p.speedup)},
          {"class", text(p.class_)},
          {"samples", p.samples},
          {"discarded", p.discarded},
          {"baseline_call_seconds", number(p.baseline_call_seconds)},
          {"candidate_call_seconds", number(p.candidate_call_seconds)},
          {"call_speedup", interval(p.call_speedup)},
          {"roofline", roofline(p.roofline)},
          {"quarantined", text(p.quarantined)},
          {"note", text(p.note)}};
}

Json rival(const Rival& r) {
  return {{"name", text(r.name)}, {"speedup", interval(r.speedup)}, {"not_raced", text(r.not_raced)}};
}

Json counters(const Counters& c) {
  return {{"line", text(c.line)},
          {"dram_bytes", number(c.dram_bytes)},
          {"least_bytes", number(c.least_bytes)},
          {"occupancy", number(c.occupancy)},
          {"tensor_cores", number(c.tensor_cores)}};
}

Json efficiency(const std::optional<Efficiency>& e) {
  if (!e) return nullptr;
  return {{"cases", list(e->cases, perf_result)},
          {"speedup", interval(e->speedup)},
          {"withheld", text(e->withheld)},
          {"quarantined", text(e->quarantined)},
          {"call_speedup", interval(e->call_speedup)},
          {"worst", number(e->worst)},
          {"ratio_of_sums", number(e->ratio_of_sums)},
          {"utilisation", optional_number(e->utilisation)},
          {"iou", optional_number(e->iou)},
          {"mfu", optional_number(e->mfu)},
          {"speed_of_light", optional_number(e->speed_of_light)},
          {"rivals", list(e->rivals, rival)},
          {"counters", list(e->counters, counters)},
          {"caches", text(e->caches)}};
}

// The fields of an outcome that only it has.
struct Detail {
  Json operator()(const Unreadable& o) const { return {{"reason", text(o.reason)}}; }
  Json operator()(const BuildFailed& o) const { return {{"reason", text(o.reason)}}; }
  Json operator()(const NotJudged& o) const { return {{"reason", text(o.reason)}}; }
  Json operator()(const Crashed& o) const { return {{"how", text(o.how)}, {"line", text(o.line)}}; }
  Json operator()(const TimedOut& o) const { return {{"line", text(o.line)}, {"seconds", number(o.seconds)}}; }
  Json operator()(const OutOfMemory& o) const { return {{"line", text(o.line)}, {"how", text(o.how)}}; }
  Json operator()(const Dishonest& o) const { return {{"evidence", texts(o.evidence)}}; }
  Json operator()(const Correct& o) const { return {{"efficiency", efficiency(o.efficiency)}}; }
  Json operator()(const Wrong& o) const {
    return {{"line", text(o.line)},           {"contract", text(o.contract)},
            {"output", text(o.output)},       {"where", text(o.where)},
            {"detail", text(o.detail)},       {"actual", number(o.actual)},
            {"expected", number(o.expected)}, {"error", number(o.error)},
            {"budget", number(o.budget)},     {"wrong_elements", o.wrong_elements},
            {"elements", o.elements},         {"pattern", text(o.pattern)}};
  }
};

}  // namespace

Json to_json(const Verdict& v) {
  const auto* correct = std::get_if<Correct>(&v.outcome);
  const auto* wrong = std::get_if<Wrong>(&v.outcome);
  Json out;
  out["candidate"] = text(v.candidate);
  out["task"] = text(v.task);
  out["category"] = text(v.category);
  out["language"] = name(v.language);
  out["outcome"] = outcome_name(v.outcome);
  out["paper_gate"] = v.paper_gate;
  out["full_gate"] = v.full_gate;
  out["accuracy"] = correct ? Json(name(correct->accuracy)) : wrong ? Json(name(wrong->accuracy)) : Json(nullptr);
  out["authorship"] = correct ? Json(name(correct->authorship)) : Json(nullptr);
  out["own_share"] = correct ? optional_number(correct->own_share) : Json(nullptr);
  // Times that are not believed give neither of the two.
  const Interval* speedup = speedup_of(v.outcome);
  out["speedup"] = speedup ? interval(*speedup) : Json(nullptr);
  out["utilisation"] = speedup ? optional_number(correct->efficiency->utilisation) : Json(nullptr);
  out["diagnosis"] = list(v.diagnosis, [](const Diagnosis& d) -> Json {
    return {{"pattern", text(d.pattern)}, {"evidence", text(d.evidence)}, {"advice", text(d.advice)}};
  });
  out["summary"] = text(outcome_summary(v.outcome));
  out["detail"] = std::visit(Detail{}, v.outcome);
  out["digest"] = text(v.digest);
  out["entry"] = text(v.entry);
  out["cases"] = list(v.cases, [](const CaseResult& c) -> Json {
    return {{"line", text(c.line)},
            {"stage", name(c.stage)},
            {"passed", c.passed},
            {"ratio", number(c.ratio)},
            {"note", text(c.note)}};
  });
  out["kernels"] = list(v.kernels, [](const KernelReport& k) -> Json {
    return {{"name", text(k.name)},
            {"arch", text(k.arch)},
            {"registers", k.registers},
            {"shared_bytes", k.shared_bytes},
            {"spills", k.spills}};
  });
  out["gpu_kernels"] = list(v.gpu_kernels, [](const GpuKernel& k) -> Json {
    return {{"name", text(k.name)},     {"launches", k.launches},         {"seconds", number(k.seconds)},
            {"registers", k.registers}, {"shared_bytes", k.shared_bytes}, {"origin", name(k.origin)}};
  });
  out["operators"] = texts(v.operators);
  out["times"] = list(v.times, [](const StageTime& t) -> Json {
    return {{"stage", text(t.stage)}, {"seconds", number(t.seconds)}};
  });
  const Provenance& p = v.provenance;
  out["provenance"] = {{"kbx_version", text(p.kbx_version)},
                       {"policy", text(p.policy)},
                       {"gate", text(p.gate)},
                       {"device", text(p.device)},
                       {"sandbox", text(p.sandbox)},
                       {"environment", text(p.environment)},
                       {"task_digest", text(p.task_digest)},
                       {"seed", p.seed}};
  out["log"] = text(v.log);
  return out;
}

}  // namespace kbx

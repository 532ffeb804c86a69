// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/verdict_json.h"

namespace kbx {
namespace {

using nlohmann::json;

// Throws std::runtime_error; caught in verdict_from_json.
[[noreturn]] void refuse(const std::string& what) { throw std::runtime_error(what); }

const json& field(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) refuse(std::string("no field `") + key + "`");
  return *found;
}

template <typename T>
T get(const json& object, const char* key) {
  try {
    return field(object, key).get<T>();
  } catch (const json::exception&) {
    refuse(std::string("field `") + key + "` has another type");
  }
}

std::string text(const json& object, const char* key) { return get<std::string>(object, key); }

double number(const json& object, const char* key) {
  const json& value = field(object, key);
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  return get<double>(object, key);
}

template <typename Enum, size_t N>
Enum named(const json& object, const char* key, const std::array<Enum, N>& values) {
  const std::string wanted = text(object, key);
  for (Enum value : values)
    if (wanted == name(value)) return value;
  refuse(std::string("field `") + key + "` has the unknown value `" + wanted + "`");
}

constexpr std::array kLanguages{Language::triton, Language::cuda, Language::cpp};
constexpr std::array kStages{Stage::build, Stage::standard, Stage::outlier, Stage::boundary, Stage::published, Stage::measure};
constexpr std::array kAccuracies{Accuracy::exact, Accuracy::fp64, Accuracy::fp32, Accuracy::tf32,
                                 Accuracy::fp16,  Accuracy::bf16, Accuracy::poor, Accuracy::wrong};
constexpr std::array kAuthorships{Authorship::authored, Authorship::mixed, Authorship::delegated};
constexpr std::array kOrigins{KernelOrigin::own, KernelOrigin::library, KernelOrigin::neutral};
constexpr std::array kBounds{Bound::memory, Bound::compute, Bound::latency};

Interval interval(const json& i) { return {number(i, "value"), number(i, "low"), number(i, "high")}; }

std::optional<Interval> optional_interval(const json& object, const char* key) {
  const json& i = field(object, key);
  return i.is_null() ? std::nullopt : std::optional(interval(i));
}

std::optional<double> optional_number(const json& object, const char* key) {
  return field(object, key).is_null() ? std::nullopt : std::optional(number(object, key));
}

std::optional<Roofline> roofline(const json& r) {
  if (r.is_null()) return std::nullopt;
  return Roofline{number(r, "iou"), number(r, "mfu"), number(r, "utilisation"), number(r, "speed_of_light"),
                  named(r, "bound", kBounds)};
}

PerfResult perf_result(const json& p) {
  PerfResult out;
  out.line = text(p, "line");
  out.baseline_seconds = number(p, "baseline_seconds");
  out.candidate_seconds = number(p, "candidate_seconds");
  out.speedup = interval(field(p, "speedup"));
  out.class_ = text(p, "class");
  out.samples = get<int>(p, "samples");
  if (!p.contains("discarded")) return out;  // ledgers of format 1 end here
  out.discarded = get<int>(p, "discarded");
  out.baseline_call_seconds = number(p, "baseline_call_seconds");
  out.candidate_call_seconds = number(p, "candidate_call_seconds");
  out.call_speedup = optional_interval(p, "call_speedup");
  out.roofline = roofline(field(p, "roofline"));
  out.quarantined = text(p, "quarantined");
  out.note = text(p, "note");
  return out;
}

Rival rival(const json& r) { return {text(r, "name"), optional_interval(r, "speedup"), text(r, "not_raced")}; }

Counters counters(const json& c) {
  return {text(c, "line"), number(c, "dram_bytes"), number(c, "least_bytes"), number(c, "occupancy"), number(c, "tensor_cores")};
}

std::optional<Efficiency> efficiency(const json& e) {
  if (e.is_null()) return std::nullopt;
  Efficiency out;
  for (const json& p : field(e, "cases")) out.cases.push_back(perf_result(p));
  out.speedup = optional_interval(e, "speedup");
  out.withheld = text(e, "withheld");
  if (!e.contains("quarantined")) {  // ledgers of format 1 end here; caches were not flushed then
    out.caches = "warm";
    return out;
  }
  out.quarantined = text(e, "quarantined");
  out.call_speedup = optional_interval(e, "call_speedup");
  out.worst = number(e, "worst");
  out.ratio_of_sums = number(e, "ratio_of_sums");
  out.utilisation = optional_number(e, "utilisation");
  out.iou = optional_number(e, "iou");
  out.mfu = optional_number(e, "mfu");
  out.speed_of_light = optional_number(e, "speed_of_light");
  for (const json& r : field(e, "rivals")) out.rivals.push_back(rival(r));
  for (const json& c : field(e, "counters")) out.counters.push_back(counters(c));
  out.caches = text(e, "caches");
  return out;
}

Wrong wrong(const json& v, const json& d) {
  return {.line = text(d, "line"),
          .contract = text(d, "contract"),
          .output = text(d, "output"),
          .where = text(d, "where"),
          .detail = text(d, "detail"),
          .actual = number(d, "actual"),
          .expected = number(d, "expected"),
          .error = number(d, "error"),
          .budget = number(d, "budget"),
          .wrong_elements = get<int64_t>(d, "wrong_elements"),
          .elements = get<int64_t>(d, "elements"),
          .accuracy = named(v, "accuracy", kAccuracies),
          .pattern = text(d, "pattern")};
}

Outcome outcome(const json& v) {
  const std::string what = text(v, "outcome");
  const json& d = field(v, "detail");
  if (what == "unreadable") return Unreadable{text(d, "reason")};
  if (what == "build_failed") return BuildFailed{text(d, "reason")};
  if (what == "crashed") return Crashed{text(d, "how"), text(d, "line")};
  if (what == "timed_out") return TimedOut{text(d, "line"), number(d, "seconds")};
  if (what == "out_of_memory") return OutOfMemory{text(d, "line"), text(d, "how")};
  if (what == "wrong") return wrong(v, d);
  if (what == "dishonest") return Dishonest{get<std::vector<std::string>>(d, "evidence")};
  if (what == "correct") {
    Correct correct{named(v, "accuracy", kAccuracies), named(v, "authorship", kAuthorships), efficiency(field(d, "efficiency"))};
    if (v.contains("own_share") && !v["own_share"].is_null()) correct.own_share = number(v, "own_share");
    return correct;
  }
  if (what == "not_judged") return NotJudged{text(d, "reason")};
  refuse("field `outcome` has the unknown value `" + what + "`");
}

Verdict verdict(const json& v) {
  Verdict out;
  out.candidate = text(v, "candidate");
  out.task = text(v, "task");
  out.category = text(v, "category");
  out.digest = text(v, "digest");
  out.language = named(v, "language", kLanguages);
  out.outcome = outcome(v);
  out.entry = text(v, "entry");
  out.paper_gate = get<bool>(v, "paper_gate");
  out.full_gate = get<bool>(v, "full_gate");
  for (const json& c : field(v, "cases"))
    out.cases.push_back(
        {text(c, "line"), named(c, "stage", kStages), get<bool>(c, "passed"), number(c, "ratio"), text(c, "note")});
  for (const json& d : field(v, "diagnosis"))
    out.diagnosis.push_back({text(d, "pattern"), text(d, "evidence"), text(d, "advice")});
  for (const json& k : field(v, "kernels"))
    out.kernels.push_back(
        {text(k, "name"), text(k, "arch"), get<int>(k, "registers"), get<int>(k, "shared_bytes"), get<int>(k, "spills")});
  // Ledgers from before these two fields lack them.
  for (const json& k : v.value("gpu_kernels", json::array()))
    out.gpu_kernels.push_back({text(k, "name"), get<int64_t>(k, "launches"), number(k, "seconds"), get<int>(k, "registers"),
                               get<int>(k, "shared_bytes"), named(k, "origin", kOrigins)});
  out.operators = get<std::vector<std::string>>(v, "operators");
  for (const json& t : field(v, "times")) out.times.push_back({text(t, "stage"), number(t, "seconds")});
  const json& p = field(v, "provenance");
  out.provenance = {text(p, "kbx_version"), text(p, "policy"),      text(p, "gate"),        text(p, "device"),
                    text(p, "sandbox"),     text(p, "environment"), text(p, "task_digest"), get<uint64_t>(p, "seed")};
  out.log = text(v, "log");
  return out;
}

}  // namespace

Result<Verdict> verdict_from_json(const json& v) {
  if (!v.is_object()) return Error{"a verdict is a JSON object", ""};
  try {
    return verdict(v);
  } catch (const std::exception& e) {
    return Error{std::string("not a verdict: ") + e.what(), ""};
  }
}

}  // namespace kbx

// SPDX-License-Identifier: Apache-2.0
#include "runner/messages.h"

#include <fmt/format.h>

namespace kbx {
namespace {

constexpr size_t kMaxLeaves = 64;

bool is(const wire::Reader& reader, wire::Type type) { return !reader.bad() && reader.type() == type; }

}  // namespace

std::string load_message(const LoadRequest& request) {
  wire::Writer w(wire::Type::load);
  w.u8(static_cast<uint8_t>(request.role)).str(request.path);
  put(w, request.entries);
  w.str(request.schema).u8(request.flags).u32(request.arch).str(request.options);
  return w.finish();
}

std::optional<uint32_t> parse_ready(const std::string& message) {
  wire::Reader r(message);
  if (!is(r, wire::Type::ready)) return std::nullopt;
  const uint32_t layers = r.u32();
  r.u64();
  if (!r.at_end()) return std::nullopt;
  return layers;
}

std::optional<Loaded> parse_loaded(const std::string& message) {
  wire::Reader r(message);
  if (!is(r, wire::Type::loaded)) return std::nullopt;
  Loaded loaded;
  loaded.entry = r.str();
  loaded.how = r.str();
  if (!r.at_end()) return std::nullopt;
  return loaded;
}

std::optional<Failed> parse_failed(const std::string& message) {
  wire::Reader r(message);
  if (!is(r, wire::Type::failed)) return std::nullopt;
  Failed failed{};
  const uint8_t at = r.u8();
  failed.at = static_cast<wire::FailedAt>(at);
  failed.kind = r.str();
  failed.message = r.str();
  failed.excerpt = r.str();
  failed.line = static_cast<int>(r.u32());
  const bool known =
      at >= static_cast<uint8_t>(wire::FailedAt::import) && at <= static_cast<uint8_t>(wire::FailedAt::unsupported);
  if (!known || failed.line < 0 || !r.at_end()) return std::nullopt;
  return failed;
}

bool parse_prepared(const std::string& message) {
  wire::Reader r(message);
  return is(r, wire::Type::prepared) && r.at_end();
}

std::optional<ReturnedCalls> parse_returned(const std::string& message, size_t calls) {
  wire::Reader r(message);
  if (!is(r, wire::Type::returned) || r.u32() != calls) return std::nullopt;
  ReturnedCalls result;
  for (size_t i = 0; i < calls && !r.bad(); ++i) {
    Returned returned;
    returned.claimed_ns = r.u64();
    returned.delivered = r.u8() != 0;
    const uint32_t leaves = r.u32();
    if (leaves > kMaxLeaves) return std::nullopt;
    for (uint32_t k = 0; k < leaves && !r.bad(); ++k) {
      returned.leaves.push_back(get_leaf(r));
      if (returned.leaves.back().kind > wire::Leaf::other) return std::nullopt;
    }
    result.calls.push_back(std::move(returned));
  }
  result.bad_accesses = r.u32();
  if (!r.at_end()) return std::nullopt;
  return result;
}

std::optional<std::vector<uint64_t>> parse_timed(const std::string& message, size_t times) {
  wire::Reader r(message);
  if (!is(r, wire::Type::timed) || r.u32() != times) return std::nullopt;
  std::vector<uint64_t> claimed;
  for (size_t i = 0; i < times && !r.bad(); ++i) claimed.push_back(r.u64());
  if (!r.at_end()) return std::nullopt;
  return claimed;
}

std::optional<std::string> parse_reported(const std::string& message) {
  wire::Reader r(message);
  if (!is(r, wire::Type::reported)) return std::nullopt;
  std::string json = r.str();
  if (!r.at_end()) return std::nullopt;
  return json;
}

std::optional<std::vector<HarvestEntry>> parse_harvested(const std::string& message) {
  wire::Reader r(message);
  if (!is(r, wire::Type::harvested)) return std::nullopt;
  std::vector<HarvestEntry> entries;
  const uint32_t count = r.u32();
  for (uint32_t i = 0; i < count && !r.bad(); ++i) {
    std::string path = r.str();
    entries.push_back({std::move(path), r.u64()});
  }
  if (!r.at_end()) return std::nullopt;
  return entries;
}

std::optional<Fault> parse_fault(wire::Reader& r) {
  if (!is(r, wire::Type::fault)) return std::nullopt;
  Fault fault;
  fault.signal = static_cast<int>(r.u32());
  fault.write = r.u8() != 0;
  fault.address = r.u64();
  r.u64();
  fault.segment = r.u32();
  fault.distance = r.i64();
  if (!r.at_end()) return std::nullopt;
  return fault;
}

std::string describe(const std::variant<std::string, Failed, Died, Late, Broken>& answer) {
  struct Words {
    std::string operator()(const std::string&) const { return "it answered"; }
    std::string operator()(const Failed& f) const { return f.message; }
    std::string operator()(const Died& d) const {
      if (d.out_of_memory) return "it ran out of memory";
      return d.signal != 0 ? fmt::format("it died of signal {}", d.signal) : fmt::format("it exited with {}", d.exit_code);
    }
    std::string operator()(const Late& l) const { return fmt::format("no answer within {:.1f} s", l.seconds); }
    std::string operator()(const Broken& b) const { return b.what; }
  };
  return std::visit(Words{}, answer);
}

}  // namespace kbx

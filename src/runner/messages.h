// SPDX-License-Identifier: Apache-2.0
// Requests to and answers from a runner as values. Parsers return nothing for a message of another type, with a malformed
// field, or with bytes left over.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "protocol/wire.h"
#include "runner/runner.h"

namespace kbx {

std::string load_message(const LoadRequest& request);

std::optional<uint32_t> parse_ready(const std::string& message);  // the layers in force
std::optional<Loaded> parse_loaded(const std::string& message);
std::optional<Failed> parse_failed(const std::string& message);
bool parse_prepared(const std::string& message);
// Also nothing if there are not exactly `calls` of them.
std::optional<ReturnedCalls> parse_returned(const std::string& message, size_t calls);
// Also nothing if there are not exactly `times` of them.
std::optional<std::vector<uint64_t>> parse_timed(const std::string& message, size_t times);
std::optional<std::string> parse_reported(const std::string& message);
// A file of a harvest: `size` bytes, behind those before it.
struct HarvestEntry {
  std::string path;
  uint64_t size = 0;
};
std::optional<std::vector<HarvestEntry>> parse_harvested(const std::string& message);
std::optional<Fault> parse_fault(wire::Reader& reader);

// Why there is no answer, in a few words.
std::string describe(const std::variant<std::string, Failed, Died, Late, Broken>& answer);

}  // namespace kbx

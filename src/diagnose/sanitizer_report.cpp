// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sanitizer_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "core/utf8.h"
#include "diagnose/advice.h"

namespace kbx {
namespace {

constexpr std::string_view kPrefix = "=========";
constexpr size_t kLongestLine = 1000;  // std::regex recurses by character

// "FUNCTION+0xOFFSET in FILE:LINE", the file only where there is line information.
struct Place {
  std::string kernel, file, rest;
  int line = 0;
};
Place place_of(const std::string& text) {
  static const std::regex kPlace(R"((.*?)\+0x[0-9a-f]+(?: in (.+?):(\d{1,9}))?( \[.*\])?)");
  std::smatch found;
  Place place;
  if (!std::regex_match(text, found, kPlace)) return {text, "", "", 0};
  place.kernel = found[1];
  place.file = found[2];
  if (found[3].matched) place.line = std::stoi(found[3]);
  place.rest = found[4];
  return place;
}

// One message: its first line, and those that are indented below it.
struct Message {
  std::string head;
  std::vector<std::string> below;
};

std::vector<Message> messages(std::string_view text) {
  std::vector<Message> list;
  std::istringstream lines(valid_utf8(text));
  for (std::string line; std::getline(lines, line);) {
    // A candidate's unfinished line may stand before it.
    const size_t at = line.find(kPrefix);
    if (at == std::string::npos || line.size() > kLongestLine) continue;
    const std::string rest = line.substr(at + kPrefix.size());
    const size_t begin = rest.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    if (begin <= 1)
      list.push_back({rest.substr(begin), {}});
    else if (!list.empty())
      list.back().below.push_back(rest.substr(begin));
  }
  return list;
}

SanitizerFinding race(const Message& m, const std::string& first, const std::string& severity) {
  static const std::regex kAccess(R"((?:and )?(\w+) access at (.*))");
  SanitizerFinding finding;
  std::smatch found;
  if (!std::regex_match(first, found, kAccess)) return finding;
  const Place place = place_of(found[2]);
  finding = {"Race", place.kernel, place.file, place.line, "", "", "", 1};
  std::string others;
  for (const std::string& line : m.below) {
    std::smatch other;
    if (!line.starts_with("and ") || !std::regex_match(line, other, kAccess)) continue;
    const Place with = place_of(other[2]);
    others += fmt::format("{}{} access at {}{}", others.empty() ? "" : ", ", other[1].str(),
                          with.line > 0 ? fmt::format("{}:{}", with.file, with.line) : with.kernel, with.rest);
  }
  finding.kind = fmt::format("{}ace between a {} access", severity == "Warning" ? "Possible r" : "R", found[1].str());
  finding.detail = others.empty() ? "" : "with a " + others;
  return finding;
}

SanitizerFinding fault(const Message& m) {
  static const std::regex kThread(R"(by thread (\([\d,]+\)) in block (\([\d,]+\)).*)");
  SanitizerFinding finding;
  for (const std::string& line : m.below) {
    std::smatch found;
    if (line.starts_with("at ") && finding.kind.empty()) {
      const Place place = place_of(line.substr(3));
      finding = {m.head, place.kernel, place.file, place.line, "", "", "", 1};
    } else if (std::regex_match(line, found, kThread)) {
      finding.thread = found[1];
      finding.block = found[2];
    } else if (line.starts_with("Saved host backtrace") || line.starts_with("Host Frame") || line.starts_with("Device Frame")) {
      continue;
    } else {
      finding.detail += (finding.detail.empty() ? "" : " ") + line;
    }
  }
  return finding;
}

}  // namespace

std::vector<SanitizerFinding> parse_sanitizer_report(std::string_view text) {
  static const std::regex kRace(R"((?:(Error|Warning): )?Race reported between (.*))");
  std::vector<SanitizerFinding> findings;
  for (const Message& m : messages(text)) {
    std::smatch found;
    const SanitizerFinding finding = std::regex_match(m.head, found, kRace) ? race(m, found[2], found[1]) : fault(m);
    if (finding.kind.empty()) continue;
    const auto same = std::ranges::find_if(findings, [&](const SanitizerFinding& f) {
      return f.kind == finding.kind && f.kernel == finding.kernel && f.file == finding.file && f.line == finding.line;
    });
    if (same != findings.end())
      ++same->reports;
    else
      findings.push_back(finding);
  }
  return findings;
}

bool sanitizer_finished(std::string_view text) {
  const auto has = [&](std::string_view words) { return text.find(words) != std::string_view::npos; };
  return (has("========= ERROR SUMMARY:") || has("========= RACECHECK SUMMARY:")) &&
         !has("Target application terminated before first instrumented API call") && !has("Internal Sanitizer Error") &&
         !has("No attachable process found");
}

Diagnosis diagnose_finding(std::string_view tool, const SanitizerFinding& f) {
  std::string evidence = fmt::format("{} in {}", f.kind, f.kernel);
  if (f.line > 0) evidence += fmt::format(" at {}:{}", f.file, f.line);
  if (!f.thread.empty()) evidence += fmt::format(", thread {}, block {}", f.thread, f.block);
  if (!f.detail.empty()) evidence += fmt::format("; {}", f.detail);
  if (f.reports > 1) evidence += fmt::format("; {} reports of this", f.reports);
  return diagnosis(fmt::format("sanitizer_{}", tool), std::move(evidence));
}

}  // namespace kbx

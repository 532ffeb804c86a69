// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/verbs.h"
#include "core/json.h"
#include "core/utf8.h"

namespace kbx {
namespace {

std::string sandbox_level(bool namespaces, bool landlock, bool seccomp) {
  std::string level;
  const auto add = [&level](bool there, const char* layer) {
    if (there) level += (level.empty() ? "" : "+") + std::string(layer);
  };
  add(namespaces, "namespaces");
  add(landlock, "landlock");
  add(seccomp, "seccomp");
  return level.empty() ? "none" : level;
}

bool is_ok(const std::vector<Check>& checks, const std::string& name) {
  return std::any_of(checks.begin(), checks.end(), [&](const Check& c) { return c.name == name && c.state == Check::State::ok; });
}

const char* name(Check::State state) {
  switch (state) {
    case Check::State::ok:
      return "ok";
    case Check::State::missing:
      return "missing";
    case Check::State::absent:
      return "absent";
  }
  return "?";
}

Colour colour_of(const Check& check) {
  if (check.state == Check::State::ok) return Colour::green;
  return check.state == Check::State::absent ? Colour::dim : check.required ? Colour::red : Colour::yellow;
}

}  // namespace

Health examine(const Machine& machine, bool deep) {
  Health health;
  health.checks = {check_bubblewrap(machine), check_namespaces(machine),   check_landlock(machine),  check_seccomp(machine),
                   check_compiler(machine),   check_python(machine, deep), check_parts(machine),     check_gpu(machine),
                   check_nvcc(machine),       check_cupti(machine),        check_sanitizer(machine), check_ncu(machine),
                   check_disk(machine),       check_memory(machine)};
  health.sandbox =
      sandbox_level(is_ok(health.checks, "namespaces"), is_ok(health.checks, "Landlock"), is_ok(health.checks, "seccomp"));
  health.judges_on_cpu = std::all_of(health.checks.begin(), health.checks.end(),
                                     [](const Check& c) { return !c.required || c.state == Check::State::ok; });
  health.judges_on_gpu = health.judges_on_cpu && is_ok(health.checks, "GPU");
  return health;
}

std::string health_page(const Health& health, const Style& style) {
  std::string page;
  for (const Check& check : health.checks) {
    const std::string state = fmt::format("{:<8}", name(check.state));
    page += fmt::format("{}{:<12}{}\n", coloured(state, colour_of(check), style), check.name, printable(check.found));
    if (!check.remedy.empty()) page += fmt::format("{:<20}remedy: {}\n", "", printable(check.remedy));
  }
  page +=
      fmt::format("\nsandbox: {}\njudging on the CPU: {}\njudging on a GPU: {}\n", health.sandbox,
                  health.judges_on_cpu ? "works" : "does not work yet", health.judges_on_gpu ? "works" : "not on this machine");
  return page;
}

std::string health_json(const Health& health) {
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const Check& c : health.checks)
    checks.push_back({{"name", c.name},
                      {"state", name(c.state)},
                      {"required", c.required},
                      {"found", valid_utf8(c.found)},
                      {"remedy", valid_utf8(c.remedy)}});
  const nlohmann::ordered_json out{{"checks", checks},
                                   {"sandbox", health.sandbox},
                                   {"judges_on_cpu", health.judges_on_cpu},
                                   {"judges_on_gpu", health.judges_on_gpu}};
  return out.dump(1) + "\n";
}

int doctor(bool deep, bool json) {
  const Health health = examine(this_machine(), deep);
  const int printed = print(json ? health_json(health) : health_page(health, style_of(1)));
  if (printed != kExitCorrect) return printed;
  return health.judges_on_cpu ? kExitCorrect : kExitTrouble;
}

}  // namespace kbx

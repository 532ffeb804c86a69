// SPDX-License-Identifier: Apache-2.0
#include "pipeline/environment.h"

#include <c10/core/Device.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "core/installation.h"

namespace kbx {
namespace {

// "triton-3.6.0.dist-info" in site-packages gives "3.6.0"; "?" if it is not there.
std::string package_version(const std::filesystem::path& site_packages, const std::string& package) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(site_packages, error)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(package + "-") && file.ends_with(".dist-info"))
      return file.substr(package.size() + 1, file.size() - package.size() - 1 - std::string(".dist-info").size());
  }
  return "?";
}

// The value of the first line "name : value" in /proc/cpuinfo that has this name.
std::string processor() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name"))
      if (const size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown processor";
}

}  // namespace

std::string kbx_version() {
  const auto installation = find_installation();
  return installation ? installation->version : "?";
}

std::string environment_line(int device) {
  const auto installation = find_installation();
  const std::filesystem::path packages = installation ? installation->site_packages : std::filesystem::path();
  return fmt::format("torch {}, triton {}, g++ {}, {}{}", package_version(packages, "torch"), package_version(packages, "triton"),
                     __VERSION__, processor(), device < 0 ? "" : fmt::format(", {}", at::Device(at::kCUDA, device).str()));
}

}  // namespace kbx

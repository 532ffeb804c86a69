// SPDX-License-Identifier: Apache-2.0
#include "pipeline/environment.h"

#include <fmt/format.h>

#include <filesystem>

#include "build/toolchain.h"
#include "core/installation.h"
#include "core/processor.h"

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

// The first line of its identity: the rest tells processors apart.
std::string compiler(Language language) {
  const auto toolchain = find_toolchain(language);
  return toolchain ? toolchain->identity.substr(0, toolchain->identity.find('\n'))
                   : fmt::format("no {} compiler", name(language));
}

}  // namespace

std::string kbx_version() {
  const auto installation = find_installation();
  return installation ? installation->version : "?";
}

std::string environment_line(const std::optional<Gpu>& gpu) {
  const auto installation = find_installation();
  const std::filesystem::path packages = installation ? installation->site_packages : std::filesystem::path();
  std::string line = fmt::format("torch {}, triton {}, tvm-ffi {}, {}, {}", package_version(packages, "torch"),
                                 package_version(packages, "triton"), package_version(packages, "apache_tvm_ffi"),
                                 compiler(Language::cpp), processor());
  if (gpu) line += fmt::format(", {}, {}, driver API {}", compiler(Language::cuda), gpu->name, gpu->driver_api);
  return line;
}

}  // namespace kbx

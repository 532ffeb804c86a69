// SPDX-License-Identifier: Apache-2.0
// kbx-catalogue: writes the catalogue as JSON or Markdown. Run by the build, and by hand after a task has changed.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>

#include "catalogue/export.h"

namespace {

bool write(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) std::fprintf(stderr, "kbx-catalogue: cannot write %s\n", path.c_str());
  return static_cast<bool>(out);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes the catalogue of tasks");
  std::string json, markdown, fidelity;
  app.add_option("--json", json, "file for the catalogue as JSON");
  app.add_option("--markdown", markdown, "file for the documentation of the tasks");
  app.add_option("--fidelity", fidelity, "file for the departures from the published tasks");
  app.require_option(1, 3);
  CLI11_PARSE(app, argc, argv);
  bool written = json.empty() || write(json, kbx::catalogue_json());
  if (!markdown.empty()) written = write(markdown, kbx::catalogue_markdown()) && written;
  if (!fidelity.empty()) written = write(fidelity, kbx::fidelity_markdown()) && written;
  return written ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// For tests of what runs a candidate under a tool: a folder of stand-ins at the head of PATH, and a candidate that says when it
// is called.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "build/native_build.h"
#include "core/digest.h"
#include "pipeline/options.h"
#include "pipeline/request.h"
#include "pipeline/start.h"
#include "runner/hosts.h"

namespace kbx {

class StandInTest : public testing::Test {
 protected:
  static constexpr const char* kSource = R"(
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <cstdio>
void entry(tvm::ffi::TensorView, tvm::ffi::TensorView) { std::puts("called"); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sigmoid, entry)
)";

  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "kbx-stand-in-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    std::filesystem::create_directories(folder / "bin");
    path = getenv("PATH");
    setenv("PATH", ((folder / "bin").string() + ":" + path).c_str(), 1);
    candidate.id = "main.cpp";
    candidate.task = "sigmoid";
    candidate.language = Language::cpp;
    candidate.files = {{"main.cpp", kSource}};
    candidate.digest = sha256_hex(kSource);
  }
  void TearDown() override {
    setenv("PATH", path.c_str(), 1);
    std::filesystem::remove_all(folder);
  }

  // A shell script in the tool's place.
  void write_script(const std::string& tool, const std::string& text) {
    const auto script = folder / "bin" / tool;
    std::ofstream(script) << "#!/bin/sh\n" << text;
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  }

  // The candidate's library, built.
  Built built() {
    Built made;
    auto library = build_native(candidate, native_build_options(options));
    if (!library || !std::holds_alternative<Artifact>(*library))
      ADD_FAILURE() << (library ? std::get<BuildFailed>(*library).reason : library.error().text());
    else
      made.artifact = std::get<Artifact>(*library).path;
    return made;
  }

  std::filesystem::path folder;
  std::string path;
  JudgeOptions options;
  RunnerOptions runner;
  Candidate candidate;
};

}  // namespace kbx

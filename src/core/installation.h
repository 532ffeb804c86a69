// SPDX-License-Identifier: Apache-2.0
// Where the parts of kbx lie on this machine. Derived from the executable's own place (bin/ beside lib/ and share/) and
// from what the build wrote into share/kbx/environment.json; KBX_PYTHON overrides the Python environment.
#pragma once

#include <filesystem>
#include <string>

#include "core/result.h"

namespace kbx {

struct Installation {
  std::filesystem::path judge, runner_native, runner_baseline;  // bin/kbx-judge, bin/kbx-runner-native, bin/kbx-runner-baseline
  std::filesystem::path confine;                                // bin/kbx-confine
  std::filesystem::path reference_library, lockdown_library;    // lib/
  std::filesystem::path census_library;                         // lib/; empty where it was not built for want of CUPTI's headers
  std::filesystem::path cupti_library;                          // libcupti of the nvidia wheels; empty where there is none
  std::filesystem::path runner_python;                          // folder with the Python runner's modules
  std::filesystem::path catalogue;                              // share/kbx/catalogue.json
  std::filesystem::path python;                                 // interpreter that has torch and triton
  std::filesystem::path base_prefix;                            // where that interpreter's own library lies
  std::filesystem::path site_packages;                          // of that interpreter
  std::filesystem::path torch_library;                          // folder of libtorch.so
  std::filesystem::path tvm_ffi_include, tvm_ffi_library;       // headers and folder of libtvm_ffi.so
  std::filesystem::path cuda_include;                           // cuda.h of the nvidia wheels; empty where there is none
  std::filesystem::path cache;                                  // $XDG_CACHE_HOME/kbx or ~/.cache/kbx
  std::string version;
};

// Read once a process; safe from any thread. That the files exist is not checked, but for an interpreter named by KBX_PYTHON,
// which is asked where its packages lie. Error: names the missing file and the remedy.
Result<Installation> find_installation();

// Where this user's data lie that must outlast a cache: $XDG_DATA_HOME/kbx or ~/.local/share/kbx.
std::filesystem::path data_folder();

}  // namespace kbx

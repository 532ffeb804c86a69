// SPDX-License-Identifier: Apache-2.0
#include "build/toolchain.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "core/check.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;

std::string find_program(const std::string& name, const std::vector<std::string>& more_folders) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (folder.starts_with('/') && access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
  for (const std::string& folder : more_folders)
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
  return {};
}

std::string version_of(const std::string& compiler) {
  std::string text;
  FILE* pipe = popen(("'" + compiler + "' --version 2>/dev/null").c_str(), "re");
  if (pipe == nullptr) return text;
  std::array<char, 1024> chunk;
  for (size_t n; (n = fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) text.append(chunk.data(), n);
  pclose(pipe);
  return text;
}

// What -march=native depends on: a cache in a shared home folder serves machines that differ.
std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  std::string result;
  for (std::string line; std::getline(info, line) && !line.empty();)
    if (line.starts_with("model") || line.starts_with("flags") || line.starts_with("Features") || line.starts_with("CPU "))
      result += line + "\n";
  return result;
}

// The folder to be bound for a compiler that does not lie in /usr.
std::string visible_root(const std::string& compiler) {
  const fs::path real = fs::canonical(compiler);
  if (real.string().starts_with("/usr/")) return {};
  return real.parent_path().parent_path();
}

Result<Toolchain> find_gxx() {
  const std::string compiler = find_program("g++", {});
  if (compiler.empty()) return Error{"no g++ on PATH", "apt-get install g++"};
  return Toolchain{Language::cpp, compiler, visible_root(compiler), version_of(compiler) + processor()};
}

Result<Toolchain> find_nvcc() {
  const std::string compiler = find_program("nvcc", {"/usr/local/cuda/bin"});
  if (compiler.empty())
    return Error{"no nvcc on PATH or in /usr/local/cuda/bin",
                 "install the CUDA toolkit 13 (developer.nvidia.com/cuda-downloads)"};
  Result<Toolchain> host = find_toolchain(Language::cpp);
  if (!host.ok()) return host.error();
  return Toolchain{Language::cuda, compiler, visible_root(compiler), version_of(compiler) + host->identity};
}

// Where tools of the toolkit lie that are not on PATH.
std::vector<std::string> folders_of_cuda() {
  std::vector<std::string> folders{"/usr/local/cuda/bin"};
  if (const auto nvcc = find_toolchain(Language::cuda)) folders.push_back(fs::canonical(nvcc->compiler).parent_path());
  return folders;
}

}  // namespace

Result<Toolchain> find_toolchain(Language language) {
  KBX_CHECK(language == Language::cpp || language == Language::cuda);
  if (language == Language::cpp) {
    static const Result<Toolchain> gxx = find_gxx();
    return gxx;
  }
  static const Result<Toolchain> nvcc = find_nvcc();
  return nvcc;
}

Result<Sanitizer> find_compute_sanitizer() {
  const std::string program = find_program("compute-sanitizer", folders_of_cuda());
  if (program.empty())
    return Error{"--sanitize needs compute-sanitizer, which is not on PATH, in /usr/local/cuda/bin or beside nvcc",
                 "install the CUDA toolkit 13 (developer.nvidia.com/cuda-downloads); `kbx doctor` names the package"};
  return Sanitizer{program, visible_root(program)};
}

Result<std::string> find_ncu() {
  std::vector<std::string> versions;
  std::error_code none;
  for (const fs::directory_entry& version : fs::directory_iterator("/opt/nvidia/nsight-compute", none))
    versions.push_back(version.path());
  std::ranges::sort(versions, std::greater());
  std::vector<std::string> folders = folders_of_cuda();
  folders.insert(folders.end(), versions.begin(), versions.end());
  const std::string program = find_program("ncu", folders);
  if (program.empty())
    return Error{
        "--counters needs ncu (Nsight Compute), which is not on PATH, in /usr/local/cuda/bin, beside nvcc or in "
        "/opt/nvidia/nsight-compute",
        "install the CUDA toolkit 13 (developer.nvidia.com/cuda-downloads); `kbx doctor` names the package"};
  return program;
}

std::vector<std::string> compiler_flags(Language language, const std::string& arch, const Installation& installation) {
  std::vector<std::string> flags{
      "-std=c++20", "-O3", "-shared", "-isystem", installation.tvm_ffi_include, "-L" + installation.tvm_ffi_library.string(),
      "-ltvm_ffi"};
  const auto add = [&flags](std::initializer_list<const char*> more) { flags.insert(flags.end(), more.begin(), more.end()); };
  if (language == Language::cpp)
    // Unresolved names are an error here, not a mystery at dlopen.
    add({"-march=native", "-fPIC", "-fopenmp", "-Wall", "-fmax-errors=20", "-fdiagnostics-color=never", "-Wl,-z,defs"});
  else {
    add({"-ccbin", "g++", "-Xcompiler", "-fPIC,-fdiagnostics-color=never", "-Xlinker", "-z,defs"});
    // Lines for compute-sanitizer; the code is the same.
    flags.emplace_back("-lineinfo");
    flags.push_back("-arch=" + arch);
  }
  return flags;
}

}  // namespace kbx

// SPDX-License-Identifier: Apache-2.0
#include "build/native_build.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>

#include "build/artifact_cache.h"
#include "build/compiler_run.h"
#include "build/toolchain.h"
#include "core/digest.h"
#include "core/files.h"
#include "core/installation.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;
using Built = std::variant<Artifact, BuildFailed>;

// A translation unit with TVM-FFI's headers takes 0.4 GB.
constexpr Limits kCompilerLimits{.memory_bytes = 4ull << 30, .file_bytes = 256ull << 20, .scratch_bytes = 1ull << 30};
constexpr size_t kReasonLines = 8, kReasonLine = 400;

// A folder that is removed with all that is in it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(fs::path path) : path_(std::move(path)) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool is_source(const SourceFile& file) {
  const std::string extension = fs::path(file.path).extension();
  return extension == ".cpp" || extension == ".cc" || extension == ".cxx" || extension == ".cu" || extension == ".c";
}

bool stays_inside(const fs::path& path) {
  return path.is_relative() && !path.empty() &&
         std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

std::string cache_key(const Candidate& candidate, const Toolchain& toolchain, const std::vector<std::string>& flags) {
  std::string text = toolchain.identity;
  const auto add = [&text](std::string_view part) {
    text += std::to_string(part.size()) + ":";
    text += part;
  };
  for (const std::string& flag : flags) add(flag);
  for (const SourceFile& file : candidate.files) {
    add(file.path);
    add(file.text);
  }
  return sha256_hex(text);
}

Status write_sources(const Candidate& candidate, const fs::path& folder) {
  for (const SourceFile& file : candidate.files) {
    std::error_code failed;
    fs::create_directories((folder / file.path).parent_path(), failed);
    if (Status written = write_file(folder / file.path, file.text); !written.ok()) return written;
  }
  return Done{};
}

Launch compiler_launch(const Candidate& candidate, const Toolchain& toolchain, const std::vector<std::string>& flags,
                       const Installation& installation, const NativeBuildOptions& options, const fs::path& sources,
                       const fs::path& output) {
  Launch launch;
  launch.argv = {toolchain.compiler};
  const std::string language = candidate.language == Language::cuda ? "cu" : "c++";
  launch.argv.insert(launch.argv.end(), {"-I" + sources.string(), "-x", language});
  for (const SourceFile& file : candidate.files)
    if (&file == &candidate.files.front() || is_source(file)) launch.argv.push_back(sources / file.path);
  // Libraries are not source code.
  if (candidate.language == Language::cpp) launch.argv.insert(launch.argv.end(), {"-x", "none"});
  launch.argv.insert(launch.argv.end(), flags.begin(), flags.end());
  launch.argv.insert(launch.argv.end(), {"-o", output / "candidate.so"});

  launch.environment = {"PATH=" + fs::path(toolchain.compiler).parent_path().string() + ":/usr/local/bin:/usr/bin:/bin"};
  for (const std::string& folder :
       {installation.tvm_ffi_include.string(), installation.tvm_ffi_library.string(), sources.string()})
    launch.binds.push_back({folder, folder});
  if (!toolchain.root.empty()) launch.binds.push_back({toolchain.root, toolchain.root});
  launch.binds.push_back({output, output, /*writable=*/true});
  launch.limits = kCompilerLimits;
  launch.layers = options.layers;
  launch.confine = true;
  return launch;
}

bool says_error(const std::string& line) {
  for (const char* mark : {"error:", "error :", "undefined reference", "ptxas fatal", "nvcc fatal", "multiple definition"})
    if (line.find(mark) != std::string::npos) return true;
  return false;
}

// nvcc's own words for an -arch that this version does not know: not the candidate's fault.
bool refuses_architecture(const std::string& log) {
  return log.find("Unsupported gpu architecture") != std::string::npos ||
         log.find("is not defined for option 'gpu-architecture'") != std::string::npos;
}

// From the first line that says error on; all of it if none does.
std::string first_errors(const std::string& log) {
  std::istringstream lines(log);
  std::string reason;
  size_t kept = 0;
  bool found = log.empty();
  for (std::string line; kept < kReasonLines && std::getline(lines, line);) {
    found = found || says_error(line);
    if (!found) continue;
    if (kept++ > 0) reason += '\n';
    reason += line.substr(0, kReasonLine);
  }
  return kept > 0 ? reason : log.substr(0, kReasonLine);
}

// Messages name files as the candidate does, not where we put them.
std::string without_folder(std::string log, const std::string& folder) {
  for (size_t at = 0; (at = log.find(folder + "/", at)) != std::string::npos;) log.erase(at, folder.size() + 1);
  return log;
}

std::string failure_reason(const CompilerRun& run, const std::string& log, double timeout_seconds) {
  std::ostringstream reason;
  if (run.timed_out)
    reason << "compiling took longer than " << timeout_seconds << " s";
  else if (run.out_of_memory)
    reason << "compiling took more than " << human_bytes(kCompilerLimits.memory_bytes) << " of memory";
  else if (run.exit.signal != 0)
    reason << "the compiler was ended by signal " << run.exit.signal;
  const std::string errors = first_errors(log);
  if (!reason.str().empty() && !errors.empty()) reason << "\n";
  reason << errors;
  if (reason.str().empty()) reason << "the compiler exited with " << run.exit.code << " and said nothing";
  return reason.str();
}

}  // namespace

Result<Built> build_native(const Candidate& candidate, const NativeBuildOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [start] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  KBX_CHECK(!candidate.files.empty());
  for (const SourceFile& file : candidate.files)
    if (!stays_inside(file.path))
      return Built(BuildFailed{"the file name '" + file.path + "' leads out of the candidate's folder"});
  Result<Installation> installation = find_installation();
  if (!installation.ok()) return installation.error();
  Result<Toolchain> toolchain = find_toolchain(candidate.language);
  if (!toolchain.ok()) return toolchain.error();
  Result<ArtifactCache> cache = ArtifactCache::open(installation->cache);
  if (!cache.ok()) return cache.error();

  const std::vector<std::string> flags = compiler_flags(candidate.language, options.arch, *installation);
  const std::string key = cache_key(candidate, *toolchain, flags);
  if (const auto entry = cache->find(key)) return Built(Artifact{entry->library, entry->log, /*cached=*/true, seconds()});

  Result<fs::path> work = cache->work_folder();
  if (!work.ok()) return work.error();
  const TemporaryFolder folder(*work);
  const fs::path sources = folder.path() / "source", output = folder.path() / "out";
  std::error_code failed;
  fs::create_directory(sources, failed);
  fs::create_directory(output, failed);
  if (Status written = write_sources(candidate, sources); !written.ok()) return written.error();

  Result<CompilerRun> run = run_compiler(compiler_launch(candidate, *toolchain, flags, *installation, options, sources, output),
                                         options.timeout_seconds);
  if (!run.ok()) return run.error();
  const std::string log = without_folder(run->output, sources);
  const fs::path library = output / "candidate.so";
  const bool built = !run->timed_out && !run->out_of_memory && run->exit.signal == 0 && run->exit.code == 0 &&
                     fs::is_regular_file(library, failed);
  if (!built && cache->full())
    return Error{"the disk of the cache " + installation->cache.string() + " is full", "free some space"};
  if (!built && refuses_architecture(log))
    return Error{"nvcc cannot compile for " + options.arch + ": " + first_errors(log),
                 "choose another --arch, or install CUDA 13"};
  if (!built) return Built(BuildFailed{failure_reason(*run, log, options.timeout_seconds)});
  Result<ArtifactCache::Entry> entry = cache->publish(key, library, log);
  if (!entry.ok()) return entry.error();
  return Built(Artifact{entry->library, entry->log, /*cached=*/false, seconds()});
}

}  // namespace kbx

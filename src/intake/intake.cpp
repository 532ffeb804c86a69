// SPDX-License-Identifier: Apache-2.0
#include "intake/intake.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/digest.h"
#include "core/utf8.h"
#include "intake/assemble.h"

namespace kbx {
namespace fs = std::filesystem;
namespace {

// Over language, paths and texts; the main file's name does not count. Fields carry their lengths, so that none can pose as two.
std::string digest_of(const Candidate& candidate) {
  std::string all = name(candidate.language);
  for (size_t i = 0; i < candidate.files.size(); ++i) {
    const SourceFile& file = candidate.files[i];
    const std::string path = i == 0 ? "" : file.path;
    all += fmt::format("\n{}:{}:{}:", path.size(), path, file.text.size());
    all += file.text;
  }
  return sha256_hex(all);
}

Status check_options(const IntakeOptions& options) {
  if (!options.task.empty() && !options.tasks.find(options.task))
    return Error{options.tasks.unknown(options.task), "`kbx tasks` lists them all"};
  return Done{};
}

Error no_task(const fs::path& file, const TaskNames& tasks) {
  return {fmt::format("{} does not tell its task: {}", file.string(), tasks.unknown(file.stem().string())), "give --task TASK"};
}

// A source or an answer: exactly one candidate.
Status read_single(const fs::path& file, const IntakeOptions& options, Submission& out) {
  const bool known = intake::language_of_extension(file) || intake::is_answer(file) || options.language;
  if (!known)
    return Error{fmt::format("{} is neither a source (.py, .cu, .cpp, .cc), an answer (.md) nor JSONL (.jsonl)", file.string()),
                 "rename it, or give --language"};
  const TaskName* task =
      options.task.empty() ? options.tasks.of_path(file.filename().string()) : options.tasks.find(options.task);
  if (!task) task = options.tasks.of_path(fs::absolute(file).string());
  if (!task) return no_task(file, options.tasks);
  out.candidates.push_back(intake::from_file(file, file.filename().string(), task, options));
  return Done{};
}

// The C++ and CUDA sources in a folder, the one that exports the function first; empty if it cannot be told.
std::vector<fs::path> native_sources(const fs::path& folder, const IntakeOptions& options) {
  std::vector<fs::path> sources;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file(error) &&
        intake::language_of_extension(entry.path()).value_or(Language::triton) != Language::triton)
      sources.push_back(entry.path());
  std::sort(sources.begin(), sources.end());
  if (sources.size() < 2) return sources;
  const auto main = intake::only_exporter(sources, options);
  if (!main) return {};
  std::rotate(sources.begin(), std::find(sources.begin(), sources.end(), *main),
              std::find(sources.begin(), sources.end(), *main) + 1);
  return sources;
}

// A folder that is one candidate of C++ or CUDA sources.
Status read_native_folder(const fs::path& given, const IntakeOptions& options, Submission& out) {
  fs::path folder = fs::absolute(given).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  const std::vector<fs::path> sources = native_sources(folder, options);
  if (sources.empty())
    return Error{fmt::format("{} is a folder, and not one C++ or CUDA candidate", given.string()),
                 "name one file in it, or judge all of them with `kbx run`"};
  const TaskName* task = options.task.empty() ? options.tasks.of_path((folder / sources.front().filename()).string())
                                              : options.tasks.find(options.task);
  if (!task) return no_task(folder, options.tasks);
  out.candidates.push_back(intake::from_sources(folder, sources, folder.filename().string(), task, options));
  return Done{};
}

// Trouble with a path that somebody named is an error of usage, not a verdict on its content.
Status check_path(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return Error{"there is no file or folder " + path.string(), "check the path"};
  if (status.type() == fs::file_type::none)
    return Error{fmt::format("{} cannot be looked at: {}", path.string(), error.message()), ""};
  if (!fs::is_regular_file(status) && !fs::is_directory(status))
    return Error{path.string() + " is neither a file nor a folder", "pipes, sockets and devices are not read"};
  if (fs::is_regular_file(status) && ::access(path.c_str(), R_OK) != 0)
    return Error{path.string() + " may not be read by this user", "chmod +r " + path.string()};
  return Done{};
}

using ReadFolder = Status (*)(const fs::path&, const IntakeOptions&, Submission&);

Result<Submission> read(const fs::path& path, const IntakeOptions& options, ReadFolder read_folder) {
  Submission out;
  if (Status checked = check_options(options); !checked) return checked.error();
  if (Status checked = check_path(path); !checked) return checked.error();
  const Status done = fs::is_directory(path)         ? read_folder(path, options, out)
                      : path.extension() == ".jsonl" ? intake::from_jsonl(path, path.filename().string(), options, out)
                                                     : read_single(path, options, out);
  if (!done) return done.error();
  intake::finish(out);
  return out;
}

}  // namespace

void intake::finish(Submission& submission) {
  std::map<std::string, int> uses, suffixes;
  std::set<std::string> taken;
  for (const Intake& one : submission.candidates) taken.insert(one.candidate.id);
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> equal;
  for (Intake& one : submission.candidates) {
    Candidate& candidate = one.candidate;
    const std::string id = candidate.id;
    if (++uses[id] > 1) {
      int& suffix = suffixes.try_emplace(id, 2).first->second;
      while (!taken.insert(candidate.id = fmt::format("{}#{}", id, suffix)).second) ++suffix;
    }
    if (one.unreadable) continue;
    candidate.digest = digest_of(candidate);
    equal[{candidate.task, candidate.digest}].push_back(candidate.id);
  }
  for (const auto& [id, n] : uses)
    if (n > 1)
      submission.warnings.push_back(
          fmt::format("{} candidates have the id {}; the later ones are called {}#2 ...", n, printable(id), printable(id)));
  for (const auto& [key, ids] : equal)
    if (ids.size() > 1)
      submission.warnings.push_back(fmt::format("{} candidates for {} are the same text: {}", ids.size(), key.first,
                                                printable(fmt::format("{}", fmt::join(ids, ", ")))));
}

Result<Submission> read_submission(const fs::path& path, const IntakeOptions& options) {
  Result<Submission> out = read(path, options, intake::from_folder);
  if (out && out->candidates.empty())
    return Error{path.string() + " holds no candidate",
                 "a submission is a folder of TASK.py, TASK.cu, TASK.cpp or TASK.md files, or JSONL with `file` and `predict`"};
  return out;
}

Result<Submission> read_candidate(const fs::path& path, const IntakeOptions& options) {
  Result<Submission> out = read(path, options, read_native_folder);
  if (out && out->candidates.size() != 1)
    return Error{fmt::format("{} holds {} candidates, where one is meant", path.string(), out->candidates.size()),
                 "judge them with `kbx run`"};
  return out;
}

}  // namespace kbx

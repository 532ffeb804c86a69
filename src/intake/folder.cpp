// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/utf8.h"
#include "intake/assemble.h"

namespace kbx::intake {
namespace fs = std::filesystem;
namespace {

class FolderReader {
 public:
  FolderReader(const fs::path& root, const IntakeOptions& options, Submission& out) : root_(root), options_(options), out_(out) {}

  void read(const fs::path& folder) {
    std::vector<fs::path> folders, sources;
    bool has_header = false;
    for (const fs::path& path : sorted_entries(folder)) {
      const std::string name = path.filename().string();
      std::error_code error;
      const fs::file_status status = fs::symlink_status(path, error);
      if (name.starts_with(".") || name == "__pycache__") continue;
      if (fs::is_symlink(status)) {
        skip(path, "is a symbolic link");
      } else if (fs::is_directory(status)) {
        folders.push_back(path);
      } else if (!fs::is_regular_file(status)) {
        skip(path, "is not a regular file");
      } else if (is_header(path)) {
        has_header = true;
      } else if (language_of_extension(path).value_or(Language::triton) != Language::triton) {
        sources.push_back(path);
      } else {
        read_file_alone(path);
      }
    }
    read_native(folder, sources, has_header);
    for (const fs::path& below : folders) read(below);
  }

 private:
  std::vector<fs::path> sorted_entries(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> entries;
    for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator(); at.increment(error))
      entries.push_back(at->path());
    if (error) skip(folder, "cannot be read: " + error.message());
    std::sort(entries.begin(), entries.end());
    return entries;
  }

  void read_file_alone(const fs::path& path) {
    if (path.extension() == ".jsonl") {
      if (Status read = from_jsonl(path, relative(path), options_, out_); !read)
        skip(path, "cannot be read: " + read.error().text());
    } else if (is_answer(path)) {
      if (const TaskName* task = task_of(path); task && task_by_stem(path))
        out_.candidates.push_back(from_file(path, relative(path), task, options_));
      else if (path.stem() != "README" && path.stem() != "LICENSE")
        skip(path, "does not name a task");
    } else if (language_of_extension(path)) {
      add_source(path);
    } else {
      skip(path, "is no source (.py, .cu, .cpp, .cc), answer (.md) or .jsonl");
    }
  }

  // In a task's folder, sources with headers of which one exports the function are one candidate; else each is its own.
  void read_native(const fs::path& folder, const std::vector<fs::path>& sources, bool has_header) {
    if (sources.size() > 1 && has_header && folder != root_)
      if (const auto main = only_exporter(sources, options_); main && task_of(folder / "any")) {
        std::vector<fs::path> ordered{*main};
        std::copy_if(sources.begin(), sources.end(), std::back_inserter(ordered), [&](const fs::path& s) { return s != *main; });
        out_.candidates.push_back(from_sources(folder, ordered, relative(folder), task_of(folder / "any"), options_));
        return;
      }
    for (const fs::path& source : sources) add_source(source);
  }

  void add_source(const fs::path& path) {
    const TaskName* task = task_of(path);
    if (task)
      out_.candidates.push_back(from_file(path, relative(path), task, options_));
    else
      out_.candidates.push_back(
          unreadable(relative(path), nullptr, printable(relative(path)) + ": " + options_.tasks.unknown(path.stem().string())));
  }

  const TaskName* task_of(const fs::path& path) const {
    return options_.task.empty() ? options_.tasks.of_path(relative(path)) : options_.tasks.find(options_.task);
  }
  bool task_by_stem(const fs::path& path) const { return options_.tasks.of_path(path.filename().string()) != nullptr; }
  std::string relative(const fs::path& path) const { return path.lexically_relative(root_).generic_string(); }
  void skip(const fs::path& path, const std::string& why) {
    out_.warnings.push_back(printable(path == root_ ? path.string() : relative(path)) + " is skipped: it " + why);
  }

  const fs::path root_;
  const IntakeOptions& options_;
  Submission& out_;
};

}  // namespace

Status from_folder(const fs::path& folder, const IntakeOptions& options, Submission& out) {
  std::error_code error;
  const fs::directory_iterator readable(folder, error);
  if (error)
    return Error{fmt::format("folder {} cannot be read: {}", folder.string(), error.message()), "chmod +rx " + folder.string()};
  FolderReader(folder.lexically_normal(), options, out).read(folder.lexically_normal());
  return Done{};
}

}  // namespace kbx::intake

// SPDX-License-Identifier: Apache-2.0
// From one text or file to one Intake. Internal to intake.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "intake/intake.h"

namespace kbx::intake {

// What a file's extension says: ".py" triton, ".cu" cuda, ".cpp" ".cc" ".cxx" cpp.
std::optional<Language> language_of_extension(const std::filesystem::path& path);
// ".md", ".markdown", ".txt".
bool is_answer(const std::filesystem::path& path);
// ".h", ".hpp", ".hh", ".cuh", ".inc".
bool is_header(const std::filesystem::path& path);

Intake unreadable(std::string id, const TaskName* task, std::string reason);

// A candidate out of one text: encoding, fences, appended test. `where` names the text in reasons ("gelu.py", "answers.jsonl,
// line 3"). `extension`: the language that the file's name tells, nothing for Markdown.
struct TextSource {
  std::string id, where;
  std::string_view bytes;
  const TaskName* task = nullptr;
  std::optional<Language> extension;
  bool markdown = false;
  std::string file_name;  // of the main file; empty: the task's name
};
Intake from_text(const TextSource& source, const IntakeOptions& options);

// Reads the file, and for C++ and CUDA what it includes with #include "..." from its own folder and below.
Intake from_file(const std::filesystem::path& file, std::string id, const TaskName* task, const IntakeOptions& options);

// One candidate of several C++ or CUDA sources, `main` first.
Intake from_sources(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& sources, std::string id,
                    const TaskName* task, const IntakeOptions& options);

// The source that exports functions (TVM-FFI), if exactly one of them does.
std::optional<std::filesystem::path> only_exporter(const std::vector<std::filesystem::path>& sources,
                                                   const IntakeOptions& options);

// Appends one Intake for each row. Error: the file cannot be read.
Status from_jsonl(const std::filesystem::path& file, const std::string& relative, const IntakeOptions& options, Submission& out);

// Appends everything below a folder. Error: the folder cannot be read.
Status from_folder(const std::filesystem::path& folder, const IntakeOptions& options, Submission& out);

// Makes ids unique, computes digests, warns of equal ids and equal texts.
void finish(Submission& submission);

}  // namespace kbx::intake

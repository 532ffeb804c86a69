// SPDX-License-Identifier: Apache-2.0
// From what people have to candidates: a folder, a source file, published JSONL, a model's Markdown answer. Reads only;
// judges nothing: a source is never searched for forbidden words, and one that does not compile is the build stage's matter.
// docs/submissions.md describes the forms.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/candidate.h"
#include "core/result.h"
#include "core/verdict.h"
#include "intake/task_names.h"

namespace kbx {

struct IntakeOptions {
  TaskNames tasks;
  std::string task;                            // what every candidate is for; empty: told by its name
  std::optional<Language> language;            // empty: told by the extension or the fence
  uint64_t max_source_bytes = 4u << 20;        // of one candidate's file or answer
  uint64_t max_submission_bytes = 256u << 20;  // of one JSONL file
};

// A candidate, or why there is none to judge. `candidate.id` is always set; `files` is empty where unreadable.
struct Intake {
  Candidate candidate;
  std::optional<Unreadable> unreadable;
};

struct Submission {
  std::vector<Intake> candidates;     // in the order of paths and lines; ids are unique
  std::vector<std::string> warnings;  // for a person: what was skipped, renamed or doubled
};

// Everything in a folder, a JSONL file or a single file. Error: the path cannot be used at all, `options.task` is unknown,
// nothing in it is a candidate.
Result<Submission> read_submission(const std::filesystem::path& path, const IntakeOptions& options);

// Exactly one candidate, of `options.task` or the task that the name tells. Error: as above, a folder that is not one
// C++ or CUDA candidate, a JSONL file with several rows.
Result<Submission> read_candidate(const std::filesystem::path& path, const IntakeOptions& options);

}  // namespace kbx

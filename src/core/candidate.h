// SPDX-License-Identifier: Apache-2.0
// A candidate: one implementation of one task, in one language, as intake found it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kbx {

enum class Language { triton, cuda, cpp };

struct SourceFile {
  std::string path;  // relative, within the candidate; the first of a candidate's files is its main file
  std::string text;
};

struct Candidate {
  std::string id;    // published `id` of a JSONL row, else the file's path within the submission
  std::string task;  // task id; empty if intake could not tell
  Language language = Language::triton;
  std::vector<SourceFile> files;  // never empty for a readable candidate
  std::string digest;             // SHA-256 (hex) over language, paths and texts: equal digests are the same candidate
};

// "triton", "cuda", "cpp".
const char* name(Language language);
// The language of that name, or nothing.
std::optional<Language> language_named(const std::string& name);

}  // namespace kbx

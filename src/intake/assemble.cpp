// SPDX-License-Identifier: Apache-2.0
#include "intake/assemble.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/files.h"
#include "core/utf8.h"
#include "intake/markdown.h"
#include "intake/native_includes.h"
#include "intake/source_text.h"

namespace kbx::intake {
namespace fs = std::filesystem;
namespace {

bool one_of(const fs::path& path, std::initializer_list<const char*> extensions) {
  const std::string extension = path.extension().string();
  return std::any_of(extensions.begin(), extensions.end(), [&](const char* e) { return extension == e; });
}

const char* extension_of(Language language) {
  switch (language) {
    case Language::triton:
      return ".py";
    case Language::cuda:
      return ".cu";
    case Language::cpp:
      return ".cpp";
  }
  return "";
}

Intake readable(std::string id, const TaskName* task, Language language, std::vector<SourceFile> files) {
  return {.candidate =
              {.id = std::move(id), .task = task ? task->id : "", .language = language, .files = std::move(files), .digest = ""},
          .unreadable = std::nullopt};
}

std::vector<std::string> entries(const TaskName* task) {
  return task ? std::vector<std::string>{task->entry, task->id, "kernel_function"} : std::vector<std::string>{"kernel_function"};
}

}  // namespace

std::optional<Language> language_of_extension(const fs::path& path) {
  if (one_of(path, {".py"})) return Language::triton;
  if (one_of(path, {".cu"})) return Language::cuda;
  if (one_of(path, {".cpp", ".cc", ".cxx"})) return Language::cpp;
  return std::nullopt;
}

bool is_answer(const fs::path& path) { return one_of(path, {".md", ".markdown", ".txt"}); }
bool is_header(const fs::path& path) { return one_of(path, {".h", ".hpp", ".hh", ".cuh", ".inc"}); }

Intake unreadable(std::string id, const TaskName* task, std::string reason) {
  Intake out = readable(std::move(id), task, Language::triton, {});
  out.unreadable = Unreadable{std::move(reason)};
  return out;
}

Intake from_text(const TextSource& source, const IntakeOptions& options) {
  const auto refuse = [&](const std::string& reason) {
    Intake out = unreadable(source.id, source.task, printable(source.where) + " " + reason);
    out.candidate.language = options.language.value_or(source.extension.value_or(Language::triton));
    return out;
  };
  if (source.bytes.size() > options.max_source_bytes)
    return refuse(fmt::format("is too large: {} (at most {} are read)", human_bytes(source.bytes.size()),
                              human_bytes(options.max_source_bytes)));
  const Result<std::string> decoded = source_text(source.bytes);
  if (!decoded) return refuse(decoded.error().text());

  const std::string_view answer = without_chat_tokens(*decoded);
  const Language assumed = options.language.value_or(source.extension.value_or(Language::triton));
  std::string text(answer);
  Language language = assumed;
  if (source.markdown || has_fence(answer, assumed)) {
    Answer found = answer_source(answer, entries(source.task));
    text = std::move(found.text);
    language = options.language.value_or(found.language);
  }
  if (language == Language::triton) text = without_appended_test(text);
  if (text.find_first_not_of(" \t\n") == std::string::npos) return refuse("is empty");
  if (text.back() != '\n') text += '\n';
  std::string name = source.file_name;
  if (name.empty() || language != assumed) name = (source.task ? source.task->id : "candidate") + extension_of(language);
  return readable(source.id, source.task, language, {{name, text}});
}

Intake from_file(const fs::path& file, std::string id, const TaskName* task, const IntakeOptions& options) {
  const Result<std::string> bytes = read_file(file, options.max_source_bytes);
  if (!bytes) return unreadable(std::move(id), task, bytes.error().text());
  const std::string name = file.filename().string();
  Intake out = from_text({.id = std::move(id),
                          .where = file.string(),
                          .bytes = *bytes,
                          .task = task,
                          .extension = language_of_extension(file),
                          .markdown = is_answer(file),
                          .file_name = is_answer(file) ? "" : name},
                         options);
  if (out.unreadable || out.candidate.language == Language::triton || is_answer(file)) return out;
  if (Status added = add_includes(file.parent_path(), out.candidate.files, options.max_source_bytes); !added)
    return unreadable(out.candidate.id, task, added.error().text());
  return out;
}

Intake from_sources(const fs::path& folder, const std::vector<fs::path>& sources, std::string id, const TaskName* task,
                    const IntakeOptions& options) {
  std::vector<SourceFile> files;
  Language language = Language::cpp;
  for (const fs::path& source : sources) {
    Intake one = from_file(source, id, task, options);
    if (one.unreadable) return one;
    if (one.candidate.language == Language::cuda) language = Language::cuda;
    files.push_back(std::move(one.candidate.files.front()));
  }
  if (Status added = add_includes(folder, files, options.max_source_bytes); !added)
    return unreadable(std::move(id), task, added.error().text());
  return readable(std::move(id), task, language, std::move(files));
}

std::optional<fs::path> only_exporter(const std::vector<fs::path>& sources, const IntakeOptions& options) {
  std::optional<fs::path> found;
  for (const fs::path& source : sources) {
    const Result<std::string> text = read_file(source, options.max_source_bytes);
    if (!text || text->find("TVM_FFI_DLL_EXPORT") == std::string::npos) continue;
    if (found) return std::nullopt;
    found = source;
  }
  return found;
}

}  // namespace kbx::intake

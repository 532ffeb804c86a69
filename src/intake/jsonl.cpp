// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/files.h"
#include "core/json.h"
#include "core/utf8.h"
#include "intake/assemble.h"

namespace kbx::intake {
namespace {

using nlohmann::json;

// One line of a JSONL file, read field by field.
class Row {
 public:
  Row(const json& object, const std::string& file, size_t line, const IntakeOptions& options)
      : object_(object),
        options_(options),
        where_(fmt::format("{}, line {}", file, line)),
        id_(fmt::format("{}:{}", file, line)) {}

  Intake intake() {
    if (!object_.is_object()) return refuse("is not a JSON object; one row is {\"file\": ..., \"predict\": ...}");
    const json* predict = find({"predict"});
    const std::string* answer = predict ? predict->get_ptr<const std::string*>() : nullptr;
    read_id();
    if (const std::string* file = text({"file"}); file && !has_id_) id_ = *file;
    const std::string problem = find_task(answer ? *answer : "");
    if (!predict) return refuse("has no field `predict`");
    if (!answer) return refuse(fmt::format("field `predict` is {}, not text", predict->type_name()));
    if (!problem.empty()) return refuse(problem);
    if (answer->find_first_not_of(" \t\r\n") == std::string::npos) return refuse("field `predict` is empty: there is no answer");
    IntakeOptions options = options_;
    std::optional<Language> extension;
    if (const std::string* language = text({"language"}); language && !options.language) {
      options.language = language_named(*language);
      if (!options.language) return refuse("field `language` is `" + *language + "`; it may be triton, cuda or cpp");
    }
    if (const std::string* file = text({"file"})) extension = language_of_extension(*file);
    return from_text({.id = id_,
                      .where = where_ + ": field `predict`",
                      .bytes = *answer,
                      .task = task_,
                      .extension = extension,
                      .markdown = false,
                      .file_name = ""},
                     options);
  }

 private:
  const json* find(std::initializer_list<const char*> keys) const {
    for (const char* key : keys)
      if (const auto found = object_.find(key); found != object_.end()) return &*found;
    return nullptr;
  }
  const std::string* text(std::initializer_list<const char*> keys) const {
    const json* value = find(keys);
    return value ? value->get_ptr<const std::string*>() : nullptr;
  }

  void read_id() {
    const json* id = find({"id"});
    if (!id || !(id->is_string() || id->is_number_integer())) return;
    id_ = id->is_string() ? id->get<std::string>() : id->dump();
    has_id_ = !id_.empty();
  }

  // Sets task_. Returns why it cannot.
  std::string find_task(const std::string& answer) {
    if (!options_.task.empty()) {
      task_ = options_.tasks.find(options_.task);
      return "";
    }
    if (const std::string* name = text({"task"})) {
      task_ = options_.tasks.find(*name);
      return task_ ? "" : "field `task`: " + options_.tasks.unknown(*name);
    }
    if (const std::string* file = text({"file"})) {
      task_ = options_.tasks.of_path(*file);
      return task_ ? "" : "field `file`: " + options_.tasks.unknown(std::filesystem::path(*file).stem().string());
    }
    if (const std::string* instruction = text({"instruction", "prompt", "query"})) {
      task_ = options_.tasks.of_instruction(*instruction, answer);
      return task_ ? "" : "field `instruction` does not tell which task it asks for; give a field `task` or `file`";
    }
    return "has neither `file` nor `task` nor `instruction`: it cannot be told which task it is for";
  }

  Intake refuse(const std::string& reason) const {
    const bool of_field = reason.starts_with("field ");
    return unreadable(id_, task_, printable(where_ + (of_field ? ": " : " ") + reason));
  }

  const json& object_;
  const IntakeOptions& options_;
  const std::string where_;
  std::string id_;
  bool has_id_ = false;
  const TaskName* task_ = nullptr;
};

}  // namespace

Status from_jsonl(const std::filesystem::path& file, const std::string& relative, const IntakeOptions& options, Submission& out) {
  const Result<std::string> bytes = read_file(file, options.max_submission_bytes);
  if (!bytes) return bytes.error();
  std::string_view rest = *bytes;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  for (size_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const Result<json> row = parse_json(line);
    if (row) {
      out.candidates.push_back(Row(*row, relative, number, options).intake());
      continue;
    }
    std::string what = row.error().message;
    if (const size_t column = what.find("column "); column != std::string::npos)
      what.erase(0, column);  // the line is ours to number
    out.candidates.push_back(unreadable(fmt::format("{}:{}", relative, number), nullptr,
                                        printable(fmt::format("{}, line {} is not JSON: {}", relative, number, what))));
  }
  return Done{};
}

}  // namespace kbx::intake

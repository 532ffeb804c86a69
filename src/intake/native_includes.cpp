// SPDX-License-Identifier: Apache-2.0
#include "intake/native_includes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/files.h"
#include "intake/source_text.h"

namespace kbx::intake {
namespace fs = std::filesystem;
namespace {

// The name within #include "name", or "".
std::string_view included(std::string_view line) {
  const auto skip = [&](std::string_view what) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(what)) return false;
    line.remove_prefix(what.size());
    return true;
  };
  if (!skip("#") || !skip("include") || !skip("\"")) return {};
  return line.substr(0, line.find('"'));
}

// The file's place relative to `folder`, or "" if it is not a plain file below it.
fs::path below(const fs::path& folder, const fs::path& file) {
  fs::path relative = file.lexically_normal();
  if (relative.empty() || relative.is_absolute()) return {};
  std::error_code error;
  const fs::path real = fs::canonical(folder / relative, error);
  if (error || real != fs::canonical(folder, error) / relative || !fs::is_regular_file(real, error)) return {};
  return relative;
}

}  // namespace

Status add_includes(const fs::path& given, std::vector<SourceFile>& files, uint64_t max_bytes) {
  const fs::path folder = given.empty() ? fs::path(".") : given;
  uint64_t total = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    total += files[i].text.size();
    if (total > max_bytes)
      return Error{fmt::format("{} with its includes is too large", files.front().path),
                   "at most " + human_bytes(max_bytes) + " are read"};
    const std::string text = files[i].text;  // `files` grows
    LineReader reader(text, Language::cpp);
    for (Line line; reader.next(line);) {
      if (line.inside) continue;
      const std::string_view name = included(line.text);
      const fs::path relative = name.empty() ? fs::path() : below(folder, fs::path(files[i].path).parent_path() / name);
      if (relative.empty()) continue;
      if (std::any_of(files.begin(), files.end(), [&](const SourceFile& f) { return f.path == relative.string(); })) continue;
      const Result<std::string> bytes = read_file(folder / relative, max_bytes);
      if (!bytes) return bytes.error();
      if (bytes->empty()) {
        files.push_back({relative.string(), ""});
        continue;
      }
      Result<std::string> decoded = source_text(*bytes);
      if (!decoded) return Error{relative.string() + " " + decoded.error().message, decoded.error().remedy};
      files.push_back({relative.string(), std::move(*decoded)});
    }
  }
  return Done{};
}

}  // namespace kbx::intake

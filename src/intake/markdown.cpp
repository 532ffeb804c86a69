// SPDX-License-Identifier: Apache-2.0
#include "intake/markdown.h"

#include <algorithm>
#include <cctype>

#include "intake/source_text.h"

namespace kbx {
namespace {

struct Fence {
  char mark = 0;  // '`' or '~', 0: the line is no fence
  size_t indent = 0, length = 0;
  std::string info;  // first word after the marks, lower case
};

// CommonMark 4.5: at most three spaces, then at least three marks. Lists indent their fences further; so do we allow.
Fence fence_of(std::string_view line) {
  Fence fence;
  fence.indent = std::min(line.find_first_not_of(" \t"), line.size());
  line.remove_prefix(fence.indent);
  if (!line.starts_with("```") && !line.starts_with("~~~")) return fence;
  fence.length = std::min(line.find_first_not_of(line[0]), line.size());
  std::string_view info = line.substr(fence.length);
  if (info.find('`') != std::string_view::npos) return fence;  // inline code
  fence.mark = line[0];
  for (char c : info) {
    if (!fence.info.empty() && (std::isspace(static_cast<unsigned char>(c)) || c == ',' || c == '{' || c == '}' || c == ':'))
      break;
    if (!std::isspace(static_cast<unsigned char>(c)) && c != '{' && c != '.')
      fence.info += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return fence;
}

bool closes(const Fence& fence, const Fence& opening) {
  return fence.mark == opening.mark && fence.length >= opening.length && fence.info.empty();
}

std::optional<Language> language_of_info(const std::string& info) {
  for (const char* word : {"python", "py", "python3", "triton"})
    if (info == word) return Language::triton;
  for (const char* word : {"cuda", "cu", "cuda-cpp", "cudacpp"})
    if (info == word) return Language::cuda;
  for (const char* word : {"cpp", "c++", "cc", "cxx"})
    if (info == word) return Language::cpp;
  return std::nullopt;
}

// The lines of a block up to its closing fence, which is read too. False: there is none where strings are heeded.
bool read_block(LineReader& reader, const Fence& opening, bool heed_strings, std::string& text) {
  text.clear();
  for (Line line; reader.next(line);) {
    if (!(heed_strings && line.inside) && closes(fence_of(line.text), opening)) return true;
    line.text.remove_prefix(std::min({opening.indent, line.text.find_first_not_of(" \t"), line.text.size()}));
    text.append(line.text) += '\n';
  }
  return false;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Whether the block has `name` as a word that is defined: "def name", "name = ", or in C++ any mention.
bool defines(const CodeBlock& block, const std::string& name) {
  if (name.empty()) return false;
  const std::string& text = block.text;
  const bool native = block.language.value_or(Language::triton) != Language::triton;
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end]))) continue;
    if (native) return true;
    if (at >= 4 && text.compare(at - 4, 4, "def ") == 0) return true;
    const size_t next = text.find_first_not_of(" \t", end);
    const bool at_line_start = at == 0 || text[at - 1] == '\n';
    if (at_line_start && next != std::string::npos && text[next] == '=' && text.compare(next, 2, "==") != 0) return true;
  }
  return false;
}

bool self_contained(const CodeBlock& block) {
  LineReader reader(block.text, block.language.value_or(Language::triton));
  for (Line line; reader.next(line);)
    if (!line.inside && (line.text.starts_with("import ") || line.text.starts_with("from ") || line.text.starts_with("#include")))
      return true;
  return false;
}

Language guessed_language(std::string_view text) {
  if (text.find("__global__") != std::string_view::npos) return Language::cuda;
  return text.starts_with("#include") || text.find("\n#include") != std::string_view::npos ? Language::cpp : Language::triton;
}

// The blocks that together are the source; empty if there is no code.
std::vector<const CodeBlock*> chosen_blocks(const std::vector<CodeBlock>& blocks, const std::vector<std::string>& entries) {
  std::vector<const CodeBlock*> code;
  for (const CodeBlock& block : blocks)
    if (block.code) code.push_back(&block);
  const CodeBlock *last = nullptr, *last_complete = nullptr;
  for (const CodeBlock* block : code)
    if (std::any_of(entries.begin(), entries.end(), [&](const std::string& entry) { return defines(*block, entry); })) {
      last = block;
      if (self_contained(*block)) last_complete = block;
    }
  if (last_complete) return {last_complete};
  if (!last) {
    const auto longest =
        std::max_element(code.begin(), code.end(), [](auto* a, auto* b) { return a->text.size() < b->text.size(); });
    if (longest == code.end()) return {};
    return {*longest};
  }
  std::vector<const CodeBlock*> parts;
  for (const CodeBlock* block : code) {
    if (block->language == last->language) parts.push_back(block);
    if (block == last) break;
  }
  return parts;
}

}  // namespace

std::string_view without_chat_tokens(std::string_view text) {
  constexpr std::string_view kThought = "</think>\n";
  if (const size_t thought = text.rfind(kThought); thought != std::string_view::npos)
    text.remove_prefix(thought + kThought.size());
  for (;;) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
    const size_t token = text.rfind("<|");
    if (!text.ends_with("|>") || token == std::string_view::npos) return text;
    if (text.substr(token).find_first_of(" \n\"'") != std::string_view::npos) return text;
    text = text.substr(0, token);
  }
}

std::vector<CodeBlock> code_blocks(std::string_view markdown) {
  std::vector<CodeBlock> blocks;
  bool heed_strings = true;
  LineReader prose(markdown, Language::cpp);
  for (Line line; prose.next(line);) {
    const Fence opening = fence_of(line.text);
    if (!opening.mark) continue;
    const auto language = language_of_info(opening.info);
    CodeBlock block{language, language || opening.info.empty(), ""};
    LineReader body(prose.rest(), language.value_or(Language::triton));
    // A string that never ends (a damaged answer) would swallow every fence: from there on strings do not count.
    if (heed_strings && !read_block(body, opening, true, block.text)) {
      heed_strings = false;
      body = LineReader(prose.rest(), Language::triton);
    }
    if (!heed_strings) read_block(body, opening, false, block.text);
    blocks.push_back(std::move(block));
    prose = LineReader(body.rest(), Language::cpp);
  }
  return blocks;
}

bool has_fence(std::string_view source, Language language) {
  LineReader reader(source, language);
  for (Line line; reader.next(line);)
    if (!line.inside && fence_of(line.text).mark == '`') return true;
  return false;
}

Answer answer_source(std::string_view markdown, const std::vector<std::string>& entries) {
  const std::vector<CodeBlock> blocks = code_blocks(markdown);
  const std::vector<const CodeBlock*> parts = chosen_blocks(blocks, entries);
  std::string text;
  for (const CodeBlock* part : parts) text += (text.empty() ? "" : "\n") + part->text;
  if (parts.empty()) text = markdown;
  const auto stated = parts.empty() ? std::nullopt : parts.back()->language;
  return {stated ? *stated : guessed_language(text), text};
}

}  // namespace kbx

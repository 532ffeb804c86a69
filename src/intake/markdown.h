// SPDX-License-Identifier: Apache-2.0
// A model's answer: prose with fenced blocks of code, or bare code.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/candidate.h"

namespace kbx {

// Drops reasoning up to a line that ends in "</think>", and a chat model's end tokens ("<|im_end|>") with the blanks before them.
std::string_view without_chat_tokens(std::string_view answer);

struct CodeBlock {
  std::optional<Language> language;  // from the fence ("```cuda"); empty if it names none
  bool code = true;                  // false for fences of other things: bash, json, text, ...
  std::string text;
};

// The fenced blocks of an answer, in order. A fence within a string or comment of a block (a docstring with an example) is
// not one; a last block without a closing fence ends with the text.
std::vector<CodeBlock> code_blocks(std::string_view markdown);

// Whether a source file is really an answer: it has a fence outside its strings and comments.
bool has_fence(std::string_view source, Language language);

struct Answer {
  Language language = Language::triton;
  std::string text;
};

// The source within an answer: the last block that defines one of `entries` (preferring blocks that carry their own
// imports), joined with the blocks before it where it has none; without such a block the longest; without any block the
// whole answer.
Answer answer_source(std::string_view markdown, const std::vector<std::string>& entries);

}  // namespace kbx

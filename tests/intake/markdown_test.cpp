// SPDX-License-Identifier: Apache-2.0
#include "intake/markdown.h"

#include <gmock/gmock.h>

#include "fixture.h"

namespace kbx {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kEntries{"gelu", "kernel_function"};

std::string source(const std::string& markdown) { return answer_source(markdown, kEntries).text; }

TEST(Markdown, TheBlockThatDefinesTheEntryIsChosen) {
  EXPECT_EQ(
      source(
          "Install:\n```bash\npip install triton\n```\nThen\n```python\nimport torch\ndef gelu(x):\n    return x\n```\nUse it:\n"
          "```python\nimport torch\ny = gelu(torch.randn(3))\nprint(y)\n# a long usage example that is longer than the kernel "
          "itself\n```\n"),
      "import torch\ndef gelu(x):\n    return x\n");
}

TEST(Markdown, TheLastOfSeveralVersionsIsChosen) {
  EXPECT_EQ(
      source(
          "```python\nimport torch\ndef gelu(x): return 1\n```\nBetter:\n```python\nimport torch\ndef gelu(x): return 2\n```\n"),
      "import torch\ndef gelu(x): return 2\n");
}

TEST(Markdown, ASnippetOfAChangeDoesNotReplaceTheWholeSource) {
  EXPECT_THAT(
      source("```python\nimport torch\ndef gelu(x): return 1\n```\nThe wrapper in short:\n```python\ndef gelu(x): ...\n```\n"),
      HasSubstr("return 1"));
}

TEST(Markdown, ASplitAnswerIsJoined) {
  EXPECT_EQ(source("```python\nimport triton\n@triton.jit\ndef _k(): pass\n```\nand\n```python\ndef gelu(x): return "
                   "_k\n```\n```python\nprint(1)\n```\n"),
            "import triton\n@triton.jit\ndef _k(): pass\n\ndef gelu(x): return _k\n");
}

TEST(Markdown, AnEntryByAssignmentAndKernelFunctionCount) {
  EXPECT_THAT(source("```python\nimport a\ngelu = f\n```\n```python\nimport b\n# much longer than the other block is\n```"),
              HasSubstr("gelu = f"));
  EXPECT_THAT(source("```python\nimport a\ndef kernel_function(x): pass\n```\n```python\nimport b\nassert gelu == 1 # much "
                     "longer than the other block\n```"),
              HasSubstr("kernel_function"));
}

TEST(Markdown, WithoutADefinitionTheLongestCodeBlockIsTaken) {
  EXPECT_EQ(source("```json\n{\"a\": \"very very very very long\"}\n```\n```\nx = 1\n```\n```python\ny = 1 + 1\n```\n"),
            "y = 1 + 1\n");
}

TEST(Markdown, AFenceWithinADocstringDoesNotEndTheBlock) {
  const std::string code = "def gelu(x):\n    \"\"\"Example:\n```\ngelu(1)\n```\n    \"\"\"\n    return x\n";
  EXPECT_EQ(source("Text\n```python\n" + code + "```\nmore\n"), code);
}

TEST(Markdown, AStringThatNeverEndsDoesNotSwallowTheFence) {
  EXPECT_EQ(source("```python\ndef gelu(x): '''broken\n```\nThe end.\n"), "def gelu(x): '''broken\n");
}

TEST(Markdown, ATruncatedAnswerEndsWithTheText) {
  EXPECT_EQ(source("```python\nimport a\ndef gelu(x):\n    return"), "import a\ndef gelu(x):\n    return\n");
}

TEST(Markdown, FencesOfOtherShapes) {
  EXPECT_EQ(source("~~~py\ndef gelu(x): pass\n~~~\n"), "def gelu(x): pass\n");
  EXPECT_EQ(source("````python\ndef gelu(x): pass\n```\n````\n"), "def gelu(x): pass\n```\n");
  EXPECT_EQ(source("1. Step:\n   ```Python title=\"a\"\n   def gelu(x):\n       pass\n   ```\n"), "def gelu(x):\n    pass\n");
  EXPECT_EQ(source("``` {.python}\ndef gelu(x): pass\n```"), "def gelu(x): pass\n");
}

TEST(Markdown, TabsAreKept) { EXPECT_EQ(source("```python\ndef gelu(x):\n\treturn x\n```"), "def gelu(x):\n\treturn x\n"); }

TEST(Markdown, NoFenceAtAllIsTheWholeAnswer) { EXPECT_EQ(source("def gelu(x): pass"), "def gelu(x): pass"); }

TEST(Markdown, LanguageComesFromTheFenceElseFromTheText) {
  EXPECT_EQ(answer_source("```cuda\n__global__ void k() {}\nvoid gelu();\n```", kEntries).language, Language::cuda);
  EXPECT_EQ(answer_source("```cpp\nvoid gelu();\n```", kEntries).language, Language::cpp);
  EXPECT_EQ(answer_source("```\n#include <vector>\nvoid gelu();\n```", kEntries).language, Language::cpp);
  EXPECT_EQ(answer_source("```\n#include <vector>\n__global__ void gelu();\n```", kEntries).language, Language::cuda);
  EXPECT_EQ(answer_source("```\ndef gelu(x): pass\n```", kEntries).language, Language::triton);
}

TEST(Markdown, ReasoningAndEndTokensAreDropped) {
  EXPECT_EQ(without_chat_tokens("<think>```python\ndef gelu(x): 0\n```\n</think>\ncode <|im_end|>\n<|endoftext|>\n"), "code");
  EXPECT_EQ(without_chat_tokens("x = '<|a b|>'"), "x = '<|a b|>'");
}

TEST(Markdown, StringsThatNeverEndTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "```cpp\nR\"" + std::to_string(i) + "(\n```\n";
  EXPECT_EQ(code_blocks(text).size(), 100000u);  // reading to the end for each would run into the time limit
}

class MarkdownFile : public testing::InFolder {};

TEST_F(MarkdownFile, WindowsLineEndsTabsAndByteOrderMark) {
  const Candidate c =
      only(read_candidate(file("gelu.md", "\xef\xbb\xbfHere:\r\n```python\r\ndef gelu(x):\r\n\treturn x\r\n```\r\n"), options_));
  EXPECT_EQ(c.files[0].text, "def gelu(x):\n\treturn x\n");
  EXPECT_EQ(c.files[0].path, "gelu.py");
}

TEST_F(MarkdownFile, APythonFileWithAFencedAnswerIsUnwrapped) {
  EXPECT_EQ(only(read_candidate(file("gelu.py", "Sure!\n```python\ndef gelu(x): pass\n```\n"), options_)).files[0].text,
            "def gelu(x): pass\n");
}

TEST_F(MarkdownFile, APythonFileWithAFenceInItsDocstringIsLeftAlone) {
  const std::string code = "\"\"\"Doc.\n\n```python\ngelu(1)\n```\n\"\"\"\ndef gelu(x):\n    return x  # don't\n";
  EXPECT_EQ(only(read_candidate(file("gelu.py", code), options_)).files[0].text, code);
}

TEST_F(MarkdownFile, ACppFileWithAFenceInItsCommentIsLeftAlone) {
  const std::string code = "/*\n```cpp\ngelu(1'000);\n```\n*/\nint gelu; // don't\n";
  EXPECT_EQ(only(read_candidate(file("gelu.cpp", code), options_)).files[0].text, code);
}

}  // namespace
}  // namespace kbx

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "fixture.h"

namespace kbx {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Jsonl : public testing::InFolder {
 protected:
  Submission read(const std::string& text) {
    const auto submission = read_submission(file("answers.jsonl", text), options_);
    EXPECT_TRUE(submission.ok()) << (submission.ok() ? "" : submission.error().text());
    return submission.ok() ? *submission : Submission{};
  }
  // The reason why the only row is unreadable.
  std::string reason(const json& row) {
    const Submission s = read(row.dump());
    return s.candidates.size() == 1 && s.candidates[0].unreadable ? s.candidates[0].unreadable->reason : "readable";
  }
};

TEST_F(Jsonl, PublishedFormKeepsTheIdAndTakesTheTaskFromTheFile) {
  const Candidate c = only(read(
      json{{"id", "000b"}, {"file", "Activation/gelu_bf16.py"}, {"predict", "def gelu_bf16(x): pass"}, {"round", 1}}.dump()));
  EXPECT_EQ(c.id, "000b");
  EXPECT_EQ(c.task, "gelu_bf16");
  EXPECT_EQ(c.language, Language::triton);
  EXPECT_EQ(c.files[0].path, "gelu_bf16.py");
  EXPECT_EQ(c.files[0].text, "def gelu_bf16(x): pass\n");
}

TEST_F(Jsonl, WithoutIdTheFileNamesTheCandidate) {
  EXPECT_EQ(only(read(json{{"file", "Activation/gelu.py"}, {"predict", "x = 1"}}.dump())).id, "Activation/gelu.py");
}

TEST_F(Jsonl, InstructionFormFindsTheAnnouncedFunction) {
  const std::string prompt =
      "Functional Description: like add(a, b), then sum(x).\nWrapper Entry Information: def softmax(input, dim=-1) -> "
      "Tensor\nArgs: ...";
  const Candidate c = only(read(json{{"instruction", prompt}, {"predict", "x = 1"}}.dump()));
  EXPECT_EQ(c.task, "softmax");
  EXPECT_EQ(c.id, "answers.jsonl:1");
}

TEST_F(Jsonl, InstructionFormFallsBackToTheOnlyFunctionCalledOrDefined) {
  EXPECT_EQ(
      only(read(json{{"instruction", "Write the Triton kernel `gelu(input)`. Sum up nothing."}, {"predict", "x = 1"}}.dump()))
          .task,
      "gelu");
  EXPECT_EQ(
      only(read(json{{"instruction", "Implement matmul(a, b) = sum(a * b)."}, {"predict", "def matmul(a, b): pass"}}.dump()))
          .task,
      "matmul");
  EXPECT_EQ(only(read(json{{"prompt", "torch.optim: adam_step(param, grad)"}, {"predict", "x = 1"}}.dump())).task, "Adam");
}

TEST_F(Jsonl, APromptWithoutAFunctionNameIsToldByWhatTheAnswerDefines) {
  const std::string prompt = "Wrapper Entry Information: A (Tensor), B (Tensor)\nAX = B";
  EXPECT_EQ(only(read(json{{"instruction", prompt}, {"predict", "def helper(): pass\ndef matmul(A, B): pass"}}.dump())).task,
            "matmul");
}

TEST_F(Jsonl, AnInstructionThatTellsNothingIsUnreadable) {
  EXPECT_THAT(reason({{"instruction", "Write something fast."}, {"predict", "x = 1"}}),
              AllOf(HasSubstr("answers.jsonl, line 1"), HasSubstr("`task` or `file`")));
  EXPECT_THAT(reason({{"instruction", "gelu(x) or selu(x)?"}, {"predict", "x = 1"}}), HasSubstr("does not tell"));
}

TEST_F(Jsonl, ABrokenLineIsReportedWithItsNumberAndTheRestIsRead) {
  const std::string good = json{{"file", "gelu.py"}, {"predict", "x = 1"}}.dump();
  const Submission s =
      read(good + "\r\n\n{\"file\": \"gelu.py\", \"pre\n" + json{{"file", "selu.py"}, {"predict", "x = 2"}}.dump());
  ASSERT_EQ(s.candidates.size(), 3u);
  EXPECT_FALSE(s.candidates[0].unreadable);
  EXPECT_THAT(s.candidates[1].unreadable->reason, HasSubstr("answers.jsonl, line 3 is not JSON"));
  EXPECT_EQ(s.candidates[1].candidate.id, "answers.jsonl:3");
  EXPECT_EQ(s.candidates[2].candidate.task, "selu");
}

TEST_F(Jsonl, EachBadFieldIsNamed) {
  EXPECT_THAT(reason({{"file", "gelu.py"}}), HasSubstr("line 1 has no field `predict`"));
  EXPECT_THAT(reason({{"file", "gelu.py"}, {"predict", 3}}), HasSubstr("line 1: field `predict` is number, not text"));
  EXPECT_THAT(reason({{"file", "gelu.py"}, {"predict", " \n"}}), HasSubstr("field `predict` is empty"));
  EXPECT_THAT(reason({{"file", "Activation/gleu.py"}, {"predict", "x"}}),
              HasSubstr("field `file`: unknown task `gleu`; did you mean gelu"));
  EXPECT_THAT(reason({{"task", "gleu"}, {"predict", "x"}}), HasSubstr("field `task`: unknown task `gleu`"));
  EXPECT_THAT(reason({{"predict", "x"}}), HasSubstr("has neither `file` nor `task` nor `instruction`"));
  EXPECT_THAT(reason({{"task", "gelu"}, {"predict", "x"}, {"language", "rust"}}), HasSubstr("`language` is `rust`"));
  EXPECT_THAT(reason(json::array({1, 2})), HasSubstr("is not a JSON object"));
}

TEST_F(Jsonl, BytesThatAreNotUtf8AreABrokenLine) {
  const Submission s = read("{\"file\": \"gelu.py\", \"predict\": \"caf\xe9\"}");
  EXPECT_THAT(s.candidates[0].unreadable->reason, HasSubstr("line 1 is not JSON: column "));
  EXPECT_LT(s.candidates[0].unreadable->reason.size(), 160u);  // the text itself is not repeated
}

TEST_F(Jsonl, EqualIdsGetANumberThatIsNotTakenYet) {
  std::string text;
  for (const char* id : {"a", "a", "a#2", "a"})
    text += json{{"id", id}, {"file", "gelu.py"}, {"predict", std::string("x = ") + std::to_string(text.size())}}.dump() + "\n";
  const Submission s = read(text);
  std::vector<std::string> ids;
  for (const Intake& one : s.candidates) ids.push_back(one.candidate.id);
  EXPECT_THAT(ids, ElementsAre("a", "a#3", "a#2", "a#4"));
  EXPECT_THAT(s.warnings, ElementsAre(HasSubstr("3 candidates have the id a")));
}

TEST_F(Jsonl, SamplesWithoutIdAreAllKept) {
  const std::string row = json{{"file", "gelu.py"}, {"predict", "x = 1"}}.dump() + "\n";
  const Submission s = read(row + row);
  EXPECT_EQ(s.candidates[1].candidate.id, "gelu.py#2");
  EXPECT_EQ(s.candidates[0].candidate.digest, s.candidates[1].candidate.digest);
}

TEST_F(Jsonl, NativeLanguageByFieldOrFile) {
  EXPECT_EQ(only(read(json{{"task", "gelu"}, {"language", "cpp"}, {"predict", "int x;"}}.dump())).files[0].path, "gelu.cpp");
  EXPECT_EQ(only(read(json{{"file", "gelu.cu"}, {"predict", "int x;"}}.dump())).language, Language::cuda);
}

TEST_F(Jsonl, AFencedAnswerIsUnwrapped) {
  EXPECT_EQ(
      only(read(json{{"file", "gelu.py"}, {"predict", "Here:\n```python\ndef gelu(x):\n    pass\n```\nDone.<|im_end|>"}}.dump()))
          .files[0]
          .text,
      "def gelu(x):\n    pass\n");
}

}  // namespace
}  // namespace kbx

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "fixture.h"

namespace kbx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kGelu;

class Folder : public testing::InFolder {
 protected:
  std::vector<std::string> ids_and_tasks() {
    std::vector<std::string> out;
    const auto read = read_submission(dir_, options_);
    for (const Intake& one : read->candidates)
      out.push_back(one.candidate.id + " " + one.candidate.task + " " + name(one.candidate.language) +
                    (one.unreadable ? " unreadable" : ""));
    return out;
  }
  static std::vector<std::string> paths(const Candidate& c) {
    std::vector<std::string> out;
    for (const SourceFile& f : c.files) out.push_back(f.path);
    return out;
  }
};

TEST_F(Folder, TaskComesFromStemThenFolderAndLanguageFromExtension) {
  file("gelu.py", kGelu);
  file("Activation/selu.cu", "x");
  file("matmul/7.cc", "x");
  file("add/model_a/kernel.cpp", "x");
  file("softmax.sample2.py", "x = 1");
  file("sum.md", "```python\ndef sum(x): pass\n```\n");
  EXPECT_THAT(ids_and_tasks(),
              ElementsAre("gelu.py gelu triton", "softmax.sample2.py softmax triton", "sum.md sum triton",
                          "Activation/selu.cu selu cuda", "add/model_a/kernel.cpp add cpp", "matmul/7.cc matmul cpp"));
}

TEST_F(Folder, AnAnswersPublishedPathAndAnOptimisersIdAreKnown) {
  file("Optimizer/Adam.py", "x = 1");
  file("adam_step.py", "x = 2");
  EXPECT_THAT(ids_and_tasks(), ElementsAre("adam_step.py Adam triton", "Optimizer/Adam.py Adam triton"));
}

TEST_F(Folder, ANativeCandidateBringsTheFilesThatItIncludes) {
  file("gelu.cpp",
       "#include <vector>\n#include \"inner/math.h\"\n# include  \"gone.h\"\n// #include \"not.h\"\n/*\n#include "
       "\"not.h\"\n*/\nint x;\n");
  file("inner/math.h", "#include \"deep.h\"\n");
  file("inner/deep.h", "#include \"math.h\"\n#include \"../../outside.h\"\n");
  file("not.h", "x");
  EXPECT_THAT(paths(only(read_submission(dir_, options_))), ElementsAre("gelu.cpp", "inner/math.h", "inner/deep.h"));
}

TEST_F(Folder, NothingOutsideTheFolderIsIncluded) {
  const std::string outside = file("outside.h", "x").string();
  file("in/gelu.cpp", "#include \"../outside.h\"\n#include \"" + outside + "\"\nint x;\n");
  EXPECT_THAT(paths(only(read_candidate(dir_ / "in/gelu.cpp", options_))), ElementsAre("gelu.cpp"));
}

TEST_F(Folder, AnIncludedLinkIsNotFollowed) {
  file("gelu.cpp", "#include \"secret.h\"\nint x;\n");
  std::filesystem::create_symlink("/etc/passwd", dir_ / "secret.h");
  EXPECT_THAT(paths(only(read_candidate(dir_ / "gelu.cpp", options_))), ElementsAre("gelu.cpp"));
}

TEST_F(Folder, SeveralSourcesWithAHeaderAndOneExportAreOneCandidate) {
  file("gelu/a_helper.cu", "int helper;\n");
  file("gelu/kernel.cpp", "#include \"k.h\"\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(gelu, f);\n");
  file("gelu/k.h", "int helper;\n");
  const Candidate c = only(read_submission(dir_, options_));
  EXPECT_EQ(c.id, "gelu");
  EXPECT_EQ(c.language, Language::cuda);
  EXPECT_THAT(paths(c), ElementsAre("kernel.cpp", "a_helper.cu", "k.h"));
  EXPECT_EQ(only(read_candidate(dir_ / "gelu/", options_)).digest, c.digest);
}

TEST_F(Folder, SeveralExportersAreSamplesOfOneTask) {
  file("gelu/0.cpp", "#include \"k.h\"\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(gelu, f);\n");
  file("gelu/1.cpp", "#include \"k.h\"\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(gelu, g);\n");
  file("gelu/k.h", "int helper;\n");
  EXPECT_THAT(ids_and_tasks(), ElementsAre("gelu/0.cpp gelu cpp", "gelu/1.cpp gelu cpp"));
}

TEST_F(Folder, EqualTextsAreReportedAndAllKept) {
  file("gelu.py", kGelu);
  file("Activation/gelu.py", kGelu);
  file("selu.py", kGelu);  // for another task: no duplicate
  const auto read = read_submission(dir_, options_);
  EXPECT_EQ(read->candidates.size(), 3u);
  EXPECT_THAT(read->warnings, ElementsAre("2 candidates for gelu are the same text: gelu.py, Activation/gelu.py"));
}

TEST_F(Folder, DigestDependsOnLanguageAndEveryFileButNotOnTheMainName) {
  const auto digest = [&](const std::string& name) { return only(read_candidate(dir_ / name, options_)).digest; };
  file("a/gelu.cpp", "#include \"k.h\"\n");
  file("a/k.h", "1\n");
  file("b/gelu.other.cpp", "#include \"k.h\"\n");
  file("b/k.h", "1\n");
  file("c/gelu.cpp", "#include \"k.h\"\n");
  file("c/k.h", "2\n");
  file("d/gelu.cu", "#include \"k.h\"\n");
  file("d/k.h", "1\n");
  EXPECT_EQ(digest("a/gelu.cpp"), digest("b/gelu.other.cpp"));
  EXPECT_NE(digest("a/gelu.cpp"), digest("c/gelu.cpp"));
  EXPECT_NE(digest("a/gelu.cpp"), digest("d/gelu.cu"));
}

TEST_F(Folder, ATaskGivenByHandHoldsForEveryFile) {
  options_.task = "gelu";
  file("selu.py", kGelu);
  file("whatever.py", "x = 1");
  EXPECT_THAT(ids_and_tasks(), ElementsAre("selu.py gelu triton", "whatever.py gelu triton"));
}

TEST_F(Folder, WordsInASourceNeverMatter) {
  const std::string text =
      "# torch.nn. cublas .half( pass try: forbidden\nimport torch\ndef gelu(input):\n    return "
      "torch.nn.functional.gelu(input)\n";
  EXPECT_EQ(only(read_candidate(file("gelu.py", text), options_)).files[0].text, text);
}

TEST_F(Folder, ASourceThatDoesNotParseIsNotIntakesMatter) {
  EXPECT_EQ(only(read_candidate(file("gelu.py", "import torch def gelu(:\n"), options_)).files[0].text,
            "import torch def gelu(:\n");
}

TEST_F(Folder, AReadmeIsNoCandidateAndNeedsNoWarning) {
  file("gelu.py", kGelu);
  file("README.md", "# gelu");
  EXPECT_THAT(read_submission(dir_, options_)->warnings, IsEmpty());
}

}  // namespace
}  // namespace kbx

// SPDX-License-Identifier: Apache-2.0
#include "cli/prompt.h"

#include <gmock/gmock.h>

#include "cli/catalogue_file.h"
#include "cli/device_sheet.h"

namespace kbx {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Prompt : public ::testing::Test {
 protected:
  std::string of(const std::string& id, Language language, const std::string& sheet = "") {
    static const Result<TaskObjects> tasks = read_catalogue(KBX_CATALOGUE);
    for (const auto& task : *tasks)
      if (task["id"] == id) return prompt_of(task, language, sheet);
    ADD_FAILURE() << "no task " << id;
    return "";
  }
};

TEST_F(Prompt, EveryTaskHasOneInEveryLanguage) {
  const Result<TaskObjects> tasks = read_catalogue(KBX_CATALOGUE);
  ASSERT_TRUE(tasks.ok()) << tasks.error().text();
  for (const auto& task : *tasks)
    for (const Language language : {Language::triton, Language::cuda, Language::cpp}) {
      const std::string prompt = prompt_of(task, language, "");
      EXPECT_THAT(prompt, HasSubstr(task["summary"].get<std::string>())) << task["id"];
      EXPECT_THAT(prompt, HasSubstr(task["contract_words"].get<std::string>())) << task["id"];
      EXPECT_THAT(prompt, Not(HasSubstr("at::"))) << task["id"] << ": code of the reference";
    }
}

TEST_F(Prompt, APythonSignatureKeepsDefaultsAndKeywords) {
  EXPECT_THAT(of("gelu", Language::triton), HasSubstr("def gelu(input: torch.Tensor, approximate: str='none') -> torch.Tensor"));
  EXPECT_THAT(of("svd", Language::triton), HasSubstr("-> tuple[torch.Tensor, torch.Tensor, torch.Tensor]"));
  EXPECT_THAT(of("abs", Language::triton), HasSubstr("*, out: torch.Tensor | None=None)"));
  EXPECT_THAT(of("sub", Language::triton), HasSubstr("alpha: int | float=1"));
}

// A native function gets no `out`: it has destinations.
TEST_F(Prompt, ANativeSignatureHasDestinationsInsteadOfOut) {
  EXPECT_THAT(of("abs", Language::cpp),
              HasSubstr("void abs_entry(tvm::ffi::TensorView input_tensor, tvm::ffi::TensorView result);"));
  EXPECT_THAT(of("abs", Language::cpp), HasSubstr("TVM_FFI_DLL_EXPORT_TYPED_FUNC(abs, abs_entry)"));
}

TEST_F(Prompt, ANativeFunctionOfSeveralResultsIsToldOfThoseLeftOut) {
  EXPECT_THAT(of("min", Language::cpp), HasSubstr("leaves out has a destination without elements"));
  EXPECT_THAT(of("abs", Language::cpp), Not(HasSubstr("leaves out")));
}

TEST_F(Prompt, TheEntryIsTheFunctionToDefineNotTheTask) {
  EXPECT_THAT(of("Adam", Language::triton), HasSubstr("def adam_step("));
}

TEST_F(Prompt, AResultThatIsAnArgumentHasNoDestination) {
  EXPECT_THAT(of("index_fill_", Language::cpp), Not(HasSubstr("TensorView result")));
}

TEST_F(Prompt, RandomTasksSayWhereRandomnessComesFrom) {
  EXPECT_THAT(of("rand", Language::cpp), HasSubstr("int64_t seed"));
  EXPECT_THAT(of("rand", Language::triton), HasSubstr("torch is seeded before each call"));
  EXPECT_THAT(of("gelu", Language::cpp), Not(HasSubstr("seed")));
}

TEST_F(Prompt, AResultOfUnknownSizeIsCounted) {
  EXPECT_THAT(of("masked_select", Language::cpp), HasSubstr("int64_t masked_select_entry("));
}

// A reader of `training: true, false` alone would not know that most calls leave it out.
TEST_F(Prompt, ArgumentsSayWhatCallsGiveAndThatTheyMayBeLeftOut) {
  EXPECT_THAT(of("leaky_relu", Language::triton), HasSubstr("| `inplace` | `False` | false, true; or nothing |"));
}

TEST_F(Prompt, ADeviceSheetIsAddedWhereOneIsGiven) {
  EXPECT_THAT(of("gelu", Language::triton), Not(HasSubstr("## Device")));
  EXPECT_THAT(of("gelu", Language::triton, "A device.\n"), HasSubstr("## Device\n\nA device."));
}

TEST(DeviceSheet, KnowsNamesInAnyCase) {
  const auto sheet = device_sheet("H200");
  ASSERT_TRUE(sheet.ok());
  EXPECT_THAT(*sheet, HasSubstr("4800 GB/s"));
}

TEST(VendorPeaks, AreFoundByTheDriversNameOfTheSameForm) {
  EXPECT_EQ(vendor_peaks("NVIDIA H200")->bandwidth, 4800e9);
  EXPECT_EQ(vendor_peaks("NVIDIA H100 80GB HBM3")->bf16, 989e12);
  EXPECT_EQ(vendor_peaks("NVIDIA A100-SXM4-80GB")->fp32, 19.5e12);
  EXPECT_EQ(vendor_peaks("NVIDIA H20")->tf32, 74e12);  // and not H200's
  EXPECT_FALSE(vendor_peaks("NVIDIA H100 PCIe"));
  EXPECT_FALSE(vendor_peaks("NVIDIA GeForce RTX 4090 Laptop GPU"));
  EXPECT_FALSE(vendor_peaks("NVIDIA B200"));
}

TEST(DeviceSheet, AnUnknownNameNamesTheKnownOnes) {
  const auto sheet = device_sheet("h300");
  ASSERT_FALSE(sheet.ok());
  EXPECT_THAT(sheet.error().remedy, HasSubstr("h200"));
}

}  // namespace
}  // namespace kbx

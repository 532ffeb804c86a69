// SPDX-License-Identifier: Apache-2.0
#include "validation/more_work.h"

#include <fmt/format.h>

#include <cmath>

#include "catalogue/task.h"
#include "core/check.h"
#include "core/files.h"
#include "core/installation.h"

namespace kbx {
namespace {

// Elements, and blocks of the smallest case: a multiple of 100, so that each level is a whole number of them.
struct Blocks {
  int64_t elements, least;
};
constexpr Blocks kOnGpu{1024, 16000}, kOnCpu{64, 1000};
constexpr int kSizes = 4;

Blocks blocks_on(at::DeviceType device) { return device == at::kCPU ? kOnCpu : kOnGpu; }

// 256 steps a number keep the arithmetic far above the traffic. How often blocks are done is read from memory, so that all
// levels run the very same instructions.
constexpr const char* kSource = R"(#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <cstdint>

namespace {

constexpr int64_t kBlock = 64;
volatile int64_t more = MORE;

[[gnu::noinline]] void block(const float* x, float* y) {
  float t[kBlock] = {};
  for (int step = 0; step < 256; ++step)
    for (int64_t i = 0; i < kBlock; ++i) t[i] = t[i] * 0.5f + x[i];
  for (int64_t i = 0; i < kBlock; ++i) y[i] = (x[i] < 0 ? 0 : x[i]) + t[i] * 0.0f;
}

void relu(tvm::ffi::TensorView input, bool, tvm::ffi::TensorView result) {
  const float* x = static_cast<const float*>(input.data_ptr());
  float* y = static_cast<float*>(result.data_ptr());
  const int64_t blocks = input.numel() / kBlock;
  for (int64_t b = 0; b < blocks; ++b) block(x + b * kBlock, y + b * kBlock);
  const int64_t again = (blocks * more + 99) / 100;
  for (int64_t b = 0; b < again; ++b) block(x + b * kBlock, y + b * kBlock);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(relu, relu);
)";

}  // namespace

std::vector<Case> more_work_cases(at::DeviceType device) {
  const Blocks blocks = blocks_on(device);
  std::vector<Case> cases;
  for (int k = 1; k <= kSizes; ++k)
    cases.push_back(parse_case(*find_task("relu"), fmt::format("input=randn[{}]", k * blocks.least * blocks.elements)).value());
  return cases;
}

double more_work_truth(const Case& c, at::DeviceType device, int more) {
  const int64_t blocks = input_bytes(c) / static_cast<int64_t>(sizeof(float)) / blocks_on(device).elements;
  KBX_CHECK_LT(int64_t{0}, blocks);
  return std::log(static_cast<double>(blocks) / static_cast<double>(blocks + (blocks * more + 99) / 100));
}

Result<Candidate> more_work_candidate(at::DeviceType device, int more) {
  Candidate c;
  c.id = more_work_entry(device, more);
  c.task = "relu";
  if (device == at::kCPU) {
    c.language = Language::cpp;
    std::string text = kSource;
    c.files = {{"more_work.cpp", text.replace(text.find("MORE"), 4, std::to_string(more))}};
    return c;
  }
  const auto installed = find_installation();
  if (!installed) return installed.error();
  auto text = read_file(installed->runner_python / "baselines" / "more_work.py", 1 << 20);
  if (!text) return text.error();
  c.files = {{"more_work.py", *std::move(text)}};
  return c;
}

std::string more_work_entry(at::DeviceType device, int more) {
  return device == at::kCPU ? "relu" : fmt::format("relu__{}", more);
}

}  // namespace kbx

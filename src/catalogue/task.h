// SPDX-License-Identifier: Apache-2.0
// A task: one operator to implement, as one aggregate value. One definition feeds calling, verifying, measuring,
// listing, prompts, documentation and selfcheck.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/call.h"
#include "contracts/contract.h"
#include "core/verdict.h"

namespace kbx {

enum class Category {
  activation,
  convolution,
  fusion,
  index,
  linear_algebra,
  loss,
  math,
  matrix_multiply,
  normalization,
  optimizer,
  pooling,
  quantization,
  random,
  reduce,
  spatial_ops,
};

// Which part of a device does the arithmetic: `matrix` where it is products of matrices (tensor cores), `vector` all else.
enum class Unit { vector, matrix };

// Least work of a call: `bytes` moved (each input read once, each output written once) and arithmetic operations.
struct Cost {
  double bytes = 0, flops = 0;
  Unit unit = Unit::vector;
};

// What happens around the random part of a stochastic task, so that the judge can work with a mask of its own. Like a
// reference: pure but for written arguments, and names no floating dtype.
struct Chance {
  // The tensor on which chance acts.
  at::Tensor (*before)(const Args&) = nullptr;
  // dropout: the probability that an element becomes zero; 0 where the call drops nothing.
  double (*probability)(const Args&) = nullptr;
  // dropout: the task's results from the tensor whose elements were dropped, or kept and scaled by 1 / (1 - probability).
  Values (*after)(const Args&, const at::Tensor& masked) = nullptr;
  // dropout: that tensor again, from the outputs of a call (roughly: what it yields is checked). Null where each element
  // of an output depends on the one element at its own place.
  at::Tensor (*undo)(const Args&, const Values& outputs) = nullptr;
};

// The reference of a dropout task: after(dropout(before)) with torch's own stream.
Values dropped_out(const Args& args);

struct Task {
  std::string_view id;
  Category category;
  bool official = true;           // in the published list of 176
  int difficulty = 0;             // 1..5 as published
  std::string_view schema;        // torch operator schema; its name is the entry
  std::string_view summary = {};  // one or two sentences, our own words
  std::string_view math = {};     // formula, plain text
  // The eager composition in ATen. Pure except for arguments that the schema marks as written. Names no floating dtype.
  Values (*reference)(const Args&);
  // The truth, where it is not the reference evaluated in float64 (quantised: the integer scheme). May be null.
  Values (*oracle)(const Args&) = nullptr;
  // For the result whose contract is Jump: the quantity that decides by its sign, then the result for each side of it (of
  // the same shape). Pure; computes as the reference does. Null elsewhere.
  Values (*jump)(const Args&) = nullptr;
  // What the published reference computes, where that contradicts its own description and kbx departs from it. Policy
  // `paper` alone compares with it. Null: the reference.
  Values (*published)(const Args&) = nullptr;
  // Only where the first result's shape follows from the contents (masked_select): the most elements that a call with
  // these shapes can have. Null elsewhere.
  int64_t (*bound)(const Args&) = nullptr;
  Contract contract;
  Chance chance = {};                           // of contracts stochastic:dropout and stochastic:fractional_pooling
  std::vector<std::string_view> cases;          // docs/adding-a-task.md has the grammar
  std::vector<std::string_view> perf;           // timed on the CPU: 2 ms or more in eager on one core
  std::vector<std::string_view> perf_gpu = {};  // timed on a GPU; empty: of the published sizes those that fit (perf_cases_of)
  Cost (*cost)(const Args&, const Values&) = nullptr;
  std::string_view deviation = {};  // where kbx departs from the published task, and why; empty if nowhere
};

// All tasks by id. Built on first use; CHECK-fails on duplicates or invalid entries (schema, cases, contract).
std::span<const Task> catalogue();
// Null if there is none.
const Task* find_task(std::string_view id);
// The three nearest ids by edit distance, nearest first: for messages.
std::vector<std::string> nearest_tasks(std::string_view id);

// "Activation", "LinearAlgebra", ... as published.
std::string_view name(Category category);
// The schema's operator name: the function a candidate defines.
std::string entry(const Task& task);
// Hex digest of everything that decides a verdict: schema, cases, published calls, contract, deviation, and the catalogue's
// revision.
std::string task_digest(const Task& task);

}  // namespace kbx

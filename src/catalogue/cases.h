// SPDX-License-Identifier: Apache-2.0
// From a case's text to a call: parsing, drawing dimensions, generating inputs. Grammar: docs/adding-a-task.md.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/task.h"
#include "core/result.h"

namespace kbx {

// A case with its stage and its dimensions resolved; `line` is canonical and binds again to itself.
struct Case {
  Stage stage = Stage::standard;
  std::string line;
  bool raises = false;  // the call must raise, whatever the words
};

// The cases of a task for one run: written ones with their dimensions drawn from `seed`, then the outlier cases that
// derive from the standard ones (x10 and x50 on a stated share of the entries, at least one entry). Order: standard,
// outlier, boundary. Equal seeds give equal lists.
std::vector<Case> cases_of(const Task& task, uint64_t seed);
// What is timed on a device of that type. On a GPU, where the task names nothing: of published_sweep_of the largest with inputs
// of at most 256 MiB and the one nearest to 64 MiB, which may be the same.
std::vector<Case> perf_cases_of(const Task& task, at::DeviceType device);
// The calls of the published test, in its order; none where none is recorded.
std::vector<Case> published_cases_of(const Task& task);

// The inputs that the published benchmark times, smallest first, where a case can express them; from 4 KiB to some GiB.
std::vector<Case> published_sweep_of(const Task& task);
// Bytes of all tensors that the case's recipes make.
int64_t input_bytes(const Case& c);

// One line given by a person (--case). Error: names the field and what is allowed.
Result<Case> parse_case(const Task& task, std::string_view line);

// Generates the inputs on `device`: equal (case, seed) give equal contents on the same device type. `contents` draws
// other contents for the same shapes. Error: a line that does not bind to the schema.
Result<Call> bind(const Task& task, const Case& c, uint64_t seed, at::Device device, uint64_t contents = 0);

}  // namespace kbx

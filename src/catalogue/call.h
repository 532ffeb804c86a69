// SPDX-License-Identifier: Apache-2.0
// A call of a task with real values: what a case becomes when it is bound to a seed and a device.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbx {

struct Task;

// How the case spells an argument out.
enum class Given { defaulted, positional, keyword };
// What an argument is, as a candidate sees it. `dtype` is a ScalarType (the schema parser calls it an int).
// `device` is where the candidate is called, which it knows as "cuda".
enum class ArgumentKind {
  none,
  tensor,
  tensor_list,
  boolean,
  integer,
  real,
  text,
  dtype,
  device,
  int_list,
  real_list,
  bool_list
};

struct Argument {
  std::string name;
  ArgumentKind kind = ArgumentKind::none;
  c10::IValue value;  // as the schema takes it; a number given for a Tensor is a wrapped 0-dim tensor
  Given given = Given::defaulted;
  bool number_for_tensor = false;  // the case gives a number where the schema has a Tensor (Python candidates get the number)
  bool may_be_written = false;     // the schema marks it Tensor(a!)
  std::optional<at::ScalarType> own_type;  // of a tensor that the judge has widened: the type it has in the call itself
  bool is_out = false;                     // keyword `out` (`out_tensor` for tanh): given only where the case gives it
};

// Arguments in schema order, defaults filled in.
struct Call {
  const Task* task = nullptr;
  std::string line;  // the case, with its dimensions resolved: printed, and accepted by --case
  std::vector<Argument> arguments;
  uint64_t seed = 0;

  // REQUIRES: the argument exists.
  const Argument& argument(std::string_view name) const;
  // A copy whose tensors share no storage with this one's.
  Call clone() const;
};

// Typed access for references, contracts and cost models. CHECK-fails on an unknown name or another type: a bug in the task.
class Args {
 public:
  explicit Args(const Call& call) : call_(call) {}

  at::Tensor tensor(std::string_view name) const;
  std::optional<at::Tensor> maybe_tensor(std::string_view name) const;
  // The type that a tensor has in the call itself, also while the oracle evaluates the call in another precision.
  at::ScalarType own_type(std::string_view name) const;
  std::vector<at::Tensor> tensors(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  std::optional<int64_t> maybe_integer(std::string_view name) const;
  double real(std::string_view name) const;
  at::Scalar scalar(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::string text(std::string_view name) const;
  std::optional<std::string> maybe_text(std::string_view name) const;
  std::vector<int64_t> ints(std::string_view name) const;
  std::optional<std::vector<int64_t>> maybe_ints(std::string_view name) const;
  std::optional<at::ScalarType> maybe_dtype(std::string_view name) const;
  const Call& call() const { return call_; }

 private:
  const Call& call_;
};

// Results of a task, in schema order. A result that is an argument (in-place) shares its storage.
using Values = std::vector<at::Tensor>;

}  // namespace kbx

// SPDX-License-Identifier: Apache-2.0
// Sees, and may replace, the ATen calls of this thread: what makes variants and mutants of a reference that nobody wrote.
// A boxed fallback on a dispatch key that torch keeps for such modes (DispatchKey::TESTING_ONLY_GenericMode).
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbx {

// What one ATen call gives. Mostly one tensor.
using Results = std::vector<c10::IValue>;

// One ATen call before it is made, as a function: run() leaves the real arguments alone, also where the call writes some
// of them (in-place, out, running statistics); the interposer writes what a rewriter gave.
class Operation {
 public:
  Operation(const c10::OperatorHandle& handle, std::vector<c10::IValue> arguments);

  const c10::FunctionSchema& schema() const { return handle_.schema(); }
  // The operator without namespace, overload and the trailing underscore of in-place forms: "add" for aten::add_.Tensor.
  const std::string& base() const { return base_; }
  // Made of other operators that an interposer sees too, unless a rewriter takes the call as a whole.
  bool is_composite() const;
  // Gives no numbers of its own: views, copies, allocations, shape queries.
  bool moves_only() const;

  const std::vector<c10::IValue>& arguments() const { return arguments_; }
  // Position of an argument, or -1.
  int find(std::string_view name) const;
  // The argument where it is there and is a defined tensor.
  std::optional<at::Tensor> tensor(std::string_view name) const;
  c10::IValue value(std::string_view name) const;  // None where there is no such argument

  // The same call with another value for one argument.
  Operation with(std::string_view name, c10::IValue value) const;
  Operation with(size_t position, c10::IValue value) const;
  // The same call of another operator that takes the same arguments: base "amin" for "amax". Nothing where there is none.
  std::optional<Operation> renamed(std::string_view base) const;

  // Throws what the operator throws.
  Results run() const;

 private:
  friend class Interposer;
  bool is_written(size_t argument) const;

  c10::OperatorHandle handle_;
  std::vector<c10::IValue> arguments_;
  std::string base_;
};

// The results that take the call's place, or nothing: then the call goes on as it is, and the operators inside a
// composite are asked in turn. Calls made by the rewriter itself are not seen. Exceptions pass to the caller.
using Rewriter = std::function<std::optional<Results>(const Operation&)>;

// While alive, `rewriter` is asked for each ATen call of this thread. One at a time. `rewriter` must outlive it.
class Interposer {
 public:
  explicit Interposer(const Rewriter& rewriter);
  ~Interposer();
  Interposer(const Interposer&) = delete;
  Interposer& operator=(const Interposer&) = delete;

 private:
  static void intercept(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack* stack);
  static void give_back(const Operation& operation, const Results& results, torch::jit::Stack& stack);
};

// The results as tensors, where there is exactly one and it is a tensor.
std::optional<at::Tensor> only_tensor(const Results& results);

}  // namespace kbx

// SPDX-License-Identifier: Apache-2.0
// Patterns of what language models write: messages of Triton 3.6, torch 2.11 and Python 3.11 with a runner's excerpt.
#include <gtest/gtest.h>

#include "diagnose/log_patterns.h"

namespace kbx {
namespace {

std::string names(FailedIn where, const std::string& text) {
  std::string all;
  for (const Diagnosis& d : diagnose_log(where, text)) all += (all.empty() ? "" : " ") + d.pattern;
  return all;
}

// As the judge puts it: reason, then message and the marked line; a caret under `at` if it is part of the line.
std::string failed(const std::string& kind, const std::string& message, const std::string& code, const std::string& at = "") {
  const std::string prefix = ">   24     ";
  std::string text = kind + ": " + message + " (line 24)\n" + message + "\n    23     before = 1\n" + prefix + code + "\n";
  if (!at.empty()) text += std::string(prefix.size() + code.find(at), ' ') + "^\n";
  return text;
}

const std::string kSemantic =
    "Did you forget to add @triton.jit ? (`_semantic` argument must be provided outside of JIT functions.)";

struct Row {
  FailedIn where;
  std::string text;
  const char* pattern;  // the only one; empty if there is none
};

std::string compile(const std::string& message, const std::string& code = "x = y", const std::string& at = "x") {
  return failed("CompilationError", message, code, at);
}
std::string raised(const std::string& kind, const std::string& message, const std::string& code = "y = f(x)") {
  return failed("raised " + kind, message, code);
}

TEST(CandidatePatterns, WhatTritonRefusesIsNamedByTheMistakeAndByNothingElse) {
  const std::vector<Row> rows{
      {FailedIn::build, compile("unsupported tensor index: int32[constexpr[64]]", "z3[:, dk_offsets],", "z3"), "tensor_indexed"},
      {FailedIn::build, compile("NotImplementedError('__setitem__ is not supported in triton')", "L[i, i] = 1.0", "L"),
       "tensor_indexed"},
      {FailedIn::build, compile(kSemantic, "w += a * v[row]", "v[row]"), "tensor_indexed"},
      {FailedIn::build, compile(kSemantic, "row_end = tl.min(start + BLOCK, n)", "tl.min"), "reduction_of_two"},
      {FailedIn::build, compile("'constexpr_type' object has no attribute 'scalar'", "end = tl.min(a, tl.min(m, n))", "tl.min(m"),
       "reduction_of_two"},
      {FailedIn::build, compile(kSemantic, "s = sum(x)", "sum(x)"), "python_builtin"},
      {FailedIn::build, compile(kSemantic, "s = helper(x)", "helper(x)"), "triton_compile"},
      {FailedIn::build,
       compile("Shape element 0 must have type `constexpr[int]`, got `constexpr[<class 'triton.language.core.tensor'>]",
               "L = tl.zeros((n, n), dtype=tl.float32)", "tl.zeros"),
       "not_constexpr"},
      {FailedIn::build, compile("arange's arguments must be of type tl.constexpr", "i = tl.arange(0, n)", "tl.arange"),
       "not_constexpr"},
      {FailedIn::build, compile("Unsupported ptr type <['32', '16'], fp32> in `tl.load`", "y = tl.load(acc)", "tl.load"),
       "not_a_pointer"},
      {FailedIn::build, compile("Mask argument cannot be block type if pointer argument is not a block"), "scalar_pointer"},
      {FailedIn::build, compile("invalid operands of type pointer<fp32> and fp32", "z = x_ptr * 2.0", "x_ptr"),
       "pointer_arithmetic"},
      {FailedIn::build,
       compile("AttributeError(\"module 'triton.language.math' has no attribute 'sign'\")", "s = tl.math.sign(u)", "tl.math"),
       "unknown_triton_function"},
      {FailedIn::call,
       raised("AttributeError", "module 'triton.language' has no attribute 'type_is_floating'", "if tl.type_is_floating(u):"),
       "unknown_triton_function"},
      {FailedIn::call, raised("AttributeError", "module 'triton.language' has no attribute 'complex64'", "dtype = tl.complex64"),
       "complex_in_triton unknown_triton_function"},
      {FailedIn::build, "KeyError: 'complex64' (line 24)\n'complex64'\n>   24     kernel[grid](x, y)\n", "complex_in_triton"},
      {FailedIn::call,
       raised("ValueError", "Conflicting meta-parameters: BLOCK. Make sure that you don't re-define auto-tuned symbols.",
              "kernel[grid]("),
       "autotuned_argument"},
      {FailedIn::build, failed("TypeError", "dynamic_func() missing 1 required positional argument: 'BLOCK'", "kernel[grid](x)"),
       "launch_arguments"},
      {FailedIn::build, failed("KeyError", "'Keyword argument EPS was specified but unrecognised'", "kernel[grid](x, EPS=1)"),
       "launch_arguments"},
      {FailedIn::build,
       compile("AssertionError('Input shapes should have M >= 1, N >= 1 and K >= 16')", "acc = tl.dot(a, b)", "tl"),
       "dot_operands"},
      {FailedIn::build,
       compile("AssertionError('Loop-carried variable acc has initial type int32 but is re-assigned to fp32 in loop!')"),
       "type_changes"},
      {FailedIn::build, failed("UnsupportedLanguageConstruct", "unsupported AST node type: Break", "break", "break"),
       "python_in_kernel"},
      {FailedIn::build,
       failed("UnsupportedLanguageConstruct", "simultaneous multiple comparison is not supported", "if a <= k < b:", "a"),
       "python_in_kernel"},
      {FailedIn::build,
       failed("UnsupportedLanguageConstruct", "Boolean value of Tensor with more than one value is ambiguous", "if x > 0:", "if"),
       "tensor_condition"},
      {FailedIn::build,
       compile("Cannot make_shape_compatible: incompatible dimensions at index 0: 16 and 32", "z = x + y", "x + y"),
       "shape_mismatch"},
      {FailedIn::call, raised("RuntimeError", "Cannot call @triton.jit'd outside of the scope of a kernel", "g = tl.cdiv(n, 64)"),
       "called_outside_kernel"},
      {FailedIn::call, raised("ValueError", kSemantic, "n = tl.maximum(a, b)"), "called_outside_kernel"},
      {FailedIn::build, compile("something that nobody knows", "x = tl.min(x, 0)", "tl.min"), "triton_compile"},
  };
  for (const Row& row : rows) EXPECT_EQ(names(row.where, row.text), row.pattern) << row.text;
}

TEST(CandidatePatterns, WhatHostCodeGetsWrongIsNamedByTheMistakeAndByNothingElse) {
  const std::vector<Row> rows{
      {FailedIn::call,
       raised(
           "RuntimeError",
           "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous "
           "subspaces). Use .reshape(...) instead.",
           "flat = input.view(-1)"),
       "view_of_strided"},
      {FailedIn::call, raised("RuntimeError", "shape '[4, 4]' is invalid for input of size 15", "y = x.view(4, 4)"),
       "shape_mismatch"},
      {FailedIn::call, raised("TypeError", "unsupported operand type(s) for -: 'int' and 'list'"), "list_for_number"},
      {FailedIn::call, raised("TypeError", "'<' not supported between instances of 'tuple' and 'int'"), "list_for_number"},
      {FailedIn::call, raised("TypeError", "'int' object is not iterable", "kh, kw = kernel_size"), "number_for_list"},
      {FailedIn::call, raised("AttributeError", "'float' object has no attribute 'shape'"), "number_for_tensor"},
      {FailedIn::call, raised("AttributeError", "'NoneType' object has no attribute 'stride'"), "none_used"},
      {FailedIn::call, raised("TypeError", "unsupported operand type(s) for *: 'int' and 'NoneType'"), "none_used"},
      {FailedIn::call,
       raised("RuntimeError", "Boolean value of Tensor with more than one value is ambiguous", "if not 0.0 <= lr:"),
       "tensor_condition"},
      {FailedIn::call, raised("AttributeError", "'Tensor' object has no attribute 'foo'"), "attribute_error"},
      {FailedIn::call, raised("TypeError", "unsupported operand type(s) for -: 'int' and 'str'"), "raised"},
      {FailedIn::bind,
       "does not bind: the id names something else: `Adam(params, lr=0.001)` was found, but `adam_step(param, grad)` is wanted",
       "other_interface"},
  };
  for (const Row& row : rows) EXPECT_EQ(names(row.where, row.text), row.pattern) << row.text;
}

TEST(CandidatePatterns, TheCandidatesOwnChecksAreNamedByWhatTheyRefuseWhateverWordsTheyUse) {
  const std::vector<Row> rows{
      {FailedIn::call, raised("AssertionError", "Call .contiguous() if needed.", "assert x.is_contiguous(), \\"),
       "refuses_layout"},
      {FailedIn::call, raised("AssertionError", "", "assert x.is_contiguous() and y.is_contiguous()"), "refuses_layout"},
      {FailedIn::call, raised("ValueError", "Unsupported dtype: torch.float64", "raise ValueError(f\"Unsupported dtype: {d}\")"),
       "refuses_dtype"},
      {FailedIn::call,
       raised("ValueError", "Dimension -1 is out of range for tensor of dimension 3",
              "raise ValueError(f\"Dimension {d} is out\")"),
       "refuses_negative_dim"},
      {FailedIn::call,
       raised("ValueError", "Other tensor must have shape (9,) or be scalar, got torch.Size([1])",
              "raise ValueError(f\"Other\")"),
       "refuses_shape"},
      {FailedIn::call, raised("AssertionError", "All sizes in s must be powers of 2", "assert (n & (n - 1)) == 0, \"All\""),
       "refuses_shape"},
      // Not a dimension, though a number is negative.
      {FailedIn::call, raised("ValueError", "Invalid eps value: got -1", "raise ValueError(f\"Invalid eps value: got {eps}\")"),
       "refuses_input"},
      {FailedIn::call, raised("ValueError", "softmax has dim=-1 only", "raise ValueError(\"softmax has dim=-1 only\")"),
       "refuses_shape"},
      // The words of a check would match other rows.
      {FailedIn::call, raised("IndexError", "index 3 is out of bounds", "raise IndexError(\"index 3 is out of bounds\")"),
       "refuses_input"},
      // Passed on in other words, it is not the candidate's own.
      {FailedIn::call,
       raised("RuntimeError", "failed: 'NoneType' object has no attribute 'stride'",
              "raise RuntimeError(f\"failed: {e}\") from e"),
       "none_used"},
  };
  for (const Row& row : rows) EXPECT_EQ(names(row.where, row.text), row.pattern) << row.text;
}

TEST(CandidatePatterns, SourceThatLostItsLineBreaksIsToldFromOtherSyntaxErrors) {
  const auto parse = [](const std::string& message, const std::string& excerpt) {
    return names(FailedIn::parse, "SyntaxError: " + message + " (line 8)\n" + message + "\n" + excerpt);
  };
  EXPECT_EQ(parse("invalid syntax", ">    3 import triton.language as tl @triton.jit\n                                    ^"),
            "lost_line_breaks");
  // A comment swallowed the bracket that is missed a line later.
  EXPECT_EQ(
      parse(
          "unmatched ')'",
          "     7 ): \"\"\"Computes it.\"\"\" pid = tl.program_id(axis=0) start = pid * BLOCK offsets = start + 1 # load x = 1\n"
          ">    8 )\n       ^"),
      "lost_line_breaks");
  EXPECT_EQ(parse("invalid syntax", ">    3 x = 1 def f(a): c = a b = c return b\n              ^"), "lost_line_breaks");
  EXPECT_EQ(parse("unmatched ')'", "     7 y = f(x)\n>    8 )\n       ^"), "unbalanced_brackets");
  EXPECT_EQ(parse("'(' was never closed", ">    8 y = f(x, a=1, b=2, c=3\n            ^"), "unbalanced_brackets");
  EXPECT_EQ(parse("invalid syntax", "     7 a = b = c = d = 0; e = 1; f = 2\n>    8 def f(x) return x\n                ^"),
            "syntax_error");
}

TEST(CandidatePatterns, SourceThatIsShownIsNotReadAsAMessage) {
  EXPECT_EQ(names(FailedIn::call,
                  raised("ZeroDivisionError", "division by zero", "x = IndexError if n else NameError  # is not defined")),
            "raised");
  EXPECT_EQ(names(FailedIn::build, compile("something new", "y = x  # NameError: must be tl.constexpr", "y")), "triton_compile");
}

}  // namespace
}  // namespace kbx

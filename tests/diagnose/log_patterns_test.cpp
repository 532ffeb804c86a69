// SPDX-License-Identifier: Apache-2.0
#include "diagnose/log_patterns.h"

#include <gtest/gtest.h>

namespace kbx {
namespace {

const std::string kTraceback =
    "loading\n"
    "Traceback (most recent call last):\n"
    "  File \"/opt/kbx/runner.py\", line 12, in call\n"
    "    return entry(*args)\n"
    "  File \"/tmp/w/candidate.py\", line 31, in add\n"
    "    out = torch.empty(n, device='cuda:3')\n"
    "  File \"/venv/lib/python3.11/site-packages/torch/_x.py\", line 900, in _lazy_init\n"
    "    raise RuntimeError(...)\n"
    "RuntimeError: No CUDA GPUs are available\n";

const std::string kGcc =
    "In file included from x.cpp:1:\n"
    "x.cpp: In function 'void f()':\n"
    "x.cpp:7:12: \x1b[31merror:\x1b[0m 'foo' was not declared in this scope\n"
    "    7 |   return foo;\n"
    "      |          ^~~\n"
    "x.cpp:9:1: note: something\n"
    "ninja: build stopped\n";

const std::string kTriton =
    "Traceback (most recent call last):\n"
    "  File \"/tmp/w/candidate.py\", line 40, in add\n"
    "    kernel[grid](x, y, n, BLOCK=100)\n"
    "  File \"/venv/lib/python3.11/site-packages/triton/runtime/jit.py\", line 350, in <lambda>\n"
    "    return ...\n"
    "triton.compiler.errors.CompilationError: at 5:12:\n"
    "def kernel(x, y, n, BLOCK: tl.constexpr):\n"
    "    pid = tl.program_id(0)\n"
    "\n"
    "    # offsets\n"
    "    offs = tl.arange(0, BLOCK)\n"
    "            ^\n"
    "arange's range must be a power of 2\n";

const std::string kSyntax =
    "  File \"/tmp/w/candidate.py\", line 3\n"
    "    def f(x) return x\n"
    "             ^^^^^^\n"
    "SyntaxError: expected ':'\n";

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

TEST(LinesThatMatter, TheCandidatesInnermostFrameAndTheException) {
  EXPECT_EQ(joined(lines_that_matter(kTraceback)),
            "  File \"/tmp/w/candidate.py\", line 31, in add\n    out = torch.empty(n, device='cuda:3')\nRuntimeError: No CUDA "
            "GPUs are available\n");
}

TEST(LinesThatMatter, CompilerErrorsKeepTheirExcerptAndLoseColour) {
  EXPECT_EQ(joined(lines_that_matter(kGcc)),
            "x.cpp:7:12: error: 'foo' was not declared in this scope\n    7 |   return foo;\n      |          ^~~\n");
}

TEST(LinesThatMatter, TritonsCaretAndMessage) {
  EXPECT_EQ(joined(lines_that_matter(kTriton)),
            "triton.compiler.errors.CompilationError: at 5:12:\n    offs = tl.arange(0, BLOCK)\n            ^\narange's range "
            "must be a power of 2\n");
}

TEST(LinesThatMatter, SyntaxErrorsKeepTheLineAndTheCaret) { EXPECT_EQ(joined(lines_that_matter(kSyntax)), kSyntax); }

TEST(LinesThatMatter, ChainedExceptionsGiveTheLastOne) {
  const std::string chained =
      "Traceback (most recent call last):\n  File \"/tmp/w/c.py\", line 1, in f\n    a\nKeyError: 1\n\nDuring handling of the "
      "above exception, another exception occurred:\n\n"
      "Traceback (most recent call last):\n  File \"/tmp/w/c.py\", line 2, in g\n    b\nValueError: two\n";
  EXPECT_EQ(joined(lines_that_matter(chained)), "  File \"/tmp/w/c.py\", line 2, in g\n    b\nValueError: two\n");
}

TEST(LinesThatMatter, UnknownTextGivesItsEndAndEndlessLinesAreCut) {
  EXPECT_EQ(joined(lines_that_matter("a\nb\n\nc\n")), "a\nb\nc\n");
  const std::vector<std::string> lines = lines_that_matter(std::string(100000, 'x'));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_LT(lines[0].size(), 300u);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "x.cpp:1:1: error: no\n";
  EXPECT_EQ(lines_that_matter(many, 12).size(), 12u);
  EXPECT_TRUE(lines_that_matter("").empty());
}

struct Row {
  FailedIn where;
  std::string text;
  const char* pattern;  // the only one
};

std::string names(FailedIn where, const std::string& text) {
  std::string all;
  for (const Diagnosis& d : diagnose_log(where, text)) all += (all.empty() ? "" : " ") + d.pattern;
  return all;
}

TEST(LogPatterns, EachFailureIsNamedByItsOwnPatternAndByNoOther) {
  const std::vector<Row> rows{
      {FailedIn::call, kTraceback, "needs_gpu"},
      {FailedIn::build, kGcc, "undefined_name"},
      {FailedIn::build, kTriton, "arange_not_power_of_two"},
      {FailedIn::parse, kSyntax, "syntax_error"},
      {FailedIn::build, "x.cpp:3:10: fatal error: torch/extension.h: No such file or directory", "missing_include"},
      {FailedIn::build, "x.cu(12): error: identifier \"foo\" is undefined", "undefined_name"},
      {FailedIn::build, "x.cpp:4:1: error: expected ';' before '}' token", "syntax_error"},
      {FailedIn::build, "x.cpp:4:1: error: cannot convert 'float*' to 'int' in initialization", "type_mismatch"},
      {FailedIn::build, "/usr/bin/ld: x.o: undefined reference to `foo()'", "undefined_symbol"},
      {FailedIn::import, "OSError: x.so: undefined symbol: _Z3foov", "undefined_symbol"},
      {FailedIn::build, "ptxas error   : Entry function 'k' uses too much shared data (0x20000 bytes, 0xc000 max)",
       "shared_memory"},
      {FailedIn::call,
       "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 262144, Hardware limit: 232448",
       "shared_memory"},
      {FailedIn::build, "ptxas fatal   : Unresolved extern function 'foo'", "ptxas"},
      {FailedIn::import, "ModuleNotFoundError: No module named 'flash_attn'", "import_error"},
      {FailedIn::import, "NameError: name 'tl' is not defined", "undefined_name"},
      {FailedIn::bind, "TypeError: add() takes 2 positional arguments but 3 were given", "does_not_bind"},
      {FailedIn::bind, "TypeError: add() got an unexpected keyword argument 'alpha'", "does_not_bind"},
      {FailedIn::bind,
       "Mismatched number of arguments when calling: `add(0: DLTensor*, 1: DLTensor*)`. Expected 2 but got 3 arguments",
       "does_not_bind"},
      {FailedIn::call,
       "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
       "device_mismatch"},
      {FailedIn::call, "RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
       "shape_mismatch"},
      {FailedIn::call, "RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)", "shape_mismatch"},
      {FailedIn::call, "RuntimeError: expected m1 and m2 to have the same dtype, but got: float != double", "dtype_mismatch"},
      {FailedIn::call, "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)", "index_error"},
      {FailedIn::call, "AttributeError: 'Tensor' object has no attribute 'foo'", "attribute_error"},
      {FailedIn::call, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB", "out_of_memory"},
      {FailedIn::call, "RecursionError: maximum recursion depth exceeded", "recursion"},
      {FailedIn::call, "SystemExit: 0", "exited"},
      {FailedIn::call, "PermissionError: [Errno 1] Operation not permitted: '/etc/passwd'", "not_allowed"},
      {FailedIn::call, "BlockingIOError: [Errno 11] Resource temporarily unavailable", "too_many_processes"},
      {FailedIn::call, "ZeroDivisionError: division by zero", "raised"},
      {FailedIn::call, "raised ZeroDivisionError: division by zero (line 3)\ndivision by zero\na\nb\nc\nd\ne\nf", "raised"},
      {FailedIn::bind, "does not bind: TypeError: missing 1 required positional argument: 'other'\na\nb\nc\nd\ne\nf",
       "does_not_bind"},
      {FailedIn::build,
       "triton.compiler.errors.CompilationError: at 3:4:\n    x = foo(y)\n    ^\nNameError('foo is not defined')",
       "undefined_name"},
      {FailedIn::build,
       "triton.compiler.errors.CompilationError: at 3:4:\n    x += 1.5\n    ^\nAssertionError(\"Loop-carried variable x has "
       "initial type int32\")",
       "type_changes"},
  };
  for (const Row& row : rows) EXPECT_EQ(names(row.where, row.text), row.pattern) << row.text;
}

TEST(LogPatterns, AnHonestPrintIsNoFailure) {
  // Only what the traceback says counts, not what was printed before it.
  const std::string log = "SyntaxError? No. PermissionError: just a print\nCUDA out of memory (I am joking)\n" +
                          std::string(
                              "Traceback (most recent call last):\n  File \"/tmp/w/c.py\", line 2, in g\n    "
                              "b\nZeroDivisionError: division by zero\n");
  const std::vector<Diagnosis> found = diagnose_log(FailedIn::call, log);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pattern, "raised");
}

TEST(LogPatterns, NothingIsNamedWithoutAReason) { EXPECT_TRUE(diagnose_log(FailedIn::build, "everything is fine\n").empty()); }

TEST(Limits, AreSaidWithTheirNumbers) {
  EXPECT_EQ(diagnose_timeout(8, "standard: input=randn[3]").evidence, "no answer for 8.0 s while standard: input=randn[3]");
  EXPECT_EQ(diagnose_exit(3).pattern, "exited");
}

}  // namespace
}  // namespace kbx

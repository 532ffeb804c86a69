// SPDX-License-Identifier: Apache-2.0
#include "diagnose/log_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "diagnose/advice.h"

namespace kbx {
namespace {

// Bits of FailedIn in which a row applies.
constexpr unsigned in(FailedIn where) { return 1u << static_cast<unsigned>(where); }
constexpr unsigned kBuild = in(FailedIn::parse) | in(FailedIn::build);
constexpr unsigned kRun = in(FailedIn::import) | in(FailedIn::bind) | in(FailedIn::call);
constexpr unsigned kAny = kBuild | kRun;

struct Row {
  std::string_view pattern;
  unsigned where;
  const char* expression;  // ECMAScript, case-sensitive, matched within one line that matters
};

// Most specific first; the messages are those of Python 3.11, torch 2.11, Triton 3.6, g++, nvcc and TVM-FFI.
constexpr std::array kRows{
    Row{"needs_gpu", kRun,
        R"(not supported (by|in) the interpreter|interpreter (does not|cannot|can't)|No CUDA GPUs are available|found no NVIDIA driver|Torch not compiled with CUDA)"},
    Row{"arange_not_power_of_two", kAny, R"(arange's range must be a power of 2|[Ss]hape element \d+ must be a power of 2)"},
    Row{"not_constexpr", kAny,
        R"(must be (a )?`?(tl\.)?constexpr|arguments must be of type tl\.constexpr|global variable .* (is not|from within))"},
    Row{"shared_memory", kAny, R"(out of resource: shared memory|uses too much shared data|too much shared memory)"},
    Row{"ptxas", kAny, R"(ptxas (fatal|error)|PTXASError|`ptxas` failed)"},
    Row{"recursion", kAny, R"(RecursionError|maximum recursion depth)"},
    Row{"out_of_memory", kAny,
        R"(OutOfMemoryError|CUDA out of memory|MemoryError|std::bad_alloc|can't allocate memory|Cannot allocate memory|virtual memory exhausted)"},
    Row{"too_many_processes", kAny, R"(BlockingIOError|Resource temporarily unavailable|can't start new thread)"},
    Row{"not_allowed", kAny, R"(PermissionError|Operation not permitted|Permission denied|Read-only file system)"},
    Row{"does_not_bind", in(FailedIn::bind) | in(FailedIn::call),
        R"((takes|missing) \d+ (required )?positional argument|takes from \d+ to \d+ positional|unexpected keyword argument|multiple values for argument|[Mm]ismatched number of arguments|Mismatched type on argument|[Ee]xpect(s|ed)? \d+ arguments)"},
    Row{"missing_include", kBuild,
        R"(fatal error: \S+: No such file or directory|cannot open source file|could not open source file)"},
    Row{"undefined_symbol", kAny, R"(undefined reference to|undefined symbol|cannot find -l)"},
    Row{"undefined_name", kAny,
        R"(was not declared in this scope|identifier .* is undefined|has not been declared|does not name a type|NameError|is not defined|UnboundLocalError)"},
    Row{"import_error", kAny, R"(ModuleNotFoundError|ImportError|No module named)"},
    Row{"syntax_error", kAny,
        R"(SyntaxError|IndentationError|TabError|error: expected |expected (primary-expression|unqualified-id|'.' )|stray '|missing terminating|unterminated)"},
    Row{"type_mismatch", kBuild,
        R"(cannot convert|no matching function|invalid conversion|no suitable (user-defined )?conversion|no instance of .* matches|incompatible|no match for)"},
    Row{"device_mismatch", kRun,
        R"(all tensors to be on the same device|tensors? (is|are) on (different|the wrong) device|expected device|cannot be accessed from Triton \(cpu tensor)"},
    Row{"dtype_mismatch", kRun,
        R"(expected (m1 and m2|both|scalar type|mat1 and mat2).*(dtype|type)|must have (the )?same dtype|same dtype|not implemented for '|Found dtype|can't be cast)"},
    Row{"shape_mismatch", kRun,
        R"(shapes? .*(cannot be (multiplied|broadcast)|mismatch|must match|is invalid)|size of tensor a|must match the size of tensor|Cannot make_shape_compatible|could not be broadcast|not compatible with (input|the) )"},
    Row{"index_error", kRun, R"(IndexError|[Dd]imension out of range|index .* out of (range|bounds))"},
    Row{"attribute_error", kRun, R"(AttributeError|has no attribute)"},
    Row{"exited", kRun, R"(SystemExit|KeyboardInterrupt)"},
    Row{"triton_compile", kAny,
        R"(CompilationError|CompileTimeAssertionFailure|UnsupportedLanguageConstruct|MLIRCompilationError)"},
    Row{"raised", in(FailedIn::import) | in(FailedIn::call), R"(^(raised )?[\w.]*(Error|Exception)\b)"},
};

}  // namespace

std::vector<Diagnosis> diagnose_log(FailedIn where, std::string_view text) {
  const std::vector<std::string> lines = lines_that_matter(text, 40);
  std::vector<Diagnosis> found;
  for (const Row& row : kRows) {
    // "raised" says only what the more specific rows have said already.
    if (!(row.where & in(where)) || (row.pattern == "raised" && !found.empty())) continue;
    const std::regex expression(row.expression);
    for (const std::string& line : lines)
      if (std::regex_search(line, expression)) {
        found.push_back(diagnosis(row.pattern, line.substr(std::min(line.find_first_not_of(" \t"), line.size()))));
        break;
      }
  }
  return found;
}

Diagnosis diagnose_timeout(double seconds, const std::string& doing) {
  return diagnosis("timeout", fmt::format("no answer for {:.1f} s{}", seconds, doing.empty() ? "" : " while " + doing));
}

Diagnosis diagnose_out_of_memory(const std::string& how) { return diagnosis("out_of_memory", how); }

Diagnosis diagnose_exit(int code) { return diagnosis("exited", fmt::format("the process ended with status {}", code)); }

}  // namespace kbx

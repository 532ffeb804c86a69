// SPDX-License-Identifier: Apache-2.0
#include "diagnose/log_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <regex>

#include "diagnose/advice.h"
#include "diagnose/log_text.h"

namespace kbx {
namespace {

// Bits of FailedIn in which a row applies.
constexpr unsigned in(FailedIn where) { return 1u << static_cast<unsigned>(where); }
constexpr unsigned kBuild = in(FailedIn::parse) | in(FailedIn::build);
constexpr unsigned kRun = in(FailedIn::import) | in(FailedIn::bind) | in(FailedIn::call);
constexpr unsigned kAny = kBuild | kRun;
constexpr unsigned kCall = in(FailedIn::call);

// ECMAScript, case-sensitive. `message` is searched in one line of the message, `marked` in the source text where it happened.
struct Row {
  std::string_view pattern;
  unsigned where;
  const char* message;
  const char* marked = nullptr;
  bool generic = false;  // says only that something failed: named where nothing else was recognised
};

// A `raise` or an `assert` of the candidate's own: its words are the candidate's, so only these rows apply to them.
constexpr std::array kOwnChecks{
    Row{"refuses_layout", kCall, "[Cc]ontiguous"},
    Row{"refuses_dtype", kCall,
        R"([Dd]type|[Dd]ata type|torch\.(float|bfloat|int|uint|complex|bool)|[Ff]loat(ing|16|32|64)|[Cc]omplex)"},
    Row{"refuses_negative_dim", kCall,
        R"(^(?=.*([Dd]im|[Aa]xis)).*(-[1-9]\d* .*(out of range|invalid|not )|([Ii]nvalid|got) (\w+\s*[=:]?\s*)?-[1-9]|[Nn]egative))"},
    Row{"refuses_shape", kCall,
        R"([Ss]hape|[Ss]ize|[Dd]im|[Bb]roadcast|[Rr]ank|[Ss]quare|[Ll]ength|\b[0-9]-?D\b|[Pp]owers? of (2|two))"},
    Row{"refuses_input", kCall, ""},
};

// Most specific first; the messages are those of Python 3.11, torch 2.11, Triton 3.6, g++, nvcc and TVM-FFI.
constexpr std::array kRows{
    Row{"needs_gpu", kRun,
        R"(not supported (by|in) the interpreter|interpreter (does not|cannot|can't)|No CUDA GPUs are available|found no NVIDIA driver|Torch not compiled with CUDA)"},
    Row{"other_interface", in(FailedIn::bind), R"(the id names something else)"},
    Row{"unbalanced_brackets", kAny, R"(was never closed|unmatched '|does not match opening parenthesis)"},
    Row{"arange_not_power_of_two", kAny, R"(arange's range must be a power of 2|[Ss]hape element \d+ must be a power of 2)"},
    Row{"complex_in_triton", kAny,
        R"(^(raised )?KeyError: '\*?complex(32|64|128)'|triton\.language\S* has no attribute 'complex)"},
    Row{"tensor_indexed", kAny,
        R"(unsupported tensor index|__setitem__ is not supported in triton|'tensor' object does not support item assignment)"},
    Row{"tensor_indexed", kBuild, R"(`_semantic` argument must be provided)", R"(^\w+\[)"},
    Row{"reduction_of_two", kBuild,
        R"(`_semantic` argument must be provided|'constexpr(_type)?' object has no attribute|invalid axis)",
        R"(^tl\.(min|max|sum|argmin|argmax|xor_sum)\()"},
    Row{"python_builtin", kBuild, R"(`_semantic` argument must be provided)",
        R"(^(abs|sum|int|float|bool|round|any|all|sorted|list)\()"},
    Row{"called_outside_kernel", kRun,
        R"(`_semantic` argument must be provided|Cannot call @triton\.jit'd outside|can only be used in @triton\.jit'd functions)"},
    Row{"called_outside_kernel", kBuild, R"(Cannot call @triton\.jit'd outside)"},
    Row{"not_constexpr", kAny,
        R"(must (be|have type) (a )?`?(tl\.)?constexpr|arguments must be of type tl\.constexpr|is not a constexpr$|[Gg]lobal variable .* (is not|from within))"},
    Row{"not_a_pointer", kAny, R"(Unsupported ptr type)"},
    Row{"scalar_pointer", kAny, R"(argument cannot be block type if pointer argument is not a block)"},
    Row{"pointer_arithmetic", kBuild, R"(cannot add pointers together|invalid operands of type pointer|and pointer<)"},
    Row{"unknown_triton_function", kAny, R"(module 'triton[\w.]*' has no attribute|libdevice\S* has no attribute)"},
    Row{"autotuned_argument", kAny, R"(Conflicting meta-parameters)"},
    Row{"launch_arguments", kAny, R"(dynamic_func\(\)|Keyword argument \w+ was specified but unrecognised)"},
    Row{"dot_operands", kAny,
        R"(Both operands must be same dtype|Both inputs must be either 2D or 3D|not compatible for matmul|Input shapes should have M >=|input and other must have equal (ranks|batch|reduction))"},
    Row{"type_changes", kBuild, R"(Loop-carried variable|Mismatched type for \S+ between|Inconsistent return types)"},
    Row{"python_in_kernel", kBuild,
        R"(unsupported AST node type|nested function definition is not|simultaneous multiple comparison|Cannot have `return` statements|is not \(currently\) implemented|Attribute assignment is not supported|`range` and `static_range` iterators|comprehensions are (not|only))"},
    Row{"tensor_condition", kAny,
        R"(Boolean value of Tensor with more than one value|only one element tensors can be converted)"},
    Row{"shape_mismatch", kBuild, R"(Cannot make_shape_compatible|Cannot broadcast, )"},
    Row{"shared_memory", kAny, R"(out of resource: shared memory|uses too much shared data|too much shared memory)"},
    Row{"ptxas", kAny, R"(ptxas (fatal|error)|PTXASError|`ptxas` failed)", nullptr, true},
    Row{"recursion", kAny, R"(RecursionError|maximum recursion depth)"},
    Row{"out_of_memory", kAny,
        R"(OutOfMemoryError|CUDA out of memory|MemoryError|std::bad_alloc|can't allocate memory|Cannot allocate memory|virtual memory exhausted)"},
    Row{"too_many_processes", kAny, R"(BlockingIOError|Resource temporarily unavailable|can't start new thread)"},
    Row{"not_allowed", kAny, R"(PermissionError|Operation not permitted|Permission denied|Read-only file system)"},
    Row{"view_of_strided", kRun, R"(view size is not compatible with input tensor's size and stride)"},
    Row{"none_used", kRun, R"('NoneType' object|'NoneType'( and|$)|and 'NoneType')"},
    Row{"list_for_number", kRun,
        R"(unsupported operand type\(s\) .*'(list|tuple|torch\.Size)'|not supported between instances of .*'(list|tuple)'|can only concatenate (list|tuple)|can't multiply sequence by non-int)"},
    Row{"number_for_list", kRun,
        R"('(int|float)' object is not (iterable|subscriptable)|object of type '(int|float)' has no len|argument after \* must be an iterable, not (int|float))"},
    Row{"number_for_tensor", kRun, R"('(int|float|bool)' object has no attribute)"},
    Row{"does_not_bind", in(FailedIn::bind) | in(FailedIn::call),
        R"((takes|missing) \d+ (required )?positional argument|takes from \d+ to \d+ positional|unexpected keyword argument|multiple values for argument|[Mm]ismatched number of arguments|Mismatched type on argument|[Ee]xpect(s|ed)? \d+ arguments)"},
    Row{"missing_include", kBuild,
        R"(fatal error: \S+: No such file or directory|cannot open source file|could not open source file)"},
    Row{"undefined_symbol", kAny, R"(undefined reference to|undefined symbol|cannot find -l)"},
    Row{"undefined_name", kAny,
        R"(was not declared in this scope|identifier .* is undefined|has not been declared|does not name a type|NameError|is not defined|UnboundLocalError)"},
    Row{"import_error", kAny, R"(ModuleNotFoundError|ImportError|No module named)"},
    Row{"syntax_error", kAny,
        R"(SyntaxError|IndentationError|TabError|error: expected |expected (primary-expression|unqualified-id|'.' )|stray '|missing terminating|unterminated)",
        nullptr, true},
    Row{"type_mismatch", kBuild,
        R"(cannot convert|no matching function|invalid conversion|no suitable (user-defined )?conversion|no instance of .* matches|incompatible|no match for)",
        nullptr, true},
    Row{"device_mismatch", kRun,
        R"(all tensors to be on the same device|tensors? (is|are) on (different|the wrong) device|expected device|cannot be accessed from Triton \(cpu tensor)"},
    Row{"dtype_mismatch", kRun,
        R"(expected (m1 and m2|both|scalar type|mat1 and mat2).*(dtype|type)|must have (the )?same dtype|same dtype|not implemented for '|Found dtype|can't be cast)"},
    Row{"shape_mismatch", kRun,
        R"(shapes? .*(cannot be (multiplied|broadcast)|mismatch|must match|is invalid)|size of tensor a|must match the size of tensor|Cannot make_shape_compatible|could not be broadcast|not compatible with the )"},
    Row{"index_error", kRun, R"(IndexError|[Dd]imension out of range|index .* out of (range|bounds))"},
    Row{"attribute_error", kRun, R"(AttributeError|has no attribute)", nullptr, true},
    Row{"exited", kRun, R"(SystemExit|KeyboardInterrupt)"},
    Row{"triton_compile", kAny,
        R"(CompilationError|CompileTimeAssertionFailure|UnsupportedLanguageConstruct|MLIRCompilationError)", nullptr, true},
    Row{"raised", in(FailedIn::import) | in(FailedIn::call), R"(^(raised )?[\w.]*(Error|Exception)\b)", nullptr, true},
};

// Heads of statements that follow other code on one physical line; a comment's or a string's words rarely look like three.
bool holds_several_statements(const std::string& line) {
  static const std::regex kHead(R"([\w)\]"'] +(@\w|def \w+\(|return |import \w|\w+ = ))");
  static const std::regex kDecorated(R"(\w +@triton\.)");
  return std::distance(std::sregex_iterator(line.begin(), line.end(), kHead), std::sregex_iterator()) >= 3 ||
         std::regex_search(line, kDecorated);
}

// An exception that is passed on in other words is none: what it says is somebody else's.
bool is_own_check(const LogText& text) {
  static const std::regex kCheck(R"(^(raise \w[\w.]*\(|assert\b))");
  static const std::regex kPassedOn(R"(\{(e|err|error|ex|exc)[}!:]|str\((e|err|error|ex|exc)\)|\bfrom (e|err|error|ex|exc)\b)");
  return std::regex_search(text.statement, kCheck) && !std::regex_search(text.statement, kPassedOn);
}

std::string evidence(const std::string& line) { return line.substr(std::min(line.find_first_not_of(" \t"), line.size())); }

std::optional<Diagnosis> recognise(const Row& row, FailedIn where, const LogText& text) {
  if (!(row.where & in(where))) return std::nullopt;
  if (row.marked && !std::regex_search(text.marked, std::regex(row.marked))) return std::nullopt;
  const std::regex expression(row.message);
  for (const std::string& line : text.message)
    if (std::regex_search(line, expression))
      return diagnosis(row.pattern, row.marked ? fmt::format("{} at {}", evidence(line), text.marked) : evidence(line));
  return std::nullopt;
}

}  // namespace

std::vector<Diagnosis> diagnose_log(FailedIn where, std::string_view log) {
  LogText text = read_log(log);
  if (where == FailedIn::call && is_own_check(text)) {
    text.message.push_back(text.statement);  // an assert need not say anything
    for (const Row& row : kOwnChecks)
      if (auto found = recognise(row, where, text)) return {*std::move(found)};
  }
  if (where == FailedIn::parse)
    for (const std::string& line : text.source)
      if (holds_several_statements(line))
        return {diagnosis("lost_line_breaks", "one line holds several statements: " + line.substr(0, 120))};
  std::vector<Diagnosis> found;
  for (const Row& row : kRows) {
    const bool named = std::any_of(found.begin(), found.end(), [&](const Diagnosis& d) { return d.pattern == row.pattern; });
    if (named || (row.generic && !found.empty())) continue;
    if (auto one = recognise(row, where, text)) found.push_back(*std::move(one));
  }
  return found;
}

Diagnosis diagnose_timeout(double seconds, const std::string& doing) {
  return diagnosis("timeout", fmt::format("no answer for {:.1f} s{}", seconds, doing.empty() ? "" : " while " + doing));
}

Diagnosis diagnose_out_of_memory(const std::string& how) { return diagnosis("out_of_memory", how); }

Diagnosis diagnose_exit(int code) { return diagnosis("exited", fmt::format("the process ended with status {}", code)); }

}  // namespace kbx

// SPDX-License-Identifier: Apache-2.0
#include "cli/prompt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace kbx {
namespace {

using Json = nlohmann::ordered_json;

std::string text(const Json& object, const char* field) { return object.at(field).get<std::string>(); }
bool flag(const Json& object, const char* field) { return object.at(field).get<bool>(); }
std::vector<std::string> texts(const Json& object, const char* field) { return object.at(field).get<std::vector<std::string>>(); }

const std::map<std::string_view, std::string_view> kDTypes = {
    {"f16", "float16"},   {"bf16", "bfloat16"},   {"f32", "float32"}, {"f64", "float64"},
    {"c64", "complex64"}, {"c128", "complex128"}, {"u8", "uint8"},    {"i8", "int8"},
    {"i16", "int16"},     {"i32", "int32"},       {"i64", "int64"},   {"bool", "bool"},
};

std::string python_default(const Json& argument) {
  const Json& value = argument.at("default");
  return value.is_null() ? "" : "=" + value.get<std::string>();
}

std::string python_type(const Json& argument) {
  static const std::map<std::string_view, std::string_view> types = {
      {"tensor", "torch.Tensor"}, {"tensors", "list[torch.Tensor]"},
      {"bool", "bool"},           {"int", "int"},
      {"float", "float"},         {"str", "str"},
      {"dtype", "torch.dtype"},   {"device", "torch.device"},
      {"ints", "list[int]"},      {"floats", "list[float]"},
      {"bools", "list[bool]"}};
  const auto found = types.find(text(argument, "kind"));
  std::string type(found == types.end() ? "object" : found->second);
  if (flag(argument, "number")) type = "int | float";
  return type + (flag(argument, "optional") ? " | None" : "");
}

std::string native_type(const Json& argument) {
  static const std::map<std::string_view, std::string_view> types = {{"tensor", "tvm::ffi::TensorView"},
                                                                     {"tensors", "tvm::ffi::Array<tvm::ffi::Tensor>"},
                                                                     {"bool", "bool"},
                                                                     {"int", "int64_t"},
                                                                     {"float", "double"},
                                                                     {"str", "tvm::ffi::String"},
                                                                     {"dtype", "DLDataType"},
                                                                     {"ints", "tvm::ffi::Shape"},
                                                                     {"floats", "tvm::ffi::Array<double>"},
                                                                     {"bools", "tvm::ffi::Array<bool>"}};
  const auto found = types.find(text(argument, "kind"));
  const std::string type(found == types.end() ? "tvm::ffi::Any" : found->second);
  return flag(argument, "optional") ? fmt::format("tvm::ffi::Optional<{}>", type) : type;
}

std::string python_signature(const Json& task) {
  std::vector<std::string> words;
  bool keywords = false;
  for (const Json& argument : task.at("arguments")) {
    if (flag(argument, "keyword") && !keywords) words.push_back("*");
    keywords |= flag(argument, "keyword");
    words.push_back(fmt::format("{}: {}{}", text(argument, "name"), python_type(argument), python_default(argument)));
  }
  const size_t count = task.at("returns").size();
  std::string returned = "torch.Tensor";
  for (size_t i = 1; i < count; ++i) returned += ", torch.Tensor";
  return fmt::format("def {}({}) -> {}", text(task, "entry"), fmt::join(words, ", "),
                     count == 1 ? returned : "tuple[" + returned + "]");
}

// Results that the native function gets a destination for.
std::vector<std::string> destinations(const Json& task) {
  std::vector<std::string> names;
  const Json& returns = task.at("returns");
  for (size_t i = 0; i < returns.size(); ++i) {
    if (flag(returns[i], "argument")) continue;
    const std::string name = text(returns[i], "name");
    names.push_back(!name.empty() ? name : returns.size() == 1 ? "result" : fmt::format("result{}", i));
  }
  return names;
}

std::string native_signature(const Json& task) {
  std::vector<std::string> words;
  for (const Json& argument : task.at("arguments"))
    if (flag(argument, "native")) words.push_back(native_type(argument) + " " + text(argument, "name"));
  for (const std::string& name : destinations(task)) words.push_back("tvm::ffi::TensorView " + name);
  if (flag(task, "random")) words.push_back("int64_t seed");
  return fmt::format("{} {}_entry({})", flag(task, "counted") ? "int64_t" : "void", text(task, "entry"), fmt::join(words, ", "));
}

std::string joined_dtypes(const Json& argument) {
  std::vector<std::string_view> names;
  for (const std::string& dtype : texts(argument, "dtypes")) names.push_back(kDTypes.at(dtype));
  return fmt::format("{}", fmt::join(names, ", "));
}

// What the calls give for one argument.
std::string given(const Json& argument) {
  std::vector<std::string> values = texts(argument, "values"), parts;
  std::erase(values, "like");
  const bool absent = text(argument, "kind") != "str" && std::erase(values, "none") > 0;
  if (!argument.at("dtypes").empty())
    parts.push_back(
        fmt::format("{}; {}-D", joined_dtypes(argument), fmt::join(argument.at("dimensions").get<std::vector<int>>(), "-D, ")));
  if (text(argument, "kind") == "dtype")
    for (std::string& value : values)
      if (kDTypes.contains(value)) value = std::string(kDTypes.at(value));
  constexpr size_t kShown = 12;
  const bool more = values.size() > kShown;
  if (more) values.resize(kShown);
  if (!values.empty()) parts.push_back(fmt::format("{}{}", fmt::join(values, ", "), more ? ", ..." : ""));
  if (absent) parts.push_back("None");
  if (flag(argument, "left_out") && !flag(argument, "out")) parts.push_back("nothing");
  return fmt::format("{}", fmt::join(parts, "; or "));
}

std::string arguments_table(const Json& task, bool native) {
  std::string table = "| argument | default | calls give |\n|---|---|---|\n";
  for (const Json& argument : task.at("arguments")) {
    if (native && !flag(argument, "native")) continue;
    const Json& value = argument.at("default");
    std::string name = "`" + text(argument, "name") + "`";
    if (flag(argument, "out"))
      name += " (written; only where a call gives it)";
    else if (flag(argument, "written"))
      name += " (may be written, where the description says so)";
    table +=
        fmt::format("| {} | {} | {} |\n", name, value.is_null() ? "" : "`" + value.get<std::string>() + "`", given(argument));
  }
  return table;
}

std::string layouts(const Json& task) {
  static const std::map<std::string_view, std::string_view> words = {
      {"strided", "with gaps between elements (strides)"},
      {"transposed", "with the last two dimensions stored in the other order"},
      {"expanded", "expanded (stride 0)"},
      {"offset", "starting at an address that is aligned to one element only"}};
  std::set<std::string_view> met;
  bool empty = false;
  for (const Json& argument : task.at("arguments")) {
    empty |= flag(argument, "empty");
    for (const std::string& mod : texts(argument, "mods"))
      if (words.contains(mod)) met.insert(words.at(mod));
  }
  std::string said = "Most inputs are contiguous. ";
  if (!met.empty()) said += fmt::format("Some are not: {}. ", fmt::join(met, "; "));
  if (empty) said += "Some have no elements at all. ";
  return said + "Sizes are drawn anew for each run and are rarely multiples of 16.";
}

std::string timed_calls(const Json& task, Language language) {
  std::string list;
  for (const std::string& line : texts(task, language == Language::cpp ? "perf" : "perf_gpu"))
    list += fmt::format("- `{}`\n", line);
  return list;
}

constexpr std::string_view kTritonRules = R"(Write one Python file.
- It defines the function below with this signature. It is called with torch tensors, some arguments by position and some by keyword, and returns the result{results}. `torch`, `triton` and `triton.language` can be imported; nothing is downloaded.
- The computation is done by your own Triton kernels (`@triton.jit`). torch may allocate (`torch.empty`, `torch.empty_like`), make views (`reshape`, `contiguous`, `expand`) and ask for shapes; a result that torch computed counts as delegated, not as solved.
- Tensors lie on the GPU; where no argument says where a result belongs, it belongs there too (`device="cuda"`).
- Where a tensor argument can be a number, it comes as a Python number.
- Handle every size: mask loads and stores, and launch nothing for an empty result. Offsets of more than 2^31 elements need 64 bits.
- `tl.dot` computes in TF32 by default: pass `input_precision="ieee"` for float32. Accumulate in float32 or wider.
- Inputs must not be changed unless the description says so.)";

constexpr std::string_view kNativeRules = R"(Write one {language} file.
- It exports the function below by TVM-FFI: include `<tvm/ffi/function.h>`, `<tvm/ffi/container/tensor.h>` and what else you use (`<tvm/ffi/string.h>`, `<tvm/ffi/optional.h>`, `<tvm/ffi/container/array.h>`, `<tvm/ffi/container/shape.h>`, `<tvm/ffi/error.h>`), and end with `TVM_FFI_DLL_EXPORT_TYPED_FUNC({entry}, {entry}_entry)`.
- It gets all arguments in this order with their defaults filled in{destinations}.
- A `TensorView` has `data_ptr()`, `dtype()` (`code`: kDLInt 0, kDLUInt 1, kDLFloat 2, kDLBfloat 4, kDLComplex 5, kDLBool 6; `bits`), `ndim()`, `size(d)`, `stride(d)` in elements, `numel()` and `IsContiguous()`. Inputs may have any strides; destinations are contiguous and have the right shape and type.
- A tensor that may be a number comes as a 0-dim tensor. Optional arguments that are absent are `None`: test them with `has_value()`.
- Bad arguments are refused by `TVM_FFI_THROW(ValueError) << "..."`.{device_rules}
- Inputs must not be changed unless the description says so.)";

constexpr std::string_view kCudaRules = R"(
- Tensors lie in device memory. Launch on the caller's stream: `static_cast<cudaStream_t>(TVMFFIEnvGetStream(kDLCUDA, device_id))` from `<tvm/ffi/extra/c_env_api.h>`, with `device().device_id` of a tensor. Do not synchronise. No library kernels (cuBLAS, cuDNN, Thrust algorithms): what they compute counts as delegated.
- Check that a launch has blocks at all: a grid of size 0 is an error.)";

constexpr std::string_view kCppRules = R"(
- It runs on the CPU, in one thread when it is timed, compiled by g++ with optimisation for this machine. No BLAS or LAPACK: what they compute counts as delegated.)";

std::string rules(const Json& task, Language language) {
  const std::vector<std::string> outputs = destinations(task);
  if (language == Language::triton) {
    const size_t count = task.at("returns").size();
    const std::string results =
        count == 1 ? "" : fmt::format("s as a tuple of {}, or the only one where the description has one", count);
    return fmt::format("{}\n\n```python\n{}\n```\n", fmt::format(fmt::runtime(kTritonRules), fmt::arg("results", results)),
                       python_signature(task));
  }
  std::string said;
  if (!outputs.empty()) said += ", then a destination for each result, which it writes";
  if (outputs.size() > 1) said += " (a result that a call leaves out has a destination without elements)";
  if (flag(task, "random")) said += ", then the seed that all randomness has to follow";
  if (flag(task, "counted"))
    said += ". The destination has room for the largest possible result; the function returns how many elements it wrote";
  return fmt::format(
      "{}\n\n```cpp\n{};\n```\n",
      fmt::format(fmt::runtime(kNativeRules), fmt::arg("language", language == Language::cuda ? "CUDA C++" : "C++20"),
                  fmt::arg("entry", text(task, "entry")), fmt::arg("destinations", said),
                  fmt::arg("device_rules", language == Language::cuda ? kCudaRules : kCppRules)),
      native_signature(task));
}

}  // namespace

std::string prompt_of(const Json& task, Language language, const std::string& device_sheet) {
  std::string page =
      fmt::format("# Write `{}`\n\n{}\n\n```\n{}\n```\n", text(task, "entry"), text(task, "summary"), text(task, "math"));
  page += fmt::format("\n## Form\n\n{}", rules(task, language));
  if (language == Language::triton && flag(task, "random"))
    page +=
        "\ntorch is seeded before each call: draw the kernel's seed from it, for example by "
        "`torch.randint(2**31, (1,)).item()`.\n";
  page += fmt::format("\n## Arguments\n\nSchema: `{}`\n\n{}\n{}\n", text(task, "schema"),
                      arguments_table(task, language != Language::triton), layouts(task));
  page += fmt::format(
      "\n## What is accepted\n\n{}\n\nType and shape of each result have to be exactly right. A call that has to fail "
      "must raise, with any words.\n",
      text(task, "contract_words"));
  page += fmt::format(
      "\n## What is timed\n\nAfter all calls were right, these are timed against the eager PyTorch composition "
      "(`[sizes]`, float32 where no type is named):\n\n{}",
      timed_calls(task, language));
  if (!device_sheet.empty()) page += "\n## Device\n\n" + device_sheet;
  return page + "\nAnswer with the file alone, in one fenced block.\n";
}

}  // namespace kbx

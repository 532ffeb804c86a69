// SPDX-License-Identifier: Apache-2.0
#include "diagnose/hypotheses.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/strides.h>
#include <fmt/format.h>

#include <algorithm>

#include "diagnose/advice.h"
#include "diagnose/field.h"

namespace kbx {
namespace {

// Larger outputs are left to diagnose_values: an evaluation of the reference should not be felt.
constexpr int64_t kMostElements = int64_t{1} << 22;

bool is_floating_input(const Argument& argument) {
  return argument.kind == ArgumentKind::tensor && !argument.is_out && !argument.number_for_tensor &&
         at::isFloatingType(argument.value.toTensor().scalar_type());
}

class Hypotheses {
 public:
  Hypotheses(const WrongValues& values, const Call& call, const Reevaluate& evaluate)
      : field_(values), call_(call), evaluate_(evaluate) {}

  // Whether the reference reproduces what was delivered once argument `index` has this value.
  bool explains(size_t index, c10::IValue value) const {
    Call changed = call_.clone();
    changed.arguments[index].value = std::move(value);
    const std::optional<at::Tensor> result = evaluate_(changed);
    return result && result->defined() && field_.explained_by(*result, false);
  }

  // Nothing arrived, and the memory of an argument is not dense: output.flatten(), reshape or contiguous() copy then, while
  // for dense tensors they are views.
  std::optional<Diagnosis> wrote_to_a_copy(const WrongValues& values) const {
    const at::Tensor bytes = values.actual.contiguous().flatten().view(at::kByte);
    const auto untouched = [&](uint8_t filling) { return bytes.eq(filling).all().item<bool>(); };
    if (std::none_of(values.poison.begin(), values.poison.end(), untouched)) return std::nullopt;
    for (const Argument& argument : call_.arguments) {
      if (argument.kind != ArgumentKind::tensor || argument.number_for_tensor) continue;
      const at::Tensor& x = argument.value.toTensor();
      if (x.numel() < 2 || x.is_contiguous()) continue;
      return diagnosis("wrote_to_a_copy",
                       fmt::format("no element was stored, and {} has strides {}", argument.name, text(x.strides())));
    }
    return std::nullopt;
  }

  std::optional<Diagnosis> strides_ignored() const {
    for (size_t i = 0; i < call_.arguments.size(); ++i) {
      const Argument& argument = call_.arguments[i];
      if (argument.kind != ArgumentKind::tensor || argument.is_out || argument.number_for_tensor) continue;
      const at::Tensor& x = argument.value.toTensor();
      if (x.is_contiguous() || x.numel() < 2) continue;
      const int64_t available = static_cast<int64_t>(x.storage().nbytes() / x.element_size()) - x.storage_offset();
      if (available < x.numel()) continue;
      const at::Tensor dense = x.as_strided(x.sizes(), c10::contiguous_strides(x.sizes()), x.storage_offset()).clone();
      if (explains(i, dense))
        return diagnosis("strides_ignored",
                         fmt::format("{} has strides {} and was read as if contiguous", argument.name, text(x.strides())));
    }
    return std::nullopt;
  }

  std::optional<Diagnosis> argument_ignored() const {
    for (size_t i = 0; i < call_.arguments.size(); ++i) {
      const Argument& argument = call_.arguments[i];
      for (const auto& [value, meaning] : neutral_values(argument))
        if (explains(i, value))
          return diagnosis("argument_ignored", fmt::format("the values are those with {} {}", argument.name, meaning));
    }
    return std::nullopt;
  }

  // A candidate whose default differs from the task's.
  std::optional<Diagnosis> default_differs() const {
    for (size_t i = 0; i < call_.arguments.size(); ++i) {
      const Argument& argument = call_.arguments[i];
      if (argument.given != Given::defaulted || argument.kind != ArgumentKind::boolean || argument.is_out) continue;
      const bool value = argument.value.toBool();
      if (explains(i, !value))
        return diagnosis("default_differs", fmt::format("the values are those with {} = {}, which the case leaves at {}",
                                                        argument.name, !value ? "True" : "False", value ? "True" : "False"));
    }
    return std::nullopt;
  }

  // Averages over windows that reach into the padding: by the number of elements inside, where the whole window is asked for,
  // or the other way round.
  std::optional<Diagnosis> window_count() const {
    const std::vector<int64_t> kernel = numbers("kernel_size"), padding = numbers("padding");
    std::vector<int64_t> stride = numbers("stride");
    const Argument* first = nullptr;
    for (const Argument& a : call_.arguments)
      if (!first && a.kind == ArgumentKind::tensor && !a.is_out) first = &a;
    if (!first || kernel.empty() || padding.empty() || *std::max_element(padding.begin(), padding.end()) == 0)
      return std::nullopt;
    const at::Tensor& x = first->value.toTensor();
    if (x.dim() < 3 || field_.shape.size() < 2) return std::nullopt;
    if (stride.empty()) stride = kernel;
    at::Tensor inside;  // share of each window that is not padding
    try {
      inside = at::avg_pool2d(at::ones({1, x.size(-2), x.size(-1)}, at::kDouble), kernel, stride, padding)[0];
    } catch (const c10::Error&) {
      return std::nullopt;
    }
    if (inside.sizes() != at::IntArrayRef(field_.shape).slice(field_.shape.size() - 2)) return std::nullopt;
    if (field_.explained_by(field_.truth / inside, false))
      return diagnosis("window_count",
                       "sums over windows are divided by the number of elements inside the input, where the task "
                       "divides by the whole window, padding included");
    if (field_.explained_by(field_.truth * inside, false))
      return diagnosis("window_count",
                       "sums over windows are divided by the whole window, padding included, where the task "
                       "divides by the number of elements inside the input");
    return std::nullopt;
  }

  std::optional<Diagnosis> tail_dropped() const {
    for (size_t i = 0; i < call_.arguments.size(); ++i) {
      const Argument& argument = call_.arguments[i];
      if (!is_floating_input(argument)) continue;
      const at::Tensor& x = argument.value.toTensor();
      for (int64_t dim = 0; dim < x.dim(); ++dim) {
        int64_t tried = 0;
        for (int64_t block = 4; block <= 1024 && block < x.size(dim); block *= 2) {
          const int64_t tail = x.size(dim) % block;
          if (tail == 0 || tail == tried) continue;
          tried = tail;
          at::Tensor cut = x.clone();
          cut.narrow(dim, x.size(dim) - tail, tail).zero_();
          if (explains(i, cut))
            return diagnosis(
                "tail_dropped",
                fmt::format("the last {} of {} elements along dimension {} of {} do not count: what lies behind the last "
                            "full block of {}",
                            tail, x.size(dim), dim, argument.name, block));
        }
      }
    }
    return std::nullopt;
  }

 private:
  struct Neutral {
    c10::IValue value;
    std::string meaning;
  };

  // An integer or a list of them; empty where the call has no such argument.
  std::vector<int64_t> numbers(std::string_view name) const {
    for (const Argument& a : call_.arguments) {
      if (a.name != name) continue;
      if (a.kind == ArgumentKind::integer && a.value.isInt()) return {a.value.toInt()};
      if (a.kind == ArgumentKind::int_list) return a.value.toIntVector();
    }
    return {};
  }

  static std::string text(at::IntArrayRef sizes) {
    std::string joined;
    for (const int64_t size : sizes) joined += (joined.empty() ? "" : ", ") + std::to_string(size);
    return "[" + joined + "]";
  }

  // Values that say that an argument plays no part: given ones only, and not those that they have already.
  static std::vector<Neutral> neutral_values(const Argument& argument) {
    if (argument.given == Given::defaulted || argument.is_out) return {};
    std::vector<Neutral> values;
    switch (argument.kind) {
      case ArgumentKind::tensor: {
        const at::Tensor& x = argument.value.toTensor();
        if (argument.number_for_tensor || x.numel() == 0 || !at::isFloatingType(x.scalar_type())) break;
        values.push_back({at::zeros_like(x), "counted as zero"});
        values.push_back({at::zeros_like(x).fill_(1), "counted as one"});
        break;
      }
      case ArgumentKind::real:
        for (const double neutral : {1.0, 0.0})
          if (argument.value.isDouble() && argument.value.toDouble() != neutral)
            values.push_back({neutral, fmt::format("= {}", neutral)});
        break;
      case ArgumentKind::boolean:
        values.push_back({!argument.value.toBool(), argument.value.toBool() ? "= False" : "= True"});
        break;
      default:
        break;
    }
    return values;
  }

  Field field_;
  const Call& call_;
  const Reevaluate& evaluate_;
};

}  // namespace

std::vector<Diagnosis> diagnose_by_hypothesis(const WrongValues& values, const Call& call, const Reevaluate& evaluate) {
  if (values.actual.numel() == 0 || values.actual.numel() > kMostElements) return {};
  const Hypotheses hypotheses(values, call, evaluate);
  if (auto found = hypotheses.wrote_to_a_copy(values)) return {*found};
  if (auto found = hypotheses.strides_ignored()) return {*found};
  if (auto found = hypotheses.argument_ignored()) return {*found};
  if (auto found = hypotheses.default_differs()) return {*found};
  if (auto found = hypotheses.window_count()) return {*found};
  if (auto found = hypotheses.tail_dropped()) return {*found};
  return {};
}

}  // namespace kbx

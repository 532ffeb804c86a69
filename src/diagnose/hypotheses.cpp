// SPDX-License-Identifier: Apache-2.0
#include "diagnose/hypotheses.h"

#include <ATen/ops/zeros_like.h>
#include <c10/util/strides.h>
#include <fmt/format.h>

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
  if (auto found = hypotheses.strides_ignored()) return {*found};
  if (auto found = hypotheses.argument_ignored()) return {*found};
  if (auto found = hypotheses.tail_dropped()) return {*found};
  return {};
}

}  // namespace kbx

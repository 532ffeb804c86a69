// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "selfcheck/mutants.h"

namespace kbx {
namespace {

template <size_t n>
bool among(const std::string& name, const std::array<const char*, n>& names) {
  return std::any_of(names.begin(), names.end(), [&](const char* other) { return name == other; });
}

// Flags that say how to compute, not what.
constexpr std::array kMannerFlags{"cudnn_enabled", "cudnn_enable",  "half_to_float", "non_blocking", "copy",        "pin_memory",
                                  "benchmark",     "deterministic", "allow_tf32",    "sorted",       "is_coalesced"};
constexpr std::array kPositions{"start", "end", "length", "index", "diagonal", "k", "n", "offset", "shifts", "steps", "offset1"};
constexpr std::array kNeutralOnes{"stride", "dilation"};
constexpr std::array kNeutralZeros{"padding", "output_padding", "pad"};
constexpr double kSlightly = 1.01;

// ATen's batch norm on a CPU reads running statistics that are not there, and the process dies.
bool needs_statistics(const Operation& op, const std::string& name) {
  return op.base().find("batch_norm") != std::string::npos && name == "training" && !op.tensor("running_mean");
}

// What the first tensor argument has.
int64_t rank_of(const Operation& op) {
  for (const c10::IValue& value : op.arguments()) {
    if (value.isTensor() && value.toTensor().defined()) return value.toTensor().dim();
    if (value.isTensorList() && !value.toTensorVector().empty()) return value.toTensorVector().front().dim();
  }
  return 0;
}

class Collector {
 public:
  Collector(const Operation& op, size_t position, std::vector<Mistake>& mistakes)
      : op_(op), position_(position), mistakes_(mistakes) {}

  void add(std::string name, c10::IValue value) {
    mistakes_.push_back({std::move(name), [changed = op_.with(position_, std::move(value))] { return changed.run(); }});
  }

  void number(const std::string& name, const c10::IValue& value, bool optional) {
    const double v = value.toScalar().toDouble();
    const auto typed = [&](double x) { return value.isInt() ? c10::IValue(static_cast<int64_t>(x)) : c10::IValue(x); };
    if (name == "correction") return add("correction 0 for 1, 1 for others", c10::IValue(at::Scalar(v == 1 ? 0 : 1)));
    if (optional) add("without " + name, c10::IValue());
    if (name == "eps") return add("without eps", c10::IValue(0.0));
    if ((name == "alpha" || name == "beta" || name == "value") && v != 1) add("without " + name, typed(1));
    if (!std::isfinite(v)) return;
    if (value.isInt()) return add(name + " off by one", c10::IValue(value.toInt() + 1));
    // Of a probability one can see so much in some thousand elements.
    if (name == "p") return add("p 20 % off", c10::IValue(v == 0 ? 0.2 : v * 1.2 <= 1 ? v * 1.2 : v * 0.8));
    add(name + " 1 % off", c10::IValue(v == 0 ? kSlightly - 1 : v * kSlightly));
  }

  void integer(const std::string& name, int64_t v) {
    const int64_t rank = rank_of(op_);
    if (name == "dim" || name == "axis") {
      if (rank > 1) add("another dimension", (v + 1 < 0 ? v + 1 + rank : v + 1) % rank);
    } else if (among(name, kPositions)) {
      add(name + " one too large", v + 1);
      add(name + " one too small", v - 1);
    } else if (name == "reduction" && v != 0) {
      add("sum for mean, mean for sum", 3 - v);
    } else if (name == "interpolation_mode" || name == "padding_mode") {
      add("another " + name, v == 0 ? int64_t{1} : int64_t{0});
    }
  }

  void integers(const std::string& name, std::vector<int64_t> v) {
    const int64_t rank = rank_of(op_);
    if (name == "dim" && !v.empty() && rank > static_cast<int64_t>(v.size())) {
      for (int64_t& d : v) d = (d + 1 + rank) % rank;
      add("another dimension", v);
    } else if (name == "shifts") {
      for (int64_t& d : v) ++d;
      add("shifted by one more", v);
    }
    const auto neutral = [&](int64_t value) {
      if (std::all_of(v.begin(), v.end(), [&](int64_t x) { return x == value; })) return;
      add("without " + name, std::vector<int64_t>(v.size(), value));
    };
    if (among(name, kNeutralOnes)) neutral(1);
    if (among(name, kNeutralZeros)) neutral(0);
  }

  void word(const std::string& name, const std::string& v) {
    if (name == "approximate") add("the other form", v == "tanh" ? "none" : "tanh");
    if (name == "rounding_mode") {
      add("the other rounding", v == "floor" ? "trunc" : "floor");
      add("without rounding", c10::IValue());
    }
  }

 private:
  const Operation& op_;
  size_t position_;
  std::vector<Mistake>& mistakes_;
};

}  // namespace

void add_argument_mistakes(const Operation& op, std::vector<Mistake>& mistakes) {
  static constexpr std::array kNothingToTell{"_to_copy", "to",   "empty",  "empty_strided", "copy",
                                             "clone",    "item", "resize", "as_strided",    "_local_scalar_dense"};
  if (among(op.base(), kNothingToTell)) return;
  const auto& parameters = op.schema().arguments();
  for (size_t i = 0; i < parameters.size(); ++i) {
    const std::string& name = parameters[i].name();
    const c10::IValue& value = op.arguments()[i];
    const bool optional = parameters[i].type()->kind() == c10::TypeKind::OptionalType;
    const c10::TypePtr type =
        optional ? parameters[i].type()->castRaw<c10::OptionalType>()->getElementType() : parameters[i].type();
    Collector collect(op, i, mistakes);
    if (name == "dtype" || name == "layout" || parameters[i].is_out() || value.isNone()) continue;
    if (value.isTensor() && value.toTensor().defined() && optional) {
      if (name != "running_mean" && name != "running_var") collect.add("without " + name, c10::IValue());
    } else if (value.isBool()) {
      if (!among(name, kMannerFlags) && !needs_statistics(op, name)) collect.add(name + " the other way", !value.toBool());
    } else if (value.isScalar() && !value.isComplexDouble() &&
               (type->kind() == c10::TypeKind::NumberType || type->kind() == c10::TypeKind::FloatType)) {
      collect.number(name, value, optional);
    } else if (value.isInt()) {
      collect.integer(name, value.toInt());
    } else if (value.isIntList()) {
      collect.integers(name, value.toIntVector());
    } else if (value.isString()) {
      collect.word(name, value.toStringRef());
    }
  }
}

}  // namespace kbx

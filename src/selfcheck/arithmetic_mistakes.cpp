// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/log1p.h>
#include <ATen/ops/matmul.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "selfcheck/mutants.h"
#include "selfcheck/operators.h"
#include "selfcheck/steps.h"

namespace kbx {
namespace {

// What is taken for what. Both take the same arguments.
const std::multimap<std::string, std::string>& mistaken() {
  static const auto* table = new std::multimap<std::string, std::string>{
      {"amax", "amin"},
      {"amin", "amax"},
      {"max", "min"},
      {"min", "max"},
      {"maximum", "minimum"},
      {"minimum", "maximum"},
      {"fmax", "fmin"},
      {"fmin", "fmax"},
      {"fmax", "maximum"},
      {"argmax", "argmin"},
      {"argmin", "argmax"},
      {"add", "sub"},
      {"sub", "add"},
      {"mul", "div"},
      {"div", "mul"},
      {"floor", "ceil"},
      {"floor", "trunc"},
      {"ceil", "floor"},
      {"round", "floor"},
      {"round", "trunc"},
      {"trunc", "floor"},
      {"exp", "exp2"},
      {"exp", "expm1"},
      {"exp2", "exp"},
      {"log", "log2"},
      {"log", "log1p"},
      {"log2", "log"},
      {"log10", "log"},
      {"log1p", "log"},
      {"sin", "cos"},
      {"cos", "sin"},
      {"tan", "sin"},
      {"sinh", "cosh"},
      {"cosh", "sinh"},
      {"tanh", "sigmoid"},
      {"sigmoid", "tanh"},
      {"erf", "tanh"},
      {"erf", "erfc"},
      {"erfc", "erf"},
      {"sqrt", "rsqrt"},
      {"rsqrt", "sqrt"},
      {"rsqrt", "reciprocal"},
      {"eq", "ne"},
      {"ne", "eq"},
      {"gt", "ge"},
      {"gt", "lt"},
      {"ge", "gt"},
      {"ge", "le"},
      {"lt", "le"},
      {"lt", "gt"},
      {"le", "lt"},
      {"le", "ge"},
      {"logical_and", "logical_or"},
      {"logical_or", "logical_and"},
      {"bitwise_and", "bitwise_or"},
      {"sum", "mean"},
      {"mean", "sum"},
      {"std", "var"},
      {"var", "std"},
      {"prod", "sum"},
      {"sum", "nansum"},
      {"square", "abs"},
      {"abs", "square"},
      {"cumsum", "cumprod"},
      {"cumprod", "cumsum"},
      {"tril", "triu"},
      {"triu", "tril"},
      {"addcmul", "addcdiv"},
      {"addcdiv", "addcmul"},
      {"fmod", "remainder"},
      {"remainder", "fmod"},
      {"_softmax", "_log_softmax"},
      {"_log_softmax", "_softmax"},
      {"cummax", "cummin"},
      {"cummin", "cummax"},
      {"all", "any"},
      {"any", "all"},
      {"logsumexp", "sum"},
      {"asin", "acos"},
      {"acos", "asin"},
      {"atan", "tanh"},
      {"special_i0", "exp"},
      {"silu", "sigmoid"},
  };
  return *table;
}

bool is_left_out_easily(const std::string& base) {
  static const std::set<std::string> kNames{
      "relu",         "abs",         "neg",         "sqrt",    "rsqrt",      "exp",      "log",        "tanh",        "sigmoid",
      "erf",          "floor",       "ceil",        "round",   "trunc",      "square",   "reciprocal", "clamp",       "clamp_min",
      "clamp_max",    "logical_not", "gelu",        "silu",    "leaky_relu", "softplus", "elu",        "masked_fill", "flip",
      "roll",         "tril",        "triu",        "add",     "sub",        "mul",      "div",        "pow",         "cumsum",
      "cumprod",      "sign",        "maximum",     "minimum", "hardtanh",   "selu",     "mish",       "celu",        "_softmax",
      "_log_softmax", "bitwise_and", "logical_and", "addcmul", "addcdiv"};
  return kNames.contains(base);
}

bool has_an_order(const std::string& base) {
  static const std::set<std::string> kNames{"sub", "div", "pow", "remainder", "fmod", "atan2", "floor_divide", "copysign",
                                            "lt",  "gt",  "le",  "ge",        "mm",   "bmm",   "true_divide",  "xlogy"};
  return kNames.contains(base);
}

// The results of the operator, with `value` for its only tensor in the type that is due.
Results as(const Results& own, const at::Tensor& value) {
  const auto tensor = only_tensor(own);
  return {tensor ? value.to(tensor->scalar_type()) : value};
}

struct Formula {
  const char *base, *name;
  at::Tensor (*value)(const at::Tensor&);
};
// Right on paper; they cancel or overflow.
constexpr Formula kFormulas[] = {
    {"log1p", "log(1 + x)", [](const at::Tensor& x) { return (x + 1).log(); }},
    {"expm1", "exp(x) - 1", [](const at::Tensor& x) { return x.exp() - 1; }},
    {"sigmoid", "exp(x) / (1 + exp(x))", [](const at::Tensor& x) { return x.exp() / (x.exp() + 1); }},
    {"silu", "x exp(x) / (1 + exp(x))", [](const at::Tensor& x) { return x * x.exp() / (x.exp() + 1); }},
    {"tanh", "(exp(2x) - 1) / (exp(2x) + 1)", [](const at::Tensor& x) { return ((x * 2).exp() - 1) / ((x * 2).exp() + 1); }},
    {"softplus", "log(1 + exp(x))", [](const at::Tensor& x) { return (x.exp() + 1).log(); }},
    {"log_sigmoid_forward", "log(sigmoid(x))", [](const at::Tensor& x) { return x.sigmoid().log(); }},
    {"erfc", "1 - erf(x)", [](const at::Tensor& x) { return 1 - x.erf(); }},
    {"round", "halves away from zero", [](const at::Tensor& x) { return (x.abs() + 0.5).floor() * x.sign(); }},
};

class Collector {
 public:
  Collector(const Operation& op, std::vector<Mistake>& mistakes) : op_(op), mistakes_(mistakes) {}

  void replaced() {
    const auto [first, last] = mistaken().equal_range(op_.base());
    for (auto it = first; it != last; ++it)
      if (const auto other = op_.renamed(it->second))
        add(it->second + " for " + op_.base(), [own = op_, other = *other] {
          const auto value = only_tensor(other.run());
          return value ? as(own.run(), *value) : other.run();
        });
    if (is_left_out_easily(op_.base()))
      if (const auto self = op_.tensor("self"))
        add("left out", [own = op_, self = *self] {
          const Results results = own.run();
          const auto y = only_tensor(results);
          return y && y->sizes() == self.sizes() ? as(results, self.clone()) : results;
        });
  }

  void operands() {
    const auto& args = op_.arguments();
    if (args.size() > 1 && args[0].isTensor() && args[1].isTensor() && has_an_order(op_.base()))
      add("operands swapped", [swapped = op_.with(size_t{0}, args[1]).with(size_t{1}, args[0])] { return swapped.run(); });
    for (const char* name : {"mask", "condition"})
      if (const auto mask = op_.tensor(name); mask && mask->scalar_type() == at::kBool) {
        add(std::string(name) + " inverted", [inverted = op_.with(name, mask->logical_not())] { return inverted.run(); });
        add(std::string(name) + " ignored", [ignored = op_.with(name, at::ones_like(*mask))] { return ignored.run(); });
      }
    for (const char* name : {"index", "indices"})
      if (const auto index = op_.tensor(name); index && index->dim() > 0)
        add("neighbour's " + std::string(name), [moved = op_.with(name, index->roll(1))] { return moved.run(); });
    if (!args.empty() && args.front().isTensorList() && args.front().toTensorVector().size() > 1) {
      std::vector<at::Tensor> list = args.front().toTensorVector();
      const std::vector<at::Tensor> shorter(list.begin(), list.end() - 1);
      std::reverse(list.begin(), list.end());
      add("tensors in the other order", [other = op_.with(size_t{0}, c10::IValue(list))] { return other.run(); });
      add("without the last tensor", [other = op_.with(size_t{0}, c10::IValue(shorter))] { return other.run(); });
    }
    if (op_.base() == "convolution")
      if (const auto weight = op_.tensor("weight"); weight && weight->dim() > 2) {
        std::vector<int64_t> dims;
        for (int64_t d = 2; d < weight->dim(); ++d) dims.push_back(d);
        add("kernel flipped", [flipped = op_.with("weight", weight->flip(dims))] { return flipped.run(); });
      }
  }

  void elements() {
    static const std::set<std::string> kAlong{"sum",
                                              "mean",
                                              "prod",
                                              "var",
                                              "std",
                                              "var_mean",
                                              "std_mean",
                                              "norm",
                                              "max",
                                              "min",
                                              "argmax",
                                              "argmin",
                                              "median",
                                              "any",
                                              "all",
                                              "amax",
                                              "amin",
                                              "logsumexp",
                                              "nansum",
                                              "topk",
                                              "kthvalue",
                                              "mode",
                                              "linalg_vector_norm",
                                              "nanmedian",
                                              "aminmax"};
    if (kAlong.contains(op_.base()))
      if (const auto self = op_.tensor("self"); self && self->dim() > 0) {
        int64_t dim = -1;
        if (op_.value("dim").isInt()) dim = op_.value("dim").toInt();
        if (op_.value("dim").isIntList() && !op_.value("dim").toIntVector().empty()) dim = op_.value("dim").toIntVector().back();
        const int64_t n = dim >= -self->dim() && dim < self->dim() ? self->size(dim) : 0;
        if (n > 1) {
          add("last element left out", [cut = op_.with("self", self->narrow(dim, 0, n - 1))] { return cut.run(); });
          add("first element left out", [cut = op_.with("self", self->narrow(dim, 1, n - 1))] { return cut.run(); });
        }
      }
    const std::set<std::string> products{"mm", "bmm", "mv", "dot", "addmm", "baddbmm", "addmv"},
        of_matrices{"mm", "bmm", "addmm", "baddbmm"}, softmaxes{"_softmax", "_log_softmax"};
    step("last product left out", products, [](const Operation& op) {
      return with_product(op, [](const at::Tensor& l, const at::Tensor& r) {
        return at::matmul(l.narrow(-1, 0, l.size(-1) - 1), r.narrow(-2, 0, r.size(-2) - 1));
      });
    });
    step("right matrix transposed", of_matrices, [](const Operation& op) {
      return with_product(
          op, [](const at::Tensor& l, const at::Tensor& r) { return at::matmul(l, r.size(-1) == r.size(-2) ? r.mT() : r); });
    });
    steps("first element counted twice", {"sum", "mean", "_softmax", "_log_softmax"},
          [](const Operation& op) { return with_row_sum(op, [](const at::Tensor& x) { return x.sum(1) + x.select(1, 0); }); });
    steps("a padded 0 takes part", softmaxes, [](const Operation& op) -> std::optional<Results> {
      const auto r = row_operation_of(op);
      if (!r) return std::nullopt;
      const at::Tensor x = r->self.to(working_type(r->self.scalar_type())), top = x.amax(r->dims, true);
      const at::Tensor sum = (x - top).exp().sum(r->dims, true) + top.neg().exp();
      const at::Tensor y = op.base() == "_softmax" ? (x - top).exp() / sum : x - top - sum.log();
      return Results{y.to(r->self.scalar_type())};
    });
  }

  void formulas() {
    for (const Formula& formula : kFormulas)
      steps(formula.name, {formula.base}, [value = formula.value](const Operation& op) { return with_formula(op, value); });
    const std::set<std::string> variances{
        "var", "std", "var_mean", "std_mean", "native_layer_norm", "native_group_norm", "native_batch_norm"};
    steps("E[x^2] - E[x]^2 for the variance", variances, [](const Operation& op) {
      return with_moments(op, [](const at::Tensor& x) {
        const at::Tensor mean = x.mean(1);
        return Moments{mean, (x.square().mean(1) - mean.square()).clamp_min(0)};
      });
    });
    steps("n - 1 for n in the variance, n - 2 for n - 1", variances, [](const Operation& op) {
      return with_moments(op, [](const at::Tensor& x) {
        const double n = static_cast<double>(x.size(1));
        const at::Tensor mean = x.mean(1);
        return Moments{mean, (x - mean.unsqueeze(1)).square().sum(1) / (n - 1)};
      });
    });
    steps("without the largest element taken off", {"_softmax", "_log_softmax"},
          [](const Operation& op) -> std::optional<Results> {
            const auto r = row_operation_of(op);
            if (!r) return std::nullopt;
            const at::Tensor powers = r->self.to(working_type(r->self.scalar_type())).exp();
            const at::Tensor y = powers / powers.sum(r->dims, true);
            return Results{(op.base() == "_softmax" ? y : y.log()).to(r->self.scalar_type())};
          });
    steps("log(softmax(x))", {"_log_softmax"}, [](const Operation& op) -> std::optional<Results> {
      const auto r = row_operation_of(op);
      if (!r) return std::nullopt;
      return Results{r->self.softmax(r->dims.front()).log()};
    });
    steps("log(sum(exp(x)))", {"logsumexp"}, [](const Operation& op) -> std::optional<Results> {
      const auto r = reduction_of(op);
      if (!r) return std::nullopt;
      return Results{r->self.exp().sum(r->dims, r->keepdim).log()};
    });
  }

 private:
  void add(std::string name, std::function<Results()> make) { mistakes_.push_back({std::move(name), std::move(make)}); }

  // For these operators. Where `take` cannot take the call apart it stays as it is.
  void steps(std::string name, const std::set<std::string>& bases,
             const std::function<std::optional<Results>(const Operation&)>& take) {
    if (!bases.contains(op_.base()) || !reads_floating(op_)) return;
    add(std::move(name), [own = op_, take] {
      auto results = take(own);
      return results ? *results : own.run();
    });
  }
  void step(std::string name, const std::set<std::string>& bases,
            const std::function<std::optional<at::Tensor>(const Operation&)>& take) {
    steps(std::move(name), bases, [take](const Operation& op) -> std::optional<Results> {
      const auto y = take(op);
      return y ? std::optional(Results{*y}) : std::nullopt;
    });
  }

  const Operation& op_;
  std::vector<Mistake>& mistakes_;
};

}  // namespace

void add_arithmetic_mistakes(const Operation& op, std::vector<Mistake>& mistakes) {
  Collector collect(op, mistakes);
  collect.replaced();
  collect.operands();
  if (op.moves_only()) return;
  collect.elements();
  collect.formulas();
}

}  // namespace kbx

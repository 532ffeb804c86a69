// SPDX-License-Identifier: Apache-2.0
#include "contracts/contract.h"

namespace kbx {
namespace {

struct Name {
  std::string operator()(const Numeric&) const { return "numeric"; }
  std::string operator()(const Exact&) const { return "exact"; }
  std::string operator()(const Indices&) const { return "indices"; }
  std::string operator()(const Decomposition& d) const {
    switch (d.kind) {
      case DecompositionKind::svd:
        return "decomposition:svd";
      case DecompositionKind::lu:
        return "decomposition:lu";
      case DecompositionKind::low_rank:
        return "decomposition:low_rank";
      case DecompositionKind::pinv:
        return "decomposition:pinv";
      case DecompositionKind::cholesky:
        return "decomposition:cholesky";
      case DecompositionKind::qr:
        return "decomposition:qr";
      case DecompositionKind::ldl:
        return "decomposition:ldl";
      case DecompositionKind::eig:
        return "decomposition:eig";
    }
    return "decomposition";
  }
  std::string operator()(const Solve& s) const {
    switch (s.equation) {
      case Equation::square:
        return "solve";
      case Equation::least_squares:
        return "solve:least_squares";
      case Equation::cholesky:
        return "solve:cholesky";
      case Equation::inverse:
        return "solve:inverse";
    }
    return "solve";
  }
  std::string operator()(const Stochastic& s) const {
    switch (s.distribution) {
      case Distribution::uniform:
        return "stochastic:uniform";
      case Distribution::dropout:
        return "stochastic:dropout";
      case Distribution::fractional_pooling:
        return "stochastic:fractional_pooling";
      case Distribution::binomial:
        return "stochastic:binomial";
    }
    return "stochastic";
  }
  std::string operator()(const Quantised&) const { return "quantised"; }
  std::string operator()(const Jump&) const { return "jump"; }
};

}  // namespace

std::string contract_name(const OutputContract& contract) { return std::visit(Name{}, contract); }

std::string contract_name(const Contract& contract) {
  std::string joined;
  for (const OutputContract& output : contract) {
    if (!joined.empty()) joined += '+';
    joined += contract_name(output);
  }
  return joined;
}

}  // namespace kbx

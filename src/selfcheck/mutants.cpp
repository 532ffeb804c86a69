// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/mutants.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>
#include <utility>

#include "oracle/precise_scope.h"

namespace kbx {
namespace {

constexpr size_t kMostCalls = 4;  // of one operator that are mutated one by one

// Which call of its operator within one evaluation: the first "mul" is ("mul", 0).
class Count {
 public:
  size_t next(const std::string& base) { return counts_[base]++; }
  void restart() { counts_.clear(); }

 private:
  std::map<std::string, size_t> counts_;
};

std::vector<Mistake> mistakes_in(const Operation& op) {
  std::vector<Mistake> mistakes;
  add_argument_mistakes(op, mistakes);
  add_arithmetic_mistakes(op, mistakes);
  return mistakes;
}

struct Place {
  std::string base;
  size_t call;
  auto operator<=>(const Place&) const = default;
};

std::map<Place, std::set<std::string>> places_in(const Call& call) {
  std::map<Place, std::set<std::string>> places;
  Count count;
  const Rewriter look = [&](const Operation& op) -> std::optional<Results> {
    const Place place{op.base(), count.next(op.base())};
    if (place.call >= kMostCalls) return std::nullopt;
    for (const Mistake& mistake : mistakes_in(op)) places[place].insert(mistake.name);
    return std::nullopt;
  };
  const Call own = call.clone();
  const Interposer interposer(look);
  call.task->reference(Args(own));
  return places;
}

Computation mutant_of(const Place& place, const std::string& mistake) {
  const auto count = std::make_shared<Count>();
  const std::string where = place.call == 0 ? place.base : fmt::format("{} (call {})", place.base, place.call + 1);
  Computation mutant{.name = where + ": " + mistake};
  mutant.change_call = [count](Call&) { count->restart(); };
  mutant.rewrite = [count, place, mistake](const Operation& op) -> std::optional<Results> {
    if (op.base() != place.base || count->next(op.base()) != place.call) return std::nullopt;
    for (const Mistake& candidate : mistakes_in(op))
      if (candidate.name == mistake) return candidate.make();
    return std::nullopt;
  };
  return mutant;
}

}  // namespace

std::vector<Computation> operator_mutants(const std::vector<const Call*>& calls) {
  const PreciseScope precise;
  std::map<Place, std::set<std::string>> places;
  for (const Call* call : calls)
    for (auto& [place, names] : places_in(*call)) places[place].merge(names);
  std::vector<Computation> mutants;
  for (const auto& [place, names] : places)
    for (const std::string& name : names) mutants.push_back(mutant_of(place, name));
  return mutants;
}

}  // namespace kbx

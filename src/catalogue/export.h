// SPDX-License-Identifier: Apache-2.0
// The catalogue for those who do not link torch: the verbs `tasks`, `show` and `prompt`, and the documentation.
#pragma once

#include <string>

namespace kbx {

// A JSON list, by id: id, category, official, difficulty, entry, schema, contract, contract_words, arguments (what the schema
// says of each, and what the cases give for it), returns, random, counted (the first result's shape follows from the contents),
// summary, math, deviation, digest, cases, published (its calls), published_left_out, perf and
// published_sweep (its timed inputs) as written.
std::string catalogue_json();

// docs/tasks.md.
std::string catalogue_markdown();

// docs/fidelity.md: where and why tasks depart from the published ones.
std::string fidelity_markdown();

}  // namespace kbx

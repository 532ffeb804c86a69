// SPDX-License-Identifier: Apache-2.0
// A verdict as JSON: what `--json` prints, `kbx export --format verdicts` writes and the ledger keeps. docs/verdicts.md
// lists the fields; the stable ones come first and never change their meaning.
#pragma once

#include <nlohmann/json.hpp>

#include "core/result.h"
#include "core/verdict.h"

namespace kbx {

// All strings are valid UTF-8; numbers that JSON lacks are the strings "nan", "inf", "-inf". Fields keep their order.
nlohmann::ordered_json to_json(const Verdict& verdict);

// The inverse: verdict_from_json(to_json(v)) equals v, save repaired strings. Error: the field that is missing or of another
// type.
Result<Verdict> verdict_from_json(const nlohmann::json& json);

}  // namespace kbx

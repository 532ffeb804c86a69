// SPDX-License-Identifier: Apache-2.0
// Contracts in words, for those who write candidates. The rules themselves: docs/contracts.md.
#pragma once

#include <string>

#include "contracts/contract.h"

namespace kbx {

// One or two sentences, what a result is accepted for. Of several contracts, one line for each returned value.
std::string contract_words(const Contract& contract);

}  // namespace kbx

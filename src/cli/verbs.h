// SPDX-License-Identifier: Apache-2.0
// The verbs that kbx does itself. Each prints to stdout, says its troubles on stderr, and returns an exit status.
#pragma once

#include <string>
#include <vector>

#include "cli/output.h"

namespace kbx {

int list_tasks(const std::string& category, bool json);
int show_task(const std::string& task, bool json);
// `language` is triton, cuda or cpp; `device` is empty, or what device_sheet() knows.
int print_prompt(const std::string& task, const std::string& language, const std::string& device);
// `format` is "verdicts"; `brief` leaves out logs and the cases that passed; `out` is a file, or empty for stdout.
int export_ledger(const std::string& dir, const std::string& format, bool brief, const std::string& out);
// How fast the submissions are, a summary for each ledger.
int analyze_speed(const std::vector<std::string>& dirs, bool json);
int doctor(bool deep, bool json);

}  // namespace kbx

// SPDX-License-Identifier: Apache-2.0
// `kbx selfcheck`: what the judge can and cannot tell, task by task.
#pragma once

namespace kbx {

// Returns the exit status: 0 all is as it should be, 1 something is not and is listed, 2 usage, 130 interrupted.
int selfcheck(int argc, char** argv);

}  // namespace kbx

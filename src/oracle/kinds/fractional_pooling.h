// SPDX-License-Identifier: Apache-2.0
// Contract `stochastic:fractional_pooling`: in each plane every output is the maximum over a window whose rows and columns
// come from legal sequences (pooling_intervals.h), one for the rows and one for the columns of a plane; where indices are
// returned each points into that window, at that maximum. The numbers behind the sequences have to be uniform and
// independent over planes, axes and seeds. A plane that several sequences explain counts as whatever speaks for it.
#pragma once

#include "oracle/judgement.h"

namespace kbx {

// `deliveries` answer the seeds {a, b, a}. The task's chance gives the tensor to pool, whose last two dimensions are those
// of a plane; the argument `kernel_size` the window. Outputs: the maxima, and the positions in the plane if there are two.
Judgement judge_fractional_pooling(const Call& call, const Expected& expected, const std::vector<Delivery>& deliveries);

}  // namespace kbx

// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/decomposition.h"

#include "core/check.h"
#include "oracle/kinds/cholesky.h"
#include "oracle/kinds/eig.h"
#include "oracle/kinds/ldl.h"
#include "oracle/kinds/low_rank.h"
#include "oracle/kinds/lu.h"
#include "oracle/kinds/pinv.h"
#include "oracle/kinds/qr.h"
#include "oracle/kinds/svd.h"

namespace kbx {

Judgement judge_decomposition(const Call& call, const Expected& expected, const Delivery& delivery,
                              const Decomposition& contract) {
  switch (contract.kind) {
    case DecompositionKind::svd:
      return judge_svd(call, expected, delivery);
    case DecompositionKind::lu:
      return judge_lu(call, expected, delivery);
    case DecompositionKind::low_rank:
      return judge_low_rank(call, expected, delivery);
    case DecompositionKind::pinv:
      return judge_pinv(call, expected, delivery);
    case DecompositionKind::cholesky:
      return judge_cholesky(call, expected, delivery);
    case DecompositionKind::qr:
      return judge_qr(call, expected, delivery);
    case DecompositionKind::ldl:
      return judge_ldl(call, expected, delivery);
    case DecompositionKind::eig:
      return judge_eig(call, expected, delivery);
  }
  check_failed(__FILE__, __LINE__, "unknown decomposition");
}

}  // namespace kbx

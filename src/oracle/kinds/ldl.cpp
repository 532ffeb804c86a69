// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/ldl.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/complex.h>

#include <cmath>
#include <utility>
#include <vector>

#include "catalogue/call.h"
#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/kinds/matrix_rules.h"

namespace kbx {
namespace {

constexpr double kGrowth = 12;  // of u (1 + sqrt(n)). Measured: see the tests

using Complex = c10::complex<double>;

// One pivot of each block in order: its first index, its size, and the index that changes places with its last one.
struct Block {
  int64_t at, size, other;
};

// The blocks that the pivots describe; false for each pivot that describes none. `good` has a place for each.
std::vector<Block> blocks_of(const int64_t* pivots, int64_t n, bool* good) {
  std::vector<Block> blocks;
  for (int64_t k = 0; k < n;) {
    const int64_t size = pivots[k] < 0 ? 2 : 1, other = std::abs(pivots[k]) - 1;
    const bool valid =
        pivots[k] != 0 && other < n && other >= k + size - 1 && (size == 1 || (k + 1 < n && pivots[k + 1] == pivots[k]));
    for (int64_t i = k; i < std::min(n, k + size); ++i) good[i] = valid;
    if (valid) blocks.push_back({k, size, other});
    k += size;
  }
  return blocks;
}

Complex star(Complex x, bool hermitian) { return hermitian ? Complex(x.real(), -x.imag()) : x; }

// L D L^H or L D L^T: from the last block to the first, M becomes P(k) L(k) M L(k)^H P(k)^T.
void multiply_out(const Complex* packed, const std::vector<Block>& blocks, int64_t n, bool hermitian, Complex* m) {
  const auto at = [n](auto* matrix, int64_t i, int64_t j) -> auto& { return matrix[i * n + j]; };
  for (int64_t i = 0; i < n * n; ++i) m[i] = 0;
  for (size_t b = blocks.size(); b-- > 0;) {
    const auto [k, size, other] = blocks[b];
    const int64_t rest = k + size;
    for (int64_t i = k; i < rest; ++i) at(m, i, i) = at(packed, i, i);
    if (size == 2) {
      at(m, k + 1, k) = at(packed, k + 1, k);
      at(m, k, k + 1) = star(at(packed, k + 1, k), hermitian);
    }
    // W = [I; C] with C the block's columns: W D W^H, and what was there stays in the rest.
    std::vector<Complex> scaled((n - rest) * size);  // C D
    for (int64_t i = rest; i < n; ++i)
      for (int64_t j = 0; j < size; ++j) {
        Complex sum = 0;
        for (int64_t l = 0; l < size; ++l) sum += at(packed, i, k + l) * at(m, k + l, k + j);
        scaled[(i - rest) * size + j] = sum;
      }
    for (int64_t i = rest; i < n; ++i)
      for (int64_t j = rest; j < n; ++j)
        for (int64_t l = 0; l < size; ++l) at(m, i, j) += scaled[(i - rest) * size + l] * star(at(packed, j, k + l), hermitian);
    for (int64_t i = rest; i < n; ++i)
      for (int64_t j = 0; j < size; ++j) {
        at(m, i, k + j) = scaled[(i - rest) * size + j];
        at(m, k + j, i) = star(scaled[(i - rest) * size + j], hermitian);
      }
    const int64_t own = rest - 1;
    if (own == other) continue;
    for (int64_t i = 0; i < n; ++i) std::swap(at(m, i, own), at(m, i, other));
    for (int64_t j = 0; j < n; ++j) std::swap(at(m, own, j), at(m, other, j));
  }
}

struct Unpacked {
  at::Tensor product, bad_pivots;  // complex128, bool
};

Unpacked unpack(const at::Tensor& packed, const at::Tensor& pivots, bool hermitian) {
  const int64_t n = packed.size(-1), count = n == 0 ? 0 : packed.numel() / (n * n);
  const at::Tensor ld = packed.to(at::kComplexDouble).cpu().contiguous(), p = pivots.to(at::kLong).cpu().contiguous();
  at::Tensor product = at::empty_like(ld), good = at::zeros_like(p, p.options().dtype(at::kBool));
  const Complex* from = ld.const_data_ptr<Complex>();
  Complex* to = product.mutable_data_ptr<Complex>();
  for (int64_t i = 0; i < count; ++i) {
    const auto blocks = blocks_of(p.const_data_ptr<int64_t>() + i * n, n, good.mutable_data_ptr<bool>() + i * n);
    multiply_out(from + i * n * n, blocks, n, hermitian, to + i * n * n);
  }
  return {product.to(packed.device()), good.logical_not().to(packed.device())};
}

// Of a Hermitian D.
at::Tensor not_real_on_the_diagonal(const at::Tensor& packed) {
  at::Tensor wrong = at::zeros_like(packed, packed.options().dtype(at::kBool));
  at::diagonal(wrong, 0, -2, -1).copy_(at::imag(at::diagonal(packed, 0, -2, -1)).ne(0));
  return wrong;
}

}  // namespace

Judgement judge_ldl(const Call& call, const Expected& expected, const Delivery& delivery) {
  KBX_CHECK_EQ(expected.outputs.size(), 2u);
  const Truth &truth_packed = expected.outputs[0], &truth_pivots = expected.outputs[1];
  const at::Tensor a = first_matrix(call);
  const bool hermitian = Args(call).flag("hermitian") && a.is_complex();
  const double roundoff = working_roundoff(c10::toRealValueType(truth_packed.dtype));
  const double p = kGrowth * roundoff * (1 + std::sqrt(static_cast<double>(a.size(-1))));
  MatrixJudgement judgement("decomposition:ldl", truth_packed.dtype, p);
  if (!judgement.well_formed(expected, delivery)) return judgement.result();
  const at::Tensor packed = widened(delivery[0].value);
  const Unpacked unpacked = unpack(packed, delivery[1].value, hermitian);

  judgement.require_none(truth_pivots, delivery[1].value, unpacked.bad_pivots,
                         "no pivots in LAPACK's form (counted from 1; negative and twice the same for a block of 2 x 2)");
  judgement.require_none(truth_packed, packed, packed.triu(1).ne(0), "not zero above the diagonal of LD");
  if (hermitian)
    judgement.require_none(truth_packed, packed, not_real_on_the_diagonal(packed), "not real on the diagonal of a Hermitian D");
  judgement.require(truth_packed, worst(frobenius(a - unpacked.product), p * frobenius(a)),
                    hermitian ? "||A - L D L^H||" : "||A - L D L^T||");
  return judgement.result();
}

}  // namespace kbx

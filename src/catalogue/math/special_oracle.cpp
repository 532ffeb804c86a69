// SPDX-License-Identifier: Apache-2.0
#include "catalogue/math/special_oracle.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>

#include <boost/math/special_functions/airy.hpp>
#include <cmath>

namespace kbx {
namespace {

using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>,
                                             boost::math::policies::domain_error<boost::math::policies::ignore_error>,
                                             boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
                                             boost::math::policies::evaluation_error<boost::math::policies::ignore_error>,
                                             boost::math::policies::rounding_error<boost::math::policies::ignore_error>,
                                             boost::math::policies::pole_error<boost::math::policies::ignore_error>>;

double airy_ai(double x) {
  constexpr double kVanishes = 110;  // beyond it the value is below the least float64
  if (std::isnan(x)) return x;
  return x > kVanishes ? 0 : boost::math::airy_ai(x, Policy());
}

template <double (*function)(double)>
Values each(const at::Tensor& input) {
  const at::Tensor x = input.cpu().to(at::kDouble).contiguous(), y = at::empty_like(x);
  const double* from = x.const_data_ptr<double>();
  double* to = y.mutable_data_ptr<double>();
  const int64_t count = x.numel();
#pragma omp parallel for num_threads(at::get_num_threads()) if (count > 4096)
  for (int64_t i = 0; i < count; ++i) to[i] = function(from[i]);
  return {y.to(input.device())};
}

}  // namespace

Values airy_ai_oracle(const Args& args) { return each<airy_ai>(args.tensor("input")); }

Values bessel_j1_oracle(const Args& args) { return each<::j1>(args.tensor("input")); }

}  // namespace kbx

// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/fft_fftn.h>
#include <ATen/ops/fft_ifftshift.h>

#include <algorithm>
#include <cmath>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

at::OptionalIntArrayRef as_optional(const std::optional<std::vector<int64_t>>& list) {
  return list ? at::OptionalIntArrayRef(*list) : std::nullopt;
}

Values fftn(const Args& a) {
  const auto sizes = a.maybe_ints("s"), dims = a.maybe_ints("dim");
  const auto norm = a.maybe_text("norm");
  const std::optional<std::string_view> scaled = norm ? std::optional<std::string_view>(*norm) : std::nullopt;
  auto out = a.maybe_tensor("out");
  if (out) return {at::fft_fftn_out(*out, a.tensor("input"), as_optional(sizes), as_optional(dims), scaled)};
  return {at::fft_fftn(a.tensor("input"), as_optional(sizes), as_optional(dims), scaled)};
}

}  // namespace

std::span<const Task> fourier_family() {
  static const Task tasks[] = {
      {.id = "fftn",
       .category = Category::math,
       .difficulty = 5,
       .schema = "fftn(Tensor input, int[1]? s=None, int[1]? dim=None, str? norm=None, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Discrete Fourier transform over several dimensions (all of them, or `dim`, or the last ones where only `s` is "
           "given). Each is first cut or padded with zeros to its size in `s`; -1 keeps it. `norm`: backward (no factor), ortho "
           "(1/sqrt(n)) or forward (1/n). A real input gives a complex result. Where `out` is given the result is written there "
           "and returned.",
       .math = "y[k] = factor * sum over j of x[j] * exp(-2 pi i (j1 k1 / n1 + j2 k2 / n2 + ...))",
       .reference = fftn,
       .contract = numeric(),
       .cases =
           {
               "standard: input=randn[16,16]",
               "standard: M=9..40 N=9..40 input=randn[M,N]",
               "standard: N=100..600 input=randn[2,N] dim=[1] norm=ortho",
               "standard: M=9..30 N=9..30 input=randn[M,N] s=[8,8]",
               "standard: M=9..30 N=9..30 input=randn[M,N]:c64 dim=[0,1] norm=ortho",
               "boundary: input=randn[4,4] s=[2,2]",
               "boundary: input=randn[5,7] s=[9,4] dim=[0,1]",
               "boundary: input=randn[3,6,5] s=[8,-1]",
               "boundary: input=randn[3,6,5] dim=[-3,2] norm=forward",
               "boundary: input=randn[3,6,5] dim=1 norm=backward",
               "boundary: input=randn[64] s=32",
               "boundary: input=randn[128]:c64",
               "boundary: input=randn[17,9]@transposed",
               "boundary: input=randn[9,17]:c64@strided",
               "boundary: input=randn[9,17]:c64@offset norm=forward",
               "boundary: input=randn[9,8]@expanded dim=[0]",
               "boundary: input=randn[8,8]:f64",
               "boundary: input=randn[7,5]:c128",
               "boundary: input=randint(-100,100)[8,6]",
               "boundary: input=randn[8,9] out=like",
               "boundary: input=randn[1]",
               "boundary: input=randn[1,1]:c64",
               "boundary: input=randn[16,16]@scale(1e-4)",
               "boundary: input=randn[16,16]@shift(1000)",
               "boundary: input=randn[8,8]:c64@poke(nan)",
               "boundary: input=randn[6,10] s=none dim=none norm=ortho *",
           },
       .perf = {"input=randn[1024,1024]", "input=randn[2048,1000] dim=[1]", "input=randn[1024,1024]:c64 norm=ortho"},
       // 5 n log2(n) is the usual count of a complex transform of n points.
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 5 * outputs(out) * std::log2(std::max(outputs(out), 2.0))};
       },
       .deviation =
           "The published test compares complex results bit for bit, so that any other order of the operations fails; here each "
           "part has an error budget. The published reference ignores `out`; here it is written."},
      {.id = "ifftshift",
       .category = Category::math,
       .difficulty = 4,
       .schema = "ifftshift(Tensor input, int[1]? dim=None) -> Tensor",
       .summary = "Moves the zero frequency from the middle back to the front, along the dimensions `dim` or all of them: undoes "
                  "fftshift, for odd lengths too.",
       .math = "y[i] = x[(i + floor(n / 2)) mod n] along each dimension",
       .reference = [](const Args& a) -> Values {
         const auto dims = a.maybe_ints("dim");
         return {at::fft_ifftshift(a.tensor("input"), as_optional(dims))};
       },
       .contract = exact(),
       .cases =
           {
               "standard: M=17..70 N=33..200 input=randn[M,N]",
               "standard: M=17..70 N=33..200 input=randn[M,N] dim=0",
               "standard: N=1000..4095 input=randn[3,N] dim=[0,1]",
               "standard: M=17..70 N=33..90 input=randint(-1000,1000)[M,N]",
               "boundary: input=arange[8]:i64",
               "boundary: input=arange[9]:i64",
               "boundary: input=arange[3,3]:i64 dim=0",
               "boundary: input=arange[2,2,2]:i64 dim=[1,2]",
               "boundary: A=3..9 B=9..33 input=randn[A,B,17]",
               "boundary: A=3..9 B=9..33 input=randn[A,B,17] dim=[0,-1]",
               "boundary: input=randn[33,17]@transposed",
               "boundary: input=randn[9,65]@strided dim=1",
               "boundary: input=randn[9,65]@expanded",
               "boundary: input=randn[257]@offset",
               "boundary: N=60001..65500 input=randn[N]",
               "boundary: input=randn[2,3,4,5]",
               "boundary: input=randn[0]",
               "boundary: input=randn[0,5] dim=1",
               "boundary: input=randn[1]",
               "boundary: input=randn[1,7]",
               "boundary: input=randn[65]@scale(1e-4)",
               "boundary: input=values(nan,inf,-inf,0,-0.0)",
               "boundary: * input=randn[7,8] dim=[1]",
           },
       .perf = {"input=randn[6291456]", "input=randn[3071,1025]", "input=randn[3071,1025] dim=1"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 0};
       }},
  };
  return tasks;
}

}  // namespace kbx

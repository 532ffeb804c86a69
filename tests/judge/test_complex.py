# SPDX-License-Identifier: Apache-2.0
"""Complex tensors go to a candidate and come back as they are, whatever language it is in."""
import pytest

FFTN = "import torch\ndef fftn(input, s=None, dim=None, norm=None, *, out=None):\n    {}\n"
CALL = "torch.fft.fftn(input, s, dim, norm)"


def fftn(value):
    return FFTN.format(f"y = {value}\n    return y if out is None else out.copy_(y)")


WRONG = {
    "the conjugate": f"{CALL}.conj()",
    "a lost imaginary part": f"torch.complex({CALL}.real, torch.zeros_like({CALL}.real))",
    "the inverse transform": "torch.fft.ifftn(input, s, dim, norm)",
    "an ignored norm": "torch.fft.fftn(input, s, dim)",
    "real and imaginary part exchanged": f"torch.complex({CALL}.imag, {CALL}.real)",
    "half precision inputs": "torch.fft.fftn((input.half().float() if input.dtype == torch.float32 else input), s, dim, norm)",
    "two real numbers for each complex one": f"torch.view_as_real({CALL})",
}


@pytest.mark.parametrize("value", [CALL, f"{CALL}.conj().resolve_conj().conj()"])
def test_right_transform_is_correct_also_as_a_conjugated_view(kbx, value):
    verdict, status = kbx.judge(fftn(value), "fftn")
    assert (verdict["outcome"], status) == ("correct", 0), verdict


@pytest.mark.parametrize("name", WRONG)
def test_transform_with(kbx, name):
    verdict, status = kbx.judge(fftn(WRONG[name]), "fftn")
    assert (verdict["outcome"], status) == ("wrong", 1), verdict


CPP = """
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <complex>
#include <cmath>
namespace ffi = tvm::ffi;

// One dimension, complex input, no options: the definition itself.
void fftn(ffi::TensorView x, ffi::Any, ffi::Any, ffi::Any, ffi::TensorView y) {
  const int64_t n = x.size(0), step = x.stride(0);
  const auto* in = static_cast<const std::complex<float>*>(x.data_ptr());
  auto* out = static_cast<std::complex<float>*>(y.data_ptr());
  for (int64_t k = 0; k < n; ++k) {
    std::complex<double> sum = 0;
    for (int64_t j = 0; j < n; ++j)
      sum += std::complex<double>(in[j * step]) * std::polar(1.0, %s 6.283185307179586 * double(j * k %% n) / double(n));
    out[k] = std::complex<float>(sum);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fftn, fftn)
"""


@pytest.mark.parametrize("sign, outcome", [("-", "correct"), ("+", "wrong")])
def test_native_candidate_gets_complex_numbers(kbx, sign, outcome):
    verdict, _ = kbx.judge(CPP % sign, "fftn", "candidate.cpp", "--case", "boundary: input=randn[128]:c64")
    assert verdict["outcome"] == outcome, verdict

# SPDX-License-Identifier: Apache-2.0
"""tl.dot and tl.dot_scaled. Expected values are sums of small integers, exact in every order."""
import pytest
import torch

from language import check

F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
E4M3, E5M2, I8, I32 = torch.float8_e4m3fn, torch.float8_e5m2, torch.int8, torch.int32
A = (torch.arange(512).reshape(16, 32) * 7 % 9 - 4)
B = (torch.arange(512).reshape(32, 16) * 5 % 7 - 3)
C = A @ B


@pytest.mark.parametrize("dtype", (F32, F16, BF16, E4M3, E5M2), ids=str)
def test_products_of_each_type_come_in_fp32(runner, dtype):
    a, b = A.float().to(dtype), B.float().to(dtype)
    expected = a.double() @ b.double()
    check(runner, "r0 = tl.dot(a, x)\nr1 = tl.dot(a, x, acc=tl.full((16, 16), 5, tl.float32))\nr2 = 2.0 + tl.dot(a, x)", expected.float(),
          expected.float() + 5, expected.float() + 2, a=a, x=b)


def test_products_of_integers_come_in_int32(runner):
    a, b = torch.full((16, 32), -128, dtype=I8), torch.full((32, 16), 127, dtype=I8)
    check(runner, "r0 = tl.dot(a, x)\nr1 = tl.dot(a, x, tl.full((16, 16), 3, tl.int32), out_dtype=tl.int32)\nr2 = tl.dot(a, x, out_dtype=tl.int32)",
          torch.full((16, 16), -128 * 127 * 32, dtype=I32), torch.full((16, 16), 3 - 128 * 127 * 32, dtype=I32),
          torch.full((16, 16), -128 * 127 * 32, dtype=I32), a=a, x=b)


def test_fp16_products_are_summed_in_fp32(runner):
    a = torch.full((16, 32), 256.0, dtype=F16)
    b = torch.full((32, 16), 256.0, dtype=F16)  # one product already exceeds the largest fp16
    check(runner, "r = tl.dot(a, x)", torch.full((16, 16), 32 * 65536.0), a=a, x=b)


def test_an_fp16_result_is_rounded_at_the_end(runner):
    a, b = torch.ones(16, 32, dtype=F16), torch.full((32, 16), 64.125, dtype=F16)
    check(runner, "r = tl.dot(a, x, out_dtype=tl.float16)", torch.full((16, 16), 2052.0, dtype=F16), a=a, x=b, relative=2.0**-9)


@pytest.mark.parametrize("options, bits", [
    ("", 10), (", input_precision='tf32'", 10), (", allow_tf32=True", 10), (", allow_tf32=False", 23), (", input_precision='ieee'", 23),
    (", input_precision='tf32x3'", 20)])
def test_how_many_bits_of_fp32_a_product_uses(runner, options, bits):
    # Ones with a single further bit: it counts if the precision holds it.
    a = torch.eye(16)
    kept = torch.full((16, 16), 1 + 2.0**-bits)
    check(runner, f"r = tl.dot(a, x{options})", kept, a=a, x=kept)
    if bits == 10:
        check(runner, f"r = tl.dot(a, x{options})", torch.ones(16, 16), a=a, x=torch.full((16, 16), 1 + 2.0**-11))


def test_tf32_drops_the_bits_behind_the_tenth(runner):
    values = [1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-12, 1 + 2.0**-10 + 2.0**-11, -(1 + 2.0**-11 + 2.0**-13)]
    b = torch.tensor(values).repeat(4).expand(16, 16).contiguous()
    toward_zero = torch.tensor([1, 1, 1 + 2.0**-10, -1.0]).repeat(4).expand(16, 16).contiguous()
    check(runner, "r = tl.dot(a, x)", toward_zero, a=torch.eye(16), x=b)


@pytest.mark.parametrize("dtype", (F32, F16), ids=str)
def test_batches_of_products(runner, dtype):
    a, b = A.reshape(2, 16, 16).to(dtype), B.reshape(2, 16, 16).to(dtype)
    check(runner, "r = tl.dot(a, x)", (a.double() @ b.double()).float(), a=a, x=b)


def test_transposed_operands(runner):
    a = A.reshape(32, 16).to(F16)
    check(runner, "r = tl.dot(tl.trans(a), x)", (a.double().T @ B.double()).float(), a=a, x=B.to(F16))


def test_options_that_do_not_change_exact_results(runner):
    a, b = A.float().to(E4M3), B.float().to(E4M3)
    check(runner, "r = tl.dot(a, x, max_num_imprecise_acc=32)", (a.double() @ b.double()).float(), a=a, x=b)


def test_infinities_and_nan_pass_through_products(runner):
    a, b = torch.eye(16), torch.ones(16, 16)
    a[0, 0], b[3, 3] = float("inf"), float("nan")
    expected = a.double() @ b.double()
    check(runner, "r = tl.dot(a, x)", expected.float(), a=a, x=b)


# The values of e2m1 by code, and scales 2**(code - 127): OCP Microscaling Formats (MX) Specification 1.0, section 5.
FP4 = [0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6]


def test_scaled_products_of_float8(runner):
    a, b = (torch.arange(32 * 64).reshape(32, 64) % 5 - 2).float().to(E4M3), (torch.arange(64 * 32).reshape(64, 32) % 3 - 1).float().to(E5M2)
    s = (torch.arange(64).reshape(32, 2) % 3 + 126).to(torch.uint8)
    t = (torch.arange(64).reshape(32, 2) % 2 + 127).to(torch.uint8)
    left = a.double() * (2.0 ** (s.double() - 127)).repeat_interleave(32, 1)
    right = b.double() * (2.0 ** (t.double() - 127)).repeat_interleave(32, 1).T
    body = "r0 = tl.dot_scaled(a, s, 'e4m3', x, t, 'e5m2')\nr1 = tl.dot_scaled(a, None, 'e4m3', x, t, 'e5m2', acc=tl.full((32, 32), 1, tl.float32))"
    check(runner, body, (left @ right).float(), (a.double() @ right).float() + 1, a=a, s=s, x=b, t=t)


def test_scaled_products_of_float4_with_bf16(runner):
    codes = torch.arange(32 * 64).reshape(32, 64) * 7 % 16
    packed = (codes[:, 0::2] + 16 * codes[:, 1::2]).to(torch.uint8)
    s = (torch.arange(64).reshape(32, 2) % 3 + 126).to(torch.uint8)
    left = torch.tensor(FP4, dtype=F64)[codes] * (2.0 ** (s.double() - 127)).repeat_interleave(32, 1)
    b = (torch.arange(64 * 32).reshape(64, 32) % 5 - 2).to(BF16)
    check(runner, "r = tl.dot_scaled(a, s, 'e2m1', x, None, 'bf16')", (left @ b.double()).float(), a=packed, s=s, x=b)

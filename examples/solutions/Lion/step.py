# SPDX-License-Identifier: Apache-2.0
"""One step of Lion in one pass over the parameter, its gradient and the momentum.

The published gate refuses every file that defines the function which the published tests call.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def lion_kernel(param_ptr, grad_ptr, mean_ptr, n, lr, keep, beta1, rest1, beta2, rest2, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    grad = tl.load(grad_ptr + offsets, mask=mask)
    mean = tl.load(mean_ptr + offsets, mask=mask)
    u = beta1 * mean + rest1 * grad
    param = keep * tl.load(param_ptr + offsets, mask=mask)
    param -= tl.where(u > 0, lr, tl.where(u < 0, -lr, 0.0))
    tl.store(param_ptr + offsets, tl.where(u == u, param, u), mask=mask)
    tl.store(mean_ptr + offsets, beta2 * mean + rest2 * grad, mask=mask)


def lion_step(param, grad, exp_avg, lr=0.0001, beta1=0.9, beta2=0.99, weight_decay=0.0):
    # What has gaps or another order is updated in a copy and copied back.
    new_param, new_mean = param.contiguous(), exp_avg.contiguous()
    n = param.numel()
    if n > 0:
        block = 1024
        lion_kernel[(triton.cdiv(n, block),)](
            new_param, grad.contiguous(), new_mean, n,
            float(lr), 1.0 - lr * weight_decay, float(beta1), 1.0 - beta1, float(beta2), 1.0 - beta2, BLOCK=block,
        )  # fmt: skip
    if new_param is not param:
        param.copy_(new_param)
    if new_mean is not exp_avg:
        exp_avg.copy_(new_mean)
    return param, exp_avg

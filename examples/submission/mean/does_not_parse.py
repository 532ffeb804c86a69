# SPDX-License-Identifier: Apache-2.0
# Not Python: the answer was cut off in the middle of a call, as models do.
import torch
import triton


def mean(input_tensor, dim, keepdim=False, *, dtype=None, out=None):
    result = torch.empty(input_tensor.shape[:-1], device=input_tensor.device
    mean_kernel[(triton.cdiv(result.numel(), 128),)](

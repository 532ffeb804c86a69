# SPDX-License-Identifier: Apache-2.0
"""Calls torch for everything: right, but nothing here is the candidate's own work, and it does not count as solved."""

import torch


def matmul(tensor1, tensor2):
    return torch.matmul(tensor1, tensor2)

# SPDX-License-Identifier: Apache-2.0
"""Eats memory until something stops it: a workspace grows towards a size that is never reached."""


def mean(input_tensor, dim, keepdim=False, *, dtype=None, out=None):
    workspace = [bytearray(1 << 20)]
    while len(workspace) != 0:
        workspace.append(bytearray(256 << 20))
    return input_tensor

# SPDX-License-Identifier: Apache-2.0
"""DLPack dtype codes, as the protocol uses them, and torch's dtypes."""
import torch

FROM_WIRE = {
    (0, 8): torch.int8, (0, 16): torch.int16, (0, 32): torch.int32, (0, 64): torch.int64,
    (1, 8): torch.uint8, (1, 16): torch.uint16, (1, 32): torch.uint32, (1, 64): torch.uint64,
    (2, 16): torch.float16, (2, 32): torch.float32, (2, 64): torch.float64,
    (4, 16): torch.bfloat16,
    (5, 32): torch.complex32, (5, 64): torch.complex64, (5, 128): torch.complex128,
    (6, 8): torch.bool,
    (10, 8): torch.float8_e4m3fn, (12, 8): torch.float8_e5m2,
}
TO_WIRE = {dtype: code for code, dtype in FROM_WIRE.items()}

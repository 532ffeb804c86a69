# SPDX-License-Identifier: Apache-2.0
import math

import pytest


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu(kbx, randn, close, approximate):
    x = randn(7, 5)

    def gelu(v):
        if approximate == "none":
            return v * math.erfc(-v / math.sqrt(2)) / 2
        return v / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))

    close(kbx.gelu(x, approximate=approximate), [[gelu(v) for v in row] for row in x.tolist()])

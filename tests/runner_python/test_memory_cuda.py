# SPDX-License-Identifier: Apache-2.0
"""How the judge's device memory is mapped, with a driver that only takes notes."""
from types import SimpleNamespace

import pytest

from kbx_runner import memory_cuda

MIB = 1 << 20
READ, READ_WRITE = 1, 3
START = 0x700000000000


class Driver:
    """cuMem functions that succeed, and keep what they were told."""

    def __init__(self, knows_read_only=True):
        self.knows_read_only = knows_read_only
        self.calls, self.accesses = [], []

    def cuMemImportFromShareableHandle(self, handle, descriptor, kind):
        return 0

    def cuMemAddressReserve(self, address, size, alignment, wish, flags):
        address._obj.value = START
        self.calls.append(("reserve", size.value))
        return 0

    def cuMemMap(self, address, size, offset, handle, flags):
        self.calls.append(("map", address.value, size.value))
        return 0

    def cuMemSetAccess(self, address, size, access, count):
        flags = access._obj.flags
        self.accesses.append(flags)
        return 0 if flags == READ_WRITE or self.knows_read_only else 1

    def cuMemRelease(self, handle):
        return 0

    def cuGetErrorString(self, status, text):
        return 0


def attached(driver, writable):
    memory = memory_cuda.CudaMemory.__new__(memory_cuda.CudaMemory)
    memory._driver, memory._device, memory._mappings = driver, 0, {}
    memory.attach(SimpleNamespace(id=1, length=4 * MIB, writable=writable), 7)
    return memory


@pytest.mark.parametrize("writable, knows, accesses", [
    (1, True, [READ_WRITE]),
    (0, True, [READ]),
    (0, False, [READ, READ_WRITE]),  # a driver that refuses: the candidate is judged all the same
])
def test_inputs_are_read_only_where_the_driver_can(writable, knows, accesses):
    driver = Driver(knows)
    attached(driver, writable)
    assert driver.accesses == accesses


def test_unmapped_addresses_lie_on_either_side():
    driver = Driver()
    memory = attached(driver, 0)
    (_, reserved), (_, address, size) = driver.calls
    assert address - START >= 2 * MIB and START + reserved - (address + size) >= 2 * MIB
    assert memory._mappings[1] == (address, 4 * MIB)

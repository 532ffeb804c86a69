# SPDX-License-Identifier: Apache-2.0
"""Random numbers: the generator against its published known answers, the rest against what is made of its bits."""
import math

import pytest
import torch

from language import check, evaluate

MASK = 2**32 - 1
# Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (SC11); Random123's kat_vectors, philox4x32 with 10 rounds.
KNOWN = [
    ([0, 0, 0, 0], [0, 0], [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([MASK] * 4, [MASK] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    ([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0], [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]),
]


def philox(counter, key, rounds=10):
    """Section 2.2 of the paper, for four words of 32 bits."""
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(rounds):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = p1 >> 32 ^ c1 ^ k0, p1 & MASK, p0 >> 32 ^ c3 ^ k1, p0 & MASK
        k0, k1 = k0 + 0x9E3779B9 & MASK, k1 + 0xBB67AE85 & MASK
    return [c0, c1, c2, c3]


def u32(values):
    return torch.tensor(values, dtype=torch.int64).to(torch.uint32)


@pytest.mark.parametrize("counter, key, answer", KNOWN)
def test_known_answers_of_philox(runner, counter, key, answer):
    assert philox(counter, key) == answer
    body = """
a, b, c, d = tl.philox(tl.load(k_ptr), x, y, z, w)
r0 = a
r1 = b
r2 = c
r3 = d
e, f, g, h = tl.philox_impl(x, y, z, w, tl.load(k_ptr).to(tl.uint32), (tl.load(k_ptr).to(tl.uint64) >> 32).to(tl.uint32))
r4 = e"""
    seed = key[0] + (key[1] << 32)
    k = torch.tensor([seed - 2**64 if seed >= 2**63 else seed])
    words = [u32([v, v]) for v in counter]
    results = [u32([v, v]) for v in answer]
    check(runner, body, *results, results[0], x=words[0], y=words[1], z=words[2], w=words[3], k=k)


def uniform(bits):
    """The 31 upper values of a word, mirrored at zero, times a constant below 2**-31: as documented, in [0, 1)."""
    signed = bits - 2**32 if bits >= 2**31 else bits
    return (-signed - 1 if signed < 0 else signed) * 4.6566127342e-10


SEED, OFFSETS = 42, torch.arange(8, dtype=torch.int32)
WORDS = [philox([i, 0, 0, 0], [SEED, 0]) for i in range(8)]
HEAD = "i = tl.arange(0, 8)\n"


def test_integers_are_the_words_of_the_generator(runner):
    body = HEAD + "r0 = tl.randint(42, i)\na, b, c, d = tl.randint4x(42, i)\nr1 = a\nr2 = b\nr3 = c\nr4 = d\nr5 = tl.randint(42, i, 7)"
    columns = [u32([w[k] for w in WORDS]) for k in range(4)]
    check(runner, body, columns[0], *columns, u32([philox([i, 0, 0, 0], [SEED, 0], 7)[0] for i in range(8)]), x=OFFSETS)


def test_uniform_numbers(runner):
    columns = [torch.tensor([uniform(w[k]) for w in WORDS]) for k in range(4)]
    body = HEAD + "r0 = tl.rand(42, i)\na, b, c, d = tl.rand4x(42, i)\nr1 = a\nr2 = b\nr3 = c\nr4 = d\nr5 = tl.uint_to_uniform_float(tl.randint(42, i))"
    check(runner, body, columns[0], *columns, columns[0], x=OFFSETS, relative=1e-6)


def test_normal_numbers_follow_box_and_muller(runner):
    def pair(a, b):
        radius = math.sqrt(-2 * math.log(max(1e-7, uniform(a))))
        return radius * math.cos(2 * math.pi * uniform(b)), radius * math.sin(2 * math.pi * uniform(b))

    rows = [(*pair(w[0], w[1]), *pair(w[2], w[3])) for w in WORDS]
    columns = [torch.tensor(column) for column in zip(*rows)]
    body = HEAD + """
r0 = tl.randn(42, i)
a, b, c, d = tl.randn4x(42, i)
r1 = a
r2 = b
r3 = c
r4 = d
u, v = tl.pair_uniform_to_normal(tl.rand(42, i), tl.rand(42, i) * 0 + 0.25)
r5 = u"""
    check(runner, body, columns[0], *columns, torch.zeros(8), x=OFFSETS, relative=1e-4, absolute=2e-6)


def test_large_seeds_and_offsets_count_in_full(runner):
    body = "r0 = tl.randint(4294967299, x)\nr1 = tl.randint(3, y)"
    expected = [u32([philox([i, 0, 0, 0], [3, 1])[0] for i in range(4)]), u32([philox([i, 1, 0, 0], [3, 0])[0] for i in range(4)])]
    check(runner, body, *expected, x=torch.arange(4, dtype=torch.int32), y=torch.arange(4) + 2**32)


def test_uniform_numbers_stay_below_one(runner):
    words = u32([0, 1, 2**31 - 1, 2**31, 2**32 - 1, 5, 6, 7])
    got, = evaluate(runner, "r = tl.uint_to_uniform_float(x)", torch.zeros(8), x=words)
    assert got.min() >= 0 and got.max() < 1

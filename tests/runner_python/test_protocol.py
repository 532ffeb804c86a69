# SPDX-License-Identifier: Apache-2.0
"""The wire format against runner/protocol/wire.h, and the zygote's side of docs/protocol.md."""
import os
import re

import pytest
import torch

from judge import Died, Failed, Type, lockdown, wire

HEADER = os.path.join(os.path.dirname(__file__), "..", "..", "runner", "protocol", "wire.h")
LOCKDOWN = os.environ.get("KBX_LOCKDOWN", "")


def constants(enum):
    text = re.sub(r"//.*", "", open(HEADER, encoding="utf-8").read())
    body = re.search(rf"enum (?:class )?{enum} : \w+ \{{(.*?)\}};", text, re.S).group(1)
    found, value = {}, 0
    for item in body.split(","):
        name, _, given = item.partition("=")
        if name.strip():
            value = int(given) if given.strip() else value
            found[name.strip()] = value
            value += 1
    return found


@pytest.mark.parametrize("enum, ours", [("Type", wire.Type), ("FailedAt", wire.FailedAt), ("Role", wire.Role)])
def test_numbers_agree_with_the_header(enum, ours):
    theirs = constants(enum)
    for member in ours:
        assert theirs[member.name.lower()] == member.value


@pytest.mark.parametrize("enum, ours", [("Tag", wire.Tag), ("Kind", wire.LeafKind)])
def test_lists_of_names_agree_in_order(enum, ours):
    assert list(constants(enum).values()) == [m.value for m in ours]


@pytest.mark.parametrize("name, ours", [("kMaxMessage", wire.MAX_MESSAGE), ("kMaxDescriptors", wire.MAX_DESCRIPTORS)])
def test_limits_agree_with_the_header(name, ours):
    """What the judge sends and this side cuts off ends the process, with an innocent candidate in it."""
    text = open(HEADER, encoding="utf-8").read()
    assert eval(re.search(rf"{name} = ([\d* ]+);", text).group(1)) == ours


def test_a_message_survives_the_way_there_and_back():
    leaf = wire.Leaf(1, 1, 2, (4, 16), (3, 0, 5), 2.5, "Tensor")
    tensor = wire.Tensor(7, 1 << 40, (2, 32), 0, (2, 3), (3, 1))
    message = wire.Writer(Type.PREPARE).leaf(leaf).tensor(tensor).str("é").finish()
    reader = wire.Reader(message)
    assert reader.kind == Type.PREPARE and reader.leaf() == leaf and reader.tensor() == tensor and reader.str() == "é"


@pytest.mark.parametrize("cut", [0, 5, 11, 13])
def test_a_short_message_is_malformed(cut):
    message = wire.Writer(Type.LOAD).str("abc").finish()[:cut]
    with pytest.raises(wire.Malformed):
        wire.Reader(message).str()


def test_a_text_never_reads_past_the_end():
    with pytest.raises(wire.Malformed):
        wire.Reader(wire.Writer(Type.LOAD).pack("I", 100).raw(b"abc").finish()).str()


def test_a_long_failure_fits_a_datagram():
    assert len(wire.failed(1, "k", "m" * 10**6, "ä" * 10**6).finish()) <= wire.MAX_MESSAGE


def test_a_malformed_request_ends_the_child_and_not_the_zygote(interpret_zygote):
    runner = interpret_zygote.spawn()
    with pytest.raises(Died):
        runner.request(wire.Writer(Type.SPAWNED))
    assert runner.end()[0] == 1 << 8
    again = interpret_zygote.spawn()
    assert again.lock_down() == 0
    again.end()


def test_children_do_not_see_each_other_or_the_judge(interpret_zygote):
    one, two = interpret_zygote.spawn(), interpret_zygote.spawn()
    source = """import os
def f(x):
    print(sorted(int(d) for d in os.listdir('/proc/self/fd')))
"""
    two.load(source, ["f"])
    two.call(torch.ones(1))
    descriptors = eval(two.end()[1])
    assert set(descriptors) <= {0, 1, 2, 3, 4}  # 4 is the listing itself
    one.end()


@pytest.mark.skipif(not LOCKDOWN, reason="KBX_LOCKDOWN does not name the lockdown library")
def test_the_lockdown_is_applied_before_the_candidate_runs():
    from judge import ZygoteProcess
    zygote = ZygoteProcess("interpret", LOCKDOWN)
    runner = zygote.spawn(namespaces=os.geteuid() == 0)
    wanted = lockdown.Lockdown(layers=constants("LayerBits")["kLandlock"], readable=["/usr", "/lib", "/lib64", "/proc", "/etc"] + _python_paths(),
                               writable=["/tmp/w", zygote.scratch, "/dev/null"])
    layers = runner.lock_down(wanted)
    assert not isinstance(layers, Failed), layers
    assert layers & constants("LayerBits")["kLandlock"]
    assert bool(layers & constants("LayerBits")["kNamespaces"]) == (os.geteuid() == 0)
    source = "def f(x):\n    open('inside', 'w').close()\n    open('/tmp/outside', 'w').close()\n"
    assert runner.load(source, ["f"]) == ("f", "entry")
    answer = runner.call(torch.ones(1))
    assert answer.kind == "PermissionError" and answer.line == 3
    runner.end()
    zygote.close()


@pytest.mark.skipif(not LOCKDOWN or os.geteuid() != 0, reason="needs KBX_LOCKDOWN and root")
def test_a_child_is_alone_in_its_namespaces():
    from judge import ZygoteProcess
    zygote = ZygoteProcess("interpret", LOCKDOWN)
    runner = zygote.spawn(namespaces=True)
    runner.lock_down()
    source = """import os
def f(x):
    assert os.getpid() == 1 and [d for d in os.listdir('/proc') if d.isdigit()] == ['1']
    assert os.listdir('/tmp/w') == ['candidate']
    return x
"""
    assert runner.load(source, ["f"]) == ("f", "entry")
    answer = runner.call(torch.ones(1), out=[torch.ones(1)])
    assert not isinstance(answer, Failed), answer
    assert runner.end(kill=True)[0] == 9
    zygote.close()


def test_namespaces_without_a_lockdown_library_are_refused(interpret_zygote):
    with pytest.raises(RuntimeError, match="lockdown library"):
        interpret_zygote.spawn(namespaces=True)


def _python_paths():
    import sys
    return [sys.prefix, sys.base_prefix, os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))]

# SPDX-License-Identifier: Apache-2.0
"""The sample submission gets the outcomes that examples/README.md promises."""
import re

import pytest

from conftest import ROOT


def promised():
    """(candidate, outcome, authorship or None) from the table of examples/README.md."""
    for line in (ROOT / "examples" / "README.md").read_text().splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if len(cells) == 3 and cells[0].startswith("`"):
            outcome = re.match(r"`(\w+)`", cells[2]).group(1)
            authorship = re.search(r"\b(authored|delegated|mixed)\b", cells[2])
            yield cells[0].strip("`"), outcome, authorship and authorship.group(1)


@pytest.fixture(scope="session")
def verdicts(shared_kbx):
    done = shared_kbx("run", ROOT / "examples" / "submission", "--out", "out", "--perf", "off", timeout=300)
    assert done.returncode == 0, done.stderr
    return shared_kbx.export("out")


@pytest.mark.parametrize("candidate, outcome, authorship", promised())
def test_example(verdicts, candidate, outcome, authorship):
    verdict = verdicts[candidate]
    assert verdict["outcome"] == outcome, verdict
    if authorship and outcome == "correct":
        assert verdict["authorship"] == authorship, verdict


def test_each_example_is_in_the_table(verdicts):
    assert set(verdicts) == {c for c, _, _ in promised()}


def test_every_failure_has_a_diagnosis_with_advice(verdicts):
    for verdict in verdicts.values():
        if verdict["outcome"] != "correct":
            assert verdict["diagnosis"], verdict
            assert all(d["evidence"] and d["advice"] for d in verdict["diagnosis"]), verdict

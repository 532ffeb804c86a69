# SPDX-License-Identifier: Apache-2.0
"""Rules for every file of the project. Each test fails with the list of places to change."""

import re

import pytest
from sources import code, files, text

MAX_LINES = 600
# Generated tables and recorded data are no reading matter; sources have no exceptions.
TEST_DATA = re.compile(r"^tests/.*/(data|golden|samples)/")


def test_a_file_that_nobody_can_read_in_one_sitting():
    long = {str(p): n for p in code() if (n := text(p).count("\n")) > MAX_LINES}
    assert not long, f"split by concept (limit {MAX_LINES} lines)"


def spelt_out(cmake):
    """The text with comments dropped and each foreach(variable words...) repeated with its words."""

    def repeat(loop):
        return "\n".join(loop[3].replace("${%s}" % loop[1], word) for word in loop[2].split())

    return re.sub(r"foreach\((\w+) ([^)]*)\)(.*?)endforeach\(\)", repeat, re.sub(r"#.*", "", cmake), flags=re.S)


def test_a_test_that_is_never_built():
    lists = "\n".join(spelt_out(text(p)) for p in files() if p.name == "CMakeLists.txt")
    named = set(re.findall(r"[\w./-]+_test\.cpp", lists))
    tests = [str(p) for p in files() if p.parts[0] == "tests" and p.name.endswith("_test.cpp")]
    assert not [t for t in tests if not any(("/" + t).endswith("/" + n) for n in named)], "named in no CMakeLists.txt"


def test_a_loop_over_tests_hides_a_lost_one():
    assert spelt_out("foreach(t a b)\n x(${t}.cpp) # ${t}\nendforeach()").split() == ["x(a.cpp)", "x(b.cpp)"]


def test_a_source_without_licence():
    bare = [str(p) for p in code() if not TEST_DATA.match(str(p)) and "SPDX-License-Identifier: Apache-2.0" not in "\n".join(text(p).split("\n", 3)[:3])]
    assert not bare, "first line: SPDX-License-Identifier: Apache-2.0"


# Home folders of the machine on which somebody happened to work. Candidates that try to read other people's homes,
# and the sandbox that stops them, may name one (a word of their own: "/root/.ssh").
WORKPLACE = re.compile(r"(?<![\w.$}])/(root|(home|Users)/\w+)/(?!\.ssh)")


def test_a_path_or_word_of_somebodys_workplace():
    mine = "tests/house/test_sources.py"
    found = [
        f"{p}:{number}: {line.strip()[:100]}"
        for p in files()
        if str(p) != mine and not TEST_DATA.match(str(p))
        for number, line in enumerate(text(p).splitlines(), 1)
        if WORKPLACE.search(line)
    ]
    assert not found


@pytest.mark.parametrize(
    "line, found",
    [('"/root/.cache"', True), ("$HOME/work/x", False), ("tests/work/x", False), ("/home/ann/x", True), ("cat /root/.ssh/id", False)],
)
def test_the_workplace_rule_itself(line, found):
    assert bool(WORKPLACE.search(line)) == found


def test_a_reference_that_would_not_follow_the_oracle_to_float64():
    # The oracle evaluates the reference on float64 inputs: a floating dtype written out would cut them. A task's own oracle
    # (*_oracle.cpp) states its types.
    literal = re.compile(r"\b(at|c10|torch)::k(Float|Double|Half|BFloat16|Float16|Float32|Float64)\b|ScalarType::(Float|Double|Half|BFloat16)\b")
    found = [
        f"{p}:{number}: {line.strip()}"
        for p in files()
        if p.match("src/catalogue/*/*.cpp") and not p.stem.endswith("_oracle")
        for number, line in enumerate(text(p).splitlines(), 1)
        if literal.search(line) and "NOLINT(floating-dtype)" not in line
    ]
    assert not found, "derive the dtype from an argument, or mark the line NOLINT(floating-dtype) with the reason"

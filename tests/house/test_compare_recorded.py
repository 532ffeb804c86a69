# SPDX-License-Identifier: Apache-2.0
"""The comparison of a second machine with the first: on made-up verdicts, for the numbers are not the point."""
import pytest
from compared import Folder


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


def test_a_difference_that_nobody_explains(folder):
    folder.gpu["c"] = ("wrong", None)
    page = folder.page()
    assert page.startswith("refused: c: CPU correct, authored: words\n      GPU wrong: words\n")  # what there is to be read
    assert "differences between GPU and CPU without a reading: ['c']" in page


def test_a_change_of_authorship_that_nobody_explains(folder):
    folder.gpu["b"] = ("correct", "delegated")
    assert "without a reading: ['b']" in folder.page()


def test_an_explanation_of_no_difference(folder):
    folder.gpu_readings = '[b]\nreason = "x"\nkind = "race"\n'
    assert "readings of no difference: ['b']" in folder.page()


def test_a_kind_that_nobody_defines(folder):
    folder.gpu["c"] = ("wrong", None)
    folder.gpu_readings = '[c]\nreason = "x"\nkind = "magic"\n'
    assert "unknown kinds: magic" in folder.page()


def test_rows_that_one_machine_never_judged(folder):
    del folder.gpu["b"]
    assert "rows without a verdict: ['b']" in folder.page()


def test_three_columns_and_both_readings(folder):
    folder.gpu["c"] = ("wrong", None)
    folder.gpu_readings = '[c]\nreason = "two programs meet"\nkind = "race"\npatterns = ["strides_ignored"]\n'
    page = folder.page()
    assert "| c | gelu | passed | correct, authored | wrong | race | two programs meet |" in page  # against the CPU
    assert "| c | gelu | passed | wrong | race | two programs meet |" in page  # against the record
    assert "| a | gelu | called | wrong | wrong |  | words |" in page
    assert "2 failures, each read by eye. In 2 the first name is the one that the reader gave" in page
    assert "| CPU | 4.5 |" in page and "| GPU | 4.5 |" in page and "Environment: made up." in page


def test_a_name_that_is_false_on_the_second_machine(folder):
    folder.gpu["c"] = ("wrong", None)
    folder.gpu_readings = '[c]\nreason = "two programs meet"\nkind = "race"\n'
    assert "**strides_ignored**" in folder.page()


def test_the_first_machine_has_two_columns(folder):
    page = folder.page("k_cpu")
    assert "| a | gelu | called | wrong |  | words |" in page and "GPU |" not in page

# SPDX-License-Identifier: Apache-2.0
"""What the documents say about files, packages and examples has to be so."""

import re
import subprocess
import sys

import pytest

from sources import ROOT, files, text

DOCUMENTS = [p for p in files() if p.suffix == ".md"]


def anchors(document):
    """GitHub's anchors of a document's headings."""
    titles = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text(document), flags=re.S), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def test_a_link_to_nowhere():
    broken = []
    for document in DOCUMENTS:
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", text(document), flags=re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", prose):
            if re.match(r"\w+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (ROOT / document.parent / path).resolve() if path else ROOT / document
            if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file.relative_to(ROOT))):
                broken.append(f"{document}: {target}")
    assert not broken


def test_a_package_that_the_readme_does_not_explain():
    setup = text(ROOT / "tools/setup")
    installed = set(re.search(r"packages=\((.*?)\)", setup, re.S)[1].split()) | set(re.findall(r"packages\+=\((.*?)\)", setup)[0].split())
    table = re.search(r"## Dependencies\n(.*?)\n## ", text(ROOT / "README.md"), re.S)[1]
    explained = {name for row in re.findall(r"^\| (.+?) \|", table, re.M) for name in re.findall(r"`([^`]+)`", row)}
    wheels = set(re.findall(r"^([\w-]+)", text(ROOT / "requirements.in"), re.M))
    assert installed | wheels == explained


def test_an_example_without_its_outcome():
    listed = set(re.findall(r"^\| `([^`]+)`", text(ROOT / "examples/README.md"), re.M))
    present = {str(p.relative_to("examples/submission")) for p in files() if p.is_relative_to("examples/submission")}
    assert listed == present


def test_an_example_for_a_gpu_that_is_not_explained():
    listed = re.findall(r"^\| \[([^\]]+)\]\(gpu/", text(ROOT / "examples/README.md"), re.M)
    present = {str(p.relative_to("examples/gpu")) for p in files() if p.is_relative_to("examples/gpu")}
    assert not [p for p in present if not any(p == name or p.startswith(name + "/") for name in listed)]
    assert not [name for name in listed if not any(p == name or p.startswith(name + "/") for p in present)]


def test_a_component_that_the_map_leaves_out():
    map_text = text(ROOT / "docs/architecture.md")
    folders = {f"{p.parts[0]}/{p.parts[1]}/" for p in files() if p.parts[0] in ("src", "runner") and len(p.parts) > 2}
    assert not {f for f in folders if f not in map_text}


COMPARED = [p.stem.removesuffix("_paper") for p in files() if p.is_relative_to("docs/results") and p.stem.endswith("_paper")]


@pytest.mark.parametrize("name", COMPARED)
def test_a_comparison_that_its_data_no_longer_gives(name):
    page = subprocess.run([sys.executable, ROOT / "tools/compare_recorded", ROOT / "docs/results", name],
                          capture_output=True, text=True, check=True).stdout
    assert page == text(ROOT / f"docs/results/{name}.md")

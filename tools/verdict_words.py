# SPDX-License-Identifier: Apache-2.0
"""Verdicts as tools/compare_recorded and its sections read them, and what they are called in a page."""
import json

SILENT = ("not_judged", "unreadable")


def verdicts(path):
    return {v["candidate"]: v for v in map(json.loads, path.read_text(encoding="utf-8").splitlines())}


def accepted(verdict):
    """What counts as passed: correct, and the candidate's own work."""
    return verdict["outcome"] == "correct" and verdict["authorship"] != "delegated"


def word(verdict):
    return f"{verdict['outcome']}, {verdict['authorship']}" if verdict["outcome"] == "correct" else verdict["outcome"]


def cell(text):
    return " ".join(str(text).split()).replace("|", "\\|")

# SPDX-License-Identifier: Apache-2.0
"""That no reference is left without a formula. KBX_CATALOGUE names catalogue.json."""

import json
import os
import pathlib
import re

FOLDER = pathlib.Path(__file__).parent


def test_each_task_is_compared_with_a_formula():
    text = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("test_*.py"))
    entries = {task["entry"] for task in json.loads(pathlib.Path(os.environ["KBX_CATALOGUE"]).read_text(encoding="utf-8"))}
    assert sorted(entry for entry in entries if not re.search(rf"\b{re.escape(entry)}\b", text)) == []

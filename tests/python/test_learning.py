"""The Python of the page on learning is run as it stands, as far as its libraries are there."""

import importlib.util
import re

from test_readme import ROOT

LIBRARIES = ("torch", "sb3_contrib")


def test_the_page_runs() -> None:
    page = (ROOT / "docs" / "learning.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    names: dict[str, object] = {}
    ran = 0
    for block in blocks:
        needed = [name for name in LIBRARIES if re.search(rf"^(import|from) {name}\b", block, re.M)]
        if all(importlib.util.find_spec(name) for name in needed):
            exec(compile(block, "learning.md", "exec"), names)
            ran += 1
    assert len(blocks) >= ran >= 2

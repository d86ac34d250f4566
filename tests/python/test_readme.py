"""The README's Python is run as it stands."""

import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_python_blocks_run() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 2
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, README.name, "exec"), names)

"""The Python of the README and of the games' pages is run as it stands."""

import re
from pathlib import Path

import pytest

import darkqi

ROOT = Path(__file__).parents[2]
GAMES = ROOT / "docs" / "games"


def run_blocks(page: Path) -> int:
    """Runs the Python blocks of a page, one after another, and says how many there are."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page.name, "exec"), names)
    return len(blocks)


def test_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_blocks(ROOT / "README.md") >= 2


@pytest.mark.parametrize("name", darkqi.games())
def test_pages_run(name: str) -> None:
    assert run_blocks(GAMES / f"{name}.md") >= 1

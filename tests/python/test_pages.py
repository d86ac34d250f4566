"""Runs the Python blocks of the README and of every page under docs.

Hidden comments before a block set its requirements:

- ``<!-- needs: torch, ray -->``: modules; the block is skipped if one is missing;
- ``<!-- types: a4a5, quit -->``: the input typed while it runs.

A ``text`` block right after a Python block is its expected output.
"""

import contextlib
import importlib.util
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]

_BLOCK = re.compile(
    r"(?P<marks>(?:^<!-- \w+: [^\n]* -->\n)*)"
    r"^```python\n(?P<code>.*?)^```\n"
    r"(?:\n```text\n(?P<printed>.*?)^```\n)?",
    re.M | re.S,
)


class Block(NamedTuple):
    """A Python block of a page."""

    code: str
    needs: list[str]
    types: list[str]
    printed: str | None


def blocks(page: Path) -> list[Block]:
    """Returns the Python blocks of a page."""
    found = []
    for match in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        marks = dict(re.findall(r"^<!-- (\w+): (.*) -->$", match["marks"], re.M))
        needs, types = (marks.pop(key, "").split(", ") for key in ("needs", "types"))
        assert not marks, f"{page.name}: unknown marks: {marks}"
        # Code keeps its line numbers in the page, for tracebacks.
        above = "\n" * match.string.count("\n", 0, match.start("code"))
        found.append(Block(above + match["code"], needs, types, match["printed"]))
    return found


# The design lists the Python calls, which is not a program.
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if page.name != "DESIGN.md" and "```python\n" in page.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    names: dict[str, object] = {}
    missing: set[str] = set()
    for block in blocks(page):
        lacking = {need for need in block.needs if need and not is_installed(need)}
        missing |= lacking
        if lacking:
            continue
        answers = iter(block.types)
        monkeypatch.setattr(
            "builtins.input", lambda prompt, answers=answers: typed(prompt, answers)
        )
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(block.code, str(page), "exec"), names)
        if block.printed is not None:
            assert out.getvalue() == block.printed
    if missing:
        pytest.skip(f"blocks that need {', '.join(sorted(missing))} were skipped")


def typed(prompt: str, answers: Iterator[str]) -> str:
    """Replaces ``input`` and echoes as a terminal does."""
    answer = next(answers)
    print(f"{prompt}{answer}")
    return answer


def is_installed(module: str) -> bool:
    """Returns whether a module can be imported, without importing it."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def test_all_blocks_are_found() -> None:
    assert set((ROOT / "docs" / "games").glob("[a-z]*.md")) < set(PAGES)
    for page in PAGES:
        assert len(blocks(page)) == page.read_text(encoding="utf-8").count("```python\n")

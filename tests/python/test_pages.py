"""Runs the Python blocks of the README and of every page under docs.

``pages.py`` lists the marks of a block.

``scripts/newcomer.sh`` runs the same blocks, and the commands, with an installed wheel.
"""

import contextlib
import io
import json
import re
from pathlib import Path

import chart
import pytest
from common import ROOT
from pages import blocks, missing, run_python

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
    lacking: set[str] = set()
    for block in blocks(page):
        if block.language != "python" or block.omit:
            continue
        if absent := set(missing(block.needs)):
            lacking |= absent
            continue
        printed = run_python(str(page), block.at_its_line, block.types, names)
        if block.printed is not None:
            assert printed == block.printed
    if lacking:
        pytest.skip(f"blocks that need {', '.join(sorted(lacking))} were skipped")


def test_all_blocks_are_found() -> None:
    assert set((ROOT / "docs" / "games").glob("[a-z]*.md")) < set(PAGES)
    for page in PAGES:
        fences = len(re.findall("^```", page.read_text(encoding="utf-8"), re.M))
        found = blocks(page)
        assert 2 * (len(found) + sum(block.printed is not None for block in found)) == fences


def test_blocks_have_their_lines_marks_and_outputs(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "Prose.\n\n<!-- needs: numpy, no_such_module -->\n<!-- types: a, b c -->\n"
        "```python\nprint(input('? '))\n```\n\n```text\n? a\na\n```\n\n"
        "<!-- omit: takes hours -->\n<!-- games: 20 -->\n```sh\ntrue\n```\n\nMore.\n"
        "\n```text\nx\n```\n"
        "\n```rust\n```\n\n```text\ny\n```\n"
    )
    code, command, *rest = blocks(page)
    assert (code.language, code.line, code.needs) == ("python", 6, ["numpy", "no_such_module"])
    assert (code.types, code.printed) == (["a", "b c"], "? a\na\n")
    assert list(missing(code.needs)) == ["no_such_module"]
    assert run_python("page.md", code.code, code.types, {}) == code.printed
    assert (command.omit, command.games, command.printed) == ("takes hours", 20, None)
    assert [block.language for block in rest] == ["text", "rust", "text"]
    page.write_text("<!-- need: numpy -->\n```python\n```\n")
    with pytest.raises(ValueError, match=r"unknown marks of a block in python: \{'need'"):
        blocks(page)


@pytest.mark.parametrize(
    "page", sorted(ROOT.joinpath("docs").rglob("*.md")), ids=lambda page: page.stem
)
def test_commands_are_blocks_of_a_shell(page: Path) -> None:
    """A command in a ``text`` block would be run nowhere, and its reason would stand nowhere."""
    for block in blocks(page):
        if block.language == "text":
            assert not re.match(r"(darkqi|pip|python|make|npm|cargo) ", block.code), block.line


def test_the_chart_shows_the_measured_figures() -> None:
    """``python python/docs/chart.py`` draws it from the results file's table."""
    assert chart.CHART.read_text(encoding="utf-8") == chart.drawn()


NOTEBOOKS = sorted(ROOT.glob("python/examples/notebooks/*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 3
    names: dict[str, object] = {}
    for number, cell in enumerate(cells):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("".join(cell["source"]), f"{path.name}[{number}]", "exec"), names)
        shown = [
            line
            for output in cell["outputs"]
            if output["output_type"] == "stream"
            for line in output["text"]
        ]
        assert printed.getvalue() == "".join(shown), f"cell {number}"


def test_notebooks_are_found() -> None:
    assert {path.stem for path in NOTEBOOKS} == {"analyse", "fair", "train", "watch"}

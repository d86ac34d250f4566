"""The example notebooks run from top to bottom, and print what they show."""

import contextlib
import io
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted(Path(__file__).parents[2].glob("python/examples/notebooks/*.ipynb"))


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

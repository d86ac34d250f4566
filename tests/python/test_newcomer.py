"""The script that goes through the pages as a newcomer does, on pages made up here."""

from pathlib import Path

import pytest
from newcomer import PageError, Session, is_heavy, parts


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")


def go_through(page: Path) -> Session:
    """Goes through a page with this Python, whose packages stand for those of a newcomer."""
    session = Session(page, heavy=False)
    session.go_through()
    return session


def fenced(language: str, code: str) -> str:
    return f"```{language}\n{code}\n```\n\n"


def test_blocks_run_in_order_in_one_folder(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        fenced("python", "from pathlib import Path\nPath('made').write_text('by python')")
        + fenced("sh", "cat made; echo\necho ' and a shell' >> made")
        + fenced("text", "by python")
        + fenced("python", "print(Path('made').read_text())")
        + fenced("text", "by python and a shell\n")
        + "<!-- types: red -->\n"
        + fenced("python", "print(input('colour? '))")
        + fenced("text", "colour? red\nred")
    )
    session = go_through(page)
    assert session.ran == {"python": 3, "sh": 1}
    assert session.left_out == []


def test_what_is_left_out_is_listed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "`pip install '.[all]'`, or `pip\ninstall 'darkqi[torch]'`\n\n"
        "<!-- omit: takes hours -->\n"
        + fenced("sh", "exit 1")
        + "<!-- needs: torch -->\n"
        + fenced("python", "import torch")
        + fenced("rust", "fn main() {}")
        + "<!-- games: 2 -->\n"
        + fenced("sh", "echo --games 1000")
        + fenced("text", "--games 1000")
    )
    assert go_through(page).left_out == [
        (1, "pip install .[all]: needs the sources"),
        (1, "pip install darkqi[torch]: gigabytes"),
        (6, "takes hours"),
        (11, "needs torch: gigabytes"),
        (15, "written in rust"),
        (20, "output not compared: it is of more games"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "shown"),
    [
        (fenced("python", "a = 1\na / 0"), 4, 'page.md", line 5, in <module>'),
        (fenced("python", "print(1)") + fenced("text", "2"), 4, "the page shows\n2\n\nbut it"),
        (fenced("sh", "echo before\nls nowhere\necho after"), 5, "before\n"),
        (fenced("sh", "echo 1") + fenced("text", "2"), 4, "the page shows\n2\n"),
        ("<!-- needs: no_such_module -->\n" + fenced("python", "1"), 5, "needs no_such_module"),
        (fenced("sh", "cargo --version"), 4, "cargo: command not found"),
    ],
)
def test_faults_have_their_lines(tmp_path: Path, text: str, line: int, shown: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n{text}")
    with pytest.raises(PageError) as caught:
        go_through(page)
    assert caught.value.line == line
    assert shown in caught.value.shown


def test_prose_is_read_and_code_is_not(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(fenced("sh", "# `pip install one`\ntrue") + "`pip install two three`\n")
    (block, installed) = (part for _, part in parts(page))
    assert not isinstance(block, list)
    assert installed == ["two", "three"]


def test_heavy_packages() -> None:
    light = ["darkqi", "darkqi[onnx]", "duckdb"]
    heavy = ["torch", "tianshou", "darkqi[torch]", "darkqi[gymnasium,sb3]", "darkqi[ray]"]
    assert [name for name in heavy + light if is_heavy(name)] == heavy

"""The blocks of a page in Markdown, and how one of Python runs.

Hidden comments right before a block say what it needs:

- ``<!-- needs: torch, ray -->``: modules; the block is skipped if one is missing;
- ``<!-- types: a4a5, quit -->``: the input typed while it runs;
- ``<!-- omit: plays for an hour -->``: the block is not run, for this reason;
- ``<!-- games: 20 -->``: its commands play 20 games when ``newcomer.py`` runs them.

A ``text`` block right after a block is its expected output.

It uses the standard library alone, because the Python that runs ``newcomer.py`` may have nothing
else.
"""

import contextlib
import importlib.util
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unittest import mock

_BLOCK = re.compile(
    r"(?P<marks>(?:^<!-- \w+: [^\n]* -->\n)*)"
    r"^```(?P<language>\w+)\n(?P<code>.*?)^```$"
    r"(?P<output>\n\n```text\n(?P<printed>.*?)^```$)?",
    re.M | re.S,
)
_RUN = ("python", "sh")


class Block(NamedTuple):
    """A block of a page, with its expected output if it has one."""

    language: str
    line: int
    """The number of its first line in the page, from 1."""
    code: str
    needs: list[str]
    types: list[str]
    omit: str | None
    """Why it is not run."""
    games: int | None
    printed: str | None

    @property
    def at_its_line(self) -> str:
        """The code after empty lines, so that its lines have the numbers of the page."""
        return "\n" * (self.line - 1) + self.code


def blocks(page: Path) -> list[Block]:
    """Returns the blocks of a page in all languages, without those that are outputs of others.

    Raises:
        ValueError: A mark is unknown, or stands before a block that is never run.
    """
    text = page.read_text(encoding="utf-8")
    found, place = [], 0
    while match := _BLOCK.search(text, place):
        language = match["language"]
        runs = language in _RUN
        # The output of a block that is not run is a block of its own.
        place = match.end() if runs or not match["output"] else match.start("output")
        line = text.count("\n", 0, match.start("code")) + 1
        marks = dict(re.findall(r"^<!-- (\w+): (.*) -->$", match["marks"], re.M))
        needs, types = (
            list(filter(None, marks.pop(key, "").split(", "))) for key in ("needs", "types")
        )
        omit, games = marks.pop("omit", None), marks.pop("games", None)
        if marks or (match["marks"] and not runs):
            raise ValueError(f"{page}:{line}: unknown marks of a block in {language}: {marks}")
        found.append(
            Block(
                language,
                line,
                match["code"],
                needs,
                types,
                omit,
                None if games is None else int(games),
                match["printed"] if runs else None,
            )
        )
    return found


def run_python(page: str, code: str, types: list[str], names: dict[str, object]) -> str:
    """Runs code in a namespace, and returns what it printed.

    Args:
        page: The file that tracebacks name.
        code: The code.
        types: Answers to ``input``, in order.
        names: The namespace, which the code changes.
    """
    answers = iter(types)

    def typed(prompt: str = "") -> str:
        # Echoed, as a terminal does.
        answer = next(answers)
        print(f"{prompt}{answer}")
        return answer

    with mock.patch("builtins.input", typed), contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(code, page, "exec"), names)
    return out.getvalue()


def missing(needs: list[str]) -> Iterator[str]:
    for module in needs:
        try:
            found = importlib.util.find_spec(module) is not None
        except ModuleNotFoundError:
            found = False
        if not found:
            yield module

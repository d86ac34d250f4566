"""The measured figures of the pages, which stand once, in ``docs/research/results.json``.

``python python/docs/figures.py`` fills them into the pages. A *study* of the file is a command
with the commit, the date and the machine of its measurement, and its figures: ``figures`` by
name, each with ``value`` and, where there are some, ``low``, ``high`` and ``games``; or
``table``, the name of a CSV in ``docs/research/data``. There ``score low`` and ``score high``
are the ends of the interval of ``score``, and ``command``, ``commit``, ``date`` and ``machine``
are those of a row, if they differ from those of the study. Names of columns in braces in a
command stand for the cells of a row.

A page names what it shows in comments that readers do not see:

- ``<!--STUDY/NAME-->0.52 (0.50 to 0.54)<!--/-->``, and for a cell of a table
  ``<!--STUDY/LABEL.../COLUMN-->``, where the labels are the first cells of its row. The numbers
  between the comments are value, low, high and games, or the fields that follow the path in the
  first comment; a number after ``±`` is half the interval. Each keeps its number of decimals.
  Spaces of labels and columns are written as underscores.
- ``<!-- table: STUDY... -->``, the lines of a table and ``<!-- end -->``. ``COLUMN=CELL`` chooses
  rows, ``-COLUMN`` leaves a column out.
"""

import csv
import json
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
RESEARCH = ROOT / "docs" / "research"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_FIGURE = re.compile(r"<!--(?P<path>[^\s>]+)(?P<fields>( \w+)*)-->(?P<text>.*?)<!--/-->", re.S)
_NUMBER = re.compile(r"(?P<half>± )?(?P<sign>[+-])?\d[\d,]*(?:\.(?P<decimals>\d+))?")
_TABLE = re.compile(r"(?P<head><!-- table: (?P<what>[^\n]*) -->\n).*?(?P<end><!-- end -->)", re.S)
_ENDS = re.compile(r" (low|high)$")
# Columns whose cells are code.
_CODE = {"agent", "against", "options", "rules"}

Figure = dict[str, float]


class Study(NamedTuple):
    """A command with what it measured."""

    command: str
    commit: str
    date: str
    machine: str
    figures: Mapping[str, Figure] = MappingProxyType({})
    table: str | None = None

    def rows(self) -> list[dict[str, str]]:
        """Returns the rows of its table."""
        if self.table is None:
            return []
        with (RESEARCH / "data" / self.table).open(encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))

    def measured(self, row: dict[str, str]) -> tuple[str, str]:
        """Returns the day and the machine of a row."""
        return row.get("date") or self.date, row.get("machine") or self.machine


def studies() -> dict[str, Study]:
    """Reads the file of results."""
    text = (RESEARCH / "results.json").read_text(encoding="utf-8")
    return {name: Study(**fields) for name, fields in json.loads(text).items()}


def figure(known: dict[str, Study], path: str) -> Figure:
    """Returns the figure of a path.

    Raises:
        ValueError: There is none.
    """
    name, *labels, column = path.split("/")
    study = known.get(name)
    if study is None:
        raise ValueError(f"{path}: there is no study {name}")
    if not labels and column in study.figures:
        return study.figures[column]
    rows = [
        row
        for row in ({_word(key): cell for key, cell in row.items()} for row in study.rows())
        if [_word(cell) for cell in row.values()][: len(labels)] == labels
    ]
    if len(rows) != 1 or column not in rows[0]:
        raise ValueError(f"{path}: no such figure" if not rows else f"{path}: {len(rows)} rows")
    cells = {end: rows[0].get(f"{column}_{end}") for end in ("low", "high")}
    cells |= {"value": rows[0][column], "games": rows[0].get("games")}
    return {field: float(cell) for field, cell in cells.items() if cell}


def _word(text: str) -> str:
    return text.replace(" ", "_")


def filled(known: dict[str, Study], page: Path, text: str) -> str:
    """Returns the text of a page with the figures of the file.

    Raises:
        ValueError: A comment names no figure.
    """

    def replaced(match: re.Match[str]) -> str:
        found = figure(known, match["path"])
        fields = iter(match["fields"].split() or ["value", "low", "high", "games"])

        def number(one: re.Match[str]) -> str:
            value = (found["high"] - found["low"]) / 2 if one["half"] else found[next(fields)]
            digits = len(one["decimals"] or "")
            sign = "+" if one["sign"] and round(value, digits) else ""
            return f"{one['half'] or ''}{value:{sign},.{digits}f}"

        start, end = (part - match.start() for part in match.span("text"))
        return match[0][:start] + _NUMBER.sub(number, match["text"]) + match[0][end:]

    def table(match: re.Match[str]) -> str:
        data = posixpath.relpath(RESEARCH / "data", page.parent)
        return f"{match['head']}\n{markdown(known, match['what'].split(), data)}\n{match['end']}"

    return _FIGURE.sub(replaced, _TABLE.sub(table, text))


def markdown(known: dict[str, Study], words: list[str], data: str) -> str:
    """Returns studies as a table of Markdown, and a line that says where it comes from."""
    chosen = dict(word.split("=", 1) for word in words if "=" in word)
    left_out = {word[1:] for word in words if word.startswith("-")}
    names = [word for word in words if "=" not in word and not word.startswith("-")]
    if unknown := set(names) - set(known):
        raise ValueError(f"there are no studies {unknown}")
    rows = [
        row
        for name in names
        for row in known[name].rows()
        if chosen.items() <= {_word(key): _word(cell) for key, cell in row.items()}.items()
    ]
    hidden = {"command", "commit", "date", "machine"} | left_out | set(chosen)
    columns = [name for name in rows[0] if _word(name) not in hidden and not _ENDS.search(name)]
    head = [f"{name} (95 %)" if f"{name} low" in rows[0] else name for name in columns]
    lines = [[cell(row, column) for column in columns] for row in rows]
    ruled = [
        "---:" if all(re.fullmatch(r"[-+\d.,]*", line[i]) for line in lines) else "---"
        for i in range(len(columns))
    ]
    files = ", ".join(f"[{known[name].table}]({data}/{known[name].table})" for name in names)
    made = [known[name].measured(row) for name in names for row in known[name].rows()]
    days = sorted({day for day, _ in made})
    days = days[:1] + days[1:][-1:]
    machines = sorted({machine.replace("unknown", "machine unknown") for _, machine in made})
    source = f"{files}, {' to '.join(days)}, {'; '.join(machines)}"
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, ruled, *lines]) + f"\n{source}.\n"


def cell(row: dict[str, str], column: str) -> str:
    """Returns a cell of a table, with its interval."""
    text = f"{int(row[column]):,}" if re.fullmatch(r"\d{4,}", row[column]) else row[column]
    if row.get(f"{column} low"):
        text += f" ({row[f'{column} low']} to {row[f'{column} high']})"
    return f"`{text}`" if column in _CODE and text else text


def main() -> None:
    """Fills the figures into the pages."""
    known = studies()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if (new := filled(known, page, text)) != text:
            page.write_text(new, encoding="utf-8")
            print(f"{page.relative_to(ROOT)}: figures filled in")


if __name__ == "__main__":
    main()

"""Measured figures stand in ``docs/research/results.json`` alone: pages are filled from it."""

import itertools
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import figures
import gauntlet
import pytest
from common import ROOT

import darkqi

STUDIES = figures.studies()
MARK = re.compile(r"<!--[^\s>]+/|<!-- table: ")
# The README and the pages of research have measured figures only between the comments that name
# them, as has every other page that names one.
CHECKED = [
    page
    for page in figures.PAGES
    if page.parent in (figures.RESEARCH, ROOT) or MARK.search(page.read_text(encoding="utf-8"))
]
# What a program prints, what another tool generates, and the name of a file or an option.
OTHER = re.compile(
    r"^```.*?^```$|<!-- generated: .*?<!-- end -->|<!-- table: .*?<!-- end -->"
    r"|<!--[^\s>]+/.*?<!--/-->|`[^`\n]*`|\]\([^)]*\)",
    re.M | re.S,
)
MEASURED = re.compile(
    r"""(?P<interval>\d\ \([-+]?[\d.,]+\ to\ [-+]?[\d.,]+)
    | (?P<half>\d\ ?±)
    | (?P<share>\b0\.\d{3,})
    | (?P<score>\bscore[sd]?\ (?:of\ |about\ )?0\.\d)
    | (?P<elo>(?<!per\ 10)\d\ Elo\b)
    | (?P<speed>\d\ (?:million\ )?(?:steps|plies|games)(?:/s|\ (?:a|per)\ (?:core-)?second))
    """,
    re.X,
)


@pytest.mark.parametrize("page", CHECKED, ids=lambda page: page.stem)
def test_figures_are_those_of_the_file(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert figures.filled(STUDIES, page, text) == text, "run python/docs/figures.py"
    assert not re.search(r"^[\s\-*\d.]*<!--[^\s>]+/", text, re.M), "would begin a block of HTML"


@pytest.mark.parametrize("page", CHECKED, ids=lambda page: page.stem)
def test_every_figure_names_its_measurement(page: Path) -> None:
    text = OTHER.sub(lambda match: "\n" * match[0].count("\n"), page.read_text(encoding="utf-8"))
    for match in MEASURED.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        pytest.fail(f"{page.name}:{line}: {match[0]!r} is not drawn from results.json")


def test_studies_say_how_they_were_measured() -> None:
    for name, study in STUDIES.items():
        assert re.fullmatch("[a-z0-9-]+", name)
        assert study.command, name
        assert study.machine, name
        assert re.fullmatch("[0-9a-f]{7}|unknown", study.commit), name
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", study.date), name
        assert bool(study.figures) != bool(study.rows()), name
        for fields in study.figures.values():
            assert set(fields) <= {"value", "low", "high", "games"}, name
            known = [fields[field] for field in ("low", "value", "high") if field in fields]
            assert known, name
            assert known == sorted(known), name


def test_no_figure_is_left_over() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in figures.PAGES)
    for name, study in STUDIES.items():
        for key in study.figures:
            assert f"<!--{name}/{key}" in pages, f"{name}/{key} is on no page"
        assert not study.table or study.table in pages, f"{study.table} is on no page"
    tables = {path.name for path in (figures.RESEARCH / "data").glob("*.csv")}
    assert tables == {study.table for study in STUDIES.values() if study.table}


# Sentences of the page of results, and whether the scores of a game by agent agree with them.
CLAIMS: dict[str, tuple[str, Callable[[list[dict[str, float]]], bool]]] = {
    "gaiqi": (
        "the first reveal is an advantage for every player here",
        lambda agents: all(one["low"] > 0.5 for one in agents),
    ),
    "banqi": (
        "the first reveal is no advantage",
        lambda agents: all(one["low"] < 0.5 and 0.485 < one["value"] < 0.505 for one in agents),
    ),
    "jieqi": (
        "the first move is an advantage for every player here",
        lambda agents: all(one["low"] > 0.5 and one["value"] < 0.545 for one in agents),
    ),
    "mystery": (
        "the first move is an advantage of about 0.02",
        lambda agents: all(one["low"] > 0.5 and one["value"] < 0.54 for one in agents),
    ),
    "flipping": (
        "the first move is worth more, the stronger the players",
        lambda agents: agents[-1]["low"] > agents[0]["high"],
    ),
    "seven_kingdoms": (
        "wins more than an even share",
        lambda agents: all(one["low"] > 1 / 7 for one in agents[1:]),
    ),
}


@pytest.mark.parametrize("game", CLAIMS)
def test_claims_of_the_page_hold(game: str) -> None:
    sentence, holds = CLAIMS[game]
    page = (figures.RESEARCH / "results.md").read_text(encoding="utf-8")
    assert sentence in " ".join(page.split())
    rows = [row for row in STUDIES["strength"].rows() if row["game"] == game]
    assert len(rows) >= 3
    assert holds([figures.figure(STUDIES, f"strength/{game}/{r['agent']}/score") for r in rows])


def test_numbers_keep_their_form() -> None:
    """Decimals, signs and thousands are those of the page."""
    study = figures.Study("c", "m", "d", "m", {"k": {"value": 0.5349, "low": -2, "high": 12345.6}})
    page = ROOT / "docs" / "research" / "page.md"
    text = (
        "so <!--a/k-->0.1 (+1.00 to 1)<!--/-->, <!--a/k high-->+7<!--/--> "
        "<!--a/k-->1.23 ± 4<!--/-->"
    )
    assert figures.filled({"a": study}, page, text) == (
        "so <!--a/k-->0.5 (-2.00 to 12,346)<!--/-->, <!--a/k high-->+12,346<!--/--> "
        "<!--a/k-->0.53 ± 6,174<!--/-->"
    )
    for unknown in ("b/k", "a/l", "a/k/l"):
        with pytest.raises(ValueError, match=unknown):
            figures.filled({"a": study}, page, f"x <!--{unknown}-->1<!--/-->")


def test_levels_have_the_figures_of_the_file() -> None:
    rows = STUDIES["levels"].rows()
    measured = {(row["game"], row["agent"]): int(row["Elo"]) for row in rows}
    told = {
        (game, f"level:{level.name}"): level.elo
        for game in {row["game"] for row in rows}
        for level in darkqi.levels(game)
        if level.elo is not None
    }
    assert told == measured


def test_the_gauntlet_names_agents_that_exist() -> None:
    opponents = tomllib.loads((ROOT / "scripts" / "gauntlet.toml").read_text())["opponent"]
    assert opponents
    for opponent in opponents:
        commands = gauntlet.commands(opponent)
        assert len(commands) == len(opponent["times"])
        for command in commands:
            told = dict(itertools.pairwise(command))
            found = re.fullmatch("(expectimax.*),(uci:.*)", told["--agents"])
            assert found
            first, second = found.groups()
            darkqi.State(opponent["game"]).choose(first)
            # Refused for want of the program at most: its options are known.
            with pytest.raises(RuntimeError, match="cannot be started"):
                darkqi.State(opponent["game"]).choose(second.replace("cmd=", "cmd=/nowhere/"))
            assert int(told["--games"]) % 2 == 0


def test_an_opponent_that_the_gauntlet_does_not_know_is_named() -> None:
    tool, file = ROOT / "python" / "docs" / "gauntlet.py", ROOT / "scripts" / "gauntlet.toml"
    told = subprocess.run(
        [sys.executable, tool, file, "Nobody"], capture_output=True, text=True, check=False
    )
    assert told.returncode == 1
    assert "no opponent ['Nobody']; expected of ['Fairy-Stockfish" in told.stderr

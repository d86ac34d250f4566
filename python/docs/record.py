"""Runs a command and records what it measured in ``docs/research/results.json``.

``record.py STUDY NAME=PLACE... -- COMMAND [-- COMMAND]`` records figures by name. A place in the
JSON that the last command prints is keys and indices with dots between, such as
``agents.0.sets.1.score``.

``record.py STUDY --table KIND [COLUMN=CELL...] -- COMMAND`` records rows of a table, which begin
with these cells. Rows with the same labels are replaced. ``KINDS`` has the kinds of tables. All but
``scores`` read JSON, and that one the CSV of a run of a learner.

``python/docs/figures.py`` then fills the figures into the pages.
"""

import argparse
import csv
import datetime
import json
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from figures import RESEARCH

Row = dict[str, str]


def interval(name: str, found: dict[str, float | None], digits: int, sign: str = "") -> Row:
    """Returns the cells of a figure with its interval; empty ones for what is not finite."""

    def cell(value: float | None) -> str:
        return "" if value is None else f"{value:{sign}.{digits}f}"

    ends = {"": "value", " low": "low", " high": "high"}
    return {f"{name}{end}": cell(found[field]) for end, field in ends.items()}


def strength(found: dict[str, Any]) -> Iterator[Row]:
    """Yields a row for each agent of ``darkqi strength``."""
    for rung in found["rungs"]:
        data = rung["first_reveal"]
        yield {
            "agent": rung["agent"],
            "Elo": f"{rung['elo']['value']:+.0f}".replace("+0", "0") if rung["elo"] else "",
            **interval("score", rung["score"], 4),
            "decisive": f"{data['decisive']['value']:.2f}",
            "plies": f"{data['plies']['mean']['value']:.1f}",
            "games": f"{data['effective_deals']:.0f}",
        }


def sweep(found: dict[str, Any]) -> Iterator[Row]:
    """Yields a row for each set of rules of ``darkqi sweep``."""
    for agent in found["agents"]:
        pairs = agent["differences"]["score"]
        less = {pair["second"]: pair["difference"] for pair in pairs if pair["first"] == 0}
        for index, rules in enumerate(agent["sets"]):
            yield {
                "rules": rules["label"],
                "agent": agent["agent"],
                **interval("score", rules["score"], 4),
                "decisive": f"{rules['means']['decisive']['value']:.3f}",
                "plies": f"{rules['means']['plies']['value']:.1f}",
                "games": f"{rules['first_reveal']['games']}",
                **(interval("less the first", less[index], 4) if index in less else {}),
                "p of fair (Holm)": f"{rules['equivalence']['p_holm']:.4f}",
            }


def first_reveal(found: list[dict[str, Any]]) -> Iterator[Row]:
    """Yields a row for each dataset of ``darkqi first-reveal``."""
    for data in found:
        revealer, mover = data["revealer"], data["first_mover"]
        outcomes = revealer["outcomes"] if revealer else mover
        adjusted = revealer and revealer["adjusted"]
        yield {
            "game": data["game"],
            "agent": data["agent"],
            "games": f"{data['games']}",
            "who": "first reveal" if revealer else "first move",
            **interval("score", outcomes["score"], 4),
            **interval("Elo", outcomes["elo"], 1, "+"),
            **(interval("luck-adjusted score", adjusted["score"], 4) if adjusted else {}),
            "decisive": f"{data['decisive']['value']:.4f}",
            "median plies": f"{data['plies']['median']:g}",
        }


def values(found: dict[str, Any]) -> Iterator[Row]:
    """Yields a row for each value of ``darkqi values fit``."""
    for term in found["terms"]:
        if term["value"]:
            yield {"row": term["name"], **interval("value", term["value"], 2)}


def bench(found: dict[str, Any]) -> Iterator[Row]:
    """Yields a row for each setting of ``darkqi bench``."""
    for row in found["rows"]:
        yield {
            "game": row["game"],
            "lanes": f"{row['lanes']}",
            "threads": f"{row['threads']}",
            "millions of steps/s": f"{row['steps_per_second'] / 1e6:.2f}",
            "ns per step": f"{row['ns_per_step']:.0f}",
            "bytes": f"{row['bytes_per_step']:.0f}",
        }


def simulators(found: dict[str, Any]) -> Iterator[Row]:
    """Yields a row for each contender of ``scripts/compare.sh`` but darkqi."""
    for row in found["rows"]:
        if ratio := row["darkqi_ratio_per_core"]:
            yield {
                "library": row["library"],
                "game": row["game"],
                "how": row["how"],
                "lanes": f"{row['lanes']}",
                "steps per core-second": f"{row['steps_per_core_second']:.0f}",
                "compared with": row["beside"],
                "darkqi, times as fast": f"{ratio:.1f}",
            }


def arena(found: dict[str, Any]) -> Iterator[Row]:
    """Yields a row for each pair of agents of ``darkqi arena``."""
    for pair in found["pairs"]:
        yield {
            "agent": pair["first"],
            "against": pair["second"],
            **interval("Elo", pair["elo"], 0, "+"),
            "games": f"{pair['games']}",
        }


def exploitability(found: dict[str, dict[str, float]]) -> Iterator[Row]:
    """Yields a row for each policy of ``python/examples/exploitability.py``."""
    for policy, lost in found.items():
        # Without counters.
        cells = {" ".join(fen.split(" ")[:2]): f"{value:.3f}" for fen, value in lost.items()}
        yield {"policy": policy, **cells, "mean": f"{sum(lost.values()) / len(lost):.3f}"}


def first_flip(found: dict[str, Any]) -> Iterator[Row]:
    """Yields a row for each value of a flip of ``darkqi solve``."""
    for value, flips in groupby(found["actions"], lambda flip: f"{flip['value']:.6f}"):
        alike = list(flips)
        shown = {f"shows {one['piece']}": f"{one['value']:.4f}" for one in alike[0]["reveals"]}
        names = ", ".join(sorted(flip["action"] for flip in alike))
        yield {"first flip": names, "value": value, **shown}


def losses(found: list[dict[str, Any]]) -> Iterator[Row]:
    """Yields a row for each agent of ``darkqi solve --agents``."""
    for one in found:
        mean, half = one["per_game"], 1.96 * one["error"]
        yield {
            "agent": one["agent"],
            "games": f"{one['games']}",
            "decisions": f"{one['decisions']}",
            "with a loss": f"{one['share']:.3f}",
            "loss per decision": f"{one['per_decision']:.4f}",
            **interval(
                "loss per game", {"value": mean, "low": mean - half, "high": mean + half}, 3
            ),
        }


def blunders(found: list[dict[str, Any]]) -> Iterator[Row]:
    """Yields a row for each kind of mistake of ``darkqi solve --agents``, the costliest first."""
    for one in found:
        lost: dict[tuple[str, str], list[float]] = {}
        for blunder in one["blunders"]:
            _, mover, colours, *_ = blunder["fen"].split(" ")
            # The first player's colour; before the first flip both generals are covered.
            generals = "Kk" if (mover == "1") == (colours == "r") else "kK"
            covered = [general in blunder["covered"] for general in generals]
            whose = {(True, True): "both", (True, False): "own", (False, True): "enemy"}
            played, best = blunder["played"], blunder["best"]
            key = played["kind"].replace("_", " "), whose.get((covered[0], covered[1]), "none")
            lost.setdefault(key, []).append(best["value"] - played["value"])
        for (action, general), values in sorted(lost.items(), key=lambda item: -sum(item[1])):
            yield {
                "agent": one["agent"],
                "played": action,
                "covered general": general,
                "mistakes": f"{len(values)}",
                "loss per game": f"{sum(values) / one['games']:.4f}",
            }


def scores(found: list[Row]) -> Iterator[Row]:
    """Yields a row for each evaluation in the ``scores.csv`` of a learner."""
    rows: dict[tuple[str, str], Row] = {}
    for one in found:
        player = one.get("player", "net")
        head = {"generation": one["generation"]} if "generation" in one else {}
        head |= {"plies": one["plies"], "seconds": f"{float(one['cpu_seconds']):.0f}"}
        row = rows.setdefault((one["plies"], player), {**head, "who plays": player})
        ends = {"value": one["value"], "low": one["low"], "high": one["high"]}
        row |= interval(one["opponent"], {end: float(cell) for end, cell in ends.items()}, 3)
    yield from rows.values()


# The labels of a kind of table, and what makes its rows of the JSON.
KINDS: dict[str, tuple[list[str], Callable[[Any], Iterator[Row]]]] = {
    "strength": (["agent"], strength),
    "sweep": (["rules", "agent"], sweep),
    "first-reveal": (["game", "agent"], first_reveal),
    "values": (["row"], values),
    "bench": (["game", "lanes", "threads"], bench),
    "simulators": (["library", "game", "how", "lanes"], simulators),
    "arena": (["agent", "against"], arena),
    "exploitability": (["policy"], exploitability),
    "first-flip": (["first flip"], first_flip),
    "losses": (["agent"], losses),
    "blunders": (["agent", "played", "covered general"], blunders),
    "scores": (["plies", "who plays"], scores),
}


def provenance() -> dict[str, str]:
    """Returns the commit, the day and the machine."""
    git = ["git", "rev-parse", "--short=7", "HEAD"]
    commit = subprocess.run(git, check=True, capture_output=True, text=True).stdout.strip()
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    name = names[0] if names else platform.processor() or platform.machine()
    today = datetime.date.today().isoformat()
    return {"commit": commit, "date": today, "machine": f"{name}, {os.cpu_count()} cores"}


def at(found: Any, place: str) -> dict[str, float]:
    """Returns the figure at a place of the JSON."""
    for key in place.split("."):
        found = found[int(key) if isinstance(found, list) else key]
    fields = found if isinstance(found, dict) else {"value": found}
    return {field: fields[field] for field in ("value", "low", "high") if field in fields}


def replaced(old: list[Row], new: list[Row], labels: list[str]) -> list[Row]:
    """Returns rows of a table in which new ones stand in the place of those with their labels."""
    rows = {tuple(row.get(label, "") for label in labels): row for row in old}
    return list((rows | {tuple(row[label] for label in labels): row for row in new}).values())


def main() -> None:
    """Runs the command and records its figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("study", help="its name in the file of results")
    parser.add_argument("--table", choices=KINDS, help="record rows of a table, of this kind")
    parser.add_argument("cells", nargs="*", metavar="NAME=PLACE", help="or COLUMN=CELL")
    own, *commands = (list(part) for key, part in groupby(sys.argv[1:], "--".__ne__) if key)
    given = parser.parse_intermixed_args(own)
    for command in commands:
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    if given.table == "scores":
        found = list(csv.DictReader(done.stdout.splitlines()))
    else:
        found = json.loads(done.stdout)
    cells = dict(cell.split("=", 1) for cell in given.cells)

    path = RESEARCH / "results.json"
    studies = json.loads(path.read_text(encoding="utf-8"))
    # A program is named without the folder in which it was built.
    named = [shlex.join([Path(program).name, *rest]) for program, *rest in commands]
    study = {"command": " && ".join(named), **provenance()}
    if given.table:
        labels, made = KINDS[given.table]
        file = RESEARCH / "data" / f"{given.study}.csv"
        old = list(csv.DictReader(file.open(encoding="utf-8"))) if file.exists() else []
        # Each row keeps its own provenance, since rows are not all measured at once.
        rows = replaced(old, [cells | row | study for row in made(found)], [*cells, *labels])
        columns = dict.fromkeys(column for row in rows for column in row)
        with file.open("w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        studies.setdefault(given.study, study | {"table": file.name})
    else:
        studies[given.study] = study | {
            "figures": {name: at(found, place) for name, place in cells.items()}
        }
    text = json.dumps(studies, indent=2, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

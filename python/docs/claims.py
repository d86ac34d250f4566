"""Checks what docs/results.md says of the first reveal, after `scripts/results.sh`."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import darkqi

DATA = Path(__file__).parents[2] / "data" / "results"


class Figures(NamedTuple):
    """The score of the first revealer or mover of one agent, and the share of decisive games."""

    score: float
    low: float
    high: float
    decisive: float


class Claim(NamedTuple):
    """A sentence of the page, and whether the figures by agent agree with it."""

    game: str
    sentence: str
    holds: Callable[[dict[str, Figures]], bool]


def searching(agents: dict[str, Figures]) -> list[Figures]:
    """Returns the figures of the agents that search."""
    return [figures for agent, figures in agents.items() if agent.startswith("expectimax")]


CLAIMS = [
    Claim(
        "gaiqi",
        "the first reveal is an advantage for every player here",
        lambda agents: all(one.low > 0.5 for one in agents.values()),
    ),
    Claim(
        "banqi",
        "the first reveal is no advantage",
        lambda agents: all(one.low < 0.5 and 0.485 < one.score < 0.505 for one in agents.values()),
    ),
    Claim(
        "jieqi",
        "the first move is an advantage for every player here",
        lambda agents: all(one.low > 0.5 and one.score < 0.545 for one in agents.values()),
    ),
    Claim(
        "mystery",
        "the first move is an advantage of about 0.02",
        lambda agents: all(one.low > 0.5 and one.score < 0.54 for one in agents.values()),
    ),
    Claim(
        "flipping",
        "the first move is worth more, the stronger the players",
        lambda agents: agents["expectimax-depth-4"].low > agents["greedy"].high,
    ),
    Claim(
        "seven_kingdoms",
        "wins more than an even share",
        lambda agents: all(one.low > 1 / 7 for one in searching(agents)),
    ),
]


def figures(path: Path) -> Figures:
    """Measures a dataset: by the luck-adjusted score where that is narrower."""
    found = darkqi.first_reveal(path)
    revealer = found.revealer
    score = (revealer.outcomes if revealer else found.first_mover).score
    adjusted = revealer and revealer.adjusted
    if adjusted and adjusted.score.high - adjusted.score.low < score.high - score.low:
        score = adjusted.score
    return Figures(score.value, score.low, score.high, found.decisive.value)


def main() -> None:
    """Prints each claim with its figures; ends with status 1 if one does not hold."""
    broken = False
    for game, sentence, holds in CLAIMS:
        paths = sorted((DATA / game).glob("*/dataset.json"))
        if not paths:
            print(f"{game}: left out, no data in {DATA / game}")
            continue
        agents = {path.parent.name: figures(path.parent) for path in paths}
        verdict = "holds" if holds(agents) else "DOES NOT HOLD"
        broken |= verdict != "holds"
        print(f"{game}: {sentence}: {verdict}")
        for agent, one in agents.items():
            shown = f"{one.score:.4f} ({one.low:.4f} to {one.high:.4f})"
            print(f"  {agent}: {shown}, decisive {one.decisive:.2f}")
    sys.exit(broken)


if __name__ == "__main__":
    main()

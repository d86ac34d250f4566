"""Plays engines of others, for ``docs/research/data/gauntlet.csv``.

``gauntlet.py FILE [NAME...]`` plays those opponents of a TOML file, or all. An ``[[opponent]]`` has
``name``, ``game``, ``agent`` (its agent without limits, as ``darkqi arena`` takes it), ``times``
(milliseconds for a decision of either side), ``games`` (even: each deal is played from both seats)
and ``seed``. One that fails is named at the end, and the rows of the others are kept.
"""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def commands(opponent: dict[str, Any]) -> list[list[str]]:
    """Returns the commands that play an opponent and record a row for each time."""
    game, seed = opponent["game"], opponent["seed"]
    return [
        [
            *(sys.executable, "python/docs/record.py", "gauntlet", "--table", "arena"),
            *(f"opponent={opponent['name']}", f"game={game}", f"ms={time}", "--"),
            *("target/release/darkqi", "arena", game, "--threads", "1"),
            *("--agents", f"expectimax:time={time},{opponent['agent']},time={time}"),
            *("--games", f"{opponent['games']}", "--seed", f"{seed}", "--json"),
        ]
        for time in opponent["times"]
    ]


def main() -> None:
    """Plays the opponents of a file."""
    file, *names = sys.argv[1:]
    opponents = tomllib.loads(Path(file).read_text(encoding="utf-8"))["opponent"]
    known = [opponent["name"] for opponent in opponents]
    if unknown := set(names) - set(known):
        sys.exit(f"{file}: no opponent {sorted(unknown)}; expected of {known}")
    failed = [
        opponent["name"]
        for opponent in opponents
        if opponent["name"] in (names or known)
        # An engine that fails once is not asked again.
        if any(subprocess.run(command, cwd=ROOT).returncode for command in commands(opponent))
    ]
    if failed:
        sys.exit(f"{file}: not played: {', '.join(failed)}")


if __name__ == "__main__":
    main()

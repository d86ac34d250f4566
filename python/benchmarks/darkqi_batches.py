"""darkqi: batches that step and sample their own random actions."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import darkqi
from contender import Contender, Tally, until

# The name of banqi with the rules of OpenSpiel's (RULES.md section 2).
OPEN_SPIEL_BANQI = "banqi as OpenSpiel's"
OPEN_SPIEL_OPTIONS: dict[str, Any] = {
    "cannon": "jump",
    "quiet_limit": 50,
    "repetition": False,
}


def contenders(lanes: list[int], threads: list[int]) -> Iterator[Contender]:
    """Yields every game, banqi also with OpenSpiel's rules."""
    games: list[tuple[str, str, dict[str, Any]]] = [(name, name, {}) for name in darkqi.games()]
    games.append((OPEN_SPIEL_BANQI, "banqi", OPEN_SPIEL_OPTIONS))
    for title, name, options in games:
        for lane_count in lanes:
            # A batch of one lane cannot use a second thread.
            for thread_count in threads if lane_count > 1 else threads[:1]:
                yield contender(title, name, lane_count, thread_count, options)


def contender(
    title: str, name: str, lanes: int, threads: int, options: dict[str, Any]
) -> Contender:
    """Returns a batch whose lanes are out of phase."""
    env = darkqi.make(name, lanes, threads=threads, **options)
    env.reset()

    def step() -> int:
        ts = env.step(env.sample_actions())
        return int(np.count_nonzero(ts.terminated)) + int(np.count_nonzero(ts.truncated))

    def play(seconds: float) -> Tally:
        steps = games = 0
        for _ in until(seconds):
            games += step()
            steps += lanes
        return Tally(steps, games)

    ended = 0
    while ended < 2 * lanes:
        ended += step()
    how = f"{threads} thread{'s' if threads > 1 else ''}"
    return Contender("darkqi", title, how, lanes, play, beside=title)

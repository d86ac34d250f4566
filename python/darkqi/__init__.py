"""A vectorised simulator of xiangqi games with covered pieces.

Thousands of games are stepped together by ``make``, one game by ``State``:

>>> import darkqi
>>> env = darkqi.make("jieqi", num_envs=4, seed=0)
>>> ts = env.reset()
>>> ts = env.step(env.sample_actions())
>>> ts.current_player
array([1, 1, 1, 1], dtype=int8)
>>> state = darkqi.State("jieqi", seed=7)
>>> state.apply("a4a5")
>>> state.ply
1
"""

from darkqi._darkqi import (
    Env,
    FenError,
    IllegalActionError,
    InternalError,
    Spec,
    State,
    TimeStep,
    __version__,
    first_reveal,
    games,
    make,
    piece_values,
    selfplay,
    spec,
    verify,
)
from darkqi._records import Army, Decisions, OptionInfo, Outcome, Reveal, Settled, Standing, Summary

__all__ = [
    "Army",
    "Decisions",
    "Env",
    "FenError",
    "IllegalActionError",
    "InternalError",
    "OptionInfo",
    "Outcome",
    "Reveal",
    "Settled",
    "Spec",
    "Standing",
    "State",
    "Summary",
    "TimeStep",
    "__version__",
    "first_reveal",
    "games",
    "make",
    "piece_values",
    "selfplay",
    "spec",
    "verify",
]

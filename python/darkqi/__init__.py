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

from darkqi._baseline import Baseline, baseline
from darkqi._darkqi import (
    Env,
    FenError,
    IllegalActionError,
    InternalError,
    Spec,
    State,
    TimeStep,
    __version__,
    agents,
    arena,
    balance_values,
    finish,
    first_reveal,
    games,
    make,
    piece_values,
    piece_values_by_phase,
    replay,
    report,
    selfplay,
    spec,
    verify,
)
from darkqi._records import (
    AgentInfo,
    AgentOption,
    Army,
    BalancedValues,
    BalanceRound,
    BlockScore,
    Cycle,
    Decisions,
    Estimate,
    Lengths,
    MatchResults,
    OptionInfo,
    Outcome,
    Pairing,
    PolicyEntry,
    Ranking,
    ReplayedGame,
    ReplayedPly,
    Report,
    Reveal,
    RoundValue,
    Score,
    Settled,
    Standing,
    Summary,
    Symmetry,
    Verdict,
)

__all__ = [
    "AgentInfo",
    "AgentOption",
    "Army",
    "BalanceRound",
    "BalancedValues",
    "Baseline",
    "BlockScore",
    "Cycle",
    "Decisions",
    "Env",
    "Estimate",
    "FenError",
    "IllegalActionError",
    "InternalError",
    "Lengths",
    "MatchResults",
    "OptionInfo",
    "Outcome",
    "Pairing",
    "PolicyEntry",
    "Ranking",
    "ReplayedGame",
    "ReplayedPly",
    "Report",
    "Reveal",
    "RoundValue",
    "Score",
    "Settled",
    "Spec",
    "Standing",
    "State",
    "Summary",
    "Symmetry",
    "TimeStep",
    "Verdict",
    "__version__",
    "agents",
    "arena",
    "balance_values",
    "baseline",
    "finish",
    "first_reveal",
    "games",
    "make",
    "piece_values",
    "piece_values_by_phase",
    "replay",
    "report",
    "selfplay",
    "spec",
    "verify",
]

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
    Spec,
    State,
    TimeStep,
    __version__,
    agents,
    arena,
    balance_values,
    compare,
    finish,
    first_reveal,
    games,
    levels,
    make,
    piece_values,
    piece_values_by_phase,
    piece_values_by_region,
    replay,
    report,
    selfplay,
    spec,
    strength,
    sweep,
    verify,
)
from darkqi._errors import DatasetError, FenError, IllegalActionError, InternalError
from darkqi._exploitability import exploitability
from darkqi._records import (
    AgentDict,
    AgentInfo,
    AgentOption,
    Army,
    Decisions,
    Level,
    OptionInfo,
    Outcome,
    Policy,
    Reveal,
    Symmetry,
)
from darkqi.results import (
    BalancedValues,
    Comparison,
    Estimate,
    Exploitability,
    Finished,
    FirstReveal,
    MatchResults,
    PhasedValues,
    PieceValues,
    RegionalValues,
    ReplayedGame,
    Report,
    StrengthResults,
    Summary,
    SweepResults,
    Verification,
)

__all__ = [
    "AgentDict",
    "AgentInfo",
    "AgentOption",
    "Army",
    "BalancedValues",
    "Baseline",
    "Comparison",
    "DatasetError",
    "Decisions",
    "Env",
    "Estimate",
    "Exploitability",
    "FenError",
    "Finished",
    "FirstReveal",
    "IllegalActionError",
    "InternalError",
    "Level",
    "MatchResults",
    "OptionInfo",
    "Outcome",
    "PhasedValues",
    "PieceValues",
    "Policy",
    "RegionalValues",
    "ReplayedGame",
    "Report",
    "Reveal",
    "Spec",
    "State",
    "StrengthResults",
    "Summary",
    "SweepResults",
    "Symmetry",
    "TimeStep",
    "Verification",
    "__version__",
    "agents",
    "arena",
    "balance_values",
    "baseline",
    "compare",
    "exploitability",
    "finish",
    "first_reveal",
    "games",
    "levels",
    "make",
    "piece_values",
    "piece_values_by_phase",
    "piece_values_by_region",
    "replay",
    "report",
    "selfplay",
    "spec",
    "strength",
    "sweep",
    "verify",
]

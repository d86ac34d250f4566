"""OpenSpiel's type and bounds of a game."""

from collections import Counter
from typing import Any

import pyspiel

import darkqi
from darkqi.openspiel import parameters

PREFIX = "darkqi_"
"""The prefix of the games' names in OpenSpiel."""

PIECES = "KAEHRCPkaehrcp"
"""The chance outcomes: outcome k is the piece with the k-th of these letters."""


def game_type(spec: darkqi.Spec) -> "pyspiel.GameType":
    """Returns OpenSpiel's type of a game with its options."""
    options = _options(spec)
    # The board is public; only captures can be secret.
    is_secret = options.get("captured") == "captor"
    is_covered = "~" in darkqi.State(spec.name).fen()
    # The option `seats` sets the number of players.
    fewest = 2 if "seats" in options else spec.num_players
    most = darkqi.spec(spec.name).num_players
    kind = pyspiel.GameType
    return kind(
        short_name=PREFIX + spec.name,
        long_name=f"darkqi: {spec.name}",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=(
            kind.ChanceMode.EXPLICIT_STOCHASTIC if is_covered else kind.ChanceMode.DETERMINISTIC
        ),
        information=(
            kind.Information.IMPERFECT_INFORMATION
            if is_secret
            else kind.Information.PERFECT_INFORMATION
        ),
        utility=kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=most,
        min_num_players=fewest,
        provides_information_state_string=True,
        # Games are too long for a tensor with perfect recall.
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification=parameters.defaults(spec),
    )


def game_info(start: darkqi.State) -> "pyspiel.GameInfo":
    """Returns OpenSpiel's bounds of a game with this start."""
    spec, options = start.spec, _options(start.spec)
    # RULES.md 9.24: +1 is shared by the winning team, -1 by the losing teams and their members.
    teams = Counter(options.get("teams") or range(spec.num_players))
    smallest = min(teams.values())
    return pyspiel.GameInfo(
        num_distinct_actions=spec.num_actions,
        max_chance_outcomes=len(PIECES) if "~" in start.fen() else 0,
        num_players=spec.num_players,
        min_utility=-1 / ((len(teams) - 1) * smallest),
        max_utility=1 / smallest,
        utility_sum=0.0,
        max_game_length=options["max_plies"],
    )


def _options(spec: darkqi.Spec) -> dict[str, Any]:
    return {option.name: option.value for option in spec.options}

"""OpenSpiel's type and bounds of a game."""

from collections import Counter

import pyspiel

import darkqi
from darkqi.openspiel import parameters
from darkqi.openspiel.play import chance_outcomes

PREFIX = "darkqi_"
"""The prefix of the games' names in OpenSpiel."""


def game_type(spec: darkqi.Spec) -> "pyspiel.GameType":
    """Returns OpenSpiel's type of a game with its options."""
    fewest, most = spec.player_range
    is_deterministic = spec.hides == "nothing"
    kind = pyspiel.GameType
    return kind(
        short_name=PREFIX + spec.name,
        long_name=f"darkqi: {spec.name}",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=(
            kind.ChanceMode.DETERMINISTIC
            if is_deterministic
            else kind.ChanceMode.EXPLICIT_STOCHASTIC
        ),
        # The board is public; only captures can be secret.
        information=(
            kind.Information.IMPERFECT_INFORMATION
            if spec.captures_are_secret
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


def game_info(spec: darkqi.Spec) -> "pyspiel.GameInfo":
    """Returns OpenSpiel's bounds of a game with its options."""
    # RULES.md 9.24: +1 is shared by the winning team, -1 by the losing teams and their members.
    teams = Counter(spec.teams)
    smallest = min(teams.values())
    return pyspiel.GameInfo(
        num_distinct_actions=spec.num_actions,
        max_chance_outcomes=len(chance_outcomes(spec)),
        num_players=spec.num_players,
        min_utility=-1 / ((len(teams) - 1) * smallest),
        max_utility=1 / smallest,
        utility_sum=0.0,
        max_game_length=spec.max_plies,
    )

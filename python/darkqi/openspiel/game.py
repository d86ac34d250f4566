"""OpenSpiel's games and states, their types, bounds and parameters."""

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, ClassVar

import pyspiel

import darkqi
from darkqi.openspiel.observer import Observer
from darkqi.openspiel.play import Play, chance_outcomes

# In a game string OpenSpiel parses text of digits, signs and points as a number. The seats of seven
# kingdoms are such text, so they are quoted.
_NUMERIC = frozenset("+-.0123456789")


def _quoted(value: int | str) -> int | str:
    if isinstance(value, str) and value and _NUMERIC.issuperset(value):
        return f"'{value}'"
    return value


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
        parameter_specification={o.name: _quoted(o.default) for o in spec.options},
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


class Game(pyspiel.Game):  # type: ignore[misc]
    """A game with its rule options; ``pyspiel.load_game`` makes it. Each game has a subclass."""

    name: ClassVar[str]
    """One of ``darkqi.games()``."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        """Sets up the rules.

        Args:
            params: Rule options by name. Quote text that OpenSpiel would read as a number:
                ``seats='0101010'``.

        Raises:
            ValueError: There is no such option, or a value is out of range.
            TypeError: A value has the wrong type.
        """
        options = {
            name: value.strip("'\"") if isinstance(value, str) else value
            for name, value in (params or {}).items()
        }
        self._start = Play(self.name, options)
        spec = self._start.state.spec
        changed = {o.name: _quoted(o.value) for o in spec.options if o.value != o.default}
        super().__init__(game_type(spec), game_info(spec), changed)

    def new_initial_state(self) -> "State":
        """Begins a game with all covered pieces undetermined."""
        return State(self, self._start.clone())

    def max_chance_nodes_in_history(self) -> int:
        """Returns the number of pieces covered at the start: each is revealed at most once."""
        return len(self._start.covered_pieces())

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> Observer:
        """Makes an observer; by default of public information and the player's own."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return Observer(self._start.state.spec, kind, params)

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        """Pickles the game by its name and options."""
        return pyspiel.load_game, (str(self),)


class State(pyspiel.State):  # type: ignore[misc]
    """A game in progress; ``game.new_initial_state()`` makes it.

    A pickle or ``serialize`` keeps the whole history. Undoing is not supported.

    Attributes:
        play: The underlying game; ``play.state`` is a ``darkqi.State`` to read. Its covered pieces
            are arbitrary: chance nodes have their odds.
    """

    def __init__(self, game: Game, play: Play) -> None:
        """Wraps a game in progress."""
        super().__init__(game)
        # OpenSpiel copies and pickles what is in `__dict__`.
        self.play = play

    def current_player(self) -> int:
        """Returns the seat to move, or ``CHANCE`` or ``TERMINAL`` of ``pyspiel.PlayerId``."""
        player: int = self.play.state.current_player
        if self.play.is_chance:
            player = pyspiel.PlayerId.CHANCE
        elif self.play.state.is_terminal:
            player = pyspiel.PlayerId.TERMINAL
        return player

    def _legal_actions(self, _player: int) -> list[int]:
        """Lists the indices of the legal actions of the player to move, ascending."""
        return self.play.state.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Lists the possible pieces, as indices of ``play.pieces``, with exact probabilities."""
        return sorted((self.play.pieces.index(piece), odds) for piece, odds in self.play.odds())

    def _apply_action(self, action: int) -> None:
        if self.play.is_chance:
            pieces = self.play.pieces
            if not 0 <= action < len(pieces):
                raise ValueError(f"chance outcome {action}: expected 0 to {len(pieces) - 1}")
            self.play.resolve(pieces[action])
        else:
            self.play.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        """Names an action in absolute squares, or a chance outcome by its piece."""
        if player == pyspiel.PlayerId.CHANCE:
            return self.play.pieces[action]
        return self.play.action_name(player, action)

    def is_terminal(self) -> bool:
        """Returns whether the game is over, for any reason."""
        return self.play.state.is_terminal

    def returns(self) -> list[float]:
        """Lists the reward of each seat; zeros before the end."""
        # Rewards are float32 shares of 1; OpenSpiel checks their sum to 1e-9.
        rewards = self.play.state.rewards()
        return [float(Fraction(reward).limit_denominator(100)) for reward in rewards]

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "State":
        """Samples a state of the player's information set, with a history of its own.

        Args:
            player: A seat.
            sampler: Returns numbers in [0, 1), such as ``pyspiel.UniformProbabilitySampler(0, 1)``.

        Returns:
            A new ``State``.

        Raises:
            ValueError: A chance node is to move.
        """
        history = self.play.sample_history(player, seed=int(sampler() * 2**53))
        if history == self.play.history:
            # Covered pieces are undetermined in both.
            clone: State = self.clone()
            return clone
        state: State = self.get_game().new_initial_state()
        for step in history:
            state.apply_action(self.play.pieces.index(step) if isinstance(step, str) else step)
        return state

    def __str__(self) -> str:
        """Returns the determined part: a FEN, and the action that waits for chance."""
        return str(self.play)


def register() -> None:
    """Registers every game with OpenSpiel."""
    for name in darkqi.games():
        # OpenSpiel releases its game factories only after Python has ended, when freeing an
        # object crashes. Classes are safe: they are part of a reference cycle and are not freed.
        maker = type(f"{name.title().replace('_', '')}Game", (Game,), {"name": name})
        pyspiel.register_game(game_type(darkqi.spec(name)), maker)

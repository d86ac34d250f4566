"""Every game as an environment of PettingZoo, with an agent per seat.

Importing this module registers every game for ``pettingzoo.make``.

>>> from darkqi import pettingzoo
>>> env = pettingzoo.env("gaiqi")
>>> env.reset(seed=7)
>>> for agent in env.agent_iter():
...     observation, reward, terminated, truncated, info = env.last()
...     over = terminated or truncated
...     env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
>>> env.agents
[]
"""

from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

import darkqi
from darkqi._options import check_options, env_id
from darkqi._seeds import Dealer

try:
    import pettingzoo
    from gymnasium import logger, spaces
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel
except ImportError as error:
    raise ImportError(
        "darkqi.pettingzoo needs PettingZoo: pip install 'darkqi[pettingzoo]'"
    ) from error

__all__ = ["env", "env_id", "parallel_env", "raw_env", "register"]

_Observation: TypeAlias = dict[str, NDArray[Any]]
_Viewer: TypeAlias = SupportsIndex | Literal["public"] | None
_RENDER_MODES = ("human", "ansi")


def env(
    game: str = "jieqi",
    *,
    render_mode: str | None = None,
    viewer: _Viewer = "public",
    **options: SupportsIndex | str,
) -> AECEnv[str, _Observation, int | None]:
    """Makes an environment with the wrappers of PettingZoo's classic games.

    An illegal action ends the game: the offender gets -1, all others 0. An action outside the
    space and a call before ``reset`` raise errors.

    Args:
        game: One of ``darkqi.games()``.
        render_mode: "ansi": ``render`` returns text. "human": every ``reset`` and ``step`` prints
            it. None: no pictures.
        viewer: The viewer of the pictures: a seat, "public" for a spectator, None for one who also
            sees covered pieces.
        **options: Rule options; ``darkqi.spec(game).options`` lists them.

    Returns:
        A ``raw_env`` in these wrappers.

    Raises:
        ValueError: There is no such game, viewer or render mode, or a value is out of range.
        TypeError: There is no such option, or its value has the wrong type.
    """
    checked = raw_env(game, render_mode=render_mode, viewer=viewer, **options)
    checked = wrappers.TerminateIllegalWrapper(checked, illegal_reward=-1)
    checked = wrappers.AssertOutOfBoundsWrapper(checked)
    return wrappers.OrderEnforcingWrapper(checked)


def parallel_env(
    game: str = "jieqi",
    *,
    render_mode: str | None = None,
    viewer: _Viewer = "public",
    **options: SupportsIndex | str,
) -> ParallelEnv[str, _Observation, int | None]:
    """Converts ``env`` to PettingZoo's parallel interface, by its conversion for turns.

    A step is one ply: it plays the action of the agent to move and ignores all others. The
    agent to move is the one whose ``action_mask`` is not all 0, from the first step on also
    ``infos[agent]["active_agent"]``. Arguments and errors are as for ``env``.
    """
    turns = env(game, render_mode=render_mode, viewer=viewer, **options)
    return turn_based_aec_to_parallel(turns)


def register() -> None:
    """Registers every game that is not registered yet; importing the module calls this."""
    for game in darkqi.games():
        kwargs = {"game": game}
        if env_id(game) not in pettingzoo.aec_registry:
            pettingzoo.register("aec", env_id(game), "darkqi.pettingzoo:env", kwargs=kwargs)
        if env_id(game) not in pettingzoo.parallel_registry:
            pettingzoo.register(
                "parallel", env_id(game), "darkqi.pettingzoo:parallel_env", kwargs=kwargs
            )


class raw_env(AECEnv[str, _Observation, int | None]):  # type: ignore[misc]  # noqa: N801
    """The environment that ``env`` wraps, with the same arguments.

    The agents are ``player_0`` to ``player_{P-1}``, one per seat. An agent observes a dict of what
    its seat may know:

    - ``observation``: uint8 of shape (C, H, W), from the agent's side; ``darkqi.spec(game)`` has
      the names of the planes.
    - ``action_mask``: int8 of shape (A,), 1 where an action is legal; all 0 for agents not to move.

    All agents stay until the game ends, even without pieces, because only then are their rewards
    known; ``agent_selection`` skips them. The ply limit truncates a game, every other ending
    terminates it.
    """

    game_state: darkqi.State
    """The game being played, covered pieces included; set by ``reset``. Read or clone it only."""

    def __init__(
        self,
        game: str = "jieqi",
        *,
        render_mode: str | None = None,
        viewer: _Viewer = "public",
        **options: SupportsIndex | str,
    ) -> None:
        """Makes the environment; the arguments are those of ``env``."""
        super().__init__()
        if render_mode not in (None, *_RENDER_MODES):
            modes = ", ".join(map(repr, _RENDER_MODES))
            raise ValueError(f"render_mode: expected {modes} or None, got {render_mode!r}")
        check_options(game, options)
        spec = darkqi.spec(game, **options)
        # Raises for a viewer that the game does not have.
        darkqi.State(game, 0, **options).fen(viewer)
        self.metadata = {
            "name": f"darkqi_{game}_v0",
            "render_modes": list(_RENDER_MODES),
            "render_fps": 2,
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.viewer = viewer
        self._dealer = Dealer(game, **options)
        self.possible_agents = [f"player_{seat}" for seat in range(spec.num_players)]
        self.agents: list[str] = []
        # One space per agent: every space has its own generator, which can be seeded.
        self.action_spaces: dict[str, spaces.Discrete[np.int64]] = {
            agent: spaces.Discrete(spec.num_actions) for agent in self.possible_agents
        }
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 255, spec.observation_shape, np.uint8),
                    "action_mask": spaces.Box(0, 1, (spec.num_actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Dict:
        """Returns an agent's observation space, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete[np.int64]:
        """Returns an agent's action space, always the same object."""
        return self.action_spaces[agent]

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 (PettingZoo passes it)
    ) -> None:
        """Deals a new game.

        Args:
            seed: Deals as ``darkqi.State(game, seed)`` does and determines later deals without a
                seed. Before the first seed, deals are random.
            options: Ignored; rule options are arguments of the constructor.

        Raises:
            ValueError: The seed does not fit into 64 bits.
            TypeError: The seed is not an integer.
        """
        self.game_state = self._dealer.deal(seed)
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._show_turn()

    def observe(self, agent: str) -> _Observation:
        """Returns an agent's observation of the current position, as new arrays."""
        state, seat = self.game_state, self.possible_agents.index(agent)
        if seat == state.current_player:
            mask = state.action_mask().view(np.int8)
        else:
            mask = np.zeros(state.spec.num_actions, np.int8)
        return {"observation": state.observation(seat), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Plays an action of the agent to move, or removes an agent after the end of the game.

        Args:
            action: The index of a legal action; None after the end of the game.

        Raises:
            darkqi.IllegalActionError: The action is not legal here. The state is unchanged.
            ValueError: The game is over and the action is not None.
            TypeError: The game is not over and the action is not an integer.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        # A state would also play the name of a move.
        if action is None or isinstance(action, str):
            raise TypeError(f"action: expected an index, for {agent} is to move, got {action!r}")
        state = self.game_state
        state.apply(action)
        if state.is_terminal:
            self.rewards = dict(zip(self.agents, state.rewards(), strict=True))
            self._accumulate_rewards()
            self.terminations = dict.fromkeys(self.agents, not state.is_truncated)
            self.truncations = dict.fromkeys(self.agents, state.is_truncated)
        self._show_turn()

    def render(self) -> str | None:
        """Renders what the viewer may know: returned as text, or printed with "human"."""
        if self.render_mode is None:
            logger.warn("render() draws nothing: the environment was made without a render_mode")
            return None
        text: str = self.game_state.render("text", self.viewer)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Does nothing: there is no window."""

    def _show_turn(self) -> None:
        """Selects the agent to move and renders for "human"."""
        self.agent_selection = self.possible_agents[self.game_state.current_player]
        if self.render_mode == "human":
            self.render()


register()

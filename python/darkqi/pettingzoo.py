"""Every game as an environment of PettingZoo, with an agent per seat.

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
from darkqi._deals import Deals

try:
    from gymnasium import logger, spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError(
        "darkqi.pettingzoo needs PettingZoo: pip install 'darkqi[pettingzoo]'"
    ) from error

__all__ = ["env", "raw_env"]

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
    """Makes an environment with the checks that PettingZoo's classic games have.

    An illegal action ends the game: who played it gets -1, everyone else 0. An action outside the
    space and calls before ``reset`` raise.

    Args:
        game: One of ``darkqi.games()``.
        render_mode: "ansi" for ``render`` to return text, "human" for every ``reset`` and ``step``
            to print it, None for neither.
        viewer: Who looks at what is rendered: a seat, "public" for a spectator, None for one who
            sees covered pieces as well.
        **options: Rule options; ``darkqi.spec(game).options`` lists them.

    Raises:
        ValueError: There is no such game, option or render mode, or a value is out of range.
        TypeError: The value of an option has the wrong type.
    """
    checked = raw_env(game, render_mode=render_mode, viewer=viewer, **options)
    checked = wrappers.TerminateIllegalWrapper(checked, illegal_reward=-1)
    checked = wrappers.AssertOutOfBoundsWrapper(checked)
    return wrappers.OrderEnforcingWrapper(checked)


class raw_env(AECEnv[str, _Observation, int | None]):  # type: ignore[misc]  # noqa: N801
    """The environment that ``env`` wraps, with the same arguments.

    The agents are ``player_0`` to ``player_{P-1}``, after their seats. What an agent observes is a
    dict of what its seat may know:

    - ``observation``: uint8 of shape (C, H, W), from the agent's side; ``darkqi.spec(game)`` has
      the names of the planes.
    - ``action_mask``: int8 of shape (A,), 1 where an action is legal; all 0 for agents not to move.

    Agents stay until the game is over, those without pieces too, because only then is it known
    what they get; ``agent_selection`` leaves them out. The ply limit truncates, everything else
    terminates.
    """

    game_state: darkqi.State
    """The game being played, covered pieces included, from ``reset`` on: to look at or to clone."""

    def __init__(
        self,
        game: str = "jieqi",
        *,
        render_mode: str | None = None,
        viewer: _Viewer = "public",
        **options: SupportsIndex | str,
    ) -> None:
        """Makes the environment; ``env`` says what the arguments are."""
        super().__init__()
        if render_mode not in (None, *_RENDER_MODES):
            modes = ", ".join(map(repr, _RENDER_MODES))
            raise ValueError(f"render_mode: expected {modes} or None, got {render_mode!r}")
        spec = darkqi.spec(game, **options)
        self.metadata = {
            "name": f"darkqi_{game}_v0",
            "render_modes": list(_RENDER_MODES),
            "render_fps": 2,
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.viewer = viewer
        self._deals = Deals(game, **options)
        self.possible_agents = [f"player_{seat}" for seat in range(spec.num_players)]
        self.agents: list[str] = []
        # A space each, because every space has a generator of its own that can be seeded.
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
        """Returns the space of what an agent observes, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete[np.int64]:
        """Returns the space of an agent's actions, always the same object."""
        return self.action_spaces[agent]

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 (PettingZoo passes it)
    ) -> None:
        """Deals a new game.

        Args:
            seed: Deals what ``darkqi.State(game, seed)`` does, and decides what later calls
                without a seed deal. Without any seed so far the deal is a surprise.
            options: Ignored; rules are chosen where the environment is made.

        Raises:
            ValueError: The seed is negative or takes more than 64 bits.
            TypeError: The seed is no integer.
        """
        self.game_state = self._deals.deal(seed)
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._show_turn()

    def observe(self, agent: str) -> _Observation:
        """Returns what an agent may know now, as new arrays."""
        state, seat = self.game_state, self.possible_agents.index(agent)
        if seat == state.current_player:
            mask = state.action_mask().view(np.int8)
        else:
            mask = np.zeros(state.spec.num_actions, np.int8)
        return {"observation": state.observation(seat), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Plays an action of the agent to move, or takes an agent out once the game is over.

        Args:
            action: The index of a legal action; None once the game is over.

        Raises:
            darkqi.IllegalActionError: The action is not legal here. Nothing has changed.
            ValueError: The game is over and the action is not None.
            TypeError: The game is not over and the action is no integer.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise TypeError(f"action: expected an index, for {agent} is to move, got None")
        state = self.game_state
        state.apply(action)
        if state.is_terminal:
            self.rewards = dict(zip(self.agents, state.rewards(), strict=True))
            self._accumulate_rewards()
            self.terminations = dict.fromkeys(self.agents, not state.is_truncated)
            self.truncations = dict.fromkeys(self.agents, state.is_truncated)
        self._show_turn()

    def render(self) -> str | None:
        """Draws what the viewer may know: returned as text, or printed where people watch."""
        if self.render_mode is None:
            logger.warn("render() draws nothing: the environment was made without a render_mode")
            return None
        text = self.game_state.render("text", self.viewer)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Does nothing: there is no window to close."""

    def _show_turn(self) -> None:
        """Selects who is to move and lets people see the board."""
        self.agent_selection = self.possible_agents[self.game_state.current_player]
        if self.render_mode == "human":
            self.render()

"""Every game as a multi-agent environment of RLlib's new API stack, with an agent per seat."""

import operator
from collections.abc import Mapping
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

import darkqi
from darkqi._seeds import Dealer

try:
    from gymnasium import spaces
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from ray.tune import register_env
except ImportError as error:
    raise ImportError("darkqi.rllib needs RLlib: pip install 'darkqi[rllib]'") from error

__all__ = ["DarkqiEnv", "register"]

_Observation: TypeAlias = dict[str, NDArray[np.float32]]


class DarkqiEnv(MultiAgentEnv):  # type: ignore[misc]
    """One game at a time, with agents ``player_0`` to ``player_{P-1}``, one per seat.

    Only the agent to move gets an observation, so only it is asked for an action. At the end of the
    game all agents get an observation and their rewards; before, every reward is 0. The ply limit
    truncates a game, every other ending terminates it.

    Observations have the form that RLlib's ``ActionMaskingTorchRLModule`` (in
    ``ray.rllib.examples.rl_modules.classes.action_masking_rlm``) expects: a dict of float32 arrays.

    - ``observations``, of shape (C * H * W,), is what the agent's seat may know, from its side. The
      planes are flat because RLlib takes arrays of three axes for images of known sizes with the
      channels last; ``.reshape(-1, *darkqi.spec(game).observation_shape)`` restores them.
    - ``action_mask``, of shape (A,), is 1 where an action is legal; all 0 after the end.

    An illegal action ends the game: the offender gets -1 and ``{"illegal_action": action}`` in its
    info, all others 0. Algorithms without masks and RLlib's check of new environments play such
    actions.

    Args:
        config: ``game``, one of ``darkqi.games()`` (default "jieqi"), and rule options;
            ``darkqi.spec(game).options`` lists them.

    Raises:
        ValueError: There is no such game or option, or a value is out of range.
        TypeError: The value of an option has the wrong type.
    """

    game_state: darkqi.State
    """The game being played, covered pieces included; set by ``reset``. Read or clone it only."""

    def __init__(self, config: Mapping[str, SupportsIndex | str] | None = None) -> None:
        """Makes the environment; ``reset`` deals the first game."""
        options: dict[str, Any] = dict(config or {})
        game = options.pop("game", "jieqi")
        spec = darkqi.spec(game, **options)
        self._dealer = Dealer(game, **options)
        self.possible_agents = [f"player_{seat}" for seat in range(spec.num_players)]
        self.agents = self.possible_agents.copy()
        flat = (int(np.prod(spec.observation_shape)),)
        action_space: spaces.Discrete[np.int64] = spaces.Discrete(spec.num_actions)
        observation_space = spaces.Dict(
            {
                "observations": spaces.Box(0, 255, flat, np.float32),
                "action_mask": spaces.Box(0, 1, (spec.num_actions,), np.float32),
            }
        )
        self.observation_spaces = dict.fromkeys(self.agents, observation_space)
        self.action_spaces = dict.fromkeys(self.agents, action_space)
        super().__init__()

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 (RLlib passes it)
    ) -> tuple[dict[str, _Observation], dict[str, dict[str, Any]]]:
        """Deals a new game.

        Args:
            seed: Deals as ``darkqi.State(game, seed)`` does and determines later deals without a
                seed. Before the first seed, deals are random.
            options: Ignored; rule options are arguments of the constructor.

        Returns:
            The observation of the agent to move, and no infos.
        """
        self.game_state = self._dealer.deal(seed)
        self._is_over = False
        mover = self.possible_agents[self.game_state.current_player]
        return {mover: self._observe(mover)}, {}

    def step(
        self, action_dict: Mapping[str, SupportsIndex]
    ) -> tuple[
        dict[str, _Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Plays the action of the agent to move.

        Args:
            action_dict: The index of the action, by the name of that agent.

        Returns:
            Observations, rewards, terminations, truncations and infos. The first two have the next
            agent to move or, after the end of the game, all agents; the next two have only the key
            ``__all__``.

        Raises:
            ValueError: The keys are not exactly the agent to move, or the game is over.
            TypeError: The action is not an integer.
        """
        if self._is_over:
            raise ValueError("the game is over: call reset() for the next one")
        state = self.game_state
        mover = self.possible_agents[state.current_player]
        if list(action_dict) != [mover]:
            raise ValueError(f"actions: expected one, of {mover}, got those of {[*action_dict]}")
        # A state would also play the name of a move.
        action = operator.index(action_dict[mover])
        infos: dict[str, dict[str, Any]] = {}
        try:
            state.apply(action)
            rewards = dict(zip(self.possible_agents, state.rewards(), strict=True))
            self._is_over = state.is_terminal
        except darkqi.IllegalActionError:
            rewards = {**dict.fromkeys(self.possible_agents, 0.0), mover: -1.0}
            infos = {mover: {"illegal_action": action}}
            self._is_over = True
        next_mover = self.possible_agents[state.current_player]
        recipients = self.possible_agents if self._is_over else [next_mover]
        return (
            {agent: self._observe(agent) for agent in recipients},
            {agent: rewards[agent] for agent in recipients},
            {"__all__": self._is_over and not state.is_truncated},
            {"__all__": state.is_truncated},
            infos,
        )

    def _observe(self, agent: str) -> _Observation:
        """Returns the observation of the agent to move, or of any agent after the end."""
        state = self.game_state
        observation = state.observation(self.possible_agents.index(agent))
        mask = np.zeros(state.spec.num_actions) if self._is_over else state.action_mask()
        return {
            "observations": observation.ravel().astype(np.float32),
            "action_mask": mask.astype(np.float32),
        }


def register(name: str = "darkqi") -> None:
    """Registers ``DarkqiEnv`` under a name for ``AlgorithmConfig.environment``.

    Args:
        name: The name; ``env_config`` selects the game.
    """
    register_env(name, DarkqiEnv)

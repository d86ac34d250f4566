"""Every game for Stable-Baselines3: natively stepped games as a ``VecEnv``."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode
    from stable_baselines3.common import vec_env
except ImportError as error:
    raise ImportError("darkqi.sb3 needs Stable-Baselines3: pip install 'darkqi[sb3]'") from error

from darkqi.gymnasium import VectorEnv

__all__ = ["VecEnv"]


class VecEnv(vec_env.VecEnv):  # type: ignore[misc]
    """N games of one kind; the learner plays one seat of each, an agent plays the others.

    The agent is required: Stable-Baselines3 knows a single reward per environment and does not flip
    its sign where the other side moves.

    Observations are uint8 of shape (N, C * H * W), or (N, T) for tokens, from the learner's side.
    Planes are flat because Stable-Baselines3 takes arrays of three axes for images and may
    transpose them; ``reshape(-1, *darkqi.spec(game).observation_shape)`` restores them. Rewards are
    the learner's. ``env_method("action_masks")`` returns the masks, as sb3-contrib's
    ``MaskablePPO`` expects. The step that ends a game also deals the next; the info then has
    ``terminal_observation`` and ``TimeLimit.truncated``, which is true for a ply limit.
    """

    def __init__(
        self, game: str = "jieqi", num_envs: int = 1, *, opponent: str = "greedy", **settings: Any
    ) -> None:
        """Deals a game in every environment.

        Args:
            game: One of ``darkqi.games()``.
            num_envs: Number of games N.
            opponent: The agent that plays the other seats: "random", "expectimax:depth=1".
            **settings: ``seat``, ``observation``, ``illegal``, ``threads``, ``render_mode`` and
                rule options, as ``darkqi.gymnasium.VectorEnv`` takes them.

        Raises:
            ValueError: There is no such game or agent, or a value is out of range.
            TypeError: There is no such option, a value has the wrong type, or the opponent is None.
        """
        if not isinstance(opponent, str):
            raise TypeError(f"opponent: expected the name of an agent, got {opponent!r}")
        self._envs = VectorEnv(
            game,
            num_envs,
            opponent=opponent,
            action_mask="info",
            # Learners keep what a step returned.
            copy=True,
            autoreset_mode=AutoresetMode.SAME_STEP,
            **settings,
        )
        self._actions: NDArray[np.integer[Any]] | None = None
        flat = spaces.flatten_space(self._envs.single_observation_space)
        super().__init__(num_envs, flat, self._envs.single_action_space)

    def reset(self) -> NDArray[np.uint8]:
        """Deals new games, with the seeds of ``seed`` if it was called since the last reset.

        Returns:
            Observations, uint8 of shape (N, C * H * W) or (N, T).
        """
        seeds = None if None in self._seeds else self._seeds
        # First, so that a seed that is refused is not kept.
        self._reset_seeds()
        self._reset_options()
        observations, _ = self._envs.reset(seed=seeds)
        return self._flat(observations)

    def step_async(self, actions: NDArray[np.integer[Any]]) -> None:
        """Stores N actions for ``step_wait``."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Plays the actions of ``step_async``.

        Returns:
            Observations, rewards (float32 of shape (N,)), ends (bool of shape (N,)), and N infos.

        Raises:
            RuntimeError: ``reset`` was not called.
        """
        observations, rewards, terminated, truncated, batch_infos = self._envs.step(self._actions)
        ended = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for lane in np.flatnonzero(ended):
            infos[lane]["terminal_observation"] = batch_infos["final_obs"][lane].ravel()
            infos[lane]["TimeLimit.truncated"] = bool(truncated[lane])
        return self._flat(observations), rewards.astype(np.float32), ended, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions: bool of shape (N, A)."""
        return self._envs.action_masks()

    def close(self) -> None:
        """Does nothing: the games are freed with the last reference to them."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Returns this attribute of ``darkqi.gymnasium.VectorEnv``, once per game."""
        return [getattr(self._envs, attr_name) for _ in self._lanes(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raises AttributeError: single games cannot be changed."""
        del value, indices
        raise AttributeError(f"{attr_name}: the games of a VecEnv cannot be changed singly")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls ``action_masks``, ``render`` or ``sample_actions`` for all games.

        Returns:
            One result for each of the chosen games.

        Raises:
            AttributeError: There is no such method.
        """
        if method_name not in ("action_masks", "render", "sample_actions"):
            raise AttributeError(f"{method_name}: the games of a VecEnv have no such method")
        rows = getattr(self._envs, method_name)(*method_args, **method_kwargs)
        if rows is None:
            rows = [None] * self.num_envs
        return [rows[lane] for lane in self._lanes(indices)]

    def get_images(self) -> list[NDArray[np.uint8] | None]:
        """Returns a picture of each game with ``render_mode="rgb_array"``, else None for each."""
        if self.render_mode != "rgb_array":
            return [None] * self.num_envs
        return self.env_method("render")

    def env_is_wrapped(
        self,
        wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]],
        indices: Any = None,
    ) -> list[bool]:
        """Returns False for every game: native games have no wrappers."""
        del wrapper_class
        return [False for _ in self._lanes(indices)]

    def _flat(self, observations: Any) -> NDArray[np.uint8]:
        rows: NDArray[np.uint8] = observations.reshape(self.num_envs, -1)
        return rows

    def _lanes(self, indices: Any) -> Iterable[int]:
        lanes: Iterable[int] = self._get_indices(indices)
        return lanes

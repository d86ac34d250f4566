"""Every game for Gymnasium, singly or by the thousand, with one learner in each.

Importing this registers an environment per game, which ``gymnasium.make`` and
``gymnasium.make_vec`` then find; the latter steps all games natively:

>>> import gymnasium
>>> import darkqi.gymnasium
>>> envs = gymnasium.make_vec("darkqi/Jieqi-v0", num_envs=1024, opponent="greedy")
>>> observations, infos = envs.reset(seed=1)
>>> observations["observation"].shape[0], observations["action_mask"].dtype
(1024, dtype('int8'))
"""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

import darkqi

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise ImportError(
        "darkqi.gymnasium needs Gymnasium: pip install 'darkqi[gymnasium]'"
    ) from error

__all__ = ["Env", "VectorEnv", "env_id", "register"]

_Array: TypeAlias = NDArray[Any]
_Observation: TypeAlias = _Array | dict[str, _Array]
_Format: TypeAlias = Literal["planes", "tokens"]
_Place: TypeAlias = Literal["observation", "info"]
_Illegal: TypeAlias = Literal["forfeit", "raise"]

_RENDER_MODES = ("ansi", "svg")
_METADATA = {"render_modes": _RENDER_MODES, "render_fps": 2}
_AUTORESETS: dict[AutoresetMode, Literal["next_step", "same_step", "disabled"]] = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.DISABLED: "disabled",
}


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, _Array]):
    """N games of one kind, stepped natively and in parallel.

    Against an ``opponent`` the learner plays one seat of each game: the others move within the
    step, and rewards are the learner's. That is what algorithms for a single agent take. Without an
    opponent it plays all seats in turn: a step is one ply, observations are the mover's, and the
    reward is that of the seat that has just moved, so that values change their sign from ply to
    ply; the infos have everyone's rewards.

    Observations are a dict of

    - ``observation``: uint8 of shape (N, C, H, W), or (N, T) for tokens, from the mover's side;
    - ``action_mask``: int8 of shape (N, A), 1 where an action is legal,

    or the first of them alone with ``action_mask="info"``, which puts the mask into the infos. The
    infos also have ``current_player`` (int8 of shape (N,)), the seat whose observation it is,
    ``rewards`` (float32 of shape (N, P)) and, if there is any, ``illegal_action`` (bool of shape
    (N,)). With ``AutoresetMode.SAME_STEP`` the last two are in ``infos["final_info"]``.

    Where a game is over and not followed yet (``NEXT_STEP``, ``DISABLED``) its mask is empty. Masks
    that a network should not see as features belong into the infos; planes are no pictures, and
    Stable-Baselines3 has ``darkqi.sb3``.
    """

    metadata: dict[str, Any] = _METADATA

    def __init__(
        self,
        game: str = "jieqi",
        num_envs: int = 1,
        *,
        opponent: str | None = None,
        seat: int | None = None,
        observation: _Format = "planes",
        action_mask: _Place = "observation",
        illegal: _Illegal = "forfeit",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        num_threads: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Deals a game in every lane.

        Args:
            game: One of ``darkqi.games()``.
            num_envs: Number of games N.
            opponent: An agent such as "random", "greedy" or "expectimax:depth=1" that plays all
                seats but the learner's; None for the learner to play them all.
            seat: The learner's seat against an opponent; None draws one for each game.
            observation: "planes" or "tokens".
            action_mask: Where masks are: "observation" or "info".
            illegal: "forfeit" ends a game in which an illegal action is chosen, with reward -1;
                "raise" raises ``darkqi.IllegalActionError`` and steps no game.
            autoreset_mode: When a game that has ended is followed by the next.
            copy: Whether observations are new arrays every time. Otherwise they are views of memory
                that the next step writes into.
            num_threads: Threads that step games; None for one per core.
            render_mode: "ansi" for ``render`` to return text, "svg" for pictures: what the seat of
                the observation may see.
            **options: Rule options; ``darkqi.spec(game).options`` lists them.

        Raises:
            ValueError: There is no such game, option, agent, seat or mode, or a value is out of
                range.
            TypeError: A value has the wrong type.
        """
        mode = AutoresetMode(autoreset_mode)
        self.metadata = {**_METADATA, "autoreset_mode": mode}
        self.render_mode = _checked("render_mode", render_mode, (None, *_RENDER_MODES))
        self._mask_in_info = _checked("action_mask", action_mask, ("observation", "info")) == "info"
        self._mode = mode
        self._env = darkqi.make(
            game,
            num_envs,
            observation=observation,
            final_observation=mode is AutoresetMode.SAME_STEP,
            copy=copy,
            opponent=opponent,
            seat=seat,
            autoreset=_AUTORESETS[mode],
            illegal=illegal,
            num_threads=num_threads,
            **options,
        )
        spec = self._env.spec
        self.num_envs = self._env.num_envs
        self.single_observation_space = _observation_space(spec, observation, self._mask_in_info)
        self.single_action_space = spaces.Discrete(spec.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._lanes = np.arange(self.num_envs)
        self._ts: darkqi.TimeStep | None = None

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[_Observation, dict[str, Any]]:
        """Deals new games.

        Args:
            seed: An integer seeds game i with ``seed + i``; N of them seed each game by itself, but
                for those that are None. None goes on from where the games are; in the first reset
                it draws a seed.
            options: ``{"reset_mask": mask}`` with N bools resets some games only.

        Returns:
            Observations and infos; with a mask, infos are of the games that were reset.

        Raises:
            ValueError: There are not N seeds, or the mask has not N elements or is all false.
            TypeError: The mask is no array of bools.
        """
        mask = _reset_mask(options, self.num_envs)
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            seed = [int(seed) + lane for lane in range(self.num_envs)]
        elif seed is None and self._ts is None:
            seed = self.np_random.integers(2**63, size=self.num_envs).tolist()
        ts = self._ts = self._env.reset(seed, lanes=mask)
        return self._observation(ts), self._infos(ts, mask)

    def step(self, actions: Any) -> tuple[_Observation, _Array, _Array, _Array, dict[str, Any]]:
        """Plays an action in every game.

        Args:
            actions: N integers.

        Returns:
            Observations, rewards (float64), terminations, truncations and infos. A game that ends
            is followed by the next one as ``autoreset_mode`` says; ``AutoresetMode.SAME_STEP``
            puts ``final_obs`` and ``final_info`` into the infos.

        Raises:
            darkqi.IllegalActionError: With ``illegal="raise"``, an action is not legal; nothing has
                changed then.
            RuntimeError: There was no reset, or with ``AutoresetMode.DISABLED`` a game has ended
                and was not reset.
        """
        if self._ts is None:
            raise RuntimeError("step: expected reset to be called before")
        illegal, mover = self._illegal(actions), self._ts.current_player.copy()
        ts = self._ts = self._env.step(actions)
        rewards = ts.reward[self._lanes, mover].astype(np.float64)
        terminated, truncated = ts.terminated.copy(), ts.truncated.copy()
        ended = terminated | truncated
        infos = self._infos(ts, None)
        last = infos
        if self._mode is AutoresetMode.SAME_STEP and ended.any():
            last = self._put_final(infos, ts, ended)
        if illegal.any():
            _put(last, "illegal_action", illegal, illegal)
        return self._observation(ts), rewards, terminated, truncated, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions: bool of shape (N, A), as MaskablePPO asks for them."""
        if self._ts is None:
            raise RuntimeError("action_masks: expected reset to be called before")
        return np.asarray(self._ts.action_mask, dtype=np.bool_).copy()

    def sample_actions(self) -> NDArray[np.int64]:
        """Draws a uniformly random legal action for every game, 0 where the game is over."""
        return self._env.sample_actions()

    def state(self, i: int) -> darkqi.State:
        """Returns a copy of game i, for search and for pictures."""
        return self._env.state(i)

    def render(self) -> tuple[Any, ...] | None:
        """Returns the games as text or SVG, as ``render_mode`` says."""
        if self.render_mode is None:
            return None
        return tuple(self._picture(lane) for lane in range(self.num_envs))

    def _picture(self, lane: int) -> str:
        if self._ts is None:
            raise RuntimeError("render: expected reset to be called before")
        viewer = int(self._ts.current_player[lane])
        mode: Literal["text", "svg"] = "text" if self.render_mode == "ansi" else "svg"
        return self._env.state(lane).render(mode, viewer=viewer)

    def _observation(self, ts: darkqi.TimeStep) -> _Observation:
        if self._mask_in_info:
            return ts.observation
        return {"action_mask": ts.action_mask.view(np.int8), "observation": ts.observation}

    def _infos(self, ts: darkqi.TimeStep, mask: _Array | None) -> dict[str, Any]:
        """What Gymnasium's own vector environments make of the infos of single ones."""
        infos: dict[str, Any] = {}
        told = np.ones(self.num_envs, np.bool_) if mask is None else mask
        values: dict[str, _Array] = {"current_player": ts.current_player, "rewards": ts.reward}
        if self._mask_in_info:
            values["action_mask"] = ts.action_mask.view(np.int8)
        for key, rows in values.items():
            rows = rows.copy()
            rows[~told] = 0
            _put(infos, key, rows, told.copy())
        return infos

    def _illegal(self, actions: Any) -> NDArray[np.bool_]:
        """Which games an illegal action is chosen in; what is no action the batch refuses."""
        assert self._ts is not None
        mask, chosen = self._ts.action_mask, np.asarray(actions)
        if chosen.shape != (self.num_envs,) or chosen.dtype.kind not in "iu":
            return np.zeros(self.num_envs, np.bool_)
        inside = (chosen >= 0) & (chosen < mask.shape[1])
        illegal: NDArray[np.bool_] = ~(inside & mask[self._lanes, np.where(inside, chosen, 0)])
        if illegal.any():
            # Where a game is over there is nothing to choose.
            illegal &= mask.any(axis=1)
        return illegal

    def _put_final(
        self, infos: dict[str, Any], ts: darkqi.TimeStep, ended: _Array
    ) -> dict[str, Any]:
        """Moves what is of games that ended into infos of their own, and returns these."""
        assert ts.final_observation is not None
        final_obs = np.full(self.num_envs, None, dtype=object)
        nothing = np.zeros(ts.action_mask.shape[1], np.int8)
        for lane in np.flatnonzero(ended):
            row = ts.final_observation[lane].copy()
            final_obs[lane] = (
                row if self._mask_in_info else {"action_mask": nothing.copy(), "observation": row}
            )
        final_info: dict[str, Any] = {}
        _put(final_info, "rewards", infos["rewards"].copy(), ended)
        # Nothing but games that ended has rewards, and the others show what was dealt since.
        infos["rewards"][:] = 0
        _put(infos, "final_obs", final_obs, ended)
        _put(infos, "final_info", final_info, ended.copy())
        return final_info


class Env(gymnasium.Env[Any, Any]):
    """One game: a ``VectorEnv`` of one, with its arguments and, without the first axis, its rows.

    It does not reset itself: once the game is over, ``step`` raises RuntimeError.
    """

    metadata: dict[str, Any] = _METADATA

    def __init__(
        self,
        game: str = "jieqi",
        *,
        opponent: str | None = None,
        seat: int | None = None,
        observation: _Format = "planes",
        action_mask: _Place = "observation",
        illegal: _Illegal = "forfeit",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Deals a game; the arguments and errors are those of ``VectorEnv``."""
        self._envs = VectorEnv(
            game,
            opponent=opponent,
            seat=seat,
            observation=observation,
            action_mask=action_mask,
            illegal=illegal,
            autoreset_mode=AutoresetMode.DISABLED,
            num_threads=1,
            render_mode=render_mode,
            **options,
        )
        self.render_mode = render_mode
        self.observation_space = self._envs.single_observation_space
        self.action_space = self._envs.single_action_space
        self._dealt = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Observation, dict[str, Any]]:
        """Deals a new game.

        Args:
            seed: Deals what ``darkqi.State(game, seed)`` does, and later resets what follows from
                it. None goes on, or in the first reset draws a seed.
            options: Ignored; rules are chosen where the environment is made.

        Returns:
            Observation and info.
        """
        del options
        super().reset(seed=seed)
        if seed is None and not self._dealt:
            seed = int(self.np_random.integers(2**63))
        self._dealt = True
        observation, infos = self._envs.reset(seed=seed)
        return _row(observation), _info(infos)

    def step(self, action: Any) -> tuple[_Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action.

        Args:
            action: An integer.

        Returns:
            Observation, reward, whether the game was terminated or truncated, and info.

        Raises:
            darkqi.IllegalActionError: With ``illegal="raise"``, the action is not legal.
            RuntimeError: There was no reset, or the game is over.
        """
        observation, rewards, terminated, truncated, infos = self._envs.step(np.array([action]))
        ended = bool(terminated[0]), bool(truncated[0])
        return _row(observation), float(rewards[0]), *ended, _info(infos)

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions: bool of shape (A,), as MaskablePPO asks for them."""
        masks: NDArray[np.bool_] = self._envs.action_masks()[0]
        return masks

    @property
    def state(self) -> darkqi.State:
        """A copy of the game, for search and for pictures."""
        return self._envs.state(0)

    def render(self) -> Any:
        """Returns the game as text or SVG, as ``render_mode`` says."""
        pictures = self._envs.render()
        return None if pictures is None else pictures[0]


def env_id(game: str) -> str:
    """Returns the id that a game is registered by: ``darkqi/SevenKingdoms-v0``."""
    return f"darkqi/{game.title().replace('_', '')}-v0"


def register() -> None:
    """Registers every game that is not registered yet; importing the module does."""
    for game in darkqi.games():
        if env_id(game) not in gymnasium.registry:
            gymnasium.register(
                env_id(game),
                entry_point="darkqi.gymnasium:Env",
                vector_entry_point="darkqi.gymnasium:VectorEnv",
                kwargs={"game": game},
            )


def _checked(argument: str, given: Any, known: tuple[Any, ...]) -> Any:
    if given not in known:
        expected = ", ".join(map(repr, known))
        raise ValueError(f"{argument}: expected one of {expected}, got {given!r}")
    return given


def _observation_space(spec: darkqi.Spec, kind: _Format, alone: bool) -> spaces.Space[Any]:
    shape = spec.observation_shape if kind == "planes" else spec.token_shape
    observation = spaces.Box(0, 255, shape, np.uint8)
    if alone:
        return observation
    mask = spaces.MultiBinary(spec.num_actions)
    return spaces.Dict({"action_mask": mask, "observation": observation})


def _reset_mask(options: dict[str, Any] | None, num_envs: int) -> NDArray[np.bool_] | None:
    if options is None or "reset_mask" not in options:
        return None
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        kind = mask.dtype if isinstance(mask, np.ndarray) else type(mask).__name__
        raise TypeError(f"options['reset_mask']: expected an array of bools, got {kind}")
    if mask.shape != (num_envs,) or not mask.any():
        what = f"shape {mask.shape}" if mask.shape != (num_envs,) else "none"
        raise ValueError(
            f"options['reset_mask']: expected shape ({num_envs},) and a True at least, got {what}"
        )
    return mask


def _put(infos: dict[str, Any], key: str, values: Any, told: _Array) -> None:
    """Adds an info, and which games it is of, as Gymnasium's vector environments do."""
    infos[key], infos[f"_{key}"] = values, told


def _row(observation: _Observation) -> _Observation:
    if isinstance(observation, dict):
        return {key: rows[0] for key, rows in observation.items()}
    row: _Array = observation[0]
    return row


def _info(infos: dict[str, Any]) -> dict[str, Any]:
    """The infos of the only game."""
    values = {key: rows[0] for key, rows in infos.items() if not key.startswith("_")}
    return {key: v if isinstance(v, np.ndarray) else v.item() for key, v in values.items()}


register()

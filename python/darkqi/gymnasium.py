"""Every game for Gymnasium, as a single or a vector environment with one learner.

Importing this module registers one environment per game for ``gymnasium.make`` and
``gymnasium.make_vec``; the latter steps all games natively:

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
from darkqi._darkqi import GymnasiumResults
from darkqi._options import check_options, env_id, refuse_masked, row_shape
from darkqi._records import AgentDict, Policy
from darkqi._seeds import checked_seeds

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.utils import EzPickle
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
_MaskLocation: TypeAlias = Literal["observation", "info"]
_Illegal: TypeAlias = Literal["forfeit", "raise"]

_RENDER_MODES = ("ansi", "human", "rgb_array", "svg")
# Wrappers of Gymnasium append to the list.
_METADATA = {"render_modes": [*_RENDER_MODES], "render_fps": 2}
_AUTORESETS: dict[AutoresetMode, Literal["next_step", "same_step", "disabled"]] = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.DISABLED: "disabled",
}


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, _Array]):
    """N games of one kind, stepped natively and in parallel.

    Against an ``opponent`` the learner plays one seat of each game: the others move within the
    step, and rewards are the learner's. This suits single-agent algorithms. Without an opponent the
    learner plays all seats in turn: a step is one ply, observations are the mover's, and the reward
    belongs to the seat that has just moved, so values flip their sign from ply to ply. The infos
    have the rewards of all seats.

    Observations are a dict of

    - ``observation``: uint8 of shape (N, C, H, W), or (N, T) for tokens, from the mover's side;
    - ``action_mask``: int8 of shape (N, A), 1 where an action is legal,

    or only the first with ``action_mask="info"``, which moves the mask into the infos. The infos
    also have ``current_player`` (int8 of shape (N,)), the seat whose observation it is,
    ``rewards`` (float32 of shape (N, P)) and, if there is any, ``illegal_action`` (bool of shape
    (N,)). With ``AutoresetMode.SAME_STEP`` the last two are in ``infos["final_info"]``, whose
    ``current_player`` is the seat of the final observation.

    The mask of a finished game without a successor yet (``NEXT_STEP``, ``DISABLED``) is all 0. Put
    masks that are not features of a network into the infos. Planes are not images; for
    Stable-Baselines3 use ``darkqi.sb3``.
    """

    metadata: dict[str, Any] = _METADATA

    def __init__(
        self,
        game: str = "jieqi",
        num_envs: int = 1,
        *,
        opponent: str | AgentDict | Policy | None = None,
        seat: int | None = None,
        observation: _Format = "planes",
        action_mask: _MaskLocation = "observation",
        illegal: _Illegal = "forfeit",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        threads: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Deals a game in every lane.

        Args:
            game: One of ``darkqi.games()``.
            num_envs: Number of games N.
            opponent: An agent such as "random", "greedy" or "expectimax:depth=1", or a policy, that
                plays all seats but the learner's; None: the learner plays all seats.
            seat: The learner's seat against an opponent; None samples one for each game.
            observation: "planes" or "tokens".
            action_mask: Location of the masks: "observation" or "info".
            illegal: "forfeit" ends a game in which an illegal action is chosen, with reward -1;
                "raise" raises ``darkqi.IllegalActionError`` and steps no game. ``darkqi.make`` has
                "raise" for default; learners of Gymnasium that know no masks choose such actions.
            autoreset_mode: When the next game is dealt: Gymnasium's mode or its name, by default
                the mode of Gymnasium's own vector environments.
            copy: Whether arrays that were returned stay as they are. Otherwise the next step
                overwrites all but the rewards.
            threads: Threads that step games; None for one per core.
            render_mode: "ansi": ``render`` returns text. "svg": it returns SVG documents.
                "rgb_array": it returns pixels, uint8 of shape (height, width, 3), of even sizes.
                "human": every reset and step prints the text. All show what the seat of the
                observation may see.
            **options: Rule options; ``darkqi.spec(game).options`` lists them.

        Raises:
            ValueError: There is no such game, agent, seat or mode, or a value is out of range.
            TypeError: There is no such option, or a value has the wrong type.
        """
        check_options(game, options)
        mode = AutoresetMode(autoreset_mode)
        same_step = mode is AutoresetMode.SAME_STEP
        self.metadata = {**_METADATA, "autoreset_mode": mode}
        self.render_mode = _validated("render_mode", render_mode, (None, *_RENDER_MODES))
        mask_in_info = _validated("action_mask", action_mask, ("observation", "info")) == "info"
        self._mode = mode
        self._env = darkqi.make(
            game,
            num_envs,
            observation=observation,
            final_observation=same_step,
            copy=copy,
            opponent=opponent,
            seat=seat,
            autoreset=_AUTORESETS[mode],
            illegal=illegal,
            threads=threads,
            **options,
        )
        spec = self._env.spec
        self.num_envs = self._env.num_envs
        self.single_observation_space = _observation_space(spec, observation, mask_in_info)
        self.single_action_space = spaces.Discrete(spec.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._ts: darkqi.TimeStep | None = None
        self._results = GymnasiumResults(self.num_envs, mask_in_info, same_step)

    @property
    def autoreset_mode(self) -> AutoresetMode:
        """When the next game is dealt."""
        return self._mode

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[_Observation, dict[str, Any]]:
        """Deals new games.

        Args:
            seed: An integer seeds game i with ``seed + i``, in 64 bits. N integers seed the games
                one by one, except elements that are None. None continues the random streams of the
                games; in the first reset it samples a seed.
            options: ``{"reset_mask": mask}`` with N bools resets some games only. The first reset
                deals the other games as well: by ``seed + i``, or by seeds that are sampled.

        Returns:
            Observations and infos; with a mask, infos are only of the games that it names.

        Raises:
            ValueError: The number of seeds is not N, a seed does not fit into 64 bits, or the mask
                does not have N elements or is all False.
            TypeError: A seed is not an integer, or the mask is not an array of bools.
        """
        mask = _reset_mask(options, self.num_envs)
        seeds: Any = seed
        if seeds is not None and np.ndim(seeds) == 0:
            seeds = checked_seeds(seeds, self.num_envs)
            super().reset(seed=seeds[0])
        lanes = mask
        if self._ts is None:
            lanes = None
            sampled = self.np_random.integers(2**63, size=self.num_envs).tolist()
            given = sampled if seeds is None else seeds
            if len(given) == self.num_envs:
                pairs = zip(given, sampled, strict=True)
                seeds = [other if one is None else one for one, other in pairs]
        self._ts = self._env.reset(seeds, lanes=lanes)
        observations, infos = self._results.reset(self._ts)
        if self.render_mode == "human":
            self.render()
        return observations, infos if mask is None else _infos_of(infos, mask)

    def step(self, actions: Any) -> tuple[_Observation, _Array, _Array, _Array, dict[str, Any]]:
        """Plays an action in every game.

        Args:
            actions: N integers, shape (N,).

        Returns:
            Observations, rewards (float64 of shape (N,)), terminations and truncations (bool of
            shape (N,)), and infos. ``autoreset_mode`` decides when the next game is dealt;
            ``AutoresetMode.SAME_STEP`` puts ``final_obs`` and ``final_info`` into the infos.

        Raises:
            darkqi.IllegalActionError: With ``illegal="raise"``, an action is not legal; no game
                was stepped.
            RuntimeError: ``reset`` was not called, or with ``AutoresetMode.DISABLED`` a game has
                ended and was not reset.
        """
        if self._ts is None:
            raise RuntimeError("step: expected reset to be called before")
        self._ts = self._env.step(actions)
        results = self._results.step(self._ts)
        if self.render_mode == "human":
            self.render()
        return results

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions for MaskablePPO: bool of shape (N, A)."""
        if self._ts is None:
            raise RuntimeError("action_masks: expected reset to be called before")
        return np.asarray(self._ts.action_mask, dtype=np.bool_).copy()

    def sample_actions(self) -> NDArray[np.int64]:
        """Samples a uniform legal action per game: int64 of shape (N,), 0 where it is over."""
        return self._env.sample_actions()

    def state(self, i: int) -> darkqi.State:
        """Returns a copy of game i, for search and pictures."""
        return self._env.state(i)

    def render(self) -> tuple[Any, ...] | None:
        """Returns a picture of each game, by ``render_mode``; None if it prints or has none."""
        if self.render_mode is None:
            return None
        pictures = tuple(self._picture(lane) for lane in range(self.num_envs))
        if self.render_mode == "human":
            print("\n\n".join(pictures))
            return None
        return pictures

    def _picture(self, lane: int) -> Any:
        if self._ts is None:
            raise RuntimeError("render: expected reset to be called before")
        state, viewer = self._env.state(lane), self._results.seat(lane)
        if self.render_mode == "rgb_array":
            frame = state.render("rgb_array", viewer)
            # Most players need videos of even sizes; the last row is background.
            return frame[: len(frame) // 2 * 2]
        return state.render("svg" if self.render_mode == "svg" else "text", viewer)


class Env(gymnasium.Env[Any, Any], EzPickle):
    """One game: a ``VectorEnv`` with N = 1, whose arrays lose their first axis.

    It does not reset itself: after the end of the game, ``step`` raises RuntimeError. A copy, by
    ``pickle`` or ``copy``, is a new environment with the same arguments, to be reset before its
    first step.
    """

    metadata: dict[str, Any] = _METADATA

    def __init__(
        self,
        game: str = "jieqi",
        *,
        opponent: str | AgentDict | Policy | None = None,
        seat: int | None = None,
        observation: _Format = "planes",
        action_mask: _MaskLocation = "observation",
        illegal: _Illegal = "forfeit",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Deals a game; these arguments and errors are those of ``VectorEnv``."""
        check_options(game, options)
        settings: dict[str, Any] = {
            "opponent": opponent,
            "seat": seat,
            "observation": observation,
            "action_mask": action_mask,
            "illegal": illegal,
            "render_mode": render_mode,
            **options,
        }
        EzPickle.__init__(self, game, **settings)
        self._envs = VectorEnv(game, autoreset_mode=AutoresetMode.DISABLED, threads=1, **settings)
        self.render_mode = render_mode
        self.observation_space = self._envs.single_observation_space
        self.action_space = self._envs.single_action_space
        self._dealt = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Observation, dict[str, Any]]:
        """Deals a new game.

        Args:
            seed: Deals as ``darkqi.State(game, seed)`` does and determines later deals. None
                continues the random stream; in the first reset it samples a seed.
            options: Ignored; rule options are arguments of the constructor.

        Returns:
            Observation and info.
        """
        del options
        if seed is not None:
            seed = checked_seeds(seed, 1)[0]
        super().reset(seed=seed)
        if seed is None and not self._dealt:
            seed = int(self.np_random.integers(2**63))
        observation, infos = self._envs.reset(seed=seed)
        self._dealt = True
        return _first_row(observation), _first_info(infos)

    def step(self, action: Any) -> tuple[_Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action.

        Args:
            action: The index of an action.

        Returns:
            Observation, reward, whether the game terminated, whether it was truncated, and info.

        Raises:
            darkqi.IllegalActionError: With ``illegal="raise"``, the action is not legal.
            RuntimeError: ``reset`` was not called, or the game is over.
        """
        observation, rewards, terminated, truncated, infos = self._envs.step([action])
        ended = bool(terminated[0]), bool(truncated[0])
        return _first_row(observation), float(rewards[0]), *ended, _first_info(infos)

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions for MaskablePPO: bool of shape (A,)."""
        masks: NDArray[np.bool_] = self._envs.action_masks()[0]
        return masks

    @property
    def state(self) -> darkqi.State:
        """A copy of the game, for search and pictures."""
        return self._envs.state(0)

    def render(self) -> Any:
        """Returns a picture of the game, by ``render_mode``; None if it prints or has none."""
        pictures = self._envs.render()
        return None if pictures is None else pictures[0]


def register() -> None:
    """Registers every game that is not registered yet; importing the module calls this."""
    for game in darkqi.games():
        if env_id(game) not in gymnasium.registry:
            gymnasium.register(
                env_id(game),
                entry_point="darkqi.gymnasium:Env",
                vector_entry_point="darkqi.gymnasium:VectorEnv",
                kwargs={"game": game},
            )


def _validated(argument: str, given: Any, known: tuple[Any, ...]) -> Any:
    if given not in known:
        expected = ", ".join(map(repr, known))
        raise ValueError(f"{argument}: expected one of {expected}, got {given!r}")
    return given


def _observation_space(spec: darkqi.Spec, kind: _Format, mask_in_info: bool) -> spaces.Space[Any]:
    shape = row_shape(spec, kind)
    observation = spaces.Box(0, 255, shape, np.uint8)
    if mask_in_info:
        return observation
    mask = spaces.MultiBinary(spec.num_actions)
    return spaces.Dict({"action_mask": mask, "observation": observation})


def _reset_mask(options: dict[str, Any] | None, num_envs: int) -> NDArray[np.bool_] | None:
    if options is None:
        return None
    if not isinstance(options, dict) or options.keys() - {"reset_mask"}:
        raise ValueError(f"options: expected a dict with `reset_mask` alone, got {options!r}")
    if "reset_mask" not in options:
        return None
    mask = options["reset_mask"]
    refuse_masked("options['reset_mask']", mask)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        kind = mask.dtype if isinstance(mask, np.ndarray) else type(mask).__name__
        raise TypeError(f"options['reset_mask']: expected an array of bools, got {kind}")
    if mask.shape != (num_envs,) or not mask.any():
        found = f"shape {mask.shape}" if mask.shape != (num_envs,) else "none True"
        raise ValueError(
            f"options['reset_mask']: expected shape ({num_envs},) with a True, got {found}"
        )
    return mask


def _infos_of(infos: dict[str, Any], mask: _Array) -> dict[str, Any]:
    """Returns infos of the games that a mask names, with zeros for the others."""
    found: dict[str, Any] = {}
    for key, rows in infos.items():
        if not key.startswith("_"):
            chosen = np.zeros_like(rows)
            chosen[mask] = rows[mask]
            found[key], found[f"_{key}"] = chosen, mask.copy()
    return found


def _first_row(observation: _Observation) -> _Observation:
    if isinstance(observation, dict):
        return {key: rows[0] for key, rows in observation.items()}
    row: _Array = observation[0]
    return row


def _first_info(infos: dict[str, Any]) -> dict[str, Any]:
    """Returns the infos of the only game."""
    values = {key: rows[0] for key, rows in infos.items() if not key.startswith("_")}
    return {key: v if isinstance(v, np.ndarray) else v.item() for key, v in values.items()}


register()

"""Export to Minari, for offline reinforcement learning.

>>> import darkqi.minari                                            # doctest: +SKIP
>>> episodes = darkqi.minari.export("data/jieqi", "jieqi/greedy-v0")  # doctest: +SKIP
>>> import minari                                                   # doctest: +SKIP
>>> minari.load_dataset("jieqi/greedy-v0").total_episodes           # doctest: +SKIP
"""

import shutil
import warnings
from collections.abc import Collection, Iterator, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from darkqi import FenError, IllegalActionError, State, datasets
from darkqi._options import row_shape
from darkqi.datasets import Observation

try:
    import minari
    from gymnasium import spaces
    from minari.data_collector import EpisodeBuffer
    from minari.storage.datasets_root_dir import get_dataset_path
except ImportError as error:
    raise ImportError("darkqi.minari needs Minari: pip install 'darkqi[minari]'") from error

__all__ = ["export"]


def export(
    path: str | PathLike[str],
    dataset_id: str,
    *,
    seats: Collection[int] | None = None,
    observation: Observation = "planes",
    data_format: str | None = None,
    **about: Any,
) -> "minari.MinariDataset":
    """Writes a dataset as a Minari dataset: one episode per game and seat.

    The other seats are part of the environment. A step is a ply of the seat: ``observations[t]`` is
    its view when it is to move, ``actions[t]`` its action, and ``observations[t + 1]`` its view
    when it is to move next or, after its last ply, at the end of the game. Rewards are 0 except the
    last, which is the seat's final reward, whichever seat ended the game. Only the last step is
    terminated, or truncated if the ply limit cut the game off. A seat without a move has no
    episode.

    ``infos`` has ``action_mask``, bool of shape (plies + 1, A), all False after the end, and
    ``game_id`` and ``seat``, int64 of shape (plies + 1,). Observations are stored without
    Minari's lossy image compression.

    Args:
        path: The folder of the dataset.
        dataset_id: Minari's name of the new dataset, such as "jieqi/greedy-v0". It is stored in
            ``MINARI_DATASETS_PATH``, or ``~/.minari/datasets``.
        seats: The seats to export; None for all.
        observation: "planes" or "tokens".
        data_format: "hdf5" or "arrow"; None for Minari's default.
        **about: Passed to `minari.create_dataset_from_buffers`, such as `author`, `description`.

    Returns:
        The `minari.MinariDataset`.

    Raises:
        ValueError: A seat does not exist, or a dataset of that name exists.
        OSError: The dataset cannot be read, or its log breaks the rules.
    """
    dataset = datasets.load(path)
    spec, metadata = dataset.spec, dataset.metadata
    chosen = sorted(set(range(spec.num_players) if seats is None else seats))
    if not chosen or not set(chosen) <= set(range(spec.num_players)):
        expected = f"some of the seats from 0 to {spec.num_players - 1}"
        raise ValueError(f"seats: expected {expected}, got {seats!r}")
    shape = row_shape(spec, observation)
    about.setdefault("algorithm_name", ", ".join(metadata.agents))
    about.setdefault("description", _description(metadata))
    about.setdefault("requirements", [f"darkqi=={metadata.software_version}"])
    folder = get_dataset_path(dataset_id)
    if folder.exists():
        raise ValueError(f"{dataset_id!r}: Minari has a dataset of that name already, in {folder}")
    try:
        with warnings.catch_warnings():
            # Minari warns of every missing description, such as an environment.
            warnings.simplefilter("ignore", UserWarning)
            return minari.create_dataset_from_buffers(
                dataset_id,
                # Any iterable works, though declared as a list: the games need not fit into memory.
                _episodes(dataset, chosen, observation),
                observation_space=spaces.Box(0, 255, shape, np.uint8),
                action_space=spaces.Discrete(spec.num_actions),
                data_format=data_format,
                jpeg_encoding=False,
                **about,
            )
    except BaseException:
        # An incomplete dataset would look complete.
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _description(metadata: datasets.Metadata) -> str:
    options = ", ".join(f"{name}={value}" for name, value in metadata.options.items())
    return f"Self-play of darkqi's {metadata.game} ({options}), an episode per game and seat."


def _episodes(
    dataset: datasets.Dataset, seats: Sequence[int], observation: Observation
) -> "Iterator[EpisodeBuffer]":
    game, options = dataset.metadata.game, dataset.metadata.options
    for logged in dataset.replays():
        place = f"{dataset.path}, game {logged.game_id}"
        try:
            state = State.from_fen(game, logged.deal, **options)
        except FenError as error:
            raise OSError(f"{place}: {error}") from error
        trajectories = {seat: _Trajectory() for seat in seats}
        for ply, action in enumerate(logged.actions):
            trajectory = trajectories.get(state.current_player)
            if trajectory is not None:
                trajectory.observe(state, state.current_player, observation)
                trajectory.actions.append(action)
            try:
                state.apply(action)
            except IllegalActionError as error:
                raise OSError(f"{place}, ply {ply}: {error}") from error
        if not state.is_terminal or state.rewards() != logged.rewards:
            found = state.rewards() if state.is_terminal else "an unfinished game"
            raise OSError(f"{place}: expected rewards {logged.rewards}, the replay gave {found}")
        for seat, trajectory in trajectories.items():
            if trajectory.actions:
                trajectory.observe(state, seat, observation)
                yield trajectory.episode(logged, seat)


class _Trajectory:
    """Observations, masks and actions of one seat in a game."""

    def __init__(self) -> None:
        self.observations: list[NDArray[np.uint8]] = []
        self.masks: list[NDArray[np.bool_]] = []
        self.actions: list[int] = []

    def observe(self, state: State, seat: int, observation: Observation) -> None:
        self.observations.append(state.observation(seat, observation))
        self.masks.append(state.action_mask())

    def episode(self, logged: datasets.LoggedGame, seat: int) -> "EpisodeBuffer":
        steps = len(self.actions)
        last = np.arange(steps) == steps - 1
        return EpisodeBuffer(
            observations=np.stack(self.observations),
            actions=np.array(self.actions, np.int64),
            rewards=np.where(last, logged.rewards[seat], 0.0),
            terminations=last & logged.terminated,
            truncations=last & (not logged.terminated),
            # Lists: Minari's Arrow storage cannot read back arrays of one number per step.
            infos={
                "action_mask": np.stack(self.masks),
                "game_id": [logged.game_id] * (steps + 1),
                "seat": [seat] * (steps + 1),
            },
        )

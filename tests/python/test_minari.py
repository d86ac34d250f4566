"""Export of datasets to Minari."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from logged import flip_an_action, play

import darkqi
from darkqi.datasets import load

minari = pytest.importorskip("minari")
pytest.importorskip("h5py")
pytest.importorskip("PIL")

from darkqi.minari import export  # noqa: E402

ABOUT: dict[str, Any] = {"author": "a", "author_email": "a@example.org"}


@pytest.fixture(autouse=True)
def _root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))


@pytest.mark.parametrize("observation", ["planes", "tokens"])
def test_episodes_are_those_of_single_seats(game: str, observation: Any, tmp_path: Path) -> None:
    path = play(game, tmp_path / "data")
    export(path, f"{game}/random-v0", observation=observation, **ABOUT)
    exported = minari.load_dataset(f"{game}/random-v0")
    episodes = iter(exported)
    steps = 0
    dataset = load(path)
    players = dataset.spec.num_players
    for logged in dataset.replays():
        for seat in range(players):
            state = darkqi.State.from_fen(game, logged.deal, **dataset.metadata.options)
            episode, step = next(episodes), 0
            for action in logged.actions:
                if state.current_player == seat:
                    seen = state.observation(seat, observation)
                    assert np.array_equal(episode.observations[step], seen)
                    mask = episode.infos["action_mask"][step]
                    assert np.array_equal(mask, state.action_mask())
                    assert episode.actions[step] == action
                    step += 1
                state.apply(action)
            seen = state.observation(seat, observation)
            assert np.array_equal(episode.observations[step], seen)
            assert not episode.infos["action_mask"][step].any()
            before = [0.0] * (step - 1)
            assert episode.rewards.tolist() == [*before, state.rewards()[seat]]
            truncated = state.is_truncated
            assert episode.terminations.tolist() == [*before, not truncated]
            assert episode.truncations.tolist() == [*before, truncated]
            assert set(episode.infos["game_id"]) == {logged.game_id}
            assert set(episode.infos["seat"]) == {seat}
            assert len(episode.observations) == step + 1
            steps += step
    assert next(episodes, None) is None
    assert exported.total_steps == steps == dataset.num_plies
    assert exported.observation_space.contains(exported[0].observations[0])
    assert exported.action_space.n == dataset.spec.num_actions


def test_seats_can_be_chosen(tmp_path: Path) -> None:
    path = play("gaiqi", tmp_path / "data")
    exported = export(path, "gaiqi/second-v0", seats=[1], **ABOUT)
    assert exported.total_episodes == load(path).num_games
    assert all(set(episode.infos["seat"]) == {1} for episode in exported)
    assert exported.spec.total_steps < load(path).num_plies
    for seats in [], [2], [-1]:
        with pytest.raises(ValueError, match="seats: expected some of the seats from 0 to 1"):
            export(path, "gaiqi/other-v0", seats=seats)


def test_data_formats_agree(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = play("gaiqi", tmp_path / "data")
    both = [
        export(path, f"gaiqi/{name}-v0", data_format=name, observation="tokens", **ABOUT)
        for name in ("hdf5", "arrow")
    ]
    for one, other in zip(*both, strict=True):
        assert np.array_equal(one.observations, other.observations)
        assert np.array_equal(one.actions, other.actions)
        assert np.array_equal(one.rewards, other.rewards)
        for name, info in one.infos.items():
            assert np.array_equal(info, other.infos[name]), name


def test_a_failed_export_leaves_nothing(tmp_path: Path) -> None:
    path = play("gaiqi", tmp_path / "data")
    export(path, "gaiqi/random-v0", **ABOUT)
    kept = sorted((tmp_path / "minari").rglob("*"))
    with pytest.raises(ValueError, match="Minari has a dataset of that name already"):
        export(path, "gaiqi/random-v0")
    flip_an_action(path)
    with pytest.raises(OSError, match=r"data, game 3, ply 4: .*65535"):
        export(path, "gaiqi/flipped-v0")
    with pytest.raises(FileNotFoundError, match="no dataset at"):
        export(tmp_path / "nowhere", "gaiqi/nowhere-v0")
    assert sorted((tmp_path / "minari").rglob("*")) == kept

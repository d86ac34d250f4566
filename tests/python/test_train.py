"""Value nets: positions to fit to, and training from end to end."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from common import game_seed

import darkqi
from darkqi import train
from darkqi._darkqi import value_positions


def test_positions_have_the_documented_shapes(tmp_path: Path) -> None:
    darkqi.selfplay("banqi", tmp_path, 4, agents="expectimax:depth=1", seed=1)
    found = value_positions(tmp_path)
    count = len(found.values)
    assert count > 100
    for numbers in (found.starts, found.logits, found.fading, found.results):
        assert numbers.shape == (count,)
    assert found.reflections.shape == (4, found.input_count)
    assert found.squares * found.pieces < found.input_count
    assert int(found.inputs.max()) < found.input_count
    assert np.abs(found.values).max() <= 1
    fewer = value_positions(tmp_path, share=0.5, seed=3)
    assert 0.3 < len(fewer.values) / count < 0.7
    with pytest.raises(ValueError, match="share: expected a number from 0 to 1, found 2"):
        value_positions(tmp_path, share=2)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        (
            train.Settings("chess"),
            "unknown game",
        ),
        (
            train.Settings("flipping", units=20),
            "units: expected a multiple of 16 up to 256, got 20",
        ),
        (train.Settings("flipping", games=0), "games: expected at least 1, got 0"),
        (train.Settings("flipping", epsilon=2.0), "epsilon: expected 0 to 1, got 2.0"),
        (
            train.Settings("flipping", elo=0.0),
            "elo: expected a number above 0 and at most 1000, got 0.0",
        ),
        (
            train.Settings("flipping", decay=math.nan),
            "decay: expected 0 or a number above it, got nan",
        ),
        (
            train.Settings("flipping", seed=2**64),
            r"seed: expected an integer from -2\*\*63 to 2\*\*64 - 1, got 18446744073709551616",
        ),
        (
            train.Settings("flipping", start="builtin"),
            "start: expected none, built-in or the file of a net, got 'builtin'",
        ),
    ],
)
def test_settings_are_checked_first(settings: train.Settings, fault: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=fault):
        train.train(settings, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_folder_of_another_program_is_left_alone(tmp_path: Path) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text('{"game": "flipping", "generations": 10}')
    with pytest.raises(ValueError, match=r"expected the settings of darkqi\.train"):
        train._keep_settings(train.Settings("flipping"), tmp_path)
    assert '"generations": 10' in settings.read_text()


def test_what_is_missing_is_said_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r"torch is missing: pip install 'darkqi\[train\]'"):
        train.train(train.Settings("flipping"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_run_begins_with_a_net(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    settings = train.Settings(
        game="flipping",
        generations=1,
        games=60,
        nodes=20,
        units=16,
        epochs=1,
        match_games=20,
        start="built-in",
    )
    train.train(settings, tmp_path, report=lambda _: None)
    dataset = json.loads((tmp_path / "generation-1/games/dataset.json").read_text())
    assert all("net=built-in" in agent for agent in dataset["agents"])


def test_a_first_net_with_a_comma_in_its_path_plays(tmp_path: Path) -> None:
    shipped = Path(__file__).parents[2] / "selfplay/engine/data/nets/flipping.safetensors"
    net = tmp_path / "lr=0.1,seed=2.safetensors"
    net.write_bytes(shipped.read_bytes())
    settings = train.Settings("flipping", start=str(net), nodes=20)
    agent = train._agent(settings, None)
    state = darkqi.State("flipping", 1)
    assert state.choose(agent) in state.legal_actions()


def test_a_net_is_trained_and_plays(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    settings = train.Settings(
        game="flipping", generations=1, games=400, nodes=60, units=16, match_games=400, elo=40.0
    )
    lines: list[str] = []
    net = train.train(settings, tmp_path, report=lines.append)
    assert net == tmp_path / "generation-1/net.safetensors"
    result = json.loads((tmp_path / "generation-1/result.json").read_text())
    assert result["is_accepted"]
    assert result["fit"]["net"] < result["fit"]["linear"]
    assert abs(result["fit"]["integers"] - result["fit"]["net"]) < 0.002
    assert sum(line.startswith("epoch ") for line in lines) == settings.epochs

    # No deal of the match was one to fit to.
    games = json.loads((tmp_path / "generation-1/games/dataset.json").read_text())
    match = json.loads((tmp_path / "generation-1/match/dataset.json").read_text())
    fitted = {game_seed(games["seed"], number) for number in range(settings.games)}
    assert fitted.isdisjoint(game_seed(match["seed"], block) for block in range(400))

    # Interrupted in the match, it goes on with the net that was fitted.
    (tmp_path / "generation-1/result.json").unlink()
    lines.clear()
    assert train.train(settings, tmp_path, report=lines.append) == net
    assert not any(line.startswith("epoch ") for line in lines)
    assert result == json.loads((tmp_path / "generation-1/result.json").read_text())

    # The same call finds everything done; other settings are refused.
    lines.clear()
    assert train.train(settings, tmp_path, report=lines.append) == net
    assert lines == []
    with pytest.raises(ValueError, match="holds a run with nodes 60, not 61"):
        train.train(settings._replace(nodes=61), tmp_path)
    match = darkqi.arena(
        "flipping", [f"expectimax:depth=2,net={net}", "expectimax:depth=2,net=none"], 100, seed=9
    )
    score = match.pairs[0].score
    assert score is not None
    assert score.value > 0.6

"""Rules from files: the same in every call, with the rules inside of datasets."""

import json
import pickle
import re
import tomllib
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from common import stepped

import darkqi

RULES = """
game = "banqi"
board = "5x3"
covered_captures = "attempt"
chain = true
[army]
P = 1
A = 1
E = 0
H = 1
R = "2/1"
[moves]
H = "N"
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(RULES)
    return path


def test_files_and_dictionaries_are_the_same_rules(rules: Path) -> None:
    by_file = darkqi.spec("banqi", rules=rules)
    assert by_file == darkqi.spec("banqi", rules=tomllib.loads(RULES))
    assert by_file == darkqi.spec("banqi", rules=str(rules), **{"army.E": 0})
    assert by_file != darkqi.spec("banqi", rules=rules, **{"army.E": 0, "army.C": 1})
    assert darkqi.spec("banqi", rules=None) == darkqi.spec("banqi")
    assert pickle.loads(pickle.dumps(by_file)) == by_file
    changed = {
        option.name
        for option in by_file.options
        if option.design and option.value != option.default
    }
    assert changed == {
        "board",
        "covered_captures",
        "chain",
        "army.P",
        "army.A",
        "army.E",
        "army.H",
        "army.R",
        "moves.H",
    }


def test_a_variant_is_played_logged_and_verified(rules: Path, tmp_path: Path) -> None:
    state = darkqi.State("banqi", seed=5, rules=rules)
    board, *_, turn = state.fen().split()
    assert board.count("/") == 2
    assert turn == "-"
    assert sorted(re.findall("[A-Za-z]", board)) == sorted("KAHRRCCPkahrccp")
    moves: list[int] = []
    while not state.is_terminal:
        actions = state.legal_actions()
        state.apply(actions[len(moves) % len(actions)])
        moves.append(state.ply)
    assert state.outcome is not None

    out = tmp_path / "games"
    darkqi.selfplay("banqi", out, 20, agents=["greedy", "random"], seed=1, rules=rules)
    assert darkqi.verify(out).games == 20
    options = json.loads((out / "dataset.json").read_text())["options"]
    assert options["board"] == "5x3"
    assert "moves.C" not in options

    step = stepped(darkqi.make("banqi", 8, seed=3, rules=rules), 200)
    assert np.asarray(step.action_mask).any(axis=1).all()


def test_adapters_take_rules() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    pytest.importorskip("darkqi.gymnasium")
    space = gymnasium.make("darkqi/Banqi-v0", rules="chain").action_space
    # All designs have the same actions, and the pass comes last.
    plain = darkqi.spec("banqi", no_moves="draw").num_actions
    assert space == gymnasium.spaces.Discrete(plain + 1)


def test_rules_are_any_mapping() -> None:
    rules = MappingProxyType({"army": MappingProxyType({"P": 3})})
    assert darkqi.spec("banqi", rules=rules) == darkqi.spec("banqi", **{"army.P": 3})


def test_rules_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no file nowhere.*one of: .*taiwan"):
        darkqi.make("banqi", 1, rules="nowhere")
    with pytest.raises(ValueError, match="rules: expected those of gaiqi, got some of banqi"):
        darkqi.State("gaiqi", rules="taiwan")
    with pytest.raises(ValueError, match="rules: expected those of gaiqi, got some of banqi"):
        darkqi.State("gaiqi", rules={"game": "banqi"})
    with pytest.raises(TypeError, match="rules: expected a path, a mapping or None, got int"):
        darkqi.State("banqi", rules=3)
    with pytest.raises(TypeError, match="rules: expected names of options, got int"):
        darkqi.State("banqi", rules={3: 4})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match=r"option `moves\.H` of banqi: `zN` is not a movement"):
        darkqi.State("banqi", rules={"moves": {"H": "zN"}})
    bad = tmp_path / "bad.toml"
    bad.write_text("game = 'banqi'\n[army]\nK = -1\n")
    with pytest.raises(ValueError, match=r"rules .*bad\.toml: option `army\.K` of banqi"):
        darkqi.spec("banqi", rules=bad)

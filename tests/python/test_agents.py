"""The list of agents, and how they are written."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import darkqi
from darkqi._darkqi import command_line


@pytest.fixture
def values(tmp_path: Path) -> Path:
    """A file whose path has commas and quotes."""
    folder = tmp_path / "batch=4,lr=0.1" / 'it\'s "x"'
    folder.mkdir(parents=True)
    path = folder / "values.toml"
    path.write_text("[jieqi]\nR = 9\n")
    return path


def quoted(path: Path) -> str:
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


def test_paths_with_commas_are_quoted(values: Path) -> None:
    text = f"greedy:values={quoted(values)}"
    plain = str(values).replace(",", "\\,")
    given: list[Any] = [
        [text, "random"],
        f"{text},random",
        f"greedy:values={plain},random",
        [{"name": "greedy", "values": values}, {"name": "random"}],
        [{"name": "greedy", "values": str(values)}, "random"],
    ]
    for agents in given:
        match = darkqi.arena("jieqi", agents, 2, seed=1)
        # The name is written so that it can be read back.
        assert [agent.agent for agent in match.agents] == [text, "random"]
    with pytest.raises(ValueError, match="if the comma before it is a part of the value"):
        darkqi.arena("jieqi", [f"greedy:values={values}", "random"], 2)


def test_quoted_agents_are_logged_and_resumed(values: Path, tmp_path: Path) -> None:
    agent: dict[str, Any] = {"name": "greedy", "values": values, "epsilon": 0.25}
    out = tmp_path / "data"
    darkqi.selfplay("jieqi", out, 2, agents=agent, seed=3)
    (names,) = set(map(tuple, pl.read_parquet(out / "games/*.parquet")["agents"].to_list()))
    assert names == (f"greedy:epsilon=0.25,values={quoted(values)}",) * 2
    assert darkqi.selfplay("jieqi", out, 4, agents=names[0], seed=3, resume=True).games == 4
    values.unlink()
    # The run has a copy.
    assert command_line(["darkqi", "selfplay", "--resume", "-n", "6", "-o", str(out), "-q"]) == 0
    assert darkqi.verify(out).faults == []


def test_dicts_are_agents_everywhere(values: Path, tmp_path: Path) -> None:
    agent: dict[str, Any] = {"name": "greedy", "values": values}
    assert darkqi.State("jieqi", 1).choose(agent, 1) == darkqi.State("jieqi", 1).choose(
        f"greedy:values={quoted(values)}", 1
    )
    darkqi.make("jieqi", 2, opponent=agent).reset()
    darkqi.strength("jieqi", tmp_path / "s", ["random", agent], 20, match_games=2, threads=1)
    faulty: list[Any] = [
        ({"values": "x"}, ValueError, "expected a dict with the agent's `name`, found none"),
        ({"name": "greedy", "depth": 1}, ValueError, "agent greedy has no option `depth`"),
        ({"name": "greedy", "epsilon": None}, TypeError, "option `epsilon`: expected str, a path"),
        ({"name": "onnx"}, ValueError, "with a FILE"),
    ]
    for given, error, fault in faulty:
        with pytest.raises(error, match=fault):
            darkqi.State("jieqi", 1).choose(given)


def test_agents_are_listed_with_their_options() -> None:
    agents = {agent.name: agent for agent in darkqi.agents()}
    assert list(agents) == sorted(agents)
    assert {"random", "greedy", "expectimax", "ismcts"} <= set(agents)
    for agent in agents.values():
        assert agent.about
        assert agent.options[-1].name == "epsilon"
        for option in agent.options:
            assert option.about
    state = darkqi.State("flipping", seed=1)
    for option in agents["greedy"].options:
        spec = f"greedy:{option.name}={option.default}"
        assert state.choose(spec) in state.legal_actions()

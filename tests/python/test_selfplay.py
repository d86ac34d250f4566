"""Self-play from Python, and its datasets in other tools."""

import json
import math
import pickle
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from common import contents, interrupted

import darkqi
import darkqi.datasets
from darkqi._darkqi import command_line
from darkqi._files import quoted

GAMES = 300


@pytest.fixture(scope="module", params=darkqi.games())
def dataset(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    game: str = request.param
    out = tmp_path_factory.mktemp("data") / game
    summary = darkqi.selfplay(game, out, GAMES, agents="greedy", seed=3, shard_games=128)
    assert summary.games == GAMES
    assert sum(summary.reasons.values()) == GAMES
    return out


def test_engines_read_the_same_rows(dataset: Path) -> None:
    arrow = pa.concat_tables(pq.read_table(f) for f in sorted(dataset.glob("games/*.parquet")))
    frame = pl.read_parquet(dataset / "games/*.parquet")
    rows = duckdb.execute(f"from '{dataset}/games/*.parquet' order by game_id").fetchall()
    assert arrow.num_rows == frame.height == len(rows) == GAMES
    assert pl.DataFrame(arrow).equals(frame)
    assert frame["game_id"].to_list() == [row[0] for row in rows] == list(range(GAMES))
    plies = pl.read_parquet(dataset / "plies/*.parquet")
    assert plies.height == frame["plies"].sum()


def test_columns_are_as_documented(dataset: Path) -> None:
    games = pq.read_schema(next(dataset.glob("games/*.parquet")))
    plies = pq.read_schema(next(dataset.glob("plies/*.parquet")))
    assert {field.name: str(field.type) for field in games} == {
        "game_id": "uint64",
        "seed": "uint64",
        "game": "string",
        "options": "string",
        "deal": "string",
        "agents": "list<element: string not null>",
        "plies": "uint16",
        "winner": "int8",
        "rewards": "list<element: float not null>",
        "terminated": "bool",
        "reason": "string",
        "first_player": "int8",
        "first_reveal_square": "string",
        "first_reveal_kind": "string",
        "first_reveal_color": "string",
        "first_reveal_player": "int8",
        "deal_id": "uint64",
    }
    assert {field.name: str(field.type) for field in plies} == {
        "game_id": "uint64",
        "ply": "uint16",
        "player": "int8",
        "action": "uint16",
        "move": "string",
        "legal_count": "uint16",
        "revealed": "string",
        "captured": "string",
        "captured_covered": "bool",
        "value": "list<element: float not null>",
        "policy": (
            "list<element: struct<action: uint16 not null, probability: float not null> not null>"
        ),
    }
    for schema in games, plies:
        keys = {key.decode() for key in schema.metadata}
        assert {f"darkqi.{key}" for key in ("schema_version", "game", "options", "seed")} <= keys
        assert {"darkqi.agents", "darkqi.software_version"} <= keys


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"games": 0}, ValueError, "games: expected an integer from 1 that fits 64 bits, got 0"),
        (
            {"shard_games": 0},
            ValueError,
            "shard_games: expected an integer from 1 that fits 64 bits, got 0",
        ),
        ({"quiet_limit": 1.5}, TypeError, "option `quiet_limit`: expected int, bool or str"),
        ({"agents": 3}, TypeError, "agents"),
        ({"out": ""}, ValueError, "expected a folder or a URL, found an empty text"),
        # Sequences that tell a length that no memory holds.
        ({"openings": range(10**12)}, TypeError, "openings: expected .*, got int in place 0"),
        ({"openings": range(10**18)}, TypeError, "openings: expected .*, got int in place 0"),
        ({"remove": range(10**12)}, TypeError, "remove: expected .*, got int in place 0"),
        ({"remove": "RP"}, TypeError, "remove: expected a sequence of names of pieces, got str"),
        (
            {"shards": range(10**12)},
            ValueError,
            "shards: expected a range within 0..1,.* got 0..1000000000000",
        ),
        ({"shards": [0] * 3}, TypeError, "shards: expected two integers"),
        (
            {"openings": "/dev/zero"},
            OSError,
            "openings /dev/zero: cannot be read: expected at most 16777216 bytes",
        ),
        ({"shards": range(0, 4, 2)}, TypeError, "a range of step 1, got range"),
        ({"shards": "01"}, TypeError, "two integers"),
        ({"shards": 3}, TypeError, "two integers"),
        ({"shards": (-1, 2)}, ValueError, "shards: expected an integer from 0"),
        ({"shards": (True, 2)}, TypeError, "shards: expected an integer from 0"),
        ({"openings": ["x"]}, ValueError, "opening `x`: deals of gaiqi vary; expected a full FEN"),
        ({"fen": "x/x"}, ValueError, "opening `x/x`: "),
        ({"fen": "x", "openings": ["x"]}, ValueError, "fen: expected None beside openings"),
        ({"openings": "no such file"}, OSError, "openings no such file: cannot be read"),
        ({"openings": 5}, TypeError, "openings: expected a path or a sequence of openings"),
        ({"random_plies": -1}, ValueError, "random_plies: expected an integer from 0"),
        ({"games": True}, TypeError, "games: expected an integer from 1"),
        ({"threads": 0}, ValueError, "threads: expected an integer from 1"),
        ({"threads": 99_999_999}, ValueError, "threads: expected at most 1024, got 99999999"),
        ({"seed": 2**64}, ValueError, "seed: expected an integer from -2"),
    ],
)
def test_bad_arguments_write_nothing(
    tmp_path: Path, arguments: dict[str, object], error: type[Exception], text: str
) -> None:
    out = tmp_path / "data"
    keywords: dict[str, object] = {"name": "gaiqi", "out": out, "games": 10, **arguments}
    with pytest.raises(error, match=text):
        darkqi.selfplay(**keywords)  # type: ignore[arg-type]
    assert not out.exists()
    assert not Path("dataset.json").exists()


def deals(path: Path) -> list[str]:
    return pl.read_parquet(path / "games" / "*.parquet")["deal"].to_list()


def test_games_begin_as_they_are_told_to(tmp_path: Path) -> None:
    openings = ["c2c3", "d2d3 d6d5"]
    file = tmp_path / "openings.txt"
    file.write_text("# a comment\n" + "\n".join(openings))
    positions = set()
    for opening in openings:
        state = darkqi.State("flipping")
        for move in opening.split():
            state.apply(move)
        positions.add(state.fen())
    for name, given in (("lines", openings), ("file", file)):
        darkqi.selfplay("flipping", tmp_path / name, 40, openings=given, agents="random")
        assert set(deals(tmp_path / name)) == positions
    darkqi.selfplay("flipping", tmp_path / "plies", 20, random_plies=4, agents="random")
    assert all(deal.endswith(" 4") for deal in deals(tmp_path / "plies"))
    start = darkqi.State("jieqi", seed=3)
    start.apply(start.legal_actions()[0])
    darkqi.selfplay("jieqi", tmp_path / "fen", 10, fen=start.fen(), remove=["P"], agents="random")
    for deal in deals(tmp_path / "fen"):
        assert deal.split()[0].count("~P") == start.fen().split()[0].count("~P") - 1
    match = darkqi.arena("flipping", ["greedy", "random"], 8, openings=openings, remove=["s"])
    assert (match.openings, match.remove, match.random_plies) == (openings, ["s"], 0)


def test_a_run_is_played_by_ranges_and_with_observations(tmp_path: Path) -> None:
    run: dict[str, Any] = {"seed": 2, "shard_games": 4}
    whole, out = tmp_path / "whole", tmp_path / "data"
    darkqi.selfplay("jieqi", whole, 10, observations=True, **run)
    assert darkqi.selfplay("jieqi", out, 10, shards=range(1, 3), **run).games == 6
    found = darkqi.finish(out)
    assert (found.complete, found.games, found.missing) == (False, 6, [(0, 1)])
    darkqi.selfplay("jieqi", out, 10, shards=found.missing[0], **run)
    assert darkqi.finish(out, threads=2).complete
    darkqi.selfplay("jieqi", out, 10, observations=True, resume=True, **run)
    assert contents(out) == contents(whole)
    # The rows of observations are those of training.
    rows = pl.concat([pl.read_parquet(it) for it in sorted((out / "observations").iterdir())])
    (batch,) = darkqi.datasets.load(out).batches(10**6, observation="tokens", shuffle=False)
    assert rows["game_id"].to_numpy().tolist() == batch.game_id.tolist()
    tokens = np.frombuffer(b"".join(rows["observation"]), np.uint8).reshape(len(rows), -1)
    np.testing.assert_array_equal(tokens, batch.observation)
    masks = np.frombuffer(b"".join(rows["action_mask"]), np.uint8).reshape(len(rows), -1)
    mask = np.unpackbits(masks, axis=1, bitorder="little")[:, : batch.action_mask.shape[1]]
    np.testing.assert_array_equal(mask, batch.action_mask)
    names = pq.read_metadata(out / "observations/00000.parquet").metadata[b"token_names"]
    assert json.loads(names) == darkqi.spec("jieqi").token_names


def test_a_failure_carries_the_results_so_far(tmp_path: Path) -> None:
    asked = 0

    def policy(*rows: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked == 400:
            raise KeyError("no idea")
        return rows[1].argmax(axis=1)

    def match(out: Path | None) -> Any:
        return darkqi.arena(
            "flipping",
            [policy, "random"],
            60,
            threads=1,
            batch_size=1,
            out=out,
            max_plies=40,
        )

    with pytest.raises(KeyError, match="no idea") as raised:
        match(tmp_path / "match")
    so_far = raised.value.so_far  # type: ignore[attr-defined]
    assert not so_far.complete
    assert 0 < so_far.pairs[0].games < 60
    counted = f"{so_far.pairs[0].games} of 60 games are counted"
    assert any(note.startswith(counted) for note in raised.value.__notes__)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.so_far, again.__notes__) == (so_far, raised.value.__notes__)
    found = match(tmp_path / "match")
    assert found.resumed_games == so_far.pairs[0].games
    assert found.pairs == match(None).pairs
    assert found.restarts == {}
    with interrupted(after=0.3) as stopped:
        darkqi.arena("flipping", ["greedy", "random"], 100_000, threads=1)
    so_far = stopped.value.so_far  # type: ignore[attr-defined]
    counted = f"{so_far.pairs[0].games} of 100000 games are counted"
    assert any(note.startswith(counted) for note in stopped.value.__notes__)
    # Nothing was played.
    with pytest.raises(ValueError, match="unknown agent") as refused:
        darkqi.arena("flipping", ["random", "nobody"], 60)
    assert not hasattr(refused.value, "so_far")
    (tmp_path / "file").touch()
    for out in (tmp_path / "file" / "x", tmp_path / "file"):
        with pytest.raises(OSError, match="file") as nowhere:
            darkqi.selfplay("flipping", out, 2)
        assert not hasattr(nowhere.value, "__notes__")


def test_infinite_and_unknown_figures() -> None:
    # The agents differ so much that one wins all of a few games.
    found = darkqi.arena("flipping", ["greedy", "random"], 2, seed=1)
    (pair,) = found.pairs
    assert pair.wins == 2, "choose another seed: greedy must win both games"
    assert pair.elo is not None
    assert pair.elo.value == pair.elo.high == math.inf
    assert math.isfinite(pair.elo.low)
    assert pair.normalized_elo is None
    assert (found.agents[1].elo, found.agents[1].elo_kind) == (None, "minus_infinity")


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"agents": 3}, TypeError, "agents"),
        ({"games": 0}, ValueError, "games: expected an integer from 1"),
        ({"random_plies": -1}, ValueError, "random_plies: expected an integer from 0"),
        (
            {"sprt": (1, 2, 3)},
            ValueError,
            r"sprt: expected two Elo differences, .* got \(1, 2, 3\)",
        ),
        (
            {"sprt": range(10**12)},
            ValueError,
            r"sprt: expected two .* got range\(0, 1000000000000\)",
        ),
        ({"sprt": 5}, TypeError, r"sprt: expected two Elo differences, \(elo0, elo1\), got 5"),
        ({"sprt": (0, 5), "alpha": 0.5}, ValueError, "alpha: expected a probability from 1e-9"),
        ({"beta": 0.1}, ValueError, "alpha, beta: expected sprt beside them"),
        ({"shards": (0, 1)}, ValueError, "shards: expected a folder beside them"),
        ({"journal": "match.jsonl"}, ValueError, "gaiqi has no option `journal`"),
    ],
)
def test_bad_arguments_are_named(
    arguments: dict[str, object], error: type[Exception], text: str
) -> None:
    keywords: dict[str, object] = {"name": "gaiqi", "agents": "greedy,random", **arguments}
    with pytest.raises(error, match=text):
        darkqi.arena(**keywords)  # type: ignore[arg-type]


def test_studies_name_what_is_wrong(tmp_path: Path) -> None:
    out, missing = tmp_path / "values", tmp_path / "missing"
    out.mkdir()
    with pytest.raises(ValueError, match="out: expected a folder that does not exist yet"):
        darkqi.balance_values("gaiqi", out)
    with pytest.raises(ValueError, match="agent random has no option `values`"):
        darkqi.balance_values("gaiqi", missing, agent="random")
    with pytest.raises(ValueError, match="rounds: expected an integer from 1"):
        darkqi.balance_values("gaiqi", missing, rounds=0)
    assert not missing.exists()
    with pytest.raises(ValueError, match=r"round \d: these games do not determine"):
        darkqi.balance_values("gaiqi", missing, 10)


@pytest.fixture
def values(tmp_path: Path) -> Path:
    """A file whose path has commas and quotes."""
    folder = tmp_path / "batch=4,lr=0.1" / 'it\'s "x"'
    folder.mkdir(parents=True)
    path = folder / "values.toml"
    path.write_text("[jieqi]\nR = 9\n")
    return path


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


def test_paths_are_quoted_as_agents_read_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("'x'", "a,\nb", 'a"b', "a\\", "a b"):
        path = Path(name, "values.toml")
        path.parent.mkdir()
        path.write_text("[jieqi]\nR = 9\n")
        darkqi.arena("jieqi", [f"greedy:values={quoted(path)}", "random"], 2, seed=1)


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
    numbers: dict[str, Any] = {"depth": np.int64(1), "epsilon": np.float32(0.5)}
    assert darkqi.State("jieqi", 1).choose({"name": "expectimax", **numbers}, 1) == darkqi.State(
        "jieqi", 1
    ).choose("expectimax:depth=1,epsilon=0.5", 1)
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


def test_levels_are_agents() -> None:
    for game in darkqi.games():
        state = darkqi.State(game, seed=1)
        for level in darkqi.levels(game):
            played = state.choose(f"level:{level.name}", seed=2)
            assert played == state.choose(level.agent, seed=2), level
    with pytest.raises(ValueError, match="one of beginner, easy, medium, hard, strong"):
        darkqi.State("gaiqi", 1).choose("level:eazy")
    with pytest.raises(ValueError, match="chess"):
        darkqi.levels("chess")


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

"""Self-play from Python, and its datasets in other tools."""

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from common import interrupted

import darkqi
import darkqi.datasets

GAMES = 300


@pytest.fixture(scope="module", params=darkqi.games())
def dataset(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small dataset of every game."""
    game: str = request.param
    out = tmp_path_factory.mktemp("data") / game
    summary = darkqi.selfplay(game, out, GAMES, agents="greedy", seed=3, shard_games=128)
    assert summary.games == GAMES
    assert sum(summary.reasons.values()) == GAMES
    return out


def test_summary_adds_up(tmp_path: Path) -> None:
    summary = darkqi.selfplay(
        "gaiqi", tmp_path / "data", 200, agents=["greedy", "random"], duplicate=True
    )
    greedy, random = summary.agents
    assert (greedy.name, random.name) == ("greedy", "random")
    assert greedy.wins + greedy.draws + greedy.losses + greedy.truncated == 200
    assert (greedy.wins, greedy.losses) == (random.losses, random.wins)
    assert greedy.score is not None
    assert 0.5 < greedy.score.low < greedy.score.value < greedy.score.high
    assert len(summary.seats) == 2
    lengths = summary.lengths
    assert lengths.min <= lengths.median <= lengths.max
    assert lengths.mean == pytest.approx(summary.plies / 200)
    assert summary.bytes == sum(f.stat().st_size for f in (tmp_path / "data").glob("*/*.parquet"))


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


def test_searches_log_values_and_policies(tmp_path: Path) -> None:
    darkqi.selfplay("flipping", tmp_path, 4, agents=["ismcts:sims=10", "greedy"], seed=2)
    plies = pl.read_parquet(tmp_path / "plies").filter(pl.col("legal_count") > 1)
    searched, greedy = plies.partition_by("player")
    assert greedy.select(pl.col("value", "policy").is_null().all()).row(0) == (True, True)
    assert searched["value"].list.len().unique().to_list() == [2]
    for row in searched.iter_rows(named=True):
        assert sum(row["value"]) == pytest.approx(0)
        assert sum(entry["probability"] for entry in row["policy"]) == pytest.approx(1)
        assert row["action"] in [entry["action"] for entry in row["policy"]]
    # The folder of a table is read as one table.
    names = ["action", "value", "policy"]
    arrow = pq.read_table(tmp_path / "plies", columns=names)
    assert arrow.num_rows == pl.read_parquet(tmp_path / "plies").height
    columns = "count(policy), max(policy[1].probability) <= 1"
    query = f"select {columns} from '{tmp_path}/plies/*.parquet'"
    assert duckdb.execute(query).fetchone() == (searched.height, True)


def test_deal_and_actions_reproduce_the_games(dataset: Path) -> None:
    games = pl.read_parquet(dataset / "games/*.parquet").head(20)
    plies = pl.read_parquet(dataset / "plies/*.parquet")
    for game in games.iter_rows(named=True):
        state = darkqi.State(game["game"], seed=game["seed"])
        assert state.fen() == game["deal"]
        moves = plies.filter(pl.col("game_id") == game["game_id"]).sort("ply")
        for number, ply in enumerate(moves.iter_rows(named=True)):
            assert ply["ply"] == number == state.ply
            assert ply["player"] == state.current_player
            assert ply["legal_count"] == len(state.legal_actions())
            assert ply["move"] == state.action_name(ply["action"])
            # The log of a game that hides nothing has the kind's letter, the last one of the name.
            start = -1 if state.spec.hides == "nothing" else 0
            seen = [
                (
                    reveal.revealed and reveal.revealed[start:],
                    reveal.captured and reveal.captured[start:],
                )
                for reveal in state.reveals(ply["action"])
            ]
            assert (ply["revealed"], ply["captured"]) in seen
            state.apply(ply["action"])
        outcome = state.outcome
        assert outcome is not None
        assert (outcome.reason, outcome.rewards) == (game["reason"], game["rewards"])
        assert game["winner"] == (outcome.winners[0] if len(outcome.winners) == 1 else -1)
        assert game["terminated"] is not state.is_truncated


def test_threads_and_shards_do_not_change_games(tmp_path: Path) -> None:
    frames = []
    for threads, shard_games in (1, 1000), (2, 64):
        out = tmp_path / f"{threads}"
        darkqi.selfplay("jieqi", out, 150, threads=threads, shard_games=shard_games, seed=9)
        frames.append(pl.read_parquet(out / "plies/*.parquet"))
    assert frames[0].equals(frames[1])


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"name": "chess"}, ValueError, "unknown game `chess`; the games are: "),
        ({"agents": "stockfish"}, ValueError, "unknown agent `stockfish`; the agents are: "),
        ({"agents": ["greedy"] * 3}, ValueError, "gaiqi has 2 seats; expected 2 agents or one"),
        ({"games": 0}, ValueError, "games: expected an integer from 1 that fits 64 bits, got 0"),
        (
            {"shard_games": 0},
            ValueError,
            "shard_games: expected an integer from 1 that fits 64 bits, got 0",
        ),
        ({"quiet_limit": -1}, ValueError, "option `quiet_limit` of gaiqi: -1 is not"),
        ({"quiet_limit": 1.5}, TypeError, "option `quiet_limit`: expected int, bool or str"),
        ({"agents": 3}, TypeError, "agents"),
        ({"out": ""}, ValueError, "expected a folder or a URL, found an empty text"),
        ({"luck_adjusted": True}, ValueError, "luck_adjusted: expected the half-width"),
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
        ({"games": -1}, ValueError, "games: expected an integer from 1"),
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


def test_a_dataset_is_not_overwritten(tmp_path: Path) -> None:
    darkqi.selfplay("gaiqi", tmp_path, 10)
    before = contents(tmp_path)
    with pytest.raises(OSError, match="already holds a dataset"):
        darkqi.selfplay("gaiqi", tmp_path, 10, seed=1)
    assert contents(tmp_path) == before


def test_interrupts_stop_and_keep_finished_shards(tmp_path: Path) -> None:
    with interrupted(after=1.0):
        darkqi.selfplay("jieqi", tmp_path, 300_000, agents="random", shard_games=50)
    kept = pl.read_parquet(tmp_path / "games/*.parquet")
    assert kept.height % 50 == 0
    assert kept.height > 0


def contents(folder: Path) -> dict[str, bytes]:
    """Returns the files of a dataset by their paths."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def test_the_same_call_resumes_and_gives_the_same_bytes(tmp_path: Path) -> None:
    def run(out: Path, games: int = 70) -> darkqi.Summary:
        return darkqi.selfplay(
            "gaiqi", out, games, agents=["greedy", "random"], shard_games=20, resume=True
        )

    expected = run(tmp_path / "whole")
    # The state after a kill: a listed shard, half of the next, and a lock without a holder.
    out = tmp_path / "killed"
    run(out, 20)
    (out / "plies/.00001.parquet.tmp").write_bytes(b"PAR1")
    (out / ".dataset.lock").write_text("process 1")
    found = run(out)
    elsewhere: dict[str, Any] = {"seconds": 0, "path": out, "kept_games": 0, "kept_plies": 0}
    assert replace(found, **elsewhere) == replace(expected, **elsewhere)
    assert contents(out) == contents(tmp_path / "whole")
    assert run(out).games == 70
    with pytest.raises(ValueError, match="shard_games: 20 there, 5000 asked for"):
        darkqi.selfplay("gaiqi", out, 70, agents=["greedy", "random"], resume=True)
    with pytest.raises(ValueError, match="games: expected at least 70, the number"):
        run(out, 30)
    assert contents(out) == contents(tmp_path / "whole")


def test_row_groups_tell_engines_what_to_skip(tmp_path: Path) -> None:
    darkqi.selfplay("jieqi", tmp_path, 3000, agents="random", seed=1)
    (file,) = tmp_path.glob("plies/*.parquet")
    footer = pq.ParquetFile(file).metadata
    groups = [footer.row_group(group) for group in range(footer.num_row_groups)]
    assert len(groups) > 2
    assert groups[0].column(0).path_in_schema == "game_id"
    ranges = [(g.column(0).statistics.min, g.column(0).statistics.max) for g in groups]
    # Adjacent groups share at most one game.
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(ranges))

    wanted = sum(ranges[1]) // 2
    query = pl.scan_parquet(file).filter(pl.col("game_id") == wanted)
    sql = f"from '{file}' where game_id = {wanted}"
    expected, rows = query.collect(), duckdb.execute(sql).fetchall()
    assert expected.height == len(rows) > 0
    # Engines that skip the other groups do not notice their damage.
    columns = [groups[0].column(column) for column in range(footer.num_columns)]
    end = 4 + sum(column.total_compressed_size for column in columns)
    data = file.read_bytes()
    file.write_bytes(data[:4] + bytes(end - 4) + data[end:])
    assert query.collect().equals(expected)
    assert duckdb.connect().execute(sql).fetchall() == rows
    with pytest.raises(OSError, match="deserialize"):
        pq.read_table(file)


@pytest.mark.parametrize("name", ["banqi", "jieqi"])
def test_observations_are_those_of_training(tmp_path: Path, name: str) -> None:
    out = tmp_path / "data"
    keywords: dict[str, Any] = {"seed": 2, "shard_games": 4, "observations": True}
    darkqi.selfplay(name, out, 6, **keywords)
    darkqi.selfplay(name, out, 10, resume=True, **keywords)
    files = sorted((out / "observations").iterdir())
    assert [file.name for file in files] == ["00000.parquet", "00001.parquet", "00002.parquet"]
    rows = pl.concat([pl.read_parquet(file) for file in files])
    (batch,) = darkqi.datasets.load(out).batches(10**6, observation="tokens", shuffle=False)
    assert rows["game_id"].to_numpy().tolist() == batch.game_id.tolist()
    assert rows["ply"].to_numpy().tolist() == batch.ply.tolist()
    tokens = np.frombuffer(b"".join(rows["observation"]), np.uint8).reshape(len(rows), -1)
    np.testing.assert_array_equal(tokens, batch.observation)
    masks = np.frombuffer(b"".join(rows["action_mask"]), np.uint8).reshape(len(rows), -1)
    mask = np.unpackbits(masks, axis=1, bitorder="little")[:, : batch.action_mask.shape[1]]
    np.testing.assert_array_equal(mask, batch.action_mask)
    names = pq.read_metadata(files[0]).metadata[b"token_names"]
    assert json.loads(names) == darkqi.spec(name).token_names
    # The other tables are read as before, and a changed file is found.
    assert darkqi.verify(out).faults == []
    files[0].write_bytes(files[1].read_bytes())
    (fault,) = darkqi.verify(out).faults
    assert fault.file == "observations/00000.parquet"


def test_ranges_of_shards_make_one_run(tmp_path: Path) -> None:
    keywords: dict[str, Any] = {"agents": ["greedy", "random"], "shard_games": 20, "seed": 4}
    one, many = tmp_path / "one", tmp_path / "many"
    darkqi.selfplay("gaiqi", one, 70, **keywords)
    assert darkqi.selfplay("gaiqi", many, 70, shards=(2, 4), **keywords).games == 30
    found = darkqi.finish(many)
    assert (found.complete, found.shards, found.run_shards) == (False, 2, 4)
    assert (found.games, found.missing, found.damages) == (30, [(0, 2)], [])
    assert not darkqi.datasets.load(many).is_complete
    assert darkqi.selfplay("gaiqi", many, 70, shards=range(1), **keywords).games == 20
    (missing,) = darkqi.finish(many).missing
    assert missing == (1, 2)
    assert darkqi.selfplay("gaiqi", many, 70, shards=missing, **keywords).games == 20
    assert darkqi.finish(many, threads=2).complete
    assert contents(many) == contents(one)
    assert darkqi.selfplay("gaiqi", many, 70, shards=range(4), **keywords).games == 70
    assert contents(many) == contents(one)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"shards": (0, 5)}, ValueError, r"within 0\.\.4, which .* got 0\.\.5"),
        ({"shards": (2, 2)}, ValueError, r"at least one of them; got 2\.\.2"),
        ({"shards": range(0, 4, 2)}, TypeError, "a range of step 1, got range"),
        ({"shards": (1, 2, 3)}, TypeError, "two integers"),
        ({"shards": "01"}, TypeError, "two integers"),
        ({"shards": 3}, TypeError, "two integers"),
        ({"shards": (-1, 2)}, ValueError, "shards: expected an integer from 0"),
        ({"shards": (True, 2)}, TypeError, "shards: expected an integer from 0"),
        ({"shards": (0, 1), "until": 0.1}, ValueError, "until=0.1 depends on the shards before"),
        (
            {"shards": (0, 1), "agents": "expectimax:time=5"},
            ValueError,
            "agent expectimax:time=5 plays by the clock",
        ),
    ],
)
def test_faulty_ranges_of_shards_write_nothing(
    tmp_path: Path, arguments: dict[str, object], error: type[Exception], text: str
) -> None:
    out = tmp_path / "data"
    keywords: dict[str, object] = {"name": "gaiqi", "out": out, "games": 40, "shard_games": 10}
    with pytest.raises(error, match=text):
        darkqi.selfplay(**keywords, **arguments)  # type: ignore[arg-type]
    assert not out.exists()
    with pytest.raises(FileNotFoundError):
        darkqi.finish(out)

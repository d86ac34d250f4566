"""Envs that log their games: ``make(log=...)``."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from common import python, stepped

import darkqi
import darkqi.datasets


def sound(folder: Path) -> int:
    found = darkqi.verify(folder)
    assert found.complete
    assert found.faults == []
    games: int = found.games
    return games


@pytest.mark.parametrize("keywords", [{}, {"opponent": "greedy"}, {"groups": 3, "threads": 1}])
def test_all_games_that_end_are_logged(tmp_path: Path, game: str, keywords: dict[str, Any]) -> None:
    options: dict[str, Any] = {"max_plies": 60}
    finished = []
    with darkqi.make(game, 7, 5, log=tmp_path / "data", **keywords, **options) as env:
        assert isinstance(env, darkqi.Env)
        env.reset()
        for _ in range(150):
            seeds = env.seeds.copy()
            ts = env.step(env.sample_actions())
            for lane in np.flatnonzero(ts.terminated | ts.truncated):
                finished.append((int(seeds[lane]), ts.reward[lane].tolist()))
    games = pl.read_parquet(tmp_path / "data/games/*.parquet").sort("game_id")
    assert sound(tmp_path / "data") == len(games) == len(finished) > 7
    assert sorted(zip(games["seed"], games["rewards"].to_list(), strict=True)) == sorted(finished)
    agents = {tuple(sorted(names)) for names in games["agents"]}
    seats = darkqi.spec(game, **options).num_players
    other = ["greedy"] if "opponent" in keywords else ["caller"]
    assert agents == {("caller", *other * (seats - 1))}


def test_values_and_policies_are_logged(tmp_path: Path) -> None:
    said: dict[int, list[Any]] = {}
    with darkqi.make("flipping", 3, seed=0, log=tmp_path / "data", log_agent="even") as env:
        ts = env.reset()
        for _ in range(400):
            policy = ts.action_mask / ts.action_mask.sum(axis=1, keepdims=True)
            value = np.random.default_rng(env.seeds[0]).uniform(-1, 1, (3, 2)).astype(np.float32)
            for lane, seed in enumerate(env.seeds):
                said.setdefault(int(seed), []).append(value[lane].tolist())
            ts = env.step(env.sample_actions(), value, policy)
    sound(tmp_path / "data")
    games = pl.read_parquet(tmp_path / "data/games/*.parquet")
    plies = pl.read_parquet(tmp_path / "data/plies/*.parquet")
    assert games["agents"].to_list() == [["even", "even"]] * len(games)
    assert plies["policy"].list.len().to_list() == plies["legal_count"].to_list()
    logged = plies.join(games.select("game_id", "seed"), on="game_id")
    for (seed,), of_game in logged.group_by("seed"):
        assert of_game.sort("ply")["value"].to_list() == said[int(str(seed))][: len(of_game)]


def test_a_second_env_adds_games(tmp_path: Path) -> None:
    for seed in (1, 2):
        with darkqi.make("banqi", 16, seed, log=tmp_path / "data") as env:
            stepped(env, 200)
    games = pl.read_parquet(tmp_path / "data/games/*.parquet").sort("game_id")
    assert sound(tmp_path / "data") == len(games)
    assert games["game_id"].to_list() == list(range(len(games)))
    assert len(list((tmp_path / "data/games").iterdir())) == 2
    assert games["seed"].n_unique() == len(games)
    # The analyses accept it like a dataset of self-play.
    assert darkqi.first_reveal(tmp_path / "data").revealer is not None
    assert darkqi.datasets.load(tmp_path / "data").games.collect().height == len(games)


def test_other_datasets_are_refused(tmp_path: Path) -> None:
    darkqi.selfplay("banqi", tmp_path / "run", 3)
    with pytest.raises(ValueError, match="holds a run of self-play; expected a recorded dataset"):
        darkqi.make("banqi", 1, seed=0, log=tmp_path / "run")
    darkqi.make("banqi", 1, seed=0, log=tmp_path / "data").close()
    with pytest.raises(ValueError, match=r'game: "banqi" there, "jieqi" asked for'):
        darkqi.make("jieqi", 1, seed=0, log=tmp_path / "data")
    with pytest.raises(ValueError, match="agents: "):
        darkqi.make("banqi", 1, seed=0, log=tmp_path / "data", opponent="greedy")
    env = darkqi.make("banqi", 1, seed=0, log=tmp_path / "data")
    with pytest.raises(OSError, match="is being written by process"):
        darkqi.make("banqi", 1, seed=0, log=tmp_path / "data")
    env.close()


def test_wrong_values_and_policies_change_nothing(tmp_path: Path) -> None:
    with darkqi.make("banqi", 2, seed=0, log=tmp_path / "data") as env:
        ts = env.reset()
        before, actions = ts.copy(), env.sample_actions()
        even = ts.action_mask / ts.action_mask.sum(axis=1, keepdims=True)
        wrong: list[tuple[Any, Any, type[Exception], str]] = [
            (np.zeros((2, 3)), None, ValueError, r"value: expected shape \(2, 2\)"),
            (np.zeros((2, 2), int), None, TypeError, "value: .* floats such as float32"),
            (np.full((2, 2), np.inf), None, ValueError, "lane 0: value: expected finite numbers"),
            (np.full((2, 2), 7.0), None, ValueError, "lane 0: value: .* from -1 to 1, got 7"),
            (None, even * [[1], [0.5]], ValueError, "lane 1: policy: .* add up to 1"),
            (None, np.full_like(even, 0.1), ValueError, "lane 0: policy: action .* is not legal"),
        ]
        for value, policy, error, fault in wrong:
            with pytest.raises(error, match=fault):
                env.step(actions, value, policy)
        np.testing.assert_array_equal(ts.observation, before.observation)
        env.step(actions, policy=even)
    env = darkqi.make("banqi", 2, seed=0)
    env.reset()
    with pytest.raises(ValueError, match="value, policy: expected a batch whose games are logged"):
        env.step(env.sample_actions(), np.zeros((2, 2)))


@pytest.mark.parametrize("fault", ["values", "rows"])
def test_what_is_said_of_a_step_that_fails_is_not_logged(tmp_path: Path, fault: str) -> None:
    env = darkqi.make("banqi", 2, 1, groups=2, copy=False, log=tmp_path / "data", max_plies=6)
    rows = env.reset().observation
    value = np.full((2, 2), 0.25, np.float32)
    if fault == "values":
        # The rows of the first group are sound.
        value[1] = np.nan
    else:
        rows.flags.writeable = False
    with pytest.raises((TypeError, ValueError), match=r"lane 1: value|not writeable"):
        env.step(env.sample_actions(), value)
    rows.flags.writeable = True
    for _ in range(6):
        env.step(env.sample_actions())
    env.close()
    plies = [ply for game in (0, 1) for ply in darkqi.replay(tmp_path / "data", game).plies]
    assert [ply.value for ply in plies] == [None] * 12


@pytest.mark.parametrize("groups", [1, 2])
def test_a_closed_log_accepts_no_games(tmp_path: Path, groups: int) -> None:
    env = darkqi.make("banqi", 64, seed=0, groups=groups, log=tmp_path / "data")
    env.reset()
    calls: list[Callable[[], object]] = [
        lambda: env.step(env.sample_actions()),
        env.reset,
        lambda: env.reset(1),
    ]
    if groups == 2:
        env.recv()
        calls = [lambda: env.send(env.sample_actions())]
    env.close()
    env.close()
    before = [env.state(lane) for lane in range(64)]
    for call in calls:
        with pytest.raises(RuntimeError, match="the env was closed"):
            call()
    assert [env.state(lane) for lane in range(64)] == before


def test_an_env_without_a_log_has_nothing_to_close() -> None:
    with darkqi.make("banqi", 4, seed=0) as env:
        env.reset()
    env.close()
    assert env.step(env.sample_actions()).reward.shape == (4, 2)


# A limit on the size of files stands for the space on a disk.
RETRIED = """
import resource, signal, sys
import darkqi

def allow(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

log, groups, then = sys.argv[1], int(sys.argv[2]), sys.argv[3]
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
allow(100_000)
env = darkqi.make("banqi", 64, 7, log=log, max_plies=60, groups=groups)
ts, ended, faults = env.reset(), 0, []
# Not even one game fits.
allow(10)
while len(faults) < 3:
    actions, before = env.sample_actions(), [env.state(lane).fen() for lane in range(64)]
    try:
        ts = env.step(actions)
    except OSError as error:
        faults.append(str(error))
        assert [env.state(lane).fen() for lane in range(64)] == before
    else:
        ended += int((ts.terminated | ts.truncated).sum())
assert all("games that have ended are kept in memory" in fault for fault in faults), faults
assert ended > 50, ended
if then == "close":
    try:
        env.close()
    except OSError as error:
        assert "kept in memory" in str(error), error
    else:
        raise AssertionError("closed")
allow(resource.RLIM_INFINITY)
if then == "step":
    for _ in range(100):
        ts = env.step(env.sample_actions())
        ended += int((ts.terminated | ts.truncated).sum())
env.close()
env.close()
print(ended)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of files")
@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize("then", ["step", "close"])
def test_nothing_is_lost_while_a_disk_is_full(tmp_path: Path, groups: int, then: str) -> None:
    log = tmp_path / "data"
    ended = python(RETRIED, str(log), str(groups), then)
    found = darkqi.verify(log)
    assert (found.fault_count, found.complete) == (0, True)
    assert found.games == int(ended)
    # The games are those of a log that was never in need.
    games = darkqi.datasets.load(log).games.collect()
    assert games["seed"].n_unique() == len(games)


def test_a_damaged_log_is_not_extended(tmp_path: Path) -> None:
    log = tmp_path / "data"
    for _ in range(2):
        with darkqi.make("gaiqi", 8, 1, log=log, max_plies=20) as env:
            stepped(env, 25)
    file = log / "plies/00000.parquet"
    whole = file.read_bytes()
    file.write_bytes(whole[:40] + bytes([whole[40] ^ 1]) + whole[41:])
    before = (log / "dataset.json").read_bytes()
    with pytest.raises(OSError, match=r"plies/00000\.parquet: expected the XXH64 checksum"):
        darkqi.make("gaiqi", 8, 1, log=log, max_plies=20)
    assert (log / "dataset.json").read_bytes() == before


CHILD = """
import os, sys
import darkqi

log, what = sys.argv[1:]
env = darkqi.make("gaiqi", 8, 1, log=log, max_plies=20)
env.reset()
for _ in range(25):
    env.step(env.sample_actions())
child = os.fork()
if child == 0:
    if what == "step":
        try:
            for _ in range(100):
                env.step(env.sample_actions())
        except Exception as error:
            text = str(error)
            os._exit(0 if "expected an env of its own in a forked process" in text else 1)
        os._exit(2)
    if what == "close":
        env.close()
        os._exit(0)
    del env
    if what == "del":
        os._exit(0)
    sys.exit(0)
_, status = os.waitpid(child, 0)
for _ in range(25):
    env.step(env.sample_actions())
env.close()
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no forks")
@pytest.mark.parametrize("what", ["step", "close", "del", "exit"])
def test_a_forked_process_leaves_the_log_to_its_parent(tmp_path: Path, what: str) -> None:
    log = tmp_path / "data"
    python(CHILD, str(log), what)
    assert sound(log) > 8

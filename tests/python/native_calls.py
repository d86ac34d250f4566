"""Calls that use native threads, for tests in other processes.

It imports little, because spawned processes import it again.
"""

import hashlib
import multiprocessing
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import darkqi
import darkqi.datasets
from darkqi import _darkqi

GAME = "banqi"
METHODS = multiprocessing.get_all_start_methods()
# Seconds after which a process is taken to hang. The slowest call takes two on an idle machine.
PATIENCE = 120


def played(path: Path) -> Path:
    """Plays a dataset with values for the inputs of nets, and results that fit piece values."""
    agent = "expectimax:depth=1,epsilon=0.2"
    darkqi.selfplay(GAME, path, 60, agents=agent, seed=5, shard_games=15)
    return path


def digest(*arrays: Any) -> str:
    sha = hashlib.sha256()
    for array in arrays:
        sha.update(array.tobytes())
    return sha.hexdigest()


def steps(env: darkqi.Env) -> str:
    env.reset()
    for _ in range(20):
        ts = env.step(env.sample_actions())
    return digest(ts.observation, ts.action_mask, env.observe("public"), env.covered_pieces())


def steps_in_groups(env: darkqi.Env) -> str:
    """Plays 10 steps in each of two groups."""
    env.reset()
    for _ in range(20):
        ts = env.recv()
        env.send(env.sample_actions())
    env.wait()
    return digest(ts.observation, env.seeds)


def logged_steps(out: Path) -> object:
    """Logs games and verifies them."""
    with darkqi.make(GAME, 64, seed=1, max_plies=9, log=out) as env:
        steps(env)
    return darkqi.verify(out).fault_count, darkqi.datasets.load(out).num_games > 0


def judged(out: Path) -> object:
    darkqi.selfplay(GAME, out, 4, agents="greedy", seed=2)
    return darkqi.first_reveal(out, aivat=True, threads=2)


def finished(out: Path) -> object:
    """Plays the shards of a run one by one and finishes it."""
    for shard in range(2):
        shards = (shard, shard + 1)
        darkqi.selfplay(GAME, out, 40, seed=2, shard_games=20, shards=shards)
    return darkqi.finish(out).complete


def rows(path: Path, **settings: Any) -> str:
    batches = darkqi.datasets.load(path).batches(500, seed=3, **settings)
    return digest(*(batch.observation for batch in batches))


def value_positions(path: Path) -> str:
    found = _darkqi.value_positions(path)
    return digest(found.inputs, found.starts, found.results)


def report(path: Path, out: Path) -> str:
    written = darkqi.report(path, out)
    return written.headline + hashlib.sha256(out.read_bytes()).hexdigest()


def balanced(out: Path) -> object:
    """Fits piece values to two rounds of games."""
    found = darkqi.balance_values(GAME, out, 300, rounds=2, test_games=20, sprt=(-500, 500))
    return [value.fitted.value for value in found.rounds[-1].values]


# By name: what is called with a dataset and with a path that does not exist yet. The results are
# the same in each process. A name begins with that of the public function.
CALLS: dict[str, Callable[[Path, Path], object]] = {
    "make": lambda _path, _out: steps(darkqi.make(GAME, 300, seed=1)),
    "make with threads": lambda _path, _out: steps(darkqi.make(GAME, 300, seed=1, threads=2)),
    "make with an opponent": lambda _path, _out: steps(
        darkqi.make(GAME, 100, seed=1, opponent="greedy")
    ),
    "make with an opponent that searches": lambda _path, _out: steps(
        darkqi.make(GAME, 20, seed=1, opponent="expectimax:depth=1")
    ),
    "make with groups": lambda _path, _out: steps_in_groups(
        darkqi.make(GAME, 300, seed=1, groups=2)
    ),
    "make with a log": lambda _path, out: logged_steps(out),
    "State.perft": lambda _path, _out: darkqi.State("jieqi", seed=1).perft(4),
    "State.choose": lambda _path, _out: darkqi.State("jieqi", seed=1).choose(
        "expectimax:depth=2", seed=1
    ),
    "selfplay": lambda _path, out: darkqi.selfplay(GAME, out, 40, seed=2, shard_games=20).plies,
    "selfplay with a policy": lambda _path, out: (
        darkqi.selfplay(
            GAME,
            out,
            4,
            agents=[lambda _rows, mask, _player: mask.argmax(axis=1), "random"],
            seed=2,
        ).plies
    ),
    "arena": lambda _path, _out: darkqi.arena(GAME, "greedy,random", 40, seed=2).pairs[0].wins,
    "strength": lambda _path, out: repr(
        darkqi.strength(GAME, out, ["random", "greedy"], 40, match_games=20, threads=2).trends
    ),
    "sweep": lambda _path, out: repr(
        darkqi.sweep(GAME, out, {"quiet_limit": [20, 40]}, ["random"], 40, threads=2).skill
    ),
    "balance_values": lambda _path, out: balanced(out),
    "finish": lambda _path, out: finished(out),
    "verify": lambda path, _out: darkqi.verify(path),
    "replay": lambda path, _out: darkqi.replay(path, 17).plies,
    "first_reveal": lambda path, _out: darkqi.first_reveal(path),
    "compare": lambda path, _out: darkqi.compare([path, path]),
    "first_reveal with aivat": lambda _path, out: judged(out),
    "first_reveal with threads": lambda path, _out: darkqi.first_reveal(path, threads=2),
    "piece_values_by_phase": lambda path, _out: darkqi.piece_values_by_phase(path, threads=2),
    "piece_values_by_region": lambda path, _out: darkqi.piece_values_by_region(path, threads=2),
    "piece_values": lambda path, _out: darkqi.piece_values(path),
    "piece_values with threads": lambda path, _out: darkqi.piece_values(path, threads=2),
    "report": report,
    "value_positions": lambda path, _out: value_positions(path),
    "Dataset.batches": lambda path, _out: rows(path),
    "Dataset.batches with threads": lambda path, _out: rows(path, threads=2),
}


def call(name: str, path: Path, out: Path) -> str:
    """Makes one of the calls and returns its result as text."""
    return repr(CALLS[name](path, out))


def put(answers: Any, names: list[str], path: Path, out: Path) -> None:
    """Makes some of the calls and sends their results to the parent, by name."""
    answers.send({name: call(name, path, out / str(place)) for place, name in enumerate(names)})


def in_process(method: str, target: Callable[..., None], *arguments: Any) -> Any:
    """Returns what a function sends in a process of its own, which gets the end of a pipe first.

    Fails if the process takes too long or ends otherwise.
    """
    context: Any = multiprocessing.get_context(method)
    answers, sender = context.Pipe(duplex=False)
    process = context.Process(target=target, args=(sender, *arguments))
    with warnings.catch_warnings():
        # Python warns of forks in processes with threads, which is what is tested.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    sender.close()
    try:
        assert answers.poll(PATIENCE), f"no answer after {PATIENCE} seconds"
        try:
            return answers.recv()
        except EOFError:
            process.join(PATIENCE)
            raise AssertionError(f"the process ended with {process.exitcode}") from None
    finally:
        process.kill()
        process.join()


def pid_and_rows(path: Path) -> tuple[int, str]:
    """Reads an epoch, and says in which process."""
    return os.getpid(), rows(path)

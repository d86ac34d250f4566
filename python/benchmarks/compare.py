"""Compare darkqi with other simulators on the same task: `python python/benchmarks/compare.py`.

Random play with auto-reset; every step writes observation and mask of legal actions. All contenders
are prepared first and then timed in turn, round by round, so that other load on the host slows all
of them. `pip install --group benchmarks` installs the other simulators.
"""

import argparse
import json
import os
import platform
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import metadata
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import numpy as np

import darkqi

if TYPE_CHECKING:
    import pyspiel


@dataclass(frozen=True)
class Contender:
    """One library playing one game in one way.

    `burst` plays some steps between two readings of the clock and returns their number; one step is
    one player's action in one game. Each plays a uniformly random legal action in every lane,
    writes the observation and the mask of legal actions of every lane, and starts a new game where
    one has ended. Preparation and compilation happen before.
    """

    library: str
    game: str
    how: str
    lanes: int
    burst: Callable[[], int]
    # The darkqi game for the ratio: the same game or one with a similar board.
    beside: str

    def play(self, seconds: float) -> int:
        """Plays for about this time, and returns the steps."""
        steps, end = self.burst(), perf_counter() + seconds
        while perf_counter() < end:
            steps += self.burst()
        return steps


@dataclass(frozen=True)
class Missing:
    """A library that is not installed."""

    library: str
    install: str


# The name of banqi with the rules of OpenSpiel's (RULES.md section 2).
OPEN_SPIEL_BANQI = "banqi as OpenSpiel's"
OPEN_SPIEL_OPTIONS: dict[str, Any] = {
    "cannon": "jump",
    "quiet_limit": 50,
    "repetition": False,
}


def darkqi_contenders(lanes: list[int], threads: list[int]) -> Iterator[Contender]:
    """Yields every game, banqi also with OpenSpiel's rules."""
    games: list[tuple[str, str, dict[str, Any]]] = [(name, name, {}) for name in darkqi.games()]
    games.append((OPEN_SPIEL_BANQI, "banqi", OPEN_SPIEL_OPTIONS))
    for title, name, options in games:
        for lane_count in lanes:
            # A batch of one lane cannot use a second thread.
            for thread_count in threads if lane_count > 1 else threads[:1]:
                yield darkqi_batch(title, name, lane_count, thread_count, options)


def darkqi_batch(
    title: str, name: str, lanes: int, threads: int, options: dict[str, Any]
) -> Contender:
    """Returns a batch whose lanes are out of phase."""
    env = darkqi.make(name, lanes, threads=threads, **options)
    env.reset()

    def step() -> int:
        ts = env.step(env.sample_actions())
        return int(np.count_nonzero(ts.terminated)) + int(np.count_nonzero(ts.truncated))

    def burst() -> int:
        step()
        return lanes

    ended = 0
    while ended < 2 * lanes:
        ended += step()
    how = f"{threads} thread{'s' if threads > 1 else ''}"
    return Contender("darkqi", title, how, lanes, burst, beside=title)


STATES_BURST = 100


def open_spiel_contenders() -> Iterator[Contender | Missing]:
    """Yields banqi and xiangqi, each by OpenSpiel's tutorials and with reused buffers."""
    try:
        import pyspiel
    except ImportError:
        yield Missing("OpenSpiel", "open-spiel")
        return
    for name, beside in [("banqi", OPEN_SPIEL_BANQI), ("xiangqi", "jieqi")]:
        game = pyspiel.load_game(name)
        for how, observe in [("lists", lists(game)), ("reused buffers", buffers(game))]:
            yield Contender("OpenSpiel", name, how, 1, states_player(game, observe), beside)


def states_player(
    game: "pyspiel.Game", observe: Callable[["pyspiel.State"], list[int]]
) -> Callable[[], int]:
    """Returns a function that plays games in sequence; `observe` returns the legal actions."""
    deal = game.new_initial_state()
    state = deal.clone()

    def sample_chance() -> None:
        while state.is_chance_node():
            outcomes, odds = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(random.choices(outcomes, odds)[0])

    legal = observe(state)

    def burst() -> int:
        nonlocal state, legal
        for _ in range(STATES_BURST):
            state.apply_action(random.choice(legal))
            sample_chance()
            if state.is_terminal():
                state = deal.clone()
            legal = observe(state)
        return STATES_BURST

    return burst


def lists(_: "pyspiel.Game") -> Callable[["pyspiel.State"], list[int]]:
    """Observation and mask as new lists."""

    def observe(state: "pyspiel.State") -> list[int]:
        state.observation_tensor(state.current_player())
        state.legal_actions_mask()
        legal: list[int] = state.legal_actions()
        return legal

    return observe


def buffers(game: "pyspiel.Game") -> Callable[["pyspiel.State"], list[int]]:
    """Observation and mask in reused arrays."""
    from open_spiel.python.observation import make_observation

    observation = make_observation(game)
    mask = np.zeros(game.num_distinct_actions(), dtype=np.bool_)

    def observe(state: "pyspiel.State") -> list[int]:
        observation.set_from(state, state.current_player())
        legal: list[int] = state.legal_actions()
        mask.fill(False)
        mask[legal] = True
        return legal

    return observe


AGENTS_BURST = 20


def pettingzoo_contenders() -> Iterator[Contender | Missing]:
    """Yields chess with PettingZoo's wrappers and without."""
    try:
        from pettingzoo.classic import chess_v6
    except ImportError:
        yield Missing("PettingZoo", '"pettingzoo[classic]"')
        return
    for how, make in [("env", chess_v6.env), ("raw_env", chess_v6.raw_env)]:
        yield Contender("PettingZoo", "chess", how, 1, agents_player(make()), "jieqi")


def agents_player(env: Any) -> Callable[[], int]:
    """Returns a function that plays games in sequence."""
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def burst() -> int:
        for _ in range(AGENTS_BURST):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation, *_ = env.last()
            env.step(rng.choice(np.flatnonzero(observation["action_mask"])))
        return AGENTS_BURST

    return burst


# With the darkqi game of the most similar board size.
PGX_GAMES = {
    "animal_shogi": "gaiqi",
    "gardner_chess": "flipping",
    "chess": "jieqi",
    "shogi": "jieqi",
}


def pgx_contenders(lanes: list[int]) -> Iterator[Contender | Missing]:
    """Yields each game in batches of each size."""
    # Set before JAX selects a device: this comparison is of CPUs.
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    try:
        import pgx
    except ImportError:
        yield Missing("Pgx", "pgx jax")
        return
    for name, beside in PGX_GAMES.items():
        env = pgx.make(name)
        for lane_count in lanes:
            how = "jit, vmap"
            yield Contender("Pgx", name, how, lane_count, compiled_player(env, lane_count), beside)


def compiled_player(env: Any, lanes: int) -> Callable[[], int]:
    """Returns a function that plays a batch; compiles everything here."""
    import jax
    import jax.numpy as jnp
    from pgx.experimental import auto_reset

    step_lane = auto_reset(env.step, env.init)

    def step_batch(state: Any, key: Any) -> Any:
        key, sample, chance = jax.random.split(key, 3)
        # One random rank per lane is cheaper than a random number per action.
        ranks = jnp.cumsum(state.legal_action_mask, axis=1, dtype=jnp.int32)
        chosen = jax.random.randint(sample, (lanes, 1), 0, ranks[:, -1:])
        actions = jnp.argmax(ranks > chosen, axis=1)
        state = jax.vmap(step_lane)(state, actions, jax.random.split(chance, lanes))
        return state, key

    # The new state reuses the memory of the old one.
    step = jax.jit(step_batch, donate_argnums=(0, 1))
    key, deal = jax.random.split(jax.random.key(0))
    state = jax.jit(jax.vmap(env.init))(jax.random.split(deal, lanes))
    now = step(state, key)
    jax.block_until_ready(now)

    def burst() -> int:
        nonlocal now
        # Dispatch is asynchronous: wait for the result.
        now = jax.block_until_ready(step(*now))
        return lanes

    return burst


PACKAGES = ["darkqi", "numpy", "open-spiel", "pgx", "jax", "pettingzoo", "chess"]


@dataclass
class Result:
    """The measurements of a contender, by round."""

    contender: Contender
    steps: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    # Summed over all cores.
    core_seconds: list[float] = field(default_factory=list)

    def time(self, seconds: float) -> None:
        """Plays and times one round."""
        clock, cores = perf_counter(), process_time()
        steps = self.contender.play(seconds)
        self.seconds.append(perf_counter() - clock)
        self.core_seconds.append(process_time() - cores)
        self.steps.append(steps)

    def rates(self) -> list[float]:
        """Returns the steps per second of each round."""
        return [n / t for n, t in zip(self.steps, self.seconds, strict=True)]

    def core_rate(self) -> float:
        """Returns the median steps per core-second."""
        return median(n / t for n, t in zip(self.steps, self.core_seconds, strict=True))


def main() -> None:
    """Runs the comparison and prints it as JSON."""
    args = arguments()
    found = [
        contender
        for name, contenders in libraries(args)
        if args.only is None or name in args.only
        for contender in contenders()
    ]
    missing = [one for one in found if isinstance(one, Missing)]
    results = [Result(one) for one in found if isinstance(one, Contender)]
    for result in results:
        # Warm-up: the first round pays for page faults and caches.
        result.contender.play(args.seconds / 4)
    for _ in range(args.rounds):
        for result in results:
            result.time(args.seconds)
    print(json.dumps(report(results, missing), indent=2))


def arguments() -> argparse.Namespace:
    """Reads the command line."""
    names = ["darkqi", "open_spiel", "pgx", "pettingzoo"]
    cores = os.cpu_count() or 1
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=positive(float), default=1.0, help="of each round")
    parser.add_argument("--rounds", type=positive(int), default=5)
    parser.add_argument("--lanes", type=positive(int), nargs="+", default=[1, 1024], help="darkqi")
    parser.add_argument(
        "--threads",
        type=positive(int),
        nargs="+",
        default=sorted({1, cores}),
        help="darkqi [default: 1 and one per core]",
    )
    parser.add_argument("--pgx-lanes", type=positive(int), nargs="+", default=[8, 64, 1024])
    parser.add_argument("--only", choices=names, nargs="+", help="these libraries")
    return parser.parse_args()


def positive(number: type[int] | type[float]) -> Callable[[str], float]:
    """Returns a parser of numbers above 0."""

    def read(text: str) -> float:
        value = number(text)
        if not 0 < value < float("inf"):
            raise argparse.ArgumentTypeError(f"expected a number above 0, got {text}")
        return value

    read.__name__ = number.__name__
    return read


def libraries(
    args: argparse.Namespace,
) -> Iterator[tuple[str, Callable[[], Iterator[Contender | Missing]]]]:
    """Yields each library's name and the generator of its contenders."""
    yield "darkqi", lambda: darkqi_contenders(args.lanes, args.threads)
    yield "open_spiel", open_spiel_contenders
    yield "pgx", lambda: pgx_contenders(args.pgx_lanes)
    yield "pettingzoo", pettingzoo_contenders


def ratio(result: Result, results: list[Result]) -> float | None:
    """Returns the rate per core-second of darkqi's fastest batch over this one."""
    rates = [
        other.core_rate()
        for other in results
        if other.contender.library == "darkqi" and other.contender.game == result.contender.beside
    ]
    if not rates or result.contender.library == "darkqi":
        return None
    return max(rates) / result.core_rate()


def versions() -> dict[str, str]:
    """Returns the versions of the installed packages."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def report(results: list[Result], missing: list[Missing]) -> dict[str, Any]:
    """Returns all measurements."""
    rows = [
        {
            "library": result.contender.library,
            "game": result.contender.game,
            "how": result.contender.how,
            "lanes": result.contender.lanes,
            "steps_per_second": median(result.rates()),
            "steps_per_core_second": result.core_rate(),
            "beside": result.contender.beside,
            "darkqi_ratio_per_core": ratio(result, results),
        }
        for result in results
    ]
    return {
        "python": platform.python_version(),
        "versions": versions(),
        "rows": rows,
        "not_installed": {one.library: f"pip install {one.install}" for one in missing},
    }


if __name__ == "__main__":
    main()

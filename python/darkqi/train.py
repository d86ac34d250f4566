"""Value nets for ``expectimax``: ``python -m darkqi.train GAME --out DIR``.

A generation plays games against itself by search, fits a net to what the searches expected and to
the results, and plays a match with it against the net before. The net that passes the match plays
the next generation. An interrupted run is continued by the same command. ``darkqi.ray.train`` does
the same on a cluster.
"""

import argparse
import importlib.util
import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import darkqi
from darkqi._files import digest, quoted, write_json
from darkqi._seeds import checked_seeds
from darkqi.results import MatchResults, Summary

__all__ = ["Generation", "Settings", "main", "train"]


class Settings(NamedTuple):
    """The settings of a run. They are kept in ``settings.json`` and must not change."""

    game: str
    """One of ``darkqi.games()``."""
    generations: int = 2
    """Number of generations."""
    games: int = 10_000
    """Games that a generation plays."""
    nodes: int = 500
    """Positions searched per decision, in those games and in the match."""
    epsilon: float = 0.08
    """The probability of a random action in those games."""
    units: int = 32
    """Units of the first layer, a multiple of 16."""
    epochs: int = 6
    """Passes over the positions of a fit."""
    decay: float = 1.0
    """The weight decay of the fit (AdamW): more against overfitting where games are few."""
    result_weight: float = 0.25
    """The weight of the result. The rest is the weight of the value that the search expected."""
    adjudicate: bool = False
    """Whether a drawn game counts as the linear evaluation of its last position: for games that are
    mostly drawn."""
    window: int = 3
    """The last generations whose games a fit sees."""
    match_games: int = 1000
    """The largest number of games of a match."""
    elo: float = 20.0
    """The match decides between no difference and this one."""
    seed: int = 1
    """The seed of all games and fits."""
    start: str = "none"
    """The player of the first generation, which its net has to beat: ``none``, the linear
    evaluation; ``built-in``, the net that comes with darkqi; or the file of a net."""
    overlap: bool = False
    """Whether the games of a generation are played while the net of the one before is fitted and
    matched, on a cluster. So its players are one generation behind: they play by the net that was
    accepted before. The results do not depend on which of the two ends first."""


class Generation(NamedTuple):
    """The result of a generation. It is kept in ``result.json``."""

    net: str
    """The net of the generation, relative to the folder of the run."""
    is_accepted: bool
    """Whether it passed its match and plays on."""
    elo: float | None
    """The Elo difference to the net before, as the match found it; None if it is infinite."""
    match_games: int
    """Games of the match."""
    fit: dict[str, float]
    """The fit. Numbers of positions: ``positions`` fitted to, ``held_out`` left aside. Mean squared
    errors on the latter: ``linear`` of the linear evaluation alone, ``net`` with the net,
    ``integers`` with the net in integers, as it plays."""
    digest: str = ""
    """The SHA-256 of the net, in hexadecimal digits."""


def train(
    settings: Settings,
    out: Path,
    *,
    threads: int | None = None,
    report: Callable[[str], None] = print,
) -> Path | None:
    """Trains a value net. Work that is finished in ``out`` is not done again.

    Args:
        settings: The settings of the run.
        out: The folder of the run. It is created.
        threads: Number of threads, None for one per core.
        report: A function that is called with lines about the progress.

    Returns:
        The file of the last net that was accepted; None if none was.

    Raises:
        ValueError: The settings cannot be used, or ``out`` holds a run with others.
        ImportError: PyTorch or safetensors is missing.
    """
    return run(settings, out, Steps(threads, report), report)


class Steps:
    """The steps of a run, done by this process. ``darkqi.ray.train`` does them on a cluster."""

    def __init__(self, threads: int | None, report: Callable[[str], None]) -> None:
        self._threads, self._report = threads, report

    def check(self) -> None:
        """Raises what would otherwise be found out only after the games are played."""
        check_libraries()

    def play(
        self, game: str, out: Path, games: int, agent: str, seed: int
    ) -> Callable[[], Summary]:
        """Begins to play games, and gives what waits for their end."""
        summary = darkqi.selfplay(
            game,
            out,
            games,
            agents=agent,
            seed=seed,
            threads=self._threads,
            resume=True,
            progress=True,
        )
        return lambda: summary

    def fit(self, datasets: Sequence[Path], net: Path, settings: Settings) -> dict[str, float]:
        """Fits a net to games and writes it, as ``darkqi._value_net.fit`` does."""
        from darkqi._value_net import fit

        return fit(datasets, net, settings, self._threads, self._report)

    def match(self, game: str, agents: list[str], games: int, **settings: Any) -> MatchResults:
        """Plays a match, as ``darkqi.arena`` does."""
        return darkqi.arena(game, agents, games, threads=self._threads, progress=True, **settings)


def run(settings: Settings, out: Path, steps: Steps, report: Callable[[str], None]) -> Path | None:
    """Does the steps of all generations, as ``train`` does."""
    _check(settings)
    settings = settings._replace(seed=checked_seeds(settings.seed, 1)[0])
    steps.check()
    _keep_settings(settings, out)
    folders = [out / f"generation-{number}" for number in range(1, settings.generations + 1)]
    # The net that was accepted last, before each generation.
    nets: list[Path | None] = [None]
    games: dict[int, Callable[[], Summary]] = {}

    def begin(number: int) -> None:
        """Begins the games of a generation, unless they have begun."""
        if number in games or number > len(folders) or _result(folders[number - 1]).exists():
            return
        player = nets[max(0, number - (2 if settings.overlap else 1))]
        games[number] = steps.play(
            settings.game,
            folders[number - 1] / "games",
            settings.games,
            _agent(settings, player, settings.epsilon),
            _seed(settings, number),
        )

    for number, folder in enumerate(folders, 1):
        if not _result(folder).exists():
            begin(number)
            summary = games[number]()
            report(f"generation {number}: {summary.games} games, {summary.plies} plies")
            if settings.overlap:
                begin(number + 1)
            datasets = [one / "games" for one in folders[:number]][-settings.window :]
            made = _fit(settings, folder, number, datasets, steps)
            generation = _match(settings, folder, number, nets[-1], made, steps, report)
            write_json(_result(folder), generation._asdict())
        generation = Generation(**json.loads(_result(folder).read_text()))
        nets.append(out / generation.net if generation.is_accepted else nets[-1])
    return nets[-1]


def check_libraries() -> None:
    """Raises an ImportError if what fits and writes nets is missing."""
    for name in ("torch", "safetensors"):
        if importlib.util.find_spec(name) is None:
            raise ImportError(f"{name} is missing: pip install 'darkqi[train]'")


def _result(folder: Path) -> Path:
    """The file with the result of a generation, once it has one."""
    return folder / "result.json"


def _check(settings: Settings) -> None:
    """Raises what would otherwise be found out only after the games are played."""
    darkqi.spec(settings.game)
    if settings.units % 16 or not 16 <= settings.units <= 256:
        raise ValueError(f"units: expected a multiple of 16 up to 256, got {settings.units}")
    for name in ("generations", "games", "nodes", "epochs", "window", "match_games"):
        if (value := getattr(settings, name)) < 1:
            raise ValueError(f"{name}: expected at least 1, got {value}")
    for name in ("epsilon", "result_weight"):
        if not 0 <= (value := getattr(settings, name)) <= 1:
            raise ValueError(f"{name}: expected 0 to 1, got {value}")
    if not 0 < settings.elo <= 1000:
        raise ValueError(f"elo: expected a number above 0 and at most 1000, got {settings.elo}")
    if not 0 <= settings.decay < math.inf:
        raise ValueError(f"decay: expected 0 or a number above it, got {settings.decay}")
    if settings.start not in ("none", "built-in") and not Path(settings.start).is_file():
        raise ValueError(
            f"start: expected none, built-in or the file of a net, got {settings.start!r}"
        )


def _keep_settings(settings: Settings, out: Path) -> None:
    """Writes the settings of a new run, or compares them with those of the one that goes on."""
    path = out / "settings.json"
    if not path.exists():
        out.mkdir(parents=True, exist_ok=True)
        write_json(path, settings._asdict())
        return
    kept = json.loads(path.read_text())
    if "games" not in kept:
        raise ValueError(f"{path}: expected the settings of darkqi.train, found others")
    before = Settings._field_defaults | kept
    # More generations continue a run.
    for name, value in settings._asdict().items():
        if name != "generations" and before.get(name) != value:
            raise ValueError(f"{out} holds a run with {name} {before.get(name)}, not {value}")
    write_json(path, settings._asdict())


def _seed(settings: Settings, number: int) -> int:
    """The seed of a generation, in 64 bits."""
    return (settings.seed + number) % 2**64


def _agent(settings: Settings, net: Path | None, epsilon: float = 0.0) -> str:
    """The name of the agent that plays by a net."""
    noise = f",epsilon={epsilon}" if epsilon else ""
    its = quoted(net or Path(settings.start))
    return f"expectimax:nodes={settings.nodes}{noise},net={its}"


def _fit(
    settings: Settings, folder: Path, number: int, datasets: Sequence[Path], steps: Steps
) -> dict[str, float]:
    """Fits the net of a generation, unless it is there, and returns the errors of the fit.

    A second fit might give another net, as on another processor, and the match that was begun could
    not go on with that.
    """
    net, done = folder / "net.safetensors", folder / "fit.json"
    if done.exists() and net.exists():
        kept = json.loads(done.read_text())
        if kept["digest"] == digest(net):
            return dict(kept["fit"])
    made = steps.fit(datasets, net, settings._replace(seed=_seed(settings, number)))
    write_json(done, {"digest": digest(net), "fit": made})
    return made


def _match(
    settings: Settings,
    folder: Path,
    number: int,
    best: Path | None,
    fit: dict[str, float],
    steps: Steps,
    report: Callable[[str], None],
) -> Generation:
    """Plays the new net against the one before: a deal with each net on each side."""
    net = folder / "net.safetensors"
    results = steps.match(
        settings.game,
        [_agent(settings, net), _agent(settings, best)],
        settings.match_games,
        # Half of all seeds away, so that no deal is one of those that the net was fitted to.
        seed=_seed(settings, number) ^ 2**63,
        sprt=(0.0, settings.elo),
        out=folder / "match",
    )
    pair, test = results.pairs[0], results.sprt
    is_accepted = test is not None and test.decision == "h1"
    elo = pair.elo.value if pair.elo else 0.0
    verdict = "accepted" if is_accepted else "rejected"
    report(f"generation {number}: {verdict}, {elo:+.1f} Elo in {pair.games} games")
    return Generation(
        net=f"{folder.name}/{net.name}",
        is_accepted=is_accepted,
        elo=elo if abs(elo) != float("inf") else None,
        match_games=pair.games,
        fit=fit,
        digest=digest(net),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command ``python -m darkqi.train``.

    Args:
        arguments: The arguments. None takes them from the command line.
    """
    parser = argparse.ArgumentParser(
        prog="python -m darkqi.train",
        description="Train a value net for expectimax by self-play.",
    )
    parser.add_argument("game", help="one of the games")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the run")
    parser.add_argument("--threads", type=int, help="number of threads [default: one per core]")
    documented = {
        "generations": "number of generations",
        "games": "games of a generation",
        "nodes": "positions searched per decision",
        "epsilon": "probability of a random action",
        "units": "units of the first layer, a multiple of 16",
        "epochs": "passes over the positions of a fit",
        "decay": "weight decay of the fit",
        "result-weight": "weight of the result beside what the search expected",
        "adjudicate": "count drawn games as the linear evaluation of their last position",
        "window": "generations whose games a fit sees",
        "match-games": "largest number of games of a match",
        "elo": "the match decides between no difference and this one",
        "seed": "seed of all games and fits",
        "start": "what plays the first generation: none, built-in or the file of a net",
        "overlap": "play by the net before last, as a cluster can while the last one is fitted",
    }
    for name, text in documented.items():
        default = Settings._field_defaults[name.replace("-", "_")]
        if isinstance(default, bool):
            parser.add_argument(f"--{name}", action="store_true", help=text)
            continue
        parser.add_argument(
            f"--{name}", type=type(default), default=default, help=f"{text} [default: {default}]"
        )
    given = vars(parser.parse_args(arguments))
    out, threads = given.pop("out"), given.pop("threads")
    begun = time.monotonic()
    try:
        net = train(Settings(**given), out, threads=threads)
    except (ImportError, OSError, ValueError) as error:
        sys.exit(f"darkqi.train: {error}")
    except KeyboardInterrupt:
        sys.exit("darkqi.train: interrupted; the same command goes on")
    minutes = (time.monotonic() - begun) / 60
    if net is None:
        sys.exit(f"no net was accepted in {minutes:.0f} minutes")
    print(f"{net}, SHA-256 {digest(net)}, after {minutes:.0f} minutes")
    print(f"it plays as expectimax:net={net}")


if __name__ == "__main__":
    main()

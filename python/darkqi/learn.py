"""A player of a game in some minutes: ``python -m darkqi.learn GAME``.

A teacher plays, natively. A net is fitted to its actions and to what it expects, and plays matches
on the way. At the end the net is written as ``policy.onnx``, plays against ``greedy``, and a page
opens to play against it. ``python/examples/ppo.py`` and ``gumbel.py`` learn without a teacher.
"""

import argparse
import importlib.util
import math
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import darkqi
import darkqi.__main__
import darkqi.onnx
from darkqi import commands
from darkqi._files import quoted, write_json
from darkqi.commands import count, weight

if TYPE_CHECKING:
    from darkqi.nets import PolicyNet
    from darkqi.results import Estimate

__all__ = ["main"]

# Matches on the way, and generations of games.
_GENERATIONS = 10
_MATCH = 100
_TEACHER = "expectimax:depth=1,epsilon=0.1"
# Of the net that plays: among good actions it draws.
_TEMPERATURE = 0.25


def learn(args: argparse.Namespace) -> str:
    """Trains a net, and prints a line for each match.

    Returns:
        The agent that plays by the net.
    """
    import torch

    from darkqi.learning import Log, evaluate, fit
    from darkqi.nets import Agent, PolicyNet

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    spec = darkqi.spec(args.game, **args.options)
    net = PolicyNet(spec, args.width, attacks=spec.num_players == 2)
    optimizer = torch.optim.Adam(net.parameters(), lr=args.learning_rate)
    settings: dict[str, Any] = {"seed": args.seed, "threads": args.threads}
    log, begun, games, plies = Log(args.out), time.monotonic(), 100, 0
    write_json(args.out / "settings.json", {"game": args.game, "generations": _GENERATIONS})
    for number in range(1, _GENERATIONS + 1):
        start, folder = time.monotonic(), args.out / f"generation-{number}"
        plies += _teach(args, number, folder, games)
        for group in optimizer.param_groups:
            group["lr"] = args.learning_rate * (1 - (number - 1) / _GENERATIONS)
        logged, passes = [folder / "games"], range(number, number + 1)
        cross, square = fit(net, optimizer, spec, logged, 512, epochs=passes, **settings)
        taught = time.monotonic() - start
        player = Agent(net, _TEMPERATURE)
        score = evaluate(player, args.game, "greedy", _MATCH, **settings, **args.options)
        seconds = time.monotonic() - begun
        _tell(seconds, plies, score)
        log.scalars(plies, **{"loss/policy": cross, "loss/value": square})
        labels = {
            "plies": plies,
            "seconds": f"{seconds:.1f}",
            "cpu_seconds": f"{time.process_time():.1f}",
        }
        log.scores(plies, [("greedy", {**labels, "opponent": "greedy"}, score)])
        _keep(folder, square, score)
        # As many games as the rest of the time allows.
        left = (60 * args.minutes - seconds) / max(1, _GENERATIONS - number)
        match = begun + seconds - start - taught
        games = max(20, int(games * (left - match) / taught))
    agent = _export(args, net)
    for opponent, score in _last_matches(args, agent):
        log.scores(plies, [(opponent, {**labels, "opponent": opponent}, score)])
    log.close()
    return agent


def _teach(args: argparse.Namespace, number: int, folder: Path, games: int) -> int:
    """Lets the teacher play the games of a generation, and returns their number of plies."""
    summary = darkqi.selfplay(
        args.game,
        folder / "games",
        games,
        agents=args.teacher,
        # Each generation has deals of its own.
        seed=args.seed * 1000 + number,
        threads=args.threads,
        random_plies=4,
        **args.options,
    )
    return summary.plies


def _tell(seconds: float, plies: int, score: "Estimate") -> None:
    """Prints the line of a match on the way."""
    bar = "#" * round(40 * score.value)
    print(
        f"{seconds // 60:3.0f}:{seconds % 60:02.0f}  {plies:9,} plies  |{bar:.<40}|  "
        f"{score} against greedy",
        flush=True,
    )


def _keep(folder: Path, square: float, score: "Estimate") -> None:
    """Writes what the page draws its curves from, as `darkqi.train` does."""
    odds = score.value / (1 - score.value) if score.value < 1 else math.inf
    elo = 400 * math.log10(odds) if 0 < odds < math.inf else None
    write_json(folder / "fit.json", {"fit": {"net": square}})
    write_json(folder / "result.json", {"elo": elo, "is_accepted": True})


def _export(args: argparse.Namespace, net: "PolicyNet") -> str:
    """Writes the net, and returns the agent that plays by it."""
    path = Path(args.out, "policy.onnx")
    print(f"writing {path}", flush=True)
    darkqi.onnx.export(net, args.game, path, observation="tokens", **args.options)
    return f"onnx:{quoted(path)},temperature={_TEMPERATURE}"


def _last_matches(args: argparse.Namespace, agent: str) -> Iterator[tuple[str, "Estimate"]]:
    """Plays and prints the matches at the end; yields opponents and scores."""
    settings = {"seed": args.seed + 1, "random_plies": 4, "threads": args.threads, **args.options}
    for opponent in args.against:
        pair = darkqi.arena(args.game, [agent, opponent], args.games, **settings).pairs[0]
        assert pair.score is not None
        print(
            f"against {opponent}: {pair.wins} won, {pair.draws} drawn, {pair.losses} lost, "
            f"score {pair.score}",
            flush=True,
        )
        yield opponent, pair.score


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = commands.parser_of(
        "Train a net to play a game, and play against it.",
        "runs/learn/GAME",
        prog="python -m darkqi.learn",
    )
    add = parser.add_argument
    add("game", choices=darkqi.games(), help="the game")
    add("--minutes", type=float, default=5.0, help="time to learn")
    add("--teacher", default=_TEACHER, metavar="AGENT", help="the agent that the net learns from")
    add(
        "--against", nargs="*", default=["greedy"], metavar="AGENT", help="whom it plays at the end"
    )
    add("--games", type=count, default=400, help="games of each of these matches")
    add("--width", type=count, default=128, help="units of the net's layers")
    add("--learning-rate", type=weight, default=2e-3, help="of Adam; it falls to 0")
    add("--no-open", action="store_true", help="do not open the page at the end")
    args = commands.parsed(parser, arguments)
    missing = [name for name in ("torch", "onnxscript") if importlib.util.find_spec(name) is None]
    if darkqi.onnx.library() is None:
        missing.append("onnxruntime")
    if missing:
        parser.error(f"{', '.join(missing)} is missing: pip install 'darkqi[learn]'")
    if not 0 < args.minutes < math.inf:
        parser.error(f"argument --minutes: expected a number above 0, got {args.minutes}")
    try:
        for agent in (args.teacher, *args.against):
            darkqi.State(args.game, 0, **args.options).choose(agent, 0)
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        parser.error(str(error))
    if args.out == parser.get_default("out"):
        base = Path("runs", "learn", args.game)
        args.out, number = base, 1
        while args.out.exists():
            number += 1
            args.out = base.with_name(f"{args.game}-{number}")
    elif args.out.exists() and (not args.out.is_dir() or any(args.out.iterdir())):
        parser.error(f"argument --out: expected a new or empty folder, got {args.out}")
    return args


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command ``python -m darkqi.learn``.

    Args:
        arguments: The arguments. None takes them from the command line.
    """
    args = _parse(arguments)
    print(f"{args.game}: {args.minutes:g} minutes, in {args.out}; curves: darkqi serve {args.out}")
    try:
        agent = learn(args)
    except KeyboardInterrupt:
        sys.exit(130)
    command = ["darkqi", "serve", str(args.out), "--agent", f"{agent},batch=1"]
    switches = {True: "on", False: "off"}
    options = {
        name: switches[value] if isinstance(value, bool) else value
        for name, value in args.options.items()
    }
    start = urlencode({"game": args.game, **options})
    print(f"play against it: {shlex.join(command)}, http://127.0.0.1:7878/#/?{start}")
    if not args.no_open:
        sys.argv = command
        sys.exit(darkqi.__main__.main())


if __name__ == "__main__":
    main()

"""A player of a game in some minutes: ``python -m darkqi.learn GAME``.

A teacher plays, natively. A net is fitted to its actions and to what it expects, and plays matches
on the way. At the end the net is written as ``policy.onnx``, plays against ``greedy``, and a page
opens to play against it. ``python/examples/ppo.py`` and ``gumbel.py`` learn without a teacher.
"""

import argparse
import importlib.util
import json
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import darkqi
import darkqi.__main__
import darkqi.onnx

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

    from darkqi.learning import Log, Score, evaluate, fit
    from darkqi.nets import Agent, PolicyNet

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    spec = darkqi.spec(args.game, **args.options)
    net = PolicyNet(spec, args.width, attacks=spec.num_players == 2)
    optimizer = torch.optim.Adam(net.parameters(), lr=args.learning_rate)
    log, begun, games, plies = Log(args.out), time.monotonic(), 100, 0
    _write(args.out / "settings.json", {"game": args.game, "generations": _GENERATIONS})
    for number in range(1, _GENERATIONS + 1):
        start = time.monotonic()
        folder = args.out / f"generation-{number}"
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
        plies += summary.plies
        for group in optimizer.param_groups:
            group["lr"] = args.learning_rate * (1 - (number - 1) / _GENERATIONS)
        cross, square = fit(
            net,
            optimizer,
            spec,
            [folder / "games"],
            512,
            epochs=range(number, number + 1),
            seed=args.seed,
            threads=args.threads,
        )
        per_game = (time.monotonic() - start) / games
        score = evaluate(
            Agent(net, _TEMPERATURE),
            args.game,
            "greedy",
            _MATCH,
            seed=args.seed,
            threads=args.threads,
            **args.options,
        )
        now = time.monotonic()
        seconds = now - begun
        bar = "#" * round(40 * score.mean)
        print(
            f"{seconds // 60:3.0f}:{seconds % 60:02.0f}  {plies:9,} plies  |{bar:.<40}|  "
            f"{score} against greedy",
            flush=True,
        )
        log.scalars(plies, **{"loss/policy": cross, "loss/value": square})
        times = {"seconds": f"{seconds:.1f}", "cpu_seconds": f"{time.process_time():.1f}"}
        log.scores(plies, [("greedy", {"plies": plies, **times, "opponent": "greedy"}, score)])
        # As `darkqi.train` writes them: the page draws its curves from these.
        odds = score.mean / (1 - score.mean) if score.mean < 1 else math.inf
        elo = 400 * math.log10(odds) if 0 < odds < math.inf else None
        _write(folder / "fit.json", {"fit": {"net": square}})
        _write(folder / "result.json", {"elo": elo, "is_accepted": True})
        # As many games as the rest of the time allows.
        left = (60 * args.minutes - seconds) / max(1, _GENERATIONS - number)
        games = max(20, int((left - (now - start - games * per_game)) / per_game))
    path = Path(args.out, "policy.onnx")
    print(f"writing {path}", flush=True)
    darkqi.onnx.export(net, args.game, path, observation="tokens", **args.options)
    agent = f"onnx:{path},temperature={_TEMPERATURE}"
    settings = {"seed": args.seed + 1, "random_plies": 4, "threads": args.threads, **args.options}
    for opponent in args.against:
        pair = darkqi.arena(args.game, [agent, opponent], args.games, **settings).pairs[0]
        assert pair.score is not None
        score = Score(pair.score.value, pair.score.low, pair.score.high)
        print(
            f"against {opponent}: {pair.wins} won, {pair.draws} drawn, {pair.losses} lost, "
            f"score {score}",
            flush=True,
        )
        log.scores(plies, [(opponent, {"plies": plies, **times, "opponent": opponent}, score)])
    log.close()
    return agent


def _write(path: Path, content: dict[str, object]) -> None:
    """Writes JSON at once or not at all."""
    temporary = path.with_suffix(".tmp")
    temporary.parent.mkdir(parents=True, exist_ok=True)
    temporary.write_text(json.dumps(content) + "\n")
    temporary.replace(path)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m darkqi.learn",
        description="Train a net to play a game, and play against it.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("game", choices=darkqi.games(), help="the game")
    add("--minutes", type=float, default=5.0, help="time to learn")
    add("--out", type=Path, help="folder of all that is written [default: runs/learn/GAME]")
    add("--set", dest="options", nargs="*", default=[], metavar="NAME=VALUE", help="rule options")
    add("--teacher", default=_TEACHER, metavar="AGENT", help="the agent that the net learns from")
    add(
        "--against", nargs="*", default=["greedy"], metavar="AGENT", help="whom it plays at the end"
    )
    add("--games", type=int, default=400, help="games of each of these matches")
    add("--width", type=int, default=128, help="units of the net's layers")
    add("--learning-rate", type=float, default=2e-3, help="of Adam; it falls to 0")
    add("--threads", type=int, default=1, help="threads of the net and of the games")
    add("--seed", type=int, default=1, help="seed of all games and of the net")
    add("--no-open", action="store_true", help="do not open the page at the end")
    args = parser.parse_args(arguments)
    missing = [name for name in ("torch", "onnxscript") if importlib.util.find_spec(name) is None]
    if darkqi.onnx.library() is None:
        missing.append("onnxruntime")
    if missing:
        parser.error(f"{', '.join(missing)} is missing: pip install 'darkqi[learn]'")
    if not 0 < args.minutes < math.inf:
        parser.error(f"argument --minutes: expected a number above 0, got {args.minutes}")
    for name in ("games", "width", "threads", "seed"):
        if (value := getattr(args, name)) < 1:
            parser.error(f"argument --{name}: expected at least 1, got {value}")
    for option in args.options:
        if "=" not in option:
            parser.error(f"argument --set: expected NAME=VALUE, got {option!r}")
    args.options = dict(option.split("=", 1) for option in args.options)
    try:
        for agent in (args.teacher, *args.against):
            darkqi.State(args.game, 0, **args.options).choose(agent, 0)
    except (ValueError, TypeError) as error:
        parser.error(str(error))
    if args.out is None:
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
    print(f"play against it: {' '.join(command)}, http://127.0.0.1:7878/#/?game={args.game}")
    if not args.no_open:
        sys.argv = command
        sys.exit(darkqi.__main__.main())


if __name__ == "__main__":
    main()

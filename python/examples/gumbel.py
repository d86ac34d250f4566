"""Trains a net by what a search over it finds: Gumbel AlphaZero, in generations of self-play.

    python python/examples/gumbel.py --game flipping --out runs/gumbel

The search runs natively, over sampled worlds where pieces are covered. At its root it tries actions
drawn by Gumbel noise and returns an improved policy, which the net is fitted to (Danihelka et al.,
"Policy improvement by planning with Gumbel", ICLR 2022). With `--teacher expectimax:depth=1` the
first generation is fitted to games of that agent, so that the net does not begin with nothing.

The same command goes on where it was interrupted. What it is made of is in
`darkqi.nets` and `darkqi.learning`. Requirements: `pip install 'darkqi[torch,onnx]'`.
"""

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

import torch

import darkqi
import darkqi.onnx
from darkqi import commands, learning
from darkqi._files import quoted
from darkqi.commands import LADDER, at_least, count, share, weight
from darkqi.learning import Log, Run
from darkqi.nets import PolicyNet

FIRST = "first net"
# These may change when a run goes on.
FREE = ("against", "generations", "every", "match_games")


def net_of(args: argparse.Namespace, generation: int) -> Path:
    """Returns the file of a generation's net. That of generation 0 is the first one."""
    return Path(args.out, "nets", f"{generation:03}.onnx")


def agent_of(args: argparse.Namespace, generation: int) -> str:
    """Returns the agent that plays by a generation's net, without options."""
    return f"onnx:{quoted(net_of(args, generation))}"


def games_of(args: argparse.Namespace, generation: int) -> Path:
    """Returns the folder of the games that a generation is fitted to."""
    return Path(args.out, "games", f"{generation:03}")


def save(run: Run, policy: PolicyNet, args: argparse.Namespace) -> None:
    """Writes the net, then the checkpoint, each at once or not at all."""
    path = net_of(args, run.generation)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = args.out / "net.tmp"
    darkqi.onnx.export(policy, args.game, temporary, observation="tokens", **args.options)
    temporary.replace(path)
    run.save()


def play(run: Run, args: argparse.Namespace) -> int:
    """Plays the games of the next generation, and returns their number of plies."""
    # With noise, so that games differ.
    player, games = f"{agent_of(args, run.generation)},{args.search},temperature=1", args.games
    if args.teacher is not None and run.generation == 0:
        player, games = args.teacher, args.teacher_games
    summary = darkqi.selfplay(
        args.game,
        games_of(args, run.generation + 1),
        games,
        agents=player,
        # Each generation has deals of its own.
        seed=args.seed * 100_000 + run.generation,
        threads=args.threads,
        openings=args.openings,
        random_plies=args.random_plies,
        resume=True,
        **args.options,
    )
    return summary.plies


def lessons(run: Run, args: argparse.Namespace) -> tuple[list[Path], int]:
    """Returns the games that the next generation is fitted to, and the number of passes."""
    last = run.generation + 1
    oldest, epochs = max(1, last - args.window + 1), args.epochs
    if args.teacher is not None:
        # The games of a teacher are for the first generation alone, which has all their passes.
        oldest = max(min(last, 2), oldest)
        epochs *= args.window if last == 1 else 1
    return [games_of(args, number) for number in range(oldest, last + 1)], epochs


def fit(
    run: Run, policy: PolicyNet, optimizer: torch.optim.Optimizer, args: argparse.Namespace
) -> tuple[float, float]:
    """Fits the net to the games of the last generations; returns the mean losses."""
    last, (folders, epochs) = run.generation + 1, lessons(run, args)
    # A fit that was interrupted is repeated with the same numbers.
    torch.manual_seed(args.seed * 100_000 + last)
    return learning.fit(
        policy,
        optimizer,
        darkqi.spec(args.game, **args.options),
        folders,
        args.batch,
        epochs=range(epochs * last, epochs * (last + 1)),
        # A net that was trained has much to lose, so the rate falls until it plays. One that began
        # with nothing learned more by a constant rate.
        falls=bool(args.teacher or args.start),
        result_weight=args.result_weight,
        seed=args.seed,
        threads=args.threads,
    )


def train(args: argparse.Namespace) -> None:
    """Trains a net; prints matches, writes checkpoints, games and an ONNX file."""
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    policy = commands.first_policy(args)
    optimizer = torch.optim.Adam(policy.parameters(), args.learning_rate)
    settings = commands.settings_of(args, policy, FREE)
    run = Run(args.out / "policy.pt", settings, policy=policy, optimizer=optimizer)
    if not run.path.exists():
        save(run, policy, args)
    log = Log(args.out)
    report(run, args, log)
    while run.generation < args.generations:
        with run.timed():
            plies = play(run, args)
            cross, square = fit(run, policy, optimizer, args)
        run.generation, run.plies = run.generation + 1, run.plies + plies
        save(run, policy, args)
        log.scalars(run.plies, **{"loss/policy": cross, "loss/value": square})
        print(
            f"generation {run.generation}, {run.plies:,} plies in {run.seconds:.0f} s: "
            f"cross-entropy {cross:.3f}, squared error of values {square:.3f}",
            flush=True,
        )
        report(run, args, log)
    log.close()
    shutil.copyfile(net_of(args, run.generation), args.out / "policy.onnx")


def report(run: Run, args: argparse.Namespace, log: Log) -> None:
    """Plays matches of the net alone and, now and then, with search, if they were not played yet.

    Prints them, logs them and adds them to `scores.csv`.
    """
    if log.has("generation", run.generation):
        return
    # The most probable actions of a net alone tend to repeat positions without an end.
    players = {"net": "temperature=0.25"}
    if run.generation % args.every == 0 or run.generation == args.generations:
        players["search"] = args.search
    settings = {"openings": args.openings, "random_plies": args.random_plies, **args.options}
    times = {"seconds": f"{run.seconds:.1f}", "cpu_seconds": f"{run.cpu_seconds:.1f}"}
    found = []
    for player, options in players.items():
        opponents = {name: name for name in args.against}
        if run.generation > 0:
            opponents[FIRST] = f"{agent_of(args, 0)},{options}"
        for name, opponent in opponents.items():
            score = learning.evaluate(
                f"{agent_of(args, run.generation)},{options}",
                args.game,
                opponent,
                args.match_games,
                seed=args.seed,
                threads=args.threads,
                **settings,
            )
            print(f"  {player} against {name}: {score}", flush=True)
            labels = {"generation": run.generation, "plies": run.plies, **times}
            tag = name if player == "net" else f"{name}, with search"
            found.append((tag, {**labels, "player": player, "opponent": name}, score))
    log.scores(run.plies, found)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = commands.parser_of(__doc__, "runs/gumbel")
    commands.add_game(parser)
    commands.add_net(parser)
    add = parser.add_argument
    add("--teacher", metavar="AGENT", help="who plays the games of the first generation")
    add("--teacher-games", type=count, default=20_000, help="number of these games")
    add("--generations", type=at_least(0), default=8, help="generations to play and fit")
    add("--games", type=count, default=500, help="games of a generation")
    add("--openings", metavar="FILE", help="positions or lines of play that games begin with")
    add("--random-plies", type=at_least(0), default=4, help="random plies at the start of a game")
    add("--window", type=count, default=4, help="generations whose games a net is fitted to")
    add("--search", default="sims=16,root=gumbel", help="options of the agent onnx: for its search")
    add("--epochs", type=count, default=1, help="passes over these games in a fit")
    add("--batch", type=count, default=256, help="positions of a gradient step")
    add("--learning-rate", type=weight, default=1e-3, help="of Adam")
    add("--result-weight", type=share, default=0.5, help="weight of results against values")
    add("--every", type=count, default=4, help="generations between matches with search")
    add("--match-games", type=count, default=400, help="games of a match")
    # The search of two layers takes longest, and is left out.
    add(
        "--against",
        nargs="*",
        default=LADDER[:-1],
        metavar="AGENT",
        help="whom matches are against",
    )
    return commands.parsed(parser, arguments)


if __name__ == "__main__":
    try:
        train(parse(None))
    except (OSError, ValueError) as error:
        raise SystemExit(str(error)) from None

"""Trains a net by what a search over it finds: Gumbel AlphaZero, in generations of self-play.

    python python/examples/gumbel.py --game flipping --out runs/gumbel

The search runs natively, over sampled worlds where pieces are covered. At its root it tries actions
drawn by Gumbel noise and returns an improved policy, which the net is fitted to (Danihelka et al.,
"Policy improvement by planning with Gumbel", ICLR 2022). With `--teacher expectimax:depth=1` the
first generation is fitted to games of that agent, so that the net does not begin with nothing.

The same command goes on where it was interrupted. Requirements: `pip install 'darkqi[torch,onnx]'
tensorboard`. The game must have two players.
"""

import argparse
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from ppo import (
    LADDER,
    Policy,
    Score,
    add_net,
    add_scores,
    check_settings,
    count,
    first_policy,
    is_scored,
    parsed,
    parser_of,
    reflections,
    settings_of,
)
from torch import Tensor, nn
from torch.utils.tensorboard import SummaryWriter

import darkqi
import darkqi.datasets
import darkqi.onnx

FIRST = "first net"
COLUMNS = ("generation", "plies", "seconds", "cpu_seconds", "player", "opponent", *Score._fields)


class Rows(NamedTuple):
    """B logged positions."""

    tokens: Tensor
    """What the movers saw: (B, T)."""
    mask: Tensor
    """Their legal actions: (B, A)."""
    policy: Tensor
    """The improved policies, or 1 for the action of a teacher: (B, A)."""
    value: Tensor
    """What the movers got, or were expected to: (B,)."""


def batches(folders: Sequence[Path], args: argparse.Namespace, epoch: int) -> Iterator[Rows]:
    """Yields all positions of several datasets once, in random order, on the net's device."""
    rng = np.random.default_rng([args.seed, epoch])
    left = [
        iter(
            darkqi.datasets.load(folder).batches(
                args.batch,
                observation="tokens",
                targets=True,
                seed=args.seed,
                epoch=epoch,
                threads=args.threads,
            )
        )
        for folder in folders
    ]
    while left:
        number = rng.integers(len(left))
        batch = next(left[number], None)
        if batch is None:
            del left[number]
            continue
        assert batch.value is not None
        assert batch.policy is not None
        row = np.arange(len(batch.player))
        policy, expected = batch.policy, batch.value[row, batch.player]
        # A search of `expectimax` has no policy, and random plies have no value.
        chosen = policy.sum(1) == 0
        policy[row[chosen], batch.action[chosen]] = 1
        logged = np.flatnonzero(~np.isnan(expected))
        if not len(logged):
            continue
        value = args.result_weight * batch.reward + (1 - args.result_weight) * expected
        # A GPU picks rows faster than a processor copies them.
        kept = torch.from_numpy(logged).to(args.device)
        yield Rows(
            *(
                torch.from_numpy(rows).to(args.device)[kept]
                for rows in (batch.observation, batch.action_mask, policy, value)
            )
        )


def losses(policy: Policy, rows: Rows) -> tuple[Tensor, Tensor]:
    """Returns the cross-entropy to the improved policies and the squared error of values."""
    legal, value = policy.legal(rows.tokens, rows.mask)
    improved = rows.policy[legal.position, legal.action]
    cross = -(improved * legal.log_prob).sum() / len(value)
    return cross, (value - rows.value).square().mean()


class Run:
    """A training run: what a checkpoint keeps, so that the run goes on from there.

    `ppo.load` reads the checkpoint, too.
    """

    # These may change when a run goes on.
    FREE = ("generations", "every", "match_games")

    def __init__(self, args: argparse.Namespace) -> None:
        """Begins a run, or goes on with the one in `args.out`."""
        self.out: Path = args.out
        self.path = self.out / "policy.pt"
        self.policy = first_policy(args)
        self.settings = settings_of(args, self.policy, self.FREE)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), args.learning_rate)
        self.generation = self.plies = 0
        # Wall time and processor time of games and fits.
        self.seconds = self.cpu_seconds = 0.0
        if self.path.exists():
            self.restore(torch.load(self.path, weights_only=True, map_location="cpu"))
        else:
            (self.out / "nets").mkdir(parents=True, exist_ok=True)
            self.save()

    def restore(self, saved: dict[str, Any]) -> None:
        """Takes what a checkpoint keeps."""
        check_settings(self.path, saved["settings"], self.settings)
        self.policy.load_state_dict(saved["policy"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.generation, self.plies = saved["generation"], saved["plies"]
        self.seconds, self.cpu_seconds = saved["seconds"], saved["cpu_seconds"]

    def save(self) -> None:
        """Writes the net, then the checkpoint, each at once or not at all."""
        temporary = self.path.with_suffix(".tmp")
        game, options = self.settings["game"], self.settings["options"]
        darkqi.onnx.export(self.policy, game, temporary, observation="tokens", **options)
        temporary.replace(self.net(self.generation))
        saved = {
            "settings": self.settings,
            "policy": self.policy.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "generation": self.generation,
            "plies": self.plies,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
        }
        torch.save(saved, temporary)
        temporary.replace(self.path)

    def net(self, generation: int) -> Path:
        """Returns the file of a generation's net. That of generation 0 is the first one."""
        return self.out / "nets" / f"{generation:03}.onnx"

    def games(self, generation: int) -> Path:
        """Returns the folder of the games that a generation is fitted to."""
        return self.out / "games" / f"{generation:03}"


def play(run: Run, args: argparse.Namespace) -> int:
    """Plays the games of the next generation, and returns their number of plies."""
    # With noise, so that games differ.
    player, games = f"onnx:{run.net(run.generation)},{args.search},temperature=1", args.games
    if args.teacher is not None and run.generation == 0:
        player, games = args.teacher, args.teacher_games
    summary = darkqi.selfplay(
        args.game,
        run.games(run.generation + 1),
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
    return [run.games(number) for number in range(oldest, last + 1)], epochs


def fit(run: Run, args: argparse.Namespace) -> tuple[float, float]:
    """Fits the net to the games of the last generations; returns the mean losses."""
    last, (folders, epochs) = run.generation + 1, lessons(run, args)
    plies = epochs * sum(darkqi.datasets.load(folder).num_plies for folder in folders)
    # A fit that was interrupted is repeated with the same numbers.
    torch.manual_seed(args.seed * 100_000 + last)
    symmetries = reflections(darkqi.spec(args.game, **args.options), args.device)
    sums, steps, seen_plies = torch.zeros(2, device=args.device), 0, 0
    for epoch in range(epochs):
        for rows in batches(folders, args, epochs * last + epoch):
            # A net that was taught has much to lose, so the rate falls until it plays: not quite to
            # 0, for plies at random are counted but not fitted to. One that began with nothing
            # learned more by a constant rate.
            if args.teacher is not None:
                for group in run.optimizer.param_groups:
                    group["lr"] = args.learning_rate * (1 - seen_plies / plies)
            seen_plies += len(rows.value)
            # One position is as good as its reflections.
            seen = symmetries[int(torch.randint(len(symmetries), ()))]
            rows = Rows(
                rows.tokens[:, seen.tokens],
                rows.mask[:, seen.actions],
                rows.policy[:, seen.actions],
                rows.value,
            )
            cross, square = losses(run.policy, rows)
            run.optimizer.zero_grad()
            (cross + square).backward()
            nn.utils.clip_grad_norm_(run.policy.parameters(), 1.0)
            run.optimizer.step()
            sums += torch.stack([cross, square]).detach()
            steps += 1
    if not steps:
        raise SystemExit(f"{folders[0]} has no values of positions to fit to: see its agents")
    cross, square = (sums / steps).tolist()
    return cross, square


def train(args: argparse.Namespace) -> None:
    """Trains a net; prints matches, writes checkpoints, games and an ONNX file."""
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    run = Run(args)
    writer = SummaryWriter(args.out)
    report(run, args, writer)
    while run.generation < args.generations:
        start, cpu_start = time.perf_counter(), time.process_time()
        run.plies += play(run, args)
        cross, square = fit(run, args)
        run.generation += 1
        run.seconds += time.perf_counter() - start
        run.cpu_seconds += time.process_time() - cpu_start
        run.save()
        writer.add_scalar("loss/policy", cross, run.plies)
        writer.add_scalar("loss/value", square, run.plies)
        print(
            f"generation {run.generation}, {run.plies:,} plies in {run.seconds:.0f} s: "
            f"cross-entropy {cross:.3f}, squared error of values {square:.3f}",
            flush=True,
        )
        report(run, args, writer)
    writer.close()
    shutil.copyfile(run.net(run.generation), args.out / "policy.onnx")


def report(run: Run, args: argparse.Namespace, writer: SummaryWriter) -> None:
    """Plays matches of the net alone and, now and then, with search, if they were not played yet.

    Prints them, logs them and adds them to `scores.csv`.
    """
    table = args.out / "scores.csv"
    if is_scored(table, "generation", run.generation):
        return
    # The most probable actions of a net alone tend to repeat positions without an end.
    players = {"net": "temperature=0.25"}
    if run.generation % args.every == 0 or run.generation == args.generations:
        players["search"] = args.search
    rows = []
    for player, options in players.items():
        mine = f"onnx:{run.net(run.generation)},{options}"
        # The search of two layers takes longest, and is left out.
        opponents = {name: name for name in LADDER[:-1]}
        if run.generation > 0:
            opponents[FIRST] = f"onnx:{run.net(0)},{options}"
        for name, opponent in opponents.items():
            match = darkqi.arena(
                args.game,
                [mine, opponent],
                args.match_games,
                seed=args.seed,
                threads=args.threads,
                openings=args.openings,
                random_plies=args.random_plies,
                **args.options,
            )
            score = match.pairs[0].score
            assert score is not None
            found = Score(score.value, score.low, score.high)
            print(f"  {player} against {name}: {found}", flush=True)
            for figure, value in found._asdict().items():
                tag = name if player == "net" else f"{name}, with search"
                writer.add_scalar(f"{tag}/{figure}", value, run.plies)
            times = (f"{run.seconds:.1f}", f"{run.cpu_seconds:.1f}")
            scores = (f"{value:.4f}" for value in found)
            rows.append((run.generation, run.plies, *times, player, name, *scores))
    # What the table has is not logged again.
    writer.flush()
    add_scores(table, COLUMNS, rows)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = parser_of(__doc__, "runs/gumbel")
    add_net(parser)
    add = parser.add_argument
    add("--teacher", metavar="AGENT", help="who plays the games of the first generation")
    add("--teacher-games", type=count, default=20_000, help="number of these games")
    add("--generations", type=int, default=8, help="generations to play and fit")
    add("--games", type=count, default=500, help="games of a generation")
    add("--openings", metavar="FILE", help="positions or lines of play that games begin with")
    add("--random-plies", type=int, default=4, help="random plies at the start of a game")
    add("--window", type=count, default=4, help="generations whose games a net is fitted to")
    add("--search", default="sims=16,root=gumbel", help="options of the agent onnx: for its search")
    add("--epochs", type=count, default=1, help="passes over these games in a fit")
    add("--batch", type=count, default=256, help="positions of a gradient step")
    add("--learning-rate", type=float, default=1e-3, help="of Adam")
    add("--result-weight", type=float, default=0.5, help="weight of results against values")
    add("--every", type=count, default=4, help="generations between matches with search")
    add("--match-games", type=count, default=400, help="games of a match")
    return parsed(parser, arguments)


if __name__ == "__main__":
    train(parse(None))

"""Fits a net to logged games: to the policies and values of their players.

    python python/examples/distill.py runs/loop/games --out runs/loop/distilled

Requirements: `pip install 'darkqi[torch]'`. The games need values, as nets and searches log them.
"""

import argparse
from pathlib import Path

import torch

import darkqi.datasets
import darkqi.onnx
from darkqi import commands
from darkqi.commands import count, run_seed, weight
from darkqi.learning import Run, RunError, fit


def main() -> None:
    """Reads the command line and fits the net."""
    parser = commands.plain_parser(__doc__)
    add = parser.add_argument
    add("games", type=Path, nargs="+", help="datasets of one game, with values")
    add("--out", type=Path, default=Path("runs/distilled"), help="folder of policy.pt and .onnx")
    add("--passes", type=count, default=2, help="passes over the games")
    commands.add_net(parser)
    add("--learning-rate", type=weight, default=2e-3, help="of Adam, falling to 0")
    add("--threads", type=count, default=1, help="threads of the net and of the games")
    add("--seed", type=run_seed, default=1, help="seed of the net and of the order of games")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    try:
        distill(args)
    except (OSError, ValueError) as error:
        raise SystemExit(str(error)) from None


def distill(args: argparse.Namespace) -> None:
    """Fits the net, and writes a checkpoint and an ONNX file."""
    data = darkqi.datasets.load(args.games[0])
    args.game, args.options = data.spec.name, data.metadata.options
    path = args.out / "policy.pt"
    if path.exists():
        raise RunError(f"{path} is there already")
    net = commands.first_policy(args)
    run = Run(path, commands.settings_of(args, net, ["games"]), policy=net)
    with run.timed():
        cross, square = fit(
            net,
            torch.optim.Adam(net.parameters(), args.learning_rate),
            data.spec,
            args.games,
            1024,
            epochs=range(args.passes),
            falls=True,
            result_weight=0.25,
            seed=args.seed,
            threads=args.threads,
        )
    run.save()
    print(f"cross-entropy {cross:.3f}, squared error of values {square:.4f}, {run.seconds:.0f} s")
    path = path.with_suffix(".onnx")
    darkqi.onnx.export(net, args.game, path, observation="tokens", **args.options)
    print(f"{path}: play it with onnx:{path}")


if __name__ == "__main__":
    main()

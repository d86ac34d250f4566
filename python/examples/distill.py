"""Fits a net to logged games: to the policies and values of their players.

    python python/examples/distill.py runs/loop/games --out runs/loop/distilled.onnx

Requirements: `pip install 'darkqi[torch]'`. The games need values, as nets and searches log them.
"""

import argparse
from pathlib import Path

import torch

import darkqi.datasets
import darkqi.onnx
from darkqi.commands import count
from darkqi.learning import RunError, fit
from darkqi.nets import PolicyNet


def main() -> None:
    """Fits the net and exports it."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("games", type=Path, help="a dataset with values")
    add("--out", type=Path, default=Path("distilled.onnx"), help="the ONNX file")
    add("--batches", type=count, default=2000, help="most gradient steps")
    add("--width", type=count, default=128, help="width of the net")
    add("--threads", type=count, default=1, help="threads of the net and of the games")
    add("--seed", type=count, default=1, help="seed of the net and of the order of games")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    data = darkqi.datasets.load(args.games)
    net = PolicyNet(data.spec, args.width)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    settings = {"result_weight": 0.0, "seed": args.seed, "threads": args.threads}
    epochs = range(1 + args.batches * 1024 // data.num_plies)
    try:
        cross, square = fit(
            net,
            optimizer,
            data.spec,
            [args.games],
            1024,
            epochs=epochs,
            max_steps=args.batches,
            **settings,
        )
    except RunError as error:
        raise SystemExit(str(error)) from None
    print(f"cross-entropy {cross:.3f}, squared error of values {square:.4f}")
    options = data.metadata.options
    darkqi.onnx.export(net, data.spec.name, args.out, observation="tokens", **options)
    print(f"{args.out}: play it with onnx:{args.out}")


if __name__ == "__main__":
    main()

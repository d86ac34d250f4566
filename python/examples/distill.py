"""Fits a net to logged games: to the policies and values of their players.

    python python/examples/distill.py runs/loop/games --out runs/loop/distilled.onnx

Requirements: `pip install 'darkqi[torch]'`. The games need values and policies, as nets and
`ismcts` log them.
"""

import argparse
import itertools
import time
from pathlib import Path

import torch
from torch import Tensor, nn

import darkqi
import darkqi.datasets
import darkqi.onnx


class Mlp(nn.Module):
    """Two layers on tokens, for a policy and the values of all seats."""

    def __init__(self, spec: darkqi.Spec, width: int) -> None:
        """Makes the net for a game."""
        super().__init__()
        tokens = spec.token_shape[0]
        self.embed = nn.Embedding(256, 8)
        self.body = nn.Sequential(
            nn.Flatten(),
            nn.Linear(8 * tokens, width),
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
        )
        self.policy = nn.Linear(width, spec.num_actions)
        self.value = nn.Sequential(nn.Linear(width, spec.num_players), nn.Tanh())

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Maps tokens (B, T) in uint8 to logits (B, A) and values (B, P)."""
        features = self.body(self.embed(observation.int()))
        return self.policy(features), self.value(features)


def fit(net: Mlp, data: darkqi.datasets.Dataset, args: argparse.Namespace) -> None:
    """Fits a net to the policies and values of a dataset, and prints the errors of batches."""
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    batches = data.batches(
        1024, observation="tokens", targets=True, seed=args.seed, threads=args.threads
    )
    start, seen = time.perf_counter(), 0
    for number, batch in enumerate(itertools.islice(batches, args.batches), 1):
        policy = torch.from_numpy(batch.policy)
        values = torch.from_numpy(batch.value)
        # Plies that `epsilon` played at random have neither a policy nor values, and some nets
        # have no values.
        logged = (policy.sum(1) > 0) & ~values.isnan().any(1)
        if not logged.any():
            continue
        logits, value = net(torch.from_numpy(batch.observation)[logged])
        cross = -(policy[logged] * logits.log_softmax(1)).sum(1).mean()
        square = (value - values[logged]).square().mean()
        optimizer.zero_grad()
        (cross + square).backward()
        optimizer.step()
        seen += len(value)
        if number % max(1, args.batches // 4) == 0:
            seconds = time.perf_counter() - start
            print(
                f"{number} batches, {seen / seconds:,.0f} positions per second: cross-entropy "
                f"{cross:.3f}, squared error of values {square:.4f}",
                flush=True,
            )
    if not seen:
        raise SystemExit(
            f"{args.games} has no policies with values to fit to: expected games of a net that "
            "gives both or of ismcts"
        )


def main() -> None:
    """Fits the net and exports it."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("games", type=Path, help="a dataset with values and policies")
    add("--out", type=Path, default=Path("distilled.onnx"), help="the ONNX file")
    add("--batches", type=int, default=2000, help="most gradient steps")
    add("--width", type=int, default=256, help="width of the net")
    add("--threads", type=int, default=1, help="threads of the net and of the games")
    add("--seed", type=int, default=1, help="seed of the net and of the order of games")
    args = parser.parse_args()
    for name in ("batches", "width", "threads"):
        if (value := getattr(args, name)) < 1:
            parser.error(f"argument --{name}: expected at least 1, got {value}")

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    data = darkqi.datasets.load(args.games)
    net = Mlp(data.spec, args.width)
    fit(net, data, args)
    options = data.metadata.options
    darkqi.onnx.export(net, data.spec.name, args.out, observation="tokens", **options)
    print(f"{args.out}: play it with onnx:{args.out}")


if __name__ == "__main__":
    main()

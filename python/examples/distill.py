"""Fits a net to logged games: to the policies and values of their players.

    python python/examples/distill.py runs/loop/games --out runs/loop/distilled

Requirements: `pip install 'darkqi[torch]'`. The games need values, as nets and searches log them.
"""

from pathlib import Path

import torch

import darkqi.datasets
import darkqi.onnx
from darkqi.commands import count, device_name, plain_parser
from darkqi.learning import Run, RunError, fit
from darkqi.nets import PolicyNet


def main() -> None:
    """Fits the net, and writes a checkpoint and an ONNX file."""
    parser = plain_parser(__doc__)
    add = parser.add_argument
    add("games", type=Path, nargs="+", help="datasets of one game, with values")
    add("--out", type=Path, default=Path("runs/distilled"), help="folder of policy.pt and .onnx")
    add("--passes", type=count, default=2, help="passes over the games")
    add("--width", type=count, default=128, help="units of the net's layers")
    add("--attacks", action="store_true", help="show the net what is attacked")
    add("--device", default="cpu", type=device_name, help="what computes the net, such as cuda")
    add("--threads", type=count, default=1, help="threads of the net and of the games")
    add("--seed", type=count, default=1, help="seed of the net and of the order of games")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    data = darkqi.datasets.load(args.games[0])
    spec, options = data.spec, data.metadata.options
    net = PolicyNet(spec, args.width, args.attacks).to(args.device)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    path = args.out / "policy.pt"
    if path.exists():
        raise SystemExit(f"{path} is there already")
    kept = {"game": spec.name, "options": options, "width": args.width, "attacks": args.attacks}
    run = Run(path, kept, policy=net)
    try:
        with run.timed():
            cross, square = fit(
                net,
                optimizer,
                spec,
                args.games,
                1024,
                epochs=range(args.passes),
                falls=True,
                result_weight=0.25,
                seed=args.seed,
                threads=args.threads,
            )
    except RunError as error:
        raise SystemExit(str(error)) from None
    run.save()
    print(f"cross-entropy {cross:.3f}, squared error of values {square:.4f}, {run.seconds:.0f} s")
    path = path.with_suffix(".onnx")
    darkqi.onnx.export(net, spec.name, path, observation="tokens", **options)
    print(f"{path}: play it with onnx:{path}")


if __name__ == "__main__":
    main()

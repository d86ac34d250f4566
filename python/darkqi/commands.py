"""What the commands of trainings have in common: their options, and the net to begin with."""

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import darkqi

if TYPE_CHECKING:
    from darkqi.nets import PolicyNet

LADDER = ("greedy", "expectimax:depth=1,net=none", "expectimax:depth=1", "expectimax:depth=2")
"""What policies are measured against."""

MANY: dict[str, Any] = {"nargs": "*", "action": "extend", "default": []}
"""An option with several values, or given several times."""


def at_least(least: int) -> Callable[[str], int]:
    """Returns a reader of an integer from `least` on from the command line."""

    def integer(text: str) -> int:
        if (found := int(text)) < least:
            raise argparse.ArgumentTypeError(f"expected at least {least}, got {text}")
        return found

    return integer


count = at_least(1)
"""Reads a number of things from the command line."""


def _within(low: float, high: float = math.inf) -> Callable[[str], float]:
    """Returns a reader of a number from `low` to `high` from the command line."""

    def number(text: str) -> float:
        # Also refuses what is no number at all.
        if not low <= (found := float(text)) <= high or math.isinf(found):
            limits = f"{low:g} to {high:g}" if high < math.inf else f"{low:g} up"
            raise argparse.ArgumentTypeError(f"expected a number from {limits}, got {text}")
        return found

    return number


share = _within(0, 1)
"""Reads a part of 1 from the command line."""
weight = _within(0)
"""Reads a number from 0 up from the command line."""


def run_seed(text: str) -> int:
    """Reads the seed of a run from the command line; the seeds of its parts fit 64 bits."""
    if (number := count(text)) > 2**40:
        raise argparse.ArgumentTypeError(f"expected a seed of at most {2**40}, got {text}")
    return number


def device_name(text: str) -> str:
    """Reads a device from the command line."""
    import torch

    try:
        torch.zeros(1, device=text).item()
    except (AssertionError, RuntimeError) as error:
        reason = str(error).partition("\n")[0].partition(". ")[0]
        raise argparse.ArgumentTypeError(f"PyTorch cannot compute on {text!r}: {reason}") from None
    return text


def rule_option(text: str) -> tuple[str, str]:
    """Reads a rule option from the command line."""
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r}")
    return name, value


def plain_parser(doc: str | None, **settings: Any) -> argparse.ArgumentParser:
    """Returns a parser described by the first line of a text, whose help has the defaults."""
    about, formatter = (doc or "").partition("\n")[0], argparse.ArgumentDefaultsHelpFormatter
    return argparse.ArgumentParser(description=about, formatter_class=formatter, **settings)


def parser_of(doc: str | None, out: str, **settings: Any) -> argparse.ArgumentParser:
    """Returns a parser with what all trainings are told: rules, threads, seed and folder."""
    parser = plain_parser(doc, **settings)
    add = parser.add_argument
    add_options(parser)
    add("--threads", type=count, default=1, help="threads of the net and of the games")
    add("--seed", type=run_seed, default=1, help="seed of the run")
    add("--out", type=Path, default=Path(out), help="folder of all that the run writes")
    return parser


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the rule options, several at a time or one after the other."""
    rule: dict[str, Any] = {"type": rule_option, "metavar": "NAME=VALUE", **MANY}
    parser.add_argument("--set", dest="options", help="rule options", **rule)


def add_game(parser: argparse.ArgumentParser) -> None:
    """Adds the option of the game."""
    parser.add_argument("--game", default="flipping", choices=darkqi.games(), help="the game")


def add_net(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the net to begin with, for `first_policy`."""
    add = parser.add_argument
    add("--start", type=Path, help="checkpoint of a run to start from")
    add("--width", type=count, default=128, help="units of the net's layers, without --start")
    add("--attacks", action="store_true", help="show the net what is attacked, without --start")
    add("--device", default="cpu", type=device_name, help="what computes the net, such as cuda")
    add("--compile", action="store_true", help="compile how attacks are found, for a GPU")


def parsed(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line. The rule options are in `options`, if the game has them."""
    args = parser.parse_args(arguments)
    try:
        spec = darkqi.spec(args.game, **dict(args.options))
    except (OSError, ValueError) as error:
        parser.error(str(error))
    # A file of rules may change while a run goes on.
    changed = [option for option in spec.options if option.value != option.default]
    args.options = {option.name: option.value for option in changed}
    return args


def first_policy(args: argparse.Namespace) -> "PolicyNet":
    """Returns the net to begin with, new or that of `--start`, on the device that computes it."""
    from darkqi.learning import RunError, load
    from darkqi.nets import PolicyNet

    # A run that goes on has all that it needs.
    last = args.out / "policy.pt"
    if args.start is None:
        spec = darkqi.spec(args.game, **args.options)
        policy = PolicyNet(spec, args.width, args.attacks)
    else:
        start = last if last.exists() else args.start
        policy, game, options = load(start)
        if darkqi.spec(game, **options) != darkqi.spec(args.game, **args.options):
            raise RunError(
                f"{start} is a net of {game} with options {options}, "
                f"expected {args.game} with {args.options}"
            )
        if args.attacks and policy.prospects is None:
            raise RunError(f"{start} is a net without --attacks")
    if args.compile:
        if policy.trunk.attacks is None:
            raise RunError("--compile compiles how attacks are found: expected --attacks")
        policy.trunk.attacks.compile(dynamic=True)
    policy.to(args.device)
    return policy


def settings_of(
    args: argparse.Namespace, policy: "PolicyNet", free: Sequence[str]
) -> dict[str, Any]:
    """Returns the settings that stay the same when a run goes on.

    Those named in `free` may change, and so may folder, device and threads.
    """
    free = ("compile", "device", "out", "threads", *free)
    settings = {name: value for name, value in vars(args).items() if name not in free}
    # Files are text in a checkpoint, and the net is that of `--start`, if there is one.
    settings["start"] = str(args.start) if args.start else None
    settings["width"] = policy.trunk.middle.out_features
    settings["attacks"] = policy.trunk.attacks is not None
    return settings

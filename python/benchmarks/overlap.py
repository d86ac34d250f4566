"""Measures how much stepping time is hidden behind a policy that works on another group.

A placeholder policy takes a fixed time per group and releases the GIL: ``sleep`` models a policy on
another device, ``matmul`` one on this machine (set OMP_NUM_THREADS and OPENBLAS_NUM_THREADS, or it
takes the cores that step). Two loops are timed. In the plain loop the policy works on all groups,
then ``step`` plays all lanes. In the overlapped loop ``recv`` and ``send`` play each group. The
plain loop minus the policy is the cost of stepping; the difference of the loops is hidden.

    python python/benchmarks/overlap.py jieqi --envs 4096 --policy sleep --ratio 1.5
"""

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

import darkqi

Call = Callable[[], object]


def seconds(call: Call, rounds: int) -> float:
    """Returns the median time of a call, in seconds."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def multiplication(target: float) -> Call:
    """Returns a product of the smallest matrices that takes the target time, in seconds."""

    def product(size: int) -> Call:
        matrix = np.ones((size, size), np.float32)
        return lambda: matrix @ matrix

    size = 16
    while seconds(product(size), 5) < target:
        size += 1 + size // 16
    return product(size)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="Time plain against overlapped stepping.")
    parser.add_argument("game", nargs="?", default="jieqi", choices=darkqi.games())
    parser.add_argument("--envs", type=int, default=4096, help="lanes (%(default)s)")
    parser.add_argument("--groups", type=int, default=2, help="groups of lanes (%(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="stepping threads (%(default)s)")
    parser.add_argument("--policy", choices=("sleep", "matmul"), default="sleep")
    parser.add_argument(
        "--ratio", type=float, default=1.5, help="policy time / stepping time (%(default)s)"
    )
    parser.add_argument("--rounds", type=int, default=200, help="steps timed (%(default)s)")
    args = parser.parse_args()

    plain = darkqi.make(args.game, args.envs, threads=args.threads)
    env = darkqi.make(args.game, args.envs, groups=args.groups, threads=args.threads)
    plain.reset()
    env.reset()

    def sample_and_step() -> None:
        plain.step(plain.sample_actions())

    stepping = seconds(sample_and_step, args.rounds) - seconds(plain.sample_actions, args.rounds)
    target = stepping * args.ratio / args.groups
    policy: Call = multiplication(target) if args.policy == "matmul" else lambda: time.sleep(target)

    def alternating() -> None:
        actions = plain.sample_actions()
        for _ in range(args.groups):
            policy()
        plain.step(actions)

    def overlapped() -> None:
        for _ in range(args.groups):
            env.recv()
            actions = env.sample_actions()
            policy()
            env.send(actions)

    overlapped()  # Warm-up.
    policy_time = args.groups * seconds(policy, args.rounds)
    sync, ahead = seconds(alternating, args.rounds), seconds(overlapped, args.rounds)
    print(f"{args.game}, {args.envs} lanes in {args.groups} groups, policy: {args.policy}")
    for label, value in (
        ("stepping alone", stepping),
        ("policy alone", policy_time),
        ("step, then policy", sync),
        ("send and recv", ahead),
    ):
        print(f"{label:>18}: {1e3 * value:8.3f} ms per step of all lanes")
    hidden = (sync - ahead) / (sync - policy_time)
    print(f"{'hidden':>18}: {hidden:8.0%} of what stepping adds to the policy")


if __name__ == "__main__":
    main()

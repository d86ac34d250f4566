"""How much of the stepping time a policy hides by working on one group while another steps.

A stand-in policy takes a fixed time per group and lets go of the GIL: ``sleep`` is a policy on a
device of its own, ``matmul`` one on this machine (set OMP_NUM_THREADS and OPENBLAS_NUM_THREADS, or
it takes the cores that step). Two loops are timed. In the plain one the policy looks at all groups,
then ``step`` plays all lanes; in the other each group is played by ``recv`` and ``send``. What the
plain loop takes beyond the policy is the cost of stepping; what the other takes less is hidden.

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
    """Return how long a call takes, the median of many."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def multiplication(target: float) -> Call:
    """Return a product of matrices that are just large enough to take so many seconds."""

    def product(size: int) -> Call:
        matrix = np.ones((size, size), np.float32)
        return lambda: matrix @ matrix

    size = 16
    while seconds(product(size), 5) < target:
        size += 1 + size // 16
    return product(size)


def main() -> None:
    """Measure and print."""
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

    plain = darkqi.make(args.game, args.envs, num_threads=args.threads)
    env = darkqi.make(args.game, args.envs, groups=args.groups, num_threads=args.threads)
    plain.reset()
    env.reset()

    def draw_and_step() -> None:
        plain.step(plain.sample_actions())

    stepping = seconds(draw_and_step, args.rounds) - seconds(plain.sample_actions, args.rounds)
    target = stepping * args.ratio / args.groups
    policy: Call = multiplication(target) if args.policy == "matmul" else lambda: time.sleep(target)

    def in_turn() -> None:
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

    overlapped()  # The first round has nothing to wait for.
    thinking = args.groups * seconds(policy, args.rounds)
    sync, ahead = seconds(in_turn, args.rounds), seconds(overlapped, args.rounds)
    print(f"{args.game}, {args.envs} lanes in {args.groups} groups, policy: {args.policy}")
    for what, value in (
        ("stepping alone", stepping),
        ("policy alone", thinking),
        ("step, then policy", sync),
        ("send and recv", ahead),
    ):
        print(f"{what:>18}: {1e3 * value:8.3f} ms per step of all lanes")
    hidden = (sync - ahead) / (sync - thinking)
    print(f"{'hidden':>18}: {hidden:8.0%} of what stepping adds to the policy")


if __name__ == "__main__":
    main()

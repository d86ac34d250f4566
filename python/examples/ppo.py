"""Trains PPO with masked actions, by self-play or against an agent, all in this file.

    python python/examples/ppo.py --game flipping --out runs/ppo

`pip install 'darkqi[torch]' tensorboard` brings what it needs. The game must have two players.
"""

import argparse
import copy
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.utils.tensorboard import SummaryWriter

import darkqi

# Where two sides move in turn: what follows belongs to the other.
GAMES = [game for game in darkqi.games() if darkqi.spec(game).num_players == 2]
YARDSTICKS = ("random", "greedy", "expectimax:depth=1")
# How many past selves are kept to play against.
PAST_SELVES = 10

# Observations and masks of some games in, an action for each out.
Chooser = Callable[[NDArray[np.uint8], NDArray[np.bool_]], NDArray[np.int64]]


class Actions(nn.Module):
    """A logit for every action, from what the net makes of the squares it leaves and goes to.

    What it learns of one square holds on all others, such as that a general is worth taking. A
    dense layer would have to learn it anew for each of hundreds of actions.
    """

    index: Tensor

    def __init__(self, spec: darkqi.Spec, options: dict[str, Any], width: int) -> None:
        """Makes it for a game with `width` features per square."""
        super().__init__()
        self.source = nn.Conv2d(width, width, 1)
        self.target = nn.Conv2d(width, width, 1)
        self.flip = nn.Conv2d(width, 1, 1)
        # Nearly equal logits to begin with, so that every legal action is tried.
        for layer in (self.source, self.flip):
            nn.init.orthogonal_(layer.weight, gain=0.01)
            assert layer.bias is not None
            nn.init.zeros_(layer.bias)

        ranks, files = spec.board_shape
        squares = ranks * files
        state = darkqi.State(spec.name, **options)
        index = []
        for action in range(spec.num_actions):
            # Red's names are as its planes lie, a1 in their first row: "b3" a flip, "b3e3" a step.
            names = re.findall(r"([a-z])(\d+)", state.action_name(action))
            first, *second = [
                (int(rank) - 1) * files + ord(file) - ord("a") for file, rank in names
            ]
            index.append(first * squares + second[0] if second else squares**2 + first)
        self.register_buffer("index", torch.tensor(index))

    def forward(self, features: Tensor) -> Tensor:
        """Takes features of shape (B, width, H, W) to logits of shape (B, A)."""
        source, target = self.source(features).flatten(2), self.target(features).flatten(2)
        steps, flips = source.transpose(1, 2) @ target, self.flip(features)
        return torch.cat([steps.flatten(1), flips.flatten(1)], dim=1)[:, self.index]


def trunk(planes: int, width: int) -> nn.Sequential:
    """Makes the convolutions that all judgements of a position share."""
    return nn.Sequential(
        nn.Conv2d(planes, width, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(width, width, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(width, width, 3, padding=1),
        nn.ReLU(),
    )


class Policy(nn.Module):
    """A small convolutional net that judges a position from the side of the player to move."""

    scale: Tensor

    def __init__(self, spec: darkqi.Spec, options: dict[str, Any], width: int) -> None:
        """Makes a net for a game, its convolutions `width` channels wide."""
        super().__init__()
        planes, height, files = spec.observation_shape
        self.register_buffer("scale", torch.ones(planes, 1, 1))
        self.trunk = trunk(planes, width)
        self.actor = Actions(spec, options, width)
        self.critic = nn.Sequential(
            nn.Conv2d(width, 8, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(8 * height * files, 64),
            nn.ReLU(),
            nn.Linear(64, 1),
            nn.Tanh(),
        )

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Judges B positions, given as uint8: logits of shape (B, A), values of shape (B,)."""
        features = self.trunk(planes / self.scale)
        return self.actor(features), self.critic(features).squeeze(-1)


def plane_maxima(game: str, options: dict[str, Any]) -> Tensor:
    """Measures the greatest value of each plane in random play, 1 at least.

    Most planes are 0 or 1, but those that count something go up to 255.
    """
    env = darkqi.make(game, 64, **options)
    greatest = env.reset().observation.max(axis=(0, 2, 3))
    for _ in range(500):
        planes = env.step(env.sample_actions()).observation
        greatest = np.maximum(greatest, planes.max(axis=(0, 2, 3)))
    return torch.from_numpy(greatest.clip(1).astype(np.float32)).reshape(-1, 1, 1)


def masked_log_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Takes logits and the legal actions to log-probabilities, where illegal ones have none."""
    return logits.masked_fill(~mask, -1e9).log_softmax(dim=-1)


def advantages(
    reward: Tensor,
    value: Tensor,
    mover: Tensor,
    ended: Tensor,
    cut_value: Tensor,
    gamma: float,
    lam: float,
) -> Tensor:
    """Estimates by how much each action was better than expected (GAE), for whoever played it.

    What one side gains the other loses. So what follows a ply, value and advantage alike, changes
    its sign if the other side moves next; it keeps it if the same does, as where the other side is
    an agent that answers within the step.

    Args:
        reward: What each ply gave to its mover: (T, N).
        value: What the mover expected before it: (T + 1, N).
        mover: Who that was: (T + 1, N).
        ended: Whether the ply was a game's last: (T, N), bool.
        cut_value: Where it was the last because of the ply limit, what its mover would have
            expected of going on, elsewhere 0: (T, N). The limit is no part of the rules.
        gamma: Discount per step.
        lam: Weight of later steps, between temporal difference (0) and Monte Carlo (1).

    Returns:
        The advantages: (T, N).
    """
    result = torch.zeros_like(reward)
    following = torch.zeros_like(reward[0])
    for t in reversed(range(len(reward))):
        sign = torch.where(mover[t + 1] == mover[t], 1.0, -1.0)
        after = torch.where(ended[t], cut_value[t], sign * value[t + 1])
        error = reward[t] + gamma * after - value[t]
        following = error + gamma * lam * torch.where(ended[t], 0.0, sign * following)
        result[t] = following
    return result


class Rollout:
    """What T steps of N lanes showed and did."""

    def __init__(self, steps: int, lanes: int, spec: darkqi.Spec) -> None:
        """Makes room for it, once."""
        shape = (steps, lanes)
        self.planes = torch.zeros((*shape, *spec.observation_shape), dtype=torch.uint8)
        self.mask = torch.zeros((*shape, spec.num_actions), dtype=torch.bool)
        self.action = torch.zeros(shape, dtype=torch.int64)
        self.log_prob = torch.zeros(shape)
        self.reward = torch.zeros(shape)
        self.ended = torch.zeros(shape, dtype=torch.bool)
        self.cut_value = torch.zeros(shape)
        self.learns = torch.zeros(shape, dtype=torch.bool)
        self.value = torch.zeros((steps + 1, lanes))
        self.mover = torch.zeros((steps + 1, lanes), dtype=torch.int8)


class Table:
    """The lanes in which the policy learns, and who plays the other seats there.

    By self-play the policy has both seats of most lanes and learns from every ply. In the rest it
    has one, and a past self the other: without these it may forget how to beat what it no longer
    meets, and go round in circles. Against an agent, the agent answers within the step.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        """Deals the games."""
        self.by_self_play = args.opponent == "self"
        self.env = darkqi.make(
            args.game,
            args.lanes,
            args.seed,
            opponent=None if self.by_self_play else args.opponent,
            final_observation=True,
            num_threads=args.threads,
            **args.options,
        )
        self.time_step = self.env.reset()
        lanes = torch.arange(args.lanes)
        self.meets_past = lanes < (args.past_share * args.lanes if self.by_self_play else 0)
        self.seat = (lanes % 2).to(torch.int8)

    @torch.inference_mode()
    def play(self, policy: Policy, past: Policy, rollout: Rollout) -> None:
        """Fills a rollout; games go on from one to the next."""
        # The arrays of a time step are written again by the next one, so all is copied.
        ts = self.time_step
        for t in range(len(rollout.action)):
            rollout.planes[t] = torch.from_numpy(ts.observation)
            rollout.mask[t] = torch.from_numpy(ts.action_mask)
            rollout.mover[t] = torch.from_numpy(ts.current_player)
            logits, rollout.value[t] = policy(rollout.planes[t])
            rollout.learns[t] = ~self.meets_past | (rollout.mover[t] == self.seat)
            others = ~rollout.learns[t]
            if others.any():
                logits[others] = past(rollout.planes[t, others])[0]
            log_probs = masked_log_softmax(logits, rollout.mask[t])
            action = rollout.action[t] = log_probs.exp().multinomial(1).squeeze(-1)
            rollout.log_prob[t] = log_probs.gather(-1, action[:, None]).squeeze(-1)

            ts = self.env.step(action.numpy())
            mover = rollout.mover[t].long()[:, None]
            rollout.reward[t] = torch.from_numpy(ts.reward).gather(-1, mover).squeeze(-1)
            rollout.ended[t] = torch.from_numpy(ts.terminated | ts.truncated)
            rollout.cut_value[t] = 0
            if ts.truncated.any():
                # The last position is shown to who would have moved next: against an agent that
                # is the learner again, otherwise the other side.
                assert ts.final_observation is not None
                last = torch.from_numpy(ts.final_observation[ts.truncated])
                sign = -1 if self.by_self_play else 1
                rollout.cut_value[t, torch.from_numpy(ts.truncated)] = sign * policy(last)[1]
        rollout.value[-1] = policy(torch.from_numpy(ts.observation))[1]
        rollout.mover[-1] = torch.from_numpy(ts.current_player)
        self.time_step = ts


@dataclass
class Losses:
    """Means over the minibatches of an update."""

    policy: float = 0.0
    value: float = 0.0
    entropy: float = 0.0


def update(
    policy: Policy, optimizer: torch.optim.Optimizer, rollout: Rollout, args: argparse.Namespace
) -> Losses:
    """Improves the policy by what it did in a rollout."""
    advantage = advantages(
        rollout.reward,
        rollout.value,
        rollout.mover,
        rollout.ended,
        rollout.cut_value,
        args.gamma,
        args.lam,
    )
    target = advantage + rollout.value[:-1]
    # What past selves played has its place in the sums above, but is not learnt from.
    kept = rollout.learns.flatten().nonzero().squeeze(-1)
    planes, mask = rollout.planes.flatten(0, 1), rollout.mask.flatten(0, 1)
    action, before = rollout.action.flatten(), rollout.log_prob.flatten()
    advantage, target = advantage.flatten(), target.flatten()

    batches = [
        batch
        for _ in range(args.epochs)
        for batch in kept[torch.randperm(len(kept))].split(args.minibatch)
    ]
    losses = Losses()
    for batch in batches:
        logits, value = policy(planes[batch])
        log_probs = masked_log_softmax(logits, mask[batch])
        log_prob = log_probs.gather(-1, action[batch, None]).squeeze(-1)
        gain = advantage[batch]
        gain = (gain - gain.mean()) / (gain.std(correction=0) + 1e-8)
        ratio = (log_prob - before[batch]).exp()
        clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
        policy_loss = -torch.min(ratio * gain, clipped * gain).mean()
        value_loss = (value - target[batch]).square().mean()
        entropy = -(log_probs.exp() * log_probs).sum(-1).mean()
        loss = policy_loss + 0.5 * value_loss - args.entropy * entropy
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
        optimizer.step()
        losses.policy += policy_loss.item() / len(batches)
        losses.value += value_loss.item() / len(batches)
        losses.entropy += entropy.item() / len(batches)
    return losses


class Score(NamedTuple):
    """Wins and half the draws, as a share of the games, with a 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        """Returns it as "0.640 (0.592 to 0.685)"."""
        return f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"


def score(points: float, games: int) -> Score:
    """Gives a score Wilson's interval, which stays within 0 and 1.

    It takes every game for won or lost; draws vary less, so with them it is wider than need be.
    """
    z = 1.96
    mean, pull = points / games, z * z / games
    centre = (mean + pull / 2) / (1 + pull)
    half = z / (1 + pull) * (mean * (1 - mean) / games + pull / (4 * games)) ** 0.5
    return Score(mean, centre - half, centre + half)


def evaluate(
    choose: Chooser, game: str, opponent: str, games: int, seed: int, **options: Any
) -> Score:
    """Plays an agent, half the games from each seat; games cut off by the ply limit are draws.

    The first two actions in each game are random, so that games differ where nothing is dealt and
    neither side does. Every lane plays 8 games from each seat, so `games` should be a
    multiple of 16; to take the games that end first would favour short ones.
    """
    lanes, points = max(1, games // 16), 0.0
    for seat in (0, 1):
        env = darkqi.make(game, lanes, seed, opponent=opponent, seat=seat, **options)
        ts, left, turn = env.reset(), np.full(lanes, 8), np.zeros(lanes, np.int64)
        while left.any():
            actions = env.sample_actions()
            asked = (left > 0) & (turn >= 2)
            if asked.any():
                actions[asked] = choose(ts.observation[asked], ts.action_mask[asked])
            ts = env.step(actions)
            ended = ts.terminated | ts.truncated
            turn = np.where(ended, 0, turn + 1)
            counted = ended & (left > 0)
            points += (ts.reward[counted, seat] / 2 + 0.5).sum()
            left[counted] -= 1
    return score(points, 16 * lanes)


def chooser(policy: Policy) -> Chooser:
    """Returns a function that plays the likeliest actions of a policy."""

    @torch.inference_mode()
    def choose(planes: NDArray[np.uint8], mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        logits, _ = policy(torch.from_numpy(planes))
        best = masked_log_softmax(logits, torch.from_numpy(mask)).argmax(-1)
        actions: NDArray[np.int64] = best.numpy()
        return actions

    return choose


def load(path: Path) -> tuple[Policy, str, dict[str, Any]]:
    """Reads a checkpoint.

    Returns:
        The policy, the game it plays, and the game's options.
    """
    saved = torch.load(path, weights_only=True)
    game, options = saved["game"], saved["options"]
    policy = Policy(darkqi.spec(game, **options), options, saved["width"])
    policy.load_state_dict(saved["policy"])
    return policy, game, options


def train(args: argparse.Namespace) -> None:
    """Trains a policy, tells how it goes, and leaves a checkpoint."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    spec = darkqi.spec(args.game, **args.options)
    policy = Policy(spec, args.options, args.width)
    policy.scale.copy_(plane_maxima(args.game, args.options))
    optimizer = torch.optim.Adam(policy.parameters(), eps=1e-5)
    table, rollout = Table(args), Rollout(args.steps, args.lanes, spec)
    writer = SummaryWriter(args.out)
    drawn = np.random.default_rng(args.seed)

    iterations = max(1, args.total_plies // (args.steps * args.lanes))
    # Counted back from the end, so that the last iteration is among them.
    evaluated = {iterations - k * iterations // args.evaluations for k in range(args.evaluations)}
    past = [copy.deepcopy(policy)]
    # How long it takes by the clock, and how much of that on a processor.
    seconds = cpu_seconds = 0.0
    for iteration in range(1, iterations + 1):
        start, cpu_start = time.perf_counter(), time.process_time()
        for group in optimizer.param_groups:
            group["lr"] = args.learning_rate * (1 - (iteration - 1) / iterations)
        table.play(policy, past[drawn.integers(len(past))], rollout)
        losses = update(policy, optimizer, rollout, args)
        if iteration % max(1, iterations // (2 * PAST_SELVES)) == 0:
            past = [*past, copy.deepcopy(policy)][-PAST_SELVES:]
        seconds += time.perf_counter() - start
        cpu_seconds += time.process_time() - cpu_start

        plies = iteration * args.steps * args.lanes
        for name, value in vars(losses).items():
            writer.add_scalar(f"loss/{name}", value, plies)
        writer.add_scalar("speed/plies_per_second", plies / seconds, plies)
        if iteration in evaluated:
            print(
                f"{plies:,} plies in {seconds:.0f} s, {plies / seconds:,.0f} per second; "
                f"{cpu_seconds:.0f} s of processor time"
            )
            for opponent in YARDSTICKS:
                found = evaluate(
                    chooser(policy), args.game, opponent, args.games, args.seed + 1, **args.options
                )
                print(f"  against {opponent}: {found}", flush=True)
                for name, value in found._asdict().items():
                    writer.add_scalar(f"{opponent}/{name}", value, plies)
    writer.close()
    saved = {"game": args.game, "options": args.options, "width": args.width}
    torch.save({**saved, "policy": policy.state_dict()}, args.out / "policy.pt")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("--game", default="flipping", choices=GAMES, help="what is played")
    add("--set", nargs="*", default=[], metavar="NAME=VALUE", help="options of the game")
    add("--opponent", default="self", help='"self", or an agent such as "greedy"')
    add("--past-share", type=float, default=0.25, help="share of lanes against past selves")
    add("--total-plies", type=int, default=250_000, help="plies that are played")
    add("--lanes", type=int, default=64, help="games at a time")
    add("--steps", type=int, default=64, help="steps between updates")
    add("--epochs", type=int, default=3, help="times that each ply is learnt from")
    add("--minibatch", type=int, default=256, help="plies per gradient")
    add("--learning-rate", type=float, default=1e-3, help="at the start; it falls to 0")
    # Without a discount a winning side need not hurry.
    add("--gamma", type=float, default=0.99, help="discount per step")
    add("--lam", type=float, default=0.9, help="lambda of the advantages")
    add("--clip", type=float, default=0.2, help="how far an update may change a probability")
    add("--entropy", type=float, default=0.01, help="weight of the entropy")
    add("--width", type=int, default=32, help="channels of the net")
    add("--evaluations", type=int, default=8, help="times that the policy is evaluated")
    add("--games", type=int, default=400, help="games per evaluation and agent")
    add("--threads", type=int, default=1, help="threads of the net and of the games")
    add("--seed", type=int, default=1, help="decides the run")
    add("--out", type=Path, default=Path("runs/ppo"), help="folder of the curves and policy.pt")
    args = parser.parse_args(arguments)
    args.options = dict(pair.split("=", 1) for pair in args.set)
    return args


if __name__ == "__main__":
    train(parse(None))

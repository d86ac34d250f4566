"""Trains PPO with masked actions, by self-play or against an agent, in one file.

    python python/examples/ppo.py --game flipping --out runs/ppo

Requirements: `pip install 'darkqi[torch]' tensorboard`. The game must have two players.
"""

import argparse
import copy
import math
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
import darkqi.onnx

# Values flip their sign between two sides, so the game must have two players.
GAMES = [game for game in darkqi.games() if darkqi.spec(game).num_players == 2]
BASELINES = ("random", "greedy", "expectimax:depth=1")
# Number of past policies kept as opponents.
PAST_POLICIES = 10

# From observations and masks of B games to B actions.
Chooser = Callable[[NDArray[np.uint8], NDArray[np.bool_]], NDArray[np.int64]]


class ActionHead(nn.Module):
    """A logit for every action, from the features of its origin and target squares.

    It shares what it learns between squares, such as that a general is worth taking. A dense layer
    would learn that separately for each of hundreds of actions.
    """

    index: Tensor

    def __init__(self, spec: darkqi.Spec, width: int) -> None:
        """Makes the head for a game with `width` features per square."""
        super().__init__()
        self.source = nn.Conv2d(width, width, 1)
        self.target = nn.Conv2d(width, width, 1)
        self.flip = nn.Conv2d(width, 1, 1)
        # Nearly equal initial logits, so that every legal action is tried.
        for layer in (self.source, self.flip):
            nn.init.orthogonal_(layer.weight, gain=0.01)
            assert layer.bias is not None
            nn.init.zeros_(layer.bias)

        squares = math.prod(spec.board_shape)
        source, target = torch.from_numpy(spec.action_squares.astype(np.int64)).unbind(1)
        # A flip has its square twice.
        index = torch.where(source == target, squares**2 + source, source * squares + target)
        self.register_buffer("index", index)

    def forward(self, features: Tensor) -> Tensor:
        """Maps features of shape (B, width, H, W) to logits of shape (B, A)."""
        source, target = self.source(features).flatten(2), self.target(features).flatten(2)
        steps, flips = source.transpose(1, 2) @ target, self.flip(features)
        return torch.cat([steps.flatten(1), flips.flatten(1)], dim=1)[:, self.index]


def trunk(planes: int, width: int) -> nn.Sequential:
    """Makes the convolutions that actor and critic share."""
    return nn.Sequential(
        nn.Conv2d(planes, width, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(width, width, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(width, width, 3, padding=1),
        nn.ReLU(),
    )


class Policy(nn.Module):
    """A small convolutional actor and critic, from the mover's side of a position."""

    scale: Tensor

    def __init__(self, spec: darkqi.Spec, width: int) -> None:
        """Makes a net for a game, with convolutions of `width` channels."""
        super().__init__()
        planes, height, files = spec.observation_shape
        self.register_buffer("scale", plane_scale(spec))
        self.trunk = trunk(planes, width)
        self.actor = ActionHead(spec, width)
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
        """Maps B positions in uint8 to logits of shape (B, A) and values of shape (B,)."""
        features = self.trunk(planes / self.scale)
        return self.actor(features), self.critic(features).squeeze(-1)


def plane_scale(spec: darkqi.Spec) -> Tensor:
    """Returns the greatest value of each plane: shape (C, 1, 1).

    Most planes are 0 or 1; counting planes go up to 255.
    """
    return torch.from_numpy(spec.plane_maxima.astype(np.float32)).reshape(-1, 1, 1)


def masked_log_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Returns log-probabilities; illegal actions have probability 0."""
    return logits.masked_fill(~mask, -1e9).log_softmax(dim=-1)


def advantages(
    reward: Tensor,
    value: Tensor,
    mover: Tensor,
    ended: Tensor,
    bootstrap_value: Tensor,
    gamma: float,
    lam: float,
) -> Tensor:
    """Computes generalised advantage estimates (GAE) for the movers of a two-player game.

    The game is zero-sum, so values and advantages of later plies flip their sign if the other side
    moves next. They keep it if the same side does, as against an agent that answers within the
    step.

    Args:
        reward: Reward of the mover: (T, N).
        value: Value for the mover before its ply: (T + 1, N).
        mover: Seat of the mover: (T + 1, N).
        ended: Whether the ply ended a game: (T, N), bool.
        bootstrap_value: Where the ply limit ended a game, the mover's value of the last position;
            elsewhere 0: (T, N). The limit is not a rule, so the value is bootstrapped.
        gamma: Discount per step.
        lam: Weight of later steps, between temporal difference (0) and Monte Carlo (1).

    Returns:
        The advantages: (T, N).
    """
    result = torch.zeros_like(reward)
    following = torch.zeros_like(reward[0])
    for t in reversed(range(len(reward))):
        sign = torch.where(mover[t + 1] == mover[t], 1.0, -1.0)
        after = torch.where(ended[t], bootstrap_value[t], sign * value[t + 1])
        error = reward[t] + gamma * after - value[t]
        following = error + gamma * lam * torch.where(ended[t], 0.0, sign * following)
        result[t] = following
    return result


class Rollout:
    """Observations, actions and rewards of T steps in N lanes."""

    def __init__(self, steps: int, lanes: int, spec: darkqi.Spec) -> None:
        """Allocates the tensors."""
        shape = (steps, lanes)
        self.planes = torch.zeros((*shape, *spec.observation_shape), dtype=torch.uint8)
        self.mask = torch.zeros((*shape, spec.num_actions), dtype=torch.bool)
        self.action = torch.zeros(shape, dtype=torch.int64)
        self.log_prob = torch.zeros(shape)
        self.reward = torch.zeros(shape)
        self.ended = torch.zeros(shape, dtype=torch.bool)
        self.bootstrap_value = torch.zeros(shape)
        self.learns = torch.zeros(shape, dtype=torch.bool)
        self.value = torch.zeros((steps + 1, lanes))
        self.mover = torch.zeros((steps + 1, lanes), dtype=torch.int8)


class Collector:
    """Collects rollouts by self-play or against an agent.

    In self-play the policy has both seats of most lanes and learns from every ply. In the other
    lanes it has one seat and a past policy the other: without these it may forget how to beat
    opponents that it no longer meets, and cycle. An agent answers within the step.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        """Deals a game in every lane."""
        self.by_self_play = args.opponent == "self"
        self.env = darkqi.make(
            args.game,
            args.lanes,
            args.seed,
            opponent=None if self.by_self_play else args.opponent,
            final_observation=True,
            threads=args.threads,
            **args.options,
        )
        self.time_step = self.env.reset()
        lanes = torch.arange(args.lanes)
        self.meets_past = lanes < (args.past_share * args.lanes if self.by_self_play else 0)
        self.seat = (lanes % 2).to(torch.int8)

    @torch.inference_mode()
    def play(self, policy: Policy, past: Policy, rollout: Rollout) -> None:
        """Fills a rollout; games continue from the previous one."""
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
            rollout.bootstrap_value[t] = 0
            if ts.truncated.any():
                # The last position is seen by the next mover: against an agent the learner
                # itself, otherwise the other side.
                assert ts.final_observation is not None
                last = torch.from_numpy(ts.final_observation[ts.truncated])
                sign = -1 if self.by_self_play else 1
                rollout.bootstrap_value[t, torch.from_numpy(ts.truncated)] = sign * policy(last)[1]
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
    """Updates the policy by PPO on a rollout."""
    advantage = advantages(
        rollout.reward,
        rollout.value,
        rollout.mover,
        rollout.ended,
        rollout.bootstrap_value,
        args.gamma,
        args.lam,
    )
    target = advantage + rollout.value[:-1]
    # Plies of past policies count in the sums above but are not trained on.
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
    """The share of wins plus half the draws, with a 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        """Returns a text such as "0.640 (0.592 to 0.685)"."""
        return f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"


def score(points: float, games: int) -> Score:
    """Returns a score with Wilson's interval, which stays within 0 and 1.

    The interval assumes won and lost games only; with draws it is wider than necessary.
    """
    z = 1.96
    mean, pull = points / games, z * z / games
    centre = (mean + pull / 2) / (1 + pull)
    half = z / (1 + pull) * (mean * (1 - mean) / games + pull / (4 * games)) ** 0.5
    return Score(mean, centre - half, centre + half)


def evaluate(
    choose: Chooser, game: str, opponent: str, games: int, seed: int, **options: Any
) -> Score:
    """Plays against an agent, half the games from each seat; truncated games are draws.

    The first two actions in each game are random, so that games differ without a random deal. Every
    lane plays 8 games from each seat, so `games` should be a multiple of 16; counting the first
    games to end would favour short ones.
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
    """Returns a function that chooses the most probable actions of a policy."""

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
        The policy, the game and its options.
    """
    saved = torch.load(path, weights_only=True)
    game, options = saved["game"], saved["options"]
    policy = Policy(darkqi.spec(game, **options), saved["width"])
    policy.load_state_dict(saved["policy"])
    return policy, game, options


def train(args: argparse.Namespace) -> None:
    """Trains a policy, prints evaluations, writes a checkpoint and an ONNX file."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    spec = darkqi.spec(args.game, **args.options)
    policy = Policy(spec, args.width)
    optimizer = torch.optim.Adam(policy.parameters(), eps=1e-5)
    collector, rollout = Collector(args), Rollout(args.steps, args.lanes, spec)
    writer = SummaryWriter(args.out)
    rng = np.random.default_rng(args.seed)

    iterations = max(1, args.total_plies // (args.steps * args.lanes))
    # Counted back from the end, to include the last iteration.
    evaluated = {iterations - k * iterations // args.evaluations for k in range(args.evaluations)}
    past = [copy.deepcopy(policy)]
    # Wall time and processor time of training.
    seconds = cpu_seconds = 0.0
    for iteration in range(1, iterations + 1):
        start, cpu_start = time.perf_counter(), time.process_time()
        for group in optimizer.param_groups:
            group["lr"] = args.learning_rate * (1 - (iteration - 1) / iterations)
        collector.play(policy, past[rng.integers(len(past))], rollout)
        losses = update(policy, optimizer, rollout, args)
        if iteration % max(1, iterations // (2 * PAST_POLICIES)) == 0:
            past = [*past, copy.deepcopy(policy)][-PAST_POLICIES:]
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
            for opponent in BASELINES:
                found = evaluate(
                    chooser(policy), args.game, opponent, args.games, args.seed + 1, **args.options
                )
                print(f"  against {opponent}: {found}", flush=True)
                for name, value in found._asdict().items():
                    writer.add_scalar(f"{opponent}/{name}", value, plies)
    writer.close()
    saved = {"game": args.game, "options": args.options, "width": args.width}
    torch.save({**saved, "policy": policy.state_dict()}, args.out / "policy.pt")
    darkqi.onnx.export(policy, args.game, args.out / "policy.onnx", **args.options)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("--game", default="flipping", choices=GAMES, help="the game")
    add("--set", nargs="*", default=[], metavar="NAME=VALUE", help="rule options")
    add("--opponent", default="self", help='"self", or an agent such as "greedy"')
    add("--past-share", type=float, default=0.25, help="share of lanes against past policies")
    add("--total-plies", type=int, default=250_000, help="plies to play")
    add("--lanes", type=int, default=64, help="parallel games")
    add("--steps", type=int, default=64, help="steps between updates")
    add("--epochs", type=int, default=3, help="passes over each rollout")
    add("--minibatch", type=int, default=256, help="plies per gradient step")
    add("--learning-rate", type=float, default=1e-3, help="initial; it decays to 0")
    # The discount makes early wins worth more.
    add("--gamma", type=float, default=0.99, help="discount per step")
    add("--lam", type=float, default=0.9, help="lambda of GAE")
    add("--clip", type=float, default=0.2, help="limit of the probability ratio")
    add("--entropy", type=float, default=0.01, help="weight of the entropy")
    add("--width", type=int, default=32, help="channels of the net")
    add("--evaluations", type=int, default=8, help="number of evaluations")
    add("--games", type=int, default=400, help="games per evaluation and agent")
    add("--threads", type=int, default=1, help="threads of the net and of the games")
    add("--seed", type=int, default=1, help="seed of the run")
    add("--out", type=Path, default=Path("runs/ppo"), help="folder of the curves and the policy")
    args = parser.parse_args(arguments)
    args.options = dict(pair.split("=", 1) for pair in args.set)
    return args


if __name__ == "__main__":
    train(parse(None))

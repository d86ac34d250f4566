"""Trains sb3-contrib's MaskablePPO against an agent, in natively stepped games.

    python python/examples/maskable_ppo.py --game flipping --opponent greedy --out runs/sb3

Requirements: `pip install 'darkqi[sb3,torch]' tensorboard`.
"""

import argparse
import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import Schedule
from stable_baselines3.common.vec_env import VecMonitor
from torch import Tensor, nn

import darkqi
from darkqi import commands, learning
from darkqi.commands import LADDER, count, weight
from darkqi.nets import PlaneEncoder, SquareHead
from darkqi.sb3 import VecEnv


class Features(BaseFeaturesExtractor):
    """The convolutions of the planes, flattened to one row per position."""

    def __init__(self, space: spaces.Box, args: argparse.Namespace) -> None:
        """Makes the layers for the game of `args`."""
        spec = darkqi.spec(args.game, **args.options)
        self.shape = spec.observation_shape
        super().__init__(space, features_dim=args.width * math.prod(spec.board_shape))
        self.trunk = PlaneEncoder(spec, args.width)

    def forward(self, observations: Tensor) -> Tensor:
        """Maps flat float planes of shape (B, C * H * W) to features."""
        features: Tensor = self.trunk(observations.unflatten(1, self.shape))
        return features.flatten(1)


class BoardPolicy(MaskableActorCriticPolicy):
    """SB3's policy with an action head that knows the squares."""

    def __init__(self, *given: Any, args: argparse.Namespace, **settings: Any) -> None:
        """Makes the policy for the game of `args`; other arguments are SB3's."""
        self.args = args
        super().__init__(
            *given,
            features_extractor_class=Features,
            features_extractor_kwargs={"args": args},
            # No hidden layer before the logits, one before the value.
            net_arch={"pi": [], "vf": [64]},
            **settings,
        )

    def _build(self, lr_schedule: Schedule) -> None:
        super()._build(lr_schedule)
        spec = darkqi.spec(self.args.game, **self.args.options)
        self.action_net = nn.Sequential(
            nn.Unflatten(1, (self.args.width, *spec.board_shape)),
            SquareHead(spec, self.args.width),
        )
        self.optimizer = torch.optim.Adam(self.parameters(), lr_schedule(1), eps=1e-5)


def chooser(model: MaskablePPO) -> darkqi.Policy:
    """Returns a function that chooses the most probable actions of a model."""

    def choose(
        planes: NDArray[np.uint8], mask: NDArray[np.bool_], _player: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        flat = planes.reshape(len(planes), -1)
        return model.predict(flat, action_masks=mask, deterministic=True)[0]

    return choose


class Evaluation(BaseCallback):
    """Evaluates against the agents of the ladder at intervals, between a rollout and its update."""

    def __init__(self, args: argparse.Namespace) -> None:
        """Schedules `args.evaluations` evaluations."""
        super().__init__()
        if (args.out / "scores.csv").exists():
            raise SystemExit(f"--out: expected a folder without a run, got {args.out}")
        self.args, self.log = args, learning.Log(args.out)
        self.every = max(1, args.total_steps // args.evaluations)
        self.due = self.every

    def _on_training_start(self) -> None:
        self.start, self.cpu_start = time.perf_counter(), time.process_time()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self.due:
            self.due += self.every
            self.evaluate()

    def _on_training_end(self) -> None:
        self.evaluate()

    def evaluate(self) -> None:
        """Prints and logs the scores."""
        args, steps = self.args, self.num_timesteps
        assert isinstance(self.model, MaskablePPO)
        seconds = time.perf_counter() - self.start
        cpu_seconds = time.process_time() - self.cpu_start
        print(
            f"{steps:,} steps in {seconds:.0f} s, {steps / seconds:,.0f} per second; "
            f"{cpu_seconds:.0f} s of processor time"
        )
        times = {"seconds": f"{seconds:.1f}", "cpu_seconds": f"{cpu_seconds:.1f}"}
        found = []
        for opponent in LADDER:
            score = learning.evaluate(
                chooser(self.model),
                args.game,
                opponent,
                args.games,
                seed=args.seed + 1,
                observation="planes",
                threads=args.threads,
                **args.options,
            )
            print(f"  against {opponent}: {score}", flush=True)
            found.append((opponent, {"plies": steps, **times, "opponent": opponent}, score))
        self.log.scores(steps, found)
        # Evaluation does not count as training time.
        self.start = time.perf_counter() - seconds
        self.cpu_start = time.process_time() - cpu_seconds


def train(args: argparse.Namespace) -> None:
    """Trains a model, prints evaluations and writes a checkpoint."""
    torch.set_num_threads(args.threads)
    envs = VecEnv(
        args.game,
        args.lanes,
        opponent=args.opponent,
        threads=args.threads,
        **args.options,
    )
    model = MaskablePPO(
        BoardPolicy,
        # Logs returns and lengths of episodes.
        VecMonitor(envs),
        n_steps=args.steps,
        batch_size=args.minibatch,
        n_epochs=args.epochs,
        learning_rate=lambda left: args.learning_rate * left,
        gamma=0.99,
        gae_lambda=0.9,
        ent_coef=0.01,
        policy_kwargs={"args": args},
        tensorboard_log=str(args.out),
        seed=args.seed,
        device="cpu",
    )
    model.learn(args.total_steps, callback=Evaluation(args))
    model.save(args.out / "model.zip")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = commands.parser_of(__doc__, "runs/sb3")
    commands.add_game(parser)
    add = parser.add_argument
    add("--opponent", default="greedy", help="the agent that plays the other seats")
    add("--total-steps", type=count, default=200_000, help="actions to choose")
    add("--lanes", type=count, default=64, help="parallel games")
    add("--steps", type=count, default=64, help="steps between updates")
    add("--epochs", type=count, default=3, help="passes over each rollout")
    add("--minibatch", type=count, default=256, help="steps per gradient step")
    add("--learning-rate", type=weight, default=1e-3, help="initial; it decays to 0")
    add("--width", type=count, default=32, help="channels of the net")
    add("--evaluations", type=count, default=8, help="number of evaluations")
    add("--games", type=count, default=400, help="games per evaluation and agent")
    return commands.parsed(parser, arguments)


if __name__ == "__main__":
    train(parse(None))

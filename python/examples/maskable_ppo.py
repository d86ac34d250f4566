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
from ppo import LADDER, Chooser, count, evaluate, parsed, parser_of
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import Schedule
from stable_baselines3.common.vec_env import VecMonitor
from torch import Tensor, nn

import darkqi
from darkqi.sb3 import VecEnv


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


def plane_scale(spec: darkqi.Spec) -> Tensor:
    """Returns the greatest value of each plane: shape (C, 1, 1).

    Most planes are 0 or 1; counting planes go up to 255.
    """
    return torch.from_numpy(spec.plane_maxima.astype(np.float32)).reshape(-1, 1, 1)


class Features(BaseFeaturesExtractor):
    """The convolutions of the planes, flattened to one row per position."""

    scale: Tensor

    def __init__(self, space: spaces.Box, args: argparse.Namespace) -> None:
        """Makes the layers for the game of `args`."""
        spec = darkqi.spec(args.game, **args.options)
        planes, height, files = self.shape = spec.observation_shape
        super().__init__(space, features_dim=args.width * height * files)
        self.register_buffer("scale", plane_scale(spec))
        self.trunk = trunk(planes, args.width)

    def forward(self, observations: Tensor) -> Tensor:
        """Maps flat float planes of shape (B, C * H * W) to features."""
        features: Tensor = self.trunk(observations.unflatten(1, self.shape) / self.scale)
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
            ActionHead(spec, self.args.width),
        )
        self.optimizer = torch.optim.Adam(self.parameters(), lr_schedule(1), eps=1e-5)


def chooser(model: MaskablePPO) -> Chooser:
    """Returns a function that chooses the most probable actions of a model."""

    def choose(planes: NDArray[np.uint8], mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        flat = planes.reshape(len(planes), -1)
        return model.predict(flat, action_masks=mask, deterministic=True)[0]

    return choose


class Evaluation(BaseCallback):
    """Evaluates against the agents of the ladder at intervals, between a rollout and its update."""

    def __init__(self, args: argparse.Namespace) -> None:
        """Schedules `args.evaluations` evaluations."""
        super().__init__()
        self.args = args
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
        for opponent in LADDER:
            found = evaluate(
                chooser(self.model),
                args.game,
                opponent,
                args.games,
                args.seed + 1,
                "planes",
                threads=args.threads,
                **args.options,
            )
            print(f"  against {opponent}: {found}", flush=True)
            for name, value in found._asdict().items():
                self.logger.record(f"{opponent}/{name}", value)
        self.logger.dump(steps)
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
    parser = parser_of(__doc__, "runs/sb3")
    add = parser.add_argument
    add("--opponent", default="greedy", help="the agent that plays the other seats")
    add("--total-steps", type=count, default=200_000, help="actions to choose")
    add("--lanes", type=count, default=64, help="parallel games")
    add("--steps", type=count, default=64, help="steps between updates")
    add("--epochs", type=count, default=3, help="passes over each rollout")
    add("--minibatch", type=count, default=256, help="steps per gradient step")
    add("--learning-rate", type=float, default=1e-3, help="initial; it decays to 0")
    add("--width", type=count, default=32, help="channels of the net")
    add("--evaluations", type=count, default=8, help="number of evaluations")
    add("--games", type=count, default=400, help="games per evaluation and agent")
    return parsed(parser, arguments)


if __name__ == "__main__":
    train(parse(None))

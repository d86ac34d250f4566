"""Measures how fast policies learn: `ppo.py` beside other learners, with one net and one batch.

    python python/benchmarks/training.py flipping --rounds 3
    python python/benchmarks/training.py flipping --learner 'ppo.py, self-play' --device cuda

Requirements: `pip install 'darkqi[sb3,torch]' pufferlib`. All learners play `greedy`, with the
lanes, steps, minibatches, epochs and width of `ppo.py`:

- `ppo.py` as it is, by self-play, and by self-play with `--attacks`;
- `gymnasium`, a learner in CleanRL's manner over Gymnasium's vector environment of single games,
  with the net of `ppo.py` and a masked distribution over all actions;
- `sb3`, `MaskablePPO` of sb3-contrib over `darkqi.sb3`, with the first two layers of that net and a
  dense layer for the logits;
- `pufferlib`, its PuffeRL with the net of `ppo.py` and Adam. It knows no masks: they are a part of
  the observation, which the policy takes apart.

Each runs in a process of its own, in turns. A step is an action chosen by the learner. The first
rollout and its update are not counted.

With a `--learner` of `ppo.py`, its options for lanes, net and opponents may be given, too. With
`--device cuda` (`pip install nvidia-ml-py`) the share of time in which the GPU is busy is told;
shares of games, forward pass and learning are rough then, since the GPU is not waited for.
"""

import argparse
import ast
import configparser
import contextlib
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

import ppo

import darkqi
from darkqi.commands import first_policy
from darkqi.learning import Buffer, gae
from darkqi.nets import PolicyNet, TokenEncoder, values_by_seat

LEARNERS = (
    "ppo.py",
    "ppo.py, self-play",
    "ppo.py --attacks, self-play",
    "gymnasium",
    "sb3",
    "pufferlib",
)


class Clock:
    """Adds up the seconds of what is done."""

    def __init__(self) -> None:
        """Starts with nothing."""
        self.seconds = 0.0

    def timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the call, whose time is added."""

        def called(*args: Any, **kwargs: Any) -> Any:
            begun = time.perf_counter()
            try:
                return call(*args, **kwargs)
            finally:
                self.seconds += time.perf_counter() - begun

        return called


class Gymnasium:
    """Collects rollouts of `ppo.py` from Gymnasium's vector environment of single games."""

    def __init__(self, args: argparse.Namespace, games: Clock) -> None:
        """Deals a game in every lane."""
        import gymnasium

        from darkqi.gymnasium import env_id

        made = [
            lambda: gymnasium.make(
                env_id(args.game),
                opponent="greedy",
                observation="tokens",
                disable_env_checker=True,
            )
        ] * args.lanes
        self.envs = gymnasium.vector.SyncVectorEnv(
            made, autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP
        )
        self.step = games.timed(self.envs.step)
        self.seen, _ = self.envs.reset(seed=args.seed)

    @torch.inference_mode()
    def play(self, policy: PolicyNet, rollout: Buffer) -> None:
        """Fills a rollout; games continue from the previous one."""
        for t in range(len(rollout.action)):
            rollout.tokens[t] = torch.from_numpy(self.seen["observation"])
            rollout.mask[t] = torch.from_numpy(self.seen["action_mask"]).bool()
            rollout.learns[t] = True
            # It is always seat 0 here: the agent plays the other one.
            logits, value = policy(rollout.tokens[t], rollout.mask[t])
            rollout.value[t] = values_by_seat(value[:, None], rollout.mover[t], 2)
            chances = masked(logits, rollout.mask[t])
            rollout.action[t] = chances.sample()
            rollout.log_prob[t] = chances.log_prob(rollout.action[t])
            self.seen, reward, terminated, truncated, _ = self.step(rollout.action[t].numpy())
            rollout.reward[t] = values_by_seat(
                torch.from_numpy(reward).float()[:, None], rollout.mover[t], 2
            )
            rollout.ended[t] = torch.from_numpy(terminated | truncated)
        value = policy.value(torch.from_numpy(self.seen["observation"]))
        rollout.value[-1] = values_by_seat(value, rollout.mover[-1], 2)


class Gpu(threading.Thread):
    """Watches how busy a GPU is: the share of time in which a kernel runs."""

    def __init__(self, device: str) -> None:
        """Makes the thread."""
        super().__init__(daemon=True)
        self.device = device
        # At once, so that a missing library is missed before the measurement.
        self.shares = [self.share()]
        self.ended = threading.Event()

    def share(self) -> float:
        """Asks the driver."""
        return torch.cuda.utilization(self.device) / 100

    def run(self) -> None:
        """Asks the driver, until the figures are asked for."""
        while not self.ended.wait(0.1):
            self.shares.append(self.share())

    def figures(self) -> dict[str, float]:
        """Returns what is printed of a GPU."""
        self.ended.set()
        self.join()
        shares = self.shares[1:] or self.shares
        most = torch.cuda.max_memory_allocated(self.device) / 2**20
        return {"GPU busy": sum(shares) / len(shares), "MiB of the GPU": most}


def masked(logits: Tensor, mask: Tensor) -> torch.distributions.Categorical:
    """Returns a distribution over the legal actions."""
    return torch.distributions.Categorical(logits=logits.masked_fill(~mask, -1e9))


def update(
    policy: PolicyNet,
    optimizer: torch.optim.Optimizer,
    rollout: Buffer,
    args: argparse.Namespace,
    entropy_weight: float,
) -> None:
    """Updates the policy by PPO, with distributions over all actions."""
    happened = (rollout.reward, rollout.value, rollout.ended, rollout.final_value)
    advantage = gae(*happened, args.gamma, args.lam)[..., 0]
    target = (advantage + rollout.value[:-1, :, 0]).flatten()
    advantage = advantage.flatten()
    tokens, mask = rollout.tokens.flatten(0, 1), rollout.mask.flatten(0, 1)
    action, before = rollout.action.flatten(), rollout.log_prob.flatten()
    for _ in range(args.epochs):
        for batch in torch.randperm(len(action)).split(args.minibatch):
            logits, value = policy(tokens[batch], mask[batch])
            chances = masked(logits, mask[batch])
            gain = advantage[batch]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            ratio = (chances.log_prob(action[batch]) - before[batch]).exp()
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            loss = -torch.min(ratio * gain, clipped * gain).mean()
            loss = loss + 0.5 * (value - target[batch]).square().mean()
            loss = loss - entropy_weight * chances.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()


def measure_loop(learner: str, args: argparse.Namespace, iterations: int) -> dict[str, float]:
    """Measures a learner that is a loop of rollouts and updates."""
    spec = darkqi.spec(args.game)
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    policy, rollout = first_policy(args), Buffer(args.steps, args.lanes, spec, args.device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=args.learning_rate, eps=1e-5)
    games, play, learn = Clock(), Clock(), Clock()
    if learner == "gymnasium":
        playing, learning = play.timed(Gymnasium(args, games).play), learn.timed(update)
    else:
        groups, learning = ppo.groups_of(args, args.seed), learn.timed(ppo.update)
        for group in groups:
            for name in ("send", "recv"):
                setattr(group, name, games.timed(getattr(group, name)))
        collect = play.timed(ppo.collect)

        def playing(policy: PolicyNet, rollout: Buffer) -> None:
            collect(groups, policy, policy, rollout, args.past_share)

    cpu = 0.0
    gpu = Gpu(args.device) if torch.device(args.device).type == "cuda" else None
    for iteration in range(iterations + 1):
        if iteration == 1:
            games.seconds = play.seconds = learn.seconds = 0.0
            cpu = time.process_time()
            if gpu:
                gpu.start()
        playing(policy, rollout)
        learning(policy, optimizer, rollout, args, args.entropy)
    found = figures(args, iterations, time.process_time() - cpu, games, play, learn)
    return found | gpu.figures() if gpu else found


def measure_sb3(args: argparse.Namespace, iterations: int) -> dict[str, float]:
    """Measures MaskablePPO."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

    from darkqi.sb3 import VecEnv

    class Features(BaseFeaturesExtractor):
        def __init__(self, space: Any) -> None:
            super().__init__(space, features_dim=args.width)
            self.trunk = TokenEncoder(darkqi.spec(args.game), args.width, args.attacks)

        def forward(self, tokens: Tensor) -> Tensor:
            features: Tensor = self.trunk(tokens)[0]
            return features

    games, play, learn = Clock(), Clock(), Clock()
    cpu = 0.0

    class Start(BaseCallback):
        def __init__(self) -> None:
            super().__init__()
            self.rollouts = 0

        def _on_rollout_start(self) -> None:
            nonlocal cpu
            self.rollouts += 1
            if self.rollouts == 2:
                games.seconds = play.seconds = learn.seconds = 0.0
                cpu = time.process_time()

        def _on_step(self) -> bool:
            return True

    torch.set_num_threads(args.threads)
    env = VecEnv(
        args.game,
        args.lanes,
        opponent="greedy",
        observation="tokens",
        threads=args.threads,
    )
    env.step_wait = games.timed(env.step_wait)  # type: ignore[method-assign]
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=args.steps,
        batch_size=args.minibatch,
        n_epochs=args.epochs,
        learning_rate=args.learning_rate,
        policy_kwargs={"features_extractor_class": Features, "net_arch": []},
        device="cpu",
        seed=args.seed,
    )
    model.collect_rollouts = play.timed(model.collect_rollouts)
    model.train = learn.timed(model.train)
    model.learn((iterations + 1) * args.steps * args.lanes, callback=Start())
    return figures(args, iterations, time.process_time() - cpu, games, play, learn)


def measure_pufferlib(args: argparse.Namespace, iterations: int) -> dict[str, float]:
    """Measures PuffeRL, on games that are stepped in its own process."""
    from gymnasium import spaces

    # It puts a link into the current folder as it is imported.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        import pufferlib
        from pufferlib import pufferl

    spec = darkqi.spec(args.game)
    tokens, actions = spec.token_shape[0], spec.num_actions
    games, play, learn = Clock(), Clock(), Clock()

    class Games(pufferlib.PufferEnv):
        def __init__(self) -> None:
            self.single_observation_space = spaces.Box(0, 255, (tokens + actions,), np.uint8)
            self.single_action_space = spaces.Discrete(actions)
            self.num_agents = args.lanes
            self.env = darkqi.make(
                args.game,
                args.lanes,
                seed=args.seed,
                opponent="greedy",
                observation="tokens",
                threads=args.threads,
            )
            self.play = games.timed(self.env.step)
            super().__init__()

        def show(self, step: darkqi.TimeStep) -> None:
            self.observations[:, :tokens] = step.observation
            self.observations[:, tokens:] = step.action_mask

        def reset(self, seed: int | None = None) -> tuple[NDArray[np.uint8], list[Any]]:
            self.show(self.env.reset(seed))
            return self.observations, []

        def step(self, chosen: NDArray[np.integer[Any]]) -> tuple[Any, ...]:
            step = self.play(chosen)
            self.show(step)
            self.rewards[:] = step.reward[:, 0]
            self.terminals[:], self.truncations[:] = step.terminated, step.truncated
            return self.observations, self.rewards, self.terminals, self.truncations, []

    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = PolicyNet(spec, args.width, args.attacks)

        def forward(self, seen: Tensor, state: Any) -> tuple[Tensor, Tensor]:
            # Nothing is remembered of earlier steps.
            del state
            mask = seen[:, tokens:].bool()
            logits, value = self.net(seen[:, :tokens].contiguous(), mask)
            return logits.masked_fill(~mask, -1e9), value

        forward_eval = forward

    parser = configparser.ConfigParser()
    parser.read(Path(pufferlib.__file__).parent / "config" / "default.ini")

    def plain(text: str) -> Any:
        try:
            return ast.literal_eval(text)
        except (SyntaxError, ValueError):
            return text

    settings = {name: plain(text) for name, text in parser["train"].items()}
    settings |= {
        "env": args.game,
        "use_rnn": False,
        "device": "cpu",
        "optimizer": "adam",
        "learning_rate": args.learning_rate,
        "update_epochs": args.epochs,
        "bptt_horizon": args.steps,
        "minibatch_size": args.minibatch,
        # Not to be reached: a checkpoint would be written.
        "total_timesteps": 2 * (iterations + 1) * args.steps * args.lanes,
    }
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    # Its dashboard goes to the standard output.
    pufferl.PuffeRL.print_dashboard = lambda *_, **__: None
    trainer = pufferl.PuffeRL(settings, Games(), Masked())
    playing, learning = play.timed(trainer.evaluate), learn.timed(trainer.train)
    cpu = 0.0
    for iteration in range(iterations + 1):
        if iteration == 1:
            games.seconds = play.seconds = learn.seconds = 0.0
            cpu = time.process_time()
        playing()
        learning()
    found = figures(args, iterations, time.process_time() - cpu, games, play, learn)
    trainer.utilization.stop()
    return found


def figures(
    args: argparse.Namespace, iterations: int, cpu: float, games: Clock, play: Clock, learn: Clock
) -> dict[str, float]:
    """Returns what is printed of a learner."""
    seconds, steps = play.seconds + learn.seconds, iterations * args.steps * args.lanes
    return {
        "steps/s": steps / seconds,
        "steps per CPU s": steps / cpu,
        "games": games.seconds / seconds,
        "forward": (play.seconds - games.seconds) / seconds,
        "learning": learn.seconds / seconds,
        # Linux counts in KiB.
        "MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    """Runs the learners in turns, and prints medians."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("game", nargs="?", default="flipping", choices=darkqi.games())
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (%(default)s)")
    parser.add_argument("--iterations", type=int, default=4, help="rollouts of each run")
    parser.add_argument("--threads", type=int, default=1, help="threads of nets and of games")
    parser.add_argument("--learner", choices=LEARNERS, help="only this one, as JSON")
    given, others = parser.parse_known_args()
    if others and not (given.learner or "").startswith("ppo.py"):
        parser.error(f"{' '.join(others)}: expected with a --learner of ppo.py")
    if given.learner:
        settings = ["--game", given.game, "--threads", str(given.threads)]
        if not given.learner.endswith("self-play"):
            settings += ["--opponents", "greedy", "--opponent-share", "1"]
        if "--attacks" in given.learner:
            settings.append("--attacks")
        args = ppo.parse([*settings, *others])
        if given.learner == "sb3":
            found = measure_sb3(args, given.iterations)
        elif given.learner == "pufferlib":
            found = measure_pufferlib(args, given.iterations)
        else:
            found = measure_loop(given.learner, args, given.iterations)
        print(json.dumps(found))
        return
    results: dict[str, list[dict[str, float]]] = {learner: [] for learner in LEARNERS}
    command = [sys.executable, __file__, *sys.argv[1:], "--learner"]
    for _ in range(given.rounds):
        for learner, runs in results.items():
            done = subprocess.run(
                [*command, learner], check=True, stdout=subprocess.PIPE, text=True
            )
            runs.append(json.loads(done.stdout.splitlines()[-1]))
    names = list(results[LEARNERS[0]][0])
    print(f"| {given.game} | {' | '.join(names)} |\n| --- {'| ---: ' * len(names)}|")
    for learner, runs in results.items():
        row = {name: median(run[name] for run in runs) for name in names}
        shares = (f"{row[name]:.1%}" for name in ("games", "forward", "learning"))
        speeds = (f"{row[name]:,.0f}" for name in ("steps/s", "steps per CPU s"))
        memory = f"{row['MiB']:,.0f}"
        print(f"| {learner} | {' | '.join([*speeds, *shares, memory])} |")


if __name__ == "__main__":
    main()

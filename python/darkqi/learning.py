"""What trainings of nets share, each part usable alone, in PyTorch.

- `Lanes`: games stepped in a batch, against agents or not, on the net's device;
- `Buffer` and `gae`: what happened in them, and advantages, for any number of seats;
- `Pool`: past policies as opponents;
- `fit`: a net fitted to logged games;
- `evaluate`: a match against an agent;
- `Run`, `Log`, `load`: checkpoints, scores and losses.

``python/examples/ppo.py`` and ``gumbel.py`` are trainings on a page, made of these and of
``darkqi.nets``. ``python -m darkqi.learn GAME`` is one that needs no reading.
"""

import contextlib
import csv
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, NamedTuple

import numpy as np

import darkqi
from darkqi import datasets
from darkqi._files import replacing
from darkqi._options import integer
from darkqi._seeds import checked_seeds

try:
    import torch
    from torch import Tensor, nn
except ImportError as error:
    raise ImportError("darkqi.learning needs PyTorch: pip install 'darkqi[torch]'") from error

from darkqi.nets import PolicyNet, reflections
from darkqi.results import Estimate

__all__ = [
    "Buffer",
    "Lanes",
    "Log",
    "Pool",
    "Rows",
    "Run",
    "RunError",
    "batches",
    "evaluate",
    "fit",
    "gae",
    "load",
]


# The table of scores in the folder of a run.
TABLE = "scores.csv"


class RunError(ValueError):
    """A run cannot begin or go on as it was asked to. The message says why."""


class Buffer:
    """What happened in T steps of N lanes of a game with P seats.

    Attributes:
        tokens, mask, covered: What movers saw, (T, N, tokens) uint8, their legal actions, (T, N, A)
            bool, and the truth for a critic, (T, N, S) uint8.
        mover: Their seats: (T, N), int8.
        action, log_prob: What they did, and the logarithm of its probability: (T, N).
        learns: Whether the action is the learner's: (T, N), bool.
        reward: Of each seat: (T, N, P).
        value: The expected results of all seats, before each ply and after the last: (T + 1, N, P).
        ended: Whether the ply ended a game: (T, N), bool.
        final_value: Where the ply limit ended it, the expected results in its last position, for
            the limit is no rule; elsewhere 0: (T, N, P).
    """

    def __init__(self, steps: int, lanes: int, spec: darkqi.Spec, device: str = "cpu") -> None:
        """Allocates the tensors."""

        def zeros(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
            return torch.zeros((steps, lanes, *shape), dtype=dtype, device=device)

        self.tokens = zeros(*spec.token_shape, dtype=torch.uint8)
        self.mask = zeros(spec.num_actions, dtype=torch.bool)
        self.covered = zeros(math.prod(spec.board_shape), dtype=torch.uint8)
        self.mover = zeros(dtype=torch.int8)
        self.action = zeros(dtype=torch.int64)
        self.log_prob = zeros()
        self.learns = zeros(dtype=torch.bool)
        self.reward, self.final_value = zeros(spec.num_players), zeros(spec.num_players)
        self.value = torch.zeros((steps + 1, lanes, spec.num_players), device=device)
        self.ended = zeros(dtype=torch.bool)


def gae(
    reward: Tensor, value: Tensor, ended: Tensor, final_value: Tensor, gamma: float, lam: float
) -> Tensor:
    """Computes generalised advantage estimates of all seats, as `Buffer` has what they come from.

    Each seat has rewards and values at every ply, also at those of others. So it does not matter
    how seats take turns, or whether an agent answers within the step.

    Args:
        reward: (T, N, P).
        value: (T + 1, N, P).
        ended: (T, N), bool.
        final_value: (T, N, P).
        gamma: Discount per step.
        lam: Weight of later steps, between temporal difference (0) and Monte Carlo (1).

    Returns:
        The advantages: (T, N, P). The mover's are its action's.
    """
    result, following = torch.zeros_like(reward), torch.zeros_like(reward[0])
    for t in reversed(range(len(reward))):
        over = ended[t, :, None]
        after = torch.where(over, final_value[t], value[t + 1])
        error = reward[t] + gamma * after - value[t]
        following = error + gamma * lam * torch.where(over, 0.0, following)
        result[t] = following
    return result


class Lanes:
    """Games that a learner plays in lanes, by itself or against agents, which answer in the step.

    Args:
        game: One of `darkqi.games()`.
        number: The number of lanes N.
        seed: The seed of the games.
        opponents: Agents, which divide the last lanes among themselves.
        share: Their share of the lanes.
        truth: Whether `covered` and `final` also show what lies covered.
        overlap: Whether `send` returns at once, while native threads play.
        threads: Threads that step the games.
        device: Where tensors are wanted.
        **options: Rule options.

    Raises:
        RunError: There are fewer lanes than opponents.
        ValueError: A number is out of range.

    Attributes:
        rows: The arrays of `darkqi.TimeStep` by name, as tensors: N rows each, until `recv`.
        covered: What lies covered, (N, S); None without `truth`.
        is_self_play: Whether a lane has no agent: (N,), bool.
    """

    def __init__(
        self,
        game: str,
        number: int,
        seed: int,
        *,
        opponents: Sequence[str] = (),
        share: float = 0.3,
        truth: bool = False,
        overlap: bool = False,
        threads: int | None = 1,
        device: str = "cpu",
        **options: Any,
    ) -> None:
        """Deals a game in every lane; the class describes the arguments."""
        number = integer("number", number, 1, 2**32)
        (seed,) = checked_seeds(seed, 1)
        if not 0 <= share <= 1:
            raise ValueError(f"share: expected 0 to 1, got {share}")
        places = np.arange(int(share * number) if opponents else 0)
        theirs = [len(part) for part in np.array_split(places, max(1, len(opponents)))]
        if opponents and 0 in theirs:
            raise RunError(
                f"share: {share} of {number} lanes, expected a lane for each of {len(opponents)} "
                "opponents"
            )
        by_self_play = number - len(places)
        shares = [(None, by_self_play), *zip(opponents, theirs, strict=False)]
        self.envs = [
            darkqi.make(
                game,
                lanes,
                # Far from one another, so that no deal is played twice.
                (seed + (place << 32)) % 2**64,
                observation="tokens",
                opponent=agent,
                final_observation=True,
                # After the next deal nobody could say what lay covered at the end.
                autoreset="disabled" if truth else "same_step",
                threads=threads,
                **options,
            )
            for place, (agent, lanes) in enumerate(shares)
            if lanes
        ]
        self.truth, self.overlap, self.device = truth, overlap, device
        self._ends = np.cumsum([env.num_envs for env in self.envs])
        self.is_self_play = torch.arange(number, device=device) < by_self_play
        names = ["observation", "action_mask", "current_player", "reward"]
        names += ["terminated", "truncated", "final_observation", "final_player"]
        self._steps = [env.reset() for env in self.envs]
        # From pinned memory, a GPU copies while the program goes on.
        is_cuda = torch.device(device).type == "cuda"
        self._buffers = {}
        for name in names:
            rows = torch.from_numpy(np.concatenate([getattr(step, name) for step in self._steps]))
            self._buffers[name] = rows.pin_memory() if is_cuda else rows
        self.rows: dict[str, Tensor] = {}
        self.covered: Tensor | None = None
        self._final_covered: Tensor | None = None
        self.recv()

    def send(self, actions: Tensor) -> None:
        """Plays an action in each lane, or begins to.

        Raises:
            ValueError: The shape is not (N,).
            TypeError: They are no integers.
            darkqi.IllegalActionError: An action is not legal. No lane has played then.
        """
        chosen, masks = actions.cpu().numpy(), self._buffers["action_mask"].numpy()
        if chosen.dtype.kind not in "iu":
            raise TypeError(f"actions: expected integers, got {chosen.dtype}")
        if chosen.shape != masks.shape[:1]:
            raise ValueError(f"actions: expected shape {masks.shape[:1]}, got {chosen.shape}")
        parts = np.split(chosen, self._ends[:-1])
        for env, part, mask in zip(self.envs, parts, np.split(masks, self._ends[:-1]), strict=True):
            known = part.clip(0, mask.shape[1] - 1)
            if not (mask[np.arange(len(part)), known] & (known == part)).all():
                # It refuses these, before another has played.
                (env.send if self.overlap else env.step)(part)
        if self.overlap:
            for env, part in zip(self.envs, parts, strict=True):
                env.send(part)
        else:
            # One env after another, so that they have no more threads than they may.
            self._steps = [env.step(part) for env, part in zip(self.envs, parts, strict=True)]

    def recv(self) -> None:
        """Waits until the actions are played, and takes the new rows."""
        if self.overlap:
            self._steps = [env.recv() for env in self.envs]
        # The copies of the last rows have ended: actions were computed from these.
        self._take(*self._buffers)
        if not self.truth:
            return
        self._final_covered = self.covered = self._covered_pieces()
        over = [step.terminated | step.truncated for step in self._steps]
        if np.concatenate(over).any():
            for place, (env, ended) in enumerate(zip(self.envs, over, strict=True)):
                if ended.any():
                    self._steps[place] = env.reset(lanes=ended)
                    if self.overlap:
                        env.recv()
            self._take("observation", "action_mask", "current_player")
            self.covered = self._covered_pieces()

    def _take(self, *names: str) -> None:
        """Copies rows of all envs to the device."""
        for name in names:
            rows = [getattr(step, name) for step in self._steps]
            np.concatenate(rows, out=self._buffers[name].numpy())
            self.rows[name] = self._buffers[name].to(self.device, non_blocking=True)

    def _covered_pieces(self) -> Tensor:
        covered = np.concatenate([env.covered_pieces() for env in self.envs])
        return torch.from_numpy(covered).to(self.device)

    def final(self, which: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        """Returns the last positions of games that the last step ended.

        Args:
            which: Their lanes: (N,), bool.

        Returns:
            Of n such lanes what is seen by the seat that would move next, (n, tokens), that seat,
            (n,), and with `truth` what lies covered, (n, S).
        """
        covered = None if self._final_covered is None else self._final_covered[which]
        return self.rows["final_observation"][which], self.rows["final_player"][which], covered


class Pool:
    """The last policies of a learner, as opponents.

    Without them a learner may forget how to beat opponents that it no longer meets, and cycle.
    """

    def __init__(self, policy: PolicyNet, size: int = 10) -> None:
        """Begins with a copy of a policy. The pool keeps at most `size`, from 1 on."""
        self.size, self.policies = integer("size", size, 1, 2**31), [policy.copy()]

    def add(self, policy: PolicyNet) -> None:
        """Adds a copy of a policy, in place of the oldest one if there are too many."""
        self.policies = [*self.policies, policy.copy()][-self.size :]

    def draw(self, rng: np.random.Generator) -> PolicyNet:
        """Draws one of the policies."""
        return self.policies[rng.integers(len(self.policies))]

    def state_dict(self) -> list[Any]:
        """Returns the weights of the policies."""
        return [policy.state_dict() for policy in self.policies]

    def load_state_dict(self, weights: list[Any]) -> None:
        """Takes such weights."""
        self.policies = [self.policies[0].copy() for _ in weights]
        for policy, its in zip(self.policies, weights, strict=True):
            policy.load_state_dict(its)


class Rows(NamedTuple):
    """B logged positions, for a value of K numbers as `PolicyNet` has."""

    tokens: Tensor
    """What the movers saw: (B, tokens)."""
    mask: Tensor
    """Their legal actions: (B, A)."""
    policy: Tensor
    """The logged policies, or 1 for the action of a player that logs none: (B, A)."""
    value: Tensor
    """What the mover and the seats after it got, or were expected to: (B, K)."""
    read: int
    """The number of positions read for them, with those that have no value."""


def batches(
    folders: Sequence[Path],
    size: int = 256,
    *,
    result_weight: float = 0.5,
    seed: int = 1,
    epoch: int = 0,
    threads: int | None = 1,
    device: str | torch.device = "cpu",
) -> Iterator[Rows]:
    """Yields the positions of several datasets once, in random order: those with logged values.

    Args:
        folders: The datasets.
        size: The greatest number of rows B.
        result_weight: The weight of a mover's result beside the logged value, 0 to 1.
        seed: The seed of the order.
        epoch: The number of the pass: each has another order.
        threads: Threads that read.
        device: Where the tensors are wanted.

    Raises:
        ValueError: A number is out of range.
    """
    if not 0 <= result_weight <= 1:
        raise ValueError(f"result_weight: expected 0 to 1, got {result_weight}")
    rng = np.random.default_rng([*checked_seeds(seed, 1), epoch])
    loaded = [datasets.load(folder) for folder in folders]
    parts = [
        data.batches(
            size, observation="tokens", targets=True, seed=seed, epoch=epoch, threads=threads
        )
        for data in loaded
    ]
    # A folder is drawn as often as it has rows left, so that large ones do not come last.
    left = np.array([data.num_plies for data in loaded])
    read = 0
    while left.any():
        number = rng.choice(len(left), p=left / left.sum())
        batch = next(parts[number], None)
        if batch is None:
            left[number] = 0
            continue
        left[number] = max(1, left[number] - len(batch.player))
        read += len(batch.player)
        assert batch.value is not None
        assert batch.policy is not None
        row, policy = np.arange(len(batch.player)), batch.policy
        # A search of `expectimax` has no policy, and random plies have no value.
        chosen = policy.sum(1) == 0
        policy[row[chosen], batch.action[chosen]] = 1
        seats = batch.value.shape[1]
        turns = np.arange(1 if seats == 2 else seats)
        value = batch.value[row[:, None], (batch.player[:, None] + turns) % seats]
        value[:, 0] = result_weight * batch.reward + (1 - result_weight) * value[:, 0]
        logged = np.flatnonzero(~np.isnan(value).any(1))
        if not len(logged):
            continue
        # A GPU picks rows faster than a processor copies them.
        kept = torch.from_numpy(logged).to(device)
        rows = (batch.observation, batch.action_mask, policy, value)
        seen, mask, logged_policy, worth = (
            torch.from_numpy(part).to(device)[kept] for part in rows
        )
        yield Rows(seen, mask, logged_policy, worth, read)
        read = 0


def losses(net: PolicyNet, rows: Rows) -> tuple[Tensor, Tensor]:
    """Returns the cross-entropy to logged policies and the squared error of values."""
    legal, value = net.legal(rows.tokens, rows.mask)
    logged = rows.policy[legal.position, legal.action]
    cross = -(logged * legal.log_prob).sum() / len(value)
    return cross, (value - rows.value).square().mean()


def fit(
    net: PolicyNet,
    optimizer: torch.optim.Optimizer,
    spec: darkqi.Spec,
    folders: Sequence[Path],
    size: int = 256,
    *,
    epochs: range = range(1),
    falls: bool = False,
    **settings: Any,
) -> tuple[float, float]:
    """Fits a net to the policies and values of logged games, and to their reflections.

    Args:
        net: The net.
        optimizer: What steps its weights.
        spec: The game, with its options.
        folders: Datasets of the game.
        size: Positions of a gradient step.
        epochs: The numbers of the passes.
        falls: Whether the learning rate falls to 0.
        **settings: Those of `batches`.

    Returns:
        The means of the cross-entropy to the policies and of the squared error of the values.

    Raises:
        RunError: A dataset is of another game, no position has a value, or there are no datasets or
            passes.
    """
    if not folders or not epochs:
        raise RunError(f"expected datasets and passes, got {len(folders)} and {len(epochs)}")
    plies = 0
    for folder in folders:
        data = datasets.load(folder)
        if data.spec != spec:
            raise RunError(f"{folder} has games of {data.spec}, expected those of {spec}")
        plies += len(epochs) * data.num_plies
    device = net.source.device
    symmetries = reflections(spec, device)
    sums, steps, seen_plies = torch.zeros(2, device=device), 0, 0
    for epoch in epochs:
        for rows in batches(folders, size, epoch=epoch, device=device, **settings):
            for group in optimizer.param_groups if falls else ():
                group["lr"] = optimizer.defaults["lr"] * (1 - seen_plies / plies)
            seen_plies += rows.read
            # One position is as good as its reflections.
            seen = symmetries[int(torch.randint(len(symmetries), ()))]
            rows = rows._replace(
                tokens=rows.tokens[:, seen.tokens],
                mask=rows.mask[:, seen.actions],
                policy=rows.policy[:, seen.actions],
            )
            cross, square = losses(net, rows)
            optimizer.zero_grad()
            (cross + square).backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            sums += torch.stack([cross, square]).detach()
            steps += 1
    if not steps:
        raise RunError(f"{folders[0]} has no values of positions to fit to: see its agents")
    cross, square = (sums / steps).tolist()
    return cross, square


def evaluate(
    policy: "str | darkqi.Policy", game: str, opponent: str, games: int, **settings: Any
) -> Estimate:
    """Plays a match: each opening from all seats, after four random plies.

    Args:
        policy: A policy that reads tokens, as `darkqi.nets.Agent`, or the name of an agent.
        game: One of `darkqi.games()`.
        opponent: The name of an agent.
        games: Number of games.
        **settings: Those of `darkqi.arena`, and rule options.

    Returns:
        The policy's share of wins plus half the draws.
    """
    settings = {"observation": "tokens", "random_plies": 4, "threads": 1, **settings}
    score = darkqi.arena(game, [policy, opponent], games, **settings).pairs[0].score
    assert score is not None
    return score


class Run:
    """A training: what a checkpoint keeps, so that it goes on from there.

    Args:
        path: The checkpoint. If it is there, the run goes on from it.
        settings: The settings that must not change.
        **parts: What else is kept: objects with `state_dict` and `load_state_dict`, or None.

    Attributes:
        plies, generation: How far it is.
        seconds, cpu_seconds: Wall time and processor time, as `timed` counts them.

    Raises:
        RunError: The checkpoint is of a run with other settings.
    """

    NUMBERS = ("plies", "generation", "seconds", "cpu_seconds")

    def __init__(self, path: Path, settings: Mapping[str, Any], **parts: Any) -> None:
        """Begins a run, or goes on with it; the class describes the arguments."""
        self.path, self.settings, self.parts = path, dict(settings), parts
        self.plies = self.generation = 0
        self.seconds = self.cpu_seconds = 0.0
        if not path.exists():
            if (path.parent / TABLE).exists():
                raise RunError(
                    f"{path.parent} has the scores of another run, and not its {path.name}"
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            return
        saved = torch.load(path, weights_only=True, map_location="cpu")
        for name, value in self.settings.items():
            if (before := saved["settings"].get(name)) != value:
                raise RunError(f"{path} is of a run with {name} {before}, not {value}")
        for name, part in parts.items():
            if part is not None:
                part.load_state_dict(saved[name])
        for name in self.NUMBERS:
            setattr(self, name, saved.get(name, 0))

    def save(self) -> None:
        """Writes the checkpoint at once or not at all."""
        kept = {name: part and part.state_dict() for name, part in self.parts.items()}
        numbers = {name: getattr(self, name) for name in self.NUMBERS}
        with replacing(self.path) as temporary:
            torch.save({"settings": self.settings, **kept, **numbers}, temporary)

    @contextlib.contextmanager
    def timed(self) -> Iterator[None]:
        """Counts the time of a part of the training."""
        start, cpu_start = time.perf_counter(), time.process_time()
        yield
        self.seconds += time.perf_counter() - start
        self.cpu_seconds += time.process_time() - cpu_start


def load(path: Path) -> tuple[PolicyNet, str, dict[str, Any]]:
    """Reads the policy of a checkpoint.

    Returns:
        The policy, the game and its options.

    Raises:
        RunError: It is no such file.
        TypeError: It is no path.
    """
    if not isinstance(path, str | PathLike):
        raise TypeError(f"path: expected a path, got {type(path).__name__}")
    try:
        saved = torch.load(path, weights_only=True, map_location="cpu")
        settings = saved["settings"]
        spec = darkqi.spec(settings["game"], **settings["options"])
        policy = PolicyNet(spec, settings["width"], settings["attacks"])
        policy.load_state_dict(saved["policy"])
    except (KeyError, OSError, RuntimeError, TypeError, ValueError, UnpicklingError) as error:
        reason = str(error).partition("\n")[0]
        raise RunError(f"{path}: expected a checkpoint of a policy: {reason}") from error
    return policy, settings["game"], settings["options"]


class Log:
    """Scores and losses of a run: scores in `scores.csv`, and all where TensorBoard reads them.

    TensorBoard's package may be missing; then there is the table alone.
    """

    def __init__(self, folder: Path) -> None:
        """Opens the log of a folder, which is made if it is missing."""
        folder.mkdir(parents=True, exist_ok=True)
        self.table = folder / TABLE
        self.writer: Any = None
        with contextlib.suppress(ImportError):
            from torch.utils.tensorboard import SummaryWriter

            self.writer = SummaryWriter(folder)

    def scalars(self, step: int, **values: float) -> None:
        """Logs figures by name."""
        if self.writer:
            for name, value in values.items():
                self.writer.add_scalar(name, value, step)

    def has(self, column: str, value: object) -> bool:
        """Returns whether the table has scores with this value in a column."""
        if not self.table.exists():
            return False
        with self.table.open(encoding="utf-8", newline="") as file:
            return any(row[column] == str(value) for row in csv.DictReader(file))

    def scores(
        self, step: int, found: Sequence[tuple[str, Mapping[str, object], Estimate]]
    ) -> None:
        """Adds scores to the table, all at once, and logs them.

        Args:
            step: How far the run is.
            found: The name of each score for TensorBoard, its labels by column, and the score.
        """
        if not found:
            return
        for name, _, score in found:
            tags = {f"{name}/{part}": value for part, value in score.to_dict().items()}
            self.scalars(step, **tags)
        if self.writer:
            # What the table has is not logged again.
            self.writer.flush()
        rows: list[list[Any]] = [
            [*labels.values(), *(f"{value:.4f}" for value in its.to_dict().values())]
            for _, labels, its in found
        ]
        with self.table.open("a", encoding="utf-8", newline="") as file:
            header: list[list[Any]] = [[*found[0][1], *found[0][2].to_dict()]]
            csv.writer(file).writerows(rows if file.tell() else header + rows)

    def close(self) -> None:
        """Closes the log."""
        if self.writer:
            self.writer.close()

"""Trains PPO with masked actions, by self-play or against an agent, in one file.

    python python/examples/ppo.py --game flipping --out runs/ppo

The same command goes on from the last evaluation, where a checkpoint was written. Requirements:
`pip install 'darkqi[torch]' tensorboard`. The game must have two players.
"""

import argparse
import copy
import csv
import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.utils.tensorboard import SummaryWriter

import darkqi
import darkqi.onnx
from darkqi.torch import Attacks

# Values flip their sign between two sides, so the game must have two players.
GAMES = [game for game in darkqi.games() if darkqi.spec(game).num_players == 2]
# What the policy is measured against.
LADDER = ("greedy", "expectimax:depth=1,net=none", "expectimax:depth=1", "expectimax:depth=2")
# Number of past policies kept as opponents.
PAST_POLICIES = 10

# From observations and masks of B games to B actions.
Chooser = Callable[[NDArray[np.uint8], NDArray[np.bool_]], NDArray[np.int64]]


class Legal(NamedTuple):
    """The legal actions of B positions, one position after another: L in all."""

    position: Tensor
    """The position of each: (L,), ascending."""
    action: Tensor
    """The actions: (L,)."""
    log_prob: Tensor
    """Their log-probabilities: (L,)."""


class Moves(NamedTuple):
    """What L actions do to the boards of B positions. A flip has its square and piece twice."""

    position: Tensor
    """The position of each: (L,)."""
    source: Tensor
    """The square that each leaves: (L,)."""
    target: Tensor
    """The square that each goes to: (L,)."""
    mover: Tensor
    """The piece on the source: (L,)."""
    taken: Tensor
    """The piece on the target, 0 if there is none: (L,)."""


def sums_of_rows(table: nn.Embedding, rows: Tensor, numbers: Tensor) -> Tensor:
    """Sums the first `numbers[0]` rows of a table, the next `numbers[1]` and so on: (N, width)."""
    first = numbers.cumsum(0) - numbers
    return nn.functional.embedding_bag(rows, table.weight, first, mode="sum")


class Trunk(nn.Module):
    """The common layers of policy and critic, on tokens from the mover's side of a position.

    Each piece on its square has a row of a table, and with `attacks` each attack of one piece on
    another, too. The first layer is the sum of a position's rows, as in the nets of chess engines
    (NNUE).
    """

    scale: Tensor
    first_row: Tensor

    def __init__(
        self, spec: darkqi.Spec, width: int, attacks: bool = False, truth: bool = False
    ) -> None:
        """Makes two layers of `width` units, which with `truth` see what lies covered, too."""
        super().__init__()
        self.squares = math.prod(spec.board_shape)
        scalars = spec.token_names[self.squares :]
        # A square's token is 0 if it is empty, else a piece's number from 1 on.
        self.pieces = 1 + sum(name not in scalars for name in spec.plane_names)
        # A covered piece that shows is another than the same one face up.
        self.rows = 2 * self.pieces if truth else self.pieces
        maxima = dict(zip(spec.plane_names, spec.plane_maxima.tolist(), strict=True))
        # A scalar without a plane of its name is the number of a square, which another plane shows.
        # It is left out.
        scale = [float(maxima.get(name, math.inf)) for name in scalars]
        self.register_buffer("scale", torch.tensor(scale))
        self.register_buffer("first_row", self.rows * torch.arange(self.squares))
        self.piece_on_square = nn.Embedding(self.squares * self.rows, width)
        self.piece = nn.Embedding(self.rows, width)
        self.attacks = Attacks(spec) if attacks else None
        self.scalars = nn.Linear(len(scalars), width)
        self.middle = nn.Linear(width, width)
        nn.init.normal_(self.piece_on_square.weight, std=0.05)
        nn.init.normal_(self.piece.weight, std=0.1)
        if attacks:
            self.attack = nn.Embedding(self.pieces**2, width)
            nn.init.normal_(self.attack.weight, std=0.05)

    def attack_sums(self, pieces: Tensor, attacked: Tensor) -> Tensor:
        """Sums the rows of attacks on other pieces: (B, width)."""
        on_pieces = attacked & (pieces != 0)[..., None]
        if torch.compiler.is_exporting():
            # The numbers of attacks by attacker and attacked piece.
            shown = nn.functional.one_hot(pieces, self.pieces).float()
            return (on_pieces.float().transpose(1, 2) @ shown).flatten(1) @ self.attack.weight
        position, square, attacker = on_pieces.nonzero(as_tuple=True)
        rows = self.pieces * attacker + pieces[position, square]
        return sums_of_rows(self.attack, rows, torch.bincount(position, minlength=len(pieces)))

    def forward(
        self, tokens: Tensor, covered: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Maps B positions in uint8, and what lies covered (B, S), to what the net sees in them.

        Returns:
            The features, (B, width), and what `Attacks` returns, empty without `attacks`.
        """
        shown = pieces = tokens[:, : self.squares].long()
        if covered is not None:
            pieces = torch.where(covered == 0, pieces, self.pieces + covered)
        by_square = self.piece_on_square.weight.unflatten(0, (self.squares, -1))
        table = (by_square + self.piece.weight).flatten(0, 1)
        rows = self.first_row + pieces
        # ONNX has no sums of rows: an exported `embedding_bag` is a loop over the positions.
        if torch.compiler.is_exporting():
            sums = table[rows].sum(1)
        else:
            sums = nn.functional.embedding_bag(rows, table, mode="sum")
        sums = sums + self.scalars(tokens[:, self.squares :] / self.scale)
        attacked = reached = torch.empty(0)
        if self.attacks is not None:
            # For a view, or with gradients, this would be compiled once more.
            with torch.no_grad():
                attacked, reached = self.attacks(tokens[:, : self.squares].contiguous())
            sums = sums + self.attack_sums(shown, attacked)
        return torch.relu(self.middle(torch.relu(sums))), attacked, reached


class Danger(nn.Module):
    """Which enemies attack the mover's general after an action, and what that costs.

    It is for games in which a general may lie covered: no rule can forbid to leave it attacked.
    """

    is_enemy: Tensor

    def __init__(self, spec: darkqi.Spec, attacks: Attacks, size: int) -> None:
        """Makes a row of `size` units for each piece."""
        super().__init__()
        self.attacks = attacks
        self.general = 1 + spec.piece_letters.index("K")
        names = spec.plane_names[: attacks.tokens - 1]
        is_enemy = torch.tensor([False, *(name.startswith("enemy") for name in names)])
        self.register_buffer("is_enemy", is_enemy, persistent=False)
        self.units = nn.Linear(attacks.tokens, size, bias=False)
        self.cost = nn.Parameter(torch.zeros(()))

    def attackers(self, boards: Tensor, moves: Moves, moved: Tensor) -> Tensor:
        """Finds which enemies attack the mover's general after L actions: (L, pieces).

        `moved` are what the pieces become, 0 if that is not known.
        """
        position, source, target, mover, _ = moves
        # What is not known stands in the way all the same.
        stands = torch.where(moved == 0, mover, moved).to(boards)[:, None]
        after = boards[position].scatter(1, source[:, None], 0).scatter(1, target[:, None], stands)
        at = (after == self.general).to(torch.uint8)
        found = self.attacks.attackers(after, at.argmax(1)) & self.is_enemy
        # It may lie covered.
        return (found & at.any(1, keepdim=True)).float()

    def forward(self, boards: Tensor, moves: Moves, moved: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the units of L actions, (L, size), and what to add to their logits, (L,)."""
        attackers = self.attackers(boards, moves, moved)
        return self.units(attackers), -self.cost * attackers.amax(1)


class Prospects(nn.Module):
    """What attacks mean to actions.

    These are the attacks on the source, those on the target, and those of the piece from there, in
    the form that it has then, but with all pieces where they stand before; and `Danger`. The units
    of an action sum them up, and the position says what these units are worth.
    """

    moved: Tensor

    def __init__(self, spec: darkqi.Spec, attacks: Attacks, width: int, size: int = 64) -> None:
        """Makes two layers of `size` units, for a position's features of `width` units."""
        super().__init__()
        squares, pieces = math.prod(spec.board_shape), attacks.tokens
        self.attacks, self.pieces = attacks, pieces
        # What pieces become as they move. What is not known attacks nothing, as no piece.
        moved = torch.from_numpy(1 + spec.moved_pieces.astype(np.int64))
        self.register_buffer("moved", nn.functional.pad(moved, (1, 0)), persistent=False)
        may_hide = "unseen own generals" in spec.plane_names
        self.danger = Danger(spec, attacks, size) if may_hide else None
        self.of_position = nn.Linear(width, size)
        self.of_pieces = nn.Embedding(pieces**2, size)
        self.of_source = nn.Embedding(squares, size)
        self.of_target = nn.Embedding(squares * pieces, size)
        self.on_source = nn.Linear(pieces, size, bias=False)
        self.on_target = nn.Linear(pieces, size, bias=False)
        self.from_target = nn.Embedding(pieces**2, size)
        self.middle = nn.Linear(size, size)
        self.weights = nn.Linear(width, size)
        for table in (self.of_pieces, self.of_source, self.of_target, self.from_target):
            nn.init.normal_(table.weight, std=0.3)
        # They are worth nothing before they have learned something.
        for weights in self.weights.parameters():
            nn.init.zeros_(weights)

    def sums_from(self, piece: Tensor, found: Tensor) -> Tensor:
        """Sums the rows of what L pieces attack, (L, W) with 0 for none: (L, size)."""
        rows = self.pieces * piece[:, None] + found
        if torch.compiler.is_exporting():
            return (self.from_target.weight[rows] * (found != 0)[..., None]).sum(1)
        return sums_of_rows(self.from_target, rows[found != 0], (found != 0).sum(1))

    def forward(
        self, units: Tensor, boards: Tensor, attacked: Tensor, reached: Tensor, moves: Moves
    ) -> Tensor:
        """Maps features of B positions (B, width) and what is attacked to logits of L actions (L,).

        `boards` are their tokens, (B, S), `attacked` and `reached` those of `Attacks`.
        """
        position, source, target, mover, taken = moves
        moved = self.moved[mover]
        found = self.attacks.attacked_from(reached, position, target, moved)
        sums = (
            self.of_position(units)[position]
            + self.of_pieces(self.pieces * mover + taken)
            + self.of_source(source)
            + self.of_target(self.pieces * target + mover)
            + self.on_source(attacked[position, source].float())
            + self.on_target(attacked[position, target].float())
            + self.sums_from(moved, found)
        )
        more: Tensor | float = 0.0
        if self.danger is not None:
            in_danger, more = self.danger(boards, moves, moved)
            sums = sums + in_danger
        hidden = torch.relu(self.middle(torch.relu(sums)))
        return (hidden * self.weights(units)[position]).sum(-1) + more


class Policy(nn.Module):
    """Actor, with a value of its own.

    The logit of an action is a sum of what its two squares and the pieces there are worth to the
    position, and of a product of low rank; with `attacks`, also of what attacks mean to it. It
    shares what it learns between actions, such as that a general is worth taking, and is computed
    for the legal actions alone, a few dozen of hundreds.
    """

    source: Tensor
    target: Tensor

    def __init__(
        self, spec: darkqi.Spec, width: int, attacks: bool = False, rank: int = 16
    ) -> None:
        """Makes a net for a game, with two layers of `width` units."""
        super().__init__()
        self.trunk = Trunk(spec, width, attacks)
        self.squares, self.pieces = self.trunk.squares, self.trunk.pieces
        source, target = torch.from_numpy(spec.action_squares.astype(np.int64)).unbind(1)
        self.register_buffer("source", source)
        self.register_buffer("target", target)
        self.critic = nn.Linear(width, 1)
        # What an action's source and target, and the pieces there, are worth.
        self.by_square = nn.Linear(width, 2 * self.squares)
        self.by_piece = nn.Linear(width, 2 * self.pieces)
        self.by_pair = nn.Embedding(self.pieces**2, 1)
        seen = self.trunk.attacks
        self.prospects = None if seen is None else Prospects(spec, seen, width)
        self.rank = nn.Linear(width, rank)
        self.by_action = nn.Embedding(spec.num_actions, rank)
        nn.init.normal_(self.by_action.weight, std=0.1)
        # Nearly equal initial logits, so that every legal action is tried.
        nn.init.zeros_(self.by_pair.weight)
        for layer in (self.by_square, self.by_piece, self.rank, self.critic):
            nn.init.orthogonal_(layer.weight, gain=0.01)
            assert layer.bias is not None
            nn.init.zeros_(layer.bias)

    def value(self, tokens: Tensor) -> Tensor:
        """Maps B positions to expected results from -1 to 1: (B,)."""
        return self.expected(self.trunk(tokens)[0])

    def expected(self, units: Tensor) -> Tensor:
        """Maps features to expected results."""
        return torch.tanh(self.critic(units).squeeze(-1))

    def worth(self, units: Tensor, pieces: Tensor) -> Tensor:
        """Maps features and pieces (B, S) to the worth of sources and targets: (B, 2, S)."""
        by_square = self.by_square(units).unflatten(1, (2, -1))
        by_piece = self.by_piece(units).unflatten(1, (2, -1))
        return by_square + by_piece.gather(2, pieces[:, None].expand(-1, 2, -1))

    def logits(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Maps B positions and their masks (B, A) to what is known of their L legal actions.

        Returns:
            Positions, actions and logits of these, each (L,), and the values of the positions (B,).
        """
        units, attacked, reached = self.trunk(tokens)
        board = tokens[:, : self.squares]
        pieces = board.long()
        position, action = mask.nonzero(as_tuple=True)
        source, target = self.source[action], self.target[action]
        mover, taken = pieces[position, source], pieces[position, target]
        worth = self.worth(units, pieces)
        logits = (
            worth[position, 0, source]
            + worth[position, 1, target]
            + self.by_pair(self.pieces * mover + taken).squeeze(-1)
            + (self.rank(units)[position] * self.by_action(action)).sum(-1)
        )
        if self.prospects is not None:
            moves = Moves(position, source, target, mover, taken)
            logits = logits + self.prospects(units, board, attacked, reached, moves)
        return position, action, logits, self.expected(units)

    def forward(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Maps B positions and their masks (B, A) to logits (B, A) and values (B,).

        Logits of illegal actions are 0.
        """
        position, action, logits, value = self.logits(tokens, mask)
        return logits.new_zeros(mask.shape).index_put((position, action), logits), value

    def legal(self, tokens: Tensor, mask: Tensor) -> tuple[Legal, Tensor]:
        """Maps B positions and their masks (B, A) to their legal actions and values (B,)."""
        position, action, logits, value = self.logits(tokens, mask)
        return Legal(position, action, log_softmax(logits, position, len(mask))), value


class Critic(nn.Module):
    """A critic that sees what lies covered. It is thrown away after training.

    What a flip turns up is no surprise to it, so that luck counts less as the merit of an action.
    The policy sees observations alone.
    """

    def __init__(self, spec: darkqi.Spec, width: int, attacks: bool = False) -> None:
        """Makes a net for a game, of the policy's size."""
        super().__init__()
        self.trunk = Trunk(spec, width, attacks, truth=True)
        self.head = nn.Linear(width, 1)
        nn.init.orthogonal_(self.head.weight, gain=0.01)

    def forward(self, tokens: Tensor, covered: Tensor) -> Tensor:
        """Maps B positions and what lies covered, (B, S), to values (B,)."""
        return torch.tanh(self.head(self.trunk(tokens, covered)[0]).squeeze(-1))


def log_softmax(logits: Tensor, position: Tensor, positions: int) -> Tensor:
    """Returns log-probabilities of the legal actions of positions, from their logits: (L,)."""
    greatest = logits.new_full((positions,), -torch.inf)
    greatest = greatest.scatter_reduce(0, position, logits.detach(), "amax")
    logits = logits - greatest[position]
    total = logits.new_zeros(positions).index_add(0, position, logits.exp())
    return logits - total.log()[position]


def sample(legal: Legal, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Draws an action for each position, and returns these and their log-probabilities: (B,)."""
    # The greatest of log-probabilities with Gumbel noise is such a sample.
    noisy = legal.log_prob.new_full(mask.shape, -torch.inf)
    log_prob = legal.log_prob.new_zeros(mask.shape)
    gumbel = -torch.empty_like(legal.log_prob).exponential_().log()
    noisy[legal.position, legal.action] = legal.log_prob + gumbel
    log_prob[legal.position, legal.action] = legal.log_prob
    action = noisy.argmax(1)
    return action, log_prob.gather(1, action[:, None]).squeeze(1)


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

    def __init__(self, steps: int, lanes: int, spec: darkqi.Spec, device: str = "cpu") -> None:
        """Allocates the tensors."""

        def zeros(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
            return torch.zeros(shape, dtype=dtype, device=device)

        self.tokens = zeros(steps, lanes, *spec.token_shape, dtype=torch.uint8)
        self.mask = zeros(steps, lanes, spec.num_actions, dtype=torch.bool)
        self.covered = zeros(steps, lanes, math.prod(spec.board_shape), dtype=torch.uint8)
        self.action = zeros(steps, lanes, dtype=torch.int64)
        self.log_prob = zeros(steps, lanes)
        self.reward = zeros(steps, lanes)
        self.ended = zeros(steps, lanes, dtype=torch.bool)
        self.bootstrap_value = zeros(steps, lanes)
        self.learns = zeros(steps, lanes, dtype=torch.bool)
        self.value = zeros(steps + 1, lanes)
        self.mover = zeros(steps + 1, lanes, dtype=torch.int8)

    def advantages(self, args: argparse.Namespace) -> Tensor:
        """Computes the advantages of all plies: (T, N)."""
        return advantages(
            self.reward,
            self.value,
            self.mover,
            self.ended,
            self.bootstrap_value,
            args.gamma,
            args.lam,
        )


def lanes_of_opponents(args: argparse.Namespace) -> list[int]:
    """Returns how many lanes of a group each of the agents plays in."""
    if not args.opponents:
        return []
    lanes = np.arange(int(args.opponent_share * (args.lanes // args.groups)))
    return [len(part) for part in np.array_split(lanes, len(args.opponents))]


class Games:
    """A group of lanes: of self-play, and against agents, which answer within the step.

    In self-play the policy has both seats of most lanes and learns from every ply. In the other
    lanes it has one seat and a past policy the other: without these it may forget how to beat
    opponents that it no longer meets, and cycle.
    """

    def __init__(self, args: argparse.Namespace, seed: int, group: int) -> None:
        """Deals a game in every lane."""
        against, number = lanes_of_opponents(args), args.lanes // args.groups
        by_self_play = number - sum(against)
        agents = [(None, by_self_play), *zip(args.opponents, against, strict=True)]
        self.envs = [
            darkqi.make(
                args.game,
                lanes,
                # Far from the others, and from the deals that the policy is measured on.
                seed + ((group * len(agents) + place) << 32),
                observation="tokens",
                opponent=agent,
                final_observation=True,
                threads=args.threads,
                **args.options,
            )
            for place, (agent, lanes) in enumerate(agents)
            if lanes
        ]
        self.ends = np.cumsum([env.num_envs for env in self.envs])
        self.device = args.device
        lane = torch.arange(number, device=self.device)
        self.is_self_play = lane < by_self_play
        self.meets_past = lane < args.past_share * by_self_play
        self.seat = (lane % 2).to(torch.int8)
        self.lanes = slice(group * number, (group + 1) * number)
        """Where its lanes are among those of all groups."""
        names = ["observation", "action_mask", "current_player", "reward"]
        names += ["terminated", "truncated", "final_observation"]
        steps = [env.reset() for env in self.envs]
        rows = {
            name: torch.from_numpy(np.concatenate([getattr(step, name) for step in steps]))
            for name in names
        }
        # From pinned memory, a GPU copies while the program goes on.
        is_cuda = torch.device(self.device).type == "cuda"
        self.buffers = {name: part.pin_memory() if is_cuda else part for name, part in rows.items()}
        self.rows: dict[str, Tensor] = {}
        """The arrays of `darkqi.TimeStep` by name, of its lanes, until the next `recv`."""
        self.is_one_of_several = args.groups > 1
        self.steps = steps
        self.recv()

    def send(self, actions: Tensor) -> None:
        """Begins to play an action in each lane."""
        parts = np.split(actions.cpu().numpy(), self.ends[:-1])
        if self.is_one_of_several:
            for env, part in zip(self.envs, parts, strict=True):
                env.send(part)
        else:
            # One env after another, so that they have no more threads than they may.
            self.steps = [env.step(part) for env, part in zip(self.envs, parts, strict=True)]

    def recv(self) -> None:
        """Waits until the actions are played, and takes the new rows."""
        if self.is_one_of_several:
            self.steps = [env.recv() for env in self.envs]
        # The copies of the last rows have ended: actions were computed from these.
        for name, buffer in self.buffers.items():
            np.concatenate([getattr(step, name) for step in self.steps], out=buffer.numpy())
            self.rows[name] = buffer.to(self.device, non_blocking=True)

    def covered_pieces(self) -> Tensor:
        """Returns what lies covered in each lane: (N, S)."""
        covered = np.concatenate([env.covered_pieces() for env in self.envs])
        return torch.from_numpy(covered).to(self.device)


class Collector:
    """Collects rollouts. With several groups, one is played while the net looks at another."""

    def __init__(self, args: argparse.Namespace, seed: int) -> None:
        """Deals a game in every lane."""
        self.groups = [Games(args, seed, group) for group in range(args.groups)]

    # Not in inference mode, whose tensors are others to a compiler than those of an update.
    @torch.no_grad()
    def play(
        self, policy: Policy, past: Policy, rollout: Rollout, critic: Critic | None = None
    ) -> None:
        """Fills a rollout, with the critic's values if there is one; games go on from the last."""
        for t in range(len(rollout.action) + 1):
            for games in self.groups:
                if t > 0:
                    take_rewards(games, policy, rollout, t - 1)
                if t < len(rollout.action):
                    games.send(choose_actions(games, policy, past, rollout, t, critic))
                    continue
                rows, lanes = games.rows, games.lanes
                rollout.mover[t, lanes] = rows["current_player"]
                if critic is None:
                    rollout.value[t, lanes] = policy.value(rows["observation"])
                else:
                    rollout.value[t, lanes] = critic(rows["observation"], games.covered_pieces())


def choose_actions(
    games: Games, policy: Policy, past: Policy, rollout: Rollout, t: int, critic: Critic | None
) -> Tensor:
    """Chooses actions for a group of lanes, and notes what they were chosen by."""
    tokens, mask, lanes = games.rows["observation"], games.rows["action_mask"], games.lanes
    mover = games.rows["current_player"]
    learns = ~games.meets_past | (mover == games.seat)
    legal, value = policy.legal(tokens, mask)
    if critic is not None:
        covered = rollout.covered[t, lanes] = games.covered_pieces()
        value = critic(tokens, covered)
    action, log_prob = sample(legal, mask)
    others = (~learns).nonzero().squeeze(1)
    if len(others):
        legal, _ = past.legal(tokens[others], mask[others])
        action[others], log_prob[others] = sample(legal, mask[others])
    rollout.tokens[t, lanes], rollout.mask[t, lanes] = tokens, mask
    rollout.mover[t, lanes], rollout.learns[t, lanes] = mover, learns
    rollout.value[t, lanes] = value
    rollout.action[t, lanes], rollout.log_prob[t, lanes] = action, log_prob
    return action


def take_rewards(games: Games, policy: Policy, rollout: Rollout, t: int) -> None:
    """Notes what came of the actions of a group of lanes."""
    games.recv()
    rows, lanes = games.rows, games.lanes
    mover = rollout.mover[t, lanes].long()[:, None]
    rollout.reward[t, lanes] = rows["reward"].gather(-1, mover).squeeze(-1)
    truncated = rows["truncated"]
    rollout.ended[t, lanes] = rows["terminated"] | truncated
    bootstrap_value = torch.zeros_like(rollout.bootstrap_value[t, lanes])
    if truncated.any():
        # The last position is seen by the next mover: against an agent the learner itself,
        # otherwise the other side.
        value = policy.value(rows["final_observation"][truncated])
        sign = torch.where(games.is_self_play[truncated], -1.0, 1.0)
        bootstrap_value[truncated] = sign * value
    rollout.bootstrap_value[t, lanes] = bootstrap_value


@dataclass
class Losses:
    """Means over the minibatches of an update."""

    policy: float
    value: float
    critic: float
    entropy: float


class Reflection(NamedTuple):
    """A symmetry of a game, which makes a position and its actions into others as good."""

    tokens: Tensor
    """The token that each one becomes: (T,)."""
    actions: Tensor
    """The action that each one becomes: (A,)."""


def reflections(spec: darkqi.Spec, device: str = "cpu") -> list[Reflection]:
    """Returns the symmetries of a game, the one that changes nothing first."""
    tokens, actions = torch.arange(spec.token_shape[0]), torch.arange(spec.num_actions)
    found = [Reflection(tokens, actions)]
    for symmetry in spec.symmetries:
        squares = torch.from_numpy(symmetry.squares.astype(np.int64))
        scalars = tokens[len(squares) :]
        found.append(
            Reflection(
                torch.cat([squares, scalars]), torch.from_numpy(symmetry.actions.astype(np.int64))
            )
        )
    return [Reflection(seen.tokens.to(device), seen.actions.to(device)) for seen in found]


def update(
    policy: Policy,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    args: argparse.Namespace,
    entropy_weight: float,
    critic: Critic | None = None,
) -> Losses:
    """Updates the policy, and the critic if there is one, by PPO on a rollout."""
    advantage = rollout.advantages(args)
    target = advantage + rollout.value[:-1]
    # Plies of past policies count in the sums above but are not trained on.
    kept = rollout.learns.flatten().nonzero().squeeze(-1)
    tokens, mask = rollout.tokens.flatten(0, 1), rollout.mask.flatten(0, 1)
    covered = rollout.covered.flatten(0, 1)
    action, before = rollout.action.flatten(), rollout.log_prob.flatten()
    advantage, target = advantage.flatten(), target.flatten()

    batches = [
        batch
        for _ in range(args.epochs)
        for batch in kept[torch.randperm(len(kept), device=kept.device)].split(args.minibatch)
    ]
    symmetries = reflections(darkqi.spec(args.game, **args.options), args.device)
    parameters = [weights for group in optimizer.param_groups for weights in group["params"]]
    sums = torch.zeros(len(fields(Losses)), device=kept.device)
    for batch in batches:
        # One game is as good as its reflections.
        seen = symmetries[int(torch.randint(len(symmetries), ()))]
        chosen = seen.actions[action[batch]]
        position = tokens[batch][:, seen.tokens]
        legal, value = policy.legal(position, mask[batch][:, seen.actions])
        log_probs = legal.log_prob
        # One for each position, in their order.
        log_prob = log_probs[legal.action == chosen[legal.position]]
        gain = advantage[batch]
        gain = (gain - gain.mean()) / (gain.std(correction=0) + 1e-8)
        ratio = (log_prob - before[batch]).exp()
        clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
        policy_loss = -torch.min(ratio * gain, clipped * gain).mean()
        value_loss = (value - target[batch]).square().mean()
        entropy = -(log_probs.exp() * log_probs).sum() / len(batch)
        critic_loss = torch.zeros_like(value_loss)
        if critic is not None:
            value = critic(position, covered[batch][:, seen.tokens[: covered.shape[1]]])
            critic_loss = (value - target[batch]).square().mean()
        loss = policy_loss + 0.5 * (value_loss + critic_loss) - entropy_weight * entropy
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 0.5)
        optimizer.step()
        sums += torch.stack([policy_loss, value_loss, critic_loss, entropy]).detach()
    return Losses(*(sums / len(batches)).tolist())


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
    choose: Chooser,
    game: str,
    opponent: str,
    games: int,
    seed: int,
    observation: Literal["planes", "tokens"] = "tokens",
    **options: Any,
) -> Score:
    """Plays against an agent, half the games from each seat; truncated games are draws.

    The first two actions in each game are random, so that games differ without a random deal. Every
    lane plays 8 games from each seat, so `games` should be a multiple of 16; counting the first
    games to end would favour short ones.
    """
    lanes, points = max(1, games // 16), 0.0
    for seat in (0, 1):
        env = darkqi.make(
            game,
            lanes,
            seed,
            opponent=opponent,
            seat=seat,
            observation=observation,
            **options,
        )
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
    """Returns a function that draws actions by their probabilities, as in training.

    The most probable ones alone tend to repeat positions without an end.
    """
    device = policy.source.device

    @torch.inference_mode()
    def choose(tokens: NDArray[np.uint8], mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        may = torch.from_numpy(mask).to(device)
        legal, _ = policy.legal(torch.from_numpy(tokens).to(device), may)
        actions: NDArray[np.int64] = sample(legal, may)[0].cpu().numpy()
        return actions

    return choose


def load(path: Path) -> tuple[Policy, str, dict[str, Any]]:
    """Reads the policy of a checkpoint.

    Returns:
        The policy, the game and its options.
    """
    saved = torch.load(path, weights_only=True, map_location="cpu")
    settings = saved["settings"]
    spec = darkqi.spec(settings["game"], **settings["options"])
    policy = Policy(spec, settings["width"], settings["attacks"])
    policy.load_state_dict(saved["policy"])
    return policy, settings["game"], settings["options"]


def first_policy(args: argparse.Namespace) -> Policy:
    """Returns the net to begin with, new or that of `--start`."""
    if args.start is None:
        spec = darkqi.spec(args.game, **args.options)
        return placed(Policy(spec, args.width, args.attacks), args)
    # A run that goes on has all that it needs.
    last = args.out / "policy.pt"
    start = last if last.exists() else args.start
    policy, game, options = load(start)
    if (game, options) != (args.game, args.options):
        raise SystemExit(
            f"{start} is a net of {game} with options {options}, "
            f"expected {args.game} with {args.options}"
        )
    if args.attacks and policy.prospects is None:
        raise SystemExit(f"{start} is a net without --attacks")
    return placed(policy, args)


def placed(policy: Policy, args: argparse.Namespace) -> Policy:
    """Returns a policy on the device that computes it, compiled if that was asked for."""
    if args.compile:
        if policy.trunk.attacks is None:
            raise SystemExit("--compile compiles how attacks are found: expected --attacks")
        policy.trunk.attacks.compile(dynamic=True)
    return policy.to(args.device)


def copy_of(policy: Policy) -> Policy:
    """Returns a copy. What finds attacks has no weights, and stays the same, compiled or not."""
    return copy.deepcopy(policy, {id(policy.trunk.attacks): policy.trunk.attacks})


def settings_of(args: argparse.Namespace, policy: Policy, free: Sequence[str]) -> dict[str, Any]:
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


def check_settings(path: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Ends the program if the run in a checkpoint had other settings."""
    for name, value in now.items():
        if before.get(name) != value:
            raise SystemExit(f"{path} is of a run with {name} {before.get(name)}, not {value}")


class Run:
    """A training run: what a checkpoint keeps, so that the run goes on from there."""

    # These may change when a run goes on.
    FREE = ("evaluations", "games", "groups", "total_plies")

    def __init__(self, args: argparse.Namespace) -> None:
        """Begins a run, or goes on with the one in `args.out`."""
        self.policy = first_policy(args)
        self.settings = settings_of(args, self.policy, self.FREE)
        spec = darkqi.spec(args.game, **args.options)
        net = (self.settings["width"], self.settings["attacks"])
        self.critic = Critic(spec, *net).to(args.device) if args.critic == "truth" else None
        if self.critic is not None:
            # Without weights, and compiled or not.
            self.critic.trunk.attacks = self.policy.trunk.attacks
        learners = nn.ModuleList([self.policy, *filter(None, [self.critic])])
        self.optimizer = torch.optim.Adam(learners.parameters(), eps=1e-5)
        self.past = [copy_of(self.policy)]
        self.plies = 0
        # Wall time and processor time of training.
        self.seconds = self.cpu_seconds = 0.0
        self.path = args.out / "policy.pt"
        if self.path.exists():
            self.restore(torch.load(self.path, weights_only=True, map_location="cpu"))

    def restore(self, saved: dict[str, Any]) -> None:
        """Takes what a checkpoint keeps. Games begin anew."""
        check_settings(self.path, saved["settings"], self.settings)
        self.policy.load_state_dict(saved["policy"])
        if self.critic:
            self.critic.load_state_dict(saved["critic"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.past = [copy_of(self.policy) for _ in saved["past"]]
        for policy, weights in zip(self.past, saved["past"], strict=True):
            policy.load_state_dict(weights)
        self.plies, self.seconds = saved["plies"], saved["seconds"]
        self.cpu_seconds = saved["cpu_seconds"]

    def save(self) -> None:
        """Writes the checkpoint at once or not at all."""
        temporary = self.path.with_suffix(".tmp")
        saved = {
            "settings": self.settings,
            "policy": self.policy.state_dict(),
            "critic": self.critic.state_dict() if self.critic else None,
            "optimizer": self.optimizer.state_dict(),
            "past": [policy.state_dict() for policy in self.past],
            "plies": self.plies,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
        }
        torch.save(saved, temporary)
        temporary.replace(self.path)


def train(args: argparse.Namespace) -> None:
    """Trains a policy, prints evaluations, writes checkpoints and an ONNX file."""
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    run = Run(args)
    # A run that goes on does not draw the same numbers again.
    seed = args.seed + run.plies
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    collector = Collector(args, seed)
    spec = darkqi.spec(args.game, **args.options)
    rollout = Rollout(args.steps, args.lanes, spec, args.device)
    writer = SummaryWriter(args.out)
    if run.plies:
        # A checkpoint is written before its scores.
        report(run, args, writer)

    size = args.steps * args.lanes
    iterations, first = max(1, args.total_plies // size), run.plies // size + 1
    # Counted back from the end, to include the last iteration.
    evaluated = {iterations - k * iterations // args.evaluations for k in range(args.evaluations)}
    for iteration in range(first, iterations + 1):
        start, cpu_start = time.perf_counter(), time.process_time()
        done = (iteration - 1) / iterations
        for group in run.optimizer.param_groups:
            group["lr"] = args.learning_rate * (1 - done)
        entropy_weight = args.entropy ** (1 - done) * args.final_entropy**done
        past = run.past[rng.integers(len(run.past))]
        collector.play(run.policy, past, rollout, run.critic)
        losses = update(run.policy, run.optimizer, rollout, args, entropy_weight, run.critic)
        if iteration % max(1, iterations // (2 * PAST_POLICIES)) == 0:
            run.past = [*run.past, copy_of(run.policy)][-PAST_POLICIES:]
        run.seconds += time.perf_counter() - start
        run.cpu_seconds += time.process_time() - cpu_start
        run.plies = iteration * size

        for name, value in vars(losses).items():
            writer.add_scalar(f"loss/{name}", value, run.plies)
        writer.add_scalar("speed/plies_per_second", run.plies / run.seconds, run.plies)
        if iteration in evaluated:
            run.save()
            report(run, args, writer)
    writer.close()
    darkqi.onnx.export(
        run.policy, args.game, args.out / "policy.onnx", observation="tokens", **args.options
    )


def report(run: Run, args: argparse.Namespace, writer: SummaryWriter) -> None:
    """Plays against the agents of the ladder, unless this was done before.

    Prints the scores, logs them and adds them to `scores.csv`.
    """
    table = args.out / "scores.csv"
    if is_scored(table, "plies", run.plies):
        return
    print(
        f"{run.plies:,} plies in {run.seconds:.0f} s, {run.plies / run.seconds:,.0f} per second; "
        f"{run.cpu_seconds:.0f} s of processor time"
    )
    rows = []
    for opponent in LADDER:
        # The last games to end are few, and nothing is to be compiled for their number.
        with torch.compiler.set_stance("force_eager") if args.compile else nullcontext():
            found = evaluate(
                chooser(run.policy),
                args.game,
                opponent,
                args.games,
                args.seed + 1,
                threads=args.threads,
                **args.options,
            )
        print(f"  against {opponent}: {found}", flush=True)
        times = (f"{run.seconds:.1f}", f"{run.cpu_seconds:.1f}")
        rows.append((run.plies, *times, opponent, *(f"{value:.4f}" for value in found)))
        for name, value in found._asdict().items():
            writer.add_scalar(f"{opponent}/{name}", value, run.plies)
    # What the table has is not logged again.
    writer.flush()
    add_scores(table, ("plies", "seconds", "cpu_seconds", "opponent", *Score._fields), rows)


def is_scored(table: Path, column: str, value: int) -> bool:
    """Returns whether a table of scores has rows with this value in a column."""
    if not table.exists():
        return False
    with table.open(encoding="utf-8", newline="") as file:
        return any(row[column] == str(value) for row in csv.DictReader(file))


def add_scores(table: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Adds rows to a table of scores, all at once."""
    with table.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows if file.tell() else [columns, *rows])


def count(text: str) -> int:
    """Reads a number of things from the command line."""
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, got {text}")
    return number


def device_name(text: str) -> str:
    """Reads a device from the command line."""
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


def parser_of(doc: str | None, out: str) -> argparse.ArgumentParser:
    """Returns a parser with what all learners are told: game, rules, threads, seed and folder."""
    parser = argparse.ArgumentParser(
        description=(doc or "").partition("\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("--game", default="flipping", choices=GAMES, help="the game")
    add(
        "--set",
        dest="options",
        nargs="*",
        default=[],
        type=rule_option,
        metavar="NAME=VALUE",
        help="rule options",
    )
    add("--threads", type=count, default=1, help="threads of the net and of the games")
    add("--seed", type=count, default=1, help="seed of the run")
    add("--out", type=Path, default=Path(out), help="folder of all that the run writes")
    return parser


def add_net(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the net to begin with, for `first_policy`."""
    add = parser.add_argument
    add("--start", type=Path, help="checkpoint of ppo.py or gumbel.py to start from")
    add("--width", type=count, default=128, help="units of the net's layers, without --start")
    add("--attacks", action="store_true", help="show the net what is attacked, without --start")
    add("--device", default="cpu", type=device_name, help="what computes the net, such as cuda")
    add("--compile", action="store_true", help="compile how attacks are found, for a GPU")


def parsed(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line. The rule options are in `options`, if the game has them."""
    args = parser.parse_args(arguments)
    args.options = dict(args.options)
    try:
        darkqi.spec(args.game, **args.options)
    except ValueError as error:
        parser.error(str(error))
    return args


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = parser_of(__doc__, "runs/ppo")
    add_net(parser)
    add = parser.add_argument
    add("--opponents", nargs="*", default=[], metavar="AGENT", help="agents that it meets, too")
    add("--opponent-share", type=float, default=0.3, help="share of lanes against these agents")
    add("--past-share", type=float, default=0.25, help="share of the others against past policies")
    add("--total-plies", type=count, default=2_000_000, help="plies to play")
    add("--lanes", type=count, default=256, help="parallel games")
    add(
        "--groups",
        type=count,
        default=1,
        help="groups of lanes, of which one is played while the net looks at another",
    )
    add("--steps", type=count, default=64, help="steps between updates")
    add("--epochs", type=count, default=3, help="passes over each rollout")
    add("--minibatch", type=count, default=2048, help="plies per gradient step")
    add("--learning-rate", type=float, default=5e-4, help="initial; it decays to 0")
    # The discount makes early wins worth more.
    add("--gamma", type=float, default=0.997, help="discount per step")
    add("--lam", type=float, default=0.95, help="lambda of GAE")
    add("--clip", type=float, default=0.2, help="limit of the probability ratio")
    add("--entropy", type=float, default=0.02, help="initial weight of the entropy")
    add(
        "--final-entropy",
        type=float,
        default=0.002,
        help="its weight in the end, by a constant factor",
    )
    add("--critic", choices=["policy", "truth"], default="policy", help="who judges positions")
    add("--evaluations", type=count, default=8, help="number of evaluations")
    add("--games", type=count, default=400, help="games per evaluation and agent")
    args = parsed(parser, arguments)
    for name in ("opponent-share", "past-share"):
        if not 0 <= (share := getattr(args, name.replace("-", "_"))) <= 1:
            parser.error(f"argument --{name}: expected 0 to 1, got {share}")
    if args.entropy > 0 >= args.final_entropy:
        parser.error(f"argument --final-entropy: expected more than 0, got {args.final_entropy}")
    if args.lanes % args.groups:
        parser.error(
            f"argument --groups: expected a divisor of {args.lanes} lanes, got {args.groups}"
        )
    if 0 in lanes_of_opponents(args):
        parser.error(
            f"--opponent-share {args.opponent_share} of the {args.lanes // args.groups} lanes of a "
            f"group: expected a lane for each of {len(args.opponents)} opponents"
        )
    return args


if __name__ == "__main__":
    train(parse(None))

"""Nets for policies, in PyTorch: encoders of tokens and of planes, heads for actions and values.

``PolicyNet`` is the net of ``python/examples/ppo.py`` and ``gumbel.py``, and ``Agent`` lets it play
wherever a policy is taken. ``darkqi.onnx.export`` writes it as a file that plays natively. Value
nets for ``expectimax`` are others: ``darkqi.train``.

>>> import darkqi.nets                                              # doctest: +SKIP
>>> net = darkqi.nets.PolicyNet(darkqi.spec("flipping"), 128)       # doctest: +SKIP
>>> env = darkqi.make("flipping", 64, observation="tokens")         # doctest: +SKIP
>>> ts = env.reset()                                                # doctest: +SKIP
>>> ts = env.step(darkqi.nets.Agent(net)(ts.observation, ts.action_mask, ts.current_player).actions)
... # doctest: +SKIP
"""

import copy
import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from darkqi._darkqi import Spec
from darkqi._options import check_rows, integer
from darkqi._records import Decisions

try:
    import torch
    from torch import Tensor, nn
except ImportError as error:
    raise ImportError("darkqi.nets needs PyTorch: pip install 'darkqi[torch]'") from error

from darkqi._attacks import Attacks

__all__ = [
    "Agent",
    "Attacks",
    "Legal",
    "OnPlanes",
    "PlaneEncoder",
    "PolicyNet",
    "Reflection",
    "SquareHead",
    "TokenEncoder",
    "TruthCritic",
    "reflections",
    "sample",
    "values_by_seat",
]


class Legal(NamedTuple):
    """The legal actions of B positions, one position after another: L in all."""

    position: Tensor
    """The position of each: (L,), ascending."""
    action: Tensor
    """The actions: (L,)."""
    log_prob: Tensor
    """Their log-probabilities: (L,)."""


class _Moves(NamedTuple):
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


def _sums_of_rows(table: nn.Embedding, rows: Tensor, numbers: Tensor) -> Tensor:
    """Sums the first `numbers[0]` rows of a table, the next `numbers[1]` and so on: (N, width)."""
    first = numbers.cumsum(0) - numbers
    return nn.functional.embedding_bag(rows, table.weight, first, mode="sum")


class Reflection(NamedTuple):
    """A symmetry of a game, which makes a position and its actions into others as good."""

    tokens: Tensor
    """The token that each one becomes: (T,)."""
    actions: Tensor
    """The action that each one becomes: (A,)."""


def reflections(spec: Spec, device: str = "cpu") -> list[Reflection]:
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


class TokenEncoder(nn.Module):  # type: ignore[misc]
    """Two layers on tokens, which see a position from the mover's side.

    Each piece on its square has a row of a table, and with `attacks` each attack of one piece on
    another has one. The first layer is the sum of a position's rows, as in the nets of chess
    engines (NNUE).
    """

    scale: Tensor
    first_row: Tensor

    def __init__(self, spec: Spec, width: int, attacks: bool = False, truth: bool = False) -> None:
        """Makes two layers of `width` units, which with `truth` also see what lies covered."""
        super().__init__()
        width = integer("width", width, 1, 1 << 16)
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
        return _sums_of_rows(self.attack, rows, torch.bincount(position, minlength=len(pieces)))

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


class _Danger(nn.Module):  # type: ignore[misc]
    """Which enemies attack the mover's general after an action, and what that costs.

    It is for games in which a general may lie covered: no rule can forbid to leave it attacked.
    """

    is_enemy: Tensor

    def __init__(self, spec: Spec, attacks: Attacks, size: int) -> None:
        """Makes a row of `size` units for each piece."""
        super().__init__()
        self.attacks = attacks
        self.general = 1 + spec.piece_letters.index("K")
        names = spec.plane_names[: attacks.tokens - 1]
        is_enemy = torch.tensor([False, *(name.startswith("enemy") for name in names)])
        self.register_buffer("is_enemy", is_enemy, persistent=False)
        self.units = nn.Linear(attacks.tokens, size, bias=False)
        self.cost = nn.Parameter(torch.zeros(()))

    def attackers(self, boards: Tensor, moves: _Moves, moved: Tensor) -> Tensor:
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

    def forward(self, boards: Tensor, moves: _Moves, moved: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the units of L actions, (L, size), and what to add to their logits, (L,)."""
        attackers = self.attackers(boards, moves, moved)
        return self.units(attackers), -self.cost * attackers.amax(1)


class _Prospects(nn.Module):  # type: ignore[misc]
    """What attacks mean to actions.

    These are the attacks on the source, those on the target, and those of the piece from there, in
    the form that it has then, but with all pieces where they stand before; and `_Danger`. The units
    of an action sum them up, and the position says what these units are worth.
    """

    moved: Tensor

    def __init__(self, spec: Spec, attacks: Attacks, width: int, size: int = 64) -> None:
        """Makes two layers of `size` units, for a position's features of `width` units."""
        super().__init__()
        squares, pieces = math.prod(spec.board_shape), attacks.tokens
        self.attacks, self.pieces = attacks, pieces
        # What pieces become as they move. What is not known attacks nothing, as no piece.
        moved = torch.from_numpy(1 + spec.moved_pieces.astype(np.int64))
        self.register_buffer("moved", nn.functional.pad(moved, (1, 0)), persistent=False)
        may_hide = "unseen own generals" in spec.plane_names
        self.danger = _Danger(spec, attacks, size) if may_hide else None
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
        return _sums_of_rows(self.from_target, rows[found != 0], (found != 0).sum(1))

    def forward(
        self, units: Tensor, boards: Tensor, attacked: Tensor, reached: Tensor, moves: _Moves
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


# The rank of the product of a position and an action.
_RANK = 16


class PolicyNet(nn.Module):  # type: ignore[misc]
    """A policy and a value, on tokens.

    The logit of an action is a sum of what its two squares and the pieces there are worth to the
    position, and of a product of low rank; with `attacks`, also of what attacks mean to it. It
    shares what it learns between actions, such as that a general is worth taking, and is computed
    for the legal actions alone, a few dozen of hundreds.
    """

    source: Tensor
    target: Tensor

    def __init__(self, spec: Spec, width: int, attacks: bool = False) -> None:
        """Makes a net for a game, with two layers of `width` units."""
        super().__init__()
        self.trunk, self.seats = TokenEncoder(spec, width, attacks), spec.num_players
        self.squares, self.pieces = self.trunk.squares, self.trunk.pieces
        source, target = torch.from_numpy(spec.action_squares.astype(np.int64)).unbind(1)
        self.register_buffer("source", source)
        self.register_buffer("target", target)
        # In a game of two the other side expects the opposite.
        self.critic = nn.Linear(width, 1 if spec.num_players == 2 else spec.num_players)
        # What an action's source and target, and the pieces there, are worth.
        self.by_square = nn.Linear(width, 2 * self.squares)
        self.by_piece = nn.Linear(width, 2 * self.pieces)
        self.by_pair = nn.Embedding(self.pieces**2, 1)
        seen = self.trunk.attacks
        self.prospects = None if seen is None else _Prospects(spec, seen, width)
        self.rank = nn.Linear(width, _RANK)
        self.by_action = nn.Embedding(spec.num_actions, _RANK)
        nn.init.normal_(self.by_action.weight, std=0.1)
        # Nearly equal initial logits, so that every legal action is tried.
        nn.init.zeros_(self.by_pair.weight)
        for layer in (self.by_square, self.by_piece, self.rank, self.critic):
            nn.init.orthogonal_(layer.weight, gain=0.01)
            assert layer.bias is not None
            nn.init.zeros_(layer.bias)

    def value(self, tokens: Tensor) -> Tensor:
        """Maps B positions to expected results from -1 to 1, for `values_by_seat`: (B, K)."""
        return torch.tanh(self.critic(self.trunk(tokens)[0]))

    def _worth(self, units: Tensor, pieces: Tensor) -> Tensor:
        """Maps features and pieces (B, S) to the worth of sources and targets: (B, 2, S)."""
        by_square = self.by_square(units).unflatten(1, (2, -1))
        by_piece = self.by_piece(units).unflatten(1, (2, -1))
        return by_square + by_piece.gather(2, pieces[:, None].expand(-1, 2, -1))

    def _logits(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Maps B positions and their masks (B, A) to what is known of their L legal actions.

        Returns:
            Positions, actions and logits of these, each (L,), and the values of the positions.
        """
        units, attacked, reached = self.trunk(tokens)
        board = tokens[:, : self.squares]
        pieces = board.long()
        position, action = mask.nonzero(as_tuple=True)
        source, target = self.source[action], self.target[action]
        mover, taken = pieces[position, source], pieces[position, target]
        worth = self._worth(units, pieces)
        logits = (
            worth[position, 0, source]
            + worth[position, 1, target]
            + self.by_pair(self.pieces * mover + taken).squeeze(-1)
            + (self.rank(units)[position] * self.by_action(action)).sum(-1)
        )
        if self.prospects is not None:
            moves = _Moves(position, source, target, mover, taken)
            logits = logits + self.prospects(units, board, attacked, reached, moves)
        return position, action, logits, torch.tanh(self.critic(units))

    def forward(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Maps B positions and their masks (B, A) to logits (B, A) and the movers' values (B,).

        Logits of illegal actions are 0. This is what `darkqi.onnx.export` writes.
        """
        position, action, logits, value = self._logits(tokens, mask)
        return logits.new_zeros(mask.shape).index_put((position, action), logits), value[:, 0]

    def legal(self, tokens: Tensor, mask: Tensor) -> tuple[Legal, Tensor]:
        """Maps B positions and their masks (B, A) to their legal actions and values (B, K)."""
        position, action, logits, value = self._logits(tokens, mask)
        return Legal(position, action, _log_softmax(logits, position, len(mask))), value

    def copy(self) -> "PolicyNet":
        """Returns a copy. What finds attacks has no weights, and is shared, compiled or not."""
        return copy.deepcopy(self, {id(self.trunk.attacks): self.trunk.attacks})


def values_by_seat(value: Tensor, player: Tensor, seats: int) -> Tensor:
    """Orders expected results by seat.

    Args:
        value: Results of the mover and the seats after it, in turn: (B, P). In games of two that of
            the mover is enough: (B, 1).
        player: The movers' seats: (B,).
        seats: Their number P.

    Returns:
        The results of all seats, in seat order: (B, P).
    """
    if value.shape[1] == 1:
        value = torch.cat([value, -value], 1)
    seat = torch.arange(seats, device=value.device)
    return value.gather(1, (seat - player.long()[:, None]) % seats)


class TruthCritic(nn.Module):  # type: ignore[misc]
    """A critic that sees what lies covered. It is thrown away after training.

    What a flip turns up is no surprise to it, so that luck counts less as the merit of an action.
    The policy sees observations alone.
    """

    def __init__(self, spec: Spec, width: int, attacks: bool = False) -> None:
        """Makes a net for a game, of the policy's size."""
        super().__init__()
        self.trunk = TokenEncoder(spec, width, attacks, truth=True)
        self.head = nn.Linear(width, 1 if spec.num_players == 2 else spec.num_players)
        nn.init.orthogonal_(self.head.weight, gain=0.01)

    def forward(self, tokens: Tensor, covered: Tensor) -> Tensor:
        """Maps B positions and what lies covered, (B, S), to values: (B, K)."""
        return torch.tanh(self.head(self.trunk(tokens, covered)[0]))


def _log_softmax(logits: Tensor, position: Tensor, positions: int) -> Tensor:
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


class Agent:
    """A net as a policy, wherever the package takes one, as in `darkqi.arena`.

    It draws actions by their probabilities, as in training, with PyTorch's generator. The most
    probable ones alone tend to repeat positions without an end.

    Args:
        net: The net. It reads tokens: pass ``observation="tokens"`` where it plays.
        temperature: What divides the logits. 0 plays the most probable action.

    Raises:
        ValueError: The temperature is negative or not finite.
    """

    def __init__(self, net: PolicyNet, temperature: float = 1.0) -> None:
        """Lets a net play; the class describes the arguments."""
        if not 0 <= temperature < math.inf:
            raise ValueError(f"temperature: expected a number from 0 up, got {temperature}")
        self.net, self.temperature = net, temperature

    def __call__(
        self,
        observation: NDArray[np.uint8],
        action_mask: NDArray[np.bool_],
        player: NDArray[np.int8],
    ) -> Decisions:
        """Plays in each of B positions, and tells values (B, P) and probabilities (B, A).

        Raises:
            ValueError: A shape is another, as of planes, or there is no such seat.
            TypeError: A dtype is another.
        """
        net = self.net
        tokens_shape = (net.squares + len(net.trunk.scale),)
        sizes = (tokens_shape, len(net.source), net.seats)
        given = (observation, action_mask, player)
        check_rows("a net on tokens", *sizes, given)
        device = net.source.device
        tokens, mask, mover = (
            torch.from_numpy(np.ascontiguousarray(rows)).to(device) for rows in given
        )
        mask = mask.bool()
        with torch.inference_mode():
            legal, value = net.legal(tokens, mask)
            # Quotients by less could be infinite.
            log_prob = legal.log_prob / max(self.temperature, 1e-4)
            legal = legal._replace(log_prob=_log_softmax(log_prob, legal.position, len(mask)))
            chances = torch.zeros(mask.shape, device=device)
            chances[legal.position, legal.action] = legal.log_prob.exp()
            values = values_by_seat(value, mover, net.seats)
            action = sample(legal, mask)[0] if self.temperature else chances.argmax(1)
        return Decisions(*(rows.cpu().numpy() for rows in (action, values, chances)))


class OnPlanes(nn.Module):  # type: ignore[misc]
    """A policy on tokens that reads planes, which `darkqi.make` gives if nothing else is asked."""

    scalar_planes: Tensor

    def __init__(self, policy: PolicyNet, spec: Spec) -> None:
        """Wraps the policy of a game."""
        super().__init__()
        self.policy = policy
        planes = {name: number for number, name in enumerate(spec.plane_names)}
        scalars = spec.token_names[policy.squares :]
        pieces = [number for name, number in planes.items() if name not in scalars]
        # The number of the piece that each plane shows; 0 for planes of scalars.
        token = torch.zeros(len(planes), dtype=torch.int32)
        token[pieces] = torch.arange(1, len(pieces) + 1, dtype=torch.int32)
        self.register_buffer("token", token)
        # A scalar without a plane is one that the policy leaves out: any plane will do.
        self.register_buffer(
            "scalar_planes", torch.tensor([planes.get(name, 0) for name in scalars])
        )

    def forward(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Maps B positions in uint8 and their masks to logits (B, A) and movers' values (B, 1)."""
        planes = observation.flatten(2).int()
        pieces = (planes * self.token[:, None]).sum(1)
        # All squares of a plane show it, or the one that it is about.
        scalars = planes[:, self.scalar_planes].amax(2)
        logits, value = self.policy(torch.cat([pieces, scalars], 1), action_mask)
        return logits, value[:, None]


class SquareHead(nn.Module):  # type: ignore[misc]
    """A logit for every action, from the features of its origin and target squares.

    It shares what it learns between squares, such as that a general is worth taking. A dense layer
    would learn that separately for each of hundreds of actions.
    """

    index: Tensor

    def __init__(self, spec: Spec, width: int) -> None:
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


class PlaneEncoder(nn.Module):  # type: ignore[misc]
    """Three convolutions on planes: features of each square."""

    scale: Tensor

    def __init__(self, spec: Spec, width: int) -> None:
        """Makes layers of `width` channels for a game."""
        super().__init__()
        # Most planes are 0 or 1; counting planes go up to 255.
        maxima = torch.from_numpy(spec.plane_maxima.astype(np.float32))
        self.register_buffer("scale", maxima.reshape(-1, 1, 1))
        channels = [len(spec.plane_names), width, width, width]
        layers = [nn.Conv2d(*ends, 3, padding=1) for ends in itertools.pairwise(channels)]
        self.trunk = nn.Sequential(*(part for layer in layers for part in (layer, nn.ReLU())))

    def forward(self, planes: Tensor) -> Tensor:
        """Maps planes (B, C, H, W) of any type to features (B, width, H, W)."""
        features: Tensor = self.trunk(planes / self.scale)
        return features

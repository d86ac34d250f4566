"""The attacks on a board, as a PyTorch module."""

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from darkqi._darkqi import Spec

# Ranks and files from one square to another.
_Offset = tuple[int, int]
# The squares on the way there, from the same square.
_Path = tuple[_Offset, ...]


class _Way(NamedTuple):
    """How a piece attacks."""

    offset: _Offset
    between: int
    """The number of pieces that it attacks over: 0 or 1."""


class Attacks(nn.Module):  # type: ignore[misc]
    """The pieces that attack each square, and those that a piece would attack, by a game's rules.

    It has no weights. It reads boards of S squares with K + 1 tokens: 0 for an empty square, else
    the number of a piece, from 1 in the order of `Spec.plane_names`. The first S tokens of an
    observation are such a board. An attack is one of `Spec.attacks`: the owner of the piece on the
    target does not count.

    >>> attacks = Attacks(darkqi.spec("jieqi"))                     # doctest: +SKIP
    >>> attacked, reached = attacks(tokens[:, :90])                 # doctest: +SKIP

    Args:
        spec: The game, with its options.

    Attributes:
        tokens: K + 1, one more than the game has pieces.
        ways: The numbers of the V ways, at most, in which each piece attacks from each square. The
            rest has the number after the last way: (K + 1, S, V), int16.
    """

    ways: Tensor
    _sources: Tensor
    _on_paths: Tensor
    _over: Tensor

    def __init__(self, spec: Spec) -> None:
        super().__init__()
        self._shape = spec.board_shape
        self.tokens = 1 + len(spec.attacks)
        self._paths: dict[_Offset, _Path] = {}
        found = self._found(spec)
        # By pieces, the ways that these have in common; with the buffer of the squares from which
        # they attack so, or None if these are all from which the target is on the board.
        self._groups: dict[tuple[int, ...], list[tuple[_Way, str | None]]] = {}
        board = torch.ones(*self._shape, 1, dtype=torch.uint8, device="cpu")
        for number, (way, where) in enumerate(found.items()):
            pieces = np.flatnonzero(where.any((1, 2)))
            inside = self._shifted(board, (-way.offset[0], -way.offset[1]))
            sources = torch.from_numpy(where[pieces].astype(np.uint8))[..., None]
            name = None
            if not bool((sources == inside).all()):
                name = f"_squares_{number}"
                self.register_buffer(name, sources, persistent=False)
            self._groups.setdefault(tuple(int(piece) for piece in pieces), []).append((way, name))
        # Ways are numbered in the order of `forward`.
        order = [found[way] for group in self._groups.values() for way, _ in group]
        there = np.stack(order, -1).reshape(self.tokens, -1, len(order))
        numbers = np.sort(np.where(there, np.arange(len(order)), len(order)))
        most = int(there.sum(-1).max())
        ways = torch.from_numpy(numbers[..., :most].astype(np.int16))
        self.register_buffer("ways", ways, persistent=False)
        self._prepare_attackers(spec)

    def _prepare_attackers(self, spec: Spec) -> None:
        """Registers by target where its M attackers may stand, at most, and how they attack it."""
        targets, squares = spec.action_squares[:, 1], math.prod(self._shape)
        is_attack = spec.attacks.any(0)
        attacks = [np.flatnonzero(is_attack & (targets == target)) for target in range(squares)]
        most = max(map(len, attacks))
        padded = np.array([np.pad(some, (0, most - len(some))) for some in attacks])
        there = np.arange(most) < np.array([[len(some)] for some in attacks])
        # What is not there has the number of a square beyond the board, which is empty.
        source = np.where(there, spec.action_squares[padded, 0], squares)
        path = spec.action_paths[padded].astype(np.int64)
        over = np.pad(spec.attacks, ((1, 0), (0, 0)))[:, padded]
        self.register_buffer(
            "_sources", torch.from_numpy(source.astype(np.int64)), persistent=False
        )
        self.register_buffer(
            "_on_paths", torch.from_numpy(np.where(path < 0, squares, path)), persistent=False
        )
        # The entries of `Spec.attacks`.
        self.register_buffer("_over", torch.from_numpy(over.transpose(1, 2, 0)), persistent=False)

    def _found(self, spec: Spec) -> dict[_Way, NDArray[np.bool_]]:
        """Returns the ways of a game, each with its pieces and squares: (K + 1, H, W)."""
        files = self._shape[1]
        # Each of these is made anew when it is asked for.
        attacks, squares, paths = spec.attacks, spec.action_squares, spec.action_paths
        found: dict[_Way, NDArray[np.bool_]] = {}
        for action in np.flatnonzero(attacks.any(0)):
            source, target = (divmod(int(square), files) for square in squares[action])
            path = [divmod(int(on), files) for on in paths[action] if on >= 0]
            offset = (target[0] - source[0], target[1] - source[1])
            self._paths[offset] = tuple((on[0] - source[0], on[1] - source[1]) for on in path)
            for between in (0, 1):
                attack = attacks[:, action] >> between & 1 > 0
                if attack.any():
                    where = np.zeros((self.tokens, *self._shape), np.bool_)
                    found.setdefault(_Way(offset, between), where)[1:, *source] = attack
        return found

    def _shifted(self, boards: Tensor, offset: _Offset) -> Tensor:
        """Moves what stands on boards (..., H, W, N) by an offset; what leaves a board is gone."""
        (up, right), (ranks, files) = offset, self._shape
        kept = boards[
            ..., max(0, -up) : ranks - max(0, up), max(0, -right) : files - max(0, right), :
        ]
        margins = (0, 0, max(0, right), max(0, -right), max(0, up), max(0, -up))
        return nn.functional.pad(kept, margins)

    def _between(
        self, occupied: Tensor, path: _Path, known: dict[_Path, tuple[Tensor, Tensor]]
    ) -> tuple[Tensor, Tensor]:
        """Returns the squares from which a path has no piece, and those from which it has one."""
        if path not in known:
            none, one = self._between(occupied, path[:-1], known)
            there = self._shifted(occupied, (-path[-1][0], -path[-1][1]))
            known[path] = (none * (1 - there), one * (1 - there) + none * there)
        return known[path]

    def forward(self, boards: Tensor) -> tuple[Tensor, Tensor]:
        """Finds the attacks on N boards.

        Args:
            boards: Tokens of the squares: (N, S), uint8.

        Returns:
            Which pieces attack each square: (N, S, K + 1), bool; and, for `attacked_from`, the
            token to which each way leads from each square, 0 if to none: (number of ways + 1, S,
            N), uint8.
        """
        # All pieces of a kind move by one offset at once, on boards with the positions last. What
        # is true is 1, not True, for numbers are computed many at a time: by PyTorch if they are
        # bytes, by ONNX Runtime if they are floats.
        number = torch.float32 if torch.compiler.is_exporting() else torch.uint8
        board = boards.T.contiguous().unflatten(0, self._shape).to(number)
        occupied = (board != 0).to(number)
        known: dict[_Path, tuple[Tensor, Tensor]]
        known = {(): (torch.ones_like(occupied), torch.zeros_like(occupied))}
        planes = [(board == token).to(number) for token in range(self.tokens)]
        attacked = [torch.zeros_like(occupied)] * self.tokens
        reached = []
        for group, ways in self._groups.items():
            sources = torch.stack([planes[piece] for piece in group])
            targets = torch.zeros_like(sources)
            for (offset, between), name in ways:
                free = self._between(occupied, self._paths[offset], known)[between]
                attacking = sources * free
                if name is not None:
                    attacking = attacking * self.get_buffer(name).to(sources)
                targets = torch.maximum(targets, self._shifted(attacking, offset))
                reached.append(free * self._shifted(board, (-offset[0], -offset[1])))
            for piece, squares in zip(group, targets, strict=True):
                attacked[piece] = torch.maximum(attacked[piece], squares)
        reached.append(torch.zeros_like(board))
        by_square = torch.stack(attacked, -2).flatten(0, 2).T.contiguous().bool()
        return by_square.unflatten(1, (-1, self.tokens)), torch.stack(reached).flatten(1, 2)

    def attacked_from(
        self, reached: Tensor, position: Tensor, square: Tensor, piece: Tensor
    ) -> Tensor:
        """Finds what pieces would attack if they stood elsewhere too, with all others in place.

        Args:
            reached: What `forward` found.
            position: The board of each of N pieces: (N,), int64.
            square: The square that each is thought to stand on: (N,), int64.
            piece: Their tokens; 0 attacks nothing: (N,), int64.

        Returns:
            The tokens of the pieces that each attacks, 0 for none: (N, V), int64.
        """
        way = self.ways[piece, square].long()
        return reached[way, square[:, None], position[:, None]].long()

    def attackers(self, boards: Tensor, squares: Tensor) -> Tensor:
        """Finds which pieces attack one square of each board: that square's row of `forward`.

        Args:
            boards: Tokens of the squares: (N, S), uint8.
            squares: A square of each board: (N,), int64.

        Returns:
            Which pieces attack it: (N, K + 1), bool.
        """
        padded = nn.functional.pad(boards, (0, 1)).long()
        pieces = padded.gather(1, self._sources[squares])
        paths = self._on_paths[squares]
        on_path = (padded != 0).long().gather(1, paths.flatten(1)).unflatten(1, paths.shape[1:])
        column = torch.arange(pieces.shape[1], device=boards.device)
        over = self._over[squares[:, None], column, pieces].long()
        # Those that do not attack count as no piece.
        between = on_path.sum(-1)
        is_free = ((over % 2 == 1) & (between == 0)) | ((over >= 2) & (between == 1))
        attacking = pieces * is_free
        attackers = torch.zeros(boards.shape[0], self.tokens, device=boards.device)
        attackers = attackers.scatter(1, attacking, 1.0)
        return nn.functional.pad(attackers[:, 1:], (1, 0)).bool()

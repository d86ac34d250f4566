"""What is attacked on a board, as a PyTorch module."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from darkqi._darkqi import Spec

# Ranks and files from one square to another.
_Offset = tuple[int, int]


class _Way(NamedTuple):
    """How a piece attacks."""

    offset: _Offset
    between: int
    """The number of pieces that it attacks over: 0 or 1."""


class Attacks(nn.Module):  # type: ignore[misc]
    """Tells which pieces attack each square, by the rules of a game. It has no weights.

    It reads boards of S squares with K tokens: 0 for an empty square, else the number of a piece,
    from 1 in the order of `Spec.plane_names`. The first S tokens of an observation are such a
    board. Attacks are those of `Spec.attacks`: whose piece stands on a square does not count.

    >>> attacks = Attacks(darkqi.spec("jieqi"))                     # doctest: +SKIP
    >>> attacked, reached = attacks(tokens[:, :90])                 # doctest: +SKIP

    Args:
        spec: The game, with its options.

    Attributes:
        pieces: K.
        ways: For each token and square, the numbers of the ways in which such a piece attacks from
            there, filled up with the number of none: (K, S, L), int16.
    """

    ways: Tensor

    # All pieces of a kind move by one offset at once, on boards of 0 and 1 with the positions last.
    # Those are numbers, not booleans, for these are computed many at a time: by PyTorch if they are
    # bytes, by ONNX Runtime if they are floats.

    def __init__(self, spec: Spec) -> None:
        super().__init__()
        self._shape = ranks, files = spec.board_shape
        squares, paths, attacks = spec.action_squares, spec.action_paths, spec.attacks
        self.pieces = 1 + len(attacks)
        # By ways, the pieces and squares from which they are attacks.
        found: dict[_Way, NDArray[np.bool_]] = {}
        self._paths: dict[_Offset, list[_Offset]] = {}
        for action in np.flatnonzero(attacks.any(0)):
            source, target = (divmod(int(square), files) for square in squares[action])
            path = [divmod(int(square), files) for square in paths[action] if square >= 0]
            offset = (target[0] - source[0], target[1] - source[1])
            self._paths[offset] = [(on[0] - source[0], on[1] - source[1]) for on in path]
            for between in (0, 1):
                attack = attacks[:, action] == 1 + between
                if attack.any():
                    where = np.zeros((self.pieces, ranks, files), np.bool_)
                    found.setdefault(_Way(offset, between), where)[1:, *source] = attack
        # By pieces, their ways; with the squares from which these are attacks, unless it is
        # wherever the target is on the board.
        self._groups: dict[tuple[int, ...], list[tuple[_Way, Tensor | None]]] = {}
        board = torch.ones(ranks, files, 1, dtype=torch.uint8)
        for way, where in found.items():
            pieces = np.flatnonzero(where.any((1, 2)))
            inside = self._moved(board, (-way.offset[0], -way.offset[1]))
            sources = torch.from_numpy(where[pieces].astype(np.uint8))[..., None]
            everywhere = bool((sources == inside).all())
            group = self._groups.setdefault(tuple(int(piece) for piece in pieces), [])
            group.append((way, None if everywhere else sources))
        # Ways are numbered in the order of `forward`.
        order = [found[way] for group in self._groups.values() for way, _ in group]
        there = np.stack(order, -1).reshape(self.pieces, ranks * files, len(order))
        numbers = np.sort(np.where(there, np.arange(len(order)), len(order)))
        most = int(there.sum(-1).max())
        ways = torch.from_numpy(numbers[..., :most].astype(np.int16))
        self.register_buffer("ways", ways, persistent=False)

    def _moved(self, squares: Tensor, offset: _Offset) -> Tensor:
        """Moves sets of squares (..., H, W, B) by an offset; what leaves the board is gone."""
        (up, right), (ranks, files) = offset, self._shape
        kept = squares[
            ..., max(0, -up) : ranks - max(0, up), max(0, -right) : files - max(0, right), :
        ]
        margins = (0, 0, max(0, right), max(0, -right), max(0, up), max(0, -up))
        return nn.functional.pad(kept, margins)

    def _between(
        self, occupied: Tensor, path: Sequence[_Offset], known: dict[Any, list[Tensor]]
    ) -> list[Tensor]:
        """Returns the squares from which a path has no piece, and those from which it has one."""
        key = tuple(path)
        if key not in known:
            if not path:
                return [torch.ones_like(occupied), torch.zeros_like(occupied)]
            *before, last = path
            none, one = self._between(occupied, before, known)
            there = self._moved(occupied, (-last[0], -last[1]))
            known[key] = [none * (1 - there), one * (1 - there) + none * there]
        return known[key]

    def forward(self, boards: Tensor) -> tuple[Tensor, Tensor]:
        """Finds what is attacked on B boards.

        Args:
            boards: Tokens of the squares: (B, S), uint8.

        Returns:
            Which pieces attack each square: (B, S, K), bool; and, for `attacked_from`, the token to
            which each way leads from each square, 0 if to none: (number of ways + 1, S, B).
        """
        number = torch.float32 if torch.compiler.is_exporting() else torch.uint8
        board = boards.T.contiguous().unflatten(0, self._shape).to(number)
        occupied = (board != 0).to(number)
        known: dict[Any, list[Tensor]] = {}
        planes = [(board == piece).to(number) for piece in range(self.pieces)]
        attacked = [torch.zeros_like(occupied)] * self.pieces
        reached = []
        for group, ways in self._groups.items():
            sources = torch.stack([planes[piece] for piece in group])
            targets = torch.zeros_like(sources)
            for (offset, between), where in ways:
                free = self._between(occupied, self._paths[offset], known)[between]
                attacking = sources * free if where is None else sources * free * where.to(sources)
                targets = torch.maximum(targets, self._moved(attacking, offset))
                reached.append(free * self._moved(board, (-offset[0], -offset[1])))
            for piece, squares in zip(group, targets, strict=True):
                attacked[piece] = torch.maximum(attacked[piece], squares)
        reached.append(torch.zeros_like(board))
        by_square = torch.stack(attacked, -2).flatten(0, 2).T.contiguous().bool()
        return by_square.unflatten(1, (-1, self.pieces)), torch.stack(reached).flatten(1, 2)

    def attacked_from(
        self, reached: Tensor, position: Tensor, square: Tensor, piece: Tensor
    ) -> Tensor:
        """Finds what pieces attack, or would attack if they stood there.

        Args:
            reached: What `forward` found.
            position: The board of each of N pieces: (N,), int64.
            square: The square that each stands on: (N,), int64.
            piece: Their tokens; 0 attacks nothing: (N,), int64.

        Returns:
            The tokens of what each attacks, with 0 for none: (N, L), int64.
        """
        way = self.ways[piece, square].long()
        return reached[way, square[:, None], position[:, None]].long()

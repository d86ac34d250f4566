"""The nets that come with darkqi as policies."""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from darkqi._darkqi import Spec, baseline_net, spec
from darkqi._options import check_rows
from darkqi._records import Decisions

# Rows that are computed together, as the agent does by default.
_ROWS = 64


class Baseline:
    """The policy of a net that comes with darkqi: it plays as the agent ``baseline`` does.

    A callable of rows, wherever a policy is taken, and in loops over ``env.step``. Its decision
    for a row depends on neither the other rows nor their number. It may be pickled.

    Attributes:
        game: The name of the game.
        onnx: The ONNX file of the net, as bytes.
        digest: The SHA-256 of the file, in hexadecimal digits, as docs/nets.md lists it.
    """

    __module__ = "darkqi"
    __name__ = "baseline"

    game: str
    onnx: bytes
    digest: str

    def __init__(self, game_spec: Spec) -> None:
        """Reads the net; ``darkqi.baseline`` describes the errors."""
        self.game = game_spec.name
        self.onnx = baseline_net(game_spec)
        self.digest = hashlib.sha256(self.onnx).hexdigest()
        self._sizes = (game_spec.observation_shape, game_spec.num_actions, game_spec.num_players)
        self._session = _session(self.onnx)

    def __call__(
        self,
        observation: NDArray[np.uint8],
        action_mask: NDArray[np.bool_],
        player: NDArray[np.int8],
    ) -> Decisions:
        """Plays the most probable legal action in each of N rows.

        Args:
            observation: (N, C, H, W) uint8, planes as ``darkqi.make`` gives them.
            action_mask: (N, A) bool or integers. A row without a legal action, as of a game that
                has ended, gets action 0 and no probabilities.
            player: (N,) integers, the seats to move.

        Returns:
            Actions (N,) int64, values (N, 2) float32 and probabilities (N, A) float32.

        Raises:
            ValueError: A shape is another, or a seat is not 0 or 1.
            TypeError: A dtype is another.
        """
        check_rows(self.game, *self._sizes, (observation, action_mask, player))
        rows, player = len(observation), np.asarray(player)
        legal = np.asarray(action_mask, dtype=bool)
        logits = np.full(legal.shape, -np.inf, np.float32)
        value = np.empty((rows, 1), np.float32)
        for at in range(0, rows, _ROWS):
            block = slice(at, at + _ROWS)
            seen = np.asarray(observation[block], np.uint8)
            computed, value[block] = self._compute(seen, legal[block])
            logits[block] = np.where(legal[block], computed, -np.inf)
        greatest = logits.max(axis=1, keepdims=True, initial=np.finfo(np.float32).min)
        weights = np.exp((logits - greatest).astype(np.float64))
        sums = weights.sum(axis=1, keepdims=True)
        policy = np.divide(weights, sums, out=weights, where=sums > 0).astype(np.float32)
        of_first = np.where(player[:, None] == 0, value, -value)
        return Decisions(logits.argmax(axis=1), of_first * np.array([1, -1], np.float32), policy)

    def _compute(
        self, observation: NDArray[np.uint8], action_mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Computes up to 64 rows as a block of 64: its shape decides how sums are rounded."""
        rows = len(observation)
        given = {"observation": observation, "action_mask": action_mask}
        blocks = {
            name: np.concatenate([array, array[:1].repeat(_ROWS - rows, axis=0)])
            for name, array in given.items()
        }
        logits, value = self._session.run(["policy", "value"], blocks)
        return logits[:rows], value[:rows]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the game's name: every darkqi of this version has the net."""
        return baseline, (self.game,)

    def __repr__(self) -> str:
        """The call that makes it."""
        return f"darkqi.baseline({self.game!r})"


def baseline(game: str, **options: int | str) -> Baseline:
    """The net that comes with darkqi for a game of two players, as a policy.

    ``opponent=darkqi.baseline("jieqi")`` plays as ``opponent="baseline"`` does, which needs no
    Python per ply and has options such as ``temperature`` and ``sims``. docs/nets.md says how
    strong the nets are and how they were made.

    Args:
        game: One of banqi, flipping, gaiqi, jieqi, mystery.
        **options: Rule options of the games that it is to play. Limits, ``repetition`` and
            ``chase`` may differ; with any other option changed there is no net.

    Returns:
        A callable of (observation, action_mask, player) that returns `Decisions`.

    Raises:
        ValueError: There is no such game or option, or no net for it.
        ImportError: ``onnxruntime`` is missing.
    """
    return Baseline(spec(game, **options))


def _session(net: bytes) -> Any:
    """Opens a net on one thread, as the agent does."""
    try:
        import onnxruntime
    except ImportError as error:
        raise ImportError(
            "darkqi.baseline needs ONNX Runtime: pip install 'darkqi[onnx]'"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    return onnxruntime.InferenceSession(net, options, providers=["CPUExecutionProvider"])

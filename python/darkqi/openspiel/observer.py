"""OpenSpiel's observer: what players and spectators see."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
import pyspiel
from numpy.typing import NDArray

import darkqi
from darkqi.openspiel.play import Play

_Viewer: TypeAlias = int | Literal["public"]


class Observer:
    """The observer that ``game.make_py_observer`` returns.

    With public information, the type of private information sets the viewer: the player
    (``SINGLE_PLAYER``), a spectator (``NONE``) or every seat in turn (``ALL_PLAYERS``). Without
    public information there is only a string, of the viewer's knowledge beyond a spectator's.
    Perfect recall has no tensor either: games are too long for one.

    While an action waits for chance, tensors show the position before it and strings name it.

    Attributes:
        tensor: float32 of shape (C * H * W,), for all seats (P * C * H * W,); or None.
        dict: The same memory by name: ``observation`` of shape (C, H, W) or (P, C, H, W), the
            planes of ``darkqi.spec(name).plane_names`` from the viewer's side, as bytes 0 to 255.
    """

    def __init__(
        self,
        spec: darkqi.Spec,
        kind: "pyspiel.IIGObservationType",
        params: Mapping[str, Any] | None = None,
    ) -> None:
        """Allocates the tensor.

        Args:
            spec: The game.
            kind: The type of information.
            params: Must be empty.

        Raises:
            ValueError: ``params`` is not empty.
        """
        if params:
            raise ValueError(f"observers take no parameters, got {dict(params)}")
        self._kind = kind
        self._seats = range(spec.num_players)
        self.tensor: NDArray[np.float32] | None = None
        self.dict: dict[str, NDArray[np.float32]] = {}
        if kind.public_info and not kind.perfect_recall:
            for_all = kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS
            shape = (len(self._seats),) * for_all + spec.observation_shape
            self.dict["observation"] = np.zeros(shape, np.float32)
            self.tensor = self.dict["observation"].reshape(-1)

    def set_from(self, state: Any, player: int) -> None:
        """Writes the observation of a state into ``tensor``."""
        for planes in self.dict.values():
            seen = [state.play.state.observation(viewer) for viewer in self._viewers(player)]
            planes[:] = np.reshape(seen, planes.shape)

    def string_from(self, state: Any, player: int) -> str:
        """Describes a state: a FEN per viewer, and with perfect recall the plies.

        With perfect recall, equal strings mean the same information set.
        """
        play: Play = state.play
        if not self._kind.public_info:
            private = (_private_fields(play, viewer) for viewer in self._viewers(player))
            return " | ".join(filter(None, private))
        seen = " | ".join(play.state.fen(viewer) for viewer in self._viewers(player))
        if self._kind.perfect_recall:
            seen = f"{play.transcript}; {seen}"
        return f"{seen} {play.action}".rstrip()

    def _viewers(self, player: int) -> list[_Viewer]:
        kinds = pyspiel.PrivateInfoType
        viewers: dict[Any, list[_Viewer]] = {
            kinds.SINGLE_PLAYER: [player],
            kinds.NONE: ["public"],
            kinds.ALL_PLAYERS: [*self._seats],
        }
        return viewers[self._kind.private_info]


def _private_fields(play: Play, viewer: _Viewer) -> str:
    """Returns the fields of a viewer's FEN that differ from a spectator's."""
    own, public = (play.state.fen(each).split(" ") for each in (viewer, "public"))
    return " ".join(field for field, known in zip(own, public, strict=True) if field != known)

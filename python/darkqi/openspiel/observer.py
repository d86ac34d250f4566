"""What players and spectators see, in OpenSpiel's terms."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
import pyspiel
from numpy.typing import NDArray

import darkqi
from darkqi.openspiel.play import Play

_Viewer: TypeAlias = int | Literal["public"]


class Observer:
    """Shows a state to a player: the observer that ``game.make_py_observer`` returns.

    With public information, the private information asked for decides who looks: the player
    (``SINGLE_PLAYER``), a spectator (``NONE``) or every seat in turn (``ALL_PLAYERS``). Without
    public information there is a string only, of what they know beyond a spectator. Perfect
    recall, too, has no tensor: games are too long for one.

    While an action waits for chance, tensors show the position before it and strings name it.

    Attributes:
        tensor: float32 of shape (C * H * W,), for every seat (P * C * H * W,); or None.
        dict: The same memory by name: ``observation`` of shape (C, H, W) or (P, C, H, W), the
            planes of ``darkqi.spec(name).plane_names`` from the viewer's side, as bytes 0 to 255.
    """

    def __init__(
        self,
        spec: darkqi.Spec,
        kind: "pyspiel.IIGObservationType",
        params: Mapping[str, Any] | None = None,
    ) -> None:
        """Makes room for what is to be seen.

        Args:
            spec: The game.
            kind: Which information it shows.
            params: None are known.

        Raises:
            ValueError: There are parameters.
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
        """Writes what is seen of a state into ``tensor``."""
        for planes in self.dict.values():
            seen = [state.play.state.observation(viewer) for viewer in self._viewers(player)]
            planes[:] = np.reshape(seen, planes.shape)

    def string_from(self, state: Any, player: int) -> str:
        """Describes what is seen of a state: a FEN per viewer, and with perfect recall the plies.

        Two states with the same string under perfect recall are one to the player.
        """
        play: Play = state.play
        if not self._kind.public_info:
            secrets = (_secrets(play, viewer) for viewer in self._viewers(player))
            return " | ".join(filter(None, secrets))
        seen = " | ".join(play.state.fen(viewer) for viewer in self._viewers(player))
        if self._kind.perfect_recall:
            seen = f"{play.record}; {seen}"
        return f"{seen} {play.action}".rstrip()

    def _viewers(self, player: int) -> list[_Viewer]:
        kinds = pyspiel.PrivateInfoType
        who: dict[Any, list[_Viewer]] = {
            kinds.SINGLE_PLAYER: [player],
            kinds.NONE: ["public"],
            kinds.ALL_PLAYERS: [*self._seats],
        }
        return who[self._kind.private_info]


def _secrets(play: Play, viewer: _Viewer) -> str:
    """The fields of a viewer's FEN that are not a spectator's."""
    own, public = (play.state.fen(who).split(" ") for who in (viewer, "public"))
    return " ".join(field for field, known in zip(own, public, strict=True) if field != known)

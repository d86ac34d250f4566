"""The games in OpenSpiel, as ``darkqi_banqi``, ``darkqi_jieqi`` and so on.

Importing this package registers them; rule options are game parameters. A chance node with exact
odds samples each piece that an action turns over.

>>> import darkqi.openspiel
>>> import pyspiel
>>> game = pyspiel.load_game("darkqi_banqi(cannon=jump,quiet_limit=50)")
>>> state = game.new_initial_state()
>>> state.apply_action(state.string_to_action("c3"))
>>> state.is_chance_node(), len(state.chance_outcomes())
(True, 14)
"""

try:
    import pyspiel  # noqa: F401
except ImportError as error:
    raise ImportError(
        "darkqi.openspiel needs OpenSpiel: pip install 'darkqi[openspiel]'"
    ) from error

from darkqi.openspiel.game import Game, State, register
from darkqi.openspiel.observer import Observer

__all__ = ["Game", "Observer", "State"]

register()

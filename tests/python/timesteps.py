"""The arrays of time steps by name, for all test modules."""

from typing import Any

from numpy.typing import NDArray

import darkqi

ARRAYS = (
    "observation",
    "action_mask",
    "current_player",
    "reward",
    "terminated",
    "truncated",
    "forfeited",
    "final_observation",
    "final_player",
)


def arrays(ts: darkqi.TimeStep) -> dict[str, NDArray[Any]]:
    """Returns the arrays of a time step."""
    return {name: getattr(ts, name) for name in ARRAYS if getattr(ts, name) is not None}

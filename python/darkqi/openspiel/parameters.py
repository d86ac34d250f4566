"""Rule options as OpenSpiel's game parameters.

In a game's string OpenSpiel takes for a number whatever consists of digits, signs and points. The
seats of seven kingdoms are text of that kind, and stand in quotes.
"""

from collections.abc import Mapping
from typing import Any

import darkqi

_NUMERIC = frozenset("+-.0123456789")


def read(params: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the rule options that game parameters stand for."""
    return {
        name: value.strip("'\"") if isinstance(value, str) else value
        for name, value in params.items()
    }


def write(spec: darkqi.Spec) -> dict[str, int | str]:
    """Returns the rule options in force as game parameters, those at their default left out."""
    return {
        option.name: _quoted(option.value)
        for option in spec.options
        if option.value != option.default
    }


def defaults(spec: darkqi.Spec) -> dict[str, int | str]:
    """Returns the game parameters with the values they have if not given."""
    return {option.name: _quoted(option.default) for option in spec.options}


def _quoted(value: int | str) -> int | str:
    if isinstance(value, str) and value and _NUMERIC.issuperset(value):
        return f"'{value}'"
    return value

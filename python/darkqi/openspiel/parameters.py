"""Rule options as OpenSpiel's game parameters.

In a game string OpenSpiel parses text of digits, signs and points as a number. The seats of seven
kingdoms are such text, so they are quoted.
"""

from collections.abc import Mapping
from typing import Any

import darkqi

_NUMERIC = frozenset("+-.0123456789")


def read(params: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the rule options of game parameters."""
    return {
        name: value.strip("'\"") if isinstance(value, str) else value
        for name, value in params.items()
    }


def write(spec: darkqi.Spec) -> dict[str, int | str]:
    """Returns the rule options that differ from their defaults, as game parameters."""
    return {
        option.name: _quoted(option.value)
        for option in spec.options
        if option.value != option.default
    }


def defaults(spec: darkqi.Spec) -> dict[str, int | str]:
    """Returns the game parameters with their default values."""
    return {option.name: _quoted(option.default) for option in spec.options}


def _quoted(value: int | str) -> int | str:
    if isinstance(value, str) and value and _NUMERIC.issuperset(value):
        return f"'{value}'"
    return value

"""Fixtures of all test modules."""

import pytest

import darkqi


@pytest.fixture(params=darkqi.games())
def game(request: pytest.FixtureRequest) -> str:
    """Return the name of every registered game in turn."""
    name: str = request.param
    return name

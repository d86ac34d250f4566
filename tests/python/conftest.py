"""Fixtures of all test modules."""

import os

import hypothesis
import pytest

import darkqi

# The same examples each time, so that a change is blamed for no failure that it did not cause.
hypothesis.settings.register_profile("same", derandomize=True)
if os.environ.get("DARKQI_TESTS") != "long":
    hypothesis.settings.load_profile("same")


@pytest.fixture(params=darkqi.games())
def game(request: pytest.FixtureRequest) -> str:
    """Return the name of every registered game in turn."""
    name: str = request.param
    return name

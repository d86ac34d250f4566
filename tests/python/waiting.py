"""Waiting for what other processes and threads do."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any


def until(condition: Callable[[], bool], or_done: Future[Any] | None = None) -> None:
    """Waits until a condition holds, or something has ended, at most ten minutes."""
    end = time.monotonic() + 600
    while not condition() and not (or_done and or_done.done()):
        assert time.monotonic() < end, "it did not happen in ten minutes"
        time.sleep(0.05)

"""Ctrl-C while a native call runs."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def interrupted(after: float) -> Iterator[None]:
    """Presses Ctrl-C after some seconds and expects `KeyboardInterrupt` from the block."""
    # Background jobs of a shell ignore Ctrl-C by default.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(after, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        timer.join()
        signal.signal(signal.SIGINT, handler)

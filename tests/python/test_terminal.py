"""`darkqi play` at a terminal: colours, edited lines with a history, and signals."""

import os
import pty
import re
import select
import signal
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager

from common import COMMAND, heed_ctrl_c

import darkqi

GAME = ("play", "jieqi", "--agent", "random", "--seed", "5")
UP = b"\x1b[A"


class Terminal:
    """A program at a terminal, and what it has written there."""

    def __init__(self, ours: int, process: subprocess.Popen[bytes]) -> None:
        self.ours = ours
        self.process = process
        self.shown = ""

    def type(self, keys: bytes) -> None:
        os.write(self.ours, keys)

    def until(self, text: str) -> str:
        """Waits for a text, and returns what was written up to it since the last one."""
        end = time.monotonic() + 60
        while text not in self.shown:
            assert time.monotonic() < end, self.shown
            if select.select([self.ours], [], [], 0.1)[0]:
                try:
                    part = os.read(self.ours, 65536)
                except OSError:  # Linux says EIO where nobody holds the other side any more.
                    part = b""
                assert part, f"no {text!r} in {self.shown!r}"
                self.shown += part.decode()
        before, _, self.shown = self.shown.partition(text)
        return before


@contextmanager
def playing(**environment: str) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    own = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with subprocess.Popen(
        [*COMMAND, *GAME],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=own | {"TERM": "xterm", **environment},
        preexec_fn=heed_ctrl_c,
    ) as process:
        try:
            yield Terminal(ours, process)
        finally:
            process.kill()
            os.close(theirs)
            os.close(ours)


def test_armies_have_colours_unless_they_are_not_wanted() -> None:
    with playing() as terminal:
        board = terminal.until("your move> ")
        assert "\x1b[31mX\x1b[0m" in board
        assert "\x1b[1mx\x1b[0m" in board
    with playing(NO_COLOR="1") as terminal:
        assert not re.search(r"\x1b\[\d+m", terminal.until("your move> "))


def test_lines_are_edited_and_come_again() -> None:
    with playing(NO_COLOR="1") as terminal:
        terminal.until("your move> ")
        # A letter too many is taken back, and the line is asked for again.
        fen = darkqi.State("jieqi", seed=5).fen(viewer=0)
        terminal.type(b"fenx\x7f\r")
        terminal.until(fen)
        terminal.type(UP + b"\r")
        terminal.until(fen)
        terminal.type(b"quit\r")
        terminal.until("The game is left as it stands.")
        assert terminal.process.wait(timeout=60) == 0


def test_signals_leave_the_terminal_as_it_was() -> None:
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        with playing(NO_COLOR="1") as terminal:
            before = termios.tcgetattr(terminal.ours)
            terminal.until("your move> ")
            terminal.type(b"mo")
            terminal.until("mo")
            terminal.process.send_signal(number)
            terminal.until("the game is left as it stands")
            assert terminal.process.wait(timeout=60) == code
            assert termios.tcgetattr(terminal.ours) == before

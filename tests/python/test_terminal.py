"""The command at a terminal: colours, edited lines with a history, signals, and pagers."""

import os
import pty
import re
import select
import signal
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from common import COMMAND, dataset_of, heed_ctrl_c, run

import darkqi

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
def at_a_terminal(*args: str, **environment: str) -> Iterator[Terminal]:
    """Runs the command at a terminal, without what a user has chosen for terminals."""
    ours, theirs = pty.openpty()
    chosen = ("LESS", "NO_COLOR", "PAGER")
    own = {name: value for name, value in os.environ.items() if name not in chosen}
    with subprocess.Popen(
        [*COMMAND, *args],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=own | {"TERM": "xterm", **environment},
        preexec_fn=heed_ctrl_c,
    ) as process:
        os.close(theirs)
        try:
            yield Terminal(ours, process)
        finally:
            process.kill()
            os.close(ours)


def playing(**environment: str) -> AbstractContextManager[Terminal]:
    return at_a_terminal("play", "jieqi", "--agent", "random", "--seed", "5", **environment)


def shown_by(*args: str, **environment: str) -> tuple[str, int]:
    """Returns what the command shows at a terminal, and its code."""
    shown = b""
    with at_a_terminal(*args, **environment) as terminal:
        # Linux says EIO where nobody holds the other side any more.
        with suppress(OSError):
            while part := os.read(terminal.ours, 65536):
                shown += part
        code = terminal.process.wait(timeout=60)
    return shown.decode().replace("\r\n", "\n"), code


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


logged = dataset_of("flipping", 1, agents="random", seed=1)


def test_a_replay_is_paged_shown_by(logged: Path) -> None:
    plain = run("replay", str(logged), "0").stdout
    assert plain.endswith("the replay agrees with the log\n")
    paged = "".join(f"paged {line}\n" for line in plain.splitlines())
    replay = ["replay", str(logged), "0"]
    pager = "sed 's/^/paged /'"
    assert shown_by(*replay, PAGER=pager) == (paged, 0)
    assert shown_by(*replay, "--no-pager", PAGER=pager) == (plain, 0)
    for none in ("", "cat"):
        assert shown_by(*replay, PAGER=none) == (plain, 0)
    shown, code = shown_by(*replay, "--json", PAGER=pager)
    assert (shown[:1], code) == ("{", 0)
    # A pager that is left early is no failure, and a fault needs none.
    assert shown_by(*replay, PAGER="head -n 1") == ("flipping game 0, seed 1\n", 0)
    shown, code = shown_by("replay", "nowhere", "0", PAGER=pager)
    assert (shown[:7], code) == ("error: ", 1)


def test_less_is_the_pager_where_none_is_chosen(logged: Path, tmp_path: Path) -> None:
    less = tmp_path / "less"
    less.write_text('#!/bin/sh\necho "less $*, LESS=$LESS"\ncat\n')
    less.chmod(0o755)
    replay = ["replay", str(logged), "0", "--moves"]
    plain = run(*replay).stdout
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    shown, code = shown_by(*replay, PATH=path)
    assert (shown, code) == (f"less -FRX, LESS=FRX\n{plain}", 0)
    # Where there is none, nobody is told.
    empty = tmp_path / "empty"
    empty.mkdir()
    assert shown_by(*replay, PATH=str(empty)) == (plain, 0)


def test_a_pager_that_does_not_run_is_named(logged: Path) -> None:
    replay = ["replay", str(logged), "0", "--moves"]
    shown, code = shown_by(*replay, PAGER="no-such-pager -x")
    first, _, rest = shown.partition("\n")
    assert first.startswith("warning: cannot run the pager `no-such-pager -x`: ")
    assert (rest, code) == (run(*replay).stdout, 0)


def test_ctrl_c_is_left_to_the_pager(logged: Path) -> None:
    pager = "sh -c 'cat; kill -INT $PPID; echo still here'"
    shown, code = shown_by("replay", str(logged), "0", PAGER=pager)
    assert shown.endswith("the replay agrees with the log\nstill here\n")
    assert code == 0

"""The command line that the package brings."""

import contextlib
import os
import pty
import signal
import subprocess
import sys
import time
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import darkqi
from darkqi.__main__ import main

COMMAND = [sys.executable, "-m", "darkqi"]


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *args], capture_output=True, text=True)


def test_the_package_has_the_command() -> None:
    (script,) = entry_points(group="console_scripts", name="darkqi")
    assert script.load() is main


def test_it_prints_and_succeeds() -> None:
    done = run("games")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[0] for line in done.stdout.splitlines()[1:]] == darkqi.games()
    assert run("--version").stdout == f"darkqi {darkqi.__version__}\n"


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["game"], 2, "unrecognized subcommand 'game'"),
        (["selfplay", "jieqi", "--games", "-5", "--out", "x"], 2, "invalid value '-5' for"),
        (["perft", "jeiqi", "-d", "1"], 1, "unknown game `jeiqi` (did you mean `jieqi`?)"),
        (["verify", "nowhere"], 1, "nowhere"),
    ],
)
def test_it_reports_errors_by_its_exit_code(args: list[str], code: int, message: str) -> None:
    done = run(*args)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr


def test_a_closed_pipe_is_no_failure() -> None:
    with subprocess.Popen([*COMMAND, "games", "--json"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(timeout=60) == 0


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_it_and_keeps_games(tmp_path: Path, sent: int, code: int) -> None:
    out = tmp_path / "data"
    args = ["selfplay", "jieqi", "--games", "1000000", "--shard-games", "50", "--out", str(out)]
    process = subprocess.Popen(
        [*COMMAND, *args],
        stderr=subprocess.PIPE,
        text=True,
        # Background jobs of a shell ignore Ctrl-C, and so would theirs.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while not list(out.glob("games/*.parquet")):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(sent)
    _, message = process.communicate(timeout=60)
    assert process.returncode == code
    assert "--resume" in message
    assert darkqi.verify(out)["fault_count"] == 0


def test_ctrl_c_ends_commands_that_keep_nothing() -> None:
    process = subprocess.Popen(
        [*COMMAND, "perft", "seven_kingdoms", "--depth", "9"],
        stdout=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout is not None
    assert process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT


def test_a_person_plays_by_lines(tmp_path: Path) -> None:
    out = tmp_path / "games"
    args = ["play", "flipping", "--agent", "random", "--seed", "1", "--set", "max_plies=2"]
    lines = "moves c2\nfly\nc2c3\n"
    done = subprocess.run(
        [*COMMAND, *args, "--out", str(out)], input=lines, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "your move> c2c3\nYou play c2c3.\nrandom (seat 1) plays " in done.stdout
    assert "cut off after 2 plies: max_plies" in done.stdout
    assert darkqi.verify(out)["fault_count"] == 0
    assert darkqi.replay(out, 0).agents == ["human", "random"]


@pytest.mark.parametrize("agent", ["random", "expectimax:time=600000"])
def test_ctrl_c_leaves_a_game(agent: str) -> None:
    # Once while a person is asked, and once while the agent thinks.
    with subprocess.Popen(
        [*COMMAND, "play", "jieqi", "--seed", "1", "--agent", agent],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("a4a5\n")
        process.stdin.flush()
        while not process.stdout.readline().startswith("You play a4a5"):
            assert process.poll() is None
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        # The input stays open: the wait for a line ends by itself.
        assert process.wait(timeout=60) == 130
        assert process.stderr is not None
        assert process.stderr.read() == "error: stopped by Ctrl-C: the game is left as it stands\n"


def test_nets_need_no_path_of_the_library(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DYLIB_PATH"}
    agent = f"onnx:{tmp_path / 'no.onnx'}"
    args = ["arena", "gaiqi", "--agents", f"{agent},greedy", "--games", "2"]
    done = subprocess.run([*COMMAND, *args], capture_output=True, text=True, env=environment)
    assert done.returncode == 1
    assert "no.onnx" in done.stderr
    assert "ORT_DYLIB_PATH" not in done.stderr


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of one logged game."""
    folder = tmp_path_factory.mktemp("logged") / "data"
    darkqi.selfplay("flipping", folder, 1, agents="random", seed=1)
    return folder


def at_a_terminal(*args: str, **environment: str) -> tuple[str, int]:
    """Runs the command with a terminal as standard output, and returns what it shows, and its code.

    Standard error is shown at the terminal, too. Without ``PAGER`` in ``environment`` it is unset.
    """
    inherited = {name: value for name, value in os.environ.items() if name not in ("PAGER", "LESS")}
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, *args],
        stdout=theirs,
        stderr=theirs,
        env=inherited | environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        os.close(theirs)
        shown = b""
        # Linux says EIO where nobody holds the other side any more.
        with contextlib.suppress(OSError):
            while part := os.read(ours, 65536):
                shown += part
        code = process.wait(timeout=60)
    os.close(ours)
    return shown.decode().replace("\r\n", "\n"), code


def test_a_replay_is_paged_at_a_terminal(logged: Path) -> None:
    plain = run("replay", str(logged), "0").stdout
    assert plain.endswith("the replay agrees with the log\n")
    paged = "".join(f"paged {line}\n" for line in plain.splitlines())
    replay = ["replay", str(logged), "0"]
    pager = "sed 's/^/paged /'"
    assert at_a_terminal(*replay, PAGER=pager) == (paged, 0)
    assert at_a_terminal(*replay, "--no-pager", PAGER=pager) == (plain, 0)
    for none in ("", "cat"):
        assert at_a_terminal(*replay, PAGER=none) == (plain, 0)
    shown, code = at_a_terminal(*replay, "--json", PAGER=pager)
    assert (shown[:1], code) == ("{", 0)


def test_pipes_get_a_replay_at_once(logged: Path) -> None:
    environment = os.environ | {"PAGER": "sed 's/^/paged /'"}
    args = ["replay", str(logged), "0"]
    done = subprocess.run([*COMMAND, *args], capture_output=True, text=True, env=environment)
    assert done.stdout == run(*args).stdout


def test_less_is_the_pager_where_none_is_chosen(logged: Path, tmp_path: Path) -> None:
    less = tmp_path / "less"
    less.write_text('#!/bin/sh\necho "less $*, LESS=$LESS"\ncat\n')
    less.chmod(0o755)
    replay = ["replay", str(logged), "0", "--moves"]
    plain = run(*replay).stdout
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    shown, code = at_a_terminal(*replay, PATH=path)
    assert (shown, code) == (f"less -FRX, LESS=FRX\n{plain}", 0)
    # Where there is none, nobody is told.
    empty = tmp_path / "empty"
    empty.mkdir()
    assert at_a_terminal(*replay, PATH=str(empty)) == (plain, 0)


def test_a_pager_that_does_not_run_is_named(logged: Path) -> None:
    replay = ["replay", str(logged), "0", "--moves"]
    shown, code = at_a_terminal(*replay, PAGER="no-such-pager -x")
    first, _, rest = shown.partition("\n")
    assert first.startswith("warning: cannot run the pager `no-such-pager -x`: ")
    assert (rest, code) == (run(*replay).stdout, 0)


def test_leaving_the_pager_early_is_no_failure(logged: Path) -> None:
    shown, code = at_a_terminal("replay", str(logged), "0", PAGER="head -n 1")
    assert (shown, code) == ("flipping game 0, seed 1\n", 0)


def test_ctrl_c_is_left_to_the_pager(logged: Path) -> None:
    pager = "sh -c 'cat; kill -INT $PPID; echo still here'"
    shown, code = at_a_terminal("replay", str(logged), "0", PAGER=pager)
    assert shown.endswith("the replay agrees with the log\nstill here\n")
    assert code == 0


def test_errors_come_without_a_pager(tmp_path: Path) -> None:
    shown, code = at_a_terminal("replay", str(tmp_path / "no"), "0", PAGER="sed 's/^/paged /'")
    assert shown.startswith("error: ")
    assert code == 1

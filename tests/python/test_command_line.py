"""The command line that the package brings."""

import os
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


def test_nets_need_no_path_of_the_library(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DYLIB_PATH"}
    agent = f"onnx:{tmp_path / 'no.onnx'}"
    args = ["arena", "gaiqi", "--agents", f"{agent},greedy", "--games", "2"]
    done = subprocess.run([*COMMAND, *args], capture_output=True, text=True, env=environment)
    assert done.returncode == 1
    assert "no.onnx" in done.stderr
    assert "ORT_DYLIB_PATH" not in done.stderr

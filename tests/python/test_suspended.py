"""Processes that are stopped for a while, as by Ctrl-Z, and go on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# An engine that takes its time for a flip, and says when it has begun to.
ENGINE = """
while read -r line; do
    case "$line" in
        uci) echo uciok;;
        isready) echo readyok;;
        go*) echo >> "$0.begun"; sleep 0.3; echo bestmove b2;;
    esac
done
"""


@pytest.mark.skipif(os.name != "posix", reason="it takes signals")
def test_an_engine_is_not_late_because_darkqi_was_stopped(tmp_path: Path) -> None:
    engine, begun = tmp_path / "engine.sh", tmp_path / "engine.sh.begun"
    engine.write_text(ENGINE)
    agents = f"uci:cmd=sh '{engine}',timeout=2000,random"
    command = [sys.executable, "-m", "darkqi", "arena", "gaiqi", "--agents", agents]
    command += ["--games", "2", "--threads", "1", "--set", "max_plies=2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as match:
        while not begun.exists():
            assert match.poll() is None
            time.sleep(0.01)
        match.send_signal(signal.SIGSTOP)
        # Longer than the engine may take.
        time.sleep(3)
        match.send_signal(signal.SIGCONT)
        _, message = match.communicate(timeout=60)
    assert (match.returncode, message) == (0, "")

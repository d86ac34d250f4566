"""The command line that the package brings."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from common import heed_ctrl_c, run, start
from logged import rename_an_agent

import darkqi
from darkqi.__main__ import main


def test_the_package_has_the_command() -> None:
    (script,) = entry_points(group="console_scripts", name="darkqi")
    assert script.load() is main


def test_it_prints_and_succeeds() -> None:
    done = run("games")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[0] for line in done.stdout.splitlines()[1:]] == darkqi.games()
    assert run("--version").stdout == f"darkqi {darkqi.__version__}\n"


def test_text_of_strangers_does_not_steer_the_terminal(tmp_path: Path) -> None:
    def stranger(*rows: Any) -> Any:
        return rows[1].argmax(axis=1)

    data, page = tmp_path / "data", tmp_path / "page.html"
    darkqi.selfplay("banqi", data, 12, agents=stranger, max_plies=60)
    name = "x\x1b]0;title\x07\r\x9b2J\u202e\nseat 9: forged<script>|" + 2000 * "y"
    rename_an_agent(data, "stranger", name)
    assert darkqi.replay(data, 0).agents == [f"python:{name}"] * 2
    for args in (
        ["replay", str(data), "0"],
        ["replay", str(data), "0", "--json"],
        ["verify", str(data)],
        ["first-reveal", str(data)],
        ["first-reveal", str(data), "--json"],
        ["report", str(data), "--out", str(page)],
        ["replay", str(data), "0", "--html", str(tmp_path / "game.html")],
        ["selfplay", "--resume", "--out", str(data), "--games", "20"],
        ["replay", str(tmp_path / "a\x1b[1mb\u202ec"), "0"],
        ["arena", "banqi\x1b[31m", "--agents", "random,greedy", "--games", "2"],
        ["arena", "banqi", "--agents", "random,greedy\x9b", "--games", "2"],
        ["arena", "banqi", "--games", "\x1b[31m", "--agents", "random,greedy"],
    ):
        done = run(*args)
        shown = done.stdout + done.stderr
        assert not [
            it for it in shown if it != "\n" and (ord(it) < 32 or ord(it) in range(127, 160))
        ]
        assert "\u202e" not in shown
        assert "\nseat 9" not in shown
        assert len(shown) < 20_000 or "--json" in args
        assert shown
        if args[0] == "replay" and "--json" in args:
            assert json.loads(done.stdout)["agents"] == [f"python:{name}"] * 2
    for html in page, tmp_path / "game.html":
        text = html.read_text()
        assert "forged&lt;script&gt;" in text
        assert not {"\x1b", "\x9b", "\u202e", "\x07"} & set(text)


def test_messages_do_not_repeat_megabytes() -> None:
    for args in ("arena", "x" * 100_000, "-a", "random,greedy", "-n", "2"), ("x" * 100_000,):
        done = run(*args)
        assert done.returncode != 0
        assert "characters in all" in done.stderr
        assert len(done.stderr) < 20_000
    many = "x" * 10_000_000
    for call in (
        lambda: darkqi.make(many, 2),
        lambda: darkqi.make("banqi", 2, mask=many),  # type: ignore[arg-type]
        lambda: darkqi.arena("banqi", [many, "random"], 2),
        lambda: darkqi.arena("banqi", [f"greedy:{many}", "random"], 2),
        lambda: darkqi.State.from_fen("banqi", many),
        lambda: darkqi.State("banqi").apply(many),
        lambda: darkqi.spec("banqi", cannon=many),
        lambda: darkqi.arena("banqi", ["greedy", "random"], 2, openings=[many]),
    ):
        with pytest.raises(ValueError) as raised:  # noqa: PT011
            call()
        assert len(str(raised.value)) < 20_000


# darkqi as an engine, which dies at its n-th decision, counted in a file.
ENGINE = """
import os, pathlib, subprocess, sys
counted, dies = pathlib.Path(sys.argv[1]), int(sys.argv[2])
pipe = subprocess.PIPE
inner = subprocess.Popen(
    [sys.executable, "-m", "darkqi", "uci", "flipping"], stdin=pipe, stdout=pipe, text=True
)
answers = {"uci": "uciok", "isready": "readyok", "go": "bestmove"}
for line in sys.stdin:
    word = line.split()[0]
    if word == "go":
        with counted.open("a") as file:
            file.write("x")
        if counted.stat().st_size == dies:
            os._exit(1)
    inner.stdin.write(line)
    inner.stdin.flush()
    while word in answers:
        answer = inner.stdout.readline()
        sys.stdout.write(answer)
        sys.stdout.flush()
        if answer.startswith(answers[word]):
            break
"""


def test_a_match_survives_its_engine(tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(ENGINE)

    def args(name: str, dies: int, options: str = "") -> list[str]:
        command = f"{sys.executable} {engine} {tmp_path / name} {dies}"
        agents = f"uci:cmd={command},depth=1,fen=darkqi{options},random"
        rest = ["--seed", "1", "--threads", "1", "--set", "max_plies=40"]
        return ["flipping", "--agents", agents, "--games", "12", *rest]

    died = run("arena", *args("one", 60))
    assert died.returncode == 1
    assert "SPRT" not in died.stdout
    assert "95 % interval" in died.stdout
    fault, kept = died.stderr.rstrip().split("\n")
    assert "ended (exit status: 1)" in fault
    assert " of 12 games are counted; nothing was kept, as there is no --out" in kept
    assert "restart=N" in kept
    match = ["--out", str(tmp_path / "match")]
    died = run("arena", *args("two", 60), *match)
    assert "the same command goes on with" in died.stderr
    resumed = run("arena", *args("two", 60), *match, "--json")
    again = run("arena", *args("three", 60, ",restart=1"), "--json")
    whole = run("arena", *args("four", 0), "--json")
    assert (resumed.returncode, again.returncode, whole.returncode) == (0, 0, 0)

    def pairs(done: subprocess.CompletedProcess[str]) -> list[Any]:
        found = json.loads(done.stdout)["pairs"]
        return [
            {key: pair[key] for key in pair if key not in ("first", "second")} for pair in found
        ]

    assert pairs(resumed) == pairs(again) == pairs(whole)
    assert list(json.loads(again.stdout)["restarts"].values()) == [1]
    assert json.loads(whole.stdout)["restarts"] == {}
    out = ["--out", str(tmp_path / "data")]
    run_ = run("selfplay", *args("five", 60), *out)
    assert run_.returncode == 1
    assert f" of 12 games are in {tmp_path / 'data'}; " in run_.stderr
    restarted = run("selfplay", *args("six", 60, ",restart=1"), "--out", str(tmp_path / "again"))
    assert "failed and was started again: 1 time" in restarted.stdout


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_it_and_keeps_games(tmp_path: Path, sent: int, code: int) -> None:
    out = tmp_path / "data"
    args = ["selfplay", "jieqi", "--games", "1000000", "--shard-games", "50", "--out", str(out)]
    process = start("-m", "darkqi", *args, preexec_fn=heed_ctrl_c)
    while not list(out.glob("games/*.parquet")):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(sent)
    _, message = process.communicate(timeout=60)
    assert process.returncode == code
    assert "--resume" in message
    assert darkqi.verify(out).fault_count == 0


@pytest.mark.parametrize("agent", ["random", "expectimax:time=600000"])
def test_ctrl_c_leaves_a_game(agent: str) -> None:
    # Once while a person is asked, and once while the agent thinks.
    args = ["play", "jieqi", "--seed", "1", "--agent", agent]
    with start("-m", "darkqi", *args, stdin=subprocess.PIPE, preexec_fn=heed_ctrl_c) as process:
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
    done = run(*args, env=environment)
    assert done.returncode == 1
    assert "no.onnx" in done.stderr
    assert "ORT_DYLIB_PATH" not in done.stderr


# An engine that takes its time for a flip, and says when it has begun to.
SLOW_ENGINE = """
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
    engine.write_text(SLOW_ENGINE)
    agents = f"uci:cmd=sh '{engine}',timeout=2000,random"
    args = ["gaiqi", "--agents", agents, "--games", "2", "--threads", "1", "--set", "max_plies=2"]
    with start("-m", "darkqi", "arena", *args) as match:
        while not begun.exists():
            assert match.poll() is None
            time.sleep(0.01)
        match.send_signal(signal.SIGSTOP)
        # Longer than the engine may take.
        time.sleep(3)
        match.send_signal(signal.SIGCONT)
        _, message = match.communicate(timeout=60)
    assert (match.returncode, message) == (0, "")

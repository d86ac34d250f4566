"""Envs and policies that refer to each other, the end of Python, and calls within calls."""

import gc
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from common import first_legal, python

import darkqi


class Learner:
    """An env whose opponent is a method of the object that keeps the env."""

    def __init__(self, **settings: Any) -> None:
        self.env = darkqi.make("banqi", 4, 0, opponent=self.policy, **settings)
        self.env.reset()

    def policy(self, *rows: Any) -> Any:
        return first_legal(*rows)


def test_an_env_and_its_policy_are_freed() -> None:
    alive = []
    for groups in (1, 2):
        for _ in range(20):
            learner = Learner(groups=groups)
            learner.env.step(learner.env.sample_actions())
            alive.append(weakref.ref(learner))
            del learner
    gc.collect()
    assert [one for one in alive if one() is not None] == []


def test_an_env_is_freed_while_a_group_is_stepped() -> None:
    learner = Learner(groups=2)
    learner.env.recv()
    learner.env.send(learner.env.sample_actions())
    alive = weakref.ref(learner)
    del learner
    gc.collect()
    assert alive() is None


def test_an_env_can_be_dropped_while_its_opponent_decides() -> None:
    called = threading.Event()

    def policy(*rows: Any) -> Any:
        called.set()
        time.sleep(0.2)
        return first_legal(*rows)

    env = darkqi.make("banqi", 4, 0, opponent=policy, groups=2)
    env.reset()
    called.clear()
    env.recv()
    env.send(env.sample_actions())
    called.wait()
    del env


def test_what_is_held_from_elsewhere_is_not_freed() -> None:
    learner = Learner()
    env, alive = learner.env, weakref.ref(learner)
    del learner
    gc.collect()
    # The policy still plays.
    for _ in range(20):
        env.step(env.sample_actions())
    assert alive() is not None


POLICY = """
import sys, threading, time
import darkqi

def policy(observation, mask, player):
    total = 0
    for number in range(3000):
        total += number
    return mask.argmax(axis=1)

def start(work):
    threading.Thread(target=work, daemon=True).start()
    time.sleep(0.1 + float(sys.argv[1]))

def repeat(call):
    def work():
        while True:
            call()
    start(work)
"""

ENDS = {
    "selfplay": """
import tempfile
out = tempfile.mkdtemp()
start(lambda: darkqi.selfplay("banqi", out + "/data", 10**6, agents=[policy], threads=2))
""",
    "arena": """
start(lambda: darkqi.arena("banqi", [policy, "random"], 10**6))
""",
    "step": """
env = darkqi.make("banqi", 64, 0, opponent=policy, seat=0)
env.reset()
repeat(lambda: env.step(env.sample_actions()))
""",
    "send": """
env = darkqi.make("banqi", 64, 0, opponent=policy, seat=0, groups=2)
env.reset()
repeat(lambda: (env.recv(), env.send(env.sample_actions())))
""",
    "choose": """
state = darkqi.State("banqi", 0)
repeat(lambda: state.choose(policy, 0))
""",
    "rows": """
env = darkqi.make("jieqi", 4096, 0)
env.reset()
repeat(lambda: env.step(env.sample_actions()).copy())
""",
    "records": """
state = darkqi.State("jieqi", 0)
action = state.legal_actions()[0]
repeat(lambda: state.reveals(action))
""",
    "search": """
state = darkqi.State("jieqi", 0)
start(lambda: state.choose("expectimax:depth=4"))
""",
}


@pytest.mark.parametrize("call", ENDS)
def test_python_ends_while_a_thread_plays(call: str) -> None:
    # Where in the policy the end comes is by chance.
    for wait in range(4):
        python(POLICY + ENDS[call], str(wait / 50))


def test_python_ends_while_a_policy_waits_or_computes_for_ever() -> None:
    blocked = "def policy(observation, mask, player):\n    threading.Event().wait()\n"
    busy = "def policy(observation, mask, player):\n    while True:\n        pass\n"
    for forever in (blocked, busy):
        for call in ("selfplay", "step", "choose"):
            python(POLICY + forever + ENDS[call], "0")


LATE = """
import atexit

@atexit.register
def late():
    try:
        print(darkqi.State("banqi", 0).choose(policy, 0))
    except SystemExit as ended:
        print(ended)

import darkqi

def policy(observation, mask, player):
    return mask.argmax(axis=1)
"""


def test_a_policy_is_refused_when_python_ends() -> None:
    # What was registered before darkqi was imported is called after its own end.
    assert python(LATE) == "Python ends\n"


FORKED = """
import os
env = darkqi.make("banqi", 4, 0, opponent=policy)
env.reset()
repeat(lambda: env.step(env.sample_actions()))
begun = time.monotonic()
child = os.fork()
if child == 0:
    sys.exit(0)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0
assert time.monotonic() - begun < 2, "threads are waited for as long"
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no forks")
def test_a_forked_process_does_not_wait_for_threads_that_it_lacks() -> None:
    for _ in range(5):
        python(POLICY + FORKED, "0")


AGAIN = "env is in use by the call that led to this one, such as a step that asks a policy"


def calls(env: darkqi.Env) -> dict[str, Callable[[], Any]]:
    return {
        "step": lambda: env.step(np.zeros(4, np.int64)),
        "reset": env.reset,
        "recv": env.recv,
        "wait": env.wait,
        "state": lambda: env.state(0),
        "seeds": lambda: env.seeds,
        "sample_actions": env.sample_actions,
    }


@pytest.mark.parametrize("call", calls(darkqi.make("banqi", 1, 0)))
@pytest.mark.parametrize("groups", [1, 2])
def test_a_policy_that_uses_its_own_env_is_told_so(call: str, groups: int) -> None:
    envs: list[darkqi.Env] = []
    faults = []

    def policy(*rows: Any) -> Any:
        if envs:
            try:
                calls(envs[0])[call]()
            except RuntimeError as error:
                faults.append(str(error))
        return first_legal(*rows)

    env = darkqi.make("banqi", 4, 0, opponent=policy, groups=groups, seat=0)
    env.reset()
    envs.append(env)
    if groups == 1:
        env.step(env.sample_actions())
    else:
        env.recv()
        env.send(env.sample_actions())
        env.wait()
    envs.clear()
    assert faults
    assert all(fault.startswith(AGAIN) for fault in faults), faults
    # It is in use no more.
    env.step(env.sample_actions())


def test_an_argument_that_uses_its_own_object_is_told_so() -> None:
    state = darkqi.State("banqi", 0)

    class Index:
        def __index__(self) -> int:
            state.apply(0)
            return 0

    with pytest.raises(RuntimeError, match="state is in use by the call that led to this one"):
        state.apply(Index())
    assert state.ply == 0
    state.apply(state.legal_actions()[0])


def test_another_thread_is_called_another_thread() -> None:
    inside, leave = threading.Event(), threading.Event()

    def policy(*rows: Any) -> Any:
        inside.set()
        leave.wait(30)
        return first_legal(*rows)

    leave.set()
    env = darkqi.make("banqi", 4, 0, opponent=policy, seat=0)
    env.reset()
    inside.clear()
    leave.clear()
    thread = threading.Thread(target=env.step, args=(env.sample_actions(),))
    thread.start()
    assert inside.wait(30)
    try:
        with pytest.raises(RuntimeError, match=r"^env is in use by another thread$"):
            env.reset()
    finally:
        leave.set()
        thread.join()

"""A process of a user who has no more threads, files or rights, for tests that start it.

``python -c "import limited; limited.NAME(...)"``. It imports everything before it is limited.
"""

import contextlib
import json
import os
import resource
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import native_calls

import darkqi
import darkqi.datasets
from darkqi import __main__

# Nobody has it. Root is not limited.
USER = 54321


def become_a_user() -> None:
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(USER)
        os.setuid(USER)


def without_threads() -> None:
    """Lets this process start no further thread. It must have none yet that it still needs."""
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    become_a_user()


def attempt(call: Callable[[], object]) -> dict[str, Any]:
    """Returns what comes of a call: its result as text, or the exception."""
    try:
        return {"result": repr(call())}
    except BaseException as error:
        return {
            "kinds": [kind.__name__ for kind in type(error).__mro__],
            "message": str(error),
            "errno": getattr(error, "errno", None),
            "filename": str(getattr(error, "filename", None)),
            "trace": traceback.format_exc(),
        }


def calls(path: Path, out: Path) -> None:
    """Makes all calls that use threads, where there are none; prints what comes of them."""
    without_threads()
    found = {
        name: attempt(lambda name=name: native_calls.call(name, path, out / name))  # type: ignore[misc]
        for name in native_calls.CALLS
    }
    print(json.dumps(found))


def command(*words: str) -> None:
    """Runs a command of ``darkqi`` where there are no threads."""
    without_threads()
    sys.argv = ["darkqi", *words]
    sys.exit(__main__.main())


def few_files(path: Path) -> None:
    """Verifies a dataset with more and more files; prints what comes of it."""
    used = max(int(name) for name in os.listdir("/proc/self/fd"))
    found = []
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    for more in range(1, 12):
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + more, before[1]))
        for call in (darkqi.verify, darkqi.first_reveal, darkqi.datasets.load):
            found.append(attempt(lambda call=call: call(path)))  # type: ignore[misc]
        found.append(attempt(lambda: [it.game_id for it in darkqi.datasets.load(path).replays()]))
    resource.setrlimit(resource.RLIMIT_NOFILE, before)
    print(json.dumps(found))


def unreadable(path: Path, values: Path) -> None:
    """Reads what a user may not; prints what comes of it."""
    become_a_user()
    match = path.parent / "match"
    found = {
        "verify": attempt(lambda: darkqi.verify(path)),
        "first_reveal": attempt(lambda: darkqi.first_reveal(path)),
        "resume": attempt(lambda: darkqi.selfplay("gaiqi", path, 40, seed=1, resume=True)),
        "values": attempt(
            lambda: darkqi.State("gaiqi", seed=1).choose(f"greedy:values={values}", seed=1)
        ),
        "weights": attempt(
            lambda: darkqi.State("gaiqi", seed=1).choose(f"expectimax:weights={values}", seed=1)
        ),
        "openings": attempt(
            lambda: darkqi.selfplay("gaiqi", path.parent / "x", 2, openings=values)
        ),
        "match": attempt(lambda: darkqi.arena("gaiqi", "random,greedy", 2, out=match)),
        "new": attempt(lambda: darkqi.selfplay("gaiqi", path.parent / "new", 2)),
    }
    print(json.dumps(found))


def full(out: Path) -> None:
    """Writes to a disk that has no more space; prints what comes of it."""
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    found = {
        "selfplay": attempt(lambda: darkqi.selfplay("gaiqi", out / "run", 400, seed=1)),
        "report": attempt(lambda: darkqi.report(out / "data", out / "page.html")),
    }
    with contextlib.suppress(OSError):
        print(json.dumps(found))

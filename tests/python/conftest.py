"""Fixtures of all test modules."""

import importlib
import os
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from common import LONG, ROOT

import darkqi

if TYPE_CHECKING:
    # They may be missing; the tests that need them are skipped then.
    from browser import Site, Tab
    from playwright.sync_api import Browser, Page
    from s3 import Server

# What Ray would warn of otherwise.
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

# The same examples each time, so that a change is blamed for no failure that it did not cause.
hypothesis.settings.register_profile("same", derandomize=True)
if not LONG:
    hypothesis.settings.load_profile("same")


@pytest.fixture(params=darkqi.games())
def game(request: pytest.FixtureRequest) -> str:
    """Returns the name of every registered game in turn."""
    name: str = request.param
    return name


@pytest.fixture
def many_seats() -> str:
    """Returns a game of more than two seats: the small one, if the package has it."""
    return next(name for name in ("four_camps", "seven_kingdoms") if name in darkqi.games())


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Returns a function that imports an example by its name."""
    monkeypatch.syspath_prepend(ROOT / "python" / "examples")
    return importlib.import_module


@pytest.fixture
def ppo(example: Callable[[str], Any]) -> ModuleType:
    module: ModuleType = example("ppo")
    return module


# One of the session: a process keeps its client of a bucket, with the address of the first server.
@pytest.fixture(scope="session")
def storage() -> Iterator["Server"]:
    from s3 import serving

    with serving() as server:
        yield server


@pytest.fixture
def server(storage: "Server", monkeypatch: pytest.MonkeyPatch) -> Iterator["Server"]:
    """Returns that server, with the environment that leads there."""
    for name, value in storage.variables.items():
        monkeypatch.setenv(name, value)
    yield storage
    storage.reset()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Site"]:
    """Serves the page with a dataset of jieqi and one of gaiqi."""
    from browser import Site
    from servers import serving

    data = tmp_path_factory.mktemp("data")
    darkqi.selfplay("jieqi", data / "jieqi", 12, agents="expectimax:depth=1", seed=3)
    darkqi.selfplay("gaiqi", data / "gaiqi", 30, agents="greedy", seed=3)
    with serving(data) as server:
        yield Site(server.url, data)


# Not for the whole session: while it runs, asyncio cannot be used by others.
@pytest.fixture(scope="module")
def running() -> Iterator["Browser"]:
    from browser import browse, executable

    if executable() is None:
        pytest.skip("no browser: install Debian's chromium")
    with browse() as running:
        yield running


@pytest.fixture
def tab(request: pytest.FixtureRequest, running: "Browser", site: "Site") -> Iterator["Tab"]:
    """Returns a page of the site in a browser profile of its own, as `browser.seen_at` says."""
    from browser import DESKTOP, visit

    size, profile = getattr(request, "param", (DESKTOP, {}))
    with visit(running, site.url, size, **profile) as tab:
        yield tab


@pytest.fixture
def page(tab: "Tab") -> "Page":
    """Returns what Playwright has of that page."""
    return tab.page

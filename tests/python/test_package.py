"""The package as installed: names, docstrings, examples, requirements."""

import doctest
import importlib
import importlib.metadata
import inspect
import pickle
import subprocess
import sys
from typing import Any, get_origin

import pytest
from common import python

import darkqi

PUBLIC = [name for name in darkqi.__all__ if name != "__version__"]


def test_everything_exported_exists_in_order() -> None:
    assert darkqi.__all__ == sorted(darkqi.__all__)
    for name in darkqi.__all__:
        assert hasattr(darkqi, name)


@pytest.mark.parametrize("name", PUBLIC)
def test_everything_public_is_documented(name: str) -> None:
    thing = getattr(darkqi, name)
    # Aliases of types have no docstring at run time.
    assert inspect.getdoc(thing) or get_origin(thing)
    if not inspect.isclass(thing) or issubclass(thing, Exception):
        return
    for member, value in vars(thing).items():
        if not member.startswith("_"):
            assert inspect.getdoc(value), f"{name}.{member}"


@pytest.mark.parametrize(
    "function",
    [darkqi.selfplay, darkqi.arena, darkqi.strength, darkqi.sweep, darkqi.balance_values],
    ids=lambda function: function.__name__,
)
def test_options_of_the_command_line_are_keywords(function: Any) -> None:
    text = inspect.getdoc(function) or ""
    parameters = inspect.signature(function).parameters
    assert {"name", "games", "seed", "threads", "options"} <= parameters.keys()
    for name in parameters:
        assert f"\n    {name}: " in text or name == "options", name
    assert pickle.loads(pickle.dumps(function)) is function
    assert function.__module__ == darkqi.make.__module__


@pytest.mark.parametrize("module", ["darkqi", "darkqi.pettingzoo"])
def test_examples_in_docstrings_run(module: str) -> None:
    outcome = doctest.testmod(importlib.import_module(module))
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_only_numpy_is_required() -> None:
    required = importlib.metadata.requires("darkqi") or []
    always = [requirement for requirement in required if "extra ==" not in requirement]
    assert [requirement.split(">")[0] for requirement in always] == ["numpy"]


def test_adapters_are_imported_only_when_used() -> None:
    code = "import sys, darkqi; darkqi.make('banqi', 1).reset(); print(*sys.modules)"
    modules = {name.partition(".")[0] for name in python(code).split()}
    assert "numpy" in modules
    assert not modules & {"gymnasium", "pettingzoo", "pyspiel", "ray", "torch", "polars", "pyarrow"}


@pytest.mark.parametrize(
    ("module", "library", "extra"),
    [
        ("gymnasium", "gymnasium", "gymnasium"),
        ("pettingzoo", "pettingzoo", "pettingzoo"),
        ("openspiel", "pyspiel", "openspiel"),
        ("torchrl", "torchrl.data", "torchrl"),
        ("rllib", "ray.tune", "rllib"),
        ("sb3", "stable_baselines3.common", "sb3"),
        ("minari", "minari", "minari"),
        ("widget", "anywidget", "notebook"),
        ("torch", "torch", "torch"),
        ("nets", "torch", "torch"),
        ("learning", "torch", "torch"),
    ],
)
def test_missing_libraries_are_named_by_their_extra(module: str, library: str, extra: str) -> None:
    code = f"import sys; sys.modules[{library!r}] = None; import darkqi.{module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError: darkqi" in done.stderr
    assert f"pip install 'darkqi[{extra}]'" in done.stderr


def test_darkqi_is_imported_without_pytorch() -> None:
    # As if it were not installed.
    without = "import sys; sys.modules['torch'] = None; import darkqi, darkqi.learn"
    python(f"{without}; assert darkqi.exploitability")

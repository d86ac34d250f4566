"""Adds the native module's docstrings to the reference; the stub has only signatures."""

import importlib
import inspect
from typing import Any

import griffe


class NativeDocstrings(griffe.Extension):  # type: ignore[misc]
    """Reads the docstrings of ``darkqi._darkqi`` at run time."""

    def on_package(self, *, pkg: griffe.Module, loader: griffe.GriffeLoader, **_: Any) -> None:
        """Adds the docstrings after the package is loaded."""
        if pkg.name == "darkqi":
            _complete(pkg["_darkqi"], importlib.import_module("darkqi._darkqi"), loader)


def _complete(documented: griffe.Object, running: Any, loader: griffe.GriffeLoader) -> None:
    """Adds missing docstrings to the members of a module or class."""
    for name, member in documented.members.items():
        value = getattr(running, name, None)
        if member.is_alias or name.startswith("_") or value is None:
            continue
        docstring = inspect.getdoc(value)
        if docstring and not member.docstring:
            member.docstring = griffe.Docstring(
                docstring,
                parent=member,
                parser=loader.docstring_parser,
                parser_options=loader.docstring_options,
            )
        if member.is_class:
            _complete(member, value, loader)
            # Griffe reads the signature of a class from `__init__`.
            if "__new__" in member.members:
                member.members["__init__"] = member.members["__new__"]

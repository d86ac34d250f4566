"""Gives the reference the docstrings of the native module, whose stub has signatures only."""

import importlib
import inspect
from typing import Any

import griffe


class NativeDocstrings(griffe.Extension):  # type: ignore[misc]
    """Reads at run time what the stub of ``darkqi._darkqi`` leaves out."""

    def on_package(self, *, pkg: griffe.Module, loader: griffe.GriffeLoader, **_: Any) -> None:
        """Completes the package once it is loaded."""
        if pkg.name == "darkqi":
            _complete(pkg["_darkqi"], importlib.import_module("darkqi._darkqi"), loader)


def _complete(documented: griffe.Object, running: Any, loader: griffe.GriffeLoader) -> None:
    """Adds the docstrings that the members of a module or class lack."""
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
            # Signatures of classes are looked for where Python's own classes have them.
            if "__new__" in member.members:
                member.members["__init__"] = member.members["__new__"]

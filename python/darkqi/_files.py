"""Files that are written at once or not at all, and their checksums."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields a temporary file, which is in the place of another after the block.

    After an exception the other is as it was.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            # A file with this name is whole even after a power failure.
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def quoted(path: Path) -> str:
    """Returns a path as the value of an agent's option: in quotes where it needs them."""
    text = str(path)
    if not set(text) & set(",=\"'\\"):
        return text
    inner = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inner}"'


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Writes a file of JSON."""
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2) + "\n")


def digest(path: Path) -> str:
    """Returns the SHA-256 of a file, in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()

"""What tests of learners share."""

import shlex
from pathlib import Path

import pytest

accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")

TINY = shlex.split(
    "--game gaiqi --set max_plies=12 --lanes 8 --steps 16 --minibatch 32 --width 4"
    " --evaluations 2 --games 16"
)


def scalars(folder: Path) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for file in sorted(folder.rglob("events.out.tfevents.*")):
        events = accumulator.EventAccumulator(str(file))
        events.Reload()
        for tag in events.Tags()["scalars"]:
            found.setdefault(tag, []).extend(event.value for event in events.Scalars(tag))
    return found

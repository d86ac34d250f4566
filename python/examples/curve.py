"""Plots the learning curves that ppo.py, maskable_ppo.py and gumbel.py write to their folders.

    python python/examples/curve.py runs/ppo --out curve.svg

Requirements: `pip install matplotlib tensorboard`.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator


def curves(folder: Path) -> dict[str, dict[str, dict[int, float]]]:
    """Reads a run: per opponent the mean, low and high of the score, by step."""
    found: dict[str, dict[str, dict[int, float]]] = {}
    for file in sorted(folder.rglob("events.out.tfevents.*")):
        events = EventAccumulator(str(file))
        events.Reload()
        for tag in events.Tags()["scalars"]:
            opponent, _, name = tag.rpartition("/")
            if name in ("mean", "low", "high"):
                # A run that was continued has several files, and may have a step twice.
                lines = found.setdefault(opponent, {"mean": {}, "low": {}, "high": {}})
                lines[name].update((event.step, event.value) for event in events.Scalars(tag))
    if not found:
        raise SystemExit(f"{folder}: expected a folder with evaluations of a run, found none")
    return found


def plot(folders: Sequence[Path], out: Path) -> None:
    """Plots a panel for each run; the suffix of `out` sets the format."""
    # Text stays text, and equal curves give equal files.
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "darkqi", "font.size": 9})
    figure = Figure(figsize=(4.2 * len(folders), 3.4), layout="constrained")
    panels = figure.subplots(1, len(folders), sharey=True, squeeze=False)[0]
    for panel, folder in zip(panels, folders, strict=True):
        for opponent, lines in sorted(curves(folder).items()):
            # A run that was killed may have only a part of its last evaluation.
            steps = sorted(set.intersection(*map(set, lines.values())))
            mean, low, high = (
                [lines[name][step] for step in steps] for name in ("mean", "low", "high")
            )
            panel.plot(steps, mean, marker=".", label=f"against {opponent}")
            panel.fill_between(steps, low, high, alpha=0.2, linewidth=0)
        panel.axhline(0.5, color="grey", linewidth=0.8, linestyle="--")
        panel.set(title=folder.name, xlabel="steps", ylim=(0, 1.02))
        panel.xaxis.set_major_formatter(lambda steps, _: f"{steps / 1000:,.0f}k")
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("score, with 95 % intervals")
    handles, labels = panels[0].get_legend_handles_labels()
    columns = len(labels) if len(labels) <= 4 else 2
    figure.legend(handles, labels, loc="outside upper center", ncols=columns, frameon=False)
    figure.savefig(out, metadata={"Date": None} if out.suffix == ".svg" else None)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("runs", type=Path, nargs="+", help="folders of runs")
    parser.add_argument("--out", type=Path, default=Path("curve.svg"), help="the picture")
    args = parser.parse_args()
    plot(args.runs, args.out)


if __name__ == "__main__":
    main()

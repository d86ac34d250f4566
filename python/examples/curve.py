"""Plots the learning curves in the `scores.csv` of trainings.

    python python/examples/curve.py runs/ppo --out curve.svg

Requirements: `pip install matplotlib`.
"""

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure


def curves(folder: Path) -> dict[str, dict[int, list[float]]]:
    """Reads a run: per opponent the mean, low and high of the score, by plies."""
    found: dict[str, dict[int, list[float]]] = {}
    for path in sorted(folder.rglob("scores.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                search = ", with search" if row.get("player") == "search" else ""
                score = [float(row[part]) for part in ("value", "low", "high")]
                found.setdefault(row["opponent"] + search, {})[int(row["plies"])] = score
    if not found:
        raise SystemExit(f"{folder}: expected a folder with a scores.csv, found none")
    return found


def plot(folders: Sequence[Path], out: Path) -> None:
    """Plots a panel for each run; the suffix of `out` sets the format."""
    # Text stays text, and equal curves give equal files.
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "darkqi", "font.size": 9})
    figure = Figure(figsize=(4.2 * len(folders), 3.4), layout="constrained")
    panels = figure.subplots(1, len(folders), sharey=True, squeeze=False)[0]
    for panel, folder in zip(panels, folders, strict=True):
        for opponent, lines in sorted(curves(folder).items()):
            mean, low, high = zip(*lines.values(), strict=True)
            panel.plot(list(lines), mean, marker=".", label=f"against {opponent}")
            panel.fill_between(list(lines), low, high, alpha=0.2, linewidth=0)
        panel.axhline(0.5, color="grey", linewidth=0.8, linestyle="--")
        panel.set(title=folder.name, xlabel="plies", ylim=(0, 1.02))
        panel.xaxis.set_major_formatter(lambda plies, _: f"{plies / 1000:,.0f}k")
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

"""Draws the chart of the README, ``docs/images/first-reveal.svg``, from the measured figures.

``make results`` plays the games and records the figures.
"""

import csv
from pathlib import Path

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "research" / "data" / "first-reveal.csv"
CHART = ROOT / "docs" / "images" / "first-reveal.svg"

GAMES = ("gaiqi", "banqi", "jieqi", "mystery")
# Their colours and their names on the chart.
AGENTS = {
    "greedy": ("#8a8a8a", "greedy"),
    "expectimax:depth=1,net=none": ("#b5382a", "search of one layer"),
}

WIDTH, LEFT, RIGHT, TOP, ROW = 640, 90, 24, 74, 44
LOWEST, HIGHEST = 0.49, 0.54


def place(score: float) -> float:
    """Returns the x of a score."""
    return LEFT + (WIDTH - LEFT - RIGHT) * (score - LOWEST) / (HIGHEST - LOWEST)


def text(x: float, y: float, words: str, style: str = "") -> str:
    """Returns a line of text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{words}</text>'


def drawn() -> str:
    """Returns the chart as SVG."""
    with FIGURES.open(encoding="utf-8", newline="") as lines:
        rows = {(row["game"], row["agent"]): row for row in csv.DictReader(lines)}
    bottom = TOP + ROW * len(GAMES)
    title = "The score of the first reveal when an agent plays itself: 0.5 is fair, bars are 95 %"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 34}" '
        'font-family="sans-serif" font-size="13" fill="#222">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{bottom + 34}" rx="8" fill="#fff"/>',
        text(16, 24, "Score of the first reveal, an agent against itself", 'font-weight="bold"'),
    ]
    for left, (colour, name) in zip((22, 112), AGENTS.values(), strict=True):
        parts.append(f'<circle cx="{left}" cy="44" r="5" fill="{colour}"/>')
        parts.append(text(left + 10, 48, name))
    for tick in range(round(100 * LOWEST), round(100 * HIGHEST) + 1):
        x, fair = place(tick / 100), tick == 50
        line = 'stroke="#222"' if fair else 'stroke="#ddd"'
        parts.append(f'<line x1="{x:.1f}" y1="{TOP - 10}" x2="{x:.1f}" y2="{bottom}" {line}/>')
        words = "0.50 is fair" if fair else f"{tick / 100:.2f}"
        parts.append(text(x, bottom + 20, words, 'text-anchor="middle" fill="#555"'))
    for number, game in enumerate(GAMES):
        middle = TOP + ROW * (number + 0.5)
        parts.append(text(16, middle + 4, game))
        for step, (agent, (colour, _)) in zip((-8, 8), AGENTS.items(), strict=True):
            score, row = "luck-adjusted score", rows[game, agent]
            low, value, high = (
                place(float(row[key])) for key in (f"{score} low", score, f"{score} high")
            )
            y = middle + step
            parts.append(
                f'<line x1="{low:.1f}" y1="{y}" x2="{high:.1f}" y2="{y}" '
                f'stroke="{colour}" stroke-width="3"/>'
            )
            parts.append(f'<circle cx="{value:.1f}" cy="{y}" r="5" fill="{colour}"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    CHART.write_text(drawn(), encoding="utf-8")

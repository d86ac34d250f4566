"""Draws the games of docs/games/README.md and of the README: `scripts/screenshots.sh`."""

import tempfile
from pathlib import Path

import darkqi
from darkqi._darkqi import command_line

IMAGES = Path(__file__).parents[2] / "docs" / "images"
WIDTH = 330

# The players of each game, who log a few games, and the lengths of games that are worth a look.
GAMES = {
    "banqi": ("expectimax:depth=2", range(50, 130)),
    "flipping": ("expectimax:depth=2,epsilon=0.1", range(30, 90)),
    "gaiqi": ("expectimax:depth=2", range(20, 70)),
    "jieqi": ("expectimax:depth=1", range(40, 90)),
    "mystery": ("expectimax:depth=1", range(40, 90)),
    "seven_kingdoms": ("greedy", range(30, 60)),
}


def main() -> None:
    """Draws the first decided game of each kind that is neither short nor long."""
    with tempfile.TemporaryDirectory() as folder:
        for game, (agent, lengths) in GAMES.items():
            data = Path(folder) / game
            darkqi.selfplay(game, data, 12, agents=agent, seed=3)
            replays = (darkqi.replay(data, game_id) for game_id in range(12))
            shown = next(one for one in replays if one.winner >= 0 and len(one.plies) in lengths)
            path = IMAGES / f"{game}.gif"
            options = ["--gif", str(path), "--width", str(WIDTH), "--viewer", "public"]
            code = command_line(["darkqi", "replay", str(data), str(shown.game_id), *options])
            assert code == 0, game
            print(f"{path.name}: game {shown.game_id}, {len(shown.plies)} plies")


if __name__ == "__main__":
    main()

"""flipping, and jieqi with everything face up, against Fairy-Stockfish's variants of xiangqi.

Compared at every ply: the legal moves, whether the game is over by checkmate, stalemate, bare kings
or repetition, and who has lost it; at the end of a game, the board. For a repetition
Fairy-Stockfish judges all plies since the first occurrence, darkqi only those since the last one,
so Fairy-Stockfish gets only those plies and judges at the second occurrence.

Not compared: covered pieces, chases (a different rule) and ply limits, which Fairy-Stockfish lacks.
"""

import itertools
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pyffish
import pytest

import darkqi

VARIANTS = (Path(__file__).parents[1] / "fairy_stockfish/variants.ini").read_text()

VARIANT_OF = {"flipping": "flipping", "jieqi": "revealed-jieqi"}

# Flipped forms are promoted pieces in Fairy-Stockfish.
FORMS = {"H": "+S", "C": "+F", "R": "+E", "h": "+s", "c": "+f", "r": "+e"}

# Maximum plies of a game.
PLIES = 120

# Plies compared in each test: a position takes a millisecond in Fairy-Stockfish.
PLIES_COMPARED = 1000


@pytest.fixture(scope="module", autouse=True)
def _variants() -> None:
    pyffish.load_variant_config(VARIANTS)


def their_fen(game: str, fen: str) -> str:
    board, mover = fen.split()[:2]
    if game == "flipping":
        board = "".join(FORMS.get(letter, letter) for letter in board)
    return f"{board} {mover} - - 0 1"


def our_fen(game: str, board: str, mover: str) -> str:
    return f"{board} {mover} 0 0" if game == "flipping" else f"{board} {mover} - 0 0"


def position(fen: str) -> str:
    """Returns board and mover of either FEN, the key of a repetition."""
    return " ".join(fen.split()[:2])


# How the words for a position in check end.
CHECKS = ("in check", "checkmate", "perpetual check")


class Duel:
    """One game, played in both programs; Fairy-Stockfish needs all moves from the start."""

    def __init__(self, game: str, fen: str) -> None:
        """Starts from a FEN of darkqi.

        Raises:
            darkqi.FenError: If it is not valid.
        """
        self.game = game
        self.variant = VARIANT_OF[game]
        self.ours = darkqi.State.from_fen(game, fen, quiet_limit=0)
        self.fens = [their_fen(game, fen)]
        self.moves: list[str] = []
        # Plies at which each position occurred.
        self.times = {position(fen): [0]}

    def their_moves(self) -> dict[str, str]:
        moves = pyffish.legal_moves(self.variant, self.fens[0], self.moves)
        return {move.rstrip("+-"): move for move in moves}

    def play(self, move: str) -> None:
        """Plays one of Fairy-Stockfish's moves in both."""
        self.ours.apply(move.rstrip("+-"))
        self.moves.append(move)
        fen = self.ours.fen()
        self.fens.append(their_fen(self.game, fen))
        self.times.setdefault(position(fen), []).append(len(self.moves))

    def their_outcome(self, moves: dict[str, str]) -> tuple[str, list[float]] | None:
        """Returns darkqi's reason and rewards if Fairy-Stockfish's game is over, else None."""
        start, mover = self.fens[0], self.ours.current_player
        lost = [[-1.0, 1.0], [1.0, -1.0]]
        if not moves:
            assert pyffish.game_result(self.variant, start, self.moves) == -pyffish.VALUE_MATE
            check = pyffish.gives_check(self.variant, start, self.moves)
            return "checkmate" if check else "stalemate", lost[mover]
        times = self.times[position(self.ours.fen())]
        if len(times) >= 3:
            before = times[-2]
            over, value = pyffish.is_optional_game_end(
                self.variant, self.fens[before], self.moves[before:]
            )
            assert over
            if value != pyffish.VALUE_DRAW:
                return "perpetual_check", lost[mover if value < 0 else 1 - mover]
            # In flipping a repetition is a draw only if every ply gave check.
            checks = (pyffish.gives_check(self.variant, fen, []) for fen in self.fens[before:-1])
            if self.game == "jieqi" or all(checks):
                return "repetition", [0.0, 0.0]
        # Checked only with few pieces, to save time.
        pieces = sum(map(str.isalpha, self.fens[-1].split()[0]))
        if (
            self.game == "flipping"
            and pieces <= 3
            and all(pyffish.has_insufficient_material(self.variant, start, self.moves))
        ):
            return "bare_kings", [0.0, 0.0]
        return None

    def compare(self) -> dict[str, str] | str:
        """Compares a position; returns the legal moves, or the ending reason."""
        fen = self.ours.fen()
        moves = self.their_moves()
        expected = self.their_outcome(moves)
        outcome = self.ours.outcome
        assert expected == (outcome and (outcome.reason, outcome.rewards)), fen
        if outcome is None:
            assert self.ours.legal_moves() == sorted(moves), fen
            return moves
        theirs = pyffish.get_fen(self.variant, self.fens[0], self.moves)
        assert position(theirs) == position(self.fens[-1]), fen
        return outcome.reason

    def pick(self, names: Iterable[str], rng: random.Random, *, stubborn: bool) -> str:
        """Samples a legal move.

        Captures are more probable, so that games are decided. If stubborn, checks and returns to an
        earlier position are more probable instead.
        """
        names = list(names)
        if not stubborn:
            captures = [
                n for n in names if self.ours.reveals(self.ours.action_index(n))[0].captured
            ]
            return rng.choice(captures if captures and rng.random() < 0.4 else names)
        states = {name: self.ours.clone() for name in names}
        for name, state in states.items():
            state.apply(name)
        checks = [name for name in names if states[name].standing.endswith(CHECKS)]
        back = [name for name in names if position(states[name].fen()) in self.times]
        if checks and rng.random() < 0.8:
            return rng.choice([name for name in checks if name in back] or checks)
        return rng.choice(back if back and rng.random() < 0.8 else names)


def sparse_fen(game: str, rng: random.Random) -> str:
    """Returns a FEN with few pieces anywhere, and the generals in their palaces."""
    files, ranks = (7, 7) if game == "flipping" else (9, 10)
    pairs = ("SH SH SH FC FC ER ER" if game == "flipping" else "A A E E H H R R C C P P P").split()
    palace_files = range((files - 3) // 2, (files + 3) // 2)
    cells = {
        (rng.choice(palace_files), rng.randrange(3)): "K",
        (rng.choice(palace_files), ranks - 1 - rng.randrange(3)): "k",
    }
    free = [(f, r) for f in range(files) for r in range(ranks) if (f, r) not in cells]
    rng.shuffle(free)
    for side in (str.upper, str.lower):
        for pair in rng.sample(pairs, rng.randrange(5)):
            cells[free.pop()] = side(rng.choice(pair))
    rows = ["".join(cells.get((f, r), "1") for f in range(files)) for r in reversed(range(ranks))]
    board = "/".join(re.sub("1+", lambda run: str(len(run[0])), row) for row in rows)
    return our_fen(game, board, rng.choice("wb"))


def crowded_fen(game: str, rng: random.Random) -> str:
    """Returns the start of flipping, or a deal of jieqi with all pieces revealed."""
    return darkqi.State(game, seed=rng.randrange(2**32)).fen().replace("~", "")


def compare_games(
    game: str,
    start: Callable[[str, random.Random], str],
    *,
    stubborn: bool,
    plies: int = PLIES_COMPARED,
) -> Counter[str]:
    """Compares games up to a total number of plies; returns the counts of endings."""
    tally: Counter[str] = Counter()
    for seed in itertools.count():
        rng = random.Random(seed)
        try:
            duel = Duel(game, start(game, rng))
        except darkqi.FenError:
            # The side not to move is in check.
            continue
        for _ in range(PLIES):
            tally["plies"] += 1
            moves = duel.compare()
            if isinstance(moves, str):
                tally[moves] += 1
                break
            duel.play(moves[duel.pick(moves, rng, stubborn=stubborn)])
        if tally["plies"] >= plies:
            break
    return tally


@pytest.mark.parametrize(("game", "depth"), [("flipping", 4), ("jieqi", 2)])
def test_leaves_agree_with_fairy_stockfish(game: str, depth: int) -> None:
    start = pyffish.start_fen(VARIANT_OF[game])

    def leaves(moves: list[str], depth: int) -> int:
        legal = pyffish.legal_moves(VARIANT_OF[game], start, moves)
        if depth == 1:
            return len(legal)
        return sum(leaves([*moves, move], depth - 1) for move in legal)

    ours = darkqi.State.from_fen(game, our_fen(game, start.split()[0], "w"))
    for d in range(1, depth + 1):
        assert ours.perft(d) == leaves([], d)


@pytest.mark.parametrize("game", ["flipping", "jieqi"])
def test_games_agree_with_fairy_stockfish(game: str) -> None:
    tally = compare_games(game, crowded_fen, stubborn=False)
    assert tally["checkmate"] > 0, tally


@pytest.mark.parametrize(("game", "draw"), [("flipping", "bare_kings"), ("jieqi", "repetition")])
def test_endgames_agree_with_fairy_stockfish(game: str, draw: str) -> None:
    tally = compare_games(game, sparse_fen, stubborn=True)
    for reason in ("checkmate", "stalemate", "perpetual_check", draw):
        assert tally[reason] > 0, tally


@pytest.mark.parametrize(
    ("game", "boards"),
    [
        ("flipping", ["3k3/7/7/3H3/7/7/3K3", "3k3/7/7/3H3/7/7/4K2"]),
        ("jieqi", ["4k4/9/9/9/4H4/9/9/9/9/4K4", "4k4/9/9/9/4H4/9/9/9/9/3K5"]),
    ],
)
def test_generals_may_not_face_each_other_in_either_program(game: str, boards: list[str]) -> None:
    # The horse on the middle file may move when the generals are not both on it.
    squares = {"flipping": "d4", "jieqi": "e6"}
    for board, free in zip(boards, [False, True], strict=True):
        moves = Duel(game, our_fen(game, board, "w")).compare()
        assert any(move.startswith(squares[game]) for move in moves) == free

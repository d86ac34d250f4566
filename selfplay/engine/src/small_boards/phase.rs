//! Phases: positions with the same covered squares and the same pieces face up. Quiet plies lead from
//! one to another of them; a flip or a capture leads to another phase, and never back.

use arrayvec::ArrayVec;
use darkqi_env::Piece;

use super::board::{Board, MAX_SQUARES, squares};
use super::rules::{Rules, is_general};

/// Pieces, by [`Piece::index`].
pub(super) type Pieces = ArrayVec<u8, MAX_SQUARES>;

/// The pieces that a phase's positions have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Phase {
    /// The covered squares.
    pub(super) covered: u32,
    /// The identities of the covered pieces, ascending.
    pub(super) hidden: Pieces,
    /// The pieces that are face up, ascending. Equal ones are told apart.
    pub(super) shown: Pieces,
}

/// Where a position of one phase is in the phase that stands for it and its reflections.
#[derive(Clone, Debug)]
pub(super) struct Transform {
    /// Which reflection of the board.
    reflection: usize,
    /// Whether the colours are exchanged.
    pub(super) swaps: bool,
    /// By place among the pieces face up: which one it was before.
    order: Pieces,
}

/// Number of kinds: the numbers of black pieces are those of red ones and this number more.
const KINDS: u8 = Piece::COUNT as u8 / 2;

/// The colour of a piece: 0 for red, 1 for black.
pub(super) fn side(piece: u8) -> usize {
    usize::from(piece / KINDS)
}

/// The kind of a piece.
pub(super) fn kind(piece: u8) -> u8 {
    piece % KINDS
}

/// The piece of the other colour.
fn swapped(piece: u8) -> u8 {
    (piece + KINDS) % Piece::COUNT as u8
}

impl Phase {
    /// The phase that stands for this one, its reflections, and those with the colours exchanged.
    pub(super) fn canonical(&self, board: &Board) -> (Self, Transform) {
        let mut least: Option<(Self, Transform)> = None;
        for (reflection, to) in board.reflections().iter().enumerate() {
            let covered =
                squares(self.covered).fold(0, |set, square| set | 1 << to[usize::from(square)]);
            if least.as_ref().is_some_and(|(least, _)| least.covered < covered) {
                continue;
            }
            for swaps in [false, true] {
                let colour = |&piece: &u8| if swaps { swapped(piece) } else { piece };
                let mut hidden: Pieces = self.hidden.iter().map(colour).collect();
                hidden.sort_unstable();
                let mut order: Pieces = (0..self.shown.len() as u8).collect();
                order.sort_by_key(|&piece| colour(&self.shown[usize::from(piece)]));
                let shown = order.iter().map(|&piece| colour(&self.shown[usize::from(piece)]));
                let phase = Self { covered, hidden, shown: shown.collect() };
                if least.as_ref().is_none_or(|(least, _)| phase < *least) {
                    least = Some((phase, Transform { reflection, swaps, order }));
                }
            }
        }
        least.expect("leaving the board as it is is among the reflections")
    }

    /// The phase after a flip that turns over this piece.
    pub(super) fn after_flip(&self, square: u8, piece: u8) -> Self {
        let mut after = self.clone();
        after.covered &= !(1 << square);
        let place = after.hidden.iter().position(|&hidden| hidden == piece);
        after.hidden.remove(place.expect("such a piece is covered"));
        // Last, so that the others keep their numbers; `canonical` sorts them.
        after.shown.push(piece);
        after
    }

    /// The phase after the capture of the covered piece on a square, this one.
    pub(super) fn after_blind_capture(&self, square: u8, piece: u8) -> Self {
        let mut after = self.after_flip(square, piece);
        after.shown.pop();
        after
    }

    /// The phase after the capture of the piece face up with this number.
    pub(super) fn after_capture(&self, prey: usize) -> Self {
        let mut after = self.clone();
        after.shown.remove(prey);
        after
    }

    /// Whether a colour has a piece that it loses without: the general in gaiqi, any in banqi.
    pub(super) fn is_alive(&self, rules: &Rules, colour: usize) -> bool {
        let counts = |&piece: &u8| !rules.is_gaiqi() || is_general(piece);
        let mut all = self.shown.iter().chain(&self.hidden);
        all.any(|piece| side(*piece) == colour && counts(piece))
    }

    /// The number of a colour's general, if it is face up.
    pub(super) fn general(&self, colour: usize) -> Option<usize> {
        self.shown.iter().position(|&piece| side(piece) == colour && is_general(piece))
    }

    /// The numbers of a colour's pieces that are face up.
    pub(super) fn pieces(&self, colour: usize) -> impl Iterator<Item = usize> {
        (0..self.shown.len()).filter(move |&piece| side(self.shown[piece]) == colour)
    }

    /// The kinds of covered pieces, each with its probability on any covered square.
    pub(super) fn odds(&self) -> impl Iterator<Item = (u8, f64)> {
        self.hidden
            .chunk_by(u8::eq)
            .map(|equal| (equal[0], equal.len() as f64 / self.hidden.len() as f64))
    }

    /// The occupied squares, with the pieces face up on these.
    pub(super) fn occupied(&self, places: &[u8]) -> u32 {
        places.iter().fold(self.covered, |set, square| set | 1 << square)
    }

    /// How many flips and captures it is from the end, at most.
    pub(super) fn distance(&self) -> usize {
        2 * self.hidden.len() + self.shown.len()
    }

    /// The squares without a covered piece.
    fn free(&self, board: &Board) -> usize {
        board.moves.size.squares() - self.covered.count_ones() as usize
    }

    /// Number of ways to place the pieces that are face up; the greatest number for more than that.
    pub(super) fn arrangements(&self, board: &Board) -> usize {
        let free = self.free(board);
        (0..self.shown.len()).fold(1, |ways: usize, placed| ways.saturating_mul(free - placed))
    }

    /// The number of an arrangement by the squares of the pieces face up: each digit says which of the
    /// squares that are left a piece has (a Lehmer code).
    pub(super) fn index(&self, board: &Board, squares: &[u8]) -> usize {
        let mut taken = self.covered;
        let mut index = 0;
        let mut left = self.free(board);
        for &square in squares {
            let below = u32::from(square) - (taken & ((1 << square) - 1)).count_ones();
            index = index * left + below as usize;
            left -= 1;
            taken |= 1 << square;
        }
        index
    }

    /// The squares of the pieces face up in the arrangement of this number.
    pub(super) fn squares(&self, board: &Board, mut index: usize) -> Pieces {
        let free = self.free(board);
        let mut digits: Pieces = (0..self.shown.len())
            .rev()
            .map(|piece| {
                let left = free - piece;
                let digit = index % left;
                index /= left;
                digit as u8
            })
            .collect();
        digits.reverse();
        let mut taken = self.covered;
        for digit in &mut digits {
            let left = squares(!taken).nth(usize::from(*digit));
            *digit = left.expect("the digit is less than the number of squares left");
            taken |= 1 << *digit;
        }
        digits
    }
}

impl Transform {
    /// The squares of the pieces face up, in the phase that stands for theirs.
    pub(super) fn squares(&self, board: &Board, squares: &[u8]) -> Pieces {
        let to = &board.reflections()[self.reflection];
        let moved = |&piece: &u8| to[usize::from(squares[usize::from(piece)])];
        self.order.iter().map(moved).collect()
    }

    /// The number there of a piece that is face up.
    pub(super) fn piece(&self, piece: u8) -> u8 {
        let place = self.order.iter().position(|&before| before == piece);
        place.expect("each has one") as u8
    }
}

#[cfg(test)]
mod tests {
    use darkqi_env::board::BoardSize;

    use super::{Board, Phase, Pieces};

    #[test]
    fn arrangements_are_numbered_without_gaps() {
        let board = Board::new(BoardSize { files: 4, ranks: 2 });
        let pieces = |list: &[u8]| list.iter().copied().collect::<Pieces>();
        let phase =
            Phase { covered: 0b0010_0100, hidden: pieces(&[0, 9]), shown: pieces(&[1, 1, 8]) };
        let arrangements = phase.arrangements(&board);
        assert_eq!(arrangements, 6 * 5 * 4);
        for index in 0..arrangements {
            let squares = phase.squares(&board, index);
            let set = squares.iter().fold(phase.covered, |set, square| set | 1 << square);
            assert_eq!(set.count_ones(), 5, "{squares:?}");
            assert_eq!(phase.index(&board, &squares), index);
        }
    }

    #[test]
    fn reflections_and_exchanged_colours_have_one_phase() {
        let board = Board::new(BoardSize { files: 4, ranks: 2 });
        let pieces = |list: &[u8]| list.iter().copied().collect::<Pieces>();
        let phase = Phase { covered: 1 << 1, hidden: pieces(&[3]), shown: pieces(&[0, 13]) };
        let (canonical, _) = phase.canonical(&board);
        // The near left corner's neighbour, seen from the far right; red's pieces are black's.
        let other = Phase { covered: 1 << 6, hidden: pieces(&[10]), shown: pieces(&[6, 7]) };
        let (same, transform) = other.canonical(&board);
        assert_eq!(canonical, same);
        assert_eq!(canonical.canonical(&board).0, canonical);
        let squares = transform.squares(&board, &[0, 7]);
        assert_eq!(squares.len(), 2);
    }
}

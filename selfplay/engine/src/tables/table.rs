//! The values of all positions of a pattern.

use darkqi_env::game::ENDGAME_PIECES;

use super::pattern::Pattern;

/// Bits of a square. The squares of the board, 8 files by 4 ranks, are numbered `rank * 8 + file`: the
/// file is in the lowest three bits.
const SQUARE: usize = 5;
/// Number of squares.
const SQUARES: usize = 1 << SQUARE;

/// The fewest pieces of a table: each side has one.
pub(super) const FEWEST: usize = 2;

/// The masks that reflect a square by an exclusive or: left and right, near and far.
const LEFT_RIGHT: u8 = 0b00_111;
const NEAR_FAR: u8 = 0b11_000;

/// A stored value: the number of plies to the end under best play. The side to move at the end has
/// lost, so even numbers are losses of the mover and odd ones wins.
pub(super) type Plies = u8;

/// The stored value of a draw.
pub(super) const DRAWN: Plies = Plies::MAX;

/// The squares of the pieces by their places in the pattern, and the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Position {
    /// The side to move, 0 or 1.
    pub(super) mover: usize,
    /// 0 for pieces that the pattern lacks.
    pub(super) squares: [u8; ENDGAME_PIECES],
}

/// The values of a pattern's positions by index. Reflections of a position share an index: the first
/// piece is in the lower left quarter of the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Table {
    pub(super) pattern: Pattern,
    pub(super) plies: Vec<Plies>,
}

impl Table {
    /// The size of a table of this many pieces, in bytes. Some indices have no position: there two
    /// pieces would share a square.
    pub(super) const fn size(pieces: usize) -> usize {
        // A mover, a square of a quarter of the board, any square for the others.
        1 << (1 + SQUARE - 2 + SQUARE * (pieces - 1))
    }

    /// The index of a position with this many pieces.
    #[inline]
    pub(super) fn index(position: &Position, pieces: usize) -> usize {
        let [first, ref others @ ..] = position.squares;
        let is_right = first & 0b00_100 != 0;
        let is_far = first & 0b10_000 != 0;
        let reflection = if is_right { LEFT_RIGHT } else { 0 } | if is_far { NEAR_FAR } else { 0 };
        let first = usize::from(first ^ reflection);
        let quarter = position.mover << 3 | first >> 1 & 0b100 | first & 0b11;
        let place = |index, &square| index << SQUARE | usize::from(square ^ reflection);
        others[..pieces - 1].iter().fold(quarter, place)
    }

    /// The position of an index, unless two pieces would share a square.
    pub(super) fn position(index: usize, pieces: usize) -> Option<Position> {
        let mut squares = [0; ENDGAME_PIECES];
        for (place, square) in squares.iter_mut().enumerate().take(pieces).skip(1) {
            *square = (index >> (SQUARE * (pieces - 1 - place))) as u8 % SQUARES as u8;
        }
        let quarter = index >> (SQUARE * (pieces - 1));
        squares[0] = ((quarter & 0b100) << 1 | quarter & 0b11) as u8;
        let apart = (1..pieces).all(|piece| !squares[..piece].contains(&squares[piece]));
        apart.then_some(Position { mover: quarter >> 3, squares })
    }

    /// The value of a position.
    #[inline]
    pub(super) fn get(&self, position: &Position) -> Plies {
        self.plies[Self::index(position, self.pattern.count())]
    }
}

/// How many positions are won, drawn and lost by their mover. Pieces of a kind are distinguished,
/// reflections are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Census {
    pub(super) won: u64,
    pub(super) drawn: u64,
    pub(super) lost: u64,
    /// The plies of the longest win.
    pub(super) longest: Plies,
}

impl Census {
    /// The counts of a table.
    pub(super) fn of(table: &Table) -> Self {
        /// No reflection leaves a position as it is.
        const REFLECTIONS: u64 = 4;
        let mut census = Self::default();
        for (index, &plies) in table.plies.iter().enumerate() {
            if Table::position(index, table.pattern.count()).is_none() {
                continue;
            }
            match plies {
                DRAWN => census.drawn += REFLECTIONS,
                lost if lost % 2 == 0 => census.lost += REFLECTIONS,
                won => {
                    census.won += REFLECTIONS;
                    census.longest = census.longest.max(won);
                }
            }
        }
        census
    }
}

#[cfg(test)]
mod tests {
    use super::{Position, SQUARES, Table};

    #[test]
    fn reflections_of_a_position_have_one_index() {
        for pieces in 2..=3 {
            let mut positions = 0;
            for index in 0..Table::size(pieces) {
                let Some(position) = Table::position(index, pieces) else { continue };
                positions += 1;
                for reflection in [0, 0b00_111, 0b11_000, 0b11_111] {
                    let mut squares = position.squares;
                    squares[..pieces].iter_mut().for_each(|square| *square ^= reflection);
                    let reflected = Position { squares, ..position };
                    assert_eq!(Table::index(&reflected, pieces), index);
                }
            }
            let all: usize = (0..pieces).map(|placed| SQUARES - placed).product();
            assert_eq!(4 * positions, 2 * all);
        }
    }
}

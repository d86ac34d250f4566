//! Retrograde analysis (Thompson, "Retrograde Analysis of Certain Endgames", ICCA Journal 9, 1986):
//! from the positions that are over, or decided by a capture, back to those before them.

use darkqi_env::{Square, board::Bitboard, families::half_board::MOVES, game::ENDGAME_PIECES};

use super::pattern::{Arrangement, Pattern};
use super::table::{DRAWN, Plies, Position, Table};

/// The table that a capture leads to.
struct Smaller<'a> {
    table: &'a Table,
    /// Where the pieces that are left are in its pattern.
    arrangement: Arrangement,
}

/// The rules of one pattern.
pub(super) struct Retrograde<'a> {
    pattern: Pattern,
    /// By the captured piece; `None` for the only piece of a side, whose capture ends the game.
    smaller: Vec<Option<Smaller<'a>>>,
}

impl<'a> Retrograde<'a> {
    /// The analysis of a pattern. `table` has the tables of the patterns without one of its pieces.
    pub(super) fn new(pattern: Pattern, table: impl Fn(Pattern) -> &'a Table) -> Self {
        let smaller = (0..pattern.count()).map(|prey| {
            let (left, arrangement) = pattern.without(prey)?;
            Some(Smaller { table: table(left), arrangement })
        });
        Self { pattern, smaller: smaller.collect() }
    }

    /// The table of the pattern.
    pub(super) fn solve(&self) -> Table {
        let pieces = self.pattern.count();
        let mut plies = vec![DRAWN; Table::size(pieces)];
        // By index: the number of actions that do not lose, as far as is known, and the plies of the
        // longest loss by a capture.
        let mut open = vec![0_u8; plies.len()];
        let mut longest = vec![0; plies.len()];
        // By plies: the positions that are decided in as many, unless in fewer.
        let mut due: Vec<Vec<u32>> = vec![Vec::new(); DRAWN.into()];
        for index in 0..plies.len() {
            let Some(position) = Table::position(index, pieces) else { continue };
            self.each_action(&position, |after, prey| {
                match prey.map(|prey| self.after_capture(&after, prey)) {
                    None | Some(DRAWN) => open[index] += 1,
                    Some(lost) if lost % 2 == 0 => {
                        open[index] += 1;
                        due[usize::from(lost) + 1].push(index as u32);
                    }
                    Some(won) => longest[index] = longest[index].max(won + 1),
                }
            });
            if open[index] == 0 {
                due[usize::from(longest[index])].push(index as u32);
            }
        }
        for distance in 0..DRAWN {
            for index in std::mem::take(&mut due[usize::from(distance)]) {
                let index = index as usize;
                if plies[index] != DRAWN {
                    continue;
                }
                plies[index] = distance;
                let position = Table::position(index, pieces).expect("only positions are due");
                self.each_before(&position, |before| {
                    let before = Table::index(&before, pieces);
                    if plies[before] != DRAWN {
                        return;
                    }
                    if distance % 2 == 0 {
                        due[usize::from(distance) + 1].push(before as u32);
                        return;
                    }
                    open[before] -= 1;
                    if open[before] == 0 {
                        due[usize::from(longest[before].max(distance + 1))].push(before as u32);
                    }
                });
            }
        }
        Table { pattern: self.pattern, plies }
    }

    /// Visits the position after each action of the mover, with the captured piece, which is still in
    /// the position.
    fn each_action(&self, position: &Position, mut visit: impl FnMut(Position, Option<usize>)) {
        let after = |piece: usize, to: Square| {
            let mut squares = position.squares;
            squares[piece] = to.index() as u8;
            Position { mover: 1 - position.mover, squares }
        };
        let occupied = self.occupied(position);
        for piece in self.pieces_of(position.mover) {
            let from = Square::new(position.squares[piece].into());
            let steps = MOVES.orthogonal(from);
            (steps & !occupied).ascending().for_each(|to| visit(after(piece, to), None));
            for (targets, way) in [(steps & occupied, 0), (MOVES.hop(from, occupied), 1)] {
                for to in targets.ascending() {
                    let prey = self.piece_on(position, to);
                    if self.pattern.captures(piece, prey)[way] {
                        visit(after(piece, to), Some(prey));
                    }
                }
            }
        }
    }

    /// Visits the positions from which a ply without a capture leads to this one: a step can be taken
    /// back.
    fn each_before(&self, position: &Position, mut visit: impl FnMut(Position)) {
        let (mover, occupied) = (1 - position.mover, self.occupied(position));
        for piece in self.pieces_of(mover) {
            let to = Square::new(position.squares[piece].into());
            for from in (MOVES.orthogonal(to) & !occupied).ascending() {
                let mut squares = position.squares;
                squares[piece] = from.index() as u8;
                visit(Position { mover, squares });
            }
        }
    }

    fn pieces_of(&self, side: usize) -> impl Iterator<Item = usize> {
        (0..self.pattern.count()).filter(move |&piece| self.pattern.side(piece) == side)
    }

    fn occupied(&self, position: &Position) -> u32 {
        let squares = position.squares[..self.pattern.count()].iter();
        squares.fold(0, |occupied, square| occupied | 1 << square)
    }

    /// The piece on an occupied square.
    fn piece_on(&self, position: &Position, square: Square) -> usize {
        let is_there = |&place: &u8| usize::from(place) == square.index();
        position.squares.iter().position(is_there).expect("the square is occupied")
    }

    /// The value for the side to move after a capture. `after` still has the captured piece.
    fn after_capture(&self, after: &Position, prey: usize) -> Plies {
        // A side without pieces has lost.
        let Some(Smaller { table, arrangement }) = &self.smaller[prey] else { return 0 };
        let mut squares = [0; ENDGAME_PIECES];
        let left = squares.iter_mut().zip(arrangement.pieces).take(table.pattern.count());
        left.for_each(|(to, piece)| *to = after.squares[piece + usize::from(piece >= prey)]);
        table.get(&Position { mover: after.mover ^ usize::from(arrangement.swapped), squares })
    }
}

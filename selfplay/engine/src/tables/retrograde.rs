//! Retrograde analysis (Thompson, "Retrograde Analysis of Certain Endgames", ICCA Journal 9, 1986):
//! from the positions that are over, or decided by a capture, back to those before them.

use darkqi_env::game::ENDGAME_PIECES;

use super::pattern::{Arrangement, Pattern};
use super::table::{DRAWN, FILES, Plies, Position, SQUARES, Table};

/// The table that a capture leads to.
struct Smaller<'a> {
    table: &'a Table,
    /// Where the pieces that are left are in its pattern.
    arrangement: Arrangement,
}

/// The neighbours of each square.
static NEIGHBOURS: [[Option<u8>; 4]; SQUARES] = {
    let mut neighbours = [[None; 4]; SQUARES];
    let mut square = 0;
    while square < SQUARES {
        let file = square % FILES;
        if file > 0 {
            neighbours[square][0] = Some(square as u8 - 1);
        }
        if file + 1 < FILES {
            neighbours[square][1] = Some(square as u8 + 1);
        }
        if square >= FILES {
            neighbours[square][2] = Some((square - FILES) as u8);
        }
        if square + FILES < SQUARES {
            neighbours[square][3] = Some((square + FILES) as u8);
        }
        square += 1;
    }
    neighbours
};

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
        let after = |piece: usize, to: u8| {
            let mut squares = position.squares;
            squares[piece] = to;
            Position { mover: 1 - position.mover, squares }
        };
        for piece in self.pieces_of(position.mover) {
            let from = usize::from(position.squares[piece]);
            for (direction, to) in NEIGHBOURS[from].into_iter().enumerate() {
                let Some(to) = to else { continue };
                match self.piece_on(position, to) {
                    None => visit(after(piece, to), None),
                    Some(prey) if self.pattern.captures(piece, prey)[0] => {
                        visit(after(piece, to), Some(prey));
                    }
                    Some(_) => {}
                }
                if let Some((to, prey)) = self.behind_screen(position, from, direction)
                    && self.pattern.captures(piece, prey)[1]
                {
                    visit(after(piece, to), Some(prey));
                }
            }
        }
    }

    /// Visits the positions from which a ply without a capture leads to this one: a step can be taken
    /// back.
    fn each_before(&self, position: &Position, mut visit: impl FnMut(Position)) {
        let mover = 1 - position.mover;
        for piece in self.pieces_of(mover) {
            for from in NEIGHBOURS[usize::from(position.squares[piece])].into_iter().flatten() {
                if self.piece_on(position, from).is_none() {
                    let mut squares = position.squares;
                    squares[piece] = from;
                    visit(Position { mover, squares });
                }
            }
        }
    }

    fn pieces_of(&self, side: usize) -> impl Iterator<Item = usize> {
        (0..self.pattern.count()).filter(move |&piece| self.pattern.side(piece) == side)
    }

    /// The piece on a square.
    fn piece_on(&self, position: &Position, square: u8) -> Option<usize> {
        position.squares[..self.pattern.count()].iter().position(|&place| place == square)
    }

    /// The second piece in a direction and its square.
    fn behind_screen(
        &self,
        position: &Position,
        from: usize,
        direction: usize,
    ) -> Option<(u8, usize)> {
        let next = |square: &u8| NEIGHBOURS[usize::from(*square)][direction];
        std::iter::successors(NEIGHBOURS[from][direction], next)
            .filter_map(|square| Some((square, self.piece_on(position, square)?)))
            .nth(1)
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

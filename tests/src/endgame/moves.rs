//! How the pieces move and capture.

use super::pieces::{FILES, MOST, Material, Position, RANKS, Rules, SQUARES, name};

/// The neighbour of each square in each of the four directions.
const NEXT: [[Option<u8>; SQUARES]; 4] = {
    let mut next = [[None; SQUARES]; 4];
    let mut square = 0;
    while square < SQUARES {
        let (file, rank) = (square % FILES, square / FILES);
        if file > 0 {
            next[0][square] = Some(square as u8 - 1);
        }
        if file + 1 < FILES {
            next[1][square] = Some(square as u8 + 1);
        }
        if rank > 0 {
            next[2][square] = Some((square - FILES) as u8);
        }
        if rank + 1 < RANKS {
            next[3][square] = Some((square + FILES) as u8);
        }
        square += 1;
    }
    next
};

/// A move of one piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The number of the piece.
    pub piece: usize,
    /// The target square.
    pub to: u8,
    /// The number of the captured piece, if any.
    pub prey: Option<usize>,
}

impl Move {
    /// The move in the engine's notation.
    pub fn name(&self, position: &Position) -> String {
        name(position.squares[self.piece]) + &name(self.to)
    }
}

/// How the pieces of a set move and capture one another.
#[derive(Clone, Debug)]
pub struct Movement {
    count: usize,
    side: [usize; MOST],
    /// By two pieces: whether the first one captures the second one if they are adjacent.
    takes: [[bool; MOST]; MOST],
    /// Whether a piece captures any enemy behind a screen.
    jumps: [bool; MOST],
}

impl Movement {
    /// The movement of a set under these rules.
    pub fn new(material: &Material, rules: &Rules) -> Self {
        let kinds: Vec<char> = material.kinds().collect();
        let mut movement = Self {
            count: kinds.len(),
            side: [0; MOST],
            takes: [[false; MOST]; MOST],
            jumps: [false; MOST],
        };
        for (piece, &kind) in kinds.iter().enumerate() {
            movement.side[piece] = material.side(piece);
            movement.jumps[piece] = kind == 'C' && rules.cannons_jump;
            for (prey, &other) in kinds.iter().enumerate() {
                let enemies = material.side(piece) != material.side(prey);
                movement.takes[piece][prey] =
                    enemies && !movement.jumps[piece] && outranks(kind, other, rules.order);
            }
        }
        movement
    }

    /// Visits the mover's moves.
    pub fn each(&self, position: &Position, mut visit: impl FnMut(Move)) {
        for piece in (0..self.count).filter(|&piece| self.side[piece] == position.mover) {
            for next in &NEXT {
                let Some(to) = next[usize::from(position.squares[piece])] else { continue };
                match self.standing(position, to) {
                    None => visit(Move { piece, to, prey: None }),
                    Some(prey) if self.takes[piece][prey] => {
                        visit(Move { piece, to, prey: Some(prey) });
                    }
                    Some(_) => {}
                }
                if self.jumps[piece] {
                    self.jump(position, piece, next, &mut visit);
                }
            }
        }
    }

    /// Visits the positions from which a ply without a capture leads to this one. Such plies can be
    /// reversed, so a step of a piece of the side not to move leads to each of these positions.
    pub(super) fn each_before(&self, position: &Position, mut visit: impl FnMut(Position)) {
        let mover = 1 - position.mover;
        for piece in (0..self.count).filter(|&piece| self.side[piece] == mover) {
            for next in &NEXT {
                let Some(from) = next[usize::from(position.squares[piece])] else { continue };
                if self.standing(position, from).is_none() {
                    let mut before = Position { mover, ..*position };
                    before.squares[piece] = from;
                    visit(before);
                }
            }
        }
    }

    /// The piece on a square.
    fn standing(&self, position: &Position, square: u8) -> Option<usize> {
        position.squares[..self.count].iter().position(|&place| place == square)
    }

    /// Visits the capture behind the first piece in a direction, if there is one.
    fn jump(
        &self,
        position: &Position,
        piece: usize,
        next: &[Option<u8>; SQUARES],
        visit: &mut impl FnMut(Move),
    ) {
        let mut square = position.squares[piece];
        let mut met = 0;
        while let Some(to) = next[usize::from(square)] {
            square = to;
            let Some(prey) = self.standing(position, to) else { continue };
            met += 1;
            if met == 2 {
                if self.side[prey] != position.mover {
                    visit(Move { piece, to, prey: Some(prey) });
                }
                return;
            }
        }
    }
}

/// Whether a kind captures another by rank: an equal or a lower one, but soldiers capture generals
/// and generals do not capture soldiers.
fn outranks(captor: char, prey: char, order: &str) -> bool {
    match (captor, prey) {
        ('P', 'K') => true,
        ('K', 'P') => false,
        _ => order.find(captor) <= order.find(prey),
    }
}

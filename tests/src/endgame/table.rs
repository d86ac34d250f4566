//! The value of every position of one set of pieces.

use std::sync::Arc;

use super::moves::{Move, Movement};
use super::pieces::{MOST, Material, Position, Rules};

/// How a position ends under best play, for the mover, and in how many plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// The mover wins.
    Won(u8),
    /// Nobody can force a win.
    Drawn,
    /// The mover loses.
    Lost(u8),
}

/// A stored value: the number of plies to the end. The side to move at the end has lost, so even
/// numbers are losses of the mover and odd numbers are wins.
type Plies = u8;

/// The stored value of a draw.
const DRAWN: Plies = Plies::MAX;

/// The table of the set that a capture leads to.
#[derive(Clone, Debug)]
struct Smaller {
    table: Arc<Table>,
    /// Whether the sides are exchanged in it.
    swapped: bool,
}

/// The values of all positions of a set.
#[derive(Clone, Debug)]
pub struct Table {
    material: Material,
    movement: Movement,
    /// By the captured piece; `None` for the only piece of a side.
    smaller: Vec<Option<Smaller>>,
    /// The values by index.
    plies: Vec<Plies>,
}

/// The numbers of wins, draws and losses. Pieces of the same kind are distinguished.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Census {
    /// Positions that the mover wins.
    pub won: usize,
    /// Positions that are drawn.
    pub drawn: usize,
    /// Positions that the mover loses.
    pub lost: usize,
    /// The plies of the longest win.
    pub longest: u8,
}

impl Table {
    /// Solves a set. `table` returns the tables of sets that are one piece smaller.
    pub(super) fn solve(
        material: Material,
        rules: &Rules,
        mut table: impl FnMut(Material) -> Arc<Self>,
    ) -> Self {
        let smaller = (0..material.count())
            .map(|prey| {
                let (side, mut sides) = (material.side(prey), material.sides().clone());
                sides[side].remove(prey - side * sides[0].len());
                let (left, swapped) = Material::new(sides);
                (!left.sides()[1].is_empty()).then(|| Smaller { table: table(left), swapped })
            })
            .collect();
        let movement = Movement::new(&material, rules);
        let plies = vec![DRAWN; material.indices()];
        let mut solved = Self { material, movement, smaller, plies };
        solved.work_backwards();
        solved
    }

    /// Works by distance from the positions that are over, or decided by a capture, to their
    /// predecessors.
    fn work_backwards(&mut self) {
        // By position: the number of actions that are not known to lose, and the longest loss among
        // the captures that lose.
        let mut open = vec![0_u8; self.plies.len()];
        let mut longest = vec![0; self.plies.len()];
        // By distance: the positions decided at that distance, unless at a shorter one.
        let mut due: Vec<Vec<u32>> = vec![Vec::new(); DRAWN.into()];
        for index in 0..self.plies.len() {
            let Some(position) = self.material.position(index) else { continue };
            self.movement.each(&position, |action| {
                let after = action.prey.map(|prey| self.after_capture(&position, action, prey));
                match after {
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
                if self.plies[index] != DRAWN {
                    continue;
                }
                self.plies[index] = distance;
                let position = self.material.position(index).expect("only positions are due");
                self.movement.each_before(&position, |before| {
                    let before = self.material.index(&before);
                    if self.plies[before] != DRAWN {
                        return;
                    }
                    if distance % 2 == 0 {
                        due[usize::from(distance) + 1].push(before as u32);
                        return;
                    }
                    open[before] -= 1;
                    if open[before] == 0 {
                        let last = longest[before].max(distance + 1);
                        due[usize::from(last)].push(before as u32);
                    }
                });
            }
        }
    }

    /// The pieces.
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// The mover's moves.
    pub fn moves(&self, position: &Position) -> Vec<Move> {
        let mut moves = Vec::new();
        self.movement.each(position, |action| moves.push(action));
        moves
    }

    /// The value of a position.
    pub fn value(&self, position: &Position) -> Value {
        value(self.plies[self.material.index(position)])
    }

    /// The value of the position after an action, for the side to move then.
    pub fn value_after(&self, position: &Position, action: Move) -> Value {
        value(self.after(position, action))
    }

    /// The value of a position, computed from the positions after its actions.
    pub fn value_by_actions(&self, position: &Position) -> Value {
        let (mut shortest_win, mut longest_loss, mut draws) = (DRAWN, 0, false);
        self.movement.each(position, |action| match self.after(position, action) {
            DRAWN => draws = true,
            lost if lost % 2 == 0 => shortest_win = shortest_win.min(lost + 1),
            won => longest_loss = longest_loss.max(won + 1),
        });
        match shortest_win {
            DRAWN if draws => Value::Drawn,
            DRAWN => value(longest_loss),
            plies => value(plies),
        }
    }

    /// The set and the position after an action, unless the game is over.
    pub fn next(&self, position: &Position, action: Move) -> Option<(&Self, Position)> {
        match action.prey {
            None => Some((self, step(position, action))),
            Some(prey) => {
                let smaller = self.smaller[prey].as_ref()?;
                Some((&smaller.table, self.without(position, action, prey, smaller.swapped)))
            }
        }
    }

    /// Counts the wins, draws and losses.
    pub fn census(&self) -> Census {
        let mut census = Census::default();
        for index in 0..self.plies.len() {
            if self.material.position(index).is_none() {
                continue;
            }
            match value(self.plies[index]) {
                Value::Drawn => census.drawn += 1,
                Value::Lost(_) => census.lost += 1,
                Value::Won(plies) => {
                    census.won += 1;
                    census.longest = census.longest.max(plies);
                }
            }
        }
        census
    }

    fn after(&self, position: &Position, action: Move) -> Plies {
        match action.prey {
            None => self.plies[self.material.index(&step(position, action))],
            Some(prey) => self.after_capture(position, action, prey),
        }
    }

    fn after_capture(&self, position: &Position, action: Move, prey: usize) -> Plies {
        // A side without pieces has lost.
        let Some(smaller) = &self.smaller[prey] else { return 0 };
        let next = self.without(position, action, prey, smaller.swapped);
        smaller.table.plies[smaller.table.material.index(&next)]
    }

    /// The position after a capture, in the smaller set.
    fn without(&self, position: &Position, action: Move, prey: usize, swapped: bool) -> Position {
        let Position { mover, mut squares } = step(position, action);
        let (count, side) = (self.material.count(), self.material.side(prey));
        squares[prey..count].rotate_left(1);
        squares[count - 1] = 0;
        let mut first = self.material.sides()[0].len();
        first -= usize::from(side == 0);
        if swapped {
            squares[..count - 1].rotate_left(first);
        }
        Position { mover: if swapped { 1 - mover } else { mover }, squares }
    }
}

/// The position after an action, with a captured piece still on the board.
fn step(position: &Position, action: Move) -> Position {
    let mut squares: [u8; MOST] = position.squares;
    squares[action.piece] = action.to;
    Position { mover: 1 - position.mover, squares }
}

fn value(plies: Plies) -> Value {
    match plies {
        DRAWN => Value::Drawn,
        lost if lost % 2 == 0 => Value::Lost(lost),
        won => Value::Won(won),
    }
}

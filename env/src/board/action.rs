//! Actions as small numbers, and the table that gives their meaning.

use std::fmt;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::bitboard::Bitboard;
use super::square::{BoardSize, Perspective, Reflection, Square};
use crate::simd;

/// An action as its index in the game's [`ActionTable`], numbered from the mover's perspective.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Action(pub u16);

impl Action {
    /// The index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of up to 64 actions with neighbouring indices. Generators produce actions in such sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActionBits {
    /// The action that bit 0 stands for.
    pub first: Action,
    /// Bit `i` is set if the action with index `first + i` is in the set. The set may be empty.
    pub bits: u64,
}

impl ActionBits {
    /// The set of this action alone.
    #[inline]
    pub const fn single(action: Action) -> Self {
        Self { first: action, bits: 1 }
    }

    /// The actions of the set, ascending.
    #[inline]
    pub fn actions(self) -> impl Iterator<Item = Action> {
        let offsets = self.bits.ascending();
        offsets.map(move |offset| Action(self.first.0 + offset.index() as u16))
    }
}

/// Tells a generator of actions to continue or to stop.
pub type Flow = ControlFlow<()>;

/// The effect of an action, in absolute squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// Turns over the covered piece on this square.
    Flip(Square),
    /// Moves the piece on `from` to `to` and captures what stands there.
    Step {
        /// The square the piece leaves.
        from: Square,
        /// The square it goes to.
        to: Square,
    },
    /// Passes the turn.
    Pass,
}

impl Move {
    /// The move with every square mapped.
    fn map(self, change: impl Fn(Square) -> Square) -> Self {
        match self {
            Self::Flip(square) => Self::Flip(change(square)),
            Self::Step { from, to } => Self::Step { from: change(from), to: change(to) },
            Self::Pass => Self::Pass,
        }
    }
}

/// The name of [`Move::Pass`].
const PASS: &str = "pass";

/// The steps from one square to the squares of two words: at most 64, one [`ActionBits`].
#[derive(Clone, Copy, Debug)]
struct Steps {
    targets: [u64; 2],
    /// The action of the first step.
    first: u16,
    /// Number of steps to the first word.
    low_count: u8,
    /// Bits of the [`ActionBits`] that no step uses.
    unused_bits: u8,
}

/// Every action of a game, in ascending order: flips by square, steps by (from, to), the pass.
pub struct ActionTable {
    size: BoardSize,
    /// The move of each action, by perspective.
    moves: [Vec<Move>; 2],
    /// By perspective, the steps from each square, one entry per pair of words of the bitboard.
    steps: [Vec<Steps>; 2],
}

/// Without the actions, which are thousands.
impl fmt::Debug for ActionTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = f.debug_struct("ActionTable");
        table.field("size", &self.size).field("len", &self.len()).finish_non_exhaustive()
    }
}

impl ActionTable {
    /// The table of a board. `reach` gives the squares that some piece could step to from a square;
    /// `flips` adds a flip of every square.
    pub fn new<B: Bitboard>(size: BoardSize, flips: bool, reach: impl Fn(Square) -> B) -> Self {
        let flip_moves = size.all().filter(|_| flips).map(Move::Flip);
        let step_moves = size
            .all()
            .flat_map(|from| reach(from).ascending().map(move |to| Move::Step { from, to }));
        let upright: Vec<Move> = flip_moves.chain(step_moves).collect();
        let rotated: Vec<Move> =
            upright.iter().map(|mv| mv.map(|square| size.rotated(square))).collect();
        let steps = [&upright, &rotated].map(|moves| steps_by_square(size, moves));
        Self { size, moves: [upright, rotated], steps }
    }

    /// The table with a pass added.
    pub fn with_pass(mut self) -> Self {
        for moves in &mut self.moves {
            moves.push(Move::Pass);
        }
        self
    }

    /// The board.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Number of actions.
    #[inline]
    pub fn len(&self) -> usize {
        self.moves[0].len()
    }

    /// Whether the game has no action at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The move of an action, which must be in the table.
    #[inline]
    pub fn get_move(&self, action: Action, perspective: Perspective) -> Move {
        self.moves[perspective as usize][action.index()]
    }

    /// Visits the flips of these squares in the upright perspective. The table must have flips, and
    /// the board at most 64 squares.
    #[inline]
    pub fn each_flip(
        &self,
        squares: impl Into<u64>,
        mut visit: impl FnMut(ActionBits) -> Flow,
    ) -> Flow {
        debug_assert!(matches!(self.moves[0].first(), Some(Move::Flip(_))));
        visit(ActionBits { first: Action(0), bits: squares.into() })
    }

    /// The flip of this square. The table must have flips.
    #[inline]
    pub fn flip(&self, square: Square, perspective: Perspective) -> Action {
        debug_assert!(matches!(self.moves[0][square.index()], Move::Flip(_)));
        Action(self.size.seen_from(square, perspective).index() as u16)
    }

    /// Visits the steps from one square to the squares of `targets`; the table must have them all.
    ///
    /// The bits of `targets` that the table has become neighbouring action bits. This gather is the
    /// instruction PEXT (parallel bits extract, Intel BMI2) where the processor has it.
    #[inline]
    pub fn each_step<B: Bitboard>(
        &self,
        from: Square,
        targets: B,
        perspective: Perspective,
        mut visit: impl FnMut(ActionBits) -> Flow,
    ) -> Flow {
        let words = targets.words();
        let pairs = words.as_ref().chunks(2);
        debug_assert_eq!(pairs.len(), pairs_of_words(self.size), "sets as wide as the board");
        let steps = &self.steps[perspective as usize][from.index() * pairs.len()..];
        for (words, steps) in pairs.zip(steps) {
            let legal = match *words {
                [low, high] => simd::pext_pair([low, high], steps.targets, steps.low_count),
                _ => simd::pext(words[0], steps.targets[0]),
            };
            // In the rotated perspective the highest square comes first.
            let bits = match perspective {
                Perspective::Upright => legal,
                Perspective::Rotated => legal.reverse_bits() >> steps.unused_bits,
            };
            visit(ActionBits { first: Action(steps.first), bits })?;
        }
        Flow::Continue(())
    }

    /// The pass. The table must have one.
    #[inline]
    pub fn pass(&self) -> Action {
        debug_assert_eq!(self.moves[0].last(), Some(&Move::Pass));
        Action((self.len() - 1) as u16)
    }

    /// The name of an action: `b3e3` for a step, `c3` for a flip, `pass`.
    pub fn name(&self, action: Action, perspective: Perspective) -> String {
        match self.get_move(action, perspective) {
            Move::Flip(square) => self.size.name(square),
            Move::Step { from, to } => self.size.name(from) + &self.size.name(to),
            Move::Pass => PASS.to_owned(),
        }
    }

    /// The action with this name, if the table has it.
    pub fn parse(&self, name: &str, perspective: Perspective) -> Option<Action> {
        if name == PASS {
            return self.find(Move::Pass, perspective);
        }
        let (from, rest) = self.size.parse_prefix(name)?;
        if rest.is_empty() {
            return self.find(Move::Flip(from), perspective);
        }
        self.find(Move::Step { from, to: self.size.parse(rest)? }, perspective)
    }

    /// The action that does this, if the table has it.
    fn find(&self, mv: Move, perspective: Perspective) -> Option<Action> {
        match mv {
            Move::Pass => (self.moves[0].last() == Some(&mv)).then(|| self.pass()),
            Move::Flip(square) => {
                let flips = matches!(self.moves[0].first(), Some(Move::Flip(_)));
                flips.then(|| self.flip(square, perspective))
            }
            Move::Step { from, to } => {
                let place = from.index() * pairs_of_words(self.size) + to.index() / 128;
                let steps = &self.steps[perspective as usize][place];
                let count: u32 = steps.targets.iter().map(|targets| targets.count_ones()).sum();
                (steps.first..steps.first + count as u16)
                    .map(Action)
                    .find(|&action| self.get_move(action, perspective) == mv)
            }
        }
    }

    /// The action that does the same on the reflected board, in any perspective, if the table has
    /// it. The action must be in the table.
    pub fn reflected(&self, action: Action, reflection: Reflection) -> Option<Action> {
        let upright = Perspective::Upright;
        let mv = self.get_move(action, upright);
        self.find(mv.map(|square| self.size.reflected(square, reflection)), upright)
    }
}

/// Number of pairs of words in the bitboard of a board.
const fn pairs_of_words(size: BoardSize) -> usize {
    size.squares().div_ceil(128)
}

/// The steps among these moves, by the square they leave and the pair of words they lead to.
fn steps_by_square(size: BoardSize, moves: &[Move]) -> Vec<Steps> {
    let pairs = pairs_of_words(size);
    let none = Steps { targets: [0; 2], first: 0, low_count: 0, unused_bits: 0 };
    let mut steps = vec![none; size.squares() * pairs];
    for (action, &mv) in moves.iter().enumerate() {
        if let Move::Step { from, to } = mv {
            let word = to.index() / 64;
            let steps = &mut steps[from.index() * pairs + word / 2];
            if steps.targets == [0; 2] {
                steps.first = action as u16;
            }
            steps.targets[word % 2] |= 1 << (to.index() % 64);
            let [low, high] = steps.targets.map(u64::count_ones);
            assert!(low < u64::BITS && low + high <= u64::BITS, "a square has too many steps");
            (steps.low_count, steps.unused_bits) = (low as u8, (u64::BITS - low - high) as u8);
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::{ActionTable, Perspective};
    use crate::board::BoardSize;
    use crate::movement::MoveTables;

    fn table(files: usize, ranks: usize, flips: bool) -> ActionTable {
        let moves = MoveTables::<u128>::new(BoardSize { files, ranks });
        ActionTable::new(moves.size, flips, |from| moves.any_shape(from))
    }

    #[test]
    fn a_pass_comes_last() {
        let without = table(8, 4, true);
        assert_eq!(without.parse("pass", Perspective::Upright), None);
        let count = without.len();
        let with = without.with_pass();
        assert_eq!(with.parse("pass", Perspective::Rotated), Some(with.pass()));
        assert_eq!(with.pass().index(), count);
    }

    #[test]
    fn sizes_follow_from_the_moves_of_the_pieces() {
        let count = |files, ranks, flips| table(files, ranks, flips).len();
        // Lines 90 x 17, horse 4(8x8 + 7x9), one diagonal 4 x 8 x 9, two diagonals 4 x 7 x 8.
        assert_eq!(count(9, 10, false), 1530 + 508 + 288 + 224);
        // Flips 32, lines 32 x 10, horse 4(7x2 + 6x3), one diagonal 4 x 7 x 3, two 4 x 6 x 2.
        assert_eq!(count(8, 4, true), 32 + 320 + 128 + 84 + 48);
    }
}

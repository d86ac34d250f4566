//! What follows from a design: movement, captures and the table of actions, ready to be played.

use std::sync::LazyLock;

use super::design::{CoveredCaptures, Design};
use super::state::PublicState;
use super::{MOVES, SIZE, Variant};
use crate::board::{ActionTable, Bitboard, Colour, Kind, Piece, Square};
use crate::families::betza::{Movement, Part, Tabled};
use crate::families::designs::{KINDS, read_kinds};
use crate::game::OptionConflict;
use crate::movement::{Leaps, LineMovement, Shapes};

/// Rules that differ from the usual ones, ready to be played.
#[derive(Debug)]
pub(crate) struct Plan {
    shapes: Shapes<u32, KINDS, { SIZE.files }, { SIZE.ranks }>,
    /// By square and kind, all of `shapes` where nothing blocks a piece: steps and free leaps.
    steps: Option<Vec<[u32; KINDS]>>,
    /// By kind, movement that is not in `shapes`.
    rest: [Vec<Part<u32>>; KINDS],
    has_rest: bool,
    /// By victim and captor, all bits set if the captor takes the victim. Eight captors, so that a
    /// register has them.
    takes: [[u32; 8]; KINDS],
    /// The squares of the board.
    pub(super) squares: u32,
    /// Number of pieces of red and of black.
    pub(super) army_sizes: [u8; 2],
    /// Whether covered pieces are targets.
    takes_covered: bool,
    pub(super) table: &'static ActionTable,
    movements: [Movement; KINDS],
}

/// All steps of all movements, without and with a pass: designs differ in what is legal, not in what an
/// action means.
static TABLES: LazyLock<[ActionTable; 2]> = LazyLock::new(|| {
    let queen = |from| MOVES.slide(from, u32::EMPTY) | MOVES.slide_diagonally(from, u32::EMPTY);
    let reach = |from| queen(from) | MOVES.horse(from, u32::EMPTY);
    let table = || ActionTable::new(SIZE, true, reach);
    [table(), table().with_pass()]
});

impl Plan {
    /// What follows from the options, usual ones included.
    pub(super) fn new<V: Variant>(design: &Design, variant: &V) -> Result<Self, OptionConflict> {
        let conflict =
            |option, expected: &str| Err(OptionConflict { option, expected: expected.to_owned() });
        let totals: [u32; 2] = std::array::from_fn(|colour| {
            design.army.iter().map(|counts| u32::from(counts[colour])).sum()
        });
        if totals.contains(&0) {
            return conflict("army.P", "at least one piece in each army");
        }
        let squares = design.size.squares() as u32;
        if totals.iter().sum::<u32>() > squares {
            let pieces = totals.iter().sum::<u32>();
            let option = design.fault_of_size();
            let fit = if option == "board" { "large" } else { "small" };
            let expected = format!(
                "{fit} enough: the armies have {pieces} pieces, and the board {squares} squares"
            );
            return Err(OptionConflict { option, expected });
        }
        if design.is_royal(V::ROYAL) && design.army[Kind::General.index()].contains(&0) {
            return conflict("army.K", "at least one general in each army, since its loss loses");
        }
        let movements = Kind::ALL.map(|kind| {
            let own = &design.moves[kind.index()];
            let text = if own.is_empty() { variant.usual_moves(kind) } else { own };
            Movement::parse(text).expect("the domain is checked")
        });
        let tabled = movements.each_ref().map(|movement| movement.tabled(&MOVES));
        let on_board = |&square: &Square| {
            SIZE.file(square) < design.size.files && SIZE.rank(square) < design.size.ranks
        };
        let on_board = u32::collect(SIZE.all().filter(on_board));
        let mut takes = [[0; 8]; KINDS];
        for captor in Kind::ALL {
            let own = &design.takes[captor.index()];
            let kinds = if own.is_empty() {
                variant.usual_takes(captor)
            } else {
                read_kinds(own).expect("the domain is checked")
            };
            for (victim, captors) in takes.iter_mut().enumerate() {
                captors[captor.index()] = if kinds >> victim & 1 == 1 { !0 } else { 0 };
            }
        }
        let lines = tabled.each_ref().map(|it| it.line);
        let is_free =
            |it: &Tabled<u32>| it.line == LineMovement::None && it.leaps.iter().all(Leaps::is_free);
        let free = |from: Square| tabled.each_ref().map(|it| it.leaps[from.index()].open(0));
        let steps = tabled.iter().all(is_free).then(|| SIZE.all().map(free).collect());
        let rest = tabled.each_ref().map(|it| it.rest.clone());
        Ok(Self {
            shapes: Shapes::of(&MOVES, lines, |kind, from| tabled[kind].leaps[from.index()]),
            steps,
            has_rest: rest.iter().any(|parts| !parts.is_empty()),
            rest,
            takes,
            squares: on_board,
            army_sizes: totals.map(|total| total as u8),
            takes_covered: matches!(
                design.covered_captures.or(V::COVERED_CAPTURES),
                CoveredCaptures::Always | CoveredCaptures::Attempt
            ),
            table: &TABLES[usize::from(design.chain || design.flips > 1)],
            movements,
        })
    }

    /// The squares that a kind goes to from a square, whatever stands on them.
    #[inline]
    pub(super) fn reach(&self, kind: Kind, from: Square, occupied: u32) -> u32 {
        let mut reached = match &self.steps {
            Some(steps) => steps[from.index()][kind.index()],
            None => self.shapes.reach(kind.index(), from, occupied),
        };
        if self.has_rest {
            for part in &self.rest[kind.index()] {
                reached |= part.reach(&MOVES, from, occupied);
            }
        }
        reached & self.squares
    }

    /// Whether a piece of one kind takes one of another.
    #[inline]
    pub(super) fn takes(&self, captor: Kind, victim: Kind) -> bool {
        self.takes[victim.index()][captor.index()] != 0
    }

    /// The pseudo-legal targets of the revealed pieces of a colour, by square and kind.
    #[inline]
    pub(super) fn targets(
        &self,
        public: &PublicState,
        colour: Colour,
    ) -> impl Fn(Square, Kind) -> u32 {
        let occupied = public.occupied();
        let covered = if self.takes_covered { public.covered() } else { 0 };
        let mut open = [!occupied | covered; 8];
        for victim in Kind::ALL {
            let pieces = public.pieces(Piece { colour: colour.other(), kind: victim });
            for (open, takes) in open.iter_mut().zip(self.takes[victim.index()]) {
                *open |= pieces & takes;
            }
        }
        move |from, kind| self.reach(kind, from, occupied) & open[kind.index()]
    }

    /// How a kind moves.
    pub(super) fn movement(&self, kind: Kind) -> &Movement {
        &self.movements[kind.index()]
    }
}

//! How the pieces of the seven kingdoms move. RULES.md section 6.

use std::sync::LazyLock;

use super::geometry::{CENTRE, Points, SIZE};
use super::kingdom::Kingdom;
use super::piece::Kind;
use super::seating::Seating;
use super::state::State;
use crate::board::{ActionBits, ActionTable, Bitboard, Flow, Perspective, Square};
use crate::movement::MoveTables;

static MOVES: LazyLock<MoveTables<Points>> = LazyLock::new(|| MoveTables::new(SIZE));

/// Range of an archer in points. A knight has the same range: one step, then three.
pub(super) const ARCHER_STEPS: usize = 4;
/// Range of a crossbowman in points.
pub(super) const CROSSBOWMAN_STEPS: usize = 5;

/// The points within range of the pieces with a limited range, by point.
struct Ranges {
    archer: Vec<Points>,
    crossbowman: Vec<Points>,
}

static RANGES: LazyLock<Ranges> = LazyLock::new(|| {
    let within = |steps| SIZE.all().map(|from| MOVES.within(from, steps)).collect();
    Ranges { archer: within(ARCHER_STEPS), crossbowman: within(CROSSBOWMAN_STEPS) }
});

/// Lines in eight directions, the bent lines of the knight, and the pass.
pub(super) static TABLE: LazyLock<ActionTable> = LazyLock::new(|| {
    let reach = |from| {
        MOVES.slide(from, Points::EMPTY)
            | MOVES.slide_diagonally(from, Points::EMPTY)
            | MOVES.round_corners(from, Points::EMPTY) & RANGES.archer[from.index()]
    };
    ActionTable::new(SIZE, false, reach).with_pass()
});

/// The parts of a position that decide the targets of one kingdom's pieces.
pub(super) struct MoveContext {
    pub(super) occupied: Points,
    /// The pieces that they may capture.
    pub(super) capturable: Points,
}

impl MoveContext {
    #[inline]
    fn new(state: &State, seating: &Seating, kingdom: Kingdom) -> Self {
        let allies = seating.allies(kingdom);
        let mut own = Points::EMPTY;
        let mut enemies = Points::EMPTY;
        for other in Kingdom::ALL {
            let team = if allies.contains(other) { &mut own } else { &mut enemies };
            *team |= state.army(other);
        }
        Self {
            occupied: own | enemies | Points::single(CENTRE),
            capturable: enemies & !state.go_betweens(),
        }
    }

    /// The targets of the piece on `from`.
    #[inline]
    pub(super) fn targets(&self, kind: Kind, from: Square) -> Points {
        let moves = &*MOVES;
        let Self { occupied, capturable } = *self;
        let orthogonally = || moves.slide(from, occupied);
        let diagonally = || moves.slide_diagonally(from, occupied);
        let reached = match kind {
            Kind::General | Kind::Marshal => orthogonally() | diagonally(),
            Kind::Chancellor => orthogonally(),
            Kind::Diplomat => diagonally(),
            Kind::Cannon => orthogonally() & !occupied | moves.hop(from, occupied),
            Kind::GoBetween => (orthogonally() | diagonally()) & !occupied,
            Kind::Archer => (orthogonally() | diagonally()) & RANGES.archer[from.index()],
            Kind::Crossbowman => (orthogonally() | diagonally()) & RANGES.crossbowman[from.index()],
            Kind::DaggerSoldier => moves.diagonal(from),
            Kind::Swordsman => moves.orthogonal(from),
            Kind::Knight => moves.round_corners(from, occupied) & RANGES.archer[from.index()],
        };
        reached & (capturable | !occupied)
    }
}

/// The legal actions: the steps; the pass alone if the mover has no step but another kingdom in
/// play has one; none if no kingdom has one.
#[inline]
pub(super) fn generate_actions(
    state: &State,
    seating: &Seating,
    mut visit: impl FnMut(ActionBits) -> Flow,
) -> Flow {
    let table = &*TABLE;
    let mover = state.mover();
    let context = MoveContext::new(state, seating, mover);
    let mut has_step = false;
    for from in state.army(mover).ascending() {
        let targets = context.targets(state.kind(from), from);
        has_step |= !targets.is_empty();
        table.each_step(from, targets, Perspective::Upright, &mut visit)?;
    }
    if !has_step && state.in_play().iter().any(|kingdom| can_step(state, seating, kingdom)) {
        visit(ActionBits::single(table.pass()))?;
    }
    Flow::Continue(())
}

/// The number of steps of a kingdom, and the number of those that end in `zone`.
pub(super) fn activity(
    state: &State,
    seating: &Seating,
    kingdom: Kingdom,
    zone: Points,
) -> (u32, u32) {
    let context = MoveContext::new(state, seating, kingdom);
    state.army(kingdom).ascending().fold((0, 0), |(all, within), from| {
        let targets = context.targets(state.kind(from), from);
        (all + targets.count(), within + (targets & zone).count())
    })
}

/// The points that some piece of a kingdom can step to.
pub(super) fn reached(state: &State, seating: &Seating, kingdom: Kingdom) -> Points {
    let context = MoveContext::new(state, seating, kingdom);
    state
        .army(kingdom)
        .ascending()
        .fold(Points::EMPTY, |all, from| all | context.targets(state.kind(from), from))
}

/// The attacks of a piece of a kind. The emperor is a piece as any other.
pub(super) fn attacks(kind: Kind, from: Square, pieces: impl Iterator<Item = Square>) -> Points {
    let occupied = Points::collect(pieces);
    MoveContext { occupied, capturable: occupied }.targets(kind, from) & occupied
}

/// The points on or next to a point.
pub(super) fn around(square: Square) -> Points {
    MOVES.orthogonal(square) | MOVES.diagonal(square) | Points::single(square)
}

#[cold]
fn can_step(state: &State, seating: &Seating, kingdom: Kingdom) -> bool {
    let context = MoveContext::new(state, seating, kingdom);
    state.army(kingdom).ascending().any(|from| !context.targets(state.kind(from), from).is_empty())
}

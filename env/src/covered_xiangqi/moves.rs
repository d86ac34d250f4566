//! How pieces move, face up and face down, and what a general must not suffer. RULES.md section 3.

use std::sync::LazyLock;

use super::board::Board;
use super::state::Public;
use super::{MOVES, SIZE, TABLE, side_of};
use crate::action::Action;
use crate::bitboard::Bitboard;
use crate::game::Flow;
use crate::movement::{ORTHOGONAL, VERTICAL};
use crate::piece::{Colour, Kind};
use crate::square::Square;

/// What the xiangqi board adds to the shapes of movement, by colour.
struct Regions {
    /// Where the general stays: files d to f, three ranks.
    palace: [u128; 2],
    /// The ranks up to the river.
    home_half: [u128; 2],
    /// Where a soldier goes from each square.
    soldier: [Vec<u128>; 2],
    /// From where a soldier attacks each square.
    soldier_origins: [Vec<u128>; 2],
}

static REGIONS: LazyLock<Regions> = LazyLock::new(|| {
    // Ranks counted from a colour's own side.
    let own_rank = |colour, square| match colour {
        Colour::Red => SIZE.rank(square),
        Colour::Black => SIZE.ranks - 1 - SIZE.rank(square),
    };
    let half = |colour, ranks: usize| {
        u128::collect(SIZE.all().filter(|&square| own_rank(colour, square) < ranks))
    };
    let palace_files = u128::collect(SIZE.all().filter(|&s| (3..6).contains(&SIZE.file(s))));
    let home_half = Colour::ALL.map(|colour| half(colour, SIZE.ranks / 2));
    let steps = |colour: Colour, from: Square| {
        let forward = if colour == Colour::Red { (0, 1) } else { (0, -1) };
        let sideways = [(-1, 0), (1, 0)];
        let crossed = !home_half[colour.index()].contains(from);
        let sideways = sideways.into_iter().filter(|_| crossed);
        u128::collect(
            std::iter::once(forward).chain(sideways).filter_map(|step| SIZE.offset(from, step)),
        )
    };
    let soldier =
        Colour::ALL.map(|colour| SIZE.all().map(|from| steps(colour, from)).collect::<Vec<_>>());
    let soldier_origins = [0, 1].map(|colour| {
        let attacks = |from: Square, to| soldier[colour][from.index()].contains(to);
        SIZE.all()
            .map(|to| u128::collect(SIZE.all().filter(|&from| attacks(from, to))))
            .collect::<Vec<_>>()
    });
    let palace = Colour::ALL.map(|colour| half(colour, 3) & palace_files);
    Regions { palace, home_half, soldier, soldier_origins }
});

/// The squares of a general's palace.
pub(super) fn palace(colour: Colour) -> u128 {
    REGIONS.palace[colour.index()]
}

/// Whether a square lies beyond the river for a colour.
pub(crate) fn has_crossed(colour: Colour, square: Square) -> bool {
    !REGIONS.home_half[colour.index()].contains(square)
}

/// Where the piece on `from` could go if no general had to be guarded.
#[inline]
fn reach(board: &Board, from: Square) -> u128 {
    let Some(piece) = board.mover_at(from) else { return 0 };
    let moves = &*MOVES;
    let regions = &*REGIONS;
    let colour = piece.colour.index();
    let occupied = board.occupied();
    // Revealed advisors and elephants roam; covered ones keep to xiangqi's bounds.
    let bounds = |region: u128| if board.is_covered(from) { region } else { !0 };
    let reached = match piece.kind {
        Kind::General => moves.orthogonal(from) & regions.palace[colour],
        Kind::Advisor => moves.diagonal(from) & bounds(regions.palace[colour]),
        Kind::Elephant => moves.elephant(from, occupied) & bounds(regions.home_half[colour]),
        Kind::Horse => moves.horse(from, occupied),
        Kind::Chariot => moves.slide(from, occupied),
        Kind::Cannon => moves.slide(from, occupied) & !occupied | moves.hop(from, occupied),
        Kind::Soldier => regions.soldier[colour][from.index()],
    };
    reached & !board.colour(piece.colour)
}

/// Whether a general of `colour` on `general` is attacked, or faces the other one, when these
/// squares are occupied and the enemy has only these pieces left.
///
/// Covered pieces never matter here: no home-square move from ranks 1 to 4 reaches the enemy's
/// palace (RULES.md section 3).
#[inline]
fn attacked(board: &Board, general: Square, colour: Colour, occupied: u128, enemies: u128) -> bool {
    let moves = &*MOVES;
    let shape = |kind| board.shape(kind) & enemies;
    let origins = REGIONS.soldier_origins[colour.other().index()][general.index()];
    if origins.meets(shape(Kind::Soldier))
        || moves.horse_origins(general, occupied).meets(shape(Kind::Horse))
        || moves.diagonal(general).meets(shape(Kind::Advisor) & !board.covered())
        || moves.elephant(general, occupied).meets(shape(Kind::Elephant) & !board.covered())
    {
        return true;
    }
    let chariots = shape(Kind::Chariot);
    let cannons = shape(Kind::Cannon);
    let lines = chariots | cannons | shape(Kind::General);
    ORTHOGONAL.into_iter().any(|direction| {
        if !moves.ray(general, direction).meets(lines) {
            return false;
        }
        let Some(first) = moves.blocker(general, direction, occupied) else { return false };
        let faced = VERTICAL.contains(&direction) && shape(Kind::General).contains(first);
        faced
            || chariots.contains(first)
            || moves.blocker(first, direction, occupied).is_some_and(|next| cannons.contains(next))
    })
}

/// Whether a colour's general is attacked or faces the other one.
#[inline]
pub(super) fn in_check(board: &Board, colour: Colour) -> bool {
    let enemies = board.colour(colour.other());
    attacked(board, board.general(colour), colour, board.occupied(), enemies)
}

/// Finds the legal plies of one colour, having looked once at what threatens its general.
pub(super) struct Guard<'a> {
    board: &'a Board,
    colour: Colour,
    check: bool,
    /// A ply that neither leaves nor enters these squares cannot open an attack on a general that
    /// stands still unattacked: they are the squares between it and the enemy's chariots, cannons
    /// and general on its lines, and the legs and eyes of horses and elephants in reach of it.
    zone: u128,
}

impl<'a> Guard<'a> {
    /// `check` says whether the colour's general is attacked now.
    #[inline]
    pub(super) fn new(board: &'a Board, colour: Colour, check: bool) -> Self {
        let moves = &*MOVES;
        let general = board.general(colour);
        let shape = |kind| board.shape(kind) & board.colour(colour.other());
        let sliders = shape(Kind::Chariot) | shape(Kind::Cannon);
        let mut zone = 0;
        for direction in ORTHOGONAL {
            let ray = moves.ray(general, direction);
            let facing = if VERTICAL.contains(&direction) { shape(Kind::General) } else { 0 };
            for slider in (ray & (sliders | facing)).ascending() {
                zone |= ray & !moves.ray(slider, direction);
            }
        }
        let leapers = moves.horse_origins(general, 0) & shape(Kind::Horse)
            | moves.elephant(general, 0) & shape(Kind::Elephant);
        if !leapers.is_empty() {
            // Legs of horses and eyes of elephants, seen from the general, are its diagonals.
            zone |= moves.diagonal(general);
        }
        Self { board, colour, check, zone }
    }

    /// The squares to which the piece on `from`, one of the colour's, may go.
    #[inline]
    pub(super) fn targets(&self, from: Square) -> u128 {
        let reach = reach(self.board, from);
        let general = self.board.general(self.colour);
        let all_doubtful = self.check || from == general || self.zone.contains(from);
        let doubtful = if all_doubtful { reach } else { reach & self.zone };
        doubtful
            .ascending()
            .filter(|&to| !self.is_safe(from, to))
            .fold(reach, |legal, to| legal ^ u128::single(to))
    }

    /// Whether the general is safe once the piece on `from` has gone to `to`.
    #[inline]
    fn is_safe(&self, from: Square, to: Square) -> bool {
        let board = self.board;
        let target = u128::single(to);
        let occupied = board.occupied() & !u128::single(from) | target;
        let enemies = board.colour(self.colour.other()) & !target;
        let general = board.general(self.colour);
        let general = if from == general { to } else { general };
        !attacked(board, general, self.colour, occupied, enemies)
    }

    /// Whether the colour can legally capture on `square`.
    pub(super) fn can_take(&self, square: Square) -> bool {
        let pieces = self.board.colour(self.colour);
        pieces.ascending().any(|from| self.targets(from).contains(square))
    }
}

/// The legal plies by (from, to), seen from the mover's side.
#[inline]
pub(super) fn each_action(public: &Public, mut visit: impl FnMut(Action) -> Flow) -> Flow {
    let board = &public.board;
    let mover = board.mover();
    let side = side_of(mover);
    let table = &*TABLE;
    let guard = Guard::new(board, mover, public.check);
    for from in board.colour(mover).seen_from(side) {
        for to in guard.targets(from).seen_from(side) {
            visit(table.step(from, to, side))?;
        }
    }
    Flow::Continue(())
}

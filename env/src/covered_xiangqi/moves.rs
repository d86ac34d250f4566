//! How pieces move, face up and face down, and what a general must not suffer. RULES.md section 3.

use std::sync::LazyLock;

use super::board::Board;
use super::state::Public;
use super::{MOVES, SIZE, TABLE, side_of};
use crate::action::Run;
use crate::bitboard::Bitboard;
use crate::check::{Attackers, Guard};
use crate::game::Flow;
use crate::piece::{Colour, Kind, Piece};
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

/// A colour's side of the river.
pub(super) fn home_half(colour: Colour) -> u128 {
    REGIONS.home_half[colour.index()]
}

/// Whether a square lies beyond the river for a colour.
pub(crate) fn has_crossed(colour: Colour, square: Square) -> bool {
    !home_half(colour).contains(square)
}

/// Where a piece on `from` that moves as this one could go if no general had to be guarded.
#[inline]
pub(super) fn reach(board: &Board, from: Square, piece: Piece) -> u128 {
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

/// The pieces of a colour that could take on `target` among these occupied squares, if no general
/// had to be guarded.
#[inline]
pub(super) fn attackers(board: &Board, colour: Colour, target: Square, occupied: u128) -> u128 {
    let moves = &*MOVES;
    let regions = &*REGIONS;
    let side = colour.index();
    let within = |region: u128| if region.contains(target) { !0 } else { 0 };
    let roaming = |region: u128| !board.covered() | within(region);
    let shape = |kind| board.shape(kind);
    let attackers = shape(Kind::General) & moves.orthogonal(target) & within(regions.palace[side])
        | shape(Kind::Advisor) & moves.diagonal(target) & roaming(regions.palace[side])
        | shape(Kind::Elephant)
            & moves.elephant(target, occupied)
            & roaming(regions.home_half[side])
        | shape(Kind::Horse) & moves.horse_origins(target, occupied)
        | shape(Kind::Chariot) & moves.slide(target, occupied)
        | shape(Kind::Cannon) & moves.hop(target, occupied)
        | shape(Kind::Soldier) & regions.soldier_origins[side][target.index()];
    attackers & board.colour(colour)
}

/// A colour's general with its enemies.
///
/// Covered pieces never attack it: no home-square move from ranks 1 to 4 reaches the enemy's palace
/// (RULES.md section 3). Only advisors and elephants need leaving out, since in their covered form
/// they keep to bounds of their own.
#[inline]
pub(super) fn guard(board: &Board, colour: Colour) -> Guard<'static, u128> {
    let enemy = colour.other();
    let shape = |kind| board.shape(kind) & board.colour(enemy);
    Guard {
        moves: &MOVES,
        soldier_origins: &REGIONS.soldier_origins[enemy.index()],
        general: board.general(colour),
        occupied: board.occupied(),
        attackers: Attackers {
            general: shape(Kind::General),
            advisors: shape(Kind::Advisor) & !board.covered(),
            elephants: shape(Kind::Elephant) & !board.covered(),
            horses: shape(Kind::Horse),
            chariots: shape(Kind::Chariot),
            cannons: shape(Kind::Cannon),
            soldiers: shape(Kind::Soldier),
        },
    }
}

/// Whether a colour's general is attacked or faces the other one.
#[inline]
pub(super) fn in_check(board: &Board, colour: Colour) -> bool {
    guard(board, colour).in_check()
}

/// The legal plies, seen from the mover's side.
#[inline]
pub(super) fn each_run(public: &Public, mut visit: impl FnMut(Run) -> Flow) -> Flow {
    let board = &public.board;
    let mover = board.mover();
    let side = side_of(mover);
    let table = &*TABLE;
    let guard = guard(board, mover);
    let shield = guard.shield();
    // Piece by piece of one kind: the processor foresees what does not change.
    for kind in Kind::ALL {
        for from in (board.colour(mover) & board.shape(kind)).ascending() {
            let reach = reach(board, from, Piece { colour: mover, kind });
            if reach != 0 {
                let legal = guard.legal(from, reach, &shield);
                table.each_step(from, legal, side, &mut visit)?;
            }
        }
    }
    Flow::Continue(())
}

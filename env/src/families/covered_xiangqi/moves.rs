//! How pieces move, face up and face down, and what a general must not suffer. RULES.md section 3.

use std::sync::LazyLock;

use arrayvec::ArrayVec;

use super::board::{Board, SQUARES, SquareContents};
use super::geometry::{BETWEEN, MOVES, SIZE, TABLE, perspective_of};
use super::leaps::Leap;
use crate::board::{ActionBits, Bitboard, Colour, Flow, Kind, Square};
use crate::movement::{AttackOrigins, Attackers, CheckInfo, KingSafety, LineMovement, Lines};

/// Pieces that a side starts with.
const MAX_PIECES: usize = 16;

/// Where [`BoardTables::leaps`] has an elephant's and a horse's.
const ELEPHANT: usize = 1;
const HORSE: usize = 2;

/// What the xiangqi board adds to the shapes of movement, by colour.
pub(super) struct BoardTables {
    /// Where the general stays: files d to f, three ranks.
    palace: [u128; 2],
    /// The ranks up to the river.
    home_half: [u128; 2],
    /// By what stands on a square ([`Board::piece id`]) and square: where pieces that do not slide get
    /// to if nothing stands in the way.
    bounds: Vec<[u128; SQUARES]>,
    lines: Lines<u128, { SIZE.files }, { SIZE.ranks }>,
    /// Steps, and at [`ELEPHANT`] and [`HORSE`] their leaps.
    leaps: [Leap; 3],
    /// From where horses leap to a square.
    horse_origins: Leap,
    /// From where a soldier attacks each square.
    soldier_origins: [Vec<u128>; 2],
    /// [`discovery_squares`] each square.
    discovery_squares: [u128; SQUARES],
}

static BOARD_TABLES: LazyLock<BoardTables> = LazyLock::new(|| {
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
    // Revealed advisors and elephants roam; covered ones keep to xiangqi's bounds.
    let bounds = |contents: SquareContents, from: Square| {
        let Some(piece) = contents.mover_on(from) else { return u128::EMPTY };
        let side = piece.colour.index();
        let within = |region: u128| match contents {
            SquareContents::Covered(_) => region,
            SquareContents::Revealed(_) | SquareContents::Empty => !u128::EMPTY,
        };
        match piece.kind {
            Kind::General => MOVES.orthogonal(from) & palace[side],
            Kind::Advisor => MOVES.diagonal(from) & within(palace[side]),
            Kind::Elephant => MOVES.elephant(from, u128::EMPTY) & within(home_half[side]),
            Kind::Horse => MOVES.horse(from, u128::EMPTY),
            Kind::Soldier => soldier[side][from.index()],
            Kind::Chariot | Kind::Cannon => u128::EMPTY,
        }
    };
    let bounds = SquareContents::ALL
        .map(|contents| std::array::from_fn(|from| bounds(contents, Square::new(from))))
        .into();
    // The legs of leaps to a square are its diagonal neighbours.
    let discovery_squares =
        |square| u128::single(square) | MOVES.lines(square) | MOVES.diagonal(square);
    let discovery_squares = std::array::from_fn(|square| discovery_squares(Square::new(square)));
    BoardTables {
        palace,
        home_half,
        bounds,
        lines: Lines::new(&MOVES),
        leaps: [Leap::STEP, Leap::elephant(), Leap::horse()],
        horse_origins: Leap::horse_origins(),
        soldier_origins,
        discovery_squares,
    }
});

impl AttackOrigins<u128> for BoardTables {
    #[inline]
    fn sliding(&self, target: Square, occupied: u128) -> u128 {
        self.lines.reach(LineMovement::Slide, target, occupied)
    }

    #[inline]
    fn hopping(&self, target: Square, occupied: u128) -> u128 {
        self.lines.reach(LineMovement::Hop, target, occupied)
    }

    #[inline]
    fn horse(&self, target: Square, occupied: u128) -> u128 {
        self.horse_origins.targets(target, occupied)
    }

    #[inline]
    fn elephant(&self, target: Square, occupied: u128) -> u128 {
        self.leaps[ELEPHANT].targets(target, occupied)
    }
}

/// The squares of a general's palace.
pub(super) fn palace(colour: Colour) -> u128 {
    BOARD_TABLES.palace[colour.index()]
}

/// A colour's side of the river.
pub(super) fn home_half(colour: Colour) -> u128 {
    BOARD_TABLES.home_half[colour.index()]
}

/// Whether a square lies beyond the river for a colour.
pub(crate) fn has_crossed(colour: Colour, square: Square) -> bool {
    !home_half(colour).contains(square)
}

/// Visits those of a colour's pieces that stand on some squares, with where each could go if no
/// general had to be guarded.
///
/// In two groups, so that the processor foresees what is done: within one, what a piece is changes
/// only what is looked up. Those that slide come first, as they chase most.
#[inline]
pub(super) fn each_pseudo_legal(
    board: &Board,
    colour: Colour,
    squares: u128,
    mut visit: impl FnMut(Square, u128) -> Flow,
) -> Flow {
    let tables = &*BOARD_TABLES;
    let occupied = board.occupied();
    let own = board.colour(colour);
    let cannons = board.shape(Kind::Cannon);
    let sliders = board.shape(Kind::Chariot) | cannons;
    for from in (own & squares & sliders).ascending() {
        let way = if cannons.contains(from) { LineMovement::Hop } else { LineMovement::Slide };
        visit(from, tables.lines.reach(way, from, occupied) & !own)?;
    }
    let is = |kind, from| usize::from(board.shape(kind).contains(from));
    for from in (own & squares & !sliders).ascending() {
        let leap = ELEPHANT * is(Kind::Elephant, from) + HORSE * is(Kind::Horse, from);
        let bounds = tables.bounds[board.piece_id(from)][from.index()];
        visit(from, tables.leaps[leap].open(from, occupied) & bounds & !own)?;
    }
    Flow::Continue(())
}

/// The pieces of a colour that could take on `target` among these occupied squares, if no general
/// had to be guarded.
#[inline]
pub(super) fn attackers(board: &Board, colour: Colour, target: Square, occupied: u128) -> u128 {
    let moves = &*MOVES;
    let tables = &*BOARD_TABLES;
    let side = colour.index();
    let within = |region: u128| if region.contains(target) { !0 } else { 0 };
    let roaming = |region: u128| !board.covered() | within(region);
    let shape = |kind| board.shape(kind);
    let attackers = shape(Kind::General) & moves.orthogonal(target) & within(tables.palace[side])
        | shape(Kind::Advisor) & moves.diagonal(target) & roaming(tables.palace[side])
        | shape(Kind::Elephant)
            & tables.elephant(target, occupied)
            & roaming(tables.home_half[side])
        | shape(Kind::Horse) & tables.horse(target, occupied)
        | shape(Kind::Chariot) & tables.sliding(target, occupied)
        | shape(Kind::Cannon) & tables.hopping(target, occupied)
        | shape(Kind::Soldier) & tables.soldier_origins[side][target.index()];
    attackers & board.colour(colour)
}

/// The square of a general with those by which enemies may attack it: a piece that leaves any other
/// one opens no line and frees no leg.
#[inline]
pub(super) fn discovery_squares(general: Square) -> u128 {
    BOARD_TABLES.discovery_squares[general.index()]
}

/// A colour's general with its enemies.
///
/// Covered pieces never attack it: no home-square move from ranks 1 to 4 reaches the enemy's palace
/// (RULES.md section 3). Only advisors and elephants need leaving out, since in their covered form
/// they keep to bounds of their own.
#[inline]
pub(super) fn king_safety(board: &Board, colour: Colour) -> KingSafety<'static, u128, BoardTables> {
    let enemy = colour.other();
    let shape = |kind| board.shape(kind) & board.colour(enemy);
    KingSafety {
        moves: &MOVES,
        origins: &*BOARD_TABLES,
        between: &BETWEEN,
        soldier_origins: &BOARD_TABLES.soldier_origins[enemy.index()],
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

/// The legal plies, seen from the mover's side.
#[inline]
pub(super) fn generate_actions(
    board: &Board,
    check_info: &CheckInfo<u128>,
    mut visit: impl FnMut(ActionBits) -> Flow,
) -> Flow {
    let mover = board.mover();
    let perspective = perspective_of(mover);
    let table = &*TABLE;
    let king_safety = king_safety(board, mover);
    let general = board.general(mover);
    // Listed first: what is done with each is long, and should be there once.
    let mut reaches = ArrayVec::<_, MAX_PIECES>::new();
    let _ = each_pseudo_legal(board, mover, !u128::single(general), |from, reach| {
        reaches.push((from, reach));
        Flow::Continue(())
    });
    for &(from, reach) in &reaches {
        table.each_step(
            from,
            king_safety.legal(from, reach, check_info),
            perspective,
            &mut visit,
        )?;
    }
    let steps =
        BOARD_TABLES.bounds[board.piece_id(general)][general.index()] & !board.colour(mover);
    table.each_step(general, king_safety.legal_for_general(steps), perspective, visit)
}

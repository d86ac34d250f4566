//! Movement of revealed and covered pieces, and legal moves. RULES.md section 3.

use std::sync::LazyLock;

use arrayvec::ArrayVec;

use super::board::{Board, SQUARES, SquareContents, general};
use super::geometry::{BETWEEN, MOVES, SIZE, TABLE};
use super::leaps::LeapTable;
use crate::board::{ActionBits, Bitboard, Colour, Flow, Kind, Piece, Square, SquareEncoding};
use crate::movement::{
    AttackOrigins, Attackers, CheckInfo, KingSafety, LineMovement, Lines, origins,
};

/// Number of pieces of one colour at the start.
pub(super) const MAX_PIECES: usize = 16;

/// Indices of the elephant and the horse in [`BoardTables::leaps`].
const ELEPHANT: usize = 1;
const HORSE: usize = 2;

/// The lookup tables of the xiangqi board; arrays of two are by colour.
pub(super) struct BoardTables {
    /// The palace, which the general does not leave: files d to f, three ranks.
    palace: [u128; 2],
    /// The five ranks on the own side of the river.
    home_half: [u128; 2],
    /// By piece id and square: the targets on an empty board, for pieces that do not move along
    /// lines.
    bounds: Vec<[u128; SQUARES]>,
    lines: Lines<u128, { SIZE.files }, { SIZE.ranks }>,
    /// Steps, elephant leaps and horse leaps.
    leaps: [LeapTable; 3],
    /// Reverse leaps of horses.
    horse_origins: LeapTable,
    /// By square, the squares from which a soldier attacks it.
    soldier_origins: [Vec<u128>; 2],
    /// Values of [`Movement::discovery_squares`].
    discovery_squares: [u128; SQUARES],
}

static BOARD_TABLES: LazyLock<BoardTables> = LazyLock::new(|| {
    // Ranks counted from a colour's own back rank.
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
    let soldier_origins = soldier.each_ref().map(|targets| origins(targets));
    let palace = Colour::ALL.map(|colour| half(colour, 3) & palace_files);
    // Revealed advisors and elephants may leave palace and home half; covered ones may not.
    let bounds = |contents: SquareContents, from: Square| {
        let Some(piece) = contents.listed_as(from) else { return u128::EMPTY };
        let colour = piece.colour.index();
        let within = |region: u128| match contents {
            SquareContents::Covered(_) => region,
            SquareContents::Revealed(_) | SquareContents::Empty => !u128::EMPTY,
        };
        match piece.kind {
            Kind::General => MOVES.orthogonal(from) & palace[colour],
            Kind::Advisor => MOVES.diagonal(from) & within(palace[colour]),
            Kind::Elephant => MOVES.elephant(from, u128::EMPTY) & within(home_half[colour]),
            Kind::Horse => MOVES.horse(from, u128::EMPTY),
            Kind::Soldier => soldier[colour][from.index()],
            Kind::Chariot | Kind::Cannon => u128::EMPTY,
        }
    };
    let bounds = SquareContents::ALL
        .iter()
        .map(|&contents| std::array::from_fn(|from| bounds(contents, Square::new(from))))
        .collect();
    // The legs of the leaps that attack a square are its diagonal neighbours.
    let discovery_squares =
        |square| u128::single(square) | MOVES.lines(square) | MOVES.diagonal(square);
    let discovery_squares = std::array::from_fn(|square| discovery_squares(Square::new(square)));
    BoardTables {
        palace,
        home_half,
        bounds,
        lines: Lines::new(&MOVES),
        leaps: [LeapTable::STEP, LeapTable::elephant(), LeapTable::horse()],
        horse_origins: LeapTable::horse_origins(),
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

/// Whether a square is beyond the river for a colour.
pub(crate) fn has_crossed(colour: Colour, square: Square) -> bool {
    !home_half(colour).contains(square)
}

/// Whether a square is on a rank nearer to the enemy of a colour than another.
pub(crate) fn is_ahead(colour: Colour, from: Square, to: Square) -> bool {
    match colour {
        Colour::Red => SIZE.rank(to) > SIZE.rank(from),
        Colour::Black => SIZE.rank(to) < SIZE.rank(from),
    }
}

/// How pieces move and capture, and what exposes a general to attack: usual rules, or those of designers.
pub(super) trait Movement {
    /// Visits a colour's pieces on some squares with their pseudo-legal targets.
    fn each_pseudo_legal(
        &self,
        board: &Board,
        colour: Colour,
        squares: u128,
        visit: impl FnMut(Square, u128) -> Flow,
    ) -> Flow;

    /// The pieces of a colour that could capture on `target` by their movement, with these squares occupied.
    fn attackers(&self, board: &Board, colour: Colour, target: Square, occupied: u128) -> u128;

    /// The squares whose pieces take the piece on this square, if it is revealed, or else one of the kind
    /// that it moves as. Other squares may be among them.
    fn takers(&self, board: &Board, victim: Square) -> u128;

    /// Checks and pins against a colour's general.
    fn check_info(&self, board: &Board, colour: Colour) -> CheckInfo<u128>;

    /// Whether a colour's general is safe after its piece on `from` has captured on `target`; see
    /// [`KingSafety::capture_is_safe`].
    fn capture_is_safe(
        &self,
        board: &Board,
        colour: Colour,
        from: Square,
        target: Square,
        occupied: u128,
        captured: u128,
    ) -> bool;

    /// The squares that a piece must leave to uncover an attack on the general on this square.
    fn discovery_squares(&self, general: Square) -> u128;
}

/// The movement of the usual rules.
pub(super) struct Usual;

impl Movement for Usual {
    /// Chariots and cannons come first, then all others. Within a group the kind of a piece changes
    /// only the table that is used, so branches are predictable. The first group chases most often.
    #[inline]
    fn each_pseudo_legal(
        &self,
        board: &Board,
        colour: Colour,
        squares: u128,
        mut visit: impl FnMut(Square, u128) -> Flow,
    ) -> Flow {
        let tables = &*BOARD_TABLES;
        let occupied = board.occupied();
        let own = board.colour(colour);
        let cannons = board.kind(Kind::Cannon);
        let sliders = board.kind(Kind::Chariot) | cannons;
        for from in (own & squares & sliders).ascending() {
            let movement =
                if cannons.contains(from) { LineMovement::Hop } else { LineMovement::Slide };
            visit(from, tables.lines.reach(movement, from, occupied) & !own)?;
        }
        let is = |kind, from| usize::from(board.kind(kind).contains(from));
        for from in (own & squares & !sliders).ascending() {
            let leap = ELEPHANT * is(Kind::Elephant, from) + HORSE * is(Kind::Horse, from);
            let bounds = tables.bounds[board.piece_id(from)][from.index()];
            visit(from, tables.leaps[leap].unbounded_targets(from, occupied) & bounds & !own)?;
        }
        Flow::Continue(())
    }

    #[inline]
    fn attackers(&self, board: &Board, colour: Colour, target: Square, occupied: u128) -> u128 {
        let moves = &*MOVES;
        let tables = &*BOARD_TABLES;
        let index = colour.index();
        let within = |region: u128| if region.contains(target) { !0 } else { 0 };
        let revealed_or_within = |region: u128| !board.covered() | within(region);
        let kind = |kind| board.kind(kind);
        let attackers =
            kind(Kind::General) & moves.orthogonal(target) & within(tables.palace[index])
                | kind(Kind::Advisor)
                    & moves.diagonal(target)
                    & revealed_or_within(tables.palace[index])
                | kind(Kind::Elephant)
                    & tables.elephant(target, occupied)
                    & revealed_or_within(tables.home_half[index])
                | kind(Kind::Horse) & tables.horse(target, occupied)
                | kind(Kind::Chariot) & tables.sliding(target, occupied)
                | kind(Kind::Cannon) & tables.hopping(target, occupied)
                | kind(Kind::Soldier) & tables.soldier_origins[index][target.index()];
        attackers & board.colour(colour)
    }

    #[inline]
    fn takers(&self, _: &Board, _: Square) -> u128 {
        !u128::EMPTY
    }

    #[inline]
    fn check_info(&self, board: &Board, colour: Colour) -> CheckInfo<u128> {
        king_safety(board, colour).check_info()
    }

    #[inline]
    fn capture_is_safe(
        &self,
        board: &Board,
        colour: Colour,
        from: Square,
        target: Square,
        occupied: u128,
        captured: u128,
    ) -> bool {
        king_safety(board, colour).capture_is_safe(from, target, occupied, captured)
    }

    /// The square of the general, its lines and its diagonal neighbours. A piece that leaves any other
    /// square opens no line and frees no leg.
    #[inline]
    fn discovery_squares(&self, general: Square) -> u128 {
        BOARD_TABLES.discovery_squares[general.index()]
    }
}

/// The piece as which something on a square moves.
pub(super) fn moves_as(contents: SquareContents, from: Square) -> Option<Piece> {
    contents.listed_as(from).filter(|piece| match contents {
        // No covered piece stands on a home square of the other side.
        SquareContents::Covered(colour) => colour == piece.colour,
        SquareContents::Revealed(_) | SquareContents::Empty => true,
    })
}

/// The squares that a piece ever goes to, by the usual rules.
pub(super) fn bounds(contents: SquareContents, from: Square) -> u128 {
    match moves_as(contents, from).map(|piece| piece.kind) {
        None => u128::EMPTY,
        Some(Kind::Chariot | Kind::Cannon) => MOVES.lines(from),
        Some(_) => BOARD_TABLES.bounds[usize::from(contents.piece_id())][from.index()],
    }
}

/// The squares that a piece goes to by the usual rules, whatever stands on them.
pub(super) fn reach(contents: SquareContents, from: Square, occupied: u128) -> u128 {
    let tables = &*BOARD_TABLES;
    let Some(Piece { kind, .. }) = moves_as(contents, from) else { return u128::EMPTY };
    let leap = |leap: usize| {
        let bounds = tables.bounds[usize::from(contents.piece_id())][from.index()];
        tables.leaps[leap].targets(from, occupied) & bounds
    };
    match kind {
        Kind::Chariot => tables.lines.reach(LineMovement::Slide, from, occupied),
        Kind::Cannon => tables.lines.reach(LineMovement::Hop, from, occupied),
        Kind::Elephant => leap(ELEPHANT),
        Kind::Horse => leap(HORSE),
        Kind::General | Kind::Advisor | Kind::Soldier => leap(0),
    }
}

/// A colour's general and the enemies that can attack it.
///
/// Covered pieces never attack a general: no move from a home square reaches the enemy's palace
/// (RULES.md section 3). Covered advisors and elephants are left out here because they move less
/// far than revealed ones. For the other kinds the lookups show it.
#[inline]
pub(super) fn king_safety(board: &Board, colour: Colour) -> KingSafety<'static, u128, BoardTables> {
    let enemy = colour.other();
    KingSafety {
        moves: &MOVES,
        origins: &*BOARD_TABLES,
        between: &BETWEEN,
        soldier_origins: &BOARD_TABLES.soldier_origins[enemy.index()],
        general: general(board, colour),
        occupied: board.occupied(),
        attackers: Attackers::of(|kind| {
            let pieces = board.pieces(Piece { colour: enemy, kind });
            let is_bound = matches!(kind, Kind::Advisor | Kind::Elephant);
            if is_bound { pieces & !board.covered() } else { pieces }
        }),
    }
}

/// The legal actions.
#[inline]
pub(super) fn generate_actions(
    board: &Board,
    mover: Colour,
    check_info: &CheckInfo<u128>,
    mut visit: impl FnMut(ActionBits) -> Flow,
) -> Flow {
    let perspective = mover.perspective();
    let table = &*TABLE;
    let safety = king_safety(board, mover);
    let general = general(board, mover);
    // Collected first, so that the long loop body below is compiled once, not for both groups.
    let mut reaches = ArrayVec::<_, MAX_PIECES>::new();
    let _ = Usual.each_pseudo_legal(board, mover, !u128::single(general), |from, reach| {
        reaches.push((from, reach));
        Flow::Continue(())
    });
    for &(from, reach) in &reaches {
        table.each_step(from, safety.legal(from, reach, check_info), perspective, &mut visit)?;
    }
    let steps =
        BOARD_TABLES.bounds[board.piece_id(general)][general.index()] & !board.colour(mover);
    table.each_step(general, safety.legal_for_general(steps), perspective, visit)
}

//! The 7 x 7 board and movement on it.

use std::sync::LazyLock;

use super::geometry::{BETWEEN, MOVES, SIZE, flipped};
use crate::board::{Bitboard, Colour, Kind, Piece, PieceBoard, Square, SquareEncoding};
use crate::movement::{AttackOrigins, Attackers, KingSafety, Leaps, LineMovement, Shapes, origins};
use crate::rng::zobrist;

const SQUARES: usize = SIZE.squares();

/// Zobrist keys by square: the 14 pieces.
static ZOBRIST_KEYS: [[u64; Piece::COUNT]; SQUARES] = zobrist(5);
/// The Zobrist key of black to move.
pub(super) const MOVER_KEY: u64 = zobrist::<1, 1>(6)[0][0];

/// Red's pieces at the start, rank by rank; black's are the same with the board rotated.
const START: [[Option<Kind>; SIZE.files]; 2] = [
    [
        None,
        Some(Kind::Elephant),
        Some(Kind::Advisor),
        Some(Kind::General),
        Some(Kind::Advisor),
        Some(Kind::Elephant),
        None,
    ],
    [None, None, Some(Kind::Soldier), Some(Kind::Soldier), Some(Kind::Soldier), None, None],
];

/// Every square content, by piece id.
const CONTENTS: [Option<Piece>; 1 + Piece::COUNT] = {
    let mut contents = [None; 1 + Piece::COUNT];
    let mut index = 0;
    while index < Piece::COUNT {
        contents[1 + index] = Some(Piece::from_index(index));
        index += 1;
    }
    contents
};

impl SquareEncoding for Option<Piece> {
    const LISTS_COVERED: bool = true;

    const ALL: &'static [Self] = &CONTENTS;

    #[inline]
    fn piece_id(self) -> u8 {
        self.map_or(0, |piece| 1 + piece.index() as u8)
    }

    #[inline]
    fn is_covered(self) -> bool {
        false
    }

    #[inline]
    fn listed_as(self, _: Square) -> Option<Piece> {
        self
    }

    #[inline]
    fn zobrist_keys(square: Square) -> &'static [u64] {
        &ZOBRIST_KEYS[square.index()]
    }
}

/// The board. Both kings stand on it.
pub type Board = PieceBoard<u64, Option<Piece>, SQUARES>;

/// The lookup tables of the board; arrays of two are by colour.
pub(super) struct BoardTables {
    /// The palace, which the king does not leave: files c to e, three ranks.
    palace: [u64; 2],
    /// Movement by piece index.
    shapes: Shapes<u64, { Piece::COUNT }, { SIZE.files }, { SIZE.ranks }>,
    /// By square, the squares from which a soldier attacks it.
    soldier_origins: [Vec<u64>; 2],
}

static BOARD_TABLES: LazyLock<BoardTables> = LazyLock::new(|| {
    let palace = |ranks: std::ops::Range<usize>| {
        u64::collect(SIZE.all().filter(|&square| {
            (2..5).contains(&SIZE.file(square)) && ranks.contains(&SIZE.rank(square))
        }))
    };
    let palace = [palace(0..3), palace(4..7)];
    // Forward or sideways: there is no river.
    let steps = |forward: i32, from: Square| {
        let steps = [(0, forward), (-1, 0), (1, 0)];
        u64::collect(steps.into_iter().filter_map(|step| SIZE.offset(from, step)))
    };
    let soldier =
        [1, -1].map(|forward| SIZE.all().map(|from| steps(forward, from)).collect::<Vec<_>>());
    let soldier_origins = soldier.each_ref().map(|targets| origins(targets));
    let kinds = std::array::from_fn(|piece_id| Piece::from_index(piece_id).kind);
    let shapes = Shapes::new(&MOVES, kinds, |piece_id, from| {
        let Piece { colour, kind } = Piece::from_index(piece_id);
        match kind {
            Kind::General => Leaps::unhindered(MOVES.orthogonal(from) & palace[colour.index()]),
            Kind::Advisor => Leaps::unhindered(MOVES.diagonal(from)),
            Kind::Elephant => MOVES.elephant_leaps(from),
            Kind::Horse => MOVES.horse_leaps(from),
            Kind::Soldier => Leaps::unhindered(soldier[colour.index()][from.index()]),
            Kind::Chariot | Kind::Cannon => unreachable!("these go along lines"),
        }
    });
    BoardTables { palace, shapes, soldier_origins }
});

impl AttackOrigins<u64> for BoardTables {
    #[inline]
    fn sliding(&self, target: Square, occupied: u64) -> u64 {
        self.shapes.lines().reach(LineMovement::Slide, target, occupied)
    }

    #[inline]
    fn hopping(&self, target: Square, occupied: u64) -> u64 {
        self.shapes.lines().reach(LineMovement::Hop, target, occupied)
    }

    #[inline]
    fn horse(&self, target: Square, occupied: u64) -> u64 {
        MOVES.horse_origins(target, occupied)
    }

    #[inline]
    fn elephant(&self, target: Square, occupied: u64) -> u64 {
        MOVES.elephant(target, occupied)
    }
}

/// The squares of a king's palace.
pub(super) fn palace(colour: Colour) -> u64 {
    BOARD_TABLES.palace[colour.index()]
}

/// The board at the start of the game.
pub(super) fn start() -> Board {
    let mut board = Board::empty();
    for (rank, kinds) in START.iter().enumerate() {
        for (file, kind) in kinds.iter().enumerate() {
            if let Some(kind) = *kind {
                let square = SIZE.at(file, rank);
                board.put(square, Some(Piece { colour: Colour::Red, kind }));
                board.put(SIZE.rotated(square), Some(Piece { colour: Colour::Black, kind }));
            }
        }
    }
    board
}

/// Moves a piece, turns it into its other form, and returns whether it captured.
#[inline]
pub(super) fn step(board: &mut Board, from: Square, to: Square) -> bool {
    let captured = board.at(to).is_some() && board.lift(to).is_some();
    let Piece { colour, kind } = board.lift(from).expect("a piece stands where a step begins");
    board.put(to, Some(Piece { colour, kind: flipped(kind) }));
    captured
}

/// The square of a king.
#[inline]
pub(super) fn king(board: &Board, colour: Colour) -> Square {
    board.pieces(Piece { colour, kind: Kind::General }).first()
}

/// The pseudo-legal targets of the piece of this colour on `from`.
#[inline]
pub(super) fn reach(board: &Board, from: Square, colour: Colour) -> u64 {
    // Piece id 0 is an empty square.
    let piece = board.piece_id(from) - 1;
    BOARD_TABLES.shapes.reach(piece, from, board.occupied()) & !board.colour(colour)
}

/// The attacks of a piece, by its index.
pub(super) fn attacks(piece: usize, from: Square, occupied: u64) -> u64 {
    BOARD_TABLES.shapes.reach(piece, from, occupied) & occupied
}

/// The pieces of a colour with a pseudo-legal capture on `target`, with these squares occupied.
pub(super) fn attackers(board: &Board, colour: Colour, target: Square, occupied: u64) -> u64 {
    let tables = &*BOARD_TABLES;
    let kind = |kind| board.pieces(Piece { colour, kind });
    let king = if palace(colour).contains(target) { MOVES.orthogonal(target) } else { 0 };
    kind(Kind::General) & king
        | kind(Kind::Advisor) & MOVES.diagonal(target)
        | kind(Kind::Elephant) & tables.elephant(target, occupied)
        | kind(Kind::Horse) & tables.horse(target, occupied)
        | kind(Kind::Chariot) & tables.sliding(target, occupied)
        | kind(Kind::Cannon) & tables.hopping(target, occupied)
        | kind(Kind::Soldier) & tables.soldier_origins[colour.index()][target.index()]
}

/// A colour's king and the enemies that can attack it.
#[inline]
pub(super) fn king_safety(board: &Board, colour: Colour) -> KingSafety<'static, u64, BoardTables> {
    let enemy = colour.other();
    KingSafety {
        moves: &MOVES,
        origins: &*BOARD_TABLES,
        between: &BETWEEN,
        soldier_origins: &BOARD_TABLES.soldier_origins[enemy.index()],
        general: king(board, colour),
        occupied: board.occupied(),
        attackers: Attackers::of(|kind| board.pieces(Piece { colour: enemy, kind })),
    }
}

//! Who stands where on the 7 x 7 board, and how they move.

use std::sync::LazyLock;

use super::geometry::{BETWEEN, MOVES, SIZE, flipped};
use crate::board::{Bitboard, Colour, Kind, Piece, Square};
use crate::movement::{Attackers, KingSafety, Leaps, AttackOrigins, Shapes, LineMovement};
use crate::rng::zobrist;

const SQUARES: usize = SIZE.squares();

static ZOBRIST_KEYS: [[u64; Piece::COUNT]; SQUARES] = zobrist(5);
const MOVER_KEY: u64 = zobrist::<1, 1>(6)[0][0];

/// Red's pieces at the start, rank by rank; black's are the same turned.
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

/// What stands on a square by its piece id: nobody, then the pieces by index.
static PIECE_IDS: [Option<Piece>; 1 + Piece::COUNT] = {
    let mut piece_ids = [None; 1 + Piece::COUNT];
    let mut index = 0;
    while index < Piece::COUNT {
        piece_ids[1 + index] = Some(Piece::from_index(index));
        index += 1;
    }
    piece_ids
};

/// What the board adds to the shapes of movement, by colour.
pub(super) struct BoardTables {
    /// Where the king stays: files c to e, three ranks.
    palace: [u64; 2],
    /// How the pieces move.
    shapes: Shapes<u64, { Piece::COUNT }, { SIZE.files }, { SIZE.ranks }>,
    /// From where a soldier attacks each square.
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
    let soldier_origins = [0, 1].map(|colour| {
        let attacks = |from: Square, to| soldier[colour][from.index()].contains(to);
        SIZE.all()
            .map(|to| u64::collect(SIZE.all().filter(|&from| attacks(from, to))))
            .collect::<Vec<_>>()
    });
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

/// Who stands where, and whose turn it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    /// Which of [`PIECE_IDS`] stands on every square.
    piece_ids: [u8; SQUARES],
    colours: [u64; 2],
    kinds: [u64; 7],
    kings: [Square; 2],
    mover: Colour,
    key: u64,
}

impl Board {
    /// A board without pieces, red to move. Both kings must be put on it.
    pub(super) fn empty() -> Self {
        Self {
            piece_ids: [0; SQUARES],
            colours: [0; 2],
            kinds: [0; 7],
            kings: [Square::new(0); 2],
            mover: Colour::Red,
            key: 0,
        }
    }

    /// The start of the game.
    pub(super) fn start() -> Self {
        let mut board = Self::empty();
        for (rank, kinds) in START.iter().enumerate() {
            for (file, kind) in kinds.iter().enumerate() {
                if let Some(kind) = *kind {
                    let square = SIZE.at(file, rank);
                    board.put(square, Piece { colour: Colour::Red, kind });
                    board.put(SIZE.rotated(square), Piece { colour: Colour::Black, kind });
                }
            }
        }
        board
    }

    /// The piece on a square.
    #[inline]
    pub fn at(&self, square: Square) -> Option<Piece> {
        PIECE_IDS[usize::from(self.piece_ids[square.index()])]
    }

    /// For every square 1 + [`Piece::index`] of the piece that stands there, 0 without one.
    #[inline]
    pub(super) fn piece_ids(&self) -> &[u8; SQUARES] {
        &self.piece_ids
    }

    /// Whose turn it is.
    #[inline]
    pub fn mover(&self) -> Colour {
        self.mover
    }

    /// The squares of one colour.
    #[inline]
    pub(super) fn colour(&self, colour: Colour) -> u64 {
        self.colours[colour.index()]
    }

    /// The squares of the pieces of this colour and kind.
    #[inline]
    pub(super) fn pieces(&self, piece: Piece) -> u64 {
        self.colour(piece.colour) & self.kinds[piece.kind.index()]
    }

    /// Where a king stands.
    #[inline]
    pub(super) fn king(&self, colour: Colour) -> Square {
        self.kings[colour.index()]
    }

    /// The occupied squares.
    #[inline]
    pub(super) fn occupied(&self) -> u64 {
        self.colours[0] | self.colours[1]
    }

    /// Hash of the board and the side to move.
    #[inline]
    pub(super) fn key(&self) -> u64 {
        self.key
    }

    /// Hands the turn over.
    #[inline]
    pub(super) fn pass_turn(&mut self) {
        self.mover = self.mover.other();
        self.key ^= MOVER_KEY;
    }

    /// Puts a piece on an empty square.
    #[inline]
    pub(super) fn put(&mut self, square: Square, piece: Piece) {
        debug_assert_eq!(self.at(square), None);
        self.piece_ids[square.index()] = 1 + piece.index() as u8;
        self.toggle(square, piece);
        if piece.kind == Kind::General {
            self.kings[piece.colour.index()] = square;
        }
    }

    #[inline]
    fn lift(&mut self, square: Square) -> Option<Piece> {
        let piece = self.at(square)?;
        self.piece_ids[square.index()] = 0;
        self.toggle(square, piece);
        Some(piece)
    }

    #[inline]
    fn toggle(&mut self, square: Square, piece: Piece) {
        let bit = u64::single(square);
        self.colours[piece.colour.index()] ^= bit;
        self.kinds[piece.kind.index()] ^= bit;
        self.key ^= ZOBRIST_KEYS[square.index()][piece.index()];
    }

    /// MoveTables a piece, turning it into its other form, and says whether it took one.
    #[inline]
    pub(super) fn step(&mut self, from: Square, to: Square) -> bool {
        let captured = self.lift(to).is_some();
        let Piece { colour, kind } = self.lift(from).expect("a piece stands where a step begins");
        self.put(to, Piece { colour, kind: flipped(kind) });
        self.pass_turn();
        captured
    }

    /// Where the piece of this colour on `from` could go if no king had to be guarded.
    #[inline]
    pub(super) fn reach(&self, from: Square, colour: Colour) -> u64 {
        // Sort 0 is nobody.
        let piece = usize::from(self.piece_ids[from.index()]) - 1;
        BOARD_TABLES.shapes.reach(piece, from, self.occupied()) & !self.colour(colour)
    }

    /// A colour's king with its enemies.
    #[inline]
    pub(super) fn king_safety(&self, colour: Colour) -> KingSafety<'static, u64, BoardTables> {
        let enemy = colour.other();
        let kind = |kind| self.pieces(Piece { colour: enemy, kind });
        KingSafety {
            moves: &MOVES,
            origins: &*BOARD_TABLES,
            between: &BETWEEN,
            soldier_origins: &BOARD_TABLES.soldier_origins[enemy.index()],
            general: self.kings[colour.index()],
            occupied: self.occupied(),
            attackers: Attackers {
                general: kind(Kind::General),
                advisors: kind(Kind::Advisor),
                elephants: kind(Kind::Elephant),
                horses: kind(Kind::Horse),
                chariots: kind(Kind::Chariot),
                cannons: kind(Kind::Cannon),
                soldiers: kind(Kind::Soldier),
            },
        }
    }
}

//! The xiangqi board with covered pieces: a covered piece moves as the piece of its home square.

use super::geometry::SIZE;
use crate::board::{Bitboard, Colour, Kind, Piece, PieceBoard, Square, SquareEncoding};
use crate::rng::zobrist;

pub(super) const SQUARES: usize = SIZE.squares();

/// Zobrist keys by square: the 14 pieces, then a covered piece of each colour.
static ZOBRIST_KEYS: [[u64; SquareContents::PIECE_IDS - 1]; SQUARES] = zobrist(3);
/// The Zobrist key of black to move.
pub(super) const MOVER_KEY: u64 = zobrist::<1, 1>(4)[0][0];

/// The back rank, file by file.
const BACK_RANK: [Kind; 9] = [
    Kind::Chariot,
    Kind::Horse,
    Kind::Elephant,
    Kind::Advisor,
    Kind::General,
    Kind::Advisor,
    Kind::Elephant,
    Kind::Horse,
    Kind::Chariot,
];

/// The piece that xiangqi places on each square at the start.
static HOME: [Option<Piece>; SQUARES] = home();

const fn home() -> [Option<Piece>; SQUARES] {
    let mut home = [None; SQUARES];
    let mut file = 0;
    while file < SIZE.files {
        let kinds = [
            Some(BACK_RANK[file]),
            None,
            if file == 1 || file == 7 { Some(Kind::Cannon) } else { None },
            if file % 2 == 0 { Some(Kind::Soldier) } else { None },
        ];
        let mut rank = 0;
        while rank < kinds.len() {
            if let Some(kind) = kinds[rank] {
                let square = SIZE.at(file, rank);
                home[square.index()] = Some(Piece { colour: Colour::Red, kind });
                home[SIZE.rotated(square).index()] = Some(Piece { colour: Colour::Black, kind });
            }
            rank += 1;
        }
        file += 1;
    }
    home
}

/// The piece that xiangqi places on this square at the start.
pub(super) fn home_piece(square: Square) -> Option<Piece> {
    HOME[square.index()]
}

/// The content of a square, as every viewer sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SquareContents {
    /// No piece.
    Empty,
    /// A covered piece of this colour on its home square.
    Covered(Colour),
    /// A revealed piece.
    Revealed(Piece),
}

impl SquareContents {
    /// Number of different contents.
    pub(super) const PIECE_IDS: usize = 1 + Piece::COUNT + 2;
}

impl SquareEncoding for SquareContents {
    const LISTS_COVERED: bool = true;

    const ALL: &'static [Self] = {
        const ALL: [SquareContents; SquareContents::PIECE_IDS] = {
            let mut all = [SquareContents::Empty; SquareContents::PIECE_IDS];
            let mut index = 0;
            while index < Piece::COUNT {
                all[1 + index] = SquareContents::Revealed(Piece::from_index(index));
                index += 1;
            }
            all[1 + Piece::COUNT] = SquareContents::Covered(Colour::Red);
            all[2 + Piece::COUNT] = SquareContents::Covered(Colour::Black);
            all
        };
        &ALL
    };

    #[inline]
    fn piece_id(self) -> u8 {
        match self {
            Self::Empty => 0,
            Self::Revealed(piece) => 1 + piece.index() as u8,
            Self::Covered(colour) => (1 + Piece::COUNT + colour.index()) as u8,
        }
    }

    #[inline]
    fn is_covered(self) -> bool {
        matches!(self, Self::Covered(_))
    }

    /// A covered piece is listed as the piece it moves as.
    #[inline]
    fn listed_as(self, square: Square) -> Option<Piece> {
        match self {
            Self::Empty => None,
            Self::Revealed(piece) => Some(piece),
            Self::Covered(_) => home_piece(square),
        }
    }

    #[inline]
    fn zobrist_keys(square: Square) -> &'static [u64] {
        &ZOBRIST_KEYS[square.index()]
    }
}

/// The board. Both generals stand on it.
pub type Board = PieceBoard<u128, SquareContents, SQUARES>;

/// The board at the start: pieces of the kinds `covered`, which are given as bits, face down, all others
/// face up.
#[inline]
pub(super) fn start(covered: u8) -> Board {
    let mut board = Board::empty();
    for square in SIZE.all() {
        if let Some(piece) = home_piece(square) {
            let contents = if covered >> piece.kind.index() & 1 == 1 {
                SquareContents::Covered(piece.colour)
            } else {
                SquareContents::Revealed(piece)
            };
            board.put(square, contents);
        }
    }
    board
}

/// The square of a general.
#[inline]
pub(super) fn general(board: &Board, colour: Colour) -> Square {
    board.pieces(Piece { colour, kind: Kind::General }).first()
}

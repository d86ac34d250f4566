//! The xiangqi board with covered pieces on it: who stands where and moves as what.

use super::geometry::SIZE;
use crate::board::{Bitboard, Colour, Kind, Piece, Square};
use crate::rng::zobrist;

pub(super) const SQUARES: usize = SIZE.squares();

/// Per square: the 14 pieces, then a covered piece of each colour.
static ZOBRIST_KEYS: [[u64; SquareContents::PIECE_IDS - 1]; SQUARES] = zobrist(3);
const MOVER_KEY: u64 = zobrist::<1, 1>(4)[0][0];

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

/// What everybody sees on a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SquareContents {
    /// Nothing.
    Empty,
    /// A piece of this colour, face down on its home square.
    Covered(Colour),
    /// A piece face up.
    Revealed(Piece),
}

impl SquareContents {
    /// Number of different contents.
    pub(super) const PIECE_IDS: usize = 1 + Piece::COUNT + 2;

    /// Nothing, the pieces, a covered one of each colour.
    pub(super) const ALL: [Self; Self::PIECE_IDS] = {
        let mut all = [Self::Empty; Self::PIECE_IDS];
        let mut index = 0;
        while index < Piece::COUNT {
            all[1 + index] = Self::Revealed(Piece::from_index(index));
            index += 1;
        }
        all[1 + Piece::COUNT] = Self::Covered(Colour::Red);
        all[2 + Piece::COUNT] = Self::Covered(Colour::Black);
        all
    };

    /// Position in [`SquareContents::ALL`].
    #[inline]
    const fn index(self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Revealed(piece) => 1 + piece.index(),
            Self::Covered(colour) => 1 + Piece::COUNT + colour.index(),
        }
    }

    /// The colour and the kind that this moves as on a square.
    #[inline]
    pub(super) fn mover_on(self, square: Square) -> Option<Piece> {
        match self {
            Self::Empty => None,
            Self::Revealed(piece) => Some(piece),
            Self::Covered(_) => home_piece(square),
        }
    }

    #[inline]
    fn key(self, square: Square) -> u64 {
        ZOBRIST_KEYS[square.index()].get(self.index().wrapping_sub(1)).copied().unwrap_or(0)
    }
}

/// Who stands where, and whose turn it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    /// [`SquareContents::index`] of every square.
    contents: [u8; SQUARES],
    colours: [u128; 2],
    covered: u128,
    /// The squares of the pieces that move as each kind, covered ones included.
    shapes: [u128; 7],
    generals: [Square; 2],
    mover: Colour,
    key: u64,
}

impl Board {
    /// A board without pieces, red to move. Both generals must be put on it.
    pub(super) fn empty() -> Self {
        Self {
            contents: [SquareContents::Empty.index() as u8; SQUARES],
            colours: [0; 2],
            covered: 0,
            shapes: [0; 7],
            generals: [Square::new(0); 2],
            mover: Colour::Red,
            key: 0,
        }
    }

    /// The start: generals face up, everything else face down.
    pub(super) fn start() -> Self {
        let mut board = Self::empty();
        for square in SIZE.all() {
            if let Some(piece) = home_piece(square) {
                let contents = match piece.kind {
                    Kind::General => SquareContents::Revealed(piece),
                    _ => SquareContents::Covered(piece.colour),
                };
                board.put(square, contents);
            }
        }
        board
    }

    /// What stands on a square.
    #[inline]
    pub fn at(&self, square: Square) -> SquareContents {
        SquareContents::ALL[self.piece_id(square)]
    }

    /// The number of what stands on a square: 0 for nothing, 1 + [`Piece::index`], 15 and 16 for
    /// covered pieces of red and black.
    #[inline]
    pub(super) fn piece_id(&self, square: Square) -> usize {
        self.contents[square.index()].into()
    }

    /// [`Board::piece id`] of every square.
    #[inline]
    pub(super) fn piece_ids(&self) -> &[u8; SQUARES] {
        &self.contents
    }

    /// Whether a covered piece stands on a square.
    #[inline]
    pub fn is_covered(&self, square: Square) -> bool {
        self.covered.contains(square)
    }

    /// The squares of one colour.
    #[inline]
    pub(super) fn colour(&self, colour: Colour) -> u128 {
        self.colours[colour.index()]
    }

    /// The squares of the covered pieces.
    #[inline]
    pub(super) fn covered(&self) -> u128 {
        self.covered
    }

    /// The occupied squares.
    #[inline]
    pub(super) fn occupied(&self) -> u128 {
        self.colours[0] | self.colours[1]
    }

    /// The squares of the pieces that move as this kind.
    #[inline]
    pub(super) fn shape(&self, kind: Kind) -> u128 {
        self.shapes[kind.index()]
    }

    /// Where a general stands.
    #[inline]
    pub(super) fn general(&self, colour: Colour) -> Square {
        self.generals[colour.index()]
    }

    /// Whose turn it is.
    #[inline]
    pub fn mover(&self) -> Colour {
        self.mover
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

    /// Puts something on an empty square; a covered piece only on a home square of its side.
    #[inline]
    pub(super) fn put(&mut self, square: Square, contents: SquareContents) {
        debug_assert_eq!(self.at(square), SquareContents::Empty);
        self.contents[square.index()] = contents.index() as u8;
        self.toggle(square, contents);
        if let SquareContents::Revealed(Piece { colour, kind: Kind::General }) = contents {
            self.generals[colour.index()] = square;
        }
    }

    /// Takes up what stands on a square.
    #[inline]
    pub(super) fn lift(&mut self, square: Square) -> SquareContents {
        let contents = self.at(square);
        self.toggle(square, contents);
        self.contents[square.index()] = SquareContents::Empty.index() as u8;
        contents
    }

    #[inline]
    fn toggle(&mut self, square: Square, contents: SquareContents) {
        let bit = u128::single(square);
        let shape = match contents {
            SquareContents::Empty => return,
            SquareContents::Revealed(piece) => Some(piece),
            SquareContents::Covered(_) => {
                self.covered ^= bit;
                home_piece(square)
            }
        };
        let shape = shape.expect("covered pieces stand on home squares");
        self.colours[shape.colour.index()] ^= bit;
        self.shapes[shape.kind.index()] ^= bit;
        self.key ^= contents.key(square);
    }
}

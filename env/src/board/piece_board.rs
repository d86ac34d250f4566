//! A board of xiangqi pieces, some of which may be covered.

use std::fmt::Debug;
use std::marker::PhantomData;

use super::bitboard::Bitboard;
use super::piece::{Colour, Kind, Piece};
use super::square::Square;

/// The content of a square of a [`PieceBoard`], as every viewer sees it.
///
/// A piece id is 0 for an empty square, 1 + [`Piece::index`] for a revealed piece, and above that
/// for covered pieces.
pub trait SquareEncoding: Copy + Eq + Debug + 'static {
    /// Whether the bitboards list covered pieces by colour and kind.
    const LISTS_COVERED: bool;

    /// Every content, by piece id.
    const ALL: &'static [Self];

    /// The piece id.
    fn piece_id(self) -> u8;

    /// Whether it is a covered piece.
    fn is_covered(self) -> bool;

    /// The colour and kind under which the bitboards list the piece on this square; `None` for an
    /// empty square, and for a covered piece whose colour is hidden too.
    fn listed_as(self, square: Square) -> Option<Piece>;

    /// The random keys of a square (Zobrist hashing, 1970), by piece id - 1.
    fn zobrist_keys(square: Square) -> &'static [u64];
}

/// A board of xiangqi pieces in two forms, which change together: a piece id per square (a mailbox
/// in chess programming), and bitboards by colour and by kind. Its hash key is updated
/// incrementally.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PieceBoard<B, C, const SQUARES: usize> {
    piece_ids: [u8; SQUARES],
    colours: [B; 2],
    kinds: [B; Kind::ALL.len()],
    covered: B,
    key: u64,
    content: PhantomData<C>,
}

impl<B: Bitboard, C: SquareEncoding, const SQUARES: usize> PieceBoard<B, C, SQUARES> {
    /// A board without pieces.
    pub(crate) fn empty() -> Self {
        Self {
            piece_ids: [0; SQUARES],
            colours: [B::EMPTY; 2],
            kinds: [B::EMPTY; Kind::ALL.len()],
            covered: B::EMPTY,
            key: 0,
            content: PhantomData,
        }
    }

    /// A board with nothing but what stands on these squares.
    pub(crate) fn only(&self, squares: [Square; 2]) -> Self {
        let mut board = Self::empty();
        for square in squares.into_iter().filter(|&square| self.piece_id(square) > 0) {
            board.put(square, self.at(square));
        }
        board
    }

    /// The content of a square.
    #[inline]
    pub fn at(&self, square: Square) -> C {
        C::ALL[self.piece_id(square)]
    }

    /// The piece id on a square.
    #[inline]
    pub(crate) fn piece_id(&self, square: Square) -> usize {
        self.piece_ids[square.index()].into()
    }

    /// The piece id on every square.
    #[inline]
    pub(crate) fn piece_ids(&self) -> &[u8; SQUARES] {
        &self.piece_ids
    }

    /// Whether a covered piece stands on a square.
    #[inline]
    pub fn is_covered(&self, square: Square) -> bool {
        self.covered.contains(square)
    }

    /// The squares of the covered pieces.
    #[inline]
    pub(crate) fn covered(&self) -> B {
        self.covered
    }

    /// The squares of the pieces listed under one colour.
    #[inline]
    pub(crate) fn colour(&self, colour: Colour) -> B {
        self.colours[colour.index()]
    }

    /// The squares of the pieces listed under one kind.
    #[inline]
    pub(crate) fn kind(&self, kind: Kind) -> B {
        self.kinds[kind.index()]
    }

    /// The squares of the pieces listed under this colour and kind.
    #[inline]
    pub(crate) fn pieces(&self, piece: Piece) -> B {
        self.colour(piece.colour) & self.kind(piece.kind)
    }

    /// The occupied squares.
    #[inline]
    pub(crate) fn occupied(&self) -> B {
        let listed = self.colours[0] | self.colours[1];
        if C::LISTS_COVERED { listed } else { listed | self.covered }
    }

    /// The Zobrist hash of the board and of the keys given to [`PieceBoard::toggle_key`].
    #[inline]
    pub(crate) fn key(&self) -> u64 {
        self.key
    }

    /// Includes a key in the hash, or removes it: the seat to move, for example.
    #[inline]
    pub(crate) fn toggle_key(&mut self, key: u64) {
        self.key ^= key;
    }

    /// Puts something on an empty square.
    #[inline]
    pub(crate) fn put(&mut self, square: Square, content: C) {
        debug_assert_eq!(self.piece_id(square), 0);
        let piece_id = content.piece_id();
        self.piece_ids[square.index()] = piece_id;
        self.toggle(square, piece_id.into(), content);
    }

    /// Removes what stands on a square and returns it.
    #[inline]
    pub(crate) fn lift(&mut self, square: Square) -> C {
        let piece_id = self.piece_id(square);
        let content = C::ALL[piece_id];
        self.toggle(square, piece_id, content);
        self.piece_ids[square.index()] = 0;
        content
    }

    /// Adds a content to the bitboards and the key, or removes it.
    #[inline]
    fn toggle(&mut self, square: Square, piece_id: usize, content: C) {
        let bit = B::single(square);
        if content.is_covered() {
            self.covered ^= bit;
        }
        if let Some(piece) = content.listed_as(square) {
            self.colours[piece.colour.index()] ^= bit;
            self.kinds[piece.kind.index()] ^= bit;
        }
        // An empty square has no key.
        let keys = C::zobrist_keys(square);
        self.key ^= keys.get(piece_id.wrapping_sub(1)).copied().unwrap_or(0);
    }
}

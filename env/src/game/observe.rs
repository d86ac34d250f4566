//! Observations: planes for convolutions, tokens for attention, from one description.
//!
//! A game describes a view once, to an [`Encoder`]; the two encoders here write it as
//!
//! - planes, `(C, H, W)` bytes: one 0/1 plane per piece id, one plane per mark with its value
//!   on the marked square, one constant plane per scalar;
//! - tokens, `(T,)` bytes: per square 0 or 1 + the piece id, then per mark its square + 1 (0
//!   without one) and its value, then the scalars.
//!
//! Squares are numbered from the viewer's side, `rank * W + file`, the viewer's own first rank
//! first.

use std::marker::PhantomData;

use super::hidden::Hidden;
use crate::board::{BoardSize, Colour, Kind, Perspective, Square};
use crate::simd;

/// The names of what a game's observation holds.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The board.
    pub size: BoardSize,
    /// Sorts of piece, as the viewer tells them apart.
    pub pieces: &'static [&'static str],
    /// Facts about one square each.
    pub marks: &'static [&'static str],
    /// Facts about the whole position.
    pub scalars: &'static [&'static str],
    /// More scalars, numbered on: the counters of the game's drawing rules.
    pub counters: &'static [&'static str],
}

impl Layout {
    /// Number of scalars, counters included.
    const fn scalar_count(&self) -> usize {
        self.scalars.len() + self.counters.len()
    }

    /// Shape of the planes: channels, ranks, files.
    pub const fn plane_shape(&self) -> [usize; 3] {
        let channels = self.pieces.len() + self.marks.len() + self.scalar_count();
        [channels, self.size.ranks, self.size.files]
    }

    /// Bytes of an observation as planes.
    pub const fn plane_len(&self) -> usize {
        let [channels, ranks, files] = self.plane_shape();
        channels * ranks * files
    }

    /// Bytes of an observation as tokens.
    pub const fn token_len(&self) -> usize {
        self.size.squares() + 2 * self.marks.len() + self.scalar_count()
    }

    /// The names of the planes in order.
    pub fn plane_names(&self) -> Vec<&'static str> {
        [self.pieces, self.marks, self.scalars, self.counters].concat()
    }

    /// The names of the tokens in order.
    pub fn token_names(&self) -> Vec<String> {
        let squares = self.size.all().map(|square| self.size.name(square));
        let marks =
            self.marks.iter().flat_map(|name| [format!("{name} square"), (*name).to_owned()]);
        let scalars = self.scalars.iter().chain(self.counters).map(|&name| name.to_owned());
        squares.chain(marks).chain(scalars).collect()
    }
}

/// Squares of the greatest board that [`Encoder::board`] takes.
const MOST_SQUARES: usize = 128;

/// Takes the description of a view.
pub trait Encoder {
    /// All pieces that stand on the board: the piece id and the square of each. A view describes its
    /// board once, like this or by [`Encoder::board`].
    fn pieces(&mut self, pieces: impl Iterator<Item = (usize, Square)>);

    /// Everything that stands on a board of up to 128 squares: `token` gives 1 + the piece id of what
    /// stands on a square, and 0 for an empty one. It is best without branches and look-ups, for
    /// all squares are asked for at once. Here alone these are numbered as in notation, and turned
    /// for a viewer on the far side.
    fn board(&mut self, perspective: Perspective, token: impl Fn(Square) -> u8);

    /// A mark has this value on this square.
    fn mark(&mut self, mark: usize, square: Square, value: u8);

    /// The next scalars have these values. Every scalar is given once, in the layout's order.
    fn scalars(&mut self, values: &[u8]);

    /// The next scalar has this value.
    #[inline]
    fn scalar(&mut self, value: u8) {
        self.scalars(&[value]);
    }
}

/// A game that describes its views to learners.
pub trait Observe: Hidden {
    /// What an observation holds.
    const LAYOUT: Layout;

    /// Describes a view, its squares numbered from the viewer's side but for [`Encoder::board`].
    fn observe(&self, view: &Self::View<'_>, encoder: &mut impl Encoder);
}

/// How observations are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// `(C, H, W)` planes.
    #[default]
    Planes,
    /// `(T,)` tokens.
    Tokens,
}

impl Format {
    /// Bytes of one observation.
    pub const fn len(self, layout: &Layout) -> usize {
        match self {
            Self::Planes => layout.plane_len(),
            Self::Tokens => layout.token_len(),
        }
    }

    /// Writes one observation over `row`.
    ///
    /// # Panics
    /// If that has not [`Format::len`] bytes.
    #[inline]
    pub fn write<G: Observe>(self, game: &G, view: &G::View<'_>, row: &mut [u8]) {
        let layout = &G::LAYOUT;
        assert_eq!(row.len(), self.len(layout), "bytes of a row");
        match self {
            Self::Planes => {
                let mut writer = PlaneWriter::<G>::new(row);
                game.observe(view, &mut writer);
                debug_assert!(writer.scalars.is_empty(), "{} leaves scalars out", G::NAME);
            }
            Self::Tokens => {
                let (board, rest) = row.split_at_mut(layout.size.squares());
                let (marks, scalars) = rest.split_at_mut(2 * layout.marks.len());
                marks.fill(0);
                let mut writer = TokenWriter::<G> { board, marks, scalars, game: PhantomData };
                game.observe(view, &mut writer);
                debug_assert!(writer.scalars.is_empty(), "{} leaves scalars out", G::NAME);
            }
        }
    }
}

/// Writes the planes of an observation that is given as tokens: the two hold the same.
///
/// # Panics
/// If `tokens` or `planes` has another length than [`Format::len`].
#[inline]
pub fn planes_of_tokens<G: Observe>(tokens: &[u8], planes: &mut [u8]) {
    let layout = &G::LAYOUT;
    assert_eq!([tokens.len(), planes.len()], [layout.token_len(), layout.plane_len()]);
    let (board, rest) = tokens.split_at(layout.size.squares());
    let (marks, values) = rest.split_at(2 * layout.marks.len());
    let mut writer = PlaneWriter::<G>::new(planes);
    simd::one_hot(board, writer.pieces);
    for (mark, pair) in marks.as_chunks::<2>().0.iter().enumerate() {
        if pair[0] > 0 {
            writer.mark(mark, Square::new(usize::from(pair[0]) - 1), pair[1]);
        }
    }
    writer.scalars(values);
}

/// Writes what stands on each square, as the viewer numbers them.
#[inline]
fn write_tokens(
    size: BoardSize,
    perspective: Perspective,
    token: impl Fn(Square) -> u8,
    board: &mut [u8],
) {
    // Said once more for the compiler, which then writes many tokens at once.
    let squares = board[..size.squares()].iter_mut().zip(size.all());
    match perspective {
        Perspective::Upright => squares.for_each(|(byte, square)| *byte = token(square)),
        Perspective::Rotated => {
            squares.for_each(|(byte, square)| *byte = token(size.rotated(square)))
        }
    }
}

/// Writes a game's views as planes. The type names the game, so that lengths are constants.
struct PlaneWriter<'a, G> {
    pieces: &'a mut [u8],
    marks: &'a mut [u8],
    /// Those that are still to be given.
    scalars: &'a mut [u8],
    game: PhantomData<G>,
}

impl<'a, G: Observe> PlaneWriter<'a, G> {
    const SQUARES: usize = G::LAYOUT.size.squares();

    /// Planes without a mark, over bytes of the right number; all else is to be written.
    #[inline]
    fn new(row: &'a mut [u8]) -> Self {
        let (pieces, rest) = row.split_at_mut(G::LAYOUT.pieces.len() * Self::SQUARES);
        let (marks, scalars) = rest.split_at_mut(G::LAYOUT.marks.len() * Self::SQUARES);
        marks.fill(0);
        Self { pieces, marks, scalars, game: PhantomData }
    }
}

impl<G: Observe> Encoder for PlaneWriter<'_, G> {
    #[inline]
    fn pieces(&mut self, pieces: impl Iterator<Item = (usize, Square)>) {
        self.pieces.fill(0);
        pieces.for_each(|(piece_id, square)| {
            self.pieces[piece_id * Self::SQUARES + square.index()] = 1
        });
    }

    #[inline]
    fn board(&mut self, perspective: Perspective, token: impl Fn(Square) -> u8) {
        const { assert!(Self::SQUARES <= MOST_SQUARES, "greater boards are given piece by piece") };
        let mut tokens = [0; MOST_SQUARES];
        let tokens = &mut tokens[..Self::SQUARES];
        write_tokens(G::LAYOUT.size, perspective, token, tokens);
        simd::one_hot(tokens, self.pieces);
    }

    #[inline]
    fn mark(&mut self, mark: usize, square: Square, value: u8) {
        self.marks[mark * Self::SQUARES + square.index()] = value;
    }

    #[inline]
    fn scalars(&mut self, values: &[u8]) {
        let bytes = values.len() * Self::SQUARES;
        let (planes, rest) = std::mem::take(&mut self.scalars).split_at_mut(bytes);
        let planes = planes.chunks_exact_mut(Self::SQUARES);
        planes.zip(values).for_each(|(plane, &value)| plane.fill(value));
        self.scalars = rest;
    }
}

/// Writes a game's views as tokens.
struct TokenWriter<'a, G> {
    board: &'a mut [u8],
    marks: &'a mut [u8],
    /// Those that are still to be given.
    scalars: &'a mut [u8],
    game: PhantomData<G>,
}

impl<G: Observe> Encoder for TokenWriter<'_, G> {
    #[inline]
    fn pieces(&mut self, pieces: impl Iterator<Item = (usize, Square)>) {
        self.board.fill(0);
        pieces.for_each(|(piece_id, square)| self.board[square.index()] = piece_id as u8 + 1);
    }

    #[inline]
    fn board(&mut self, perspective: Perspective, token: impl Fn(Square) -> u8) {
        write_tokens(G::LAYOUT.size, perspective, token, self.board);
    }

    #[inline]
    fn mark(&mut self, mark: usize, square: Square, value: u8) {
        self.marks[2 * mark] = square.index() as u8 + 1;
        self.marks[2 * mark + 1] = value;
    }

    #[inline]
    fn scalars(&mut self, values: &[u8]) {
        let (scalars, rest) = std::mem::take(&mut self.scalars).split_at_mut(values.len());
        scalars.copy_from_slice(values);
        self.scalars = rest;
    }
}

/// The token that shows a colour what stands on a square, which is 1 + [`Piece::index`] or 0 for
/// nothing: one's own pieces come before the enemy's. What is beyond the pieces stays as it is.
///
/// All bits or none take the place of branches: many squares are shown at once.
#[inline]
pub(crate) const fn piece_token(own: Colour, piece_id: u8) -> u8 {
    const KINDS: u8 = Kind::ALL.len() as u8;
    const BOTH: u8 = 2 * KINDS;
    let exchanged = piece_id + KINDS - (BOTH & exceeds(piece_id, KINDS));
    let is_piece = exceeds(piece_id, 0) & !exceeds(piece_id, BOTH);
    piece_id ^ (piece_id ^ exchanged) & is_piece & exceeds(own as u8, 0)
}

/// All bits if a value is greater than another, both below 128; else none.
#[inline]
pub(crate) const fn exceeds(value: u8, bound: u8) -> u8 {
    ((bound as i8 - value as i8) >> 7) as u8
}

/// A counter with a limit as one byte: itself while the limit fits, else 255 parts of the limit.
/// 255 parts mean that the limit is reached. Without a limit (0) the counter saturates.
#[inline]
pub fn gauge(count: u16, limit: u16) -> u8 {
    if limit <= 255 {
        count.min(255) as u8
    } else {
        (u32::from(count.min(limit)) * 255 / u32::from(limit)) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::{gauge, piece_token};
    use crate::board::{Colour, Piece};

    #[test]
    fn tokens_show_ones_own_pieces_first() {
        for (piece_id, index) in (1..).zip(0..Piece::COUNT) {
            let Piece { colour, kind } = Piece::from_index(index);
            let turned = Piece { colour: colour.other(), kind }.index() as u8 + 1;
            assert_eq!(piece_token(Colour::Red, piece_id), piece_id);
            assert_eq!(piece_token(Colour::Black, piece_id), turned);
        }
        for piece_id in [0, 15, 16] {
            assert_eq!(Colour::ALL.map(|own| piece_token(own, piece_id)), [piece_id; 2]);
        }
    }

    #[test]
    fn gauges_tell_the_limit_apart() {
        assert_eq!(gauge(60, 60), 60);
        assert_eq!(gauge(1000, 1000), 255);
        assert_eq!(gauge(999, 1000), 254);
        assert_eq!(gauge(300, 0), 255);
    }
}

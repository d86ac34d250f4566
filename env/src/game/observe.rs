//! Observations: planes for convolutions, tokens for attention, from one description.
//!
//! A game describes a view once, to an [`Encoder`]; the two encoders here write it as
//!
//! - planes, `(C, H, W)` bytes: one 0/1 plane per piece id (a one-hot encoding, as in AlphaZero),
//!   one plane per mark with its value on the marked square, one constant plane per scalar;
//! - tokens, `(T,)` bytes: per square 0 or 1 + the piece id, then per mark its square + 1 (0
//!   without one) and its value, then the scalars.
//!
//! Squares are numbered in the perspective of the viewer, `rank * W + file`: the viewer's own first
//! rank comes first.

use std::marker::PhantomData;

use super::attacks::Attacks;
use super::hidden::{Hidden, Hides};
use super::outcome::Player;
use crate::board::{BoardSize, Colour, Kind, Perspective, Square};
use crate::simd;

/// The names of what a game's observation holds.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The board.
    pub size: BoardSize,
    /// The piece ids that a viewer can tell apart.
    pub pieces: &'static [&'static str],
    /// Marks: values on one square each.
    pub marks: &'static [&'static str],
    /// Values of the whole position.
    pub scalars: &'static [&'static str],
    /// Further scalars after those: the counters of the drawing rules.
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

    /// Checks that the piece ids and the squares of marks fit into the byte of a token.
    const fn check_tokens(&self) {
        assert!(self.pieces.len() < 256, "a token has at most 255 piece ids");
        let squares = if self.marks.is_empty() { 0 } else { self.size.squares() };
        assert!(squares < 256, "a token has at most 255 squares for a mark");
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

/// Number of squares of the largest board that [`Encoder::board`] takes.
const MAX_SQUARES: usize = 128;

/// Receives the description of a view.
pub trait Encoder {
    /// All pieces on the board: the piece id and the square of each. A view describes its board
    /// once, by this method or by [`Encoder::board`].
    fn pieces(&mut self, pieces: impl Iterator<Item = (usize, Square)>);

    /// The pieces on a board of up to 128 squares: `token` gives 1 + the piece id of the piece on a
    /// square, 0 for an empty square. The method asks for all squares at once, so `token` should
    /// have no branch and no lookup. Here alone squares are numbered as in notation; the method
    /// applies the perspective.
    fn board(&mut self, perspective: Perspective, token: impl Fn(Square) -> u8);

    /// Sets a mark to a value on a square.
    fn mark(&mut self, mark: usize, square: Square, value: u8);

    /// Writes the next scalars. Every scalar is written once, in the order of the layout.
    fn scalars(&mut self, values: &[u8]);
}

/// The names of a layout's pieces: own ones of these kinds, the enemy's, and others.
macro_rules! own_and_enemy {
    ([$($kind:literal),*] $(, $other:literal)*) => {
        &[$(concat!("own ", $kind),)* $(concat!("enemy ", $kind),)* $($other),*]
    };
}

pub(crate) use own_and_enemy;

/// Declares scalars or marks of an observation, one entry each: its name, the greatest value under the
/// options in force, and the value in a view. Expands, within an `impl`, to a list of the names and to
/// two methods that give the greatest values and the values, all in the order of the entries.
///
/// ```
/// struct Rules { max_plies: u8 }
/// struct View { ply: u8, is_own_turn: bool }
///
/// impl Rules {
///     darkqi_env::planes! {
///         names SCALARS;
///         maxima scalar_maxima(self);
///         values scalars(self, view: &View) -> u8;
///         "to move": 1 => view.is_own_turn.into();
///         "plies played": self.max_plies => view.ply;
///     }
/// }
///
/// let rules = Rules { max_plies: 60 };
/// assert_eq!(Rules::SCALARS, ["to move", "plies played"]);
/// assert_eq!(rules.scalar_maxima().as_ref(), [1, 60]);
/// assert_eq!(rules.scalars(&View { ply: 7, is_own_turn: true }).as_ref(), [1, 7]);
/// ```
#[macro_export]
macro_rules! planes {
    (
        names $names:ident;
        maxima $maxima:ident($($max_arg:ident $(: $max_type:ty)?),*);
        values $values:ident($($arg:ident $(: $type:ty)?),*) -> $value_type:ty;
        $($name:literal: $greatest:expr => $value:expr;)*
    ) => {
        const $names: &'static [&'static str] = &[$($name),*];

        fn $maxima(&$($max_arg $(: $max_type)?),*) -> impl AsRef<[u8]> {
            [$($greatest),*]
        }

        #[inline]
        fn $values(&$($arg $(: $type)?),*) -> impl AsRef<[$value_type]> {
            [$($value),*]
        }
    };
}

/// A game with observations for learners.
pub trait Observe: Hidden + Attacks {
    /// The contents of an observation.
    const LAYOUT: Layout;

    /// The board that is played on: with some options the lowest files and ranks of that of the layout.
    fn board_size(&self) -> BoardSize {
        Self::LAYOUT.size
    }

    /// The greatest value of each mark and each scalar, counters included, in the order of the
    /// layout; [`planes!`](crate::planes) declares them with their names. No game from a deal exceeds it; a FEN whose counters are beyond their limits can.
    fn value_maxima(&self) -> Vec<u8>;

    /// Describes a view, with squares in the viewer's perspective except for [`Encoder::board`].
    fn observe(&self, view: &Self::View<'_>, encoder: &mut impl Encoder);

    /// Writes what lies covered, which no view has, over a byte per square: the token that the piece
    /// would have face up in observations of `player`, in the same perspective; 0 where nothing is
    /// covered.
    fn covered_pieces(&self, _: &Self::State, _player: Player, row: &mut [u8]) {
        const { assert!(matches!(Self::HIDES, Hides::Nothing), "what is hidden must be written") };
        row.fill(0);
    }
}

/// The format of observations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// `(C, H, W)` planes.
    #[default]
    Planes,
    /// `(T,)` tokens.
    Tokens,
}

impl Format {
    /// The shape of one observation: (C, H, W) or (T,).
    pub fn shape(self, layout: &Layout) -> Vec<usize> {
        match self {
            Self::Planes => layout.plane_shape().to_vec(),
            Self::Tokens => vec![layout.token_len()],
        }
    }

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
    /// If `row` does not have [`Format::len`] bytes.
    #[inline]
    pub fn write<G: Observe>(self, game: &G, view: &G::View<'_>, row: &mut [u8]) {
        const { G::LAYOUT.check_tokens() };
        let layout = &G::LAYOUT;
        assert_eq!(row.len(), self.len(layout), "bytes of a row");
        match self {
            Self::Planes => {
                let mut writer = PlaneWriter::<G>::new(row);
                game.observe(view, &mut writer);
                debug_assert!(writer.scalars.is_empty(), "{} did not write all scalars", G::NAME);
            }
            Self::Tokens => {
                let (board, rest) = row.split_at_mut(layout.size.squares());
                let (marks, scalars) = rest.split_at_mut(2 * layout.marks.len());
                marks.fill(0);
                let mut writer = TokenWriter::<G> { board, marks, scalars, game: PhantomData };
                game.observe(view, &mut writer);
                debug_assert!(writer.scalars.is_empty(), "{} did not write all scalars", G::NAME);
            }
        }
    }
}

/// Converts an observation from tokens to planes. Both formats hold the same information.
///
/// # Panics
/// If the length of `tokens` or `planes` is not [`Format::len`].
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

/// Writes the token of each square in a perspective.
#[inline]
pub(crate) fn write_tokens(
    size: BoardSize,
    perspective: Perspective,
    token: impl Fn(Square) -> u8,
    board: &mut [u8],
) {
    // The slice tells the compiler the length, so that it can vectorise the loop.
    let squares = board[..size.squares()].iter_mut().zip(size.all());
    match perspective {
        Perspective::Upright => squares.for_each(|(byte, square)| *byte = token(square)),
        Perspective::Rotated => {
            squares.for_each(|(byte, square)| *byte = token(size.rotated(square)))
        }
    }
}

/// Writes views as planes. The game is a type parameter, so that lengths are constants.
struct PlaneWriter<'a, G> {
    pieces: &'a mut [u8],
    marks: &'a mut [u8],
    /// The scalars that are not written yet.
    scalars: &'a mut [u8],
    game: PhantomData<G>,
}

impl<'a, G: Observe> PlaneWriter<'a, G> {
    const SQUARES: usize = G::LAYOUT.size.squares();

    /// A writer over a row of the right length. Marks are cleared; everything else must be written.
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
        const { assert!(Self::SQUARES <= MAX_SQUARES, "larger boards use `pieces`") };
        let mut tokens = [0; MAX_SQUARES];
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

/// Writes views as tokens.
struct TokenWriter<'a, G> {
    board: &'a mut [u8],
    marks: &'a mut [u8],
    /// The scalars that are not written yet.
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

/// The token for a viewer of colour `own`: own pieces come before enemy pieces. `piece_id` is
/// 1 + [`Piece::index`], or 0 for an empty square; numbers beyond the pieces stay unchanged.
///
/// [`Piece::index`]: crate::board::Piece::index
///
/// Bit masks replace branches, so that the compiler vectorises the loop over the squares.
#[inline]
pub(crate) const fn piece_token(own: Colour, piece_id: u8) -> u8 {
    const KINDS: u8 = Kind::ALL.len() as u8;
    const BOTH: u8 = 2 * KINDS;
    let exchanged = piece_id + KINDS - (BOTH & exceeds(piece_id, KINDS));
    let is_piece = exceeds(piece_id, 0) & !exceeds(piece_id, BOTH);
    piece_id ^ (piece_id ^ exchanged) & is_piece & exceeds(own as u8, 0)
}

/// A mask: all bits set if `value > bound`, else none. Both must be below 128.
#[inline]
pub(crate) const fn exceeds(value: u8, bound: u8) -> u8 {
    ((bound as i8 - value as i8) >> 7) as u8
}

/// A counter as one byte. If the limit is at most 255 this is the counter itself, which saturates
/// at 255; a limit of 0 means none. Above, it is the counter in units of 1/255 of the limit,
/// rounded down, so that 255 means that the limit is reached.
#[inline]
pub fn counter_byte(count: u16, limit: u16) -> u8 {
    if limit <= 255 {
        count.min(255) as u8
    } else {
        (u32::from(count.min(limit)) * 255 / u32::from(limit)) as u8
    }
}

/// The greatest [`counter_byte`] of a counter that grows by at most 1 a ply, in a game of at most
/// `max_plies` plies that ends when the counter reaches its limit, unless that is 0.
pub fn greatest_counter_byte(limit: u16, max_plies: u16) -> u8 {
    let greatest = if limit == 0 { max_plies } else { max_plies.min(limit) };
    counter_byte(greatest, limit)
}

#[cfg(test)]
mod tests {
    use super::{counter_byte, greatest_counter_byte, piece_token};
    use crate::board::{Colour, Piece};

    #[test]
    fn own_pieces_have_the_first_tokens() {
        for (piece_id, index) in (1..).zip(0..Piece::COUNT) {
            let Piece { colour, kind } = Piece::from_index(index);
            let exchanged = Piece { colour: colour.other(), kind }.index() as u8 + 1;
            assert_eq!(piece_token(Colour::Red, piece_id), piece_id);
            assert_eq!(piece_token(Colour::Black, piece_id), exchanged);
        }
        for piece_id in [0, 15, 16] {
            assert_eq!(Colour::ALL.map(|own| piece_token(own, piece_id)), [piece_id; 2]);
        }
    }

    #[test]
    fn counter_bytes_show_when_the_limit_is_reached() {
        assert_eq!(counter_byte(60, 60), 60);
        assert_eq!(counter_byte(1000, 1000), 255);
        assert_eq!(counter_byte(999, 1000), 254);
        assert_eq!(counter_byte(300, 0), 255);
    }

    #[test]
    fn a_counter_ends_at_its_limit_or_with_the_game() {
        assert_eq!(greatest_counter_byte(60, 1000), 60);
        assert_eq!(greatest_counter_byte(60, 9), 9);
        assert_eq!(greatest_counter_byte(0, 9), 9);
        assert_eq!(greatest_counter_byte(0, 1000), 255);
        assert_eq!(greatest_counter_byte(1000, 2000), 255);
        assert_eq!(greatest_counter_byte(1000, 500), 127);
    }
}

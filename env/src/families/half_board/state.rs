//! The state of half-board games: public state and covered identities.

use super::SIZE;
use crate::board::{
    Bitboard, Colour, Kind, Piece, PieceBoard, Square, SquareEncoding, UnplacedPieces, UnseenPieces,
};
use crate::copy_vec::CopyVec;
use crate::game::{Player, PositionHistory, Viewer};
use crate::rng::{Rng, zobrist};

pub(super) const SQUARES: usize = SIZE.squares();

/// Zobrist keys by square: the 14 pieces, then a covered piece.
static ZOBRIST_KEYS: [[u64; SquareContents::PIECE_IDS]; SQUARES] = zobrist(1);
/// The Zobrist key of seat 1 to move.
const MOVER_KEY: u64 = zobrist::<2, 1>(2)[0][0];
/// The Zobrist key of seat 0 playing black.
const COLOURS_KEY: u64 = zobrist::<2, 1>(2)[0][1];
/// Zobrist keys of a turn that goes on: by square of the captor, then by flips left.
static TURN_KEYS: [[u64; SQUARES + MAX_FLIPS]; 1] = zobrist(3);
/// More flips than a turn ever has left.
const MAX_FLIPS: usize = 4;

/// The content of a square, as every viewer sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SquareContents {
    /// No piece.
    Empty,
    /// A covered piece.
    Covered,
    /// A revealed piece.
    Revealed(Piece),
}

impl SquareContents {
    /// Number of different contents.
    const PIECE_IDS: usize = 1 + Piece::COUNT + 1;
}

impl SquareEncoding for SquareContents {
    const LISTS_COVERED: bool = false;

    const ALL: &'static [Self] = {
        const ALL: [SquareContents; SquareContents::PIECE_IDS] = {
            let mut all = [SquareContents::Empty; SquareContents::PIECE_IDS];
            let mut index = 0;
            while index < Piece::COUNT {
                all[1 + index] = SquareContents::Revealed(Piece::from_index(index));
                index += 1;
            }
            all[1 + Piece::COUNT] = SquareContents::Covered;
            all
        };
        &ALL
    };

    #[inline]
    fn piece_id(self) -> u8 {
        match self {
            Self::Empty => 0,
            Self::Revealed(piece) => 1 + piece.index() as u8,
            Self::Covered => 1 + Piece::COUNT as u8,
        }
    }

    #[inline]
    fn is_covered(self) -> bool {
        self == Self::Covered
    }

    /// The colour of a covered piece is hidden, so the bitboards list revealed pieces only.
    #[inline]
    fn listed_as(self, _: Square) -> Option<Piece> {
        match self {
            Self::Revealed(piece) => Some(piece),
            Self::Empty | Self::Covered => None,
        }
    }

    #[inline]
    fn zobrist_keys(square: Square) -> &'static [u64] {
        &ZOBRIST_KEYS[square.index()]
    }
}

/// The board.
pub(super) type Board = PieceBoard<u32, SquareContents, SQUARES>;

/// A piece that has given check with each of its seat's latest plies (the three-check rule).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckStreak {
    /// The square of the piece.
    pub square: Square,
    /// Number of checks in a row, 1 to 3; more count as 3.
    pub checks: u8,
}

impl CheckStreak {
    /// Number of checks in a row after which the piece must not check again.
    pub const LIMIT: u8 = 3;
}

/// The rest of a turn that has had its first action. The mover may also pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rest {
    /// The piece on this square may capture on.
    Captures(Square),
    /// The number of pieces that may still be turned over.
    Flips(u8),
}

impl Rest {
    fn key(self) -> u64 {
        TURN_KEYS[0][match self {
            Self::Captures(square) => square.index(),
            Self::Flips(left) => SQUARES + usize::from(left),
        }]
    }
}

/// The public state. It does not depend on any covered identity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicState {
    pub(super) board: Board,
    /// The colour of seat 0, known from the first flip on.
    pub(super) first_colour: Option<Colour>,
    pub(crate) mover: Player,
    /// The multiset of covered pieces.
    pub(super) unseen: UnseenPieces<{ Piece::COUNT }>,
    /// The captured pieces in the order of capture.
    pub(super) captured: CopyVec<Piece, SQUARES>,
    /// Number of captured pieces of each colour.
    pub(crate) losses: [u8; 2],
    /// Plies since the last capture or flip.
    pub(super) quiet: u16,
    pub(super) ply: u16,
    /// The state of the three-check rule, by seat.
    pub(crate) check_streaks: [Option<CheckStreak>; 2],
    /// The colour of the general captured last.
    pub(crate) lost_general: Option<Colour>,
    /// The rest of the turn, if it has begun.
    pub(super) rest: Option<Rest>,
    pub(super) history: PositionHistory,
}

impl PublicState {
    /// An empty board before the first ply.
    pub(super) fn empty() -> Self {
        Self {
            board: Board::empty(),
            first_colour: None,
            mover: 0,
            unseen: UnseenPieces::EMPTY,
            captured: CopyVec::new(Piece::from_index(0)),
            losses: [0; 2],
            quiet: 0,
            ply: 0,
            check_streaks: [None; 2],
            lost_general: None,
            rest: None,
            history: PositionHistory::new(0),
        }
    }

    /// The content of a square.
    #[inline]
    pub fn at(&self, square: Square) -> SquareContents {
        self.board.at(square)
    }

    /// The squares of the covered pieces.
    #[inline]
    pub(crate) fn covered(&self) -> u32 {
        self.board.covered()
    }

    /// The occupied squares.
    #[inline]
    pub(crate) fn occupied(&self) -> u32 {
        self.board.occupied()
    }

    /// The squares of a colour's revealed pieces.
    #[inline]
    pub(crate) fn revealed(&self, colour: Colour) -> u32 {
        self.board.colour(colour)
    }

    /// The squares of the revealed pieces of this colour and kind.
    #[inline]
    pub(crate) fn pieces(&self, piece: Piece) -> u32 {
        self.board.pieces(piece)
    }

    /// The squares of a colour's generals that are revealed and not captured.
    #[inline]
    pub(crate) fn generals(&self, colour: Colour) -> u32 {
        self.pieces(Piece { colour, kind: Kind::General })
    }

    /// A colour's revealed pieces, ascending by square.
    #[inline]
    pub(crate) fn revealed_pieces(
        &self,
        colour: Colour,
    ) -> impl Iterator<Item = (Square, Kind)> + '_ {
        let first = 1 + Piece { colour, kind: Kind::ALL[0] }.index();
        self.revealed(colour)
            .ascending()
            .map(move |from| (from, Kind::ALL[self.board.piece_id(from) - first]))
    }

    /// Records a captured piece.
    #[inline]
    pub(super) fn record_capture(&mut self, piece: Piece) {
        self.captured.push(piece);
        self.losses[piece.colour.index()] += 1;
        if piece.kind == Kind::General {
            self.lost_general = Some(piece.colour);
        }
    }

    /// The seat that plays a colour, known from the first flip on.
    #[inline]
    pub fn owner(&self, colour: Colour) -> Option<Player> {
        self.first_colour.map(|first| usize::from(first != colour))
    }

    /// The colour of a seat, known from the first flip on.
    #[inline]
    pub fn colour(&self, player: Player) -> Option<Colour> {
        self.first_colour.map(|first| if player == 0 { first } else { first.other() })
    }

    /// Assigns the colours: seat 0 gets this one.
    pub(super) fn assign_colours(&mut self, first: Colour) {
        self.first_colour = Some(first);
        if first == Colour::Black {
            self.board.toggle_key(COLOURS_KEY);
        }
    }

    /// Passes the turn to the other seat.
    #[inline]
    pub(super) fn pass_turn(&mut self) {
        self.mover = 1 - self.mover;
        self.board.toggle_key(MOVER_KEY);
    }

    /// Sets what is left of the turn.
    pub(super) fn set_rest(&mut self, rest: Option<Rest>) {
        for changed in [self.rest, rest].into_iter().flatten() {
            self.board.toggle_key(changed.key());
        }
        self.rest = rest;
    }

    /// Ends a ply that nothing takes back: the turn goes on with what is left of it, or passes.
    #[inline]
    fn end_ply(&mut self, rest: Option<Rest>) {
        if self.rest.is_some() || rest.is_some() {
            self.set_rest(rest);
        }
        self.ply += 1;
        if rest.is_none() {
            self.pass_turn();
        }
        self.quiet = 0;
        self.restart_history();
    }

    /// Ends a turn that could have gone on.
    pub(super) fn pass(&mut self) {
        self.end_ply(None);
    }

    /// A hash of the board, the seat to move, the colours of the seats, the unseen pieces, how often the
    /// position has occurred, and the checks in a row, after which a piece may not check again.
    pub(super) fn fingerprint(&self) -> u64 {
        let checks = self.check_streaks.iter().fold(0, |checks, streak| {
            let of_seat =
                streak.map_or(0, |streak| streak.square.index() << 2 | usize::from(streak.checks));
            checks << 8 | of_seat as u64
        });
        let checks = checks.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.board.key() ^ self.unseen.fingerprint() ^ checks ^ self.history.recurrence_key()
    }

    /// Starts the history anew: this position is its first occurrence.
    #[inline]
    pub(super) fn restart_history(&mut self) {
        self.history.restart(self.board.key());
    }
}

/// The full state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    pub(super) public: PublicState,
    /// The identities of the covered pieces; `None` elsewhere, so that equal states compare equal.
    identities: [Option<Piece>; SQUARES],
}

impl State {
    /// The start: all pieces covered and shuffled over the board.
    pub(super) fn deal(rng: &mut Rng) -> Self {
        Self::deal_on(SIZE.all(), UnplacedPieces::full_set(), rng)
    }

    /// The start with these pieces on these squares.
    pub(super) fn deal_on(
        squares: impl Iterator<Item = Square>,
        pieces: UnplacedPieces,
        rng: &mut Rng,
    ) -> Self {
        let mut public = PublicState::empty();
        for square in squares {
            public.board.put(square, SquareContents::Covered);
        }
        public.unseen = UnseenPieces::new(pieces.counts());
        public.restart_history();
        Self::sample(public, rng)
    }

    /// A determinization of a public state, sampled uniformly.
    pub(super) fn sample(public: PublicState, rng: &mut Rng) -> Self {
        let mut identities = [None; SQUARES];
        let mut sampler = public.unseen.without_replacement(rng);
        for square in public.covered().ascending() {
            identities[square.index()] = Some(Piece::from_index(sampler.sample()));
        }
        sampler.finish();
        Self { public, identities }
    }

    /// The state with these identities on its covered squares.
    pub(super) fn with_identities(
        mut public: PublicState,
        identities: [Option<Piece>; SQUARES],
    ) -> Self {
        public.unseen = UnseenPieces::EMPTY;
        for piece in identities.iter().flatten() {
            public.unseen.add(piece.index());
        }
        Self { public, identities }
    }

    /// The piece on a covered square.
    #[inline]
    pub(super) fn identity(&self, square: Square) -> Piece {
        self.identities[square.index()].expect("a covered square has an identity")
    }

    /// Gives the covered piece on a square another identity. A covered piece with that identity
    /// takes the old one in exchange.
    pub(super) fn assign_identity(&mut self, square: Square, piece: Piece) {
        if self.identity(square) != piece {
            let is_it = |identity: &Option<Piece>| *identity == Some(piece);
            let other = self.identities.iter().position(is_it);
            self.identities.swap(square.index(), other.expect("such a piece is covered"));
        }
    }

    /// Flips a covered piece. A turn has this many flips.
    #[inline]
    pub(super) fn flip(&mut self, square: Square, flips: u8) {
        let piece = self.reveal(square);
        let public = &mut self.public;
        public.board.lift(square);
        public.board.put(square, SquareContents::Revealed(piece));
        if public.first_colour.is_none() {
            let first = if public.mover == 0 { piece.colour } else { piece.colour.other() };
            public.assign_colours(first);
        }
        public.check_streaks[public.mover] = None;
        let left = match public.rest {
            Some(Rest::Flips(left)) => left - 1,
            _ => flips - 1,
        };
        let goes_on = left > 0 && !public.covered().is_empty();
        public.end_ply(goes_on.then_some(Rest::Flips(left)));
    }

    /// Moves a revealed piece and captures what stands on its target. Without `repetition` no history
    /// is kept. After a capture `goes_on` tells whether the piece may capture on.
    #[inline]
    pub(super) fn step(
        &mut self,
        from: Square,
        to: Square,
        repetition: bool,
        gives_check: impl Fn(&PublicState, Square) -> bool,
        goes_on: impl Fn(&PublicState, Square) -> bool,
    ) {
        let captured = match self.public.at(to) {
            SquareContents::Empty => None,
            SquareContents::Covered => Some(self.reveal(to)),
            SquareContents::Revealed(piece) => Some(piece),
        };
        let public = &mut self.public;
        public.board.lift(to);
        let contents = public.board.lift(from);
        public.board.put(to, contents);

        let seat = public.mover;
        if let Some(piece) = captured {
            public.record_capture(piece);
            let enemy = &mut public.check_streaks[1 - seat];
            if enemy.is_some_and(|streak| streak.square == to) {
                *enemy = None;
            }
        }
        let check = gives_check(public, to);
        public.check_streaks[seat] = check.then(|| {
            let before = public.check_streaks[seat].filter(|streak| streak.square == from);
            CheckStreak {
                square: to,
                checks: before.map_or(1, |streak| (streak.checks + 1).min(CheckStreak::LIMIT)),
            }
        });
        if captured.is_some() {
            let goes_on = goes_on(public, to);
            public.end_ply(goes_on.then_some(Rest::Captures(to)));
        } else {
            public.ply += 1;
            public.pass_turn();
            public.quiet = public.quiet.saturating_add(1);
            if repetition {
                public.history.push((), public.board.key(), 2);
            }
        }
    }

    fn reveal(&mut self, square: Square) -> Piece {
        let piece = self.identities[square.index()].take().expect("the square is covered");
        self.public.unseen.remove(piece.index());
        piece
    }
}

/// The knowledge of a viewer: equal for all viewers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View<'a> {
    /// The viewer.
    pub viewer: Viewer,
    /// The public state.
    pub public: &'a PublicState,
}

//! A game on the half board in progress: what all see, and what lies covered.

use arrayvec::ArrayVec;

use super::SIZE;
use crate::board::{Bitboard, Colour, Kind, Piece, Square, UnseenPieces};
use crate::game::{Player, PositionHistory, Viewer};
use crate::rng::{Rng, zobrist};

pub(super) const SQUARES: usize = SIZE.squares();

/// Per square: the 14 pieces, a covered piece; and the colours' owner and the mover at the end.
static ZOBRIST_KEYS: [[u64; SquareContents::PIECE_IDS]; SQUARES] = zobrist(1);
const MOVER_KEY: u64 = zobrist::<2, 1>(2)[0][0];
const COLOURS_KEY: u64 = zobrist::<2, 1>(2)[0][1];

/// What everybody sees on a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SquareContents {
    /// Nothing.
    Empty,
    /// A piece face down.
    Covered,
    /// A piece face up.
    Revealed(Piece),
}

impl SquareContents {
    /// Number of different contents other than nothing.
    pub(super) const PIECE_IDS: usize = Piece::COUNT + 1;

    /// The pieces, then a covered one, then nothing.
    const ALL: [Self; Self::PIECE_IDS + 1] = {
        let mut all = [Self::Empty; Self::PIECE_IDS + 1];
        let mut index = 0;
        while index < Piece::COUNT {
            all[index] = Self::Revealed(Piece::from_index(index));
            index += 1;
        }
        all[Piece::COUNT] = Self::Covered;
        all
    };

    /// Position in [`SquareContents::ALL`].
    #[inline]
    const fn index(self) -> usize {
        match self {
            Self::Revealed(piece) => piece.index(),
            Self::Covered => Piece::COUNT,
            Self::Empty => Self::PIECE_IDS,
        }
    }

    #[inline]
    fn key(self, square: Square) -> u64 {
        ZOBRIST_KEYS[square.index()].get(self.index()).copied().unwrap_or(0)
    }
}

/// A piece that has just checked the enemy general: where it stands, and with how many of its
/// player's last plies, 1 to 3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckStreak {
    /// Where the piece stands now.
    pub square: Square,
    /// Checks in a row, counted up to 3.
    pub checks: u8,
}

/// What everybody knows. Nothing in it depends on a covered identity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicState {
    /// [`SquareContents::index`] of every square.
    contents: [u8; SQUARES],
    /// The squares of revealed pieces by colour.
    revealed: [u32; 2],
    /// The squares of revealed pieces by kind.
    kinds: [u32; 7],
    /// The squares of covered pieces.
    pub(crate) covered: u32,
    /// Where the revealed generals stand, by colour.
    generals: [Option<Square>; 2],
    /// The colour of player 0, from the first flip on.
    pub(super) first_colour: Option<Colour>,
    pub(crate) mover: Player,
    /// What lies covered, as a multiset.
    pub(super) unseen: UnseenPieces<{ Piece::COUNT }>,
    /// The captured pieces in the order taken.
    pub(super) captured: ArrayVec<Piece, SQUARES>,
    /// Captured pieces of each colour.
    pub(crate) losses: [u8; 2],
    /// Plies since the last capture or flip.
    pub(super) quiet: u16,
    pub(super) ply: u16,
    /// The three-check rule's state, by player.
    pub(crate) check_streaks: [Option<CheckStreak>; 2],
    /// The colour whose general was captured last.
    pub(crate) lost_general: Option<Colour>,
    key: u64,
    pub(super) history: PositionHistory,
}

impl PublicState {
    /// An empty board before the first ply.
    pub(super) fn empty() -> Self {
        Self {
            contents: [SquareContents::Empty.index() as u8; SQUARES],
            revealed: [0; 2],
            kinds: [0; 7],
            covered: 0,
            generals: [None; 2],
            first_colour: None,
            mover: 0,
            unseen: UnseenPieces::EMPTY,
            captured: ArrayVec::new(),
            losses: [0; 2],
            quiet: 0,
            ply: 0,
            check_streaks: [None; 2],
            lost_general: None,
            key: 0,
            history: PositionHistory::new(0),
        }
    }

    /// What lies on a square.
    #[inline]
    pub fn at(&self, square: Square) -> SquareContents {
        SquareContents::ALL[self.piece_id(square)]
    }

    /// The number of what lies on a square: [`Piece::index`], 14 for a covered piece, 15 for
    /// nothing.
    #[inline]
    pub(super) fn piece_id(&self, square: Square) -> usize {
        self.contents[square.index()].into()
    }

    /// [`PublicState::piece id`] of every square.
    #[inline]
    pub(super) fn piece_ids(&self) -> &[u8; SQUARES] {
        &self.contents
    }

    /// The occupied squares.
    #[inline]
    pub(crate) fn occupied(&self) -> u32 {
        self.revealed[0] | self.revealed[1] | self.covered
    }

    /// The squares of a colour's revealed pieces.
    #[inline]
    pub(crate) fn revealed(&self, colour: Colour) -> u32 {
        self.revealed[colour.index()]
    }

    /// The squares of the revealed pieces of this colour and kind.
    #[inline]
    pub(crate) fn pieces(&self, piece: Piece) -> u32 {
        self.revealed(piece.colour) & self.kinds[piece.kind.index()]
    }

    /// Where a colour's general stands, if it is revealed and has not been captured.
    #[inline]
    pub(crate) fn general(&self, colour: Colour) -> Option<Square> {
        self.generals[colour.index()]
    }

    /// A colour's revealed pieces, ascending by square.
    #[inline]
    pub(crate) fn army(&self, colour: Colour) -> impl Iterator<Item = (Square, Kind)> + '_ {
        let first = Piece { colour, kind: Kind::ALL[0] }.index();
        self.revealed(colour)
            .ascending()
            .map(move |from| (from, Kind::ALL[self.piece_id(from) - first]))
    }

    /// Notes that a piece has been captured.
    #[inline]
    pub(super) fn take(&mut self, piece: Piece) {
        self.captured.push(piece);
        self.losses[piece.colour.index()] += 1;
        if piece.kind == Kind::General {
            self.lost_general = Some(piece.colour);
        }
    }

    /// The player whose colour this is, once that is settled.
    #[inline]
    pub fn owner(&self, colour: Colour) -> Option<Player> {
        self.first_colour.map(|first| usize::from(first != colour))
    }

    /// A player's colour, once that is settled.
    #[inline]
    pub fn colour(&self, player: Player) -> Option<Colour> {
        self.first_colour.map(|first| if player == 0 { first } else { first.other() })
    }

    /// Settles the colours: this is player 0's.
    pub(super) fn settle(&mut self, first: Colour) {
        self.first_colour = Some(first);
        if first == Colour::Black {
            self.key ^= COLOURS_KEY;
        }
    }

    /// Hands the turn over.
    #[inline]
    pub(super) fn pass_turn(&mut self) {
        self.mover = 1 - self.mover;
        self.key ^= MOVER_KEY;
    }

    /// Puts something on an empty square.
    #[inline]
    pub(super) fn put(&mut self, square: Square, contents: SquareContents) {
        debug_assert_eq!(self.at(square), SquareContents::Empty);
        match contents {
            SquareContents::Empty => {}
            SquareContents::Covered => self.covered |= u32::single(square),
            SquareContents::Revealed(piece) => {
                self.revealed[piece.colour.index()] |= u32::single(square);
                self.kinds[piece.kind.index()] |= u32::single(square);
                if piece.kind == Kind::General {
                    self.generals[piece.colour.index()] = Some(square);
                }
            }
        }
        self.key ^= contents.key(square);
        self.contents[square.index()] = contents.index() as u8;
    }

    /// Takes up what lies on a square.
    #[inline]
    fn lift(&mut self, square: Square) -> SquareContents {
        let contents = self.at(square);
        match contents {
            SquareContents::Empty => {}
            SquareContents::Covered => self.covered ^= u32::single(square),
            SquareContents::Revealed(piece) => {
                self.revealed[piece.colour.index()] ^= u32::single(square);
                self.kinds[piece.kind.index()] ^= u32::single(square);
                if piece.kind == Kind::General {
                    self.generals[piece.colour.index()] = None;
                }
            }
        }
        self.key ^= contents.key(square);
        self.contents[square.index()] = SquareContents::Empty.index() as u8;
        contents
    }

    /// Hash of the board, the mover, whose colour is whose, and what is unseen.
    pub(super) fn fingerprint(&self) -> u64 {
        self.key ^ self.unseen.fingerprint()
    }

    /// Begins to count repetitions anew: this position is its first occurrence.
    #[inline]
    pub(super) fn restart_history(&mut self) {
        self.history.restart(self.key);
    }
}

/// A game with every identity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    pub(super) public: PublicState,
    /// The identities of the covered pieces. Squares that are not covered hold `None`, so that
    /// equal games are equal values.
    identities: [Option<Piece>; SQUARES],
}

impl State {
    /// Everything covered, shuffled over the whole board.
    pub(super) fn deal(rng: &mut Rng) -> Self {
        let mut public = PublicState::empty();
        for square in SIZE.all() {
            public.put(square, SquareContents::Covered);
        }
        public.unseen = UnseenPieces::new(std::array::from_fn(|index| Kind::COUNTS[index % 7]));
        public.restart_history();
        Self::sample(public, rng)
    }

    /// A world that looks like this, drawn uniformly.
    pub(super) fn sample(public: PublicState, rng: &mut Rng) -> Self {
        let mut identities = [None; SQUARES];
        let mut sampler = public.unseen.without_replacement(rng);
        for square in public.covered.ascending() {
            identities[square.index()] = Some(Piece::from_index(sampler.sample()));
        }
        sampler.finish();
        Self { public, identities }
    }

    /// A world with these identities on its covered squares.
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

    /// Makes the covered piece on a square be another, which some covered piece is: the two change
    /// places.
    pub(super) fn assign_identity(&mut self, square: Square, piece: Piece) {
        if self.identity(square) != piece {
            let is_it = |identity: &Option<Piece>| *identity == Some(piece);
            let other = self.identities.iter().position(is_it);
            self.identities.swap(square.index(), other.expect("such a piece is covered"));
        }
    }

    /// Turns a covered piece over.
    #[inline]
    pub(super) fn flip(&mut self, square: Square) {
        let piece = self.reveal(square);
        let public = &mut self.public;
        public.lift(square);
        public.put(square, SquareContents::Revealed(piece));
        if public.first_colour.is_none() {
            let first = if public.mover == 0 { piece.colour } else { piece.colour.other() };
            public.settle(first);
        }
        public.check_streaks[public.mover] = None;
        public.quiet = 0;
        public.ply += 1;
        public.pass_turn();
        public.restart_history();
    }

    /// MoveTables a revealed piece, taking what lies on its target.
    #[inline]
    pub(super) fn step(
        &mut self,
        from: Square,
        to: Square,
        gives_check: impl Fn(&PublicState, Square) -> bool,
    ) {
        let taken = match self.public.at(to) {
            SquareContents::Empty => None,
            SquareContents::Covered => Some(self.reveal(to)),
            SquareContents::Revealed(piece) => Some(piece),
        };
        let public = &mut self.public;
        public.lift(to);
        let contents = public.lift(from);
        public.put(to, contents);

        let player = public.mover;
        if let Some(piece) = taken {
            public.take(piece);
            let enemy = &mut public.check_streaks[1 - player];
            if enemy.is_some_and(|chase| chase.square == to) {
                *enemy = None;
            }
        }
        let check = gives_check(public, to);
        public.check_streaks[player] = check.then(|| {
            let before = public.check_streaks[player].filter(|chase| chase.square == from);
            CheckStreak { square: to, checks: before.map_or(1, |chase| (chase.checks + 1).min(3)) }
        });
        public.ply += 1;
        public.pass_turn();
        if taken.is_some() {
            public.quiet = 0;
            public.restart_history();
        } else {
            public.quiet = public.quiet.saturating_add(1);
            public.history.push((), public.key, 2);
        }
    }

    fn reveal(&mut self, square: Square) -> Piece {
        let piece = self.identities[square.index()].take().expect("the square is covered");
        self.public.unseen.remove(piece.index());
        piece
    }
}

/// What a viewer may know: the same for all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View<'a> {
    /// Who looks.
    pub viewer: Viewer,
    /// What there is to see.
    pub public: &'a PublicState,
}

//! A game of covered xiangqi in progress: what all see, what each has learnt, what lies covered.

use arrayvec::ArrayVec;

use super::board::{Board, SQUARES, SquareContents};
use super::chase::is_chasing;
use super::moves::king_safety;
use super::variant::{Counters, Variant};
use crate::board::{Bitboard, Colour, Kind, Piece, Square, UnseenPieces};
use crate::game::{PlyHistory, QuietPly, Viewer};
use crate::movement::CheckInfo;
use crate::rng::Rng;

/// All pieces but the generals can be captured.
const MAX_CAPTURED: usize = 30;

/// What everybody knows, the captured pieces aside. Nothing in it depends on a covered identity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicState {
    /// Who stands where.
    pub board: Board,
    pub(super) counters: Counters,
    pub(super) ply: u16,
    /// What the mover must heed for its general.
    pub(super) check_info: CheckInfo<u128>,
    /// Whether the mover stands in check or the opponent chases any of its pieces, where that is
    /// counted.
    threatened: bool,
    pub(super) history: PlyHistory,
}

impl PublicState {
    pub(super) fn new<V: Variant>(board: Board, counters: Counters, ply: u16) -> Self {
        let check_info = king_safety(&board, board.mover()).check_info();
        let threatened = V::COUNTS_EFFECTIVE && is_threatened(&board, &check_info);
        let history = PlyHistory::new(board.key());
        Self { board, counters, ply, check_info, threatened, history }
    }
}

/// Whether the mover, with this check_info, stands in check or the opponent chases any of its pieces.
#[inline]
fn is_threatened(board: &Board, check_info: &CheckInfo<u128>) -> bool {
    check_info.check || is_chasing(board, board.mover().other())
}

/// A captured piece as somebody knows it, in a byte: thousands of games keep dozens of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Captured(u8);

impl Captured {
    const UNKNOWN: usize = Kind::ALL.len();

    /// A piece of this colour, its kind if that is known, and whether it was taken face down.
    pub(super) fn new(colour: Colour, kind: Option<Kind>, covered: bool) -> Self {
        let kind = kind.map_or(Self::UNKNOWN, Kind::index);
        Self((kind | colour.index() << 3) as u8 | u8::from(covered) << 4)
    }

    /// Whose it was.
    pub fn colour(self) -> Colour {
        Colour::ALL[usize::from(self.0 >> 3 & 1)]
    }

    /// What it was, if known.
    pub fn kind(self) -> Option<Kind> {
        Kind::ALL.get(usize::from(self.0 & 7)).copied()
    }

    /// Whether it was taken face down.
    pub fn is_covered(self) -> bool {
        self.0 >> 4 == 1
    }
}

/// What one viewer has learnt: a player, or the public.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Knowledge {
    /// The pieces of each colour that the viewer has not seen, by kind: those covered on the
    /// board, and those taken face down by somebody else.
    pub unseen: [UnseenPieces<7>; 2],
    /// The captured pieces in the order taken.
    pub captured: ArrayVec<Captured, MAX_CAPTURED>,
    /// How many pieces of each colour and kind the viewer knows to have been taken face down.
    pub taken_covered: [[u8; 7]; 2],
}

impl Knowledge {
    const EMPTY: Self = Self {
        unseen: [UnseenPieces::EMPTY; 2],
        captured: ArrayVec::new_const(),
        taken_covered: [[0; 7]; 2],
    };

    fn take(&mut self, piece: Piece, covered: bool, shown: bool) {
        if covered && shown {
            self.unseen[piece.colour.index()].remove(piece.kind.index());
            self.taken_covered[piece.colour.index()][piece.kind.index()] += 1;
        }
        let kind = shown.then_some(piece.kind);
        self.captured.push(Captured::new(piece.colour, kind, covered));
    }
}

/// The viewers in the order of a state's knowledge.
const VIEWERS: [Viewer; 3] = [Viewer::Player(0), Viewer::Player(1), Viewer::Public];

/// Whether a viewer is shown a piece of this colour that is taken face down.
pub(super) fn sees_capture(viewer: Viewer, colour: Colour, captures_are_public: bool) -> bool {
    captures_are_public || viewer == Viewer::Player(colour.other().index())
}

/// A game with every identity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    pub(super) public: PublicState,
    /// The identities of the covered pieces; `None` elsewhere, so that equal games are equal.
    identities: [Option<Kind>; SQUARES],
    knowledge: [Knowledge; VIEWERS.len()],
}

impl State {
    /// The start, the pieces of each side shuffled over its home squares.
    pub(super) fn deal<V: Variant>(rng: &mut Rng) -> Self {
        let public = PublicState::new::<V>(Board::start(), Counters::default(), 0);
        let mut counts = Kind::COUNTS;
        counts[Kind::General.index()] = 0;
        let knowledge = Knowledge { unseen: [UnseenPieces::new(counts); 2], ..Knowledge::EMPTY };
        // Nothing is captured yet, so who is shown captures does not matter.
        Self::sample(
            &View { viewer: Viewer::Public, public: &public, knowledge: &knowledge },
            true,
            rng,
        )
    }

    /// A world that the viewer cannot tell from its own, draw_reason uniformly.
    pub(super) fn sample(view: &View<'_>, captures_are_public: bool, rng: &mut Rng) -> Self {
        let mut identities = [None; SQUARES];
        let mut captured = view.knowledge.captured.clone();
        for colour in Colour::ALL {
            let mut sampler = view.knowledge.unseen[colour.index()].without_replacement(rng);
            let covered = view.public.board.covered() & view.public.board.colour(colour);
            for square in covered.ascending() {
                identities[square.index()] = Some(Kind::ALL[sampler.sample()]);
            }
            let unknown =
                |piece: &&mut Captured| piece.colour() == colour && piece.kind().is_none();
            for piece in captured.iter_mut().filter(unknown) {
                *piece =
                    Captured::new(colour, Some(Kind::ALL[sampler.sample()]), piece.is_covered());
            }
            sampler.finish();
        }
        Self::assemble(view.public.clone(), identities, &captured, captures_are_public)
    }

    /// A world with these identities and captured pieces, all of known kinds.
    pub(super) fn assemble(
        public: PublicState,
        identities: [Option<Kind>; SQUARES],
        captured: &[Captured],
        captures_are_public: bool,
    ) -> Self {
        let mut unseen = [UnseenPieces::EMPTY; 2];
        for square in public.board.covered().ascending() {
            if let (SquareContents::Covered(colour), Some(kind)) =
                (public.board.at(square), identities[square.index()])
            {
                unseen[colour.index()].add(kind.index());
            }
        }
        let knowledge = VIEWERS.map(|viewer| {
            let mut knowledge = Knowledge { unseen, ..Knowledge::EMPTY };
            for piece in captured {
                let (colour, covered) = (piece.colour(), piece.is_covered());
                let kind = piece.kind().expect("a world knows its captured pieces");
                if covered {
                    knowledge.unseen[colour.index()].add(kind.index());
                }
                let shown = !covered || sees_capture(viewer, colour, captures_are_public);
                knowledge.take(Piece { colour, kind }, covered, shown);
            }
            knowledge
        });
        Self { public, identities, knowledge }
    }

    /// What a viewer has learnt.
    #[inline]
    pub(super) fn knowledge(&self, viewer: Viewer) -> &Knowledge {
        match viewer {
            Viewer::Player(player) => &self.knowledge[player],
            Viewer::Public => &self.knowledge[2],
        }
    }

    /// The captured pieces in the order taken, all of known kinds: each as its captor knows it.
    pub(super) fn captured(&self) -> impl Iterator<Item = Captured> + '_ {
        (0..self.knowledge[0].captured.len()).map(|index| {
            let captor = self.knowledge[0].captured[index].colour().other();
            self.knowledge[captor.index()].captured[index]
        })
    }

    /// The piece on a covered square.
    #[inline]
    pub(super) fn identity(&self, square: Square) -> Piece {
        let SquareContents::Covered(colour) = self.public.board.at(square) else {
            panic!("no covered piece there")
        };
        let kind = self.identities[square.index()].expect("a covered square has an identity");
        Piece { colour, kind }
    }

    /// Makes the covered piece on a square be of another kind, which some piece that the viewer has
    /// not seen is of: the two change places.
    pub(super) fn assign_identity(&mut self, square: Square, kind: Kind, viewer: Viewer) {
        let Piece { colour, kind: old } = self.identity(square);
        if old == kind {
            return;
        }
        let board = &self.public.board;
        let covered = board.covered() & board.colour(colour);
        let is_it = |other: &Square| self.identities[other.index()] == Some(kind);
        if let Some(other) = covered.ascending().find(is_it) {
            self.identities.swap(square.index(), other.index());
            return;
        }
        // It was taken face down, and its captor alone has seen it.
        debug_assert_ne!(viewer, Viewer::Player(colour.other().index()));
        let captor = &mut self.knowledge[colour.other().index()];
        let hidden = |kind| Captured::new(colour, Some(kind), true);
        let taken = captor.captured.iter_mut().find(|piece| **piece == hidden(kind));
        *taken.expect("a piece of this kind is unseen") = hidden(old);
        captor.taken_covered[colour.index()][kind.index()] -= 1;
        captor.taken_covered[colour.index()][old.index()] += 1;
        captor.unseen[colour.index()].add(kind.index());
        captor.unseen[colour.index()].remove(old.index());
        self.identities[square.index()] = Some(kind);
    }

    /// MoveTables a piece, taking what stands on its target, and turns it over if it was covered.
    #[inline]
    pub(super) fn step<V: Variant>(&mut self, from: Square, to: Square, captures_are_public: bool) {
        let captured = self.public.board.at(to) != SquareContents::Empty;
        if captured {
            self.capture(to, captures_are_public);
        }
        let revealed = self.public.board.is_covered(from);
        let piece = match self.public.board.at(from) {
            SquareContents::Revealed(piece) => {
                self.public.board.lift(from);
                piece
            }
            SquareContents::Covered(_) | SquareContents::Empty => self.reveal(from),
        };
        let public = &mut self.public;
        public.board.put(to, SquareContents::Revealed(piece));
        public.board.pass_turn();
        public.check_info = king_safety(&public.board, public.board.mover()).check_info();
        public.ply += 1;
        let counters = &mut public.counters;
        counters.quiet = if captured || V::is_progress(revealed, piece, from, to) {
            0
        } else {
            counters.quiet.saturating_add(1)
        };
        if V::COUNTS_EFFECTIVE {
            let was_pressed = public.threatened;
            public.threatened = is_threatened(&public.board, &public.check_info);
            let effective = !(was_pressed || public.threatened);
            let count = &mut counters.effective[piece.colour.index()];
            *count = count.saturating_add(effective.into());
        }
        let key = public.board.key();
        if captured || revealed {
            public.history.restart(key);
        } else {
            let ply = QuietPly::new(from, to, public.check_info.check);
            public.history.push(ply, key, 2);
        }
    }

    /// Takes up a covered piece and shows it to all.
    #[inline]
    fn reveal(&mut self, square: Square) -> Piece {
        let piece = self.identity(square);
        self.identities[square.index()] = None;
        for knowledge in &mut self.knowledge {
            knowledge.unseen[piece.colour.index()].remove(piece.kind.index());
        }
        self.public.board.lift(square);
        piece
    }

    fn capture(&mut self, square: Square, captures_are_public: bool) {
        let covered = self.public.board.is_covered(square);
        let piece = match self.public.board.at(square) {
            SquareContents::Revealed(piece) => piece,
            SquareContents::Covered(_) | SquareContents::Empty => self.identity(square),
        };
        self.public.board.lift(square);
        self.identities[square.index()] = None;
        for (viewer, knowledge) in VIEWERS.into_iter().zip(&mut self.knowledge) {
            let shown = !covered || sees_capture(viewer, piece.colour, captures_are_public);
            knowledge.take(piece, covered, shown);
        }
    }
}

/// What a viewer may know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View<'a> {
    /// Who looks.
    pub viewer: Viewer,
    /// What everybody sees.
    pub public: &'a PublicState,
    /// What the viewer has learnt.
    pub knowledge: &'a Knowledge,
}

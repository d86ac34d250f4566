//! The state of covered xiangqi: public state, knowledge of each viewer, covered identities.

use super::board::{Board, MOVER_KEY, SQUARES, SquareContents, start};
use super::chase::is_chasing;
use super::moves::{Movement, Usual};
use super::variant::{CaptureVisibility, Counters, CoveredXiangqi, Variant};
use crate::board::{Bitboard, Colour, Kind, Piece, Square, UnseenPieces};
use crate::copy_vec::CopyVec;
use crate::game::{PlyHistory, QuietPly, Viewer};
use crate::movement::CheckInfo;
use crate::rng::Rng;

/// All pieces except the generals can be captured.
const MAX_CAPTURED: usize = 30;

/// The public state without the captured pieces. It does not depend on any covered identity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicState {
    /// The board.
    pub board: Board,
    /// The colour to move.
    pub mover: Colour,
    pub(super) counters: Counters,
    pub(super) ply: u16,
    /// Checks and pins against the mover's general.
    pub(super) check_info: CheckInfo<u128>,
    /// Whether the mover is in check or the opponent chases any of its pieces. False in games that
    /// do not count effective moves.
    threatened: bool,
    pub(super) history: PlyHistory,
}

impl PublicState {
    pub(super) fn new<V: Variant>(
        board: Board,
        mover: Colour,
        counters: Counters,
        ply: u16,
        rules: &CoveredXiangqi<V>,
    ) -> Self {
        let mut board = board;
        if mover == Colour::Black {
            board.toggle_key(MOVER_KEY);
        }
        let check_info = check_info(&board, mover, rules);
        let threatened = V::COUNTS_EFFECTIVE && is_threatened(&board, mover, &check_info, rules);
        let history = PlyHistory::new(board.key());
        Self { board, mover, counters, ply, check_info, threatened, history }
    }
}

/// Checks and pins against the mover's general.
#[inline]
pub(super) fn check_info<V>(
    board: &Board,
    mover: Colour,
    rules: &CoveredXiangqi<V>,
) -> CheckInfo<u128> {
    match rules.designed() {
        None => Usual.check_info(board, mover),
        Some(designed) => designed.check_info(board, mover),
    }
}

/// Whether the mover is in check or the opponent chases any of its pieces.
#[inline]
fn is_threatened<V>(
    board: &Board,
    mover: Colour,
    check_info: &CheckInfo<u128>,
    rules: &CoveredXiangqi<V>,
) -> bool {
    check_info.check
        || match rules.designed() {
            None => is_chasing(&Usual, board, mover.other()),
            Some(designed) => is_chasing(designed, board, mover.other()),
        }
}

/// A captured piece as a viewer knows it, packed into a byte to save memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Captured(u8);

impl Captured {
    const UNKNOWN: usize = Kind::ALL.len();

    /// A captured piece: colour, kind if known, and whether it was captured face down.
    pub(super) fn new(colour: Colour, kind: Option<Kind>, covered: bool) -> Self {
        let kind = kind.map_or(Self::UNKNOWN, Kind::index);
        Self((kind | colour.index() << 3) as u8 | u8::from(covered) << 4)
    }

    /// The colour.
    pub fn colour(self) -> Colour {
        Colour::ALL[usize::from(self.0 >> 3 & 1)]
    }

    /// The kind, if known.
    pub fn kind(self) -> Option<Kind> {
        Kind::ALL.get(usize::from(self.0 & 7)).copied()
    }

    /// Whether it was captured face down.
    pub fn is_covered(self) -> bool {
        self.0 >> 4 == 1
    }
}

/// The knowledge of one viewer beyond the board: a player, or the public.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Knowledge {
    /// By colour, the pieces that the viewer has not seen, by kind: those covered on the board, those
    /// captured face down whose identity the viewer was not shown, and those left over at the deal.
    pub unseen: [UnseenPieces<7>; 2],
    /// The captured pieces in the order of capture.
    pub captured: CopyVec<Captured, MAX_CAPTURED>,
    /// Number of pieces of each colour and kind that the viewer knows were captured face down.
    pub captured_face_down: [[u8; 7]; 2],
}

impl Knowledge {
    const EMPTY: Self = Self {
        unseen: [UnseenPieces::EMPTY; 2],
        captured: CopyVec::new(Captured(0)),
        captured_face_down: [[0; 7]; 2],
    };

    fn take(&mut self, piece: Piece, covered: bool, shown: bool) {
        if covered && shown {
            self.unseen[piece.colour.index()].remove(piece.kind.index());
            self.captured_face_down[piece.colour.index()][piece.kind.index()] += 1;
        }
        let kind = shown.then_some(piece.kind);
        self.captured.push(Captured::new(piece.colour, kind, covered));
    }
}

/// The viewers in the order of [`State::knowledge`].
const VIEWERS: [Viewer; 3] = [Viewer::Player(0), Viewer::Player(1), Viewer::Public];

/// The full state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    pub(super) public: PublicState,
    /// The identities of the covered pieces; `None` elsewhere, so that equal states compare equal.
    identities: [Option<Kind>; SQUARES],
    knowledge: [Knowledge; VIEWERS.len()],
}

impl State {
    /// The start: the pieces of each colour's pool are shuffled over its covered home squares.
    pub(super) fn deal<V: Variant>(rules: &CoveredXiangqi<V>, rng: &mut Rng) -> Self {
        let board = start(rules.covered());
        let public = PublicState::new(board, Colour::Red, Counters::default(), 0, rules);
        let unseen = rules.pools().map(UnseenPieces::new);
        let knowledge = Knowledge { unseen, ..Knowledge::EMPTY };
        let view = View { viewer: Viewer::Public, public: &public, knowledge: &knowledge };
        // Nothing is captured yet, so it does not matter who sees captures.
        Self::sample(&view, CaptureVisibility::Public, rng)
    }

    /// A world that the viewer cannot tell from its own, drawn uniformly.
    pub(super) fn sample(view: &View<'_>, visibility: CaptureVisibility, rng: &mut Rng) -> Self {
        let mut identities = [None; SQUARES];
        let mut captured = view.knowledge.captured;
        let mut left_over = [UnseenPieces::EMPTY; 2];
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
            left_over[colour.index()] = sampler.left();
        }
        Self::assemble(view.public.clone(), identities, &captured, left_over, visibility)
    }

    /// The state with these identities, captured pieces, whose kinds must all be known, and pieces left over.
    pub(super) fn assemble(
        public: PublicState,
        identities: [Option<Kind>; SQUARES],
        captured: &[Captured],
        left_over: [UnseenPieces<7>; 2],
        visibility: CaptureVisibility,
    ) -> Self {
        let mut unseen = left_over;
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
                let kind = piece.kind().expect("a full state knows its captured pieces");
                if covered {
                    knowledge.unseen[colour.index()].add(kind.index());
                }
                let shown = !covered || visibility.shows(viewer, colour);
                knowledge.take(Piece { colour, kind }, covered, shown);
            }
            knowledge
        });
        Self { public, identities, knowledge }
    }

    /// The knowledge of a viewer.
    #[inline]
    pub(super) fn knowledge(&self, viewer: Viewer) -> &Knowledge {
        match viewer {
            Viewer::Player(player) => &self.knowledge[player],
            Viewer::Public => &self.knowledge[2],
        }
    }

    /// The captured pieces in the order of capture, each as its captor knows it: all kinds are
    /// known.
    pub(super) fn captured(&self) -> impl Iterator<Item = Captured> + '_ {
        (0..self.knowledge[0].captured.len()).map(|index| {
            let captor = self.knowledge[0].captured[index].colour().other();
            self.knowledge[captor.index()].captured[index]
        })
    }

    /// By colour, the pieces that the deal left over. Those who capture a colour's pieces see all others.
    pub(super) fn left_over(&self) -> [UnseenPieces<7>; 2] {
        let mut left_over =
            Colour::ALL.map(|colour| self.knowledge[colour.other().index()].unseen[colour.index()]);
        for square in self.public.board.covered().ascending() {
            let Piece { colour, kind } = self.identity(square);
            left_over[colour.index()].remove(kind.index());
        }
        left_over
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

    /// Gives the covered piece on a square another kind. A piece of that kind that the viewer has
    /// not seen takes the old identity in exchange.
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
        // The other piece was captured face down, and only its captor has seen it, or it was left over.
        let known = self.knowledge(viewer).captured;
        let captor = &mut self.knowledge[colour.other().index()];
        let hidden = |kind| Captured::new(colour, Some(kind), true);
        let is_unknown = |place: &usize| {
            captor.captured[*place] == hidden(kind) && known[*place].kind().is_none()
        };
        let Some(place) = (0..known.len()).find(is_unknown) else {
            // What the captor has not seen, and is not on the board, was left over.
            assert!(
                captor.unseen[colour.index()].count(kind.index()) > 0,
                "such a piece is unseen"
            );
            self.identities[square.index()] = Some(kind);
            return;
        };
        captor.captured[place] = hidden(old);
        captor.captured_face_down[colour.index()][kind.index()] -= 1;
        captor.captured_face_down[colour.index()][old.index()] += 1;
        captor.unseen[colour.index()].add(kind.index());
        captor.unseen[colour.index()].remove(old.index());
        self.identities[square.index()] = Some(kind);
    }

    /// Moves a piece, captures what stands on its target, and reveals it if it was covered.
    #[inline]
    pub(super) fn step<V: Variant>(&mut self, from: Square, to: Square, rules: &CoveredXiangqi<V>) {
        let captured = self.public.board.at(to) != SquareContents::Empty;
        if captured {
            self.capture(to, rules.captured);
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
        public.mover = public.mover.other();
        public.board.toggle_key(MOVER_KEY);
        public.check_info = check_info(&public.board, public.mover, rules);
        public.ply += 1;
        let counters = &mut public.counters;
        counters.quiet = if captured || V::is_progress(revealed, piece, from, to) {
            0
        } else {
            counters.quiet.saturating_add(1)
        };
        if V::COUNTS_EFFECTIVE {
            let was_pressed = public.threatened;
            public.threatened =
                is_threatened(&public.board, public.mover, &public.check_info, rules);
            let effective = !(was_pressed || public.threatened);
            let count = &mut counters.effective[piece.colour.index()];
            *count = count.saturating_add(effective.into());
        }
        let key = public.board.key();
        if captured || revealed {
            public.history.restart(key);
        } else if rules.repetition {
            let ply = QuietPly::new(from, to, public.check_info.check);
            public.history.push(ply, key, 2);
        }
    }

    /// Removes a covered piece from the board and shows its identity to all viewers.
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

    fn capture(&mut self, square: Square, visibility: CaptureVisibility) {
        let covered = self.public.board.is_covered(square);
        let piece = match self.public.board.at(square) {
            SquareContents::Revealed(piece) => piece,
            SquareContents::Covered(_) | SquareContents::Empty => self.identity(square),
        };
        self.public.board.lift(square);
        self.identities[square.index()] = None;
        for (viewer, knowledge) in VIEWERS.into_iter().zip(&mut self.knowledge) {
            let shown = !covered || visibility.shows(viewer, piece.colour);
            knowledge.take(piece, covered, shown);
        }
    }
}

/// The knowledge of a viewer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View<'a> {
    /// The viewer.
    pub viewer: Viewer,
    /// The public state.
    pub public: &'a PublicState,
    /// The knowledge of the viewer.
    pub knowledge: &'a Knowledge,
}

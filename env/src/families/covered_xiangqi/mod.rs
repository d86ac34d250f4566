//! Covered xiangqi (揭棋): xiangqi whose pieces start face down and are revealed when they move.
//! RULES.md sections 3, 4 and 7.
//!
//! The games of the family differ in their options and their drawing rules: a [`Variant`] has both.

mod board;
mod chase;
mod design;
mod features;
mod geometry;
mod leaps;
mod lesson;
mod moves;
mod notation;
mod observe;
mod plan;
mod state;
mod variant;

use std::collections::TryReserveError;

use crate::board::{
    Action, ActionBits, ActionTable, AnyPiece, Colour, Flow, Kind, Move, Perspective, Piece,
    Reflection, Regions, Square,
};
use crate::families::designs::NoMoves;
use crate::game::{
    Army, Event, Game, Hidden, Hides, OptionConflict, OptionSpec, Outcome, Player, RED_AND_BLACK,
    Reason, Viewer, perpetual_check,
};
use crate::rng::Rng;

use geometry::TABLE;
use moves::{Movement, Usual};
use variant::CaptureVisibility;

pub use board::{Board, SquareContents};
pub(crate) use moves::{has_crossed, is_ahead};
pub use state::{Captured, Knowledge, PublicState, State, View};
pub use variant::{Counters, CoveredXiangqi, Variant};

impl<V: Variant> CoveredXiangqi<V> {
    /// The outcome of the third occurrence of a position: RULES.md section 7.
    #[cold]
    fn repetition_outcome(&self, public: &PublicState) -> Outcome {
        let players = [public.mover.other(), public.mover].map(Colour::index);
        let blamed = |[last, other]: [bool; 2], reason| match (last, other) {
            (true, false) => Some(Outcome::lost_by(players[0], reason)),
            (false, true) => Some(Outcome::lost_by(players[1], reason)),
            _ => None,
        };
        let checks = perpetual_check(&public.history);
        let outcome = if checks.contains(&true) || !self.chase {
            blamed(checks, Reason::PerpetualCheck)
        } else {
            let (board, mover) = (&public.board, public.mover);
            let cycle = public.history.last_cycle();
            let chases = match self.designed() {
                None => chase::perpetual_chase(&Usual, board, mover, cycle),
                Some(designed) => chase::perpetual_chase(designed, board, mover, cycle),
            };
            blamed(chases, Reason::PerpetualChase)
        };
        outcome.unwrap_or(Outcome::even(Reason::Repetition, 2))
    }
}

impl<V: Variant> Game for CoveredXiangqi<V> {
    const NAME: &'static str = V::NAME;
    const ABOUT: &'static str = V::ABOUT;
    const KINDS: &'static [char] = &Kind::LETTERS;
    const ARMIES: &'static [Army] = RED_AND_BLACK;

    type State = State;

    fn options() -> &'static [OptionSpec<Self>] {
        V::options()
    }

    fn design() -> &'static [&'static [OptionSpec<Self>]] {
        Self::DESIGN
    }

    fn settle(&mut self) -> Result<(), OptionConflict> {
        self.plan = self.design.plan()?;
        Ok(())
    }

    fn max_plies(&self) -> u16 {
        self.max_plies
    }

    fn table(&self) -> &'static ActionTable {
        &TABLE
    }

    fn deal(&self, rng: &mut Rng) -> State {
        State::deal(self, rng)
    }

    fn reserve(&self, state: &mut State) -> Result<(), TryReserveError> {
        if self.repetition {
            state.public.history.reserve(self.variant.history_capacity())
        } else {
            Ok(())
        }
    }

    fn redeal(&self, state: &mut State, rng: &mut Rng) {
        let old = std::mem::replace(state, self.deal(rng));
        state.public.history.reuse_memory(old.public.history);
    }

    #[inline]
    fn to_move(&self, state: &State) -> Player {
        state.public.mover.index()
    }

    #[inline]
    fn perspective(&self, player: Player) -> Perspective {
        Colour::ALL[player].perspective()
    }

    #[inline]
    fn ply(&self, state: &State) -> u16 {
        state.public.ply
    }

    #[inline]
    fn ending(&self, state: &State) -> Option<Outcome> {
        let public = &state.public;
        if self.repetition && public.history.occurrences() >= 3 {
            return Some(self.repetition_outcome(public));
        }
        if let Some(reason) = self.variant.draw_reason(&public.counters, public.ply) {
            return Some(Outcome::even(reason, 2));
        }
        (public.ply >= self.max_plies).then(|| Outcome::even(Reason::MaxPlies, 2))
    }

    fn no_moves_outcome(&self, state: &State) -> Outcome {
        let check = state.public.check_info.check;
        if !check && self.design.no_moves == NoMoves::Draw {
            return Outcome::even(Reason::Stalemate, 2);
        }
        let reason = if check { Reason::Checkmate } else { Reason::Stalemate };
        Outcome::lost_by(state.public.mover.index(), reason)
    }

    #[inline]
    fn generate_actions(&self, state: &State, mut visit: impl FnMut(ActionBits) -> Flow) -> Flow {
        let PublicState { board, mover, check_info, .. } = &state.public;
        if let Some(designed) = self.designed() {
            return designed.generate_actions(board, *mover, &mut visit);
        }
        moves::generate_actions(board, *mover, check_info, visit)
    }

    #[inline]
    fn prefetch(&self, state: &State) {
        state.public.history.prefetch();
    }

    #[inline]
    fn play(&self, state: &mut State, action: Action) {
        let (from, to) = squares(&state.public, action);
        state.step(from, to, self);
    }
}

impl<V: Variant> Hidden for CoveredXiangqi<V> {
    const HIDES: Hides = Hides::Kind;
    const COVERED_PIECES_MOVE: bool = true;
    const REFLECTIONS: &'static [Reflection] = &[Reflection::LeftRight];
    /// The river divides them.
    const REGIONS: Option<Regions> = Some(Regions::Ranks(&[("home", 5), ("across", 5)]));

    type View<'a> = View<'a>;

    fn view<'a>(&'a self, state: &'a State, viewer: Viewer) -> View<'a> {
        View { viewer, public: &state.public, knowledge: state.knowledge(viewer) }
    }

    fn captures_are_secret(&self) -> bool {
        self.captured == CaptureVisibility::Captor && self.covered() != 0
    }

    fn view_to_move(view: &View<'_>) -> Player {
        view.public.mover.index()
    }

    fn determinize(&self, view: &View<'_>, rng: &mut Rng) -> State {
        State::sample(view, self.captured, rng)
    }

    fn event(&self, state: &State, action: Action) -> Event {
        let (from, to) = squares(&state.public, action);
        let board = &state.public.board;
        let piece = |square| match board.at(square) {
            SquareContents::Empty => None,
            SquareContents::Revealed(piece) => Some(piece.into()),
            SquareContents::Covered(_) => Some(state.identity(square).into()),
        };
        Event {
            revealed: piece(from).filter(|_| board.is_covered(from)),
            captured: piece(to),
            captured_covered: board.is_covered(to),
        }
    }

    fn each_reveal(&self, view: &View<'_>, action: Action, mut visit: impl FnMut(Event, f64)) {
        let (from, to) = squares(view.public, action);
        let board = &view.public.board;
        let captured_covered = board.is_covered(to);
        let capture_is_shown =
            !captured_covered || self.captured.shows(view.viewer, view.public.mover.other());
        // The two pieces are of different colours, so their identities are independent.
        each_identity(view, from, |own, own_probability| {
            let revealed = own.filter(|_| board.is_covered(from));
            if !capture_is_shown {
                return visit(
                    Event { revealed, captured: None, captured_covered },
                    own_probability,
                );
            }
            each_identity(view, to, |captured, probability| {
                let event = Event { revealed, captured, captured_covered };
                visit(event, own_probability * probability);
            });
        });
    }

    fn arrange(&self, state: &mut State, viewer: Viewer, action: Action, event: &Event) {
        let (from, to) = squares(&state.public, action);
        for (square, piece) in [(from, event.revealed), (to, event.captured)] {
            if let Some(piece) = piece
                && state.public.board.is_covered(square)
            {
                state.assign_identity(square, Piece::from(piece).kind, viewer);
            }
        }
    }

    fn fingerprint(view: &View<'_>) -> u64 {
        let [red, black] = &view.knowledge.unseen;
        let pieces = red.fingerprint() ^ black.fingerprint().rotate_left(1);
        view.public.board.key() ^ pieces ^ view.public.history.recurrence_key()
    }
}

/// Visits the possible pieces on a square for a viewer, with their probabilities.
fn each_identity(view: &View<'_>, square: Square, mut visit: impl FnMut(Option<AnyPiece>, f64)) {
    match view.public.board.at(square) {
        SquareContents::Empty => visit(None, 1.0),
        SquareContents::Revealed(piece) => visit(Some(piece.into()), 1.0),
        SquareContents::Covered(colour) => {
            for (kind, probability) in view.knowledge.unseen[colour.index()].probabilities() {
                let piece = Piece { colour, kind: Kind::ALL[kind] };
                visit(Some(piece.into()), probability);
            }
        }
    }
}

fn squares(public: &PublicState, action: Action) -> (Square, Square) {
    match TABLE.get_move(action, public.mover.perspective()) {
        Move::Step { from, to } => (from, to),
        Move::Flip(_) | Move::Pass => unreachable!("the table has steps only"),
    }
}

impl<V: Variant> CoveredXiangqi<V> {
    /// Visits a colour's pieces on some squares with their pseudo-legal targets.
    #[inline]
    fn each_pseudo_legal(
        &self,
        board: &Board,
        colour: Colour,
        squares: u128,
        visit: impl FnMut(Square, u128) -> Flow,
    ) -> Flow {
        match self.designed() {
            None => Usual.each_pseudo_legal(board, colour, squares, visit),
            Some(designed) => designed.each_pseudo_legal(board, colour, squares, visit),
        }
    }
}

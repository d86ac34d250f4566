//! Xiangqi whose pieces lie face down on their home squares and are turned over as they move.
//! RULES.md sections 3, 4 and 7. The games differ in their options and in what makes a draw.

mod board;
mod chase;
mod features;
mod geometry;
mod leaps;
mod moves;
mod notation;
mod observe;
mod state;
mod variant;

use crate::board::{
    Action, ActionBits, ActionTable, AnyPiece, Colour, Flow, Kind, Move, Perspective, Piece, Square,
};
use crate::game::{
    Event, Game, Hidden, OptionSpec, Outcome, Player, Reason, Viewer, perpetual_check,
};
use crate::rng::Rng;

use geometry::{TABLE, perspective_of};
use state::sees_capture;
use variant::CaptureVisibility;

pub use board::{Board, SquareContents};
pub(crate) use moves::has_crossed;
pub use state::{Captured, Knowledge, PublicState, State, View};
pub use variant::{Counters, CoveredXiangqi, Variant};

impl<V: Variant> CoveredXiangqi<V> {
    /// The repetition_outcome at the third occurrence of a position: RULES.md section 7.
    #[cold]
    fn repetition_outcome(&self, public: &PublicState) -> Outcome {
        let players = [public.board.mover().other(), public.board.mover()].map(Colour::index);
        let blamed = |[last, other]: [bool; 2], reason| match (last, other) {
            (true, false) => Some(Outcome::lost_by(players[0], reason)),
            (false, true) => Some(Outcome::lost_by(players[1], reason)),
            _ => None,
        };
        let checks = perpetual_check(&public.history);
        let repetition_outcome = if checks.contains(&true) || !self.chase {
            blamed(checks, Reason::PerpetualCheck)
        } else {
            blamed(
                chase::perpetual_chase(&public.board, public.history.last_cycle()),
                Reason::PerpetualChase,
            )
        };
        repetition_outcome.unwrap_or(Outcome::even(Reason::Repetition, 2))
    }

    fn captures_are_public(&self) -> bool {
        self.captured == CaptureVisibility::Public
    }
}

impl<V: Variant> Game for CoveredXiangqi<V> {
    const NAME: &'static str = V::NAME;
    const ABOUT: &'static str = V::ABOUT;
    const KINDS: &'static [char] = &Kind::LETTERS;

    type State = State;

    fn options() -> &'static [OptionSpec<Self>] {
        V::options()
    }

    fn table(&self) -> &'static ActionTable {
        &TABLE
    }

    fn deal(&self, rng: &mut Rng) -> State {
        let mut state = State::deal::<V>(rng);
        state.public.history.reserve(self.variant.history_capacity());
        state
    }

    fn redeal(&self, state: &mut State, rng: &mut Rng) {
        let fresh = State::deal::<V>(rng);
        let old = std::mem::replace(state, fresh);
        state.public.history.reuse_memory(old.public.history);
    }

    #[inline]
    fn to_move(&self, state: &State) -> Player {
        state.public.board.mover().index()
    }

    #[inline]
    fn perspective(&self, state: &State) -> Perspective {
        perspective_of(state.public.board.mover())
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
        let reason =
            if state.public.check_info.check { Reason::Checkmate } else { Reason::Stalemate };
        Outcome::lost_by(state.public.board.mover().index(), reason)
    }

    #[inline]
    fn generate_actions(&self, state: &State, visit: impl FnMut(ActionBits) -> Flow) -> Flow {
        moves::generate_actions(&state.public.board, &state.public.check_info, visit)
    }

    #[inline]
    fn prefetch(&self, state: &State) {
        state.public.history.prefetch();
    }

    #[inline]
    fn play(&self, state: &mut State, action: Action) {
        let (from, to) = squares(&state.public, action);
        state.step::<V>(from, to, self.captures_are_public());
    }
}

impl<V: Variant> Hidden for CoveredXiangqi<V> {
    type View<'a> = View<'a>;

    fn view<'a>(&'a self, state: &'a State, viewer: Viewer) -> View<'a> {
        View { viewer, public: &state.public, knowledge: state.knowledge(viewer) }
    }

    fn view_to_move(view: &View<'_>) -> Player {
        view.public.board.mover().index()
    }

    fn determinise(&self, view: &View<'_>, rng: &mut Rng) -> State {
        State::sample(view, self.captures_are_public(), rng)
    }

    fn event(&self, state: &State, action: Action) -> Event {
        let (from, to) = squares(&state.public, action);
        let board = &state.public.board;
        let token = |square| match board.at(square) {
            SquareContents::Empty => None,
            SquareContents::Revealed(piece) => Some(piece.into()),
            SquareContents::Covered(_) => Some(state.identity(square).into()),
        };
        Event {
            revealed: token(from).filter(|_| board.is_covered(from)),
            captured: token(to),
            captured_covered: board.is_covered(to),
        }
    }

    fn each_reveal(&self, view: &View<'_>, action: Action, mut visit: impl FnMut(Event, f64)) {
        let (from, to) = squares(view.public, action);
        let board = &view.public.board;
        let captured_covered = board.is_covered(to);
        let prey_is_shown = !captured_covered
            || sees_capture(view.viewer, board.mover().other(), self.captures_are_public());
        // The mover's piece and its prey are of different colours, so they turn up independently.
        each_identity(view, from, |own, own_odds| {
            let revealed = own.filter(|_| board.is_covered(from));
            if !prey_is_shown {
                return visit(Event { revealed, captured: None, captured_covered }, own_odds);
            }
            each_identity(view, to, |captured, prey_odds| {
                visit(Event { revealed, captured, captured_covered }, own_odds * prey_odds);
            });
        });
    }

    fn arrange(&self, state: &mut State, viewer: Viewer, action: Action, event: &Event) {
        let (from, to) = squares(&state.public, action);
        for (square, token) in [(from, event.revealed), (to, event.captured)] {
            if let Some(token) = token
                && state.public.board.is_covered(square)
            {
                state.assign_identity(square, Piece::from(token).kind, viewer);
            }
        }
    }

    fn fingerprint(view: &View<'_>) -> u64 {
        let [red, black] = &view.knowledge.unseen;
        view.public.board.key() ^ red.fingerprint() ^ black.fingerprint().rotate_left(1)
    }

    fn owner(_: &View<'_>, army: u8) -> Option<Player> {
        Some(army.into())
    }
}

/// Visits what a square may hold for all a viewer knows, with the odds of each.
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
    match TABLE.get_move(action, perspective_of(public.board.mover())) {
        Move::Step { from, to } => (from, to),
        Move::Flip(_) | Move::Pass => unreachable!("the table has steps only"),
    }
}

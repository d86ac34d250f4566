//! seven_kingdoms 七國象棋: seven armies around an emperor; nothing is hidden. RULES.md section 6.

mod features;
mod geometry;
mod kingdom;
mod lesson;
mod moves;
mod notation;
mod observe;
mod picture;
mod piece;
mod rules;
mod seating;
mod state;
mod threats;
mod victory;

use std::collections::TryReserveError;
use std::ops::RangeInclusive;

use crate::board::{Action, ActionBits, ActionTable, Flow, Move, Perspective};
use crate::game::{
    Army, Event, Game, Hidden, Hides, OptionConflict, OptionSpec, Outcome, Player, Reason, Viewer,
};
use crate::rng::Rng;
use moves::TABLE;
use rules::OPTIONS;

use kingdom::ARMIES;
pub use kingdom::{Kingdom, Kingdoms};
pub use piece::{Kind, Piece};
pub use rules::SevenKingdoms;
pub use seating::Seating;
pub use state::{Conquest, State, Victory};

impl SevenKingdoms {
    fn even(&self, reason: Reason) -> Outcome {
        Outcome::even(reason, self.seating.players())
    }

    /// The seat to move.
    fn seat_to_move(seating: &Seating, state: &State) -> Player {
        seating.seat(state.mover()).expect("an absent kingdom has no turn")
    }
}

impl Game for SevenKingdoms {
    const NAME: &'static str = "seven_kingdoms";
    const ABOUT: &'static str =
        "seven armies on a go board for two to seven players; the fallen join their conquerors";
    const KINDS: &'static [char] = &Kind::LETTERS;
    const ARMIES: &'static [Army] = ARMIES;
    const PLAYERS: RangeInclusive<usize> = 2..=Kingdom::COUNT;

    type State = State;

    fn options() -> &'static [OptionSpec<Self>] {
        OPTIONS
    }

    fn settle(&mut self) -> Result<(), OptionConflict> {
        self.seating.validate()
    }

    fn players(&self) -> usize {
        self.seating.players()
    }

    fn allied(&self, one: Player, other: Player) -> bool {
        self.seating.team(one) == self.seating.team(other)
    }

    fn max_plies(&self) -> u16 {
        self.max_plies
    }

    fn table(&self) -> &'static ActionTable {
        &TABLE
    }

    fn deal(&self, _: &mut Rng) -> State {
        State::deal(self)
    }

    fn reserve(&self, state: &mut State) -> Result<(), TryReserveError> {
        if self.repetition { state.history.reserve(self.max_plies) } else { Ok(()) }
    }

    fn redeal(&self, state: &mut State, _: &mut Rng) {
        let old = std::mem::replace(state, State::deal(self));
        state.history.reuse_memory(old.history);
    }

    #[inline]
    fn to_move(&self, state: &State) -> Player {
        Self::seat_to_move(&self.seating, state)
    }

    #[inline]
    fn perspective(&self, _: Player) -> Perspective {
        Perspective::Upright
    }

    #[inline]
    fn ply(&self, state: &State) -> u16 {
        state.ply
    }

    #[inline]
    fn ending(&self, state: &State) -> Option<Outcome> {
        if let Some(Victory { reason, team }) = state.victory() {
            return Some(Outcome::won_by(team, &self.seating.teams(), reason));
        }
        if self.repetition && state.history.occurrences() >= 3 {
            return Some(self.even(Reason::Repetition));
        }
        if self.quiet_limit > 0 && state.quiet >= self.quiet_limit {
            return Some(self.even(Reason::QuietLimit));
        }
        (state.ply >= self.max_plies).then(|| self.even(Reason::MaxPlies))
    }

    /// A mover without a step passes, unless no kingdom in play has a step.
    fn no_moves_outcome(&self, _: &State) -> Outcome {
        self.even(Reason::NoMoves)
    }

    #[inline]
    fn generate_actions(&self, state: &State, visit: impl FnMut(ActionBits) -> Flow) -> Flow {
        moves::generate_actions(state, &self.seating, visit)
    }

    #[inline]
    fn play(&self, state: &mut State, action: Action) {
        match TABLE.get_move(action, Perspective::Upright) {
            Move::Step { from, to } => state.step(from, to, self),
            Move::Pass => state.end_quiet_ply(self),
            Move::Flip(_) => unreachable!("the table has no flips"),
        }
    }
}

/// The knowledge of a viewer: everything.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View<'a> {
    /// The viewer.
    pub viewer: Viewer,
    /// The state.
    pub state: &'a State,
    /// The seats and teams of the kingdoms.
    pub seating: &'a Seating,
}

impl Hidden for SevenKingdoms {
    const HIDES: Hides = Hides::Nothing;

    type View<'a> = View<'a>;

    fn view<'a>(&'a self, state: &'a State, viewer: Viewer) -> View<'a> {
        View { viewer, state, seating: &self.seating }
    }

    fn view_to_move(view: &View<'_>) -> Player {
        Self::seat_to_move(view.seating, view.state)
    }

    fn determinize(&self, view: &View<'_>, _: &mut Rng) -> State {
        view.state.clone()
    }

    fn event(&self, state: &State, action: Action) -> Event {
        let captured = match TABLE.get_move(action, Perspective::Upright) {
            Move::Step { to, .. } => state.at(to).map(Piece::into),
            Move::Flip(_) | Move::Pass => None,
        };
        Event { captured, ..Event::default() }
    }

    fn each_reveal(&self, view: &View<'_>, action: Action, mut visit: impl FnMut(Event, f64)) {
        visit(self.event(view.state, action), 1.0);
    }

    fn fingerprint(view: &View<'_>) -> u64 {
        view.state.fingerprint()
    }

    fn owner(view: &View<'_>, army: u8) -> Option<Player> {
        view.seating.seat(Kingdom::ALL[usize::from(army)])
    }

    fn army_to_move(&self, state: &State) -> Option<u8> {
        Some(state.mover().index() as u8)
    }
}

#[cfg(test)]
mod tests {
    use crate::error::SetupError;
    use crate::game::texts;
    use crate::session::{self, AnyState};

    fn deal(options: &[(&str, &str)]) -> Result<Box<dyn AnyState>, SetupError> {
        session::deal("seven_kingdoms", &texts(options), 0)
    }

    #[test]
    fn errors_in_options_list_what_is_valid() {
        for (options, fault) in [
            (
                &[("seats", "012345")][..],
                "option `seats` of seven_kingdoms: `012345` is not 7 char",
            ),
            (&[("seats", "0123457")], "is not 7 characters out of 0123456-"),
            (&[("seats", "0123446")], "at least two seats, numbered from 0 without gaps"),
            (&[("seats", "0000000")], "at least two seats"),
            (&[("teams", "ABCDEFGA")], "is not 0 to 7 characters out of ABCDEFG"),
            (&[("teams", "AB")], "one letter A to G for each of the 7 seats"),
            (&[("teams", "AAAAAAA")], "letters of at least two teams"),
            (&[("seats", "01-----"), ("teams", "BB")], "`BB` is not letters of at least two teams"),
            (&[("loss_limit", "120")], "a whole number from 1 to 119"),
            (&[("capture_limit", "0")], "a whole number from 1 to 119"),
            (&[("kingdoms_to_win", "7")], "a whole number from 1 to 6"),
            (&[("setup", "leary")], "one of: leventhal, elephantchess"),
        ] {
            let error = deal(options).err().expect("the options are invalid").to_string();
            assert!(error.contains(fault), "{error}");
        }
    }
}

//! Flipping xiangqi: each piece except the king turns into its other form whenever it moves.
//! RULES.md section 5.

mod board;
mod features;
mod geometry;
mod lesson;
mod notation;
mod observe;

use std::collections::TryReserveError;

use crate::board::{
    Action, ActionBits, ActionTable, Bitboard, Colour, Flow, Move, Perspective, Piece, Reflection,
    Regions, Square,
};
use crate::game::{
    Army, Domain, Event, Game, Hidden, Hides, OptionSpec, Outcome, Player, PlyHistory, QuietPly,
    RED_AND_BLACK, Reason, Viewer, int_option, max_plies_option, perpetual_check, switch_option,
};
use crate::movement::CheckInfo;
use crate::rng::Rng;

use board::{MOVER_KEY, king, king_safety, reach, start, step};
use geometry::{LETTERS, TABLE};

pub use board::Board;

/// The rules of flipping xiangqi with their options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flipping {
    repetition: bool,
    quiet_limit: u16,
    max_plies: u16,
}

impl Default for Flipping {
    fn default() -> Self {
        Self { repetition: true, quiet_limit: 0, max_plies: 400 }
    }
}

impl Flipping {
    /// The most plies without capture in a row.
    fn longest_quiet(&self) -> u16 {
        if self.quiet_limit > 0 { self.quiet_limit.min(self.max_plies) } else { self.max_plies }
    }
}

/// A game in progress. Nothing is hidden.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    board: Board,
    /// The colour to move.
    mover: Colour,
    /// Plies since the last capture.
    quiet: u16,
    ply: u16,
    /// Checks and pins against the mover's king.
    check_info: CheckInfo<u64>,
    history: PlyHistory,
}

impl State {
    fn new(board: Board, mover: Colour, quiet: u16, ply: u16) -> Self {
        let mut board = board;
        if mover == Colour::Black {
            board.toggle_key(MOVER_KEY);
        }
        let check_info = king_safety(&board, mover).check_info();
        let history = PlyHistory::new(board.key());
        Self { board, mover, quiet, ply, check_info, history }
    }

    #[inline]
    fn step(&mut self, from: Square, to: Square, repetition: bool) {
        let captured = step(&mut self.board, from, to);
        self.mover = self.mover.other();
        self.board.toggle_key(MOVER_KEY);
        self.check_info = king_safety(&self.board, self.mover).check_info();
        self.ply += 1;
        let key = self.board.key();
        if captured {
            self.quiet = 0;
            self.history.restart(key);
        } else {
            self.quiet = self.quiet.saturating_add(1);
            if repetition {
                self.history.push(QuietPly::new(from, to, self.check_info.check), key, 2);
            }
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
}

fn squares(state: &State, action: Action) -> (Square, Square) {
    match TABLE.get_move(action, state.mover.perspective()) {
        Move::Step { from, to } => (from, to),
        Move::Flip(_) | Move::Pass => unreachable!("the table has steps only"),
    }
}

/// The outcome of the third and every later occurrence of a position: RULES.md section 7 and 9.17.
/// A repetition without perpetual check does not end the game.
#[cold]
fn repetition_outcome(state: &State) -> Option<Outcome> {
    let mover = state.mover;
    match perpetual_check(&state.history) {
        [true, true] => Some(Outcome::even(Reason::Repetition, 2)),
        [true, false] => Some(Outcome::lost_by(mover.other().index(), Reason::PerpetualCheck)),
        [false, true] => Some(Outcome::lost_by(mover.index(), Reason::PerpetualCheck)),
        [false, false] => None,
    }
}

impl Game for Flipping {
    const NAME: &'static str = "flipping";
    const ABOUT: &'static str =
        "xiangqi on 7 x 7 whose pieces turn into their other form each time they move";
    const KINDS: &'static [char] = &LETTERS;
    const ARMIES: &'static [Army] = RED_AND_BLACK;

    type State = State;

    fn options() -> &'static [OptionSpec<Self>] {
        const OPTIONS: &[OptionSpec<Flipping>] = &[
            switch_option!(repetition, "Whether perpetual check loses."),
            int_option!(
                quiet_limit,
                Domain::LIMIT,
                "Plies in a row without capture that make a draw; 0 turns it off."
            ),
            max_plies_option!(),
        ];
        OPTIONS
    }

    fn max_plies(&self) -> u16 {
        self.max_plies
    }

    fn table(&self) -> &'static ActionTable {
        &TABLE
    }

    /// Always the same start, without randomness.
    fn deal(&self, _: &mut Rng) -> State {
        State::new(start(), Colour::Red, 0, 0)
    }

    fn reserve(&self, state: &mut State) -> Result<(), TryReserveError> {
        if self.repetition { state.history.reserve(self.longest_quiet()) } else { Ok(()) }
    }

    fn redeal(&self, state: &mut State, rng: &mut Rng) {
        let old = std::mem::replace(state, self.deal(rng));
        state.history.reuse_memory(old.history);
    }

    #[inline]
    fn to_move(&self, state: &State) -> Player {
        state.mover.index()
    }

    #[inline]
    fn perspective(&self, player: Player) -> Perspective {
        Colour::ALL[player].perspective()
    }

    #[inline]
    fn ply(&self, state: &State) -> u16 {
        state.ply
    }

    #[inline]
    fn ending(&self, state: &State) -> Option<Outcome> {
        if self.repetition
            && state.history.occurrences() >= 3
            && let Some(outcome) = repetition_outcome(state)
        {
            return Some(outcome);
        }
        let reason = if self.quiet_limit > 0 && state.quiet >= self.quiet_limit {
            Reason::QuietLimit
        } else if state.board.occupied().count() == 2 {
            Reason::BareKings
        } else if state.ply >= self.max_plies {
            Reason::MaxPlies
        } else {
            return None;
        };
        Some(Outcome::even(reason, 2))
    }

    fn no_moves_outcome(&self, state: &State) -> Outcome {
        let reason = if state.check_info.check { Reason::Checkmate } else { Reason::Stalemate };
        Outcome::lost_by(state.mover.index(), reason)
    }

    /// The legal actions are steps.
    #[inline]
    fn generate_actions(&self, state: &State, mut visit: impl FnMut(ActionBits) -> Flow) -> Flow {
        let board = &state.board;
        let mover = state.mover;
        let perspective = mover.perspective();
        let table = &*TABLE;
        let safety = king_safety(board, mover);
        let king = king(board, mover);
        for from in (board.colour(mover) & !u64::single(king)).ascending() {
            let legal = safety.legal(from, reach(board, from, mover), &state.check_info);
            table.each_step(from, legal, perspective, &mut visit)?;
        }
        table.each_step(
            king,
            safety.legal_for_general(reach(board, king, mover)),
            perspective,
            visit,
        )
    }

    #[inline]
    fn prefetch(&self, state: &State) {
        state.history.prefetch();
    }

    #[inline]
    fn play(&self, state: &mut State, action: Action) {
        let (from, to) = squares(state, action);
        state.step(from, to, self.repetition);
    }
}

impl Hidden for Flipping {
    const HIDES: Hides = Hides::Nothing;
    const REFLECTIONS: &'static [Reflection] = &[Reflection::LeftRight];
    /// A side's pieces start on its first two ranks.
    const REGIONS: Option<Regions> =
        Some(Regions::Ranks(&[("home", 2), ("middle", 3), ("across", 2)]));

    type View<'a> = View<'a>;

    fn view<'a>(&'a self, state: &'a State, viewer: Viewer) -> View<'a> {
        View { viewer, state }
    }

    fn view_to_move(view: &View<'_>) -> Player {
        view.state.mover.index()
    }

    fn determinize(&self, view: &View<'_>, _: &mut Rng) -> State {
        view.state.clone()
    }

    /// Events are captures only: the change of form is deterministic.
    fn event(&self, state: &State, action: Action) -> Event {
        let (_, to) = squares(state, action);
        Event { captured: state.board.at(to).map(Piece::into), ..Event::default() }
    }

    fn each_reveal(&self, view: &View<'_>, action: Action, mut visit: impl FnMut(Event, f64)) {
        visit(self.event(view.state, action), 1.0);
    }

    fn fingerprint(view: &View<'_>) -> u64 {
        view.state.board.key() ^ view.state.history.recurrence_key()
    }
}

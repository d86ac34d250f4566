//! gaiqi 盖棋: half a board, everything covered, even the colours. RULES.md section 1.

mod moves;
mod notation;
mod observe;
mod state;

use std::sync::LazyLock;

use crate::action::{Action, ActionTable, Deed, Side};
use crate::game::{Flow, Game, Outcome, Player, Reason};
use crate::hidden::{Event, Hidden, Viewer};
use crate::movement::Moves;
use crate::options::{Domain, OptionSpec, int_option, switch_option};
use crate::piece::{Kind, Piece};
use crate::rng::Rng;
use crate::square::BoardSize;

pub use state::{Chase, Contents, Public, State, View};

/// The board: 8 files, 4 ranks.
pub const SIZE: BoardSize = BoardSize { files: 8, ranks: 4 };

static MOVES: LazyLock<Moves<u32>> = LazyLock::new(|| Moves::new(SIZE));
static TABLE: LazyLock<ActionTable> = LazyLock::new(|| ActionTable::new(&*MOVES, true));

/// The rules of gaiqi with their options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gaiqi {
    quiet_limit: u16,
    repetition: bool,
    max_plies: u16,
}

impl Default for Gaiqi {
    fn default() -> Self {
        Self { quiet_limit: 60, repetition: true, max_plies: 1000 }
    }
}

impl Game for Gaiqi {
    const NAME: &'static str = "gaiqi";
    const ABOUT: &'static str =
        "half-board xiangqi with all pieces and colours covered; covered pieces can be captured";
    const KINDS: &'static [char] = &Kind::LETTERS;

    type State = State;

    fn options() -> &'static [OptionSpec<Self>] {
        const OPTIONS: &[OptionSpec<Gaiqi>] = &[
            int_option!(
                quiet_limit,
                Domain::LIMIT,
                "Plies in a row without capture or flip that make a draw; 0 turns it off."
            ),
            switch_option!(
                repetition,
                "Whether the third occurrence of a position makes a draw."
            ),
            int_option!(
                max_plies,
                Domain::Int { min: 1, max: u16::MAX },
                "Plies after which the game is truncated."
            ),
        ];
        OPTIONS
    }

    fn table(&self) -> &'static ActionTable {
        &TABLE
    }

    fn deal(&self, rng: &mut Rng) -> State {
        let mut state = State::deal(rng);
        state.public.history.reserve(self.quiet_limit);
        state
    }

    fn redeal(&self, state: &mut State, rng: &mut Rng) {
        let fresh = State::deal(rng);
        let old = std::mem::replace(state, fresh);
        let history = &mut state.public.history;
        *history = history.clone().stored_in(old.public.history);
    }

    #[inline]
    fn to_move(&self, state: &State) -> Player {
        state.public.mover
    }

    #[inline]
    fn side(&self, _: &State) -> Side {
        Side::Near
    }

    #[inline]
    fn ply(&self, state: &State) -> u16 {
        state.public.ply
    }

    #[inline]
    fn ending(&self, state: &State) -> Option<Outcome> {
        let public = &state.public;
        if let Some(colour) = public.fallen {
            let loser = public.owner(colour)?;
            let reason = if loser == public.mover {
                Reason::GeneralCaptured
            } else {
                Reason::OwnGeneralCaptured
            };
            return Some(Outcome::lost_by(loser, reason));
        }
        if self.repetition && public.history.occurrences() >= 3 {
            return Some(Outcome::even(Reason::Repetition, 2));
        }
        if self.quiet_limit > 0 && public.quiet >= self.quiet_limit {
            return Some(Outcome::even(Reason::QuietLimit, 2));
        }
        (public.ply >= self.max_plies).then(|| Outcome::even(Reason::MaxPlies, 2))
    }

    fn stuck(&self, state: &State) -> Outcome {
        Outcome::lost_by(state.public.mover, Reason::NoMoves)
    }

    #[inline]
    fn each_action(&self, state: &State, visit: impl FnMut(Action) -> Flow) -> Flow {
        moves::each_action(&state.public, visit)
    }

    #[inline]
    fn play(&self, state: &mut State, action: Action) {
        match TABLE.deed(action, Side::Near) {
            Deed::Flip(square) => state.flip(square),
            Deed::Step { from, to } => state.step(from, to),
        }
    }
}

impl Hidden for Gaiqi {
    type View<'a> = View<'a>;

    fn view<'a>(&'a self, state: &'a State, viewer: Viewer) -> View<'a> {
        View { viewer, public: &state.public }
    }

    fn view_to_move(view: &View<'_>) -> Player {
        view.public.mover
    }

    fn determinise(&self, view: &View<'_>, rng: &mut Rng) -> State {
        State::sample(view.public.clone(), rng)
    }

    fn event(&self, state: &State, action: Action) -> Event {
        let known = |covered| Some(state.identity(covered).into());
        event(&state.public, action, known)
    }

    fn each_reveal(&self, view: &View<'_>, action: Action, mut visit: impl FnMut(Event, f64)) {
        let public = view.public;
        let square = match TABLE.deed(action, Side::Near) {
            Deed::Flip(square) => square,
            Deed::Step { to, .. } => to,
        };
        if public.at(square) == Contents::Covered {
            for (index, odds) in public.unseen.odds() {
                let piece = Piece::from_index(index);
                visit(event(public, action, |_| Some(piece.into())), odds);
            }
        } else {
            visit(event(public, action, |_| None), 1.0);
        }
    }

    fn owner(view: &View<'_>, army: u8) -> Option<Player> {
        view.public.owner(crate::piece::Colour::ALL[usize::from(army)])
    }
}

/// The event of an action, `identity` telling what lies covered on a square.
fn event(
    public: &Public,
    action: Action,
    identity: impl Fn(crate::square::Square) -> Option<crate::piece::Token>,
) -> Event {
    match TABLE.deed(action, Side::Near) {
        Deed::Flip(square) => Event { revealed: identity(square), ..Event::default() },
        Deed::Step { to, .. } => match public.at(to) {
            Contents::Empty => Event::default(),
            Contents::Covered => {
                Event { captured: identity(to), captured_covered: true, revealed: None }
            }
            Contents::Revealed(piece) => {
                Event { captured: Some(piece.into()), ..Event::default() }
            }
        },
    }
}

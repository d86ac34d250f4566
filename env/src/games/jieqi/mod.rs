//! jieqi 揭棋: xiangqi whose pieces lie face down on their home squares. RULES.md section 3.

mod board;
mod chase;
mod moves;
mod notation;
mod observe;
mod state;

use std::sync::LazyLock;

use crate::action::{Action, ActionTable, Deed, Side};
use crate::game::{Flow, Game, Outcome, Player, Reason};
use crate::hidden::{Event, Hidden, Viewer};
use crate::movement::Moves;
use crate::options::{Domain, OptionSpec, Setting, int_option, switch_option};
use crate::piece::{Colour, Kind, Piece, Token};
use crate::repetition::perpetual_check;
use crate::rng::Rng;
use crate::square::{BoardSize, Square};

pub use board::{Board, Contents};
pub use state::{Captured, Ledger, Public, State, View};

/// The board: 9 files, 10 ranks.
pub const SIZE: BoardSize = BoardSize { files: 9, ranks: 10 };

static MOVES: LazyLock<Moves<u128>> = LazyLock::new(|| Moves::new(SIZE));
static TABLE: LazyLock<ActionTable> = LazyLock::new(|| ActionTable::new(&*MOVES, false));

/// Who learns what a captured covered piece was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CapturedShown {
    Captor,
    Public,
}

/// The rules of jieqi with their options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Jieqi {
    captured: CapturedShown,
    chase: bool,
    repetition: bool,
    quiet_limit: u16,
    max_plies: u16,
}

impl Default for Jieqi {
    fn default() -> Self {
        Self {
            captured: CapturedShown::Captor,
            chase: false,
            repetition: true,
            quiet_limit: 80,
            max_plies: 600,
        }
    }
}

impl Jieqi {
    /// The verdict at the third occurrence of a position: RULES.md section 7.
    #[cold]
    fn verdict(&self, public: &Public) -> Outcome {
        let cycle = public.history.cycle();
        let players = [public.board.mover().other(), public.board.mover()].map(Colour::index);
        let blamed = |[last, other]: [bool; 2], reason| match (last, other) {
            (true, false) => Some(Outcome::lost_by(players[0], reason)),
            (false, true) => Some(Outcome::lost_by(players[1], reason)),
            _ => None,
        };
        let checks = perpetual_check(cycle);
        let verdict = if checks.contains(&true) || !self.chase {
            blamed(checks, Reason::PerpetualCheck)
        } else {
            blamed(chase::perpetual_chase(&public.board, cycle), Reason::PerpetualChase)
        };
        verdict.unwrap_or(Outcome::even(Reason::Repetition, 2))
    }

    fn captures_are_public(&self) -> bool {
        self.captured == CapturedShown::Public
    }
}

impl Game for Jieqi {
    const NAME: &'static str = "jieqi";
    const ABOUT: &'static str =
        "xiangqi with the pieces covered on their home squares, turned over as they move";
    const KINDS: &'static [char] = &Kind::LETTERS;

    type State = State;

    fn options() -> &'static [OptionSpec<Self>] {
        const OPTIONS: &[OptionSpec<Jieqi>] = &[
            OptionSpec {
                name: "captured",
                about: "Who is shown the identity of a piece captured face down.",
                domain: Domain::Choice(&["captor", "public"]),
                get: |rules| Setting::Choice(rules.captured as usize),
                set: |rules, setting| {
                    rules.captured = match setting {
                        Setting::Choice(1) => CapturedShown::Public,
                        _ => CapturedShown::Captor,
                    };
                },
            },
            switch_option!(chase, "Whether a perpetual chase loses."),
            switch_option!(
                repetition,
                "Whether the third occurrence of a position ends the game, perpetual check included."
            ),
            int_option!(
                quiet_limit,
                Domain::LIMIT,
                "Plies in a row without capture that make a draw; 0 turns it off."
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
        state.public.board.mover().index()
    }

    #[inline]
    fn side(&self, state: &State) -> Side {
        side_of(state.public.board.mover())
    }

    #[inline]
    fn ply(&self, state: &State) -> u16 {
        state.public.ply
    }

    #[inline]
    fn ending(&self, state: &State) -> Option<Outcome> {
        let public = &state.public;
        if self.repetition && public.history.occurrences() >= 3 {
            return Some(self.verdict(public));
        }
        if self.quiet_limit > 0 && public.quiet >= self.quiet_limit {
            return Some(Outcome::even(Reason::QuietLimit, 2));
        }
        (public.ply >= self.max_plies).then(|| Outcome::even(Reason::MaxPlies, 2))
    }

    fn stuck(&self, state: &State) -> Outcome {
        let reason = if state.public.check { Reason::Checkmate } else { Reason::Stalemate };
        Outcome::lost_by(state.public.board.mover().index(), reason)
    }

    #[inline]
    fn each_action(&self, state: &State, visit: impl FnMut(Action) -> Flow) -> Flow {
        moves::each_action(&state.public, visit)
    }

    #[inline]
    fn play(&self, state: &mut State, action: Action) {
        let (from, to) = squares(&state.public, action);
        state.step(from, to, self.captures_are_public());
    }
}

impl Hidden for Jieqi {
    type View<'a> = View<'a>;

    fn view<'a>(&'a self, state: &'a State, viewer: Viewer) -> View<'a> {
        View { viewer, public: &state.public, ledger: state.ledger(viewer) }
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
            Contents::Empty => None,
            Contents::Revealed(piece) => Some(piece.into()),
            Contents::Covered(_) => Some(state.identity(square).into()),
        };
        Event {
            revealed: token(from).filter(|_| board.is_covered(from)),
            captured: token(to),
            captured_covered: board.is_covered(to),
        }
    }

    fn each_reveal(&self, view: &View<'_>, action: Action, mut visit: impl FnMut(Event, f64)) {
        let (from, to) = squares(view.public, action);
        // The mover's piece and its prey are of different colours, so they turn up independently.
        each_identity(view, from, |own, own_odds| {
            each_identity(view, to, |prey, prey_odds| {
                let event = Event {
                    revealed: own.filter(|_| view.public.board.is_covered(from)),
                    captured: prey,
                    captured_covered: view.public.board.is_covered(to),
                };
                visit(event, own_odds * prey_odds);
            });
        });
    }

    fn owner(_: &View<'_>, army: u8) -> Option<Player> {
        Some(army.into())
    }
}

/// Visits what a square may hold for all a viewer knows, with the odds of each.
fn each_identity(view: &View<'_>, square: Square, mut visit: impl FnMut(Option<Token>, f64)) {
    match view.public.board.at(square) {
        Contents::Empty => visit(None, 1.0),
        Contents::Revealed(piece) => visit(Some(piece.into()), 1.0),
        Contents::Covered(colour) => {
            for (kind, odds) in view.ledger.unseen[colour.index()].odds() {
                let piece = Piece { colour, kind: Kind::ALL[kind] };
                visit(Some(piece.into()), odds);
            }
        }
    }
}

/// Black sees the board turned, so that an index means the same shape for both.
const fn side_of(colour: Colour) -> Side {
    match colour {
        Colour::Red => Side::Near,
        Colour::Black => Side::Far,
    }
}

fn squares(public: &Public, action: Action) -> (Square, Square) {
    match TABLE.deed(action, side_of(public.board.mover())) {
        Deed::Step { from, to } => (from, to),
        Deed::Flip(_) => unreachable!("the table has no flips"),
    }
}

//! Xiangqi whose pieces lie face down on their home squares and are turned over as they move.
//! RULES.md sections 3, 4 and 7. The games differ in their options and in what makes a draw.

mod board;
mod chase;
mod features;
mod leaps;
mod moves;
mod notation;
mod observe;
mod state;

use std::fmt::Debug;
use std::sync::LazyLock;

use crate::board::{
    Action, ActionBits, ActionTable, AnyPiece, BoardSize, Colour, Flow, Kind, Move, Perspective,
    Piece, Square,
};
use crate::error::FenError;
use crate::game::{
    Domain, Event, Game, Hidden, OptionSpec, Outcome, Player, Reason, Viewer, choice_option,
    int_option, perpetual_check, switch_option,
};
use crate::movement::{Between, MoveTables};
use crate::rng::Rng;

pub use board::{Board, Contents};
pub(crate) use moves::has_crossed;
use state::is_shown;
pub use state::{Captured, Counters, Ledger, Public, State, View};

/// The board: 9 files, 10 ranks.
pub const SIZE: BoardSize = BoardSize { files: 9, ranks: 10 };

static MOVES: LazyLock<MoveTables<u128>> = LazyLock::new(|| MoveTables::new(SIZE));
static BETWEEN: LazyLock<Between<u128>> = LazyLock::new(|| Between::new(&MOVES));
static TABLE: LazyLock<ActionTable> =
    LazyLock::new(|| ActionTable::new(SIZE, false, |from| MOVES.any_shape(from)));

/// What sets one game of covered xiangqi apart: its name, its options, and its drawing rules.
pub trait Variant: Clone + Default + Debug + PartialEq + Send + Sync + 'static {
    /// The name in the registry.
    const NAME: &'static str;

    /// What the game is, in one line.
    const ABOUT: &'static str;

    /// The default of the option `chase`.
    const CHASE: bool;

    /// The default of the option `max_plies`.
    const MAX_PLIES: u16;

    /// Whether effective moves are counted.
    const COUNTS_EFFECTIVE: bool;

    /// What the counters in observations count, in the order of [`Variant::gauges`].
    const GAUGES: &'static [&'static str];

    /// The options.
    fn options() -> &'static [OptionSpec<CoveredXiangqi<Self>>];

    /// Plies without capture or reveal for which a game makes room beforehand.
    fn history_room(&self) -> u16;

    /// Whether a quiet ply counts as progress.
    fn is_progress(revealed: bool, piece: Piece, from: Square, to: Square) -> bool;

    /// Why the counters make a draw, if they do.
    fn drawn(&self, counters: &Counters, ply: u16) -> Option<Reason>;

    /// The counters as observations show them, one byte each.
    fn gauges(&self, counters: &Counters, own: Colour) -> impl Iterator<Item = u8>;

    /// The largest share of a limit that a counter has reached, from 0 to 1.
    fn staleness(&self, counters: &Counters, ply: u16) -> f32;

    /// The counters as FENs write them.
    fn write_counters(counters: &Counters) -> String;

    /// Reads what [`Variant::write_counters`] writes.
    ///
    /// # Errors
    /// If it is malformed.
    fn read_counters(field: &str) -> Result<Counters, FenError>;
}

/// Who learns what a captured covered piece was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CapturedShown {
    Captor,
    Public,
}

impl CapturedShown {
    const ALL: [Self; 2] = [Self::Captor, Self::Public];
    const NAMES: [&'static str; 2] = ["captor", "public"];
}

/// The rules of a game of covered xiangqi with their options.
#[derive(Clone, PartialEq, Debug)]
pub struct CoveredXiangqi<V> {
    captured: CapturedShown,
    chase: bool,
    repetition: bool,
    max_plies: u16,
    /// The game's own options.
    pub(crate) variant: V,
}

impl<V: Variant> Default for CoveredXiangqi<V> {
    fn default() -> Self {
        Self {
            captured: CapturedShown::Captor,
            chase: V::CHASE,
            repetition: true,
            max_plies: V::MAX_PLIES,
            variant: V::default(),
        }
    }
}

impl<V> CoveredXiangqi<V> {
    /// The options that all games of covered xiangqi have.
    pub(crate) const COMMON_OPTIONS: [OptionSpec<Self>; 4] = [
        choice_option!(
            captured,
            CapturedShown,
            "Who is shown the identity of a piece captured face down."
        ),
        switch_option!(chase, "Whether a perpetual chase loses."),
        switch_option!(
            repetition,
            "Whether the third occurrence of a position ends the game, perpetual check included."
        ),
        int_option!(
            max_plies,
            Domain::Int { min: 1, max: u16::MAX },
            "Plies after which the game is truncated."
        ),
    ];
}

impl<V: Variant> CoveredXiangqi<V> {
    /// The verdict at the third occurrence of a position: RULES.md section 7.
    #[cold]
    fn verdict(&self, public: &Public) -> Outcome {
        let players = [public.board.mover().other(), public.board.mover()].map(Colour::index);
        let blamed = |[last, other]: [bool; 2], reason| match (last, other) {
            (true, false) => Some(Outcome::lost_by(players[0], reason)),
            (false, true) => Some(Outcome::lost_by(players[1], reason)),
            _ => None,
        };
        let checks = perpetual_check(&public.history);
        let verdict = if checks.contains(&true) || !self.chase {
            blamed(checks, Reason::PerpetualCheck)
        } else {
            blamed(
                chase::perpetual_chase(&public.board, public.history.last_cycle()),
                Reason::PerpetualChase,
            )
        };
        verdict.unwrap_or(Outcome::even(Reason::Repetition, 2))
    }

    fn captures_are_public(&self) -> bool {
        self.captured == CapturedShown::Public
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
        state.public.history.reserve(self.variant.history_room());
        state
    }

    fn redeal(&self, state: &mut State, rng: &mut Rng) {
        let fresh = State::deal::<V>(rng);
        let old = std::mem::replace(state, fresh);
        state.public.history.store_in(old.public.history);
    }

    #[inline]
    fn to_move(&self, state: &State) -> Player {
        state.public.board.mover().index()
    }

    #[inline]
    fn perspective(&self, state: &State) -> Perspective {
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
        if let Some(reason) = self.variant.drawn(&public.counters, public.ply) {
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
        moves::generate_actions(&state.public, visit)
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
        let board = &view.public.board;
        let captured_covered = board.is_covered(to);
        let prey_is_shown = !captured_covered
            || is_shown(view.viewer, board.mover().other(), self.captures_are_public());
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
                state.assume(square, Piece::from(token).kind, viewer);
            }
        }
    }

    fn fingerprint(view: &View<'_>) -> u64 {
        let [red, black] = &view.ledger.unseen;
        view.public.board.key() ^ red.fingerprint() ^ black.fingerprint().rotate_left(1)
    }

    fn owner(_: &View<'_>, army: u8) -> Option<Player> {
        Some(army.into())
    }
}

/// Visits what a square may hold for all a viewer knows, with the odds of each.
fn each_identity(view: &View<'_>, square: Square, mut visit: impl FnMut(Option<AnyPiece>, f64)) {
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
const fn side_of(colour: Colour) -> Perspective {
    match colour {
        Colour::Red => Perspective::Upright,
        Colour::Black => Perspective::Rotated,
    }
}

fn squares(public: &Public, action: Action) -> (Square, Square) {
    match TABLE.get_move(action, side_of(public.board.mover())) {
        Move::Step { from, to } => (from, to),
        Move::Flip(_) | Move::Pass => unreachable!("the table has steps only"),
    }
}

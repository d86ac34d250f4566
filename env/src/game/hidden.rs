//! Hidden information: views, determinization, and probabilities of reveals.
//!
//! Game theory calls a view an information state: two states with equal views cannot be told apart.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use super::outcome::Player;
use super::rules::Game;
use crate::board::{Action, AnyPiece, Reflection, Regions};
use crate::rng::Rng;

/// The part of a covered piece that is hidden.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hides {
    /// No piece is ever covered.
    Nothing,
    /// The kind. The army shows.
    Kind,
    /// The kind and the army. The first piece that is revealed gives its army to the seat that
    /// reveals it.
    KindAndArmy,
}

impl Hides {
    /// The name in Python: `nothing`, `kind` or `kind and army`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Kind => "kind",
            Self::KindAndArmy => "kind and army",
        }
    }
}

/// The observer of a view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Viewer {
    /// A seat.
    Player(Player),
    /// A spectator: knows what is public.
    Public,
}

impl Viewer {
    /// The seat whose perspective the planes have: a spectator's that of seat 0.
    pub fn perspective(self) -> Player {
        match self {
            Self::Player(player) => player,
            Self::Public => 0,
        }
    }
}

/// The pieces that a ply reveals and captures, as far as a viewer knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Event {
    /// The identity of the piece that the ply turns over.
    pub revealed: Option<AnyPiece>,
    /// The piece captured.
    pub captured: Option<AnyPiece>,
    /// Whether the captured piece was covered.
    pub captured_covered: bool,
}

/// A game with hidden information. In a game without, every view holds the whole state.
///
/// A view borrows the public part of a state and the knowledge of its viewer. It has no field that
/// could hold more.
pub trait Hidden: Game {
    /// The part of a covered piece that is hidden.
    const HIDES: Hides;

    /// Whether covered pieces can move.
    const COVERED_PIECES_MOVE: bool = false;

    /// The reflections of the board that is played on, in the mover's perspective, that are symmetries of
    /// the game with any options: deals are as likely reflected, and play, endings and observations
    /// after them are the same, reflected.
    const REFLECTIONS: &'static [Reflection] = &[];

    /// The regions of the board that players name, by which piece values are told apart; `None` where
    /// there are none. A game that has some visits its pieces by [`Features::each_placed`].
    ///
    /// [`Features::each_placed`]: super::Features::each_placed
    const REGIONS: Option<Regions> = None;

    /// The knowledge of one viewer.
    type View<'a>: Clone + PartialEq + Debug;

    /// The view that `viewer` has of a state.
    fn view<'a>(&'a self, state: &'a Self::State, viewer: Viewer) -> Self::View<'a>;

    /// Whether a seat may capture a piece without others seeing what it was.
    fn captures_are_secret(&self) -> bool {
        false
    }

    /// The seat to move.
    fn view_to_move(view: &Self::View<'_>) -> Player;

    /// A determinization: a state sampled uniformly from those with this view.
    fn determinize(&self, view: &Self::View<'_>, rng: &mut Rng) -> Self::State;

    /// The pieces that a legal action reveals and captures.
    fn event(&self, state: &Self::State, action: Action) -> Event;

    /// Visits every event that the viewer may see a legal action of the mover cause, with exact
    /// probabilities. An identity that the viewer will not be shown is `None`.
    fn each_reveal(&self, view: &Self::View<'_>, action: Action, visit: impl FnMut(Event, f64));

    /// Exchanges identities that the viewer cannot tell apart, so that a legal action causes
    /// `event`. The event must be one that [`Hidden::each_reveal`] visits.
    ///
    /// The view of the viewer does not change. In a game without hidden information nothing does.
    fn arrange(&self, _: &mut Self::State, _: Viewer, _: Action, _: &Event) {}

    /// A hash of the pieces as the viewer knows them, of the seat to move, of how often the position has
    /// occurred, and of what else decides which actions are legal. Counters do not enter.
    fn fingerprint(view: &Self::View<'_>) -> u64;

    /// The seat that owns an army; `None` while colours are not assigned. Unless said otherwise, the one
    /// of the same number.
    fn owner(_: &Self::View<'_>, army: u8) -> Option<Player> {
        Some(army.into())
    }

    /// The army to move where a seat may have several; `None` in other games.
    fn army_to_move(&self, _: &Self::State) -> Option<u8> {
        None
    }
}

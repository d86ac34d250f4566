//! Hidden information: views, determinization, and probabilities of reveals.
//!
//! Game theory calls a view an information state: two states with equal views cannot be told apart.

use std::fmt::Debug;

use super::outcome::Player;
use super::rules::Game;
use crate::board::{Action, AnyPiece};
use crate::rng::Rng;

/// The observer of a view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Viewer {
    /// A seat.
    Player(Player),
    /// A spectator: knows what is public.
    Public,
}

/// What a ply reveals and captures, as far as a viewer knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
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
    /// The knowledge of one viewer.
    type View<'a>: Clone + PartialEq + Debug;

    /// The view that `viewer` has of a state.
    fn view<'a>(&'a self, state: &'a Self::State, viewer: Viewer) -> Self::View<'a>;

    /// The seat to move.
    fn view_to_move(view: &Self::View<'_>) -> Player;

    /// A determinization: a state sampled uniformly from those with this view.
    fn determinise(&self, view: &Self::View<'_>, rng: &mut Rng) -> Self::State;

    /// What a legal action reveals and captures.
    fn event(&self, state: &Self::State, action: Action) -> Event;

    /// Visits every event that the viewer may see a legal action of the mover cause, with exact
    /// probabilities. An identity that the viewer will not be shown is `None`.
    fn each_reveal(&self, view: &Self::View<'_>, action: Action, visit: impl FnMut(Event, f64));

    /// Exchanges identities that the viewer cannot tell apart, so that a legal action causes
    /// `event`. The event must be one that [`Hidden::each_reveal`] visits.
    ///
    /// The view of the viewer does not change. In a game without hidden information nothing does.
    fn arrange(&self, _: &mut Self::State, _: Viewer, _: Action, _: &Event) {}

    /// A hash of the pieces as the viewer knows them and of the seat to move. Counters and history
    /// do not enter.
    fn fingerprint(view: &Self::View<'_>) -> u64;

    /// The seat that owns an army; `None` while colours are not assigned.
    fn owner(view: &Self::View<'_>, army: u8) -> Option<Player>;
}

//! Who knows what: views, worlds that fit a view, and the odds of reveals.

use std::fmt::Debug;

use super::outcome::Player;
use super::rules::Game;
use crate::board::{Action, AnyPiece};
use crate::rng::Rng;

/// Whose eyes a game is seen through.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Viewer {
    /// A player.
    Player(Player),
    /// A spectator, who knows what all players know.
    Public,
}

/// What a ply turns over and takes, as far as somebody knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Event {
    /// The identity of the mover's piece, when the ply turns it over.
    pub revealed: Option<AnyPiece>,
    /// The piece taken.
    pub captured: Option<AnyPiece>,
    /// Whether the piece taken was covered.
    pub captured_covered: bool,
}

/// A game with covered pieces. One without is the case where every view shows all.
///
/// A view borrows the public part of a state and what its viewer has learnt; it has no field that
/// could hold more.
pub trait Hidden: Game {
    /// What one viewer may know.
    type View<'a>: Clone + PartialEq + Debug;

    /// What `viewer` may know of a state.
    fn view<'a>(&'a self, state: &'a Self::State, viewer: Viewer) -> Self::View<'a>;

    /// Whose turn it is.
    fn view_to_move(view: &Self::View<'_>) -> Player;

    /// A world drawn uniformly from those that the viewer cannot tell apart.
    fn determinise(&self, view: &Self::View<'_>, rng: &mut Rng) -> Self::State;

    /// What a legal action will turn over and take.
    fn event(&self, state: &Self::State, action: Action) -> Event;

    /// Visits everything that the viewer may see a legal action of the mover turn over and take,
    /// with exact probabilities. What it will not be shown stays `None` and has no odds.
    fn each_reveal(&self, view: &Self::View<'_>, action: Action, visit: impl FnMut(Event, f64));

    /// Exchanges identities that the viewer cannot tell apart so that a legal action will show it
    /// `event`, which is one of those that [`Hidden::each_reveal`] visits.
    ///
    /// The viewer's view stays as it is. Where nothing is hidden there is nothing to do.
    fn arrange(&self, _: &mut Self::State, _: Viewer, _: Action, _: &Event) {}

    /// A hash of what the viewer knows of the pieces and of whose turn it is.
    ///
    /// Counters and history do not enter into it.
    fn fingerprint(view: &Self::View<'_>) -> u64;

    /// The seat that owns an army, once that is settled.
    fn owner(view: &Self::View<'_>, army: u8) -> Option<Player>;
}

//! What a position holds for each seat, as far as a viewer knows: what evaluations are made of.

use super::hidden::Hidden;
use super::outcome::Player;
use crate::board::AnyPiece;

/// Which way up a piece lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Face {
    /// Its identity shows.
    Up,
    /// It is covered.
    Down,
}

/// What a seat's pieces can do, whether or not it has the move. Covered pieces count as what they
/// move as, and do nothing where they cannot move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Activity {
    /// Squares that the pieces could go to if no general had to be guarded, counted by piece.
    pub mobility: u32,
    /// How many of these are squares on or next to an enemy's revealed general.
    pub pressure: u32,
}

/// A game whose positions can be judged from outside.
pub trait Features: Hidden {
    /// What values are counted in: the kinds whose mean value is the unit, and the number that stands
    /// for it.
    const UNIT: (&'static [char], f64) = (&['P'], 1.0);

    /// Kinds that turn into one another.
    const FORMS: &'static [[char; 2]] = &[];

    /// A kind, and the lower one that it has to fear.
    const CIRCLE: Option<[char; 2]> = None;

    /// Visits the pieces on the board, with the number of them that the viewer expects: those of
    /// one piece id together or apart. What cannot be lost without losing the game is left out.
    fn each_piece(&self, view: &Self::View<'_>, visit: impl FnMut(AnyPiece, Face, f32));

    /// Visits the covered pieces that can move, as what they move as, with their number: those of one
    /// piece id together or apart.
    fn each_covered_mover(&self, _: &Self::View<'_>, _: impl FnMut(AnyPiece, f32)) {}

    /// What a seat's pieces can do.
    fn activity(&self, view: &Self::View<'_>, player: Player) -> Activity;

    /// Visits the face-up pieces that an enemy could take if it had the move and no general to guard.
    /// Whether they are protected is not asked.
    fn each_threatened(&self, view: &Self::View<'_>, visit: impl FnMut(AnyPiece));

    /// How far a seat has come towards a victory that is reached by counting, from 0 to 1.
    fn progress(&self, _: &Self::View<'_>, _: Player) -> f32 {
        0.0
    }

    /// How near the game is to being drawn or cut off by a counter, from 0 to 1.
    fn staleness(&self, view: &Self::View<'_>) -> f32;
}

/// A counter's share of its limit, of which 0 means none.
#[inline]
pub(crate) fn share(count: u16, limit: u16) -> f32 {
    if limit == 0 { 0.0 } else { (f32::from(count) / f32::from(limit)).min(1.0) }
}

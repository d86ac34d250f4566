//! Features of a position, as far as a viewer knows it: the input of evaluation functions, and what
//! searches ask beyond the rules.

use arrayvec::ArrayVec;

use super::hidden::Hidden;
use super::outcome::{MAX_PLAYERS, Player};
use crate::board::{Action, AnyPiece, Square};

/// The most pieces of a position that [`Features::endgame`] lists.
pub const ENDGAME_PIECES: usize = 4;

/// The pieces of a position with few of them, each with its square.
pub type Endgame = ArrayVec<(Square, AnyPiece), ENDGAME_PIECES>;

/// Whether a piece is face up or face down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Face {
    /// Its identity is visible.
    Up,
    /// It is covered.
    Down,
}

/// The activity of a seat's pieces, whether or not it is to move. A covered piece counts as the kind it
/// moves as; it counts for nothing in a game where covered pieces do not move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Activity {
    /// Number of pseudo-legal moves: moves before those that expose the own general are removed.
    pub mobility: u32,
    /// Number of these moves that end on or next to an enemy's revealed general.
    pub pressure: u32,
}

/// How near an army is to its fall.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fall {
    /// No captures that are threatened bring it down.
    Distant,
    /// Two captures bring it down.
    Near,
    /// One capture brings it down.
    Next,
}

/// What an army may lose to enemies that move before it does, protected or not.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Peril {
    /// The army.
    pub army: u8,
    /// The value of all its pieces, 0 where no army falls before the game is over.
    pub whole: f32,
    /// The values of the most and of the second most valuable piece that they could capture, 0 for
    /// none.
    pub highest: [f32; 2],
    /// Its fall by what they could capture.
    pub fall: Fall,
}

impl Peril {
    /// An army without pieces.
    pub(crate) const fn none(army: u8) -> Self {
        Self { army, whole: 0.0, highest: [0.0; 2], fall: Fall::Distant }
    }

    /// Adds a piece of this value that could be captured.
    #[inline]
    pub(crate) const fn threaten(&mut self, value: f32) {
        let [highest, second] = &mut self.highest;
        *second = second.max(highest.min(value));
        *highest = highest.max(value);
    }
}

/// A count of plies that ends the game when it reaches a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counter {
    /// The option that sets the limit.
    pub option: &'static str,
    /// The count so far, in plies unless RULES.md says otherwise of the option.
    pub count: u16,
    /// The count that ends the game, in the same unit; 0 means no limit.
    pub limit: u16,
    /// The things that are counted, as in "60 plies without capture".
    pub things: &'static str,
}

/// A game with features for evaluation functions and searches.
pub trait Features: Hidden {
    /// The unit of piece values: the mean value of these kinds equals this number.
    const UNIT: (&'static [char], f64) = (&['P'], 1.0);

    /// Pairs of kinds that turn into each other.
    const FORMS: &'static [[char; 2]] = &[];

    /// The exception to the order of ranks: a kind, and the lower kind that captures it.
    const RANK_EXCEPTION: Option<[char; 2]> = None;

    /// Whether a general may not stay attacked.
    const HAS_CHECKS: bool = false;

    /// Visits the pieces on the board with their expected number for the viewer. Calls for equal
    /// pieces add up. Pieces whose loss ends the game are left out.
    fn each_piece(&self, view: &Self::View<'_>, visit: impl FnMut(AnyPiece, Face, f32));

    /// Visits the covered pieces that can move, with the kind they move as and their number. Calls
    /// for equal pieces add up.
    fn each_covered_mover(&self, _: &Self::View<'_>, _: impl FnMut(AnyPiece, f32)) {}

    /// Visits the face-up pieces of [`Features::each_piece`], each with its square. A game without
    /// [`Hidden::REGIONS`] may visit none.
    fn each_placed(&self, _: &Self::View<'_>, _: impl FnMut(Square, AnyPiece)) {}

    /// The activity of a seat's pieces.
    fn activity(&self, view: &Self::View<'_>, player: Player) -> Activity;

    /// Visits the face-up pieces that an enemy could capture by a pseudo-legal move if it were to
    /// move, protected or not.
    fn each_threatened(&self, view: &Self::View<'_>, visit: impl FnMut(Square, AnyPiece));

    /// Visits the armies that may lose something before their next turn, and perhaps others. `worth`
    /// gives the value of a kind.
    fn each_peril(
        &self,
        view: &Self::View<'_>,
        worth: impl Fn(u8) -> f32,
        visit: impl FnMut(Peril),
    ) {
        let mover = Self::view_to_move(view);
        let mut perils = ArrayVec::<Peril, MAX_PLAYERS>::new();
        self.each_threatened(view, |_, piece| {
            // The mover can still save its own.
            if Self::owner(view, piece.army).is_none_or(|owner| owner == mover) {
                return;
            }
            let known = perils.iter().position(|peril| peril.army == piece.army);
            let number = known.unwrap_or_else(|| {
                perils.push(Peril::none(piece.army));
                perils.len() - 1
            });
            perils[number].threaten(worth(piece.kind));
        });
        perils.into_iter().for_each(visit);
    }

    /// The progress of a seat towards a victory by a count, from 0 to 1.
    fn progress(&self, _: &Self::View<'_>, _: Player) -> f32 {
        0.0
    }

    /// Visits the counters that draw or truncate the game.
    fn each_counter(&self, view: &Self::View<'_>, visit: impl FnMut(Counter));

    /// The largest fraction of its limit that a counter has reached, 0 to 1.
    fn staleness(&self, view: &Self::View<'_>) -> f32 {
        let mut most = 0.0_f32;
        self.each_counter(view, |Counter { count, limit, .. }| {
            most = most.max(fraction_of_limit(count, limit));
        });
        most
    }

    /// Number of occurrences of the position that count for a repetition, this one included; 1 where
    /// the rules in force count none.
    fn occurrences(&self, _: &Self::View<'_>) -> u8 {
        1
    }

    /// Whether a position since the last irreversible ply, this one included, has occurred twice: what
    /// endgame tables ask besides. False in games that have none, and where the rules in force count no
    /// repetition.
    fn has_recurred(&self, _: &Self::View<'_>) -> bool {
        false
    }

    /// The pieces on the board, ascending by square, if all are face up and there are at most
    /// [`ENDGAME_PIECES`]: what endgame tables are asked by. `None` in games that have no such tables.
    fn endgame(&self, _: &Self::View<'_>) -> Option<Endgame> {
        None
    }

    /// Whether a piece stands on a square. A game may say so of every square.
    fn is_occupied(&self, _: &Self::View<'_>, _: Square) -> bool {
        true
    }

    /// Whether a covered piece stands on a square. A game may say so of every square.
    fn is_covered(&self, _: &Self::View<'_>, _: Square) -> bool {
        true
    }

    /// Whether the mover's general is attacked; false without [`Features::HAS_CHECKS`].
    fn is_check(&self, _: &Self::State) -> bool {
        false
    }

    /// The gain of a capture if both sides go on capturing on its target and stop when that is better
    /// (static exchange evaluation); `None` in games that do not say. `value` gives the value of a
    /// piece, or that of a covered one.
    fn static_exchange(
        &self,
        _: &Self::View<'_>,
        _: Action,
        _: impl Fn(Option<AnyPiece>) -> f32,
    ) -> Option<f32> {
        None
    }
}

/// A counter as a fraction of its limit, at most 1; 0 if the limit is 0, which means no limit.
#[inline]
pub fn fraction_of_limit(count: u16, limit: u16) -> f32 {
    if limit == 0 { 0.0 } else { (f32::from(count) / f32::from(limit)).min(1.0) }
}

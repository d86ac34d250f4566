//! The facts about a game's rules that the analysis needs.

use darkqi_env::{
    Spec, Square,
    board::{BoardSize, Reflection},
    game::Hides,
};

use super::luck::RevealLuck;
use crate::Result;
use crate::games::square_class;
use darkqi_format::Metadata;

/// The facts about a game's rules that the analysis needs.
#[derive(Debug)]
pub(super) struct RuleFacts {
    seats: usize,
    pub(super) hides: Hides,
    has_teams: bool,
    pub(super) kinds: &'static [char],
    pub(super) size: BoardSize,
    pub(super) symmetries: &'static [Reflection],
    /// The representatives of the symmetry classes of squares, ascending.
    pub(super) classes: Vec<Square>,
    pub(super) luck: RevealLuck,
}

impl RuleFacts {
    pub(super) fn new(spec: &Spec) -> Self {
        let mut classes = square_classes(spec).unwrap_or_default();
        classes.sort();
        classes.dedup();
        let seats = spec.num_players;
        Self {
            seats,
            hides: spec.hides,
            has_teams: (0..seats).any(|one| (0..one).any(|other| spec.allied(one, other))),
            kinds: spec.kinds,
            size: spec.board_size,
            symmetries: spec.reflections,
            classes,
            luck: RevealLuck::new(spec),
        }
    }

    /// The rules of a dataset's game.
    ///
    /// # Errors
    /// If the game or an option does not exist.
    pub(super) fn of(metadata: &Metadata) -> Result<Self> {
        Ok(Self::new(&metadata.spec()?))
    }

    pub(super) fn seats(&self) -> usize {
        self.seats
    }

    pub(super) fn kind_names(&self) -> Vec<String> {
        self.kinds.iter().map(char::to_string).collect()
    }

    pub(super) fn class_names(&self) -> Vec<String> {
        self.classes.iter().map(|&square| self.size.name(square)).collect()
    }

    /// [`RuleFacts::even`]; None if some seats win together.
    pub(super) fn even_share(&self) -> Option<f64> {
        (!self.has_teams).then(|| self.even())
    }

    /// The expected score if all seats are equal.
    pub(super) fn even(&self) -> f64 {
        1.0 / self.seats as f64
    }
}

/// The representative of each square's symmetry class, indexed by square of the board that is played on,
/// from the perspective of seat 0; None in games without covered pieces.
pub fn square_classes(spec: &Spec) -> Option<Vec<Square>> {
    let size = spec.board_size;
    let class = |square| square_class(size, spec.reflections, square, 0);
    (spec.hides != Hides::Nothing).then(|| size.all().map(class).collect())
}

#[cfg(test)]
mod tests {
    use darkqi_env::{Spec, game::texts};

    use super::RuleFacts;

    #[test]
    fn squares_of_a_smaller_board_are_alike_by_its_own_symmetries() {
        let none = ["army.A", "army.E", "army.H", "army.R", "army.C"].map(|army| (army, "0"));
        let options = texts(&[&none[..], &[("army.P", "2"), ("board", "4x3")]].concat());
        let spec = Spec::new("banqi", &options).expect("the options are valid");
        let facts = RuleFacts::new(&spec);
        assert_eq!(facts.class_names(), ["a1", "b1", "a2", "b2"]);
        // Observations show a larger board, which they are no symmetries of.
        assert_eq!(spec.layout_reflections().count(), 0);
    }
}

//! The facts about a game's rules that the analysis needs.

use darkqi_env::{BoardSize, Registered, Rng, Square, Stream, Viewer};

use super::luck::RevealLuck;
use crate::analysis::games::{Symmetry, square_class};

/// The facts about a game's rules that the analysis needs.
#[derive(Debug)]
pub(super) struct RuleFacts {
    seats: usize,
    has_teams: bool,
    pub(super) kinds: &'static [char],
    pub(super) size: BoardSize,
    pub(super) symmetry: Symmetry,
    /// The representatives of the symmetry classes of squares, ascending.
    pub(super) classes: Vec<Square>,
    pub(super) luck: RevealLuck,
}

impl RuleFacts {
    pub(super) fn new<G: Registered>(rules: &G) -> Self {
        let (colours_show, _) = covering(rules);
        let symmetry = Symmetry::of(colours_show);
        let size = G::LAYOUT.size;
        let mut classes = square_classes(rules).unwrap_or_default();
        classes.sort();
        classes.dedup();
        let seats = rules.players();
        let has_teams = (0..seats).any(|one| (0..one).any(|other| rules.allied(one, other)));
        let luck = RevealLuck::new(G::KINDS, colours_show);
        Self { seats, has_teams, kinds: G::KINDS, size, symmetry, classes, luck }
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

/// Whether covered pieces show their colour, and whether there are any.
fn covering(rules: &impl Registered) -> (bool, bool) {
    let deal = rules.deal(&mut Rng::new(0, Stream::Deal));
    let fen = rules.view_fen(&rules.view(&deal, Viewer::Public));
    let board = fen.split(' ').next().unwrap_or_default();
    (!board.contains('?'), board.contains(['?', 'X', 'x']))
}

/// The representative of each square's symmetry class, indexed by square, from the perspective of
/// seat 0; None in games without covered pieces.
pub(crate) fn square_classes<G: Registered>(rules: &G) -> Option<Vec<Square>> {
    let (colours_show, is_covered) = covering(rules);
    let (size, symmetry) = (G::LAYOUT.size, Symmetry::of(colours_show));
    is_covered.then(|| size.all().map(|square| square_class(size, symmetry, square, 0)).collect())
}

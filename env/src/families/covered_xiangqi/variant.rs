//! The differences between games of covered xiangqi, and the rules with their options.

use std::fmt::Debug;
use std::sync::Arc;

use super::design::Design;
use super::plan::Designed;

use crate::board::{Colour, Kind, Piece, Square, UnplacedPieces};
use crate::error::FenError;
use crate::game::{
    Counter, OptionSpec, Reason, Viewer, Words, choice_option, choices, max_plies_option,
    switch_option,
};

/// The counters of the drawing rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Plies since the last capture or other progress ([`Variant::is_progress`]).
    pub quiet: u16,
    /// Effective moves of each colour: RULES.md section 7 and 9.15. Zero in games that do not
    /// count them.
    pub effective: [u16; 2],
}

/// A game of covered xiangqi: its name, its options and its drawing rules.
pub trait Variant: Clone + Default + Debug + PartialEq + Send + Sync + 'static {
    /// The name in the registry.
    const NAME: &'static str;

    /// A description in one line.
    const ABOUT: &'static str;

    /// The default of the option `chase`.
    const CHASE: bool;

    /// The default of the option `max_plies`.
    const MAX_PLIES: u16;

    /// Whether effective moves are counted.
    const COUNTS_EFFECTIVE: bool;

    /// The names of the counters in observations; [`planes!`](crate::planes) declares all three.
    const COUNTER_NAMES: &'static [&'static str];

    /// The section of RULES.md.
    const SECTION: u8;

    /// The options.
    fn options() -> &'static [OptionSpec<CoveredXiangqi<Self>>];

    /// The draws by the game's own counters, in words.
    fn draws(&self) -> Vec<Words>;

    /// Number of plies without capture or reveal for which memory is reserved.
    fn history_capacity(&self) -> u16;

    /// Whether a ply without capture counts as progress.
    fn is_progress(revealed: bool, piece: Piece, from: Square, to: Square) -> bool;

    /// The reason if the counters make a draw.
    fn draw_reason(&self, counters: &Counters, ply: u16) -> Option<Reason>;

    /// The counters as observations show them, one byte each.
    fn counter_bytes(&self, counters: &Counters, own: Colour) -> impl AsRef<[u8]>;

    /// Number of plies after which every game has ended. `max_plies` is the option.
    fn longest_game(&self, max_plies: u16) -> u16 {
        max_plies
    }

    /// The greatest [`Variant::counter_bytes`] in games of at most this many plies.
    fn counter_maxima(&self, longest_game: u16) -> impl AsRef<[u8]>;

    /// Visits the counters of [`crate::game::Features::each_counter`], apart from the ply limit.
    fn each_counter(&self, counters: &Counters, ply: u16, visit: impl FnMut(Counter));

    /// The counters as a FEN field.
    fn write_counters(counters: &Counters) -> String;

    /// Reads what [`Variant::write_counters`] writes.
    ///
    /// # Errors
    /// If the field is malformed.
    fn read_counters(field: &str) -> Result<Counters, FenError>;
}

choices! {
    /// Who is shown the identity of a piece captured face down.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(super) enum CaptureVisibility {
        Captor = "captor",
        Public = "public",
    }
}

impl CaptureVisibility {
    /// Whether a viewer is shown the identity of a piece of this colour that is captured face down.
    pub(super) fn shows(self, viewer: Viewer, colour: Colour) -> bool {
        match self {
            Self::Captor => viewer == Viewer::Player(colour.other().index()),
            Self::Public => true,
        }
    }
}

/// The rules of a game of covered xiangqi with their options.
#[derive(Clone, Debug)]
pub struct CoveredXiangqi<V> {
    pub(super) captured: CaptureVisibility,
    pub(super) chase: bool,
    pub(super) repetition: bool,
    pub(super) max_plies: u16,
    /// The options of designers.
    pub(crate) design: Design,
    /// What follows from them for movement and captures; `None` where those are usual.
    pub(super) plan: Option<Arc<Designed>>,
    /// The game's own options.
    pub(crate) variant: V,
}

/// The options say all.
impl<V: PartialEq> PartialEq for CoveredXiangqi<V> {
    fn eq(&self, other: &Self) -> bool {
        let options = |it: &Self| (it.captured, it.chase, it.repetition, it.max_plies);
        options(self) == options(other)
            && self.design == other.design
            && self.variant == other.variant
    }
}

impl<V: Variant> Default for CoveredXiangqi<V> {
    fn default() -> Self {
        Self {
            captured: CaptureVisibility::Captor,
            chase: V::CHASE,
            repetition: true,
            max_plies: V::MAX_PLIES,
            design: Design::default(),
            plan: None,
            variant: V::default(),
        }
    }
}

impl<V> CoveredXiangqi<V> {
    /// The options that all games of covered xiangqi have.
    pub(crate) const COMMON_OPTIONS: [OptionSpec<Self>; 4] = [
        choice_option!(
            captured,
            CaptureVisibility,
            "Who is shown the identity of a piece captured face down."
        ),
        switch_option!(chase, "Whether a perpetual chase loses."),
        switch_option!(
            repetition,
            "Whether the third occurrence of a position ends the game, perpetual check included."
        ),
        max_plies_option!(),
    ];
}

impl<V> CoveredXiangqi<V> {
    /// Movement and captures by the rules of designers, where those change them.
    #[inline]
    pub(super) fn designed(&self) -> Option<&Designed> {
        self.plan.as_deref()
    }

    /// The kinds on whose home squares pieces begin covered, as bits.
    pub(super) fn covered(&self) -> u8 {
        self.design.covered
    }

    /// Whether pieces begin covered on the home squares of a kind.
    pub(super) fn begins_covered(&self, kind: Kind) -> bool {
        self.covered() >> kind.index() & 1 == 1
    }

    /// By colour, the number of pieces of each kind that covered pieces are dealt from.
    pub(super) fn pools(&self) -> [[u8; Kind::ALL.len()]; 2] {
        let pools = self.design.pools();
        [0, 1].map(|colour| pools.map(|pool| pool[colour]))
    }

    /// The greater of the numbers of pieces of a kind in the pools.
    pub(super) fn pool(&self, kind: Kind) -> u8 {
        let [red, black] = self.design.pools()[kind.index()];
        red.max(black)
    }

    /// The pieces of a game, those left over included.
    pub(super) fn pieces(&self) -> UnplacedPieces {
        let (pools, revealed) = (self.design.pools(), self.design.revealed());
        let count = |kind: usize| pools[kind].map(|count| count + revealed[kind]);
        UnplacedPieces::new(std::array::from_fn(count))
    }

    /// The pieces that may be covered.
    pub(super) fn coverable(&self) -> UnplacedPieces {
        UnplacedPieces::new(self.design.pools())
    }

    /// By colour, the number of pieces of its pool that stay out of the game.
    pub(super) fn left_over(&self) -> [u8; 2] {
        let revealed: u8 = self.design.revealed().iter().sum();
        let squares = Kind::COUNTS.iter().sum::<u8>() - revealed;
        self.pools().map(|pool| pool.iter().sum::<u8>() - squares)
    }

    /// Whether any pieces stay out of the game.
    pub(super) fn leaves_over(&self) -> bool {
        self.left_over() != [0; 2]
    }
}

//! The description of a game for users: seats, actions, observations, options.

use crate::error::SetupError;
use crate::game::{Layout, Options, Value};
use crate::games::{self, Registered, Visitor};

/// One option of a game with its values.
#[derive(Clone, PartialEq, Debug)]
pub struct OptionInfo {
    /// Its name.
    pub name: &'static str,
    /// Its description, one sentence.
    pub about: &'static str,
    /// `int`, `bool` or `str`.
    pub type_name: &'static str,
    /// The values it takes, as text.
    pub range: String,
    /// The default.
    pub default: Value,
    /// The value in force.
    pub value: Value,
}

/// A game with its options.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The name in the registry.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// Number of seats.
    pub num_players: usize,
    /// Number of actions in the action table.
    pub num_actions: usize,
    /// The contents of an observation.
    pub layout: Layout,
    /// The letters of the piece kinds.
    pub kinds: &'static [char],
    /// The options with their values.
    pub options: Vec<OptionInfo>,
}

impl Spec {
    /// The spec of these rules.
    pub fn of<G: Registered>(rules: &G) -> Self {
        let default = G::default();
        let options = G::options()
            .iter()
            .map(|option| OptionInfo {
                name: option.name,
                about: option.about,
                type_name: option.domain.type_name(),
                range: option.domain.range(),
                default: option.domain.value((option.get)(&default)),
                value: option.domain.value((option.get)(rules)),
            })
            .collect();
        Self {
            name: G::NAME,
            about: G::ABOUT,
            num_players: rules.players(),
            num_actions: rules.table().len(),
            layout: G::LAYOUT,
            kinds: G::KINDS,
            options,
        }
    }

    /// The spec of the game of this name with these options.
    ///
    /// # Errors
    /// If there is no such game or option, or a value is out of range.
    pub fn new(game: &str, options: &Options) -> Result<Self, SetupError> {
        struct Describe;
        impl Visitor for Describe {
            type Output = Spec;
            fn visit<G: Registered>(self, rules: G) -> Spec {
                Spec::of(&rules)
            }
        }
        games::with(game, options, Describe)
    }

    /// The options in force, defaults included.
    pub fn options_in_force(&self) -> Options {
        self.options.iter().map(|option| (option.name.to_owned(), option.value.clone())).collect()
    }
}

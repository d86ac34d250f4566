//! The registry: one list of games, which everything iterates.

use crate::error::{SetupError, UnknownGame};
use crate::game::Game;
use crate::observe::Observe;
use crate::options::{Options, configure};
use crate::picture::Draw;
use crate::survey::Survey;

/// Everything a registered game can do.
pub trait Registered: Observe + Survey + Draw {}

impl<G: Observe + Survey + Draw> Registered for G {}

/// Something to be done with a game whose name is known only at run time.
pub trait Visitor {
    /// What it gives.
    type Output;

    /// Does it with these rules.
    fn visit<G: Registered>(self, rules: G) -> Self::Output;
}

macro_rules! registry {
    ($($module:ident::$game:ident),* $(,)?) => {
        $(pub mod $module;)*

        /// The names of all games, in alphabetical order.
        pub const fn names() -> &'static [&'static str] {
            &[$(<$module::$game as Game>::NAME),*]
        }

        /// Visits the game of this name with these options.
        ///
        /// # Errors
        /// If there is no such game, no such option, or a value is out of range.
        pub fn with<V: Visitor>(
            name: &str,
            options: &Options,
            visitor: V,
        ) -> Result<V::Output, SetupError> {
            $(
                if name == <$module::$game as Game>::NAME {
                    let rules = rules::<$module::$game>(options)?;
                    return Ok(visitor.visit(rules));
                }
            )*
            Err(UnknownGame { name: name.to_owned() }.into())
        }
    };
}

// One line per game, in alphabetical order.
registry! {
    banqi::Banqi,
    flipping::Flipping,
    gaiqi::Gaiqi,
    jieqi::Jieqi,
    mystery::Mystery,
    seven_kingdoms::SevenKingdoms,
}

/// A game's rules with these options, the rest at their defaults.
///
/// # Errors
/// If there is no such option or a value is out of range.
pub fn rules<G: Game>(options: &Options) -> Result<G, SetupError> {
    Ok(configure(options)?)
}

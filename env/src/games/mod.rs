//! The registry of games, and one module per game.
//!
//! Everything that treats all games iterates the registry. A game uses every room above this one:
//! `board`, `movement`, `game` and, for a variant, its family.

use std::any::Any;

use crate::error::{SetupError, UnknownGame};
use crate::game::{Depict, Features, Game, Observe, Options, configure};
use crate::spec::Spec;

/// The traits of a registered game, under one name.
pub trait Registered: Observe + Features + Depict {}

impl<G: Observe + Features + Depict> Registered for G {}

/// A generic operation on a game whose name is known only at run time (the visitor pattern).
pub trait Visitor {
    /// The result.
    type Output;

    /// Runs the operation with these rules.
    fn visit<G: Registered>(self, rules: G) -> Self::Output;
}

macro_rules! registry {
    ($($(#[cfg($if:meta)] #[path = $file:literal])? $module:ident::$game:ident),* $(,)?) => {
        $($(#[cfg($if)] #[path = $file])? pub mod $module;)*

        /// The names of all games, in alphabetical order.
        pub const fn names() -> &'static [&'static str] {
            &[$($(#[cfg($if)])? <$module::$game as Game>::NAME),*]
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
            let rules = build(name, options)?;
            $(
                $(#[cfg($if)])?
                let rules = match rules.downcast::<$module::$game>() {
                    Ok(rules) => return Ok(visitor.visit(*rules)),
                    Err(rules) => rules,
                };
            )*
            unreachable!("{rules:?} are those of a game above")
        }

        /// The rules of the game of this name with these options. Compiled here alone, and not in each
        /// crate that visits games.
        fn build(name: &str, options: &Options) -> Result<Box<dyn Any>, SetupError> {
            $(
                $(#[cfg($if)])?
                if name == <$module::$game as Game>::NAME {
                    return Ok(Box::new(configure::<$module::$game>(options)?));
                }
            )*
            Err(UnknownGame { name: name.to_owned(), known: names() }.into())
        }

        /// The spec of the rules of one of the games. With it comes all that a game can do, which is
        /// compiled here alone, too.
        pub(crate) fn describe(rules: &dyn Any) -> Option<Spec> {
            $(
                $(#[cfg($if)])?
                if let Some(rules) = rules.downcast_ref::<$module::$game>() {
                    return Some(Spec::unregistered(rules));
                }
            )*
            None
        }
    };
}

// One line per game, in alphabetical order.
registry! {
    banqi::Banqi,
    flipping::Flipping,
    #[cfg(feature = "seventh-game")]
    #[path = "../../../tests/seventh_game/four_camps.rs"]
    four_camps::FourCamps,
    gaiqi::Gaiqi,
    jieqi::Jieqi,
    mystery::Mystery,
    seven_kingdoms::SevenKingdoms,
}

//! Values with one for each registered game, such as pointers to a generic function.
//!
//! A generic function is compiled by each crate that calls it, for each game. One that takes long to
//! compile, or has to be fast, is called by a pointer that its own crate has made: compiled once.

use std::any::{Any, TypeId};

use darkqi_env::{Options, Registered, Visitor, games};

/// A value of any type.
pub(crate) type AnyValue = Box<dyn Any + Send + Sync>;

/// A value for each registered game.
pub(crate) struct PerGame(Vec<(TypeId, AnyValue)>);

impl PerGame {
    /// The values that a visitor makes.
    pub(crate) fn new(visitor: impl Visitor<Output = AnyValue> + Copy) -> Self {
        let defaults = Options::new();
        let make = |name: &&str| games::with(name, &defaults, WithType(visitor));
        let values = games::names().iter().map(make).collect::<Result<_, _>>();
        Self(values.expect("the games are registered"))
    }

    /// The value for a game.
    ///
    /// # Panics
    /// If the game is not registered, or its value has another type.
    pub(crate) fn get<G: Registered, T: 'static>(&self) -> &T {
        self.of_type(TypeId::of::<G>()).downcast_ref().expect("values have one type for a game")
    }

    fn of_type(&self, game: TypeId) -> &(dyn Any + Send + Sync) {
        let found = self.0.iter().find(|(other, _)| *other == game);
        &*found.expect("the game is registered").1
    }
}

struct WithType<V>(V);

impl<V: Visitor<Output = AnyValue>> Visitor for WithType<V> {
    type Output = (TypeId, AnyValue);

    fn visit<G: Registered>(self, rules: G) -> Self::Output {
        (TypeId::of::<G>(), self.0.visit(rules))
    }
}

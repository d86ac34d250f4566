//! How an engine writes positions and moves.

use darkqi_env::Spec;

use super::{fairy, pikafish};

/// A way to write positions and moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// Fairy-Stockfish's.
    Fairy,
    /// That of jieqi engines, after Pikafish.
    Pikafish,
    /// That of `docs/DESIGN.md` section 4.
    Darkqi,
}

impl Dialect {
    /// All, the most particular first.
    const ALL: [Self; 3] = [Self::Fairy, Self::Pikafish, Self::Darkqi];

    /// The dialect with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// The name in the option `fen`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Fairy => "fairy",
            Self::Pikafish => "pikafish",
            Self::Darkqi => "darkqi",
        }
    }

    /// That of the engines that know the game best.
    pub fn of(spec: &Spec) -> Self {
        let known = Self::ALL.into_iter().find(|dialect| dialect.knows(spec));
        known.expect("darkqi writes every game")
    }

    /// Whether positions of the game can be written so. Others do not know what designers change.
    pub(crate) fn knows(self, spec: &Spec) -> bool {
        match self {
            Self::Fairy => spec.name == fairy::GAME,
            Self::Pikafish => spec.name == pikafish::GAME && !spec.is_designed(),
            Self::Darkqi => true,
        }
    }

    /// A position as a seat knows it: its FEN of the view, and the full FEN of a world with that
    /// view. The dialect must know the game.
    ///
    /// darkqi's own FEN is that of the world, because a viewer's does not say which pieces are
    /// unseen.
    pub fn fen(self, view_fen: &str, world_fen: &str) -> String {
        match self {
            Self::Darkqi => world_fen.to_owned(),
            Self::Pikafish => pikafish::fen(view_fen, world_fen),
            Self::Fairy => fairy::fen(world_fen),
        }
    }

    /// Whether the engine is told reversible plies. Fairy-Stockfish is not: a ply would say which form its
    /// piece takes.
    pub(crate) const fn tells_plies(self) -> bool {
        matches!(self, Self::Pikafish | Self::Darkqi)
    }

    /// A move as the engine writes it, but for the sign that a piece of Fairy-Stockfish turns over.
    pub fn move_name(self, name: &str) -> String {
        match self {
            Self::Pikafish => pikafish::move_name(name),
            Self::Fairy | Self::Darkqi => name.to_owned(),
        }
    }

    /// A piece as the engine writes it.
    pub fn piece_name(self, name: &str) -> String {
        match self {
            Self::Pikafish => pikafish::pieces(name),
            Self::Fairy | Self::Darkqi => name.to_owned(),
        }
    }

    /// A move of the engine without what it adds about the piece.
    pub(crate) fn plain(self, played: &str) -> &str {
        match self {
            Self::Fairy => played.trim_end_matches(['+', '-']),
            Self::Pikafish | Self::Darkqi => played,
        }
    }
}

#[cfg(test)]
mod tests {
    use darkqi_env::{Options, Spec, Value};

    use super::Dialect;

    #[test]
    fn each_game_has_the_dialect_of_its_engines() {
        let spec = |game, options| Spec::new(game, &options).expect("the game exists");
        let usual = |game| spec(game, Options::new());
        let of = |game| Dialect::of(&usual(game)).name();
        assert_eq!(["flipping", "jieqi", "banqi"].map(of), ["fairy", "pikafish", "darkqi"]);
        assert!(!Dialect::Fairy.knows(&usual("jieqi")));
        assert!(!Dialect::Pikafish.knows(&usual("mystery")));
        let covered = [("covered".to_owned(), Value::Text("AEHRC".to_owned()))];
        assert_eq!(Dialect::of(&spec("jieqi", covered.into())), Dialect::Darkqi);
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::named(dialect.name()), Some(dialect));
        }
        assert_eq!(Dialect::named("uci"), None);
    }

    #[test]
    fn darkqi_writes_a_world() {
        assert_eq!(Dialect::Darkqi.fen("? 1", "~k 1"), "~k 1");
    }

    #[test]
    fn moves_lose_their_signs() {
        assert_eq!(["a1a2+", "a1a2-", "a1a2"].map(|name| Dialect::Fairy.plain(name)), ["a1a2"; 3]);
    }
}

//! How an engine writes positions and moves.

use darkqi_env::Registered;

/// A way to write positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dialect {
    /// Fairy-Stockfish's: `board w - - quiet fullmove`.
    Fairy,
    /// That of `docs/DESIGN.md` section 4.
    Darkqi,
}

impl Dialect {
    /// Whether positions of the game can be written so.
    pub(crate) fn knows<G: Registered>(self) -> bool {
        self == Self::Darkqi || promoted::<G>().is_some()
    }

    /// The FEN for the engine of a FEN without covered pieces. The dialect must know the game.
    pub(crate) fn fen<G: Registered>(self, fen: &str) -> String {
        match self {
            Self::Darkqi => fen.to_owned(),
            Self::Fairy => fairy_fen(promoted::<G>().unwrap_or_default(), fen),
        }
    }

    /// A move of the engine by darkqi's name, which omits that the piece turns over.
    pub(crate) fn move_name(played: &str) -> &str {
        played.trim_end_matches(['+', '-'])
    }
}

/// The letters of pieces that are promoted ones to Fairy-Stockfish, with the letters that they are
/// promoted from. `None` for a game of which it has no variant.
///
/// They are those of tests/fairy_stockfish/variants.ini.
fn promoted<G: Registered>() -> Option<&'static [(char, char)]> {
    match G::NAME {
        "flipping" => Some(&[('H', 'S'), ('C', 'F'), ('R', 'E')]),
        _ => None,
    }
}

/// Fairy-Stockfish's FEN of darkqi's `board mover quiet ply`.
fn fairy_fen(promoted: &[(char, char)], fen: &str) -> String {
    let mut fields = fen.split(' ');
    let mut field = || fields.next().unwrap_or_default();
    let (board, mover, quiet, ply) = (field(), field(), field(), field());
    let mut written = String::with_capacity(fen.len() + 16);
    for letter in board.chars() {
        let form = |&&(form, _): &&(char, char)| form == letter.to_ascii_uppercase();
        match promoted.iter().find(form) {
            Some((_, from)) if letter.is_ascii_lowercase() => {
                written.extend(['+', from.to_ascii_lowercase()]);
            }
            Some((_, from)) => written.extend(['+', *from]),
            None => written.push(letter),
        }
    }
    // Moves of both seats count once, from 1.
    let number = ply.parse::<u32>().unwrap_or_default() / 2 + 1;
    format!("{written} {mover} - - {quiet} {number}")
}

#[cfg(test)]
mod tests {
    use darkqi_env::games::flipping::Flipping;
    use darkqi_env::games::jieqi::Jieqi;

    use super::Dialect;

    #[test]
    fn changed_forms_are_promoted_pieces() {
        let fen = |fen| Dialect::Fairy.fen::<Flipping>(fen);
        assert_eq!(
            fen("1efkfe1/2sss2/7/7/7/2SSS2/1EFKFE1 w 0 0"),
            "1efkfe1/2sss2/7/7/7/2SSS2/1EFKFE1 w - - 0 1"
        );
        assert_eq!(
            fen("1e1k1r1/2h1s2/2c4/7/3H3/2S1S2/1RCKFE1 b 3 17"),
            "1e1k1+e1/2+s1s2/2+f4/7/3+S3/2S1S2/1+E+FKFE1 b - - 3 9"
        );
    }

    #[test]
    fn darkqi_writes_every_game() {
        assert!(Dialect::Fairy.knows::<Flipping>() && !Dialect::Fairy.knows::<Jieqi>());
        assert!(Dialect::Darkqi.knows::<Jieqi>());
        assert_eq!(Dialect::Darkqi.fen::<Flipping>("k6 w 0 0"), "k6 w 0 0");
    }

    #[test]
    fn moves_lose_their_signs() {
        assert_eq!(["a1a2+", "a1a2-", "a1a2"].map(Dialect::move_name), ["a1a2"; 3]);
    }
}

//! The FEN of Fairy-Stockfish: `board w - - quiet fullmove`.

/// The game of which it has a variant.
pub(super) const GAME: &str = "flipping";

/// The letters of pieces that are promoted ones to Fairy-Stockfish, with the letters that they are
/// promoted from: those of tests/fairy_stockfish/variants.ini.
const PROMOTED: [(char, char); 3] = [('H', 'S'), ('C', 'F'), ('R', 'E')];

/// Fairy-Stockfish's FEN of darkqi's `board mover quiet ply`.
pub(super) fn fen(fen: &str) -> String {
    let mut fields = fen.split(' ');
    let mut field = || fields.next().unwrap_or_default();
    let (board, mover, quiet, ply) = (field(), field(), field(), field());
    let mut written = String::with_capacity(fen.len() + 16);
    for letter in board.chars() {
        let form = |&&(form, _): &&(char, char)| form == letter.to_ascii_uppercase();
        match PROMOTED.iter().find(form) {
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
    use super::fen;

    #[test]
    fn changed_forms_are_promoted_pieces() {
        assert_eq!(
            fen("1efkfe1/2sss2/7/7/7/2SSS2/1EFKFE1 w 0 0"),
            "1efkfe1/2sss2/7/7/7/2SSS2/1EFKFE1 w - - 0 1"
        );
        assert_eq!(
            fen("1e1k1r1/2h1s2/2c4/7/3H3/2S1S2/1RCKFE1 b 3 17"),
            "1e1k1+e1/2+s1s2/2+f4/7/3+S3/2S1S2/1+E+FKFE1 b - - 3 9"
        );
    }
}

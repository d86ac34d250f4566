//! Reflected positions, by their FENs: no code of the games.

use darkqi_env::{
    Registered,
    board::{AnyPiece, BoardSize, Reflection},
};

/// The full FEN of the position with its board reflected.
pub fn reflected_fen<G: Registered>(fen: &str, reflection: Reflection) -> String {
    let size = board_size::<G>(fen);
    let (board, rest) = fen.split_once(' ').expect("a FEN has fields");
    let mut ranks: Vec<String> = board.split('/').map(str::to_owned).collect();
    if reflection != Reflection::NearFar {
        ranks = ranks.iter().map(|rank| reversed(rank, letters::<G>())).collect();
    }
    if reflection != Reflection::LeftRight {
        ranks.reverse();
    }
    // Of the other fields only those from the seventh on, the states of the three-check rule and of a
    // long turn, have squares.
    let mut fields: Vec<String> = rest.split(' ').map(str::to_owned).collect();
    for field in fields.iter_mut().skip(5) {
        *field = reflected_squares(field, size, reflection);
    }
    format!("{} {}", ranks.join("/"), fields.join(" "))
}

/// The size of the board of a FEN. Designers may choose a part of the game's largest.
pub fn board_size<G: Registered>(fen: &str) -> BoardSize {
    let board = fen.split(' ').next().expect("a FEN has a board");
    let mut ranks = board.split('/');
    let first = symbols(ranks.next().expect("a board has ranks"), letters::<G>());
    let files = first.iter().map(|symbol| symbol.parse().unwrap_or(1)).sum();
    BoardSize { files, ranks: 1 + ranks.count() }
}

/// The length of a piece's name.
fn letters<G: Registered>() -> usize {
    G::piece_name(AnyPiece { army: 0, kind: 0 }).len()
}

/// The rank of a board from its other end. `letters` is the length of a piece's name.
fn reversed(rank: &str, letters: usize) -> String {
    symbols(rank, letters).into_iter().rev().collect()
}

/// The pieces and the runs of empty squares of a rank.
fn symbols(mut rank: &str, letters: usize) -> Vec<&str> {
    let mut symbols = Vec::new();
    while let Some(first) = rank.chars().next() {
        let digits = rank.bytes().take_while(u8::is_ascii_digit).count();
        let length = match first {
            '0'..='9' => digits,
            '~' => 1 + letters,
            letter if letter.is_alphabetic() => letters,
            _ => 1,
        };
        let (symbol, rest) = rank.split_at(length);
        symbols.push(symbol);
        rank = rest;
    }
    symbols
}

/// The text with the name of every square replaced by that of its reflection.
pub fn reflected_squares(mut text: &str, size: BoardSize, reflection: Reflection) -> String {
    let mut reflected = String::new();
    while let Some(letter) = text.chars().next() {
        text = match size.parse_prefix(text) {
            Some((square, rest)) => {
                reflected += &size.name(size.reflected(square, reflection));
                rest
            }
            None => {
                reflected.push(letter);
                &text[letter.len_utf8()..]
            }
        };
    }
    reflected
}

#[cfg(test)]
mod tests {
    use darkqi_env::board::{BoardSize, Reflection};
    use darkqi_env::games::{gaiqi::Gaiqi, seven_kingdoms::SevenKingdoms};

    use super::{board_size, reflected_fen, reflected_squares, reversed};

    #[test]
    fn boards_and_squares_are_reflected() {
        let fen = "~r2P4/8/8/2k5 1 r - 0 0 a4x2,-";
        let reflected = |reflection| reflected_fen::<Gaiqi>(fen, reflection);
        assert_eq!(reflected(Reflection::LeftRight), "4P2~r/8/8/5k2 1 r - 0 0 h4x2,-");
        assert_eq!(reflected(Reflection::NearFar), "2k5/8/8/~r2P4 1 r - 0 0 a1x2,-");
        assert_eq!(reflected(Reflection::HalfTurn), "5k2/8/8/4P2~r 1 r - 0 0 h1x2,-");
        let fen = "~r2P/1k2 1 r - 0 0 a2x2,- b1";
        assert_eq!(board_size::<Gaiqi>(fen), BoardSize { files: 4, ranks: 2 });
        assert_eq!(
            reflected_fen::<Gaiqi>(fen, Reflection::HalfTurn),
            "2k1/P2~r 1 r - 0 0 d1x2,- c2"
        );
        let fen = "wQ10*4rS w - - 0 0";
        assert_eq!(
            reflected_fen::<SevenKingdoms>(fen, Reflection::LeftRight),
            "rS4*10wQ w - - 0 0"
        );
        assert_eq!(reversed("~r2Pk10c", 1), "c10kP2~r");
        let size = BoardSize { files: 9, ranks: 10 };
        assert_eq!(reflected_squares("a1,c10,x2,-", size, Reflection::HalfTurn), "i10,g1,x2,-");
    }
}

//! Reflected positions, by their FENs: no code of the games.

use darkqi_env::{
    Registered,
    board::{AnyPiece, BoardSize, Reflection},
};

/// The full FEN of the position with its board reflected.
pub fn reflected_fen<G: Registered>(fen: &str, reflection: Reflection) -> String {
    let letters = G::piece_name(AnyPiece { army: 0, kind: 0 }).len();
    let (board, rest) = fen.split_once(' ').expect("a FEN has fields");
    let mut ranks: Vec<String> = board.split('/').map(str::to_owned).collect();
    if reflection != Reflection::NearFar {
        ranks = ranks.iter().map(|rank| reversed(rank, letters)).collect();
    }
    if reflection != Reflection::LeftRight {
        ranks.reverse();
    }
    // Only the last field, the state of the three-check rule, has squares.
    let (rest, last) = rest.rsplit_once(' ').expect("a FEN has more fields");
    let last = reflected_squares(last, G::LAYOUT.size, reflection);
    format!("{} {rest} {last}", ranks.join("/"))
}

/// The rank of a board from its other end. `letters` is the length of a piece's name.
fn reversed(mut rank: &str, letters: usize) -> String {
    let mut reversed = String::new();
    while let Some(first) = rank.chars().next() {
        let digits = rank.bytes().take_while(u8::is_ascii_digit).count();
        let length = match first {
            '0'..='9' => digits,
            '~' => 1 + letters,
            letter if letter.is_alphabetic() => letters,
            _ => 1,
        };
        let (symbol, rest) = rank.split_at(length);
        reversed.insert_str(0, symbol);
        rank = rest;
    }
    reversed
}

/// The text with the name of every square replaced by that of its reflection.
fn reflected_squares(mut text: &str, size: BoardSize, reflection: Reflection) -> String {
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

    use super::{reflected_fen, reflected_squares, reversed};

    #[test]
    fn boards_and_squares_are_reflected() {
        let fen = "~r2P4/8/8/2k5 1 r - 0 0 a4x2,-";
        let reflected = |reflection| reflected_fen::<Gaiqi>(fen, reflection);
        assert_eq!(reflected(Reflection::LeftRight), "4P2~r/8/8/5k2 1 r - 0 0 h4x2,-");
        assert_eq!(reflected(Reflection::NearFar), "2k5/8/8/~r2P4 1 r - 0 0 a1x2,-");
        assert_eq!(reflected(Reflection::HalfTurn), "5k2/8/8/4P2~r 1 r - 0 0 h1x2,-");
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

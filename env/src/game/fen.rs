//! The parts of FEN that all games share: boards, runs of empty squares, counters. DESIGN.md
//! section 4.
//!
//! The board field is that of Forsyth-Edwards notation in chess: ranks from the highest down, `/`
//! between them, a number for a run of empty squares.

use crate::board::{BoardSize, Colour, Kind, Piece, Square, UnplacedPieces};
use crate::error::FenError;
use crate::rng::Rng;

/// Splits a FEN into the fields that `names` lists.
///
/// # Errors
/// If there are more or fewer fields, or a field is empty.
pub fn fields<'a, const N: usize>(
    fen: &'a str,
    names: [&'static str; N],
) -> Result<[&'a str; N], FenError> {
    let found: Vec<&str> = fen.split(' ').collect();
    if let Some(empty) = found.iter().position(|field| field.is_empty()) {
        let field = names.get(empty).copied().unwrap_or(names[N - 1]);
        return Err(FenError::new(field, "is empty; fields are separated by single spaces"));
    }
    let count = found.len();
    found.try_into().map_err(|_| {
        let field = names.get(count).copied().unwrap_or(names[N - 1]);
        let expected = names.join(" ");
        FenError::new(field, format!("expected {N} fields ({expected}), found {count}"))
    })
}

/// Writes a board from its highest rank to rank 1. `piece` gives the text of the piece on a square,
/// `None` for an empty square.
pub fn write_board(size: BoardSize, piece: impl Fn(Square) -> Option<String>) -> String {
    let mut board = String::with_capacity(size.squares() * 2);
    for rank in (0..size.ranks).rev() {
        let mut empty = 0;
        for file in 0..size.files {
            match piece(size.at(file, rank)) {
                None => empty += 1,
                Some(name) => {
                    if empty > 0 {
                        board += &empty.to_string();
                        empty = 0;
                    }
                    board += &name;
                }
            }
        }
        if empty > 0 {
            board += &empty.to_string();
        }
        if rank > 0 {
            board.push('/');
        }
    }
    board
}

/// A piece letter, with or without `~` before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The letter.
    pub letter: char,
    /// Whether `~` precedes it: the piece is covered.
    pub covered: bool,
}

/// Reads a board of one-letter pieces. `place` receives each piece; its error says what is wrong.
///
/// # Errors
/// If the number of ranks or squares is wrong, a letter is missing after `~`, or `place` fails.
pub fn read_board(
    size: BoardSize,
    board: &str,
    place: impl FnMut(Square, Symbol) -> Result<(), String>,
) -> Result<(), FenError> {
    read_board_of(size, board, |text| read_symbol("board", text), place)
}

/// Reads a board of any pieces. `read` reads a piece at the start of a text that is not empty and
/// does not begin with a digit, and returns the rest of the text too. `place` receives each piece;
/// its error says what is wrong.
///
/// # Errors
/// If the number of ranks or squares is wrong, or `read` or `place` fails.
pub fn read_board_of<'a, P>(
    size: BoardSize,
    board: &'a str,
    read: impl Fn(&'a str) -> Result<(P, &'a str), FenError>,
    mut place: impl FnMut(Square, P) -> Result<(), String>,
) -> Result<(), FenError> {
    let fault = |text: String| FenError::new("board", text);
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != size.ranks {
        let (expected, found) = (size.ranks, ranks.len());
        return Err(fault(format!("expected {expected} ranks separated by `/`, found {found}")));
    }
    for (rank, text) in (0..size.ranks).rev().zip(ranks) {
        let number = rank + 1;
        let too_long =
            || fault(format!("rank {number} `{text}` has more than {} squares", size.files));
        let mut file = 0;
        let mut rest = text;
        while !rest.is_empty() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 0 {
                let run = counter("board", &rest[..digits])?;
                if run == 0 {
                    return Err(fault(format!("rank {number} `{text}` has a run of 0 squares")));
                }
                file += usize::from(run);
                rest = &rest[digits..];
                if file > size.files {
                    return Err(too_long());
                }
                continue;
            }
            let (piece, after) = read(rest)?;
            if file >= size.files {
                return Err(too_long());
            }
            let square = size.at(file, rank);
            place(square, piece)
                .map_err(|text| fault(format!("{text} on {}", size.name(square))))?;
            file += 1;
            rest = after;
        }
        if file != size.files {
            let expected = size.files;
            return Err(fault(format!(
                "rank {number} `{text}` has {file} squares, not {expected}"
            )));
        }
    }
    Ok(())
}

/// Reads a symbol at the start of `text` and returns the rest of the text too.
///
/// # Errors
/// If there is no letter, or the letter occurs in the FEN of a view only.
pub fn read_symbol<'a>(field: &'static str, text: &'a str) -> Result<(Symbol, &'a str), FenError> {
    let (covered, rest) = match text.strip_prefix('~') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let Some(letter) = rest.chars().next() else {
        return Err(FenError::new(field, "`~` without a piece letter after it"));
    };
    if matches!(letter, '?' | 'x' | 'X') {
        return Err(FenError::new(
            field,
            format!("`{letter}` hides an identity: a viewer's FEN cannot be read back"),
        ));
    }
    Ok((Symbol { letter, covered }, &rest[letter.len_utf8()..]))
}

/// Reads a list of symbols without separators; `-` is the empty list.
///
/// # Errors
/// As for [`read_symbol`].
pub fn read_symbols(field: &'static str, text: &str) -> Result<Vec<Symbol>, FenError> {
    let mut symbols = Vec::new();
    let mut rest = if text == "-" { "" } else { text };
    while !rest.is_empty() {
        let (symbol, after) = read_symbol(field, rest)?;
        symbols.push(symbol);
        rest = after;
    }
    Ok(symbols)
}

/// The FEN of a viewer of a xiangqi set, with random pieces in place of those that are unknown: `X` and
/// `x` of their colour, `?` of any. They are of those that the set `unplaced` has beside the known ones on the board
/// and in further fields of pieces, whose numbers are given, and of those that the set `coverable` has beside
/// the known ones that are covered. Generals that are not among those come first.
///
/// # Errors
/// If more pieces are unknown than a set has left.
pub fn deal_unknown(
    fen: &str,
    further: &[usize],
    mut unplaced: UnplacedPieces,
    mut coverable: UnplacedPieces,
    rng: &mut Rng,
) -> Result<String, FenError> {
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    // Other fields have letters of their own.
    let mut texts: Vec<&mut String> = fields
        .iter_mut()
        .enumerate()
        .filter_map(|(place, text)| (place == 0 || further.contains(&place)).then_some(text))
        .collect();
    for text in &texts {
        let mut is_covered = false;
        for letter in text.chars() {
            // What is no piece, or one too many, is told when the FEN is read.
            let _ = unplaced.take(letter);
            if is_covered {
                let _ = coverable.take(letter);
            }
            is_covered = letter == '~';
        }
    }
    for mark in ['X', 'x', '?'] {
        let wanted = texts.iter().map(|text| text.matches(mark).count()).sum();
        let may_be = |piece: &Piece| {
            mark == '?' || piece.colour == if mark == 'X' { Colour::Red } else { Colour::Black }
        };
        let pieces = (0..Piece::COUNT).map(Piece::from_index).filter(may_be);
        let left = |piece| unplaced.left(piece).min(coverable.left(piece));
        let mut pool: Vec<Piece> =
            pieces.flat_map(|piece| (0..left(piece)).map(move |_| piece)).collect();
        if wanted > pool.len() {
            let left = pool.len();
            let fault = format!("{wanted} pieces are `{mark}`, and a set has {left} left");
            return Err(FenError::new("board", fault));
        }
        rng.shuffle(&mut pool);
        pool.sort_by_key(|piece| piece.kind != Kind::General);
        pool.truncate(wanted);
        rng.shuffle(&mut pool);
        for text in &mut texts {
            while let Some(place) = text.find(mark) {
                let piece = pool.pop().expect("as many were drawn");
                let letter = piece.letter();
                let _ = (unplaced.take(letter), coverable.take(letter));
                text.replace_range(place..=place, &format!("~{letter}"));
            }
        }
    }
    Ok(fields.join(" "))
}

/// Reads the colour to move: `w` is red, `b` black.
///
/// # Errors
/// If the text is anything else.
pub fn red_or_black(field: &'static str, text: &str) -> Result<Colour, FenError> {
    match text {
        "w" => Ok(Colour::Red),
        "b" => Ok(Colour::Black),
        _ => Err(FenError::new(field, format!("`{text}` is not `w` or `b`"))),
    }
}

/// Reads a decimal number from 0 to 65535 without a leading zero.
///
/// # Errors
/// If the text is anything else.
pub fn counter(field: &'static str, text: &str) -> Result<u16, FenError> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit())
        && !text.is_empty()
        && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| plain).ok_or_else(|| {
        FenError::new(
            field,
            format!("`{text}` is not a number from 0 to 65535 without a leading zero"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{counter, fields, read_board};
    use crate::board::BoardSize;

    const SIZE: BoardSize = BoardSize { files: 3, ranks: 2 };

    fn read(board: &str) -> Result<(), String> {
        read_board(SIZE, board, |_, _| Ok(())).map_err(|error| error.to_string())
    }

    #[test]
    fn errors_name_the_fault() {
        for (board, fault) in [
            ("3", "expected 2 ranks"),
            ("4/3", "more than 3 squares"),
            ("KKKK/3", "more than 3 squares"),
            ("2/3", "has 2 squares, not 3"),
            ("03/3", "leading zero"),
            ("0KKK/3", "run of 0"),
            ("2~/3", "without a piece letter"),
            ("2?/3", "cannot be read back"),
        ] {
            let error = read(board).unwrap_err();
            assert!(error.contains("`board`") && error.contains(fault), "{board}: {error}");
        }
        for text in ["", "01", "+1", "-1", "65536", "1 ", "٣"] {
            assert!(counter("ply", text).is_err(), "{text}");
        }
        let error = fields("a  b", ["one", "two"]).unwrap_err();
        assert_eq!(error.field, "two");
        assert_eq!(fields("a", ["one", "two"]).unwrap_err().field, "two");
        assert_eq!(fields("a b c", ["one", "two"]).unwrap_err().field, "two");
    }
}

//! The dialect of jieqi engines after Pikafish, and of JieqiBox. docs/arena.md describes it.
//!
//! A position is `board mover pool quiet fullmove`. Covered pieces are `X` and `x`. The pool counts
//! the pieces of each side that the reader has not seen: those covered on the board, and its own
//! that were captured face down. Ranks begin at 0.

use std::iter;

use darkqi_env::{Colour, Kind, Piece, board::UnplacedPieces};

/// The game that is written so. The counters of mystery have no place in it.
pub(super) const GAME: &str = "jieqi";

/// The kinds that may be covered, in the order of the pool, with their letters.
const KINDS: [(Kind, char); 6] = [
    (Kind::Chariot, 'R'),
    (Kind::Advisor, 'A'),
    (Kind::Cannon, 'C'),
    (Kind::Soldier, 'P'),
    (Kind::Horse, 'N'),
    (Kind::Elephant, 'B'),
];

/// The letter of a piece.
fn letter(Piece { colour, kind }: Piece) -> char {
    let known = KINDS.into_iter().find(|&(known, _)| known == kind);
    let letter = known.map_or('K', |(_, letter)| letter);
    match colour {
        Colour::Red => letter,
        Colour::Black => letter.to_ascii_lowercase(),
    }
}

/// The piece with this letter.
fn piece(text: char) -> Option<Piece> {
    let pieces = (0..Piece::COUNT).map(Piece::from_index);
    pieces.into_iter().find(|&piece| letter(piece) == text)
}

/// The piece with this letter, if it may be covered.
fn hidden(text: char) -> Option<Piece> {
    piece(text).filter(|piece| piece.kind != Kind::General)
}

/// The colour of a covered piece.
const fn covered(text: char) -> Option<Colour> {
    match text {
        'X' => Some(Colour::Red),
        'x' => Some(Colour::Black),
        _ => None,
    }
}

/// The FEN of a position as a seat knows it, given its FEN of the view and the full FEN of a world
/// with that view. Which of these worlds it is makes no difference.
pub(super) fn fen(view_fen: &str, world_fen: &str) -> String {
    let field = |fen: &'_ str, number| fen.split(' ').nth(number).unwrap_or_default().to_owned();
    let count = |fen: &str, piece: Piece| {
        let pieces = field(fen, 0) + &field(fen, 2);
        pieces.matches(piece.letter()).count()
    };
    let board = pieces(&field(view_fen, 0));
    let mut pool = String::new();
    for colour in Colour::ALL {
        for (kind, _) in KINDS {
            let piece = Piece { colour, kind };
            let unseen = count(world_fen, piece) - count(view_fen, piece);
            pool.push(letter(piece));
            pool += &unseen.to_string();
        }
    }
    let (mover, quiet) = (field(view_fen, 1), field(view_fen, 3));
    // Moves of both seats count once, from 1.
    let number = field(view_fen, 4).parse::<u32>().unwrap_or_default() / 2 + 1;
    format!("{board} {mover} {pool} {quiet} {number}")
}

/// A text with darkqi's letters of pieces replaced by those of the dialect.
pub(super) fn pieces(text: &str) -> String {
    text.chars().map(|text| Piece::from_letter(text).map_or(text, letter)).collect()
}

/// A full FEN of darkqi for a position in this dialect: that of a world in which each covered piece
/// has some identity from the pool. `None` if the position is not in this dialect, which the pool
/// tells, or else the number of fields.
///
/// # Errors
/// If a field is malformed, or the pool has not enough pieces, or there are more than in a set.
pub fn world(fen: &str) -> Result<Option<String>, String> {
    let fields: Vec<&str> = fen.split_whitespace().collect();
    let (board, mover, pool, captured, quiet, number) = match fields[..] {
        [board, mover, quiet, number] => (board, mover, "-", "-", quiet, number),
        [board, mover, pool, quiet, number]
            if pool.contains(|text: char| text.is_ascii_digit()) =>
        {
            (board, mover, pool, "-", quiet, number)
        }
        [board, mover, pool, captured, quiet, number] => {
            (board, mover, pool, captured, quiet, number)
        }
        [board, pool, mover, "-", "-", quiet, number] => (board, mover, pool, "-", quiet, number),
        _ => return Ok(None),
    };
    let mut unplaced = UnplacedPieces::full_set();
    let mut take = |field: &str, piece: Piece| {
        let taken = unplaced.take(piece.letter());
        taken.map_err(|_| format!("field `{field}`: more `{}` than a set has", letter(piece)))
    };
    let mut pools = [const { Vec::new() }; 2];
    for piece in read_pool("pool", pool)? {
        pools[piece.colour.index()].push(take("pool", piece)?);
    }
    let mut face_down = Vec::new();
    for piece in read_pool("captured", captured)? {
        face_down.push(take("captured", piece)?);
    }
    let mut world = String::new();
    for text in board.chars() {
        if let Some(colour) = covered(text) {
            let piece = pools[colour.index()].pop();
            let piece = piece.ok_or_else(|| {
                format!(
                    "field `pool`: `{pool}` has fewer pieces than there are `{text}` on the board"
                )
            })?;
            world.extend(['~', piece.letter()]);
        } else if let Some(piece) = piece(text) {
            world.push(take("board", piece)?.letter());
        } else if text == '/' || text.is_ascii_digit() {
            world.push(text);
        } else {
            return Err(format!(
                "field `board`: `{text}` is no piece; expected K A B N R C P, X, or these in lower \
                 case"
            ));
        }
    }
    // What is nowhere else was captured. What is left of a pool was captured face down, and its side
    // does not know what it was.
    let kinds = KINDS.into_iter().map(|(kind, _)| kind);
    let pieces = kinds.flat_map(|kind| Colour::ALL.map(|colour| Piece { colour, kind }));
    let seen: String = pieces
        .flat_map(|piece| iter::repeat_n(piece.letter(), unplaced.left(piece).into()))
        .collect();
    let unseen = face_down.iter().chain(pools.iter().flatten());
    let mut list = unseen.fold(seen, |list, piece| format!("{list}~{}", piece.letter()));
    if list.is_empty() {
        list.push('-');
    }
    let number: u32 = number
        .parse()
        .map_err(|_| format!("field `fullmove`: `{number}` is not the number of a move, from 1"))?;
    let ply = 2 * u64::from(number.saturating_sub(1)) + u64::from(mover == "b");
    Ok(Some(format!("{world} {mover} {list} {quiet} {ply}")))
}

/// The pieces of a pool: letters, each with a number, or without for one piece. `-` is the empty
/// pool.
fn read_pool(field: &str, pool: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut rest = if pool == "-" { "" } else { pool };
    while let Some(text) = rest.chars().next() {
        let piece = hidden(text).ok_or_else(|| {
            format!(
                "field `{field}`: `{text}` is no piece that may be covered; expected pieces with \
                 their numbers, such as `R2p5`"
            )
        })?;
        rest = &rest[1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let count = match &rest[..digits] {
            "" => 1,
            // No side has more pieces, so that a larger number is too large by any measure.
            digits => digits.parse().unwrap_or(usize::MAX).min(16),
        };
        rest = &rest[digits..];
        pieces.extend(iter::repeat_n(piece, count));
    }
    Ok(pieces)
}

/// The dialect's name of a move: ranks begin at 0.
pub(super) fn move_name(name: &str) -> String {
    let lower = |square: &str| {
        let (file, rank) = square.split_at(1);
        let rank: u8 = rank.parse().expect("a square has a rank");
        format!("{file}{}", rank - 1)
    };
    // A square begins with a letter.
    let (from, to) = name.split_at(name.rfind(char::is_alphabetic).unwrap_or_default());
    lower(from) + &lower(to)
}

/// The outcome of a move as the engine writes it, by darkqi's names of pieces.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Told {
    /// The piece that it turns over; `None` if it turns over none.
    pub revealed: Option<String>,
    /// The piece that it captures; `None` if that is not told.
    pub captured: Option<String>,
}

/// Reads a move: two squares, then what it turns over, then what it captures face down. The case of
/// a letter says which of the two it is, given the colour of the mover. Returns darkqi's name of the
/// move, too.
///
/// # Errors
/// If it is none.
pub fn read_move(text: &str, mover: Colour) -> Result<(String, Told), String> {
    let fault = || {
        format!(
            "`{text}` is no move; expected two squares from a0 to i9, then the piece that it turns \
             over and the piece that it captures face down, such as `a3a4`, `a3a4R`, `b2b9Rn`"
        )
    };
    let letters: Vec<char> = text.chars().collect();
    let Some((&[from_file, from_rank, to_file, to_rank], shown)) = letters.split_first_chunk()
    else {
        return Err(fault());
    };
    let square = |file: char, rank: char| {
        let is_file = ('a'..='i').contains(&file);
        let rank = rank.to_digit(10).filter(|_| is_file)?;
        Some(format!("{file}{}", rank + 1))
    };
    let from = square(from_file, from_rank).ok_or_else(fault)?;
    let to = square(to_file, to_rank).ok_or_else(fault)?;
    let mut told = Told::default();
    for &shown in shown {
        let piece = hidden(shown).ok_or_else(fault)?;
        let place = match (piece.colour == mover, &told.revealed, &told.captured) {
            (true, None, None) => &mut told.revealed,
            (false, _, None) => &mut told.captured,
            _ => return Err(fault()),
        };
        *place = Some(piece.letter().to_string());
    }
    Ok((from + &to, told))
}

#[cfg(test)]
mod tests;

//! The parts of a FEN that all games share (DESIGN.md section 4, RULES.md 9.6).

use super::board::{Board, Color, Kind, Piece, Square};

/// Splits a FEN at single spaces.
///
/// # Errors
/// If there are not as many fields as names; the message names the first field missing, or what
/// follows the last.
pub(super) fn fields<'a>(fen: &'a str, names: &[&str]) -> Result<Vec<&'a str>, String> {
    let fields: Vec<&str> = fen.split(' ').collect();
    if let Some(missing) = names.get(fields.len()) {
        return Err(format!("{missing}: the field is missing; the fields are {}", names.join(" ")));
    }
    if fields.len() > names.len() {
        return Err(format!(
            "{}: followed by another field {:?}; the fields are {}",
            names[names.len() - 1],
            fields[names.len()],
            names.join(" ")
        ));
    }
    Ok(fields)
}

/// The highest number in a FEN. Counters stop there.
const MOST: u64 = 65_535;

/// The counter one ply later.
pub(super) fn count_on(counter: u64) -> u64 {
    (counter + 1).min(MOST)
}

/// Reads a decimal number up to 65535 without sign or leading zero.
///
/// # Errors
/// If the text is no such number; the message names the field.
pub(super) fn read_number(field: &str, text: &str) -> Result<u64, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = text.len() > 1 && text.starts_with('0');
    match text.parse() {
        Ok(number) if digits && !leading_zero && number <= MOST => Ok(number),
        _ => Err(format!("{field}: {text:?} is not a number as a FEN writes it")),
    }
}

/// Reads who is to move where red is player 0.
///
/// # Errors
/// If the text is neither colour.
pub(super) fn read_mover(text: &str) -> Result<Color, String> {
    match text {
        "w" => Ok(Color::Red),
        "b" => Ok(Color::Black),
        other => Err(format!("mover: {other:?} is neither w nor b")),
    }
}

/// Writes who is to move there.
pub(super) fn mover_field(mover: Color) -> &'static str {
    match mover {
        Color::Red => "w",
        Color::Black => "b",
    }
}

/// Reads a board of a xiangqi set. Pieces get their ids in the order read.
///
/// # Errors
/// If the text is not a board of that size, or identities are missing.
pub(super) fn read_board(text: &str, files: i8, ranks: i8) -> Result<Board, String> {
    let mut id = 0;
    read_board_of(text, files, ranks, |rest| {
        let piece = read_piece(rest, id);
        id += 1;
        piece
    })
}

/// Reads a board. `read_piece` reads one piece from a text that is not empty, and also returns the
/// text after it.
///
/// # Errors
/// If the text is not a board of that size, or `read_piece` returns an error.
pub(super) fn read_board_of<P: Copy>(
    text: &str,
    files: i8,
    ranks: i8,
    mut read_piece: impl FnMut(&str) -> Result<(P, &str), String>,
) -> Result<Board<P>, String> {
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != usize::from(ranks.unsigned_abs()) {
        return Err(format!("board: {} ranks, expected {ranks}", rows.len()));
    }
    let mut board = Board::new(files, ranks);
    for (row, rank) in rows.iter().zip((1..=ranks).rev()) {
        let mut file = 1;
        let mut rest = *row;
        while !rest.is_empty() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 0 {
                file += read_run(&rest[..digits], files - file + 1)
                    .ok_or_else(|| format!("board: bad run of empty squares in {row:?}"))?;
                rest = &rest[digits..];
                continue;
            }
            let (piece, after) =
                read_piece(rest).map_err(|fault| format!("board: {fault} in {row:?}"))?;
            if file > files {
                return Err(format!("board: more than {files} squares in {row:?}"));
            }
            board.put(Square { file, rank }, piece);
            file += 1;
            rest = after;
        }
        if file != files + 1 {
            return Err(format!("board: fewer than {files} squares in {row:?}"));
        }
    }
    Ok(board)
}

/// A run of one to `most` empty squares.
fn read_run(digits: &str, most: i8) -> Option<i8> {
    let length: i8 = digits.parse().ok()?;
    (!digits.starts_with('0') && length <= most).then_some(length)
}

/// Reads one piece; the text is not empty. Returns it with the text after it.
fn read_piece(text: &str, id: usize) -> Result<(Piece, &str), String> {
    let (covered, text) = match text.strip_prefix('~') {
        Some(after) => (true, after),
        None => (false, text),
    };
    let Some(letter) = text.chars().next() else {
        return Err("no piece after ~".to_string());
    };
    if !covered && matches!(letter, 'X' | 'x' | '?') {
        return Err(format!("{letter:?} hides an identity (a viewer's FEN cannot be read back)"));
    }
    let kind = Kind::ALL.into_iter().find(|kind| kind.letter() == letter.to_ascii_uppercase());
    let Some(kind) = kind else {
        return Err(format!("{letter:?} is not a piece"));
    };
    let color = if letter.is_ascii_uppercase() { Color::Red } else { Color::Black };
    let piece = Piece { color, kind, covered, id };
    Ok((piece, &text[letter.len_utf8()..]))
}

/// Writes a board, naming each piece as `name` does.
pub(super) fn write_board<P: Copy>(board: &Board<P>, name: impl Fn(P) -> String) -> String {
    let mut rows = Vec::new();
    for rank in (1..=board.ranks()).rev() {
        let mut row = String::new();
        let mut empty = 0;
        for file in 1..=board.files() {
            let Some(piece) = board.get(Square { file, rank }) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                row += &empty.to_string();
                empty = 0;
            }
            row += &name(piece);
        }
        if empty > 0 {
            row += &empty.to_string();
        }
        rows.push(row);
    }
    rows.join("/")
}

/// Reads the list of captured pieces, in the order taken.
///
/// # Errors
/// If the text is no such list, or identities are missing.
pub(super) fn read_captured(text: &str) -> Result<Vec<Piece>, String> {
    if text == "-" {
        return Ok(Vec::new());
    }
    if text.is_empty() {
        return Err("captured: empty; no captures are written -".to_string());
    }
    let mut captured = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        // Captured pieces are never followed, so their ids do not matter.
        let (piece, after) =
            read_piece(rest, 0).map_err(|fault| format!("captured: {fault} in {text:?}"))?;
        captured.push(piece);
        rest = after;
    }
    Ok(captured)
}

/// Writes the list of captured pieces, naming each as `name` does.
pub(super) fn write_captured(captured: &[Piece], name: impl Fn(Piece) -> String) -> String {
    if captured.is_empty() {
        return "-".to_string();
    }
    captured.iter().map(|&piece| name(piece)).collect()
}

/// Checks that no kind exceeds its starting count, board and captured pieces together
/// (RULES.md 9.6). `starting_count` returns how many an army starts with.
///
/// # Errors
/// If one does; the message names the board if it alone has too many, else the captured list.
pub(super) fn check_counts(
    board: &Board,
    captured: &[Piece],
    starting_count: impl Fn(Color, Kind) -> usize,
) -> Result<(), String> {
    for color in [Color::Red, Color::Black] {
        for kind in Kind::ALL {
            let alike = |piece: &Piece| piece.color == color && piece.kind == kind;
            let standing = board.pieces().iter().filter(|(_, piece)| alike(piece)).count();
            let taken = captured.iter().filter(|piece| alike(piece)).count();
            let most = starting_count(color, kind);
            if standing + taken > most {
                let field = if standing > most { "board" } else { "captured" };
                return Err(format!(
                    "{field}: {} {color:?} {kind:?}s, a side starts with {most}",
                    standing + taken
                ));
            }
        }
    }
    Ok(())
}

//! FENs: `board mover out captures quiet ply` (DESIGN.md section 4, RULES.md section 6).

use super::super::board::Board;
use super::super::fen;
use super::Position;
use super::armies::CENTRE;
use super::pieces::{Kind, Kingdom, Piece};
use super::rules::Rules;

/// Reads a FEN.
///
/// # Errors
/// If it is malformed or breaks RULES.md 9.23 to 9.25; the message begins with the field at fault.
pub(super) fn read(text: &str, rules: Rules) -> Result<Position, String> {
    let fields = fen::fields(text, &["board", "mover", "out", "captures", "quiet", "ply"])?;
    let board = fen::read_board_of(fields[0], 19, 19, read_piece)?;
    let mover = read_mover(fields[1])?;
    let out = read_out(fields[2], &rules)?;
    let captures = read_captures(fields[3], &rules)?;
    let quiet = fen::read_number("quiet", fields[4])?;
    let ply = fen::read_number("ply", fields[5])?;
    let position = Position { rules, board, mover, out, captures, quiet, ply };
    if !position.is_in_play(mover) {
        return Err(format!("mover: {} is not in play", mover.letter()));
    }
    check_emperor(&position.board)?;
    for kingdom in Kingdom::ALL {
        check_army(&position, kingdom)?;
    }
    Ok(position)
}

/// Reads one piece; the text is not empty. Returns it with the text after it.
fn read_piece(text: &str) -> Result<(Piece, &str), String> {
    if let Some(after) = text.strip_prefix('*') {
        return Ok((Piece::Emperor, after));
    }
    let mut letters = text.chars();
    let first = letters.next().expect("the text is not empty");
    let Some(kingdom) = Kingdom::of_letter(first) else {
        return Err(format!("{first:?} is not the letter of a kingdom"));
    };
    let Some(second) = letters.next() else {
        return Err(format!("no piece after {first:?}"));
    };
    let Some(kind) = Kind::of_letter(second) else {
        return Err(format!("{second:?} is not the letter of a piece"));
    };
    Ok((Piece::Of(kingdom, kind), letters.as_str()))
}

fn read_mover(text: &str) -> Result<Kingdom, String> {
    for kingdom in Kingdom::ALL {
        if text == kingdom.letter().to_string() {
            return Ok(kingdom);
        }
    }
    Err(format!("mover: {text:?} is none of w, r, o, b, g, p, d"))
}

/// Reads two letters of different kingdoms that are present.
fn read_pair(field: &str, text: &str, rules: &Rules) -> Result<(Kingdom, Kingdom), String> {
    let fault = |what: &str| Err(format!("{field}: {text:?} {what}"));
    let letters: Vec<char> = text.chars().collect();
    let [one, other] = letters[..] else {
        return fault("is not two letters");
    };
    let (Some(one), Some(other)) = (Kingdom::of_letter(one), Kingdom::of_letter(other)) else {
        return fault("does not name two kingdoms");
    };
    if one == other {
        return fault("names one kingdom twice");
    }
    if !rules.is_present(one) || !rules.is_present(other) {
        return fault("names a kingdom that is left out");
    }
    Ok((one, other))
}

/// Reads the fallen kingdoms with their conquerors. A conqueror may have fallen later, not before
/// (RULES.md 9.19, 9.24).
fn read_out(text: &str, rules: &Rules) -> Result<Vec<(Kingdom, Kingdom)>, String> {
    let mut out: Vec<(Kingdom, Kingdom)> = Vec::new();
    if text == "-" {
        return Ok(out);
    }
    for entry in text.split(',') {
        let (fallen, conqueror) = read_pair("out", entry, rules)?;
        for kingdom in [fallen, conqueror] {
            if out.iter().any(|&(earlier, _)| earlier == kingdom) {
                return Err(format!("out: {} fell before {entry:?}", kingdom.letter()));
            }
        }
        out.push((fallen, conqueror));
    }
    Ok(out)
}

/// Reads the table of captures: by captor, then by victim, in turn order (RULES.md 9.23).
fn read_captures(text: &str, rules: &Rules) -> Result<[[u64; 7]; 7], String> {
    let mut captures = [[0; 7]; 7];
    if text == "-" {
        return Ok(captures);
    }
    let mut last = None;
    for entry in text.split(',') {
        let Some((letters, number)) = entry.split_at_checked(2) else {
            return Err(format!("captures: {entry:?} is not two letters and a number"));
        };
        let (captor, victim) = read_pair("captures", letters, rules)?;
        let place = (captor.index(), victim.index());
        if last.is_some_and(|last| last >= place) {
            return Err(format!("captures: {entry:?} is out of order"));
        }
        last = Some(place);
        let number = fen::read_number("captures", number)?;
        if number == 0 {
            return Err(format!("captures: {entry:?} counts nothing"));
        }
        captures[captor.index()][victim.index()] = number;
    }
    Ok(captures)
}

/// The emperor on j10 and only there.
fn check_emperor(board: &Board<Piece>) -> Result<(), String> {
    let mut emperors = board.pieces();
    emperors.retain(|&(_, piece)| piece == Piece::Emperor);
    match emperors[..] {
        [(square, _)] if square == CENTRE => Ok(()),
        _ => Err("board: the emperor stands on j10 and only there".to_string()),
    }
}

/// A kingdom in play has exactly one general; a fallen or absent one owns nothing.
fn check_army(position: &Position, kingdom: Kingdom) -> Result<(), String> {
    let mut pieces = 0;
    let mut generals = 0;
    for (_, piece) in position.board.pieces() {
        if let Piece::Of(owner, kind) = piece
            && owner == kingdom
        {
            pieces += 1;
            if kind == Kind::General {
                generals += 1;
            }
        }
    }
    let letter = kingdom.letter();
    if position.is_in_play(kingdom) {
        if generals != 1 {
            return Err(format!("board: {letter} is in play with {generals} generals"));
        }
    } else if pieces != 0 {
        return Err(format!("board: {letter} is not in play and owns {pieces} pieces"));
    }
    Ok(())
}

/// Writes the FEN.
pub(super) fn write(position: &Position) -> String {
    format!(
        "{} {} {} {} {}",
        board_and_mover(&position.board, position.mover),
        write_out(&position.out),
        write_captures(&position.captures),
        position.quiet,
        position.ply
    )
}

/// The first two fields, which identify repeated positions (RULES.md 9.8).
pub(super) fn board_and_mover(board: &Board<Piece>, mover: Kingdom) -> String {
    format!("{} {}", fen::write_board(board, Piece::name), mover.letter())
}

fn write_out(out: &[(Kingdom, Kingdom)]) -> String {
    let entries: Vec<String> = out
        .iter()
        .map(|(fallen, conqueror)| format!("{}{}", fallen.letter(), conqueror.letter()))
        .collect();
    or_dash(&entries)
}

fn write_captures(captures: &[[u64; 7]; 7]) -> String {
    let mut entries = Vec::new();
    for captor in Kingdom::ALL {
        for victim in Kingdom::ALL {
            let number = captures[captor.index()][victim.index()];
            if number > 0 {
                entries.push(format!("{}{}{number}", captor.letter(), victim.letter()));
            }
        }
    }
    or_dash(&entries)
}

fn or_dash(entries: &[String]) -> String {
    if entries.is_empty() { "-".to_string() } else { entries.join(",") }
}

//! FEN of seven kingdoms: `board mover out captures quiet ply`.
//! RULES.md section 6 and 9.23 to 9.25.

use super::geometry::{CENTRE, SIZE};
use super::kingdom::Kingdom;
use super::piece::{Kind, Piece};
use super::seating::Seating;
use super::state::{Conquest, State};
use super::{SevenKingdoms, View};
use crate::error::FenError;
use crate::game::fen::{counter, fields, read_board_of, write_board};
use crate::game::{Notation, RecordedHistory};

/// The letter of the emperor.
const EMPEROR: char = '*';

/// An empty list.
const NONE: &str = "-";

impl Notation for SevenKingdoms {
    fn fen(&self, state: &State) -> String {
        write(state)
    }

    fn view_fen(&self, view: &View<'_>) -> String {
        write(view.state)
    }

    fn history(&self, state: &State) -> Option<RecordedHistory> {
        self.repetition.then(|| state.history.record())
    }

    fn restore_history(&self, state: &mut State, recorded: &RecordedHistory) -> bool {
        let turn = state.in_play().count();
        self.repetition && state.history.restore(recorded, turn)
    }

    fn parse_fen(&self, fen: &str) -> Result<State, FenError> {
        let mut state = parse(fen, &self.seating)?;
        state.judge(self);
        Ok(state)
    }
}

fn write(state: &State) -> String {
    let board = write_board(SIZE, |square| match state.at(square) {
        Some(piece) => Some(piece.name()),
        None if square == CENTRE => Some(EMPEROR.to_string()),
        None => None,
    });
    let mover = state.mover().letter();
    let pair = |conquest: &Conquest| {
        format!("{}{}", conquest.fallen.letter(), conquest.conqueror.letter())
    };
    let out = list(state.conquests().iter().map(pair));
    let captures = list(pairs().filter_map(|(captor, victim)| {
        let count = state.captures(captor, victim);
        (count > 0).then(|| format!("{}{}{count}", captor.letter(), victim.letter()))
    }));
    let (quiet, ply) = (state.quiet, state.ply);
    format!("{board} {mover} {out} {captures} {quiet} {ply}")
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<_> = items.collect();
    if items.is_empty() { NONE.to_owned() } else { items.join(",") }
}

/// Pairs (captor, victim) in the order of the FEN field.
fn pairs() -> impl Iterator<Item = (Kingdom, Kingdom)> {
    Kingdom::ALL.into_iter().flat_map(|captor| Kingdom::ALL.map(|victim| (captor, victim)))
}

fn parse(fen: &str, seating: &Seating) -> Result<State, FenError> {
    let [board, mover, out, captures, quiet, ply] =
        fields(fen, ["board", "mover", "out", "captures", "quiet", "ply"])?;
    let mut state = State::empty(seating.present());
    read_conquests(&mut state, seating, out).map_err(|fault| FenError::new("out", fault))?;
    read_armies(&mut state, board)?;
    read_captures(&mut state, seating, captures)
        .map_err(|fault| FenError::new("captures", fault))?;
    let in_play = |&kingdom: &Kingdom| state.in_play().contains(kingdom);
    let mover = present(seating, mover)
        .and_then(|kingdom| Some(kingdom).filter(in_play).ok_or(format!("`{mover}` has fallen")))
        .map_err(|fault| FenError::new("mover", fault))?;
    state.set_mover(mover);
    state.quiet = counter("quiet", quiet)?;
    state.ply = counter("ply", ply)?;
    state.restart_history();
    Ok(state)
}

/// Reads the board.
fn read_armies(state: &mut State, board: &str) -> Result<(), FenError> {
    let mut has_emperor = false;
    let mut generals = [0_u8; Kingdom::COUNT];
    read_board_of(SIZE, board, read_piece, |square, piece| {
        let Some(piece) = piece else {
            has_emperor = true;
            let is_central = square == CENTRE;
            return if is_central { Ok(()) } else { Err("the emperor stands".to_owned()) };
        };
        if square == CENTRE {
            return Err(format!("`{}` in the emperor's place", piece.name()));
        }
        if !state.in_play().contains(piece.kingdom) {
            return Err(format!("`{}` belongs to a kingdom that is out", piece.name()));
        }
        generals[piece.kingdom.index()] += u8::from(piece.kind == Kind::General);
        state.put(square, piece);
        Ok(())
    })?;
    let fault = |fault: String| Err(FenError::new("board", fault));
    if !has_emperor {
        return fault(format!("no emperor `{EMPEROR}` on {}", SIZE.name(CENTRE)));
    }
    match state.in_play().iter().find(|kingdom| generals[kingdom.index()] != 1) {
        Some(kingdom) => {
            let (letter, count) = (kingdom.letter(), generals[kingdom.index()]);
            fault(format!("`{letter}` is in play with {count} generals `{letter}Q`, not 1"))
        }
        None => Ok(()),
    }
}

/// Reads the emperor, as `None`, or a piece.
fn read_piece(text: &str) -> Result<(Option<Piece>, &str), FenError> {
    if let Some(rest) = text.strip_prefix(EMPEROR) {
        return Ok((None, rest));
    }
    let mut letters = text.chars();
    let piece = letters.next().zip(letters.next());
    match piece.and_then(|(kingdom, kind)| Piece::from_letters(kingdom, kind)) {
        Some(piece) => Ok((Some(piece), letters.as_str())),
        None => {
            let found: String = text.chars().take(2).collect();
            let fault = format!(
                "`{found}` is no piece: the letters of a kingdom and a kind, such as `wQ`, or \
                 `{EMPEROR}`"
            );
            Err(FenError::new("board", fault))
        }
    }
}

fn read_conquests(state: &mut State, seating: &Seating, field: &str) -> Result<(), String> {
    for entry in entries(field) {
        let (fallen, conqueror, rest) = read_pair(seating, entry)?;
        if !rest.is_empty() {
            return Err(format!("`{entry}` continues after the letters of two kingdoms"));
        }
        if fallen == conqueror {
            return Err(format!("`{entry}`: a kingdom cannot conquer itself"));
        }
        for kingdom in [fallen, conqueror] {
            if !state.in_play().contains(kingdom) {
                return Err(format!("`{entry}`: `{}` had fallen before", kingdom.letter()));
            }
        }
        state.record_conquest(Conquest { fallen, conqueror });
    }
    Ok(())
}

fn read_captures(state: &mut State, seating: &Seating, field: &str) -> Result<(), String> {
    let mut last = None;
    for entry in entries(field) {
        let (captor, victim, number) = read_pair(seating, entry)?;
        if captor == victim {
            return Err(format!("`{entry}`: a kingdom cannot capture its own pieces"));
        }
        if last.replace((captor, victim)) >= Some((captor, victim)) {
            return Err(format!("`{entry}` is not in turn order by captor, then by victim"));
        }
        let count = counter("captures", number).map_err(|error| error.fault)?;
        if count == 0 {
            return Err(format!("`{entry}`: zeros are left out"));
        }
        state.add_captures(captor, victim, count);
    }
    Ok(())
}

/// The entries of a list that may be `-`.
fn entries(field: &str) -> impl Iterator<Item = &str> {
    field.split(',').filter(move |_| field != NONE)
}

/// Reads the letters of two kingdoms and returns the rest of the text too.
fn read_pair<'a>(seating: &Seating, entry: &'a str) -> Result<(Kingdom, Kingdom, &'a str), String> {
    let too_short = || format!("`{entry}` does not begin with the letters of two kingdoms");
    let mut ends = entry.char_indices().map(|(start, letter)| start + letter.len_utf8());
    let (first, second) = ends.next().zip(ends.next()).ok_or_else(too_short)?;
    let (one, other) = (&entry[..first], &entry[first..second]);
    Ok((present(seating, one)?, present(seating, other)?, &entry[second..]))
}

/// The kingdom with this letter, which must take part.
fn present(seating: &Seating, letter: &str) -> Result<Kingdom, String> {
    let mut letters = letter.chars();
    let kingdom =
        letters.next().and_then(Kingdom::from_letter).filter(|_| letters.next().is_none());
    let present = seating.present();
    kingdom.filter(|&kingdom| present.contains(kingdom)).ok_or_else(|| {
        let known: Vec<_> = present.iter().map(|kingdom| kingdom.letter().to_string()).collect();
        format!("`{letter}` is no kingdom of this game; those are: {}", known.join(" "))
    })
}

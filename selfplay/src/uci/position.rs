//! `position`: a start or a FEN, and the moves from there.

use darkqi_env::{Action, AnyState, Options, Reveal, deal, from_fen};

/// Why there is no position.
pub(super) const NO_POSITION: &str = "no position: expected `position fen FEN` first";

/// The start of a game, if there is only one.
pub(super) fn start(game: &str, options: &Options) -> Result<Box<dyn AnyState>, String> {
    let start = deal(game, options, 0).map_err(|error| error.to_string())?;
    match start.spec().deals_vary {
        true => Err(NO_POSITION.to_owned()),
        false => Ok(start),
    }
}

/// The position of `startpos moves ...` or `fen FEN moves ...`.
pub(super) fn read(game: &str, options: &Options, text: &str) -> Result<Box<dyn AnyState>, String> {
    let (start_text, moves) = match text.split_once("moves") {
        Some((start, moves)) => (start.trim_end(), moves),
        None => (text, ""),
    };
    let mut state = match start_text.split_once(' ').unwrap_or((start_text, "")) {
        ("startpos", "") => start(game, options)
            .map_err(|_| format!("startpos: deals of {game} vary; expected `position fen FEN`"))?,
        ("fen", fen) => from_fen(game, options, fen).map_err(|error| error.to_string())?,
        _ => return Err(format!("position: expected `startpos` or `fen FEN`, found `{text}`")),
    };
    for name in moves.split_whitespace() {
        state = play(state, name)?;
    }
    Ok(state)
}

/// The position after a move, `a4a5`, or after a move that shows this, `a4a5=R`.
fn play(state: Box<dyn AnyState>, name: &str) -> Result<Box<dyn AnyState>, String> {
    let (name, shown) = match name.split_once('=') {
        Some((name, shown)) => (name, Some(shown)),
        None => (name, None),
    };
    let action = state.action_index(name).map_err(|error| error.to_string())?;
    let mut next = match shown {
        Some(shown) => showing(&*state, action, shown)?,
        None => state,
    };
    next.apply(action).map_err(|error| error.to_string())?;
    Ok(next)
}

/// A world in which a legal action shows this: `R`, `Rxc` or `xc`; `R` alone where only one reveal
/// begins so.
fn showing(state: &dyn AnyState, action: Action, shown: &str) -> Result<Box<dyn AnyState>, String> {
    let reveals = state.reveals(action).map_err(|error| error.to_string())?;
    let is_whole = |reveal: &&Reveal| reveal.to_string() == shown;
    let begins = |reveal: &&Reveal| reveal.revealed.as_deref() == Some(shown);
    let mut beginning = reveals.iter().filter(begins);
    let only = beginning.next().filter(|_| beginning.next().is_none());
    let reveal = reveals.iter().find(is_whole).or(only).ok_or_else(|| {
        let names: Vec<_> = reveals.iter().map(Reveal::to_string).collect();
        let name = state.action_name(action);
        format!("{name} cannot show `{shown}`; expected one of: {}", names.join(" "))
    })?;
    state.arrange(action, reveal).map_err(|error| error.to_string())
}

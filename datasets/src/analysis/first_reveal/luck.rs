//! The luck of reveals: what was revealed minus its expectation, used as control variates.
//!
//! All chance of a game lies in its deal. Given everything that has been seen, all arrangements of
//! the pieces still covered are equally likely, and the players' choices depend only on what they
//! have seen. When a covered piece is revealed or captured, the indicator of its kind minus that
//! kind's share of the covered pieces therefore has mean 0 for any policies. Over a game these
//! differences are the increments of a martingale, so their sums are control variates with known
//! mean 0.

use crate::format::{FirstReveal, GameRecord};

/// The chance events that have covariates of their own.
#[derive(Clone, Copy)]
enum ChanceEvent {
    /// The first reveal.
    First,
    /// A later one.
    Later,
    /// The capture of a covered piece.
    Taken,
}

/// The number of kinds of chance events.
const CHANCE_EVENTS: usize = 3;

/// The pieces of a game that are still unseen, by colour and kind.
#[derive(Debug)]
struct UnseenPieces<'a> {
    kinds: &'a [char],
    /// Whether covered pieces show their colour.
    colours_show: bool,
    counts: [Vec<u32>; 2],
}

/// Computes the luck of games with these kinds of pieces.
#[derive(Clone, Debug)]
pub(super) struct RevealLuck {
    kinds: Vec<char>,
    colours_show: bool,
}

impl RevealLuck {
    /// For games with these kinds of pieces, whose covered pieces show their colour or do not.
    pub(super) fn new(kinds: &[char], colours_show: bool) -> Self {
        Self { kinds: kinds.to_vec(), colours_show }
    }

    /// The number of covariates of a game.
    pub(super) fn width(&self) -> usize {
        CHANCE_EVENTS * self.kinds.len()
    }

    /// Computes the covariates of a game into `out`, which has [`RevealLuck::width`] entries. Each
    /// is, for one chance event and one kind, the number of pieces minus its expectation, from the
    /// first reveal on and from the point of view of the player who made it: first reveal, later
    /// reveals, captures of covered pieces, in this order. Pieces of the enemy count negatively.
    ///
    /// # Errors
    ///
    /// The fault, in words: the game reveals or captures pieces that its deal does not hold, or its
    /// first reveal is not the logged one.
    pub(super) fn covariates(&self, game: &GameRecord, out: &mut [f64]) -> Result<(), String> {
        out.fill(0.0);
        let first = game.first_reveal.as_ref();
        let mut unseen = UnseenPieces::new(&self.kinds, self.colours_show, &game.deal)?;
        // If colours show, red belongs to seat 0; otherwise the first reveal assigns the colours.
        let own = first.map(|first| match self.colours_show {
            true => first.player == 0,
            false => first.color == 'r',
        });
        let signs = if own == Some(true) { [1.0, -1.0] } else { [-1.0, 1.0] };
        let mut has_revealed = false;
        for (ply, played) in game.moves.iter().enumerate() {
            let fault = |letter| format!("ply {ply} shows {letter}, but no covered one is left");
            if let Some(letter) = played.revealed {
                if !has_revealed {
                    check_first(first, ply, played.player, letter)?;
                }
                let (draw, signs) = match (has_revealed, self.colours_show) {
                    // If colours are hidden, the first piece revealed is one's own by rule.
                    (false, false) => (ChanceEvent::First, [1.0, 1.0]),
                    (false, true) => (ChanceEvent::First, signs),
                    (true, _) => (ChanceEvent::Later, signs),
                };
                unseen.remove(letter, signs, draw, out).ok_or_else(|| fault(letter))?;
                has_revealed = true;
            }
            if played.captured_covered {
                let letter = played.captured;
                let letter = letter.ok_or_else(|| {
                    format!("ply {ply} captures a covered piece without a letter")
                })?;
                // Before the first reveal it is unknown whose luck to count.
                let signs = if has_revealed { signs } else { [0.0, 0.0] };
                unseen
                    .remove(letter, signs, ChanceEvent::Taken, out)
                    .ok_or_else(|| fault(letter))?;
            }
        }
        match first {
            Some(first) if !has_revealed => Err(format!(
                "{} is logged as the first reveal, but nothing is revealed",
                first.kind
            )),
            _ => Ok(()),
        }
    }
}

/// Checks that the first piece revealed is the logged one.
fn check_first(
    said: Option<&FirstReveal>,
    ply: usize,
    player: i8,
    letter: char,
) -> Result<(), String> {
    let color = if letter.is_ascii_lowercase() { 'b' } else { 'r' };
    let kind = letter.to_ascii_uppercase();
    let is_it = |said: &FirstReveal| (said.kind, said.color, said.player) == (kind, color, player);
    if said.is_some_and(is_it) {
        return Ok(());
    }
    let said = said.map_or("none".to_owned(), |said| {
        format!("{} of colour {} by seat {}", said.kind, said.color, said.player)
    });
    Err(format!("ply {ply} is the first reveal: {letter} by seat {player}, but the log has {said}"))
}

impl<'a> UnseenPieces<'a> {
    /// The covered pieces of a deal, which its FEN marks with `~`.
    fn new(kinds: &'a [char], colours_show: bool, deal: &str) -> Result<Self, String> {
        let mut counts = [vec![0; kinds.len()], vec![0; kinds.len()]];
        let board = deal.split(' ').next().unwrap_or_default();
        for part in board.split('~').skip(1) {
            let letter = part.chars().next().unwrap_or(' ');
            let (colour, kind) = colour_and_kind(kinds, letter)
                .ok_or_else(|| format!("deal {deal:?}: expected a piece after each `~`"))?;
            counts[colour][kind] += 1;
        }
        Ok(Self { kinds, colours_show, counts })
    }

    /// Removes a piece, and adds its indicator minus the expectation to `out`. None if there is no
    /// such piece.
    fn remove(
        &mut self,
        letter: char,
        signs: [f64; 2],
        draw: ChanceEvent,
        out: &mut [f64],
    ) -> Option<()> {
        let (colour, kind) = colour_and_kind(self.kinds, letter)?;
        let width = self.kinds.len();
        let out = &mut out[draw as usize * width..][..width];
        // The pieces that it could have been, given what was visible.
        let possible = |other: &usize| !self.colours_show || *other == colour;
        let all: u32 = [0, 1].iter().filter(|c| possible(c)).flat_map(|&c| &self.counts[c]).sum();
        if self.counts[colour][kind] == 0 {
            return None;
        }
        for other in [0, 1].into_iter().filter(possible) {
            for (out, &count) in out.iter_mut().zip(&self.counts[other]) {
                *out -= signs[other] * f64::from(count) / f64::from(all);
            }
        }
        out[kind] += signs[colour];
        self.counts[colour][kind] -= 1;
        Some(())
    }
}

/// Colour and kind of a piece letter: upper case is red.
fn colour_and_kind(kinds: &[char], letter: char) -> Option<(usize, usize)> {
    let upper = letter.to_ascii_uppercase();
    let kind = kinds.iter().position(|&kind| kind == upper)?;
    Some((usize::from(letter.is_ascii_lowercase()), kind))
}

#[cfg(test)]
mod tests;

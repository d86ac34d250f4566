//! How lucky a game's reveals were: what came up, less what was to be expected.
//!
//! All chance of a game lies in its deal. Given everything that anybody has seen, the pieces still covered lie in any
//! order with equal probability, and what the players do follows from what they have seen. So whenever a covered piece
//! is turned over or taken, the indicator of its kind less that kind's share of the pieces still covered has mean 0, however
//! the players play: over a game the differences add up to a martingale. They are control variates whose mean is known.

use crate::format::{FirstReveal, GameRecord};

/// What is counted apart.
#[derive(Clone, Copy)]
enum ChanceEvent {
    /// The first reveal.
    First,
    /// A later one.
    Later,
    /// A covered piece that is taken.
    Taken,
}

/// Sorts of draws.
const CHANCE_EVENTS: usize = 3;

/// The pieces of one game that nobody has seen yet, by colour and kind.
#[derive(Debug)]
struct UnseenPieces<'a> {
    kinds: &'a [char],
    /// Whether a covered piece shows its colour.
    colours_show: bool,
    counts: [Vec<u32>; 2],
}

/// Reckons the luck of games whose pieces are of these kinds.
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

    /// Numbers of a game's luck.
    pub(super) fn width(&self) -> usize {
        CHANCE_EVENTS * self.kinds.len()
    }

    /// Adds up in `out`, which has [`RevealLuck::width`] entries, by how many pieces of each kind the one who made the
    /// first reveal fared better than was to be expected, from that reveal on: by the first reveal, by later ones, and
    /// (for the worse) by covered pieces that were taken, in this order. A piece of the enemy counts as one less.
    ///
    /// # Errors
    ///
    /// What is wrong with the game: it turns over or takes pieces that its deal does not hold, or another one first than
    /// it says.
    pub(super) fn covariates(&self, game: &GameRecord, out: &mut [f64]) -> Result<(), String> {
        out.fill(0.0);
        let first = game.first_reveal.as_ref();
        let mut unseen = UnseenPieces::new(&self.kinds, self.colours_show, &game.deal)?;
        // Where colours show red is the first seat's; elsewhere the first reveal settles them.
        let own = first.map(|first| match self.colours_show {
            true => first.player == 0,
            false => first.color == 'r',
        });
        let signs = if own == Some(true) { [1.0, -1.0] } else { [-1.0, 1.0] };
        let mut has_revealed = false;
        for (ply, played) in game.moves.iter().enumerate() {
            let fault = |letter| format!("ply {ply} shows {letter}, of which none is left covered");
            if let Some(letter) = played.revealed {
                if !has_revealed {
                    check_first(first, ply, played.player, letter)?;
                }
                let (draw, signs) = match (has_revealed, self.colours_show) {
                    // Whatever is turned over first where colours are hidden is one's own.
                    (false, false) => (ChanceEvent::First, [1.0, 1.0]),
                    (false, true) => (ChanceEvent::First, signs),
                    (true, _) => (ChanceEvent::Later, signs),
                };
                unseen.remove(letter, signs, draw, out).ok_or_else(|| fault(letter))?;
                has_revealed = true;
            }
            if played.captured_covered {
                let letter = played.captured;
                let letter = letter.ok_or_else(|| format!("ply {ply} takes a covered nothing"))?;
                // Before the first reveal nobody knows yet whose luck is reckoned.
                let signs = if has_revealed { signs } else { [0.0, 0.0] };
                unseen
                    .remove(letter, signs, ChanceEvent::Taken, out)
                    .ok_or_else(|| fault(letter))?;
            }
        }
        match first {
            Some(first) if !has_revealed => {
                Err(format!("{} is said to be turned over first, but nothing is", first.kind))
            }
            _ => Ok(()),
        }
    }
}

/// Checks that the first piece turned over is the one that is said to be it.
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
    let said = said.map_or("nothing".to_owned(), |said| {
        format!("{} of colour {} by seat {}", said.kind, said.color, said.player)
    });
    Err(format!("ply {ply} is the first to turn over: {letter} by seat {player}, not {said}"))
}

impl<'a> UnseenPieces<'a> {
    /// The covered pieces of a deal, which its FEN marks by `~`.
    fn new(kinds: &'a [char], colours_show: bool, deal: &str) -> Result<Self, String> {
        let mut counts = [vec![0; kinds.len()], vec![0; kinds.len()]];
        let board = deal.split(' ').next().unwrap_or_default();
        for part in board.split('~').skip(1) {
            let letter = part.chars().next().unwrap_or(' ');
            let (colour, kind) = colour_and_kind(kinds, letter)
                .ok_or_else(|| format!("deal {deal:?} has no piece after one of its `~`"))?;
            counts[colour][kind] += 1;
        }
        Ok(Self { kinds, colours_show, counts })
    }

    /// Takes out a piece, and adds what it is less what was to be expected. None if there is no such piece.
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
        // Those that it might have been, for all that anybody could see.
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

/// Colour and kind of a piece: upper case is red.
fn colour_and_kind(kinds: &[char], letter: char) -> Option<(usize, usize)> {
    let upper = letter.to_ascii_uppercase();
    let kind = kinds.iter().position(|&kind| kind == upper)?;
    Some((usize::from(letter.is_ascii_lowercase()), kind))
}

#[cfg(test)]
mod tests;

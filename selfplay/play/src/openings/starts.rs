//! The positions in which agents take games over.

use darkqi_env::{Hides, Registered, Rng, Stream, Viewer};
use darkqi_format::Openings;

use super::error::OpeningError;
use super::removal::{piece_names, remove};
use crate::driver::Episode;

/// How many openings are sampled until one leaves the game undecided.
const TRIES: u32 = 1000;

/// Random plies per seat in a game whose deals are all equal.
const PLIES_PER_SEAT: u32 = 2;

/// The default number of random plies of a match: none where deals or openings vary. Where they do not,
/// agents without randomness would play the same game again and again.
pub(crate) fn default_plies<G: Registered>(rules: &G, lines: &[String]) -> u32 {
    let vary = G::DEALS_VARY || lines.len() > 1;
    if vary { 0 } else { PLIES_PER_SEAT * rules.players() as u32 }
}

/// Where games begin.
#[derive(Clone, Debug)]
pub(crate) struct Starts<G: Registered> {
    openings: Openings,
    /// The positions of the lines.
    positions: Vec<G::State>,
}

impl<G: Registered> Starts<G> {
    /// # Errors
    /// If an opening cannot be used. Each line is tried with one seed.
    pub(crate) fn new(rules: &G, openings: &Openings) -> Result<Self, OpeningError> {
        let names = piece_names::<G>();
        if let Some(name) = openings.remove.iter().find(|name| !names.contains(name)) {
            return Err(OpeningError::Piece { name: name.clone(), game: G::NAME, names });
        }
        let read = |line: &String| {
            let fault = |cause| OpeningError::Line { line: line.clone(), cause };
            read(rules, line).map_err(fault)
        };
        let positions: Vec<_> = openings.lines.iter().map(read).collect::<Result<_, _>>()?;
        let starts = Self { openings: openings.clone(), positions };
        match starts.positions.as_slice() {
            [] => drop(starts.position(rules, 0)?),
            lines => lines.iter().zip(&openings.lines).try_for_each(|(position, line)| {
                let mut rng = Rng::new(0, Stream::Sample);
                let fault = |error: OpeningError| OpeningError::Line {
                    line: line.clone(),
                    cause: error.to_string(),
                };
                starts.sample(rules, position, 0, &mut rng).map(drop).map_err(fault)
            })?,
        }
        Ok(starts)
    }

    /// Makes `state` the position in which agents take over the game with this seed.
    ///
    /// # Errors
    /// If no opening of many leaves a game to play.
    pub(crate) fn begin(
        &self,
        rules: &G,
        state: &mut G::State,
        seed: u64,
    ) -> Result<(), OpeningError> {
        if self.openings.is_plain() {
            rules.redeal(state, &mut Rng::new(seed, Stream::Deal))
        } else {
            *state = self.position(rules, seed)?
        }
        Ok(())
    }

    /// The position in which agents take over the game with this seed.
    ///
    /// # Errors
    /// As [`Starts::begin`].
    pub(crate) fn position(&self, rules: &G, seed: u64) -> Result<G::State, OpeningError> {
        let (line, mut rng) = self.openings.draw(seed);
        match line {
            Some(line) => self.sample(rules, &self.positions[line], seed, &mut rng),
            None => {
                let dealt = rules.deal(&mut Rng::new(seed, Stream::Deal));
                if self.openings.is_plain() {
                    return Ok(dealt);
                }
                self.sample(rules, &dealt, seed, &mut rng)
            }
        }
    }

    /// Samples an opening from a position until it leaves a game to play.
    fn sample(
        &self,
        rules: &G,
        position: &G::State,
        seed: u64,
        rng: &mut Rng,
    ) -> Result<G::State, OpeningError> {
        let mut fault = None;
        for _ in 0..TRIES {
            match self.attempt(rules, position, seed, rng) {
                Ok(state) => return Ok(state),
                Err(error) => fault = Some(error),
            }
        }
        Err(fault.expect("there was a try"))
    }

    fn attempt(
        &self,
        rules: &G,
        position: &G::State,
        seed: u64,
        rng: &mut Rng,
    ) -> Result<G::State, OpeningError> {
        let Openings { lines, remove: removed, random_plies } = &self.openings;
        let mut state = if G::HIDES == Hides::Nothing || lines.is_empty() {
            position.clone()
        } else {
            // A line says what is seen. What lies covered is dealt.
            rules.determinize(&rules.view(position, Viewer::Public), rng)
        };
        if !removed.is_empty() {
            state = remove(rules, &state, removed, rng)?;
        }
        let mut opening = Episode::<G>::new(state);
        if let Some(outcome) = opening.advance(rules) {
            let fen = rules.fen(opening.state());
            return Err(OpeningError::Over { fen, reason: outcome.reason.name() });
        }
        for _ in 0..*random_plies {
            let legal = opening.legal();
            let action = *rng.choose(legal);
            let played = opening.play(rules, action, &mut ());
            played.expect("the action is one of those listed");
            if opening.advance(rules).is_some() {
                return Err(OpeningError::RandomPlies { plies: *random_plies, tries: TRIES, seed });
            }
        }
        // A log begins with a FEN, which holds no history. The agents are to play what it says.
        let fen = rules.fen(opening.state());
        Ok(rules.parse_fen(&fen).expect("a FEN is read back"))
    }
}

/// The position of a line: a full FEN, or moves from the start where there is only one.
fn read<G: Registered>(rules: &G, line: &str) -> Result<G::State, String> {
    if line.trim().is_empty() {
        return Err("expected a full FEN or moves".to_owned());
    }
    if line.contains('/') {
        return rules.parse_fen(line).map_err(|error| error.to_string());
    }
    if G::DEALS_VARY {
        return Err(format!("deals of {} vary; expected a full FEN", G::NAME));
    }
    let mut game = Episode::<G>::new(rules.deal(&mut Rng::new(0, Stream::Deal)));
    for name in line.split_whitespace() {
        if let Some(outcome) = game.advance(rules) {
            return Err(format!("the game is over before {name} ({})", outcome.reason.name()));
        }
        let side = rules.perspective(rules.to_move(game.state()));
        let action = rules.table().parse(name, side).ok_or_else(|| {
            format!("`{name}` is no move of {}; expected a full FEN or moves", G::NAME)
        })?;
        game.play(rules, action, &mut ()).map_err(|_| format!("{name} is not legal"))?;
    }
    Ok(game.state().clone())
}

#[cfg(test)]
mod tests;

//! The positions in which agents take games over.

use darkqi_env::{AnyState, Rng, Spec, Stream, Viewer, game::Hides};
use darkqi_format::Openings;

use super::error::OpeningError;
use super::removal::{piece_names, remove};

/// How many openings are sampled until one leaves the game undecided.
const TRIES: u32 = 1000;

/// Random plies per seat in a game whose deals are all equal.
const PLIES_PER_SEAT: u32 = 2;

/// The default number of random plies of a match: none where deals or openings vary. Where they do not,
/// agents without randomness would play the same game again and again.
pub(crate) fn default_plies(spec: &Spec, lines: &[String]) -> u32 {
    let vary = spec.deals_vary || lines.len() > 1;
    if vary { 0 } else { PLIES_PER_SEAT * spec.num_players as u32 }
}

/// Where games begin.
pub(crate) struct Starts {
    spec: Spec,
    openings: Openings,
    /// The positions of the lines.
    positions: Vec<Box<dyn AnyState>>,
}

impl Starts {
    /// # Errors
    /// If an opening cannot be used. Each line is tried with one seed.
    pub(crate) fn new(spec: &Spec, openings: &Openings) -> Result<Self, OpeningError> {
        let names = piece_names(spec);
        if let Some(name) = openings.remove.iter().find(|name| !names.contains(name)) {
            return Err(OpeningError::Piece { name: name.clone(), game: spec.name, names });
        }
        let fault = |line: &String, cause| OpeningError::Line { line: line.clone(), cause };
        let read = |line: &String| read(spec, line).map_err(|cause| fault(line, cause));
        let positions: Vec<_> = openings.lines.iter().map(read).collect::<Result<_, _>>()?;
        let starts = Self { spec: spec.clone(), openings: openings.clone(), positions };
        match starts.positions.as_slice() {
            [] => drop(starts.position(0)?),
            lines => lines.iter().zip(&openings.lines).try_for_each(|(position, line)| {
                let mut rng = Rng::new(0, Stream::Sample);
                let sampled = starts.sample(&**position, 0, &mut rng).map(drop);
                sampled.map_err(|error| fault(line, error.to_string()))
            })?,
        }
        Ok(starts)
    }

    /// The position in which agents take over the game with this seed.
    ///
    /// # Errors
    /// If no opening of many leaves a game to play.
    pub(crate) fn position(&self, seed: u64) -> Result<Box<dyn AnyState>, OpeningError> {
        let (line, mut rng) = self.openings.draw(seed);
        match line {
            Some(line) => self.sample(&*self.positions[line], seed, &mut rng),
            None => {
                let dealt = self.spec.deal(seed);
                if self.openings.is_plain() {
                    return Ok(dealt);
                }
                self.sample(&*dealt, seed, &mut rng)
            }
        }
    }

    /// Samples an opening from a position until it leaves a game to play.
    fn sample(
        &self,
        position: &dyn AnyState,
        seed: u64,
        rng: &mut Rng,
    ) -> Result<Box<dyn AnyState>, OpeningError> {
        let mut fault = None;
        for _ in 0..TRIES {
            match self.attempt(position, seed, rng) {
                Ok(state) => return Ok(state),
                Err(error) => fault = Some(error),
            }
        }
        Err(fault.expect("there was a try"))
    }

    fn attempt(
        &self,
        position: &dyn AnyState,
        seed: u64,
        rng: &mut Rng,
    ) -> Result<Box<dyn AnyState>, OpeningError> {
        let Openings { lines, remove: removed, random_plies } = &self.openings;
        let mut state = if self.spec.hides == Hides::Nothing || lines.is_empty() {
            position.boxed_clone()
        } else {
            // A line says what is seen. What lies covered is dealt.
            position.determinize(Viewer::Public, rng)
        };
        if !removed.is_empty() {
            state = remove(&self.spec, &*state, removed, rng)?;
        }
        if let Some(outcome) = state.outcome() {
            return Err(OpeningError::Over { fen: state.fen(), reason: outcome.reason.name() });
        }
        for _ in 0..*random_plies {
            let action = *rng.choose(state.legal_actions());
            state.apply(action).expect("the action is one of those listed");
            if state.outcome().is_some() {
                return Err(OpeningError::RandomPlies { plies: *random_plies, tries: TRIES, seed });
            }
        }
        // A log begins with a FEN, which holds no history. The agents are to play what it says.
        Ok(self.spec.parse_fen(&state.fen()).expect("a FEN is read back"))
    }
}

/// The position of a line: a full FEN, or moves from the start where there is only one.
fn read(spec: &Spec, line: &str) -> Result<Box<dyn AnyState>, String> {
    if line.trim().is_empty() {
        return Err("expected a full FEN or moves".to_owned());
    }
    if line.contains('/') {
        return spec.parse_fen(line).map_err(|error| error.to_string());
    }
    let game = spec.name;
    if spec.deals_vary {
        return Err(format!("deals of {game} vary; expected a full FEN"));
    }
    let mut state = spec.deal(0);
    for name in line.split_whitespace() {
        if let Some(outcome) = state.outcome() {
            return Err(format!("the game is over before {name} ({})", outcome.reason.name()));
        }
        let action = spec.table().parse(name, state.perspective());
        let action = action.ok_or_else(|| {
            format!("`{name}` is no move of {game}; expected a full FEN or moves")
        })?;
        state.apply(action).map_err(|_| format!("{name} is not legal"))?;
    }
    Ok(state)
}

#[cfg(test)]
mod tests;

//! Phase after phase, from the end of the game to its beginning.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::board::{MAX_POSITIONS, squares};
use super::error::SmallBoardError;
use super::phase::Phase;
use super::solve::{Exits, Game, Values};

/// The most phases, which take some hundred bytes besides.
const MAX_PHASES: usize = 2_000_000;

/// The values of all phases that flips and captures lead to from one, itself included. It works in the
/// threads of the pool that it is called in.
///
/// # Errors
/// [`SmallBoardError::TooLarge`] if there are too many; [`SmallBoardError::Stopped`] when `stop`
/// becomes true.
pub(super) fn solve(
    game: &Game,
    first: &Phase,
    quiet_limit: u16,
    stop: &AtomicBool,
) -> Result<Values, SmallBoardError> {
    let mut values = Values::new();
    let mut count = 0;
    // A flip or a capture leads to a phase that is nearer to the end.
    for phases in by_distance(game, first)?.into_values() {
        let solve = |phase: Phase| {
            if stop.load(Ordering::Relaxed) {
                return Err(SmallBoardError::Stopped);
            }
            let solved = Exits::new(game, &phase, &values).solve(quiet_limit);
            Ok((phase, solved))
        };
        let solved: Vec<_> = phases.into_par_iter().map(solve).collect::<Result<_, _>>()?;
        count += solved.iter().map(|(_, solved)| solved.values.len()).sum::<usize>();
        if count > 2 * MAX_POSITIONS {
            return Err(SmallBoardError::TooLarge);
        }
        values.extend(solved);
    }
    Ok(values)
}

/// The phases that can be reached from one, itself included, by their distance from the end.
fn by_distance(game: &Game, first: &Phase) -> Result<BTreeMap<usize, Vec<Phase>>, SmallBoardError> {
    let Game { board, rules } = game;
    let (first, _) = first.canonical(board);
    let mut known = HashSet::from([first.clone()]);
    let mut open = vec![first];
    let mut all: BTreeMap<usize, Vec<Phase>> = BTreeMap::new();
    let mut positions = 0_usize;
    while let Some(phase) = open.pop() {
        positions = positions.saturating_add(phase.arrangements(board));
        if positions > MAX_POSITIONS || known.len() > MAX_PHASES {
            return Err(SmallBoardError::TooLarge);
        }
        let reveals = |after: fn(&Phase, u8, u8) -> Phase| {
            let phase = &phase;
            squares(phase.covered).flat_map(move |square| {
                phase.odds().map(move |(piece, _)| after(phase, square, piece))
            })
        };
        let flips = reveals(Phase::after_flip);
        let captures = (0..phase.shown.len()).map(|prey| phase.after_capture(prey));
        let blind = rules.is_gaiqi().then(|| reveals(Phase::after_blind_capture));
        let is_over = |phase: &Phase| !(0..2).all(|colour| phase.is_alive(rules, colour));
        let all_after = flips.chain(captures).chain(blind.into_iter().flatten());
        for after in all_after.filter(|after| !is_over(after)) {
            let (after, _) = after.canonical(board);
            if known.insert(after.clone()) {
                open.push(after);
            }
        }
        all.entry(phase.distance()).or_default().push(phase);
    }
    Ok(all)
}

//! Phase after phase, from the end of the game to its beginning.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::board::{Board, MAX_POSITIONS, squares};
use super::error::SmallBoardError;
use super::phase::Phase;
use super::solve::{Exits, Values};
use crate::tables::Captures;

/// The most phases, which take some hundred bytes besides.
const MAX_PHASES: usize = 2_000_000;

/// The values of all phases that flips and captures lead to from one, itself included. It works in the
/// threads of the pool that it is called in.
///
/// # Errors
/// [`SmallBoardError::TooLarge`] if there are too many; [`SmallBoardError::Stopped`] when `stop`
/// becomes true.
pub(super) fn solve(
    board: &Board,
    captures: &Captures,
    first: &Phase,
    quiet_limit: u16,
    stop: &AtomicBool,
) -> Result<Values, SmallBoardError> {
    let mut values = Values::new();
    // A flip or a capture leads to a phase that is nearer to the end.
    for phases in by_distance(board, first)?.into_values() {
        let solve = |phase: Phase| {
            if stop.load(Ordering::Relaxed) {
                return Err(SmallBoardError::Stopped);
            }
            let solved = Exits::new(board, captures, &phase, &values).solve(quiet_limit);
            Ok((phase, solved))
        };
        let solved: Vec<_> = phases.into_par_iter().map(solve).collect::<Result<_, _>>()?;
        values.extend(solved);
    }
    Ok(values)
}

/// The phases that can be reached from one, itself included, by their distance from the end.
fn by_distance(
    board: &Board,
    first: &Phase,
) -> Result<BTreeMap<usize, Vec<Phase>>, SmallBoardError> {
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
        let mut pieces = phase.hidden.to_vec();
        pieces.dedup();
        let flips = squares(phase.covered)
            .flat_map(|square| pieces.iter().map(move |&piece| (square, piece)))
            .map(|(square, piece)| phase.after_flip(square, piece));
        let captures = (0..phase.shown.len()).filter_map(|prey| phase.after_capture(prey));
        for after in flips.chain(captures) {
            let (after, _) = after.canonical(board);
            if known.insert(after.clone()) {
                open.push(after);
            }
        }
        all.entry(phase.distance()).or_default().push(phase);
    }
    Ok(all)
}

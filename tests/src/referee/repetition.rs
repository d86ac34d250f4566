//! The verdict on a repetition (RULES.md section 7).

use super::board::Color;

/// The facts about a ply that count in a cycle.
#[derive(Clone, Debug)]
pub(super) struct PlyRecord {
    pub side: Color,
    /// Whether any piece attacked the enemy general after the ply (RULES.md 9.13).
    pub gave_check: bool,
    /// The ids of the enemy pieces chased after the ply.
    pub chased: Vec<usize>,
}

/// The positions since the last irreversible ply and the plies between them (RULES.md 9.8).
#[derive(Clone, Debug)]
pub(super) struct History<P> {
    /// Position `i + 1` came from position `i` by ply `i`.
    positions: Vec<String>,
    plies: Vec<P>,
}

/// What a repetition means for a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Neither side offends: a draw in jieqi and mystery, no end in flipping.
    NoOffence,
    /// Both sides check, or both chase, perpetually.
    Draw,
    /// The side that checks perpetually loses.
    PerpetualCheck(Color),
    /// The side that chases perpetually loses.
    PerpetualChase(Color),
}

impl<P> History<P> {
    /// A history that begins with a position, its first occurrence.
    pub(super) fn new(position: String) -> Self {
        Self { positions: vec![position], plies: Vec::new() }
    }

    /// Records a reversible ply and the position it led to.
    pub(super) fn push(&mut self, ply: P, position: String) {
        self.plies.push(ply);
        self.positions.push(position);
    }

    /// The plies after the previous occurrence of the present position (RULES.md 9.17). `None` if the
    /// position has occurred fewer than three times.
    pub(super) fn cycle(&self) -> Option<&[P]> {
        let present = self.positions.last();
        let occurrences: Vec<usize> = (0..self.positions.len())
            .filter(|&index| self.positions.get(index) == present)
            .collect();
        match occurrences[..] {
            [.., _, previous, now] => Some(&self.plies[previous..now]),
            _ => None,
        }
    }
}

/// The verdict on the plies between two occurrences.
pub(super) fn judge(cycle: &[PlyRecord], chase: bool) -> Verdict {
    let red_checks = checks_perpetually(cycle, Color::Red);
    let black_checks = checks_perpetually(cycle, Color::Black);
    match (red_checks, black_checks) {
        (true, true) => return Verdict::Draw,
        (true, false) => return Verdict::PerpetualCheck(Color::Red),
        (false, true) => return Verdict::PerpetualCheck(Color::Black),
        (false, false) => {}
    }
    if !chase {
        return Verdict::NoOffence;
    }
    let red_chases = chases_perpetually(cycle, Color::Red);
    let black_chases = chases_perpetually(cycle, Color::Black);
    match (red_chases, black_chases) {
        (true, false) => Verdict::PerpetualChase(Color::Red),
        (false, true) => Verdict::PerpetualChase(Color::Black),
        (true, true) => Verdict::Draw,
        (false, false) => Verdict::NoOffence,
    }
}

/// Every ply of the side gave check.
fn checks_perpetually(cycle: &[PlyRecord], side: Color) -> bool {
    cycle.iter().filter(|ply| ply.side == side).all(|ply| ply.gave_check)
}

/// Every ply of the side left one and the same enemy piece chased.
fn chases_perpetually(cycle: &[PlyRecord], side: Color) -> bool {
    let mut plies = cycle.iter().filter(|ply| ply.side == side);
    let Some(first) = plies.next() else {
        return false;
    };
    let mut always = first.chased.clone();
    for ply in plies {
        always.retain(|id| ply.chased.contains(id));
    }
    !always.is_empty()
}

//! The verdict on a repetition (RULES.md section 7).

use super::board::Color;

/// What counts of a ply in a cycle.
#[derive(Clone, Debug)]
pub(super) struct PlyRecord {
    pub side: Color,
    /// After the ply the enemy general was attacked by anything (RULES.md 9.13).
    pub gave_check: bool,
    /// The ids of the enemy pieces chased after the ply.
    pub chased: Vec<usize>,
}

/// The positions since the last irreversible ply and the plies between them (RULES.md 9.8).
#[derive(Clone, Debug)]
pub(super) struct History {
    /// Position `i + 1` came from position `i` by ply `i`.
    positions: Vec<String>,
    plies: Vec<PlyRecord>,
}

/// How a repetition ends a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Draw,
    /// The side that checks perpetually loses.
    PerpetualCheck(Color),
    /// The side that chases perpetually loses.
    PerpetualChase(Color),
}

impl History {
    /// A history that begins with a position, its first occurrence.
    pub(super) fn new(position: String) -> Self {
        Self { positions: vec![position], plies: Vec::new() }
    }

    /// Takes note of a reversible ply and the position it led to.
    pub(super) fn push(&mut self, ply: PlyRecord, position: String) {
        self.plies.push(ply);
        self.positions.push(position);
    }

    /// The verdict if the present position has occurred for the third time.
    pub(super) fn verdict(&self, chase: bool) -> Option<Verdict> {
        let present = self.positions.last();
        let occurrences: Vec<usize> = (0..self.positions.len())
            .filter(|&index| self.positions.get(index) == present)
            .collect();
        match occurrences[..] {
            [.., _, second, third] => Some(judge(&self.plies[second..third], chase)),
            _ => None,
        }
    }
}

/// The verdict on the plies between the second occurrence and the third.
fn judge(cycle: &[PlyRecord], chase: bool) -> Verdict {
    let red_checks = checks_perpetually(cycle, Color::Red);
    let black_checks = checks_perpetually(cycle, Color::Black);
    match (red_checks, black_checks) {
        (true, true) => return Verdict::Draw,
        (true, false) => return Verdict::PerpetualCheck(Color::Red),
        (false, true) => return Verdict::PerpetualCheck(Color::Black),
        (false, false) => {}
    }
    if !chase {
        return Verdict::Draw;
    }
    let red_chases = chases_perpetually(cycle, Color::Red);
    let black_chases = chases_perpetually(cycle, Color::Black);
    match (red_chases, black_chases) {
        (true, false) => Verdict::PerpetualChase(Color::Red),
        (false, true) => Verdict::PerpetualChase(Color::Black),
        _ => Verdict::Draw,
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

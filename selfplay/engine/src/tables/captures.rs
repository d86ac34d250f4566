//! Which kinds capture which.

use darkqi_env::{Game, Registered, game::GameExt};

/// Number of kinds.
const KINDS: usize = 7;

/// Who captures whom, by two kinds of different armies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Captures {
    /// Whether the first captures the second on a neighbouring square.
    steps: [[bool; KINDS]; KINDS],
    /// Whether the first captures the second behind one other piece in a line.
    jumps: [[bool; KINDS]; KINDS],
}

impl Captures {
    /// The bit of a capture by a step.
    pub(crate) const STEP: u16 = 1;
    /// The bit of a capture by a jump.
    pub(crate) const JUMP: u16 = 2;

    /// The captures that the rules allow. Rules are asked by positions, so that ranks have one owner.
    pub(crate) fn of<G: Registered>(rules: &G) -> Self {
        // The captor is red, its prey black. Any piece is a screen.
        let step = |captor, prey| is_legal(rules, &format!("{captor}{prey}6/8/8/8"), "a4b4");
        let jump = |captor, prey| is_legal(rules, &format!("{captor}P{prey}5/8/8/8"), "a4c4");
        Self { steps: by_kinds::<G>(step), jumps: by_kinds::<G>(jump) }
    }

    /// How two pieces of different armies capture each other: [`Captures::STEP`] and
    /// [`Captures::JUMP`] for the first the second, two bits higher for the second the first.
    pub(crate) fn between(&self, first: u8, second: u8) -> u16 {
        let [first, second] = [first, second].map(usize::from);
        u16::from(self.steps[first][second])
            | u16::from(self.jumps[first][second]) << 1
            | u16::from(self.steps[second][first]) << 2
            | u16::from(self.jumps[second][first]) << 3
    }
}

/// The answer for each pair of a captor's letter and its prey's, which is in lower case.
fn by_kinds<G: Game>(ask: impl Fn(char, char) -> bool) -> [[bool; KINDS]; KINDS] {
    let letter = |kind: usize| G::KINDS[kind];
    std::array::from_fn(|captor| {
        std::array::from_fn(|prey| ask(letter(captor), letter(prey).to_ascii_lowercase()))
    })
}

/// Whether an action is legal on a board with seat 0, which is red, to move.
fn is_legal<G: Registered>(rules: &G, board: &str, action: &str) -> bool {
    let state = rules.parse_fen(&format!("{board} 1 r - 0 0")).expect("the board is valid");
    let perspective = rules.perspective(rules.to_move(&state));
    let action = rules.table().parse(action, perspective);
    action.is_some_and(|action| rules.actions(&state).contains(&action))
}

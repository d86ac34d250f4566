//! Alpha-beta search of trees with chance nodes: *-minimax.
//!
//! - this file: `negamax`, the value of a position;
//! - `candidates`: its actions in the order in which they are tried;
//! - `actions`: `search_actions` and `search_action`, principal variation search with late move reductions;
//! - `futility`: positions so far outside the window that they are not searched;
//! - `chance`: `chance_node`, the value of an action that may turn up several pieces;
//! - `quiescence`: captures below the full-width search;
//! - `replies`: what enemies of several teams do next;
//! - `variation`: the principal variation.
//!
//! Negamax alpha-beta (Knuth and Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence
//! 6, 1975) with a transposition table.

mod actions;
mod candidates;
mod chance;
mod futility;
mod quiescence;
mod replies;
#[cfg(test)]
mod tests;
mod variation;

use darkqi_env::game::{Counter, GameExt, fraction_of_limit};
use darkqi_env::{Action, Event, Outcome, Player, Registered, Viewer};

pub(super) use replies::{Line, RankedReplies};
pub(super) use variation::Variation;

use super::limits::{Budget, Limits};
use super::ordering::{NONE, Ordering};
use super::transposition_table::{Bound, Entry, TranspositionTable};
use crate::evaluation::{Accumulator, Duel, Evaluation, SeatValues};
use crate::tables::TableValue;

/// Discount per ply: an early win is better than a late one, a late loss better than an early one.
pub(super) const DISCOUNT: f32 = 0.9995;

/// The value of a win in this many plies, as a search to its end finds it.
fn discounted(plies: u32) -> f32 {
    (0..plies).fold(1.0, |value, _| value * DISCOUNT)
}

/// Plies of quiescence search: below the full-width search, captures with one outcome are searched.
const QUIESCENCE_PLIES: u32 = 6;

/// Quiescence search with more than two players. Their captures in turn do not answer one another, so that
/// longer sequences overrate the captures left on the board.
const QUIESCENCE_PLIES_OF_MANY: u32 = 1;

/// Quiescence search leaves out captures that gain less than this.
const MIN_GAIN: f32 = 0.01;

/// The ply from which checks extend the search no more: where checks answer checks, it would go on for
/// as many plies as the stack has room for. Without such chains the deepest search ends before it.
const MAX_EXTENDED: u32 = 4 * Limits::MAX_DEPTH;

/// Where there are no more candidates than this, all are searched in full.
const FEW: usize = 8;

/// Candidates before the first that is reduced or left out.
const FULL_DEPTH: usize = 3;

/// How much farther a search looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Horizon {
    /// Layers of full-width search.
    pub(super) depth: u32,
    /// Plies of quiescence search below them.
    quiescence: u32,
}

impl Horizon {
    /// This many layers of full-width search, in a game with this many players.
    pub(super) const fn new(depth: u32, players: usize) -> Self {
        let quiescence = if players == 2 { QUIESCENCE_PLIES } else { QUIESCENCE_PLIES_OF_MANY };
        Self { depth, quiescence }
    }

    /// The least value of a win that is certain within the horizon.
    pub(super) fn least_certain(self) -> f32 {
        discounted(self.depth + self.quiescence)
    }

    /// The rest after this many layers.
    const fn after(self, layers: u32) -> Self {
        let depth = self.depth.saturating_sub(layers);
        match self.depth {
            0 => Self { depth, quiescence: self.quiescence.saturating_sub(layers) },
            _ => Self { depth, quiescence: self.quiescence },
        }
    }

    /// Fewer layers of full-width search, and as much quiescence search.
    const fn reduced(self, layers: u32) -> Self {
        Self { depth: self.depth.saturating_sub(layers), ..self }
    }
}

/// The alpha-beta window. A value at or outside its bounds need not be exact.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Window {
    pub(super) alpha: f32,
    pub(super) beta: f32,
}

/// The width of a window that only asks whether a value is above it. Smaller differences do not
/// matter.
const HAIR: f32 = 2e-5;

impl Window {
    /// All values.
    pub(super) const FULL: Self = Self { alpha: -1.0, beta: 1.0 };

    /// Whether values lie above this one.
    fn above(alpha: f32) -> Self {
        Self { alpha, beta: alpha + HAIR }
    }

    /// The window for the enemy (negamax).
    fn negated(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// The window one ply later, before the discount.
    fn undiscounted(self) -> Self {
        Self { alpha: self.alpha / DISCOUNT, beta: self.beta / DISCOUNT }
    }
}

/// How a search came to a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    /// Plies since the root.
    ply: u32,
    /// The action before.
    before: Action,
    /// Whether all actions so far were the best ones known (a PV node).
    is_principal: bool,
}

impl Path {
    pub(super) const ROOT: Self = Self { ply: 0, before: NONE, is_principal: true };

    /// The path one ply later.
    const fn after(self, action: Action) -> Self {
        Self { ply: self.ply + 1, before: action, ..self }
    }

    /// The path as one among many.
    const fn aside(self) -> Self {
        Self { is_principal: false, ..self }
    }
}

/// A position whose actions are to be searched.
#[derive(Clone, Copy, Debug)]
struct Node {
    horizon: Horizon,
    window: Window,
    path: Path,
    is_check: bool,
    /// The mover's lead in strength, where [`futility`] asks for it.
    lead: Option<f32>,
}

/// An action to be searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) action: Action,
    /// The expected value of what it captures.
    pub(super) gain: f32,
    /// How many outcomes it may have for all that the searcher knows.
    outcomes: u16,
    /// The highest is searched first.
    pub(super) order: f32,
}

impl Candidate {
    /// Puts those that are searched first at the front.
    pub(super) fn sort(candidates: &mut [Self]) {
        candidates.sort_by(|a, b| b.order.total_cmp(&a.order));
    }

    /// Whether it may turn up several pieces.
    pub(super) const fn has_reveals(&self) -> bool {
        self.outcomes > 1
    }

    /// Whether it captures nothing, or what is worth nothing.
    const fn is_quiet(&self) -> bool {
        self.gain < MIN_GAIN
    }
}

/// A candidate whose turn has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    pub(super) candidate: Candidate,
    /// How many came before it.
    pub(super) number: usize,
    /// Whether there are more than [`FEW`].
    pub(super) many: bool,
    /// Whether the mover is in check, gives check or ends the game.
    pub(super) is_forcing: bool,
}

impl Attempt {
    /// Whether it is unlikely to be the best: a quiet action after several others.
    const fn is_late(&self) -> bool {
        self.many && !self.is_forcing && self.number >= FULL_DEPTH && self.candidate.is_quiet()
    }
}

/// One outcome of a chance node.
#[derive(Clone, Copy, Debug)]
struct Reveal {
    event: Event,
    odds: f32,
    /// Bounds of its value for the mover.
    least: f32,
    most: f32,
}

/// Memory that searches use again.
#[derive(Debug)]
pub(super) struct Scratch {
    transpositions: TranspositionTable,
    ordering: Ordering,
    accumulator: Accumulator,
    legal: Vec<Action>,
    candidates: Vec<Vec<Candidate>>,
    reveals: Vec<Vec<Reveal>>,
}

impl Scratch {
    /// Memory with a transposition table of this size.
    pub(super) fn new(mebibytes: u32) -> Self {
        Self {
            transpositions: TranspositionTable::new(mebibytes),
            ordering: Ordering::new(),
            accumulator: Accumulator::new(),
            legal: Vec::new(),
            candidates: Vec::new(),
            reveals: Vec::new(),
        }
    }

    /// Uses the transposition table of another search, and otherwise begins anew.
    pub(super) fn join(&mut self, other: &Self, actions: usize) {
        self.transpositions = other.transpositions.clone();
        self.ordering.restart(actions);
    }

    /// The size of the transposition table in MiB.
    pub(super) const fn mebibytes(&self) -> u32 {
        self.transpositions.mebibytes()
    }

    /// Whether there was no memory for the transposition table.
    pub(super) fn has_no_table(&self) -> bool {
        self.transpositions.has_failed()
    }

    /// Forgets earlier searches. The game has this many actions.
    pub(super) fn restart(&mut self, actions: usize) {
        self.transpositions.restart();
        self.ordering.restart(actions);
    }

    /// Keeps what the last search found in the same game.
    pub(super) fn age(&mut self) {
        self.transpositions.age();
        self.ordering.age();
    }
}

/// Whether a search may leave out what hardly changes its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pruning {
    /// The value is that of the tree searched in full.
    Sound,
    /// Unpromising actions are reduced and unpromising positions left.
    Selective,
}

/// A reward as a result: 1, 0 or -1.
fn sign(reward: f32) -> f32 {
    if reward == 0.0 { 0.0 } else { reward.signum() }
}

/// One search. All odds and evaluations are those of one player, the searcher, by what it knows.
///
/// All others than its allies are assumed to play against the searcher: paranoid search (Sturtevant and
/// Korf, "On Pruning Techniques for Multi-Player Games", AAAI 2000). [`StarMinimax::line`] assumes that
/// they play for themselves.
#[derive(Debug)]
pub(super) struct StarMinimax<'a, G: Registered> {
    rules: &'a G,
    evaluation: &'a Evaluation,
    scratch: &'a mut Scratch,
    searcher: Player,
    pruning: Pruning,
    /// Whether endgame tables are asked.
    pub(super) asks_tables: bool,
    /// Whether the principal variation is searched for its value: in full where the table has an answer
    /// of a search that pruned more, and with every outcome apart.
    pub(super) is_exact: bool,
    pub(super) budget: Budget<'a>,
}

impl<'a, G: Registered> StarMinimax<'a, G> {
    pub(super) const fn new(
        rules: &'a G,
        evaluation: &'a Evaluation,
        scratch: &'a mut Scratch,
        searcher: Player,
        pruning: Pruning,
        budget: Budget<'a>,
    ) -> Self {
        let (asks_tables, is_exact) = (true, false);
        Self { rules, evaluation, scratch, searcher, pruning, asks_tables, is_exact, budget }
    }

    /// Number of players of the game.
    pub(super) fn players(&self) -> usize {
        self.rules.players()
    }

    /// Whether the value of the position itself is sought, not the best action before it.
    const fn is_sought(&self, path: Path) -> bool {
        self.is_exact && path.is_principal
    }

    /// Whether unpromising actions may be left out.
    fn is_selective(&self) -> bool {
        self.pruning == Pruning::Selective
    }

    fn view<'s>(&self, state: &'s G::State) -> G::View<'s>
    where
        'a: 's,
    {
        self.rules.view(state, Viewer::Player(self.searcher))
    }

    /// Whether the mover is the searcher or an ally of it.
    fn is_friend(&self, state: &G::State) -> bool {
        self.rules.allied(self.rules.to_move(state), self.searcher)
    }

    /// The searcher's value for the mover: negated for enemies.
    fn for_mover(&self, state: &G::State, values: &[f32]) -> f32 {
        let own = values[self.searcher];
        if self.is_friend(state) { own } else { -own }
    }

    /// The mover's value of a game that is over.
    fn terminal_value(&self, state: &G::State, outcome: &Outcome) -> f32 {
        sign(self.for_mover(state, outcome.rewards()))
    }

    /// The mover's value of a position by endgame tables: what a search to the end would find.
    fn solved_value(&self, state: &G::State) -> Option<f32> {
        if !self.asks_tables {
            return None;
        }
        let solved = self.evaluation.solved(self.rules, &self.view(state))?;
        if self.rules.ending(state).is_some() {
            return None;
        }
        Some(match solved {
            TableValue::Won(plies) => discounted(plies.into()),
            TableValue::Drawn => 0.0,
            TableValue::Lost(plies) => -discounted(plies.into()),
        })
    }

    /// Whether endgame tables call a position drawn. Then the candidates are left that keep the draw,
    /// and the search goes on without tables: to these all draws are equal, and the evaluation says
    /// which of them is hardest for the other side.
    pub(super) fn keep_draw(&mut self, state: &G::State, candidates: &mut Vec<Candidate>) -> bool {
        if self.solved_value(state) != Some(0.0) {
            return false;
        }
        let horizon = Horizon::new(1, self.rules.players());
        // Tables answer at once. A budget that ends in between would call what is left drawn.
        let budget = std::mem::replace(&mut self.budget, Budget::new(&Limits::depth(1)));
        candidates.retain(|&candidate| {
            self.candidate_value(state, candidate, horizon, Window::FULL, Path::ROOT) == 0.0
        });
        self.budget = budget;
        self.asks_tables = false;
        true
    }

    /// The static evaluation of a position, by what the searcher knows.
    pub(super) fn evaluate(&mut self, state: &G::State) -> SeatValues {
        let view = self.rules.view(state, Viewer::Player(self.searcher));
        let accumulator = &mut self.scratch.accumulator;
        self.evaluation.evaluate_next(self.rules, &view, self.searcher, accumulator)
    }

    /// The static evaluation for the mover of a game of two, which may be a bound outside the window.
    fn duel(&mut self, state: &G::State, window: Window) -> Duel {
        let view = self.rules.view(state, Viewer::Player(self.searcher));
        let Window { alpha, beta } = window;
        let accumulator = &mut self.scratch.accumulator;
        self.evaluation.duel(self.rules, &view, self.searcher, [alpha, beta], accumulator)
    }

    /// The key of a position in the transposition table.
    ///
    /// It is of the searcher's knowledge and, near a draw by counters, of the counters too: deep
    /// entries would hide the draw.
    fn key(&self, state: &G::State) -> u64 {
        /// The fraction of its limit from which a counter matters.
        const LATE: f32 = 0.5;
        /// The number of steps of a counter that keys tell apart.
        const STEPS: f32 = 32.0;
        let view = self.view(state);
        let mut counters = 0_u64;
        self.rules.each_counter(&view, |Counter { count, limit, .. }| {
            let reached = fraction_of_limit(count, limit);
            let step = if reached < LATE { 0 } else { (reached * STEPS) as u64 };
            counters = counters << 8 | step;
        });
        let facts = counters << 8 | self.searcher as u64;
        G::fingerprint(&view) ^ facts.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    /// The value of a position for its mover. Meaningless once the budget is spent.
    pub(super) fn negamax(
        &mut self,
        state: &G::State,
        mut horizon: Horizon,
        window: Window,
        path: Path,
    ) -> f32 {
        self.budget.spend();
        if self.budget.is_spent() {
            return 0.0;
        }
        if let Some(value) = self.solved_value(state) {
            return value;
        }
        let is_check = self.is_selective() && self.rules.is_check(state);
        if is_check && path.ply < MAX_EXTENDED {
            // A check extension: the answer is forced.
            horizon.depth += 1;
        }
        if horizon.depth == 0 {
            return self.quiescence(state, horizon, window, path);
        }
        if self.rules.ending(state).is_some() {
            let outcome = self.rules.outcome(state).expect("the game is over");
            return self.terminal_value(state, &outcome);
        }
        let key = self.key(state);
        let known = self.scratch.transpositions.get(key);
        if !self.is_sought(path)
            && let Some(entry) = known
            && u32::from(entry.depth) >= horizon.depth
            && match entry.bound {
                Bound::Exact => true,
                Bound::Lower => entry.value >= window.beta,
                Bound::Upper => entry.value <= window.alpha,
            }
        {
            return entry.value;
        }
        let mut node = Node { horizon, window, path, is_check, lead: None };
        node.lead = self.lead(state, &node);
        if let Some(value) = self.far_above(state, &node) {
            return value;
        }
        if let Some(outcome) = self.list(state) {
            return self.terminal_value(state, &outcome);
        }
        let candidates = self.candidates(state, known.map(|entry| entry.best), path);
        let (value, best) = self.search_actions(state, candidates, &node);
        if !self.budget.is_spent() {
            let bound = if value >= window.beta {
                Bound::Lower
            } else if value <= window.alpha {
                Bound::Upper
            } else {
                Bound::Exact
            };
            let best = best.unwrap_or(NONE);
            let depth = horizon.depth.min(u8::MAX.into()) as u8;
            self.scratch.transpositions.put(key, Entry { value, best, depth, bound });
        }
        value
    }
}

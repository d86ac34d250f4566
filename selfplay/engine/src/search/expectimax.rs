//! Expectimax: the action of the highest expected value, by iterative deepening.

use std::ops::RangeInclusive;
use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use darkqi_env::{Action, Game, Player, Registered, Rng, Visitor, game::Hidden};
use darkqi_format::{NoThreads, spawn_scoped};

use super::limits::{Budget, Limits};
use super::star_minimax::{
    Attempt, Candidate, Horizon, Line, Path, Pruning, RankedReplies, Scratch, StarMinimax,
    Variation, Window,
};
use crate::evaluation::Evaluation;
use crate::per_game::{AnyValue, PerGame};

/// Half of the first window around the value of the last depth (aspiration window).
const ASPIRATION: f32 = 0.05;

/// The least depth with an aspiration window.
const MIN_ASPIRING: u32 = 3;

/// How many actions of the root are searched beyond the first layer with more than two players: a deeper
/// one hardly ever finds a best action that the first one ranked low.
const SHORTLIST: usize = 8;

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SearchResult {
    /// The best action.
    pub action: Action,
    /// The mover's expected result, from -1 to 1. Beyond ±[`Evaluation::MOST`] the result is certain,
    /// apart from reveals on the way.
    pub value: f32,
    /// Layers that were searched completely.
    pub depth: u32,
    /// Positions searched.
    pub nodes: u64,
}

/// Alpha-beta search with exact odds at chance nodes (*-minimax), by iterative deepening with a
/// transposition table.
///
/// The search goes by what the mover knows: hidden pieces have the odds that the mover gives them,
/// and a piece that the enemy captures unseen stays unknown.
///
/// With a limit of time, or by [`Expectimax::with_memory`], the transposition table is kept from one
/// decision to the next of a game. A decision then depends on those before it. Otherwise every search
/// begins with an empty table, and its result follows from the position and the random stream.
///
/// Several threads search the same position side by side, and share the table alone: what one finds
/// saves the others work (lazy SMP, <https://www.chessprogramming.org/Lazy_SMP>). A result then
/// depends on which thread is faster.
#[derive(Debug)]
pub struct Expectimax {
    evaluation: Evaluation,
    limits: Limits,
    scratch: Scratch,
    /// The memory of each further thread.
    helpers: Vec<Scratch>,
    candidates: Vec<Candidate>,
    /// Whether the table is kept during a game, whatever the limits.
    remembers: bool,
    /// The number of the game of the last search.
    game: u64,
    /// The seat of the last decision, and the plies played before it.
    last: Option<((&'static str, usize), Player, u16)>,
    /// Why the last search had fewer threads than it was to have, and searched nothing.
    unhelped: Option<NoThreads>,
}

/// Told the result of each depth, and the exact value of a reveal, with a function that gives the
/// principal variation.
type Tell<'a> = dyn FnMut(&SearchResult, &dyn Fn() -> Variation) + 'a;

/// A pointer to [`Expectimax::search_here`].
type Search<G> = for<'v> fn(
    &mut Expectimax,
    &G,
    &<G as Hidden>::View<'v>,
    &mut Rng,
    &AtomicBool,
    &mut Tell<'_>,
) -> SearchResult;

impl Clone for Expectimax {
    /// An equal search, with memory of its own.
    fn clone(&self) -> Self {
        Self::new(self.evaluation.clone(), self.limits)
            .with_hash(self.scratch.mebibytes())
            .with_threads(self.threads())
            .with_memory(self.remembers)
    }
}

impl Expectimax {
    /// The size of the transposition table, in MiB, unless another is asked for. It is small because
    /// there may be a search for each of thousands of seats.
    pub const DEFAULT_HASH: u32 = 2;

    /// The greatest size of the table, in MiB: 64 GiB.
    pub const MAX_HASH: u32 = 1 << 16;

    /// The greatest number of threads.
    pub const MAX_THREADS: usize = 256;

    /// A search with this evaluation and these limits.
    pub fn new(evaluation: Evaluation, limits: Limits) -> Self {
        let scratch = Scratch::new(Self::DEFAULT_HASH);
        let (helpers, candidates) = (Vec::new(), Vec::new());
        let (remembers, game, last, unhelped) = (false, 0, None, None);
        Self { evaluation, limits, scratch, helpers, candidates, remembers, game, last, unhelped }
    }

    /// The search with a transposition table of this size in MiB, at least 1.
    #[must_use]
    pub fn with_hash(self, mebibytes: u32) -> Self {
        Self { scratch: Scratch::new(mebibytes), ..self }
    }

    /// The search on this many threads, at least 1.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        let helpers = (1..threads).map(|_| Scratch::new(Self::DEFAULT_HASH)).collect();
        Self { helpers, ..self }
    }

    /// The search with a table that is kept during a game even without a limit of time, or not.
    #[must_use]
    pub fn with_memory(self, remembers: bool) -> Self {
        Self { remembers, ..self }
    }

    /// Whether the last search had no transposition table, for want of memory.
    pub fn has_no_table(&self) -> bool {
        self.scratch.has_no_table()
    }

    /// Why the last search could not be made on as many threads as it was to have.
    pub const fn unhelped(&self) -> Option<&NoThreads> {
        self.unhelped.as_ref()
    }

    /// The size of the transposition table in MiB.
    pub const fn hash(&self) -> u32 {
        self.scratch.mebibytes()
    }

    /// The number of threads that search a position.
    pub const fn threads(&self) -> usize {
        1 + self.helpers.len()
    }

    /// Sets the limits of the searches to come.
    pub const fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Makes the next search begin with an empty table, as at the start of a game.
    pub const fn forget(&mut self) {
        self.last = None;
    }

    /// Makes the next searches those of the game of this number: what was kept of another one is
    /// forgotten.
    pub(crate) const fn in_game(&mut self, number: u64) {
        if self.game != number {
            self.game = number;
            self.forget();
        }
    }

    /// Prepares the memory, which is kept during a game or not.
    fn prepare<G: Game>(&mut self, rules: &G, mover: Player, ply: u16) {
        // Another game has other actions.
        let game = (G::NAME, rules.table().len());
        let goes_on = self
            .last
            .is_some_and(|(played, seat, last)| played == game && seat == mover && last <= ply);
        if (self.remembers || self.limits.time.is_some()) && goes_on {
            self.scratch.age();
        } else {
            self.scratch.restart(rules.table().len());
        }
        self.last = Some((game, mover, ply));
    }

    /// The mover's best action in a game that is not over. Ties go to the action that captures most,
    /// then to a random one.
    ///
    /// If the limits end the search before it has a value, the result is the action that captures
    /// most, with value 0.
    pub fn search<G: Registered>(
        &mut self,
        rules: &G,
        view: &G::View<'_>,
        rng: &mut Rng,
    ) -> SearchResult {
        self.search_until(rules, view, rng, &AtomicBool::new(false), &mut |_, _| {})
    }

    /// As [`Expectimax::search`], until the flag is set. `tell` gets the result of each depth as soon
    /// as it was searched completely, and a function that gives the principal variation.
    pub fn search_until<G: Registered>(
        &mut self,
        rules: &G,
        view: &G::View<'_>,
        rng: &mut Rng,
        stop: &AtomicBool,
        tell: &mut Tell<'_>,
    ) -> SearchResult {
        static SEARCH: LazyLock<PerGame> = LazyLock::new(|| PerGame::new(Pointers));
        #[derive(Clone, Copy)]
        struct Pointers;
        impl Visitor for Pointers {
            type Output = AnyValue;
            fn visit<G: Registered>(self, _: G) -> AnyValue {
                Box::new(Expectimax::search_here as Search<G>)
            }
        }
        SEARCH.get::<G, Search<G>>()(self, rules, view, rng, stop, tell)
    }

    fn search_here<G: Registered>(
        &mut self,
        rules: &G,
        view: &G::View<'_>,
        rng: &mut Rng,
        stop: &AtomicBool,
        tell: &mut Tell<'_>,
    ) -> SearchResult {
        // Any world will do: the search arranges hidden pieces as it needs them.
        let state = rules.determinize(view, rng);
        let searcher = G::view_to_move(view);
        self.prepare(rules, searcher, rules.ply(&state));
        let Self { evaluation, limits, scratch, helpers, candidates, unhelped, .. } = self;
        let threads = 1 + helpers.len();
        // Threads search about as many nodes, and those of all count.
        let nodes = limits.nodes.map(|nodes| nodes.div_ceil(threads as u64));
        let (evaluation, limits) = (&*evaluation, Limits { nodes, ..*limits });
        helpers.iter_mut().for_each(|helper| helper.join(scratch, rules.table().len()));
        let begin = |scratch, stop| {
            let budget = Budget::new(&limits).until(stop);
            StarMinimax::new(rules, evaluation, scratch, searcher, Pruning::Selective, budget)
        };
        let mut search = begin(scratch, stop);
        search.list(&state);
        candidates.clear();
        candidates.append(&mut search.candidates(&state, None, Path::ROOT));
        rng.shuffle(candidates);
        Candidate::sort(candidates);
        let is_drawn = search.keep_draw(&state, candidates);
        // A draw is one, whatever the evaluation hopes for.
        let certain = |found: SearchResult| {
            if is_drawn { SearchResult { value: 0.0, ..found } } else { found }
        };
        let mut tell = |found: &SearchResult, variation: &dyn Fn() -> Variation| {
            tell(&certain(*found), variation);
        };
        let has_ended = AtomicBool::new(false);
        thread::scope(|scope| {
            let ended = Ended(&has_ended);
            let help = |(number, helper): (u32, _)| {
                let (mut search, mut candidates) = (begin(helper, &has_ended), candidates.clone());
                let state = &state;
                search.asks_tables = !is_drawn;
                // Every second one is a layer ahead, so that they search different trees.
                let depths = 1 + number % 2..=limits.depth;
                spawn_scoped(scope, move || {
                    deepen(&mut search, state, &mut candidates, depths, &mut |_, _| {}).nodes
                })
            };
            let helpers: Result<Vec<_>, _> = (1..).zip(helpers).map(help).collect();
            // Those that were started end with the scope.
            *unhelped = helpers
                .as_ref()
                .err()
                .map(|cause: &NoThreads| NoThreads { wanted: threads, ..cause.clone() });
            let depths = 1..=if unhelped.is_none() { limits.depth } else { 0 };
            let mut found = deepen(&mut search, &state, candidates, depths, &mut tell);
            revalue(&mut search, &state, candidates, &mut found, &mut tell);
            drop(ended);
            for helper in helpers.into_iter().flatten() {
                found.nodes += helper.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
            certain(found)
        })
    }
}

/// Stops the helpers of a search when it is dropped, also by a panic: the scope would wait for them.
struct Ended<'a>(&'a AtomicBool);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Searches all actions of the root to one depth after the other.
fn deepen<G: Registered>(
    search: &mut StarMinimax<'_, G>,
    state: &G::State,
    candidates: &mut [Candidate],
    depths: RangeInclusive<u32>,
    tell: &mut Tell<'_>,
) -> SearchResult {
    let mut found = SearchResult { action: candidates[0].action, value: 0.0, depth: 0, nodes: 0 };
    let (mut listed, deepest) = (candidates.len(), *depths.end());
    let has_third_parties = search.has_third_parties();
    let last = if has_third_parties { deepest.min(1) } else { deepest };
    for depth in *depths.start()..=last {
        let horizon = Horizon::new(depth, search.players());
        let mut window = Window::FULL;
        if depth >= MIN_ASPIRING {
            window.alpha = (found.value - ASPIRATION).max(window.alpha);
            window.beta = (found.value + ASPIRATION).min(window.beta);
        }
        let mut layer = if depth == 1 && deepest > 1 && search.players() > 2 {
            let layer = shortlist(search, state, candidates, horizon);
            listed = listed.min(SHORTLIST);
            layer
        } else {
            search_layer(search, state, &mut candidates[..listed], horizon, window)
        };
        // Outside the window the value is a bound. The full window costs the same table lookups.
        while !search.budget.is_spent()
            && let Some(value) = layer
            && (value <= window.alpha && window.alpha > Window::FULL.alpha
                || value >= window.beta && window.beta < Window::FULL.beta)
        {
            if value <= window.alpha {
                window.alpha = Window::FULL.alpha;
            } else {
                found.action = candidates[0].action;
                window.beta = Window::FULL.beta;
            }
            layer = search_layer(search, state, &mut candidates[..listed], horizon, window);
        }
        if let Some(value) = layer
            && value > window.alpha
        {
            found.action = candidates[0].action;
            found.value = value;
        }
        if search.budget.is_spent() {
            break;
        }
        found.depth = depth;
        found.nodes = search.budget.nodes();
        tell(&found, &|| search.variation(state, found.action, horizon));
        // Stop only at a certain result: a deeper search may replace a gamble by a certain win.
        if found.value.abs() >= horizon.least_certain() {
            break;
        }
    }
    if has_third_parties && found.value.abs() <= Evaluation::MOST {
        let deepest = deepest.min(1 + search.players() as u32);
        deepen_lines(search, state, &mut candidates[..listed], deepest, &mut found, tell);
    }
    found.nodes = search.budget.nodes();
    found
}

/// Values the actions of the root by what follows if enemies play for themselves, by one reply more at
/// each depth.
fn deepen_lines<G: Registered>(
    search: &mut StarMinimax<'_, G>,
    state: &G::State,
    candidates: &mut [Candidate],
    deepest: u32,
    found: &mut SearchResult,
    tell: &mut Tell<'_>,
) {
    for depth in 2..=deepest {
        let line = best_line(search, state, candidates, depth - 1);
        if let Some(line) = &line {
            (found.action, found.value) = (candidates[0].action, line.value);
        }
        let Some(line) = line.filter(|_| !search.budget.is_spent()) else { return };
        (found.depth, found.nodes) = (depth, search.budget.nodes());
        tell(found, &|| line.variation.clone());
    }
}

/// Values the actions of the root after this many replies, and puts the best one first. `None` if not
/// even one was valued.
fn best_line<G: Registered>(
    search: &mut StarMinimax<'_, G>,
    state: &G::State,
    candidates: &mut [Candidate],
    replies: u32,
) -> Option<Line> {
    let mut ranked = RankedReplies::new();
    let mut best: Option<(usize, Line)> = None;
    for (number, &candidate) in candidates.iter().enumerate() {
        let line = search.line(state, candidate, replies, &mut ranked);
        if search.budget.is_spent() {
            break;
        }
        if best.as_ref().is_none_or(|(_, best)| line.value > best.value) {
            best = Some((number, line));
        }
    }
    let (number, line) = best?;
    candidates[..=number].rotate_right(1);
    Some(line)
}

/// Searches the chosen action once more for its value, if it may turn up several pieces: the mean over
/// all of them, each searched as far as before, within as many nodes as were searched.
///
/// The search that chose it rates reveals too high. It takes values from table entries of searches that
/// pruned more, and merges outcomes of about the same value.
fn revalue<G: Registered>(
    search: &mut StarMinimax<'_, G>,
    state: &G::State,
    candidates: &[Candidate],
    found: &mut SearchResult,
    tell: &mut Tell<'_>,
) {
    let is_chosen = |candidate: &&Candidate| candidate.action == found.action;
    let chosen = candidates.iter().find(is_chosen);
    let Some(&chosen) = chosen.filter(|chosen| chosen.has_reveals() && found.depth > 0) else {
        return;
    };
    search.is_exact = true;
    search.budget = search.budget.again();
    let horizon = Horizon::new(found.depth, search.players());
    let value = search.candidate_value(state, chosen, horizon, Window::FULL, Path::ROOT);
    found.nodes += search.budget.nodes();
    if !search.budget.is_spent() {
        found.value = value;
        tell(found, &|| search.variation(state, found.action, horizon));
    }
}

/// Searches all actions of the root and puts the best [`SHORTLIST`] first, the best of all before the
/// others. The highest value; `None` if not even one was found.
fn shortlist<G: Registered>(
    search: &mut StarMinimax<'_, G>,
    state: &G::State,
    candidates: &mut [Candidate],
    horizon: Horizon,
) -> Option<f32> {
    let mut window = Window::FULL;
    let mut highest = None;
    for number in 0..candidates.len() {
        let candidate = candidates[number];
        // One that might be among the first is searched for its exact value.
        let attempt = Attempt {
            candidate,
            number: number.saturating_sub(SHORTLIST - 1),
            many: false,
            is_forcing: false,
        };
        let after = search.only_outcome(state, candidate);
        let value =
            search.search_action(state, after.as_ref(), attempt, horizon, window, Path::ROOT);
        if search.budget.is_spent() {
            break;
        }
        candidates[number].order = value;
        let better = candidates[..number.min(SHORTLIST)].partition_point(|c| c.order >= value);
        if better < SHORTLIST {
            candidates[better..=number].rotate_right(1);
        }
        if let Some(last) = candidates[..=number].get(SHORTLIST - 1) {
            window.alpha = last.order;
        }
        highest = Some(candidates[0].order);
    }
    highest
}

/// Searches all actions of the root and puts the best one first; the others keep their order. The
/// highest value, which is a bound if it lies outside the window; `None` if not even one was found.
fn search_layer<G: Registered>(
    search: &mut StarMinimax<'_, G>,
    state: &G::State,
    candidates: &mut [Candidate],
    horizon: Horizon,
    mut window: Window,
) -> Option<f32> {
    let mut best = None;
    let mut highest = None;
    for (number, &candidate) in candidates.iter().enumerate() {
        // Every action of the root is searched in full.
        let attempt = Attempt { candidate, number, many: false, is_forcing: false };
        let after = search.only_outcome(state, candidate);
        let value =
            search.search_action(state, after.as_ref(), attempt, horizon, window, Path::ROOT);
        if search.budget.is_spent() {
            break;
        }
        if highest.is_none_or(|highest| value > highest) {
            highest = Some(value);
        }
        if best.is_none() || value > window.alpha {
            best = Some(number);
            window.alpha = window.alpha.max(value);
            if value >= window.beta {
                break;
            }
        }
    }
    candidates[..=best?].rotate_right(1);
    highest
}

#[cfg(test)]
mod tests;

//! Cut-offs change no value: the search is compared with plain expectiminimax without cut-offs.

use darkqi_env::game::{GameExt, texts};
use darkqi_env::{Action, Options, Registered, Rng, Stream, Value, Visitor, games};

use super::{DISCOUNT, Horizon, MIN_GAIN, Path, Pruning, Scratch, StarMinimax, Window};
use crate::evaluation::Evaluation;
use crate::search::limits::{Budget, Limits};

/// Tolerance for sums of single-precision numbers in a different order.
const ROUNDING: f32 = 1e-5;

impl<G: Registered> StarMinimax<'_, G> {
    /// The value of a position by its definition, from all positions below it.
    fn plain_value(&mut self, state: &G::State, horizon: Horizon) -> f32 {
        if let Some(outcome) = self.list(state) {
            return self.terminal_value(state, &outcome);
        }
        let candidates = self.candidates(state, None, Path::ROOT);
        let mut value = f32::NEG_INFINITY;
        if horizon.depth == 0 {
            let values = self.evaluate(state);
            value = self.for_mover(state, &values);
            if horizon.quiescence == 0 {
                return value;
            }
        }
        let is_among_enemies = |search: &Self, action| {
            search.rules.players() > 2
                && !search.is_friend(state)
                && !search.is_taken_from_friends(&search.view(state), action)
        };
        for candidate in candidates {
            let is_capture = candidate.gain >= MIN_GAIN && candidate.outcomes == 1;
            if horizon.depth > 0 || is_capture && !is_among_enemies(self, candidate.action) {
                value = value.max(self.plain_action_value(state, candidate.action, horizon));
            }
        }
        value
    }

    fn plain_action_value(&mut self, state: &G::State, action: Action, horizon: Horizon) -> f32 {
        let mut events = Vec::new();
        let view = self.view(state);
        self.rules.each_reveal(&view, action, |event, odds| events.push((event, odds as f32)));
        let layers = if events.len() > 1 { 2 } else { 1 };
        let mut sum = 0.0;
        for (event, odds) in events {
            let after = self.after_reveal(state, action, &event);
            let value = DISCOUNT * self.plain_value(&after, horizon.after(layers));
            let is_same = self.is_friend(state) == self.is_friend(&after);
            sum += odds * if is_same { value } else { -value };
        }
        sum
    }
}

/// Compares both values at every `plies`-th ply of random games.
struct Compare {
    depth: u32,
    games: u64,
    plies: usize,
}

impl Visitor for Compare {
    type Output = usize;

    fn visit<G: Registered>(self, rules: G) -> usize {
        let evaluation = Evaluation::built_in::<G>();
        let mut scratch = Scratch::new(1);
        let mut compared = 0;
        each_position(&rules, self.games, self.plies, |state| {
            compare(&rules, &evaluation, &mut scratch, state, self.depth);
            compared += 1;
        });
        compared
    }
}

/// Visits random games, a position every `plies` plies.
fn each_position<G: Registered>(
    rules: &G,
    games: u64,
    plies: usize,
    mut visit: impl FnMut(&G::State),
) {
    for seed in 0..games {
        let mut rng = Rng::new(seed, Stream::Sample);
        let mut state = rules.deal(&mut Rng::new(seed, Stream::Deal));
        for ply in 1.. {
            if rules.outcome(&state).is_some() {
                break;
            }
            if ply % plies == 0 {
                visit(&state);
            }
            let legal = rules.actions(&state);
            rules.play(&mut state, *rng.choose(&legal));
        }
    }
}

fn compare<G: Registered>(
    rules: &G,
    evaluation: &Evaluation,
    scratch: &mut Scratch,
    state: &G::State,
    depth: u32,
) {
    let searcher = rules.to_move(state);
    let budget = Budget::new(&Limits::depth(depth));
    scratch.restart(rules.table().len());
    let mut search = StarMinimax::new(rules, evaluation, scratch, searcher, Pruning::Sound, budget);
    let horizon = Horizon::new(depth, rules.players());
    let plain = search.plain_value(state, horizon);
    let value = search.negamax(state, horizon, Window::FULL, Path::ROOT);
    assert!((value - plain).abs() < ROUNDING, "{value}, {plain}: {}", rules.fen(state));
    // For any window the search returns the value or a bound of it.
    for (alpha, beta) in
        [(plain - 0.3, plain - 0.1), (plain - 0.01, plain + 0.01), (plain + 0.1, 1.0)]
    {
        scratch.restart(rules.table().len());
        let search = StarMinimax::new(rules, evaluation, scratch, searcher, Pruning::Sound, budget);
        let found = { search }.negamax(state, horizon, Window { alpha, beta }, Path::ROOT);
        let holds = if found >= beta {
            plain >= found - ROUNDING
        } else if found <= alpha {
            plain <= found + ROUNDING
        } else {
            (found - plain).abs() < ROUNDING
        };
        assert!(holds, "{found} within {alpha} and {beta}, {plain}: {}", rules.fen(state));
    }
}

#[test]
fn cut_offs_change_no_value() {
    for (game, depth, games, plies) in [
        ("banqi", 2, 2, 47),
        ("gaiqi", 1, 2, 11),
        ("gaiqi", 2, 2, 53),
        ("jieqi", 1, 2, 37),
        ("mystery", 1, 1, 37),
        ("flipping", 2, 2, 17),
        ("seven_kingdoms", 1, 1, 200),
    ] {
        let compared =
            games::with(game, &Options::new(), Compare { depth, games, plies }).expect(game);
        assert!(compared > 0, "{game}: the games are too short to compare anything");
    }
}

#[test]
fn cut_offs_change_no_value_where_turns_have_several_actions() {
    for (game, covered_captures) in
        [("banqi", "attempt"), ("gaiqi", "attempt"), ("banqi", "always")]
    {
        let options = texts(&[
            ("chain", "on"),
            ("flips", "2"),
            ("covered_captures", covered_captures),
            ("board", "4x4"),
            ("army.P", "1"),
            ("army.E", "0"),
            ("army.H", "1"),
            ("army.R", "1"),
        ]);
        let compared = games::with(game, &options, Compare { depth: 2, games: 6, plies: 5 });
        assert!(compared.expect(game) > 0, "{game}: the games are too short to compare anything");
    }
}

/// The values of the search that plays, less those of the full tree, at every seventh ply of random games.
struct Deviations {
    depth: u32,
    games: u64,
}

impl Visitor for Deviations {
    type Output = Vec<f32>;

    fn visit<G: Registered>(self, rules: G) -> Vec<f32> {
        let evaluation = Evaluation::built_in::<G>();
        let mut scratch = Scratch::new(1);
        let mut deviations = Vec::new();
        let horizon = Horizon::new(self.depth, rules.players());
        each_position(&rules, self.games, 7, |state| {
            let mut value =
                |pruning| {
                    scratch.restart(rules.table().len());
                    let budget = Budget::new(&Limits::depth(self.depth));
                    let (scratch, searcher) = (&mut scratch, rules.to_move(state));
                    StarMinimax::new(&rules, &evaluation, scratch, searcher, pruning, budget)
                        .negamax(state, horizon, Window::FULL, Path::ROOT)
                };
            deviations.push(value(Pruning::Selective) - value(Pruning::Sound));
        });
        deviations
    }
}

#[test]
fn the_search_that_plays_comes_near_the_full_tree() {
    for (game, depth, games) in
        [("banqi", 2, 4), ("gaiqi", 2, 8), ("jieqi", 1, 8), ("mystery", 1, 8), ("flipping", 3, 8)]
    {
        let found = games::with(game, &Options::new(), Deviations { depth, games }).expect(game);
        let mean = |value: fn(f32) -> f32| {
            found.iter().copied().map(value).sum::<f32>() / found.len() as f32
        };
        let (bias, deviation) = (mean(|value| value), mean(f32::abs));
        assert!(found.len() > 20, "{game}: {} positions", found.len());
        assert!(bias.abs() < 0.04 && deviation < 0.06, "{game}: {bias}, {deviation}");
    }
}

/// Compares both values in one position.
struct CompareAt<'a> {
    fen: &'a str,
    depth: u32,
}

impl Visitor for CompareAt<'_> {
    type Output = ();

    fn visit<G: Registered>(self, rules: G) {
        let state = rules.parse_fen(self.fen).expect(self.fen);
        compare(&rules, &Evaluation::built_in::<G>(), &mut Scratch::new(1), &state, self.depth);
    }
}

#[test]
fn cut_offs_change_no_value_where_replies_to_reveals_are_searched() {
    for (game, fen, depth) in [
        ("gaiqi", "K1~r~P4/2c2R2/3~h~p3/6k1 1 r - 0 0 -", 3),
        ("gaiqi", "1~r~P5/2k2R2/3K4/8 2 r - 0 0 -", 4),
        ("banqi", "K1~r~P4/2c2R2/3~h~p3/6k1 1 r - 0 0", 3),
        ("banqi", "8/2~k2R2/3~h~P3/8 1 r - 0 0", 4),
        ("jieqi", "~r3k4/9/9/9/5R3/9/8~C/9/9/3K1~H3 w - 0 0", 3),
        ("jieqi", "~p2k5/9/9/9/9/4P4/9/9/9/4K3~R b - 0 0", 4),
        ("mystery", "3k4~p/9/9/9/4c4/9/~R8/9/9/4K1~P2 b - 0,0,0 0", 3),
    ] {
        games::with(game, &Options::new(), CompareAt { fen, depth }).expect(game);
    }
}

#[test]
fn cut_offs_change_no_value_with_more_than_two_kingdoms() {
    // Three sides, two teams in two orders, and one seat with two kingdoms that move in turn.
    for (seats, teams) in [("0-1-2--", ""), ("0-1-2--", "AAB"), ("0-1-2--", "ABA"), ("0-0-1--", "")]
    {
        for (needed, mover) in [("1", 'g'), ("2", 'g'), ("2", 'w'), ("2", 'o')] {
            let options = texts(&[
                ("seats", seats),
                ("teams", teams),
                ("kingdoms_to_win", needed),
                ("loss_limit", "1"),
            ]);
            let fen = format!(
                "19/19/19/19/19/19/19/19/19/9*9/19/19/19/oQwAoAwAgA14/wS1oSwCgQ14/1oAoSgCgS14/\
                 oCwQgAwSgS14/19/19 {mover} - - 0 0"
            );
            games::with("seven_kingdoms", &options, CompareAt { fen: &fen, depth: 2 })
                .unwrap_or_else(|error| panic!("{seats} {teams}: {error}"));
        }
    }
}

struct HasThirdParties;

impl Visitor for HasThirdParties {
    type Output = bool;

    fn visit<G: Registered>(self, rules: G) -> bool {
        let evaluation = Evaluation::built_in::<G>();
        let (scratch, budget) = (&mut Scratch::new(1), Budget::new(&Limits::depth(1)));
        let has = |seat| {
            StarMinimax::new(&rules, &evaluation, scratch, seat, Pruning::Selective, budget)
                .has_third_parties()
        };
        let found: Vec<bool> = (0..rules.players()).map(has).collect();
        assert!(found.iter().all(|has| *has == found[0]), "{found:?}");
        found[0]
    }
}

#[test]
fn third_parties_are_those_of_more_than_two_teams() {
    for (seats, teams, expected) in [
        ("0123456", "", true),
        ("0-1-2--", "", true),
        ("0-1-2--", "ABA", false),
        ("0123012", "ABCA", true),
        ("0101010", "", false),
    ] {
        let options = texts(&[("seats", seats), ("teams", teams)]);
        let found = games::with("seven_kingdoms", &options, HasThirdParties);
        assert_eq!(found.expect("valid options"), expected, "{seats} {teams}");
    }
}

/// The value of quiescence search in a position, by the search that plays.
struct Quiescence<'a>(&'a str);

impl Visitor for Quiescence<'_> {
    type Output = f32;

    fn visit<G: Registered>(self, rules: G) -> f32 {
        let state = rules.parse_fen(self.0).expect(self.0);
        let evaluation = Evaluation::built_in::<G>();
        let mut scratch = Scratch::new(1);
        scratch.restart(rules.table().len());
        let budget = Budget::new(&Limits::depth(1));
        let (searcher, pruning) = (rules.to_move(&state), Pruning::Selective);
        let mut search =
            StarMinimax::new(&rules, &evaluation, &mut scratch, searcher, pruning, budget);
        let horizon = Horizon::new(0, rules.players());
        let window = Window { alpha: 0.5, beta: 1.0 };
        search.quiescence(&state, horizon, window, Path::ROOT)
    }
}

#[test]
fn a_capture_is_worth_what_it_is_after_the_counter_is_set_back() {
    // Near the limit of 60 all results fade, but that of the capture.
    for (game, fen) in [
        ("gaiqi", "8/8/4k3/Rc2R3 1 r - 57 80 -"),
        ("jieqi", "1r1k5/9/9/9/9/9/9/9/9/1R2K4 w - 78 120"),
    ] {
        let found = games::with(game, &Options::new(), Quiescence(fen)).expect(game);
        assert!(found > 0.5, "{game}: {found}");
    }
}

/// The nodes of the search that plays, three layers deep, for each of some bounds that a value may exceed.
struct Nodes<'a> {
    fen: &'a str,
    bounds: &'a [f32],
}

impl Visitor for Nodes<'_> {
    type Output = Vec<u64>;

    fn visit<G: Registered>(self, rules: G) -> Vec<u64> {
        let state = rules.parse_fen(self.fen).expect(self.fen);
        let (evaluation, mut scratch) = (Evaluation::built_in::<G>(), Scratch::new(1));
        let (searcher, horizon) = (rules.to_move(&state), Horizon::new(3, rules.players()));
        let mut nodes = |&bound: &f32| {
            scratch.restart(rules.table().len());
            let (scratch, budget) = (&mut scratch, Budget::new(&Limits::depth(3)));
            let pruning = Pruning::Selective;
            let mut search =
                StarMinimax::new(&rules, &evaluation, scratch, searcher, pruning, budget);
            search.negamax(&state, horizon, Window::above(bound), Path::ROOT.aside());
            search.budget.nodes()
        };
        self.bounds.iter().map(&mut nodes).collect()
    }
}

#[test]
fn what_is_far_outside_the_window_is_not_searched() {
    // A chariot ahead, without a check or a capture at once.
    let fen = "2fkfe1/2sss2/7/7/7/2SSS2/1EFKFE1 w 0 0";
    let bounds = [-0.5, 0.3, 0.85];
    let found = games::with("flipping", &Options::new(), Nodes { fen, bounds: &bounds });
    let [below, within, above] = found.expect(fen)[..] else { panic!("one for each bound") };
    assert_eq!(below, 1);
    assert!(above < within / 4, "{above}, {within}");
}

/// The key of a position in the transposition table.
struct Key<'a>(&'a str);

impl Visitor for Key<'_> {
    type Output = u64;

    fn visit<G: Registered>(self, rules: G) -> u64 {
        let state = rules.parse_fen(self.0).expect(self.0);
        let (evaluation, mut scratch) = (Evaluation::built_in::<G>(), Scratch::new(1));
        let budget = Budget::new(&Limits::depth(1));
        let pruning = Pruning::Selective;
        StarMinimax::new(&rules, &evaluation, &mut scratch, 0, pruning, budget).key(&state)
    }
}

#[test]
fn positions_near_different_limits_are_different() {
    let options = Options::from([("max_plies".to_owned(), Value::Int(200))]);
    let key = |quiet: u32, ply: u32| {
        let fen = format!("3k5/9/9/9/9/9/9/9/9/1R2K4 w - {quiet} {ply}");
        games::with("jieqi", &options, Key(&fen)).expect("they are rules of jieqi")
    };
    assert_eq!(key(8, 20), key(30, 60));
    // Of 80 plies without capture and of 200 in all.
    let keys = [key(8, 20), key(70, 80), key(70, 180), key(8, 180), key(78, 180)];
    for (number, one) in keys.iter().enumerate() {
        assert!(!keys[..number].contains(one), "position {number}");
    }
}

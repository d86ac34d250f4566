//! The history of positions, which decides repetitions: what a FEN leaves out, recorded and restored.

use darkqi_env::{
    AnyState, Options, Registered, Session, Value, Viewer, Visitor,
    game::{GameExt, configure},
    games,
};
use darkqi_tests::arbitrary::designs;
use darkqi_tests::duel::way_back;
use darkqi_tests::test_rng;

/// Games per setting, and the plies of each at most.
const GAMES: u64 = 30;
const PLIES: usize = 400;

/// Designs of each game, which share the games.
const DESIGNS: u64 = 30;

/// Long games: with `repetition` or without, and limits that come late.
fn long(name: &str, repetition: bool) -> Options {
    struct Limits(bool);
    impl Visitor for Limits {
        type Output = Options;
        fn visit<G: Registered>(self, _: G) -> Options {
            let value = |option: &str| match option {
                "repetition" => Some(Value::Bool(self.0)),
                "quiet_limit" => Some(Value::Int(0)),
                _ => None,
            };
            let options = G::options().iter().map(|option| option.name);
            options.filter_map(|name| Some((name.to_owned(), value(name)?))).collect()
        }
    }
    games::with(name, &Options::new(), Limits(repetition)).expect("the game exists")
}

/// Long games of designs.
fn long_designs(repetition: bool) -> impl Iterator<Item = (&'static str, Options)> {
    designs(DESIGNS).map(move |(name, mut options)| {
        options.remove("max_plies");
        options.extend(long(name, repetition));
        (name, options)
    })
}

fn games<G: Registered>(rules: &G) -> u64 {
    if rules.designed_by().is_some() { GAMES / DESIGNS } else { GAMES }
}

/// Plays random plies, which often go back the way that the seat's last one came, so that positions
/// recur.
fn play<G: Registered>(rules: G, seed: u64, mut visit: impl FnMut(&Session<G>)) {
    let mut session = Session::deal(rules, seed);
    let mut rng = test_rng(seed);
    let mut steps: Vec<Option<String>> = vec![None; session.rules().players()];
    for _ in 0..PLIES {
        visit(&session);
        let legal = session.legal_actions();
        if legal.is_empty() {
            return;
        }
        let seat = session.current_player();
        let back = steps[seat].as_deref().and_then(way_back);
        let back = back.and_then(|name| session.action_index(&name).ok());
        let action = match back.filter(|action| legal.contains(action)) {
            Some(action) if rng.below(8) > 0 => action,
            _ => *rng.choose(legal),
        };
        steps[seat] = Some(session.action_name(action));
        session.play(action);
    }
}

#[test]
fn a_state_with_its_history_goes_on_as_the_one_that_was_recorded() {
    struct Restored;
    impl Visitor for Restored {
        type Output = u32;
        fn visit<G: Registered>(self, rules: G) -> u32 {
            let mut by_repetition = 0;
            for seed in 0..games(&rules) {
                let mut restored: Option<Session<G>> = None;
                play(rules.clone(), seed, |session| {
                    let state = session.state();
                    // Each costs as much as the game before it.
                    let outcome = rules.outcome(state);
                    if rules.ply(state) % 8 != 0 && outcome.is_none() {
                        return;
                    }
                    let history = rules.history(state);
                    let history = history.expect("the rules keep one");
                    let fen = rules.fen(state);
                    let again = Session::from_history(rules.clone(), &fen, &history);
                    let again = again.expect("the history leads to the position");
                    assert_eq!(rules.history(again.state()), Some(history));
                    assert_eq!(rules.outcome(again.state()), outcome, "{fen}");
                    let read = rules.parse_fen(&fen).expect("it was written");
                    let is_by_repetition = rules.outcome(&read) != outcome;
                    by_repetition += u32::from(is_by_repetition);
                    // A search takes neither position for the other.
                    let key = |state| G::fingerprint(&rules.view(state, Viewer::Public));
                    assert!(!is_by_repetition || key(&read) != key(state), "{fen}");
                    restored = Some(again);
                });
                assert!(restored.is_some());
            }
            by_repetition
        }
    }
    for name in games::names() {
        let options = long(name, true);
        if !options.contains_key("repetition") {
            continue;
        }
        let by_repetition = games::with(name, &options, Restored).expect("the options exist");
        // In flipping only perpetual checks count.
        assert!(by_repetition > 0 || *name == "flipping", "{name}: nothing recurred");
    }
    let designs = long_designs(true);
    let by_repetition: u32 = designs
        .map(|(name, options)| games::with(name, &options, Restored).expect("they are valid"))
        .sum();
    assert!(by_repetition > 10, "{by_repetition} games of designs recurred");
}

#[test]
fn reversible_plies_lead_from_the_position_before_them() {
    struct Unwound;
    impl Visitor for Unwound {
        type Output = usize;
        fn visit<G: Registered>(self, rules: G) -> usize {
            let mut longest = 0;
            for seed in 0..games(&rules) {
                play(rules.clone(), seed, |session| {
                    let state = session.state();
                    if rules.ply(state) % 8 != 0 {
                        return;
                    }
                    let (start, plies) = rules.unwound(state);
                    let fen = rules.fen(&start);
                    let replayed = plies.iter().fold(start, |mut replayed, ply| {
                        let size = rules.table().size();
                        let name = size.name(ply.from()) + &size.name(ply.to());
                        let legal = rules.actions(&replayed);
                        let perspective = rules.perspective(rules.to_move(&replayed));
                        let action = rules.table().parse(&name, perspective).expect("a step");
                        assert!(legal.contains(&action), "{name} in {fen}");
                        rules.play(&mut replayed, action);
                        replayed
                    });
                    assert!(replayed == *state, "{fen}");
                    longest = longest.max(plies.len());
                });
            }
            longest
        }
    }
    for name in ["jieqi", "mystery", "flipping"] {
        let longest = games::with(name, &long(name, true), Unwound).expect("the options exist");
        assert!(longest > 8, "{name}: {longest} plies");
    }
    let designs = long_designs(true);
    let unwound =
        |(name, options): (_, Options)| games::with(name, &options, Unwound).expect("valid");
    let longest = designs.map(unwound).max();
    assert!(longest > Some(0), "{longest:?}");
}

#[test]
fn nothing_is_recorded_where_no_rule_asks_for_it() {
    struct Recorded;
    impl Visitor for Recorded {
        type Output = usize;
        fn visit<G: Registered>(self, rules: G) -> usize {
            let asking: G = configure(&long(G::NAME, true)).expect("the options exist");
            let mut plies = 0;
            for seed in 0..GAMES {
                play(rules.clone(), seed, |session| {
                    assert!(rules.history(session.state()).is_none());
                    let recorded = asking.history(session.state()).expect("the rules keep one");
                    assert_eq!(recorded.plies(), 0);
                    plies += 1;
                });
            }
            plies
        }
    }
    for name in games::names() {
        let options = long(name, false);
        if options.contains_key("repetition") {
            let plies = games::with(name, &options, Recorded).expect("the options exist");
            assert!(plies > 1000, "{name}: {plies} plies");
        }
    }
}

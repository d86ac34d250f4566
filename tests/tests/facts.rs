//! The facts that games declare, compared with random games.

use std::collections::BTreeSet;

use darkqi_env::{Action, AnyState, Army, Hides, Options, Spec, Viewer, games};
use darkqi_tests::{options, test_rng};

/// Random games per setting.
const GAMES: u64 = 12;

/// Options that change a fact.
const SETTINGS: &[(&str, &[(&str, &str)])] = &[
    ("jieqi", &[("captured", "public")]),
    ("mystery", &[("captured", "public")]),
    ("seven_kingdoms", &[("seats", "01-0122"), ("teams", "GAG")]),
    ("seven_kingdoms", &[("seats", "0101010")]),
];

/// What the random games showed.
#[derive(Default)]
struct Seen {
    deals: BTreeSet<String>,
    /// Whether the outcomes of one action included pieces of two kinds, or of two armies.
    kind_was_hidden: bool,
    army_was_hidden: bool,
    covered_piece_moved: bool,
    capture_was_secret: bool,
    seats: BTreeSet<usize>,
    plies: u16,
}

impl Seen {
    fn of(game: &str, options: &Options) -> Self {
        let mut seen = Self::default();
        for seed in 0..GAMES {
            let mut state = darkqi_env::deal(game, options, seed).expect("it can be dealt");
            seen.deals.insert(state.fen());
            let mut rng = test_rng(seed);
            while state.outcome().is_none() {
                let legal = state.legal_actions();
                let action = legal[rng.below(legal.len() as u32) as usize];
                seen.look(&*state, action);
                state.apply(action).expect("it is legal");
            }
            seen.plies = seen.plies.max(state.ply());
        }
        seen
    }

    fn look(&mut self, state: &dyn AnyState, action: Action) {
        self.seats.insert(state.current_player());
        let spec = state.spec();
        let reveals = state.reveals(action).expect("it is legal");
        let revealed: Vec<&String> =
            reveals.iter().filter_map(|one| one.revealed.as_ref()).collect();
        let armies: BTreeSet<_> = revealed.iter().map(|name| army_of(&spec, name)).collect();
        let kinds: BTreeSet<_> = revealed.iter().map(|name| name.to_ascii_uppercase()).collect();
        self.kind_was_hidden |= kinds.len() > 1;
        self.army_was_hidden |= armies.len() > 1;
        let squares = state.action_name(action).chars().filter(char::is_ascii_alphabetic).count();
        self.covered_piece_moved |= squares == 2 && !revealed.is_empty();
        let event = state.event(action, Viewer::Public).expect("it is legal");
        self.capture_was_secret |= event.captured_covered && event.captured.is_none();
    }
}

/// The army that has a piece of this name.
fn army_of(spec: &Spec, name: &str) -> &'static str {
    let has = |army: &&Army| spec.kinds.iter().any(|&kind| army.piece_name(kind) == name);
    let mut armies = spec.armies.iter().filter(has);
    let army = armies.next().unwrap_or_else(|| panic!("{}: no army has {name}", spec.name));
    assert!(armies.next().is_none(), "{}: two armies have {name}", spec.name);
    army.name
}

fn check(game: &str, options: &Options) {
    let spec = Spec::new(game, options).expect("the game exists");
    let seen = Seen::of(game, options);
    let hides = match (seen.kind_was_hidden, seen.army_was_hidden) {
        (_, true) => Hides::KindAndArmy,
        (true, false) => Hides::Kind,
        (false, false) => Hides::Nothing,
    };
    assert_eq!(spec.hides, hides, "{game}");
    assert_eq!(spec.deals_vary, seen.deals.len() > 1, "{game}");
    assert_eq!(spec.covered_pieces_move, seen.covered_piece_moved, "{game}");
    assert_eq!(spec.captures_are_secret, seen.capture_was_secret, "{game}");
    assert!(spec.player_range.contains(&spec.num_players), "{game}");
    assert_eq!(seen.seats.len(), spec.num_players, "{game}");
    assert!(seen.plies <= spec.max_plies, "{game}");
}

#[test]
fn declared_facts_show_in_play() {
    for game in games::names() {
        check(game, &Options::new());
    }
    for (game, pairs) in SETTINGS {
        check(game, &options(pairs));
    }
}

#[test]
fn teams_are_numbered_by_their_first_seats() {
    let teams = |game, pairs| Spec::new(game, &options(pairs)).expect("the game exists").teams;
    assert_eq!(teams("jieqi", &[]), [0, 1]);
    assert_eq!(teams("seven_kingdoms", &[]), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(teams("seven_kingdoms", &[("seats", "01-0122"), ("teams", "GAG")]), [0, 1, 0]);
}

#[test]
fn the_ply_limit_is_the_one_in_force() {
    for game in games::names() {
        let limited = options(&[("max_plies", "9")]);
        assert_eq!(Spec::new(game, &limited).expect("the game exists").max_plies, 9, "{game}");
        assert_eq!(Seen::of(game, &limited).plies, 9, "{game}");
    }
}

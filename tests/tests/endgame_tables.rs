//! The endgame tables of `darkqi tables`: compared with the solver of `src/endgame`, which shares no
//! code with them, and asked by the search.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use darkqi_engine::agent::NEVER;
use darkqi_engine::agents::AgentSpec;
use darkqi_engine::tables::{GeneratedTables, TableValue, Tables, TablesOfSize, generate_tables};
use darkqi_env::games::banqi::Banqi;
use darkqi_env::{AnyState, Hidden, Session, Viewer};
use darkqi_tests::ask::choose;
use darkqi_tests::endgame::{Book, Material, Position, Rules, Table, Value};
use darkqi_tests::{folder, options, test_rng};
use rayon::prelude::*;
use serde::Deserialize;
use tempfile::TempDir;

/// Every pair of options that decide who captures whom.
const SETTINGS: [&[(&str, &str)]; 4] = [
    &[],
    &[("ranking", "hongkong")],
    &[("cannon", "jump")],
    &[("ranking", "hongkong"), ("cannon", "jump")],
];

/// Sets of up to this many pieces are compared position by position.
const SMALL: usize = 3;

/// Positions of each set that are compared.
const SAMPLES: usize = 150;

fn rules(settings: &[(&str, &str)]) -> Banqi {
    darkqi_env::configure(&options(settings)).expect("the options exist")
}

fn generate(settings: &[(&str, &str)], pieces: usize, dir: &Path) -> GeneratedTables {
    generate_tables(&rules(settings), pieces, dir, &NEVER).expect("they can be solved and written")
}

/// The folder of the tables of up to three pieces under the default rules.
static DEFAULTS: LazyLock<TempDir> = LazyLock::new(|| {
    let dir = tempfile::tempdir().expect("a folder can be made");
    generate(&[], SMALL, dir.path());
    dir
});

/// Random positions of a set.
fn samples(material: &Material, count: usize, seed: u64) -> Vec<Position> {
    let rng = &mut test_rng(seed);
    let drawn = || material.position(rng.below(material.indices() as u32) as usize);
    std::iter::repeat_with(drawn).flatten().take(count).collect()
}

fn game(rules: &Banqi, fen: &str) -> Session<Banqi> {
    Session::from_fen(rules.clone(), fen).expect("a valid FEN")
}

fn probe(tables: &Tables, game: &Session<Banqi>) -> Option<TableValue> {
    let rules = game.rules();
    tables.probe(rules, &rules.view(game.state(), Viewer::Public))
}

/// What a probe must find where no limit is near.
fn expected(value: Value) -> TableValue {
    match value {
        Value::Won(plies) => TableValue::Won(plies.into()),
        Value::Drawn => TableValue::Drawn,
        Value::Lost(plies) => TableValue::Lost(plies.into()),
    }
}

#[test]
fn values_are_those_of_the_other_solver() {
    SETTINGS.par_iter().enumerate().for_each(|(number, settings)| {
        let dir = tempfile::tempdir().expect("a folder can be made");
        generate(settings, SMALL, dir.path());
        let rules = rules(settings);
        let tables = Tables::read(&rules, dir.path()).expect("they were written");
        assert_eq!(tables.most_pieces(), SMALL);
        let mut book = Book::new(Rules::of(settings));
        for material in (2..=SMALL).flat_map(Material::all) {
            let table = book.table(material.clone());
            for position in samples(&material, SAMPLES, number as u64) {
                let game = game(&rules, &material.fen(&position));
                if game.outcome().is_none() {
                    let value = expected(table.value(&position));
                    assert_eq!(probe(&tables, &game), Some(value), "{}", game.fen());
                }
            }
        }
    });
}

#[derive(Deserialize)]
struct Written {
    whole: Vec<BTreeMap<String, u64>>,
}

fn check_census(generated: &TablesOfSize) {
    let text = std::fs::read_to_string(folder("endgames.toml")).expect("the file can be read");
    let Written { whole } = toml::from_str(&text).expect("the file is TOML");
    let found = [
        ("pieces", generated.pieces as u64),
        ("sets", generated.sets),
        ("won", generated.won),
        ("drawn", generated.drawn),
        ("lost", generated.lost),
        ("longest", generated.longest.into()),
    ];
    let found = found.map(|(name, count)| (name.to_owned(), count)).into();
    assert!(whole.contains(&found), "{found:?}");
}

#[test]
fn positions_are_counted_as_by_the_other_solver() {
    let dir = tempfile::tempdir().expect("a folder can be made");
    for tables in generate(&[], 4, dir.path()).tables {
        check_census(&tables);
    }
}

#[test]
fn wins_that_a_counter_may_draw_are_not_certain() {
    let rules = rules(&[("quiet_limit", "20"), ("max_plies", "100")]);
    let tables = Tables::read(&rules, DEFAULTS.path()).expect("they were written");
    // The general reaches the chariot, which is in a corner, with its ninth step.
    let at = |quiet: u16, ply: u16| format!("7r/8/8/1K6 1 r - {quiet} {ply}");
    let value = |quiet, ply| probe(&tables, &game(&rules, &at(quiet, ply)));
    let Some(TableValue::Won(plies)) = value(0, 0) else { panic!("a win, not {:?}", value(0, 0)) };
    assert!((9..20).contains(&plies), "{plies}");
    assert_eq!(value(20 - plies, 0), Some(TableValue::Won(plies)));
    assert_eq!(value(21 - plies, 0), None);
    assert_eq!(value(0, 100 - plies), Some(TableValue::Won(plies)));
    assert_eq!(value(0, 101 - plies), None);
    // A draw stays one. An even distance is one, see `a_chaser_wins_exactly_at_odd_distances`.
    let drawn = game(&rules, "7r/8/8/2K5 1 r - 19 99");
    assert_eq!(probe(&tables, &drawn), Some(TableValue::Drawn));
}

#[test]
fn wins_are_not_certain_where_a_position_has_occurred_twice() {
    let rules = rules(&[]);
    let tables = Tables::read(&rules, DEFAULTS.path()).expect("they were written");
    let mut game = game(&rules, "7r/8/8/1K6 1 r - 0 0");
    for (number, name) in ["b1a1", "h4g4", "a1b1", "g4h4", "b1c1"].into_iter().enumerate() {
        // The position after four plies is the first one again.
        let is_certain = probe(&tables, &game).is_some();
        assert_eq!(is_certain, number < 4, "after {number} plies");
        game.play(game.action_index(name).expect("the action exists"));
    }
    assert_eq!(probe(&tables, &game), None, "an earlier position has occurred twice");
    let forgetful = darkqi_env::configure(&options(&[("repetition", "off")]));
    let forgetful: Banqi = forgetful.expect("the option exists");
    let fresh = Session::from_fen(forgetful, &game.fen()).expect("a valid FEN");
    assert!(probe(&tables, &fresh).is_some(), "nothing counts repetitions");
}

#[test]
fn covered_and_many_pieces_are_not_in_tables() {
    let rules = rules(&[]);
    let tables = Tables::read(&rules, DEFAULTS.path()).expect("they were written");
    for (fen, is_in) in [
        ("7r/8/8/1K5P 1 r - 0 0", true),
        ("7r/8/8/1K4PP 1 r - 0 0", false),
        ("7r/8/8/1K5~P 1 r - 0 0", false),
        ("8/8/8/1K5P 2 r - 0 0", false),
    ] {
        assert_eq!(probe(&tables, &game(&rules, fen)).is_some(), is_in, "{fen}");
    }
}

/// A search with the tables at this depth, or without them.
fn spec(depth: u8, has_tables: bool) -> AgentSpec {
    let tables = if has_tables { DEFAULTS.path().display().to_string() } else { "none".to_owned() };
    format!("expectimax:depth={depth},tables={tables}").parse().expect("the agent exists")
}

fn value_by(spec: &AgentSpec, game: &Session<Banqi>, seed: u64) -> f32 {
    let rules = game.rules();
    let mut agent = spec.build(rules).expect("the agent can be built");
    let mover = game.current_player();
    let view = rules.view(game.state(), Viewer::Player(mover));
    let legal = game.legal_actions();
    let rng = &mut test_rng(seed);
    let mut request = darkqi_engine::agent::Request { game: 0, view, legal, rng, stop: &NEVER };
    let decision = agent.decide(rules, &mut request).expect("it decides");
    decision.value.map_or(f32::NAN, |values| values[mover])
}

/// The result at the end of a long way is what a search to that end finds.
#[test]
fn tables_do_not_change_what_a_deep_search_finds() {
    /// As far as the search without tables looks.
    const DEPTH: u8 = 7;
    let rules = rules(&[]);
    let mut book = Book::new(Rules::of(&[]));
    let mut compared = 0;
    for pieces in ["K-R", "P-P", "KP-K", "RR-K", "CP-K", "EH-P"] {
        let material: Material = pieces.parse().expect("a set");
        let table = book.table(material.clone());
        for position in samples(&material, 40, 5) {
            let game = game(&rules, &material.fen(&position));
            let is_near = matches!(
                table.value(&position),
                Value::Won(plies) | Value::Lost(plies) if plies <= DEPTH
            );
            // An agent does not search for the only action.
            if !is_near || game.outcome().is_some() || game.legal_actions().len() == 1 {
                continue;
            }
            let plain = value_by(&spec(DEPTH, false), &game, 0);
            for depth in [1, 2, DEPTH] {
                let probed = value_by(&spec(depth, true), &game, 0);
                assert_eq!(probed, plain, "depth {depth}: {}", game.fen());
            }
            compared += 1;
        }
    }
    assert!(compared > 30, "{compared}");
}

/// To tables all draws are equal. Among the actions that keep one, the search chooses as without them.
#[test]
fn draws_are_kept_and_played_on() {
    let rules = rules(&[]);
    let mut book = Book::new(Rules::of(&[]));
    let [mut kept, mut saved] = [0, 0];
    for pieces in ["K-R", "RR-K", "CP-K", "KR-P"] {
        let material: Material = pieces.parse().expect("a set");
        let table = book.table(material.clone());
        for position in samples(&material, 60, 11) {
            let game = game(&rules, &material.fen(&position));
            if table.value(&position) != Value::Drawn || game.outcome().is_some() {
                continue;
            }
            let chosen = |has_tables| {
                let mut agent = spec(2, has_tables).build(&rules).expect("the agent can be built");
                game.action_name(choose(&mut *agent, &game, &mut test_rng(1)))
            };
            let after = |name: &str| {
                let mut moves = table.moves(&position).into_iter();
                let action = moves.find(|action| action.name(&position) == name);
                table.value_after(&position, action.expect("the choice is legal"))
            };
            let [plain, probed] = [false, true].map(chosen);
            assert_eq!(after(&probed), Value::Drawn, "{}", game.fen());
            if game.legal_actions().len() > 1 {
                assert_eq!(value_by(&spec(2, true), &game, 1), 0.0, "{}", game.fen());
            }
            match after(&plain) {
                Value::Drawn => {
                    assert_eq!(probed, plain, "{}", game.fen());
                    kept += 1;
                }
                _ => saved += 1,
            }
        }
    }
    assert!(kept >= 30, "{kept} kept, {saved} saved");
}

/// Plays an agent with depth 2 against the best defence. Whether it wins.
fn is_converted(has_tables: bool, table: &Table, position: &Position, rules: &Banqi) -> bool {
    let mut agent = spec(2, has_tables).build(rules).expect("the agent can be built");
    let mut game = game(rules, &table.material().fen(position));
    let winner = game.current_player();
    let mut here = Some((table, *position));
    let rng = &mut test_rng(3);
    while game.outcome().is_none() {
        let (table, position) = here.expect("the game goes on");
        let mut moves = table.moves(&position);
        if game.current_player() == winner {
            let name = game.action_name(choose(&mut *agent, &game, rng));
            moves.retain(|action| action.name(&position) == name);
        } else {
            // Draws before long losses, and these before short ones.
            moves.sort_by_key(|&action| match table.value_after(&position, action) {
                Value::Lost(_) => 0,
                Value::Drawn => 1,
                Value::Won(plies) => usize::from(u8::MAX - plies) + 2,
            });
        }
        let action = moves[0];
        let name = action.name(&position);
        game.play(game.action_index(&name).expect("the name is known"));
        here = table.next(&position, action);
    }
    game.outcome().is_some_and(|outcome| outcome.winners().eq([winner]))
}

#[test]
fn tables_convert_wins_that_a_shallow_search_does_not() {
    /// Wins that are farther than the search without tables looks.
    const FAR: u8 = 13;
    let rules = rules(&[]);
    let mut book = Book::new(Rules::of(&[]));
    let mut converted = [0, 0];
    let mut wins = 0;
    for pieces in ["K-R", "CP-K", "KR-P", "PP-K"] {
        let material: Material = pieces.parse().expect("a set");
        let table = book.table(material.clone());
        for position in samples(&material, 120, 9) {
            if matches!(table.value(&position), Value::Won(plies) if plies >= FAR) {
                wins += 1;
                for (count, has_tables) in converted.iter_mut().zip([false, true]) {
                    *count += usize::from(is_converted(has_tables, &table, &position, &rules));
                }
            }
        }
    }
    let [plain, probed] = converted;
    assert!(wins >= 20, "{wins}");
    assert_eq!(probed, wins, "with tables");
    assert!(plain < wins, "{plain} of {wins} without tables");
}

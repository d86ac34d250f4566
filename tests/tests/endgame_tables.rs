//! The endgame tables of `darkqi tables`: each value follows from those one ply later by the engine's own
//! rules, which leaves no other values, and the search finds and asks for them.

use std::collections::BTreeMap;
use std::iter;
use std::sync::LazyLock;

use darkqi_engine::agent::NEVER;
use darkqi_engine::agents::AgentSpec;
use darkqi_engine::evaluation::Evaluation;
use darkqi_engine::tables::{TableValue, Tables, generate_tables};
use darkqi_env::fen::write_board;
use darkqi_env::games::banqi::Banqi;
use darkqi_env::{
    Action, AnyState, Kind, Rng, Session, Square, Viewer, board::BoardSize, game::Hidden,
};
use darkqi_tests::ask::{agent, choose, decide, expected};
use darkqi_tests::{cases, read_toml, test_rng, texts};
use rayon::prelude::*;
use serde::Deserialize;
use tempfile::TempDir;

const SIZE: BoardSize = BoardSize { files: 8, ranks: 4 };

/// Every pair of options that decide who captures whom.
const SETTINGS: [&[(&str, &str)]; 4] = [
    &[],
    &[("ranking", "hongkong")],
    &[("cannon", "jump")],
    &[("ranking", "hongkong"), ("cannon", "jump")],
];

/// Pieces of the sets that are solved under all settings.
const SMALL: usize = 3;

/// Positions of each setting that are compared.
const SAMPLES: u64 = 8000;

/// Positions of each setting that a search is asked about.
const ASKED: u64 = 1000;

/// Plies that the search looks ahead. Nothing is covered, so each is a layer.
const DEPTH: u16 = 5;

fn rules(settings: &[(&str, &str)]) -> Banqi {
    darkqi_env::game::configure(&texts(settings)).expect("the options exist")
}

/// The tables of some rules in a folder.
struct Solved {
    folder: TempDir,
    /// The rules without the limits that draw games, which tables ignore.
    endless: Banqi,
    tables: Tables,
}

impl Solved {
    fn new(settings: &[(&str, &str)], pieces: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let generated = generate_tables(&rules(settings), pieces, folder.path(), &NEVER);
        for tables in generated.expect("they can be solved and written").tables {
            if settings.is_empty() {
                let counts = [("won", tables.won), ("drawn", tables.drawn), ("lost", tables.lost)];
                check_census(tables.pieces, tables.sets, tables.longest.into(), counts);
            }
        }
        let endless = rules(&[settings, &[("quiet_limit", "0"), ("repetition", "off")]].concat());
        let tables = Tables::read(&endless, folder.path()).expect("limits do not enter tables");
        assert_eq!(tables.most_pieces(), pieces);
        Self { folder, endless, tables }
    }

    fn open(&self, fen: &str) -> Session<Banqi> {
        Session::from_fen(self.endless.clone(), fen).expect("a valid FEN")
    }

    /// The value of a game that is not over, whatever came before.
    fn value(&self, game: &Session<Banqi>) -> TableValue {
        let value = probe(&self.tables, &self.open(&game.fen()));
        value.unwrap_or_else(|| panic!("{} has no value", game.fen()))
    }

    /// The value for the other side after an action, whatever came before.
    fn value_after(&self, game: &Session<Banqi>, action: Action) -> TableValue {
        let mut after = self.open(&game.fen());
        after.play(action);
        match after.outcome() {
            None => self.value(&after),
            Some(outcome) => {
                let mover = game.current_player();
                assert!(outcome.winners().eq([mover]), "{} {outcome:?}", after.fen());
                TableValue::Lost(0)
            }
        }
    }

    /// The value by those after all actions. Values with the number of plies have only one solution:
    /// by induction on that number, the true one.
    fn value_by_actions(&self, game: &Session<Banqi>) -> TableValue {
        let values = game.legal_actions().iter().map(|&action| self.value_after(game, action));
        let best = values.max_by_key(|value| match value {
            TableValue::Lost(plies) => 1000 - i32::from(*plies),
            TableValue::Drawn => 0,
            TableValue::Won(plies) => i32::from(*plies) - 1000,
        });
        match best.expect("the mover has an action") {
            TableValue::Lost(plies) => TableValue::Won(plies + 1),
            TableValue::Drawn => TableValue::Drawn,
            TableValue::Won(plies) => TableValue::Lost(plies + 1),
        }
    }

    /// A random position of these pieces, of any mover, that is not over.
    fn position(&self, pieces: &str, rng: &mut Rng) -> Session<Banqi> {
        let position = || self.open(&random_fen(pieces, rng));
        let mut positions = iter::repeat_with(position).filter(|game| game.outcome().is_none());
        positions.next().expect("there is no end of them")
    }

    /// This number of positions of each of these sets of pieces.
    fn positions(&self, sets: &[&str], each: usize, seed: u64) -> Vec<Session<Banqi>> {
        let rng = &mut test_rng(seed);
        let mut positions = Vec::new();
        for pieces in sets {
            positions.extend((0..each).map(|_| self.position(pieces, rng)));
        }
        positions
    }
}

fn probe(tables: &Tables, game: &Session<Banqi>) -> Option<TableValue> {
    let rules = game.rules();
    tables.probe(rules, &rules.view(game.state(), Viewer::Public))
}

/// Pieces on random squares, and a random mover.
fn random_fen(pieces: &str, rng: &mut Rng) -> String {
    let mut on: BTreeMap<Square, char> = BTreeMap::new();
    for piece in pieces.chars() {
        let free: Vec<Square> = SIZE.all().filter(|square| !on.contains_key(square)).collect();
        on.insert(*rng.choose(&free), piece);
    }
    let board = write_board(SIZE, |square| on.get(&square).map(char::to_string));
    format!("{board} {} r - 0 0", 1 + rng.below(2))
}

/// A random set of this many pieces, with both colours.
fn random_set(pieces: usize, rng: &mut Rng) -> String {
    loop {
        let letter = |rng: &mut Rng| {
            let letter = *rng.choose(&Kind::LETTERS);
            if rng.below(2) == 0 { letter } else { letter.to_ascii_lowercase() }
        };
        let set: String = (0..pieces).map(|_| letter(rng)).collect();
        let is_there = |(letter, most): (&char, u8)| {
            let count = |letter: char| set.matches(letter).count() <= usize::from(most);
            count(*letter) && count(letter.to_ascii_lowercase())
        };
        let has = |is_own: fn(&char) -> bool| set.chars().any(|letter| is_own(&letter));
        if has(char::is_ascii_uppercase)
            && has(char::is_ascii_lowercase)
            && Kind::LETTERS.iter().zip(Kind::COUNTS).all(is_there)
        {
            return set;
        }
    }
}

#[derive(Deserialize)]
struct Written {
    whole: Vec<BTreeMap<String, u64>>,
}

/// Compares the totals over all sets with those of `endgames.toml`, which another solver counted.
fn check_census(pieces: usize, sets: u64, longest: u64, counts: [(&str, u64); 3]) {
    let Written { whole } = read_toml("endgames.toml");
    let found = [("pieces", pieces as u64), ("sets", sets), ("longest", longest)];
    let found = found.into_iter().chain(counts).map(|(name, count)| (name.to_owned(), count));
    let found: BTreeMap<String, u64> = found.collect();
    assert!(whole.contains(&found), "{found:?}");
}

/// The tables of each setting, the defaults first.
static SOLVED: LazyLock<Vec<Solved>> =
    LazyLock::new(|| SETTINGS.iter().map(|settings| Solved::new(settings, SMALL)).collect());

fn defaults() -> &'static Solved {
    &SOLVED[0]
}

/// Checks random positions under each setting, of random sets.
fn for_positions(count: u64, check: impl Fn(&Solved, &Session<Banqi>, &mut Rng) + Sync) {
    SOLVED.par_iter().enumerate().for_each(|(number, solved)| {
        let rng = &mut test_rng(number as u64);
        for _ in 0..count {
            let set = random_set(2 + rng.below(SMALL as u32 - 1) as usize, rng);
            check(solved, &solved.position(&set, rng), rng);
        }
    });
}

#[test]
fn values_follow_from_those_one_ply_later() {
    for_positions(cases(SAMPLES), |solved, game, _| {
        assert_eq!(solved.value(game), solved.value_by_actions(game), "{}", game.fen());
    });
}

/// The tables of four pieces under the default rules: all positions are counted, some compared.
#[test]
fn positions_of_four_pieces_are_counted() {
    let (solved, rng) = (Solved::new(&[], SMALL + 1), &mut test_rng(4));
    for _ in 0..SAMPLES / 4 {
        let game = solved.position(&random_set(SMALL + 1, rng), rng);
        assert_eq!(solved.value(&game), solved.value_by_actions(&game), "{}", game.fen());
    }
}

/// One piece against another that it can capture, and that cannot capture it. Each ply changes the
/// distance in steps between odd and even. The chaser captures at distance 1 and so needs an odd
/// distance on its turn. At an even distance on its turn it never captures.
#[test]
fn a_chaser_wins_exactly_at_odd_distances() {
    for (chaser, prey) in [('K', 'r'), ('P', 'k'), ('H', 'c')] {
        for (from, to) in SIZE.all().flat_map(|from| SIZE.all().map(move |to| (from, to))) {
            let letter =
                |square| [(from, chaser), (to, prey)].into_iter().find(|it| it.0 == square);
            let board = write_board(SIZE, |square| letter(square).map(|it| it.1.to_string()));
            let steps =
                SIZE.file(from).abs_diff(SIZE.file(to)) + SIZE.rank(from).abs_diff(SIZE.rank(to));
            for mover in 0..2 {
                if steps == 0 {
                    continue;
                }
                let game = defaults().open(&format!("{board} {} r - 0 0", 1 + mover));
                let is_at_odd = steps % 2 == 1;
                let holds = match defaults().value(&game) {
                    TableValue::Won(_) => mover == 0 && is_at_odd,
                    TableValue::Lost(_) => mover == 1 && !is_at_odd,
                    TableValue::Drawn => (mover == 0) != is_at_odd,
                };
                assert!(holds, "{}", game.fen());
            }
        }
    }
}

/// A search without tables: its choice and its claim, where results lie within its depth and beyond.
#[test]
fn expectimax_finds_results_within_its_depth() {
    for_positions(cases(ASKED), |solved, game, rng| {
        check_choice(solved, game, rng);
        check_claim(solved, game, rng);
    });
}

/// A win within the depth comes one ply nearer, a loss within the depth is delayed as long as possible,
/// and no other choice allows a loss within the depth if it is avoidable.
fn check_choice(solved: &Solved, game: &Session<Banqi>, rng: &mut Rng) {
    let mut agent = agent::<Banqi>(&format!("expectimax:depth={DEPTH}"));
    let value = solved.value(game);
    let after = solved.value_after(game, choose(&mut *agent, game, rng));
    let holds = match (value, after) {
        (TableValue::Won(plies), TableValue::Lost(left)) if plies <= DEPTH => left + 1 == plies,
        (TableValue::Won(plies), _) if plies <= DEPTH => false,
        (TableValue::Lost(plies), TableValue::Won(left)) if plies <= DEPTH => left + 1 == plies,
        // A loss within the depth is chosen only if every action leads to one.
        (_, TableValue::Won(left)) if left < DEPTH => game.legal_actions().iter().all(|&action| {
            matches!(solved.value_after(game, action), TableValue::Won(left) if left < DEPTH)
        }),
        _ => true,
    };
    assert!(holds, "from {value:?} to {after:?}: {}", game.fen());
}

/// A result within the depth is claimed, and no false result is.
fn check_claim(solved: &Solved, game: &Session<Banqi>, rng: &mut Rng) {
    let claim = expected(game, DEPTH.into(), rng);
    let (claims_win, claims_loss) = (claim > Evaluation::MOST, claim < -Evaluation::MOST);
    let holds = match solved.value(game) {
        TableValue::Won(plies) => !claims_loss && (claims_win || plies > DEPTH),
        TableValue::Drawn => !claims_win && !claims_loss,
        TableValue::Lost(plies) => !claims_win && (claims_loss || plies > DEPTH),
    };
    assert!(holds, "{claim} claimed, {:?} true: {}", solved.value(game), game.fen());
}

#[test]
fn wins_that_a_counter_may_draw_are_not_certain() {
    let rules = rules(&[("quiet_limit", "20"), ("max_plies", "100")]);
    // The general reaches the chariot, which is in a corner, with its ninth step.
    let at = |quiet: u16, ply: u16| format!("7r/8/8/1K6 1 r - {quiet} {ply}");
    let game = |fen: &str| Session::from_fen(rules.clone(), fen).expect("a valid FEN");
    let value = |quiet, ply| probe(&defaults().tables, &game(&at(quiet, ply)));
    let Some(TableValue::Won(plies)) = value(0, 0) else { panic!("a win, not {:?}", value(0, 0)) };
    assert!((9..20).contains(&plies), "{plies}");
    assert_eq!(value(20 - plies, 0), Some(TableValue::Won(plies)));
    assert_eq!(value(21 - plies, 0), None);
    assert_eq!(value(0, 100 - plies), Some(TableValue::Won(plies)));
    assert_eq!(value(0, 101 - plies), None);
    // A draw stays one. An even distance is one, see `a_chaser_wins_exactly_at_odd_distances`.
    let drawn = game("7r/8/8/2K5 1 r - 19 99");
    assert_eq!(probe(&defaults().tables, &drawn), Some(TableValue::Drawn));
}

#[test]
fn wins_are_not_certain_where_a_position_has_occurred_twice() {
    let tables = &defaults().tables;
    let game = Session::from_fen(rules(&[]), "7r/8/8/1K6 1 r - 0 0");
    let mut game = game.expect("a valid FEN");
    for (number, name) in ["b1a1", "h4g4", "a1b1", "g4h4", "b1c1"].into_iter().enumerate() {
        // The position after four plies is the first one again.
        let is_certain = probe(tables, &game).is_some();
        assert_eq!(is_certain, number < 4, "after {number} plies");
        game.play(game.action_index(name).expect("the action exists"));
    }
    assert_eq!(probe(tables, &game), None, "an earlier position has occurred twice");
    let fresh = defaults().open(&game.fen());
    assert!(probe(tables, &fresh).is_some(), "nothing counts repetitions");
}

#[test]
fn covered_and_many_pieces_are_not_in_tables() {
    for (fen, is_in) in [
        ("7r/8/8/1K5P 1 r - 0 0", true),
        ("7r/8/8/1K4PP 1 r - 0 0", false),
        ("7r/8/8/1K5~P 1 r - 0 0", false),
        ("8/8/8/1K5P 2 r - 0 0", false),
    ] {
        let found = probe(&defaults().tables, &defaults().open(fen));
        assert_eq!(found.is_some(), is_in, "{fen}");
    }
}

/// A search with the tables at this depth, or without them.
fn spec(depth: u16, has_tables: bool) -> AgentSpec {
    let folder = defaults().folder.path().display().to_string();
    let tables = if has_tables { &folder } else { "none" };
    format!("expectimax:depth={depth},tables={tables}").parse().expect("the agent exists")
}

/// The values that a search tells of positions, from their movers' side.
fn values_by(spec: &AgentSpec, games: &[Session<Banqi>]) -> Vec<f32> {
    let mut agent = spec.build(&rules(&[])).expect("the agent can be built");
    let value = |game: &Session<Banqi>| {
        let decision = decide(&mut *agent, game, &mut test_rng(0));
        decision.value.map_or(f32::NAN, |values| values[game.current_player()])
    };
    games.iter().map(value).collect()
}

/// The result at the end of a long way is what a search to that end finds.
#[test]
fn tables_do_not_change_what_a_deep_search_finds() {
    /// As far as the search without tables looks.
    const DEPTH: u16 = 7;
    let mut games = defaults().positions(&["Kr", "Pp", "KPk", "RRk", "CPk", "EHp"], 40, 5);
    games.retain(|game| {
        let value = defaults().value(game);
        // An agent does not search for the only action.
        let is_searched = game.legal_actions().len() > 1;
        is_searched && matches!(value, TableValue::Won(it) | TableValue::Lost(it) if it <= DEPTH)
    });
    assert!(games.len() > 30, "{}", games.len());
    let plain = values_by(&spec(DEPTH, false), &games);
    for depth in [1, 2, DEPTH] {
        assert_eq!(values_by(&spec(depth, true), &games), plain, "depth {depth}");
    }
}

fn drawn_positions() -> Vec<Session<Banqi>> {
    let mut games = defaults().positions(&["Kr", "RRk", "CPk", "KRp"], 60, 11);
    games.retain(|game| defaults().value(game) == TableValue::Drawn);
    games
}

/// To tables all draws are equal. Among the actions that keep one, the search chooses as without them.
#[test]
fn draws_are_kept_and_played_on() {
    let [mut kept, mut saved] = [0, 0];
    let [mut plain, mut probed] = [false, true]
        .map(|has_tables| spec(2, has_tables).build(&rules(&[])).expect("the agent can be built"));
    for game in drawn_positions() {
        let [plain, probed] =
            [&mut plain, &mut probed].map(|agent| choose(&mut **agent, &game, &mut test_rng(1)));
        let after = |action| defaults().value_after(&game, action);
        assert_eq!(after(probed), TableValue::Drawn, "{}", game.fen());
        match after(plain) {
            TableValue::Drawn => {
                assert_eq!(probed, plain, "{}", game.fen());
                kept += 1;
            }
            _ => saved += 1,
        }
    }
    assert!(kept >= 30, "{kept} kept, {saved} saved");
}

/// The tables answer although the first node is the last one.
#[test]
fn draws_are_kept_by_a_search_without_nodes() {
    let folder = defaults().folder.path().display();
    let spec: AgentSpec =
        format!("expectimax:nodes=1,tables={folder}").parse().expect("the agent exists");
    let mut agent = spec.build(&rules(&[])).expect("the agent can be built");
    let mut could_lose = 0;
    for game in drawn_positions() {
        let after = |action| defaults().value_after(&game, action);
        let is_loss = |&action: &Action| matches!(after(action), TableValue::Won(_));
        could_lose += u32::from(game.legal_actions().iter().any(is_loss));
        let chosen = choose(&mut *agent, &game, &mut test_rng(1));
        assert_eq!(after(chosen), TableValue::Drawn, "{}", game.fen());
    }
    assert!(could_lose >= 10, "{could_lose}");
}

/// Plays an agent with depth 2 against the best defence. Whether it wins.
fn is_converted(has_tables: bool, start: &Session<Banqi>) -> bool {
    let mut agent = spec(2, has_tables).build(&rules(&[])).expect("the agent can be built");
    let mut game = Session::from_fen(rules(&[]), &start.fen()).expect("a valid FEN");
    let (winner, rng) = (game.current_player(), &mut test_rng(3));
    while game.outcome().is_none() {
        let action = if game.current_player() == winner {
            choose(&mut *agent, &game, rng)
        } else {
            // Draws before long losses, and these before short ones.
            let rank = |&action: &Action| match defaults().value_after(&game, action) {
                TableValue::Lost(_) => 0,
                TableValue::Drawn => 1,
                TableValue::Won(plies) => u16::MAX - plies,
            };
            game.legal_actions().iter().copied().min_by_key(rank).expect("it has actions")
        };
        game.play(action);
    }
    game.outcome().is_some_and(|outcome| outcome.winners().eq([winner]))
}

#[test]
fn tables_convert_wins_that_a_shallow_search_does_not() {
    /// Wins that are farther than the search without tables looks.
    const FAR: u16 = 13;
    let mut wins = defaults().positions(&["Kr", "CPk", "KRp", "PPk"], 120, 9);
    wins.retain(|game| matches!(defaults().value(game), TableValue::Won(it) if it >= FAR));
    assert!(wins.len() >= 20, "{}", wins.len());
    let [plain, probed] = [false, true]
        .map(|has_tables| wins.iter().filter(|game| is_converted(has_tables, game)).count());
    assert_eq!(probed, wins.len(), "with tables");
    assert!(plain < wins.len(), "{plain} of {} without tables", wins.len());
}

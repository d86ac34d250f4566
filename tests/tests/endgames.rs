//! The banqi endgames of `endgames.toml`: solved by retrograde analysis and compared with the
//! engine.

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, LazyLock};

use darkqi_engine::evaluation::Evaluation;
use darkqi_env::games::banqi::Banqi;
use darkqi_env::{AnyState, Reason, Rng, Session};
use darkqi_tests::ask::{agent, choose, expected};
use darkqi_tests::endgame::{Book, Census, Material, Move, Position, Rules, Table, Value};
use darkqi_tests::{folder, options, test_rng};
use rayon::prelude::*;
use serde::Deserialize;

/// Every set of up to this many pieces is solved. Larger sets are solved if `endgames.toml` has
/// their figures; a test of `scripts/test-long.sh` solves all.
const SMALL: usize = 3;

/// The most pieces that are solved.
const LARGE: usize = 4;

/// Positions of each set that are played out.
const SAMPLES: usize = 40;

/// Wins up to this length are wins by the default options.
const QUIET_LIMIT: u8 = 60;

/// Every pair of options that decide who captures whom.
const SETTINGS: [&[(&str, &str)]; 4] = [
    &[],
    &[("ranking", "hongkong")],
    &[("cannon", "jump")],
    &[("ranking", "hongkong"), ("cannon", "jump")],
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Endgame {
    pieces: String,
    #[serde(default)]
    options: BTreeMap<String, String>,
    won: usize,
    drawn: usize,
    lost: usize,
    longest: u8,
}

impl Endgame {
    fn options(&self) -> Vec<(&str, &str)> {
        self.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    fn material(&self) -> Material {
        self.pieces.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    fn census(&self) -> Census {
        let &Self { won, drawn, lost, longest, .. } = self;
        Census { won, drawn, lost, longest }
    }
}

/// The totals over all sets of `pieces` pieces, under the default options.
#[derive(Deserialize, Default, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct Whole {
    pieces: usize,
    sets: usize,
    won: usize,
    drawn: usize,
    lost: usize,
    longest: u8,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    whole: Vec<Whole>,
    endgame: Vec<Endgame>,
}

static WRITTEN: LazyLock<Written> = LazyLock::new(|| {
    let text = fs::read_to_string(folder("endgames.toml")).expect("the file can be read");
    toml::from_str(&text).expect("the file is TOML")
});

/// A game at a position, where it may be over.
fn open(settings: &[(&str, &str)], table: &Table, position: &Position) -> Box<dyn AnyState> {
    let fen = table.material().fen(position);
    darkqi_env::from_fen("banqi", &options(settings), &fen).expect("a valid FEN")
}

fn play(game: &mut dyn AnyState, name: &str) {
    let action = game.action_index(name).expect("the name is known");
    game.apply(action).expect("the action is legal");
}

/// Every position of a set.
fn positions(material: &Material) -> impl Iterator<Item = Position> {
    (0..material.indices()).filter_map(|index| material.position(index))
}

/// Random positions of a set.
fn samples(material: &Material, count: usize, rng: &mut Rng) -> Vec<Position> {
    let drawn = || material.position(rng.below(material.indices() as u32) as usize);
    std::iter::repeat_with(drawn).flatten().take(count).collect()
}

/// A table with the options it was solved under.
type Solved = (Vec<(&'static str, &'static str)>, Arc<Table>);

/// All small sets under all settings, and those that have figures.
static SOLVED: LazyLock<Vec<Solved>> = LazyLock::new(|| {
    let small = SETTINGS.par_iter().flat_map_iter(|settings| {
        let mut book = Book::new(Rules::of(settings));
        let sets = (2..=SMALL).flat_map(Material::all);
        sets.map(move |material| (settings.to_vec(), book.table(material)))
    });
    let figures = WRITTEN.endgame.par_iter().map(|endgame| {
        let settings = endgame.options();
        let table = Book::new(Rules::of(&settings)).table(endgame.material());
        (settings, table)
    });
    small.chain(figures).collect()
});

/// Every value follows from those one ply later.
fn check_values(table: &Table) {
    for position in positions(table.material()) {
        let expected = table.value_by_actions(&position);
        assert_eq!(table.value(&position), expected, "{}", table.material().fen(&position));
    }
}

#[test]
fn values_follow_from_those_one_ply_later() {
    SOLVED.par_iter().for_each(|(_, table)| check_values(table));
}

#[test]
#[ignore = "takes minutes: `scripts/test-long.sh` runs it"]
fn values_of_all_sets_follow_from_those_one_ply_later() {
    let mut book = Book::new(Rules::of(&[]));
    for material in Material::all(SMALL) {
        book.table(material);
    }
    // Each table is dropped after its check: all of them do not fit into memory.
    let check = |book: &mut Book, material: Material| {
        let table = book.clone().table(material);
        check_values(&table);
        table.census()
    };
    let all = Material::all(LARGE).into_par_iter().map_with(book, check);
    check_whole(LARGE, &all.collect::<Vec<_>>());
}

/// Checks that the censuses of all sets of `pieces` pieces add up to the totals of `endgames.toml`.
fn check_whole(pieces: usize, censuses: &[Census]) {
    let mut found = Whole { pieces, sets: censuses.len(), ..Whole::default() };
    for census in censuses {
        found.won += census.won;
        found.drawn += census.drawn;
        found.lost += census.lost;
        found.longest = found.longest.max(census.longest);
    }
    assert!(WRITTEN.whole.contains(&found), "{found:?}");
}

#[test]
fn figures_are_those_of_the_file() {
    let solved = &SOLVED[SOLVED.len() - WRITTEN.endgame.len()..];
    for (endgame, (_, table)) in WRITTEN.endgame.iter().zip(solved) {
        assert_eq!(*table.material(), endgame.material());
        assert_eq!(table.census(), endgame.census(), "{}", endgame.pieces);
    }
    for pieces in 2..=SMALL {
        let tables = SOLVED.iter().take_while(|(settings, _)| settings.is_empty());
        let all = tables.filter(|(_, table)| table.material().count() == pieces);
        check_whole(pieces, &all.map(|(_, table)| table.census()).collect::<Vec<_>>());
    }
}

/// One piece against another that it can capture, and that cannot capture it. Each ply changes the
/// distance in steps between odd and even. The chaser captures at distance 1 and so needs an odd
/// distance on its turn. At an even distance on its turn it never captures.
#[test]
fn a_chaser_wins_exactly_at_odd_distances() {
    for (pieces, chaser) in [("K-R", 0), ("K-P", 1), ("H-C", 0)] {
        let material: Material = pieces.parse().expect("a set of two pieces");
        let table = Book::new(Rules::of(&[])).table(material.clone());
        for position in positions(&material) {
            let [first, second] = [position.squares[0], position.squares[1]];
            let steps = (first % 8).abs_diff(second % 8) + (first / 8).abs_diff(second / 8);
            let holds = match table.value(&position) {
                Value::Won(_) => position.mover == chaser && steps % 2 == 1,
                Value::Lost(_) => position.mover != chaser && steps % 2 == 0,
                Value::Drawn => (position.mover == chaser) == (steps % 2 == 0),
            };
            assert!(holds, "{}", material.fen(&position));
        }
    }
}

#[test]
fn the_engine_allows_the_same_actions() {
    SOLVED.par_iter().enumerate().for_each(|(number, (settings, table))| {
        let rng = &mut test_rng(number as u64);
        for position in samples(table.material(), SAMPLES, rng) {
            let game = open(settings, table, &position);
            let moves = table.moves(&position);
            let mut names: Vec<_> = moves.iter().map(|action| action.name(&position)).collect();
            names.sort();
            assert_eq!(game.legal_moves(), names, "{}", game.fen());
            if moves.is_empty() {
                check_end(&*game, 1 - position.mover, Reason::NoMoves);
            }
            for action in moves {
                check_action(&*game, table, &position, action);
            }
        }
    });
}

/// Checks that the engine and the table reach the same position.
fn check_action(game: &dyn AnyState, table: &Table, position: &Position, action: Move) {
    let mut after = game.boxed_clone();
    play(&mut *after, &action.name(position));
    match table.next(position, action) {
        None => check_end(&*after, position.mover, Reason::NoPieces),
        Some((table, next)) => {
            // The smaller set may have its sides exchanged.
            let expected = table.material().fen(&next);
            let board = |fen: &str| fen.split(' ').next().expect("a FEN has a board").to_owned();
            let swapped = next.mover == position.mover;
            let found = board(&after.fen());
            let found = if swapped { exchanged(&found) } else { found };
            assert_eq!(found, board(&expected), "{} {}", game.fen(), action.name(position));
        }
    }
}

/// A board with the colours exchanged.
fn exchanged(board: &str) -> String {
    let exchange = |letter: char| {
        if letter.is_uppercase() {
            letter.to_ascii_lowercase()
        } else {
            letter.to_ascii_uppercase()
        }
    };
    board.chars().map(exchange).collect()
}

fn check_end(game: &dyn AnyState, winner: usize, reason: Reason) {
    let outcome = game.outcome().unwrap_or_else(|| panic!("{} goes on", game.fen()));
    assert_eq!(outcome.reason, reason, "{}", game.fen());
    assert!(outcome.winners().eq([winner]), "{}", game.fen());
}

#[test]
fn best_play_ends_when_and_as_the_table_says() {
    SOLVED.par_iter().enumerate().for_each(|(number, (settings, table))| {
        let rng = &mut test_rng(number as u64);
        for position in samples(table.material(), SAMPLES, rng) {
            let (plies, winner) = match table.value(&position) {
                Value::Won(plies) => (plies, position.mover),
                Value::Lost(plies) => (plies, 1 - position.mover),
                Value::Drawn => continue,
            };
            let game = play_out(settings, table, &position);
            let outcome = game.outcome().expect("it is played to the end");
            assert!(outcome.winners().eq([winner]), "{} {outcome:?}", game.fen());
            assert_eq!(game.ply(), u16::from(plies), "{}", game.fen());
        }
    });
}

/// Plays a game from a decided position to its end, with the best actions of the table for both
/// sides.
fn play_out(settings: &[(&str, &str)], table: &Table, position: &Position) -> Box<dyn AnyState> {
    let mut settings = settings.to_vec();
    if matches!(table.value(position), Value::Won(plies) | Value::Lost(plies) if plies > QUIET_LIMIT)
    {
        // The table has no quiet limit, and a capture may come after it.
        settings.push(("quiet_limit", "0"));
    }
    let mut game = open(&settings, table, position);
    let mut here = Some((table, *position));
    while let Some((table, position)) = here {
        let best = table.moves(&position).into_iter().find(|&action| {
            match (table.value(&position), table.value_after(&position, action)) {
                (Value::Won(plies), Value::Lost(left)) | (Value::Lost(plies), Value::Won(left)) => {
                    left + 1 == plies
                }
                _ => false,
            }
        });
        let Some(best) = best else { break };
        play(&mut *game, &best.name(&position));
        here = table.next(&position, best);
    }
    game
}

/// Plies that the agent looks ahead. Nothing is covered, so each is a layer.
const DEPTH: u8 = 5;

/// Positions of each set that the agent is asked about.
const ASKED: usize = 6;

#[test]
fn expectimax_finds_results_within_its_depth() {
    SOLVED.par_iter().enumerate().for_each(|(number, (settings, table))| {
        let rules: Banqi = darkqi_env::configure(&options(settings)).expect("the options exist");
        let rng = &mut test_rng(number as u64);
        for position in samples(table.material(), ASKED, rng) {
            let fen = table.material().fen(&position);
            let game = Session::from_fen(rules.clone(), &fen).expect("a valid FEN");
            if game.outcome().is_none() {
                check_choice(table, &position, &game, rng);
                check_claim(table, &position, &game, rng);
            }
        }
    });
}

/// Checks the chosen action. A win within the depth comes one ply nearer, a loss within the depth
/// is delayed as long as possible, and no other choice allows a loss within the depth if it is
/// avoidable.
fn check_choice(table: &Table, position: &Position, game: &Session<Banqi>, rng: &mut Rng) {
    let mut agent = agent::<Banqi>(&format!("expectimax:depth={DEPTH}"));
    let name = game.action_name(choose(&mut *agent, game, rng));
    let moves = table.moves(position).into_iter();
    let action = moves.clone().find(|action| action.name(position) == name);
    let after = table.value_after(position, action.expect("the choice is legal"));
    let holds = match (table.value(position), after) {
        (Value::Won(plies), Value::Lost(left)) if plies <= DEPTH => left + 1 == plies,
        (Value::Won(plies), _) if plies <= DEPTH => false,
        (Value::Lost(plies), Value::Won(left)) if plies <= DEPTH => left + 1 == plies,
        // A loss within the depth is chosen only if every action leads to one.
        (_, Value::Won(left)) if left < DEPTH => {
            moves.clone().all(|action| {
                matches!(table.value_after(position, action), Value::Won(left) if left < DEPTH)
            })
        }
        _ => true,
    };
    assert!(holds, "{name} leads from {:?} to {after:?}: {}", table.value(position), game.fen());
}

/// Checks the claimed value. A result within the depth is claimed, and no false result is.
fn check_claim(table: &Table, position: &Position, game: &Session<Banqi>, rng: &mut Rng) {
    let claim = expected(game, DEPTH.into(), rng);
    let (claims_win, claims_loss) = (claim > Evaluation::MOST, claim < -Evaluation::MOST);
    let holds = match table.value(position) {
        Value::Won(plies) => !claims_loss && (claims_win || plies > DEPTH),
        Value::Drawn => !claims_win && !claims_loss,
        Value::Lost(plies) => !claims_win && (claims_loss || plies > DEPTH),
    };
    assert!(holds, "{claim} claimed, {:?} true: {}", table.value(position), game.fen());
}

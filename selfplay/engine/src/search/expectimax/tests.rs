use std::sync::atomic::AtomicBool;
use std::time::Duration;
use std::{fs, iter};

use darkqi_env::games::{
    flipping::Flipping, gaiqi::Gaiqi, jieqi::Jieqi, seven_kingdoms::SevenKingdoms,
};
use darkqi_env::{
    Game, Move, Options, Registered, Rng, Stream, Value, Viewer, Visitor,
    board::Perspective,
    game::{GameExt, Hidden, Notation, configure},
    games,
};

use super::{Expectimax, SearchResult};
use crate::evaluation::{Evaluation, PieceValues, Weights};
use crate::search::limits::Limits;

fn find(fen: &str, depth: u32) -> SearchResult {
    let rules = Gaiqi::default();
    let state = rules.parse_fen(fen).expect("a valid FEN");
    let mut search = Expectimax::new(Evaluation::built_in::<Gaiqi>(), Limits::depth(depth));
    let view = rules.view(&state, Viewer::Player(0));
    search.search(&rules, &view, &mut Rng::new(0, Stream::Sample))
}

/// Entries of one position must not be used in another where a piece may not check again.
#[test]
fn positions_with_other_checks_in_a_row_have_other_keys() {
    let rules = Gaiqi::default();
    let key = |checks: &str| {
        let state = rules.parse_fen(&format!("8/8/8/R4k1K 1 r - 0 0 {checks}"));
        let state = state.expect("it is a position");
        Gaiqi::fingerprint(&rules.view(&state, Viewer::Player(0)))
    };
    let keys = ["-", "a1x1,-", "a1x2,-", "a1x3,-"].map(key);
    assert!((1..4).all(|place| !keys[..place].contains(&keys[place])), "{keys:?}");
}

/// A king cannot be captured in flipping, so that its value, far above all others, says nothing.
#[test]
fn the_value_of_a_general_is_not_the_unit() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("values.toml");
    fs::write(&path, "[flipping]\nK = 1\n").expect("it is writable");
    let values = PieceValues::read(&path).expect("it is well formed");
    let found = Evaluation::new::<Flipping>(&values, Weights::built_in("flipping"));
    let expected = Evaluation::built_in::<Flipping>();
    for (kind, letter) in (0..).zip(Flipping::KINDS).filter(|(_, letter)| **letter != 'K') {
        assert_eq!(found.value(kind), expected.value(kind), "{letter}");
    }
}

#[test]
fn the_unit_of_values_does_not_matter() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("values.toml");
    let text = |entries: &[(&str, f64)]| {
        let lines: Vec<_> = entries.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        format!("[gaiqi]\n{}\n", lines.join("\n"))
    };
    let built_in = PieceValues::built_in().of::<Gaiqi>();
    let names: Vec<_> = Gaiqi::KINDS.iter().map(char::to_string).collect();
    let tenths: Vec<_> =
        iter::zip(&names, built_in).map(|(name, value)| (name.as_str(), value / 10.0)).collect();
    fs::write(&path, text(&tenths)).expect("it is writable");
    let values = PieceValues::read(&path).expect("it is well formed");
    let Weights { scale, mobility, pressure, turn, .. } = Weights::built_in("gaiqi");
    let [mobility, pressure, turn] = [mobility, pressure, turn].map(|weight| weight / 10.0);
    let weights =
        [("scale", scale * 10.0), ("mobility", mobility), ("pressure", pressure), ("turn", turn)]
            .map(|(name, weight)| (name, f64::from(weight)));
    let weights = Weights::of_contents("gaiqi", &path, Ok(text(&weights)));
    let scaled = Evaluation::new::<Gaiqi>(&values, weights.expect("it is well formed"));
    let rules = Gaiqi::default();
    for seed in 0..8 {
        let mut state = rules.deal(&mut Rng::new(seed, Stream::Deal));
        let mut rng = Rng::new(seed, Stream::Sample);
        for _ in 0..4 + 3 * seed {
            let legal = rules.actions(&state);
            if rules.outcome(&state).is_some() {
                break;
            }
            rules.play(&mut state, *rng.choose(&legal));
        }
        if rules.outcome(&state).is_some() {
            continue;
        }
        let view = rules.view(&state, Viewer::Player(rules.to_move(&state)));
        let [one, other] = [Evaluation::built_in::<Gaiqi>(), scaled.clone()].map(|evaluation| {
            let mut rng = Rng::new(seed, Stream::Sample);
            Expectimax::new(evaluation, Limits::depth(3)).search(&rules, &view, &mut rng)
        });
        assert_eq!((one.action, one.nodes), (other.action, other.nodes), "deal {seed}");
        assert!((one.value - other.value).abs() < 1e-4, "{one:?} {other:?}");
    }
}

#[test]
fn another_game_at_a_later_ply_begins_anew() {
    let limits = Limits { time: Some(Duration::from_secs(3600)), ..Limits::depth(2) };
    let mut search = Expectimax::new(Evaluation::built_in::<Gaiqi>(), limits);
    let mut rng = Rng::new(0, Stream::Sample);
    let small = Gaiqi::default();
    let state = small.parse_fen("8/8/~k~p6/RR4KC 1 r - 0 0 -").expect("a valid FEN");
    search.search(&small, &small.view(&state, Viewer::Player(0)), &mut rng);
    // It has more actions.
    let large = Jieqi::default();
    let state = large.parse_fen("3k5/9/9/9/9/9/9/9/9/R3K4 w - 0 20").expect("a valid FEN");
    let found = search.search(&large, &large.view(&state, Viewer::Player(0)), &mut rng);
    assert!(found.value.abs() <= 1.0);
}

#[test]
fn what_is_kept_is_of_the_same_game() {
    let rules = Gaiqi::default();
    let limits = Limits { time: Some(Duration::from_secs(3600)), ..Limits::depth(4) };
    let fens = ["8/8/~k~p6/RR4KC 1 r - 0 0 -", "8/8/~k~p6/RR4KC 1 r - 0 2 -"];
    // How many nodes the second of two searches takes, which are of these games.
    let second = |games: [u64; 2]| {
        let mut search = Expectimax::new(Evaluation::built_in::<Gaiqi>(), limits);
        let nodes = fens.iter().zip(games).map(|(fen, game)| {
            let state = rules.parse_fen(fen).expect("a valid FEN");
            let view = rules.view(&state, Viewer::Player(0));
            search.in_game(game);
            search.search(&rules, &view, &mut Rng::new(0, Stream::Sample)).nodes
        });
        nodes.last()
    };
    assert!(second([7, 7]) < second([7, 8]));
    // As much as of the first of two.
    let mut fresh = Expectimax::new(Evaluation::built_in::<Gaiqi>(), limits);
    let state = rules.parse_fen(fens[1]).expect("a valid FEN");
    let view = rules.view(&state, Viewer::Player(0));
    let nodes = fresh.search(&rules, &view, &mut Rng::new(0, Stream::Sample)).nodes;
    assert_eq!(second([7, 8]), Some(nodes));
}

#[test]
fn threads_find_what_one_finds() {
    let rules = Gaiqi::default();
    let state = rules.parse_fen("8/8/~k~p6/RR4KC 1 r - 0 0 -").expect("a valid FEN");
    let view = rules.view(&state, Viewer::Player(0));
    let limits = Limits::depth(3);
    let search = |threads| {
        let search = Expectimax::new(Evaluation::built_in::<Gaiqi>(), limits);
        search.with_threads(threads).search(&rules, &view, &mut Rng::new(0, Stream::Sample))
    };
    let (alone, together) = (search(1), search(3));
    assert!((alone.value - together.value).abs() < 1e-3, "{alone:?} {together:?}");
    assert!(together.nodes > 0 && together.depth == alone.depth);
}

#[test]
fn nodes_are_those_of_all_threads() {
    let rules = Jieqi::default();
    let state = rules.deal(&mut Rng::new(0, Stream::Deal));
    let view = rules.view(&state, Viewer::Player(0));
    let limits = Limits { nodes: Some(3000), ..Limits::depth(Limits::MAX_DEPTH) };
    let search = Expectimax::new(Evaluation::built_in::<Jieqi>(), limits).with_threads(3);
    let found = { search }.search(&rules, &view, &mut Rng::new(0, Stream::Sample));
    // The value of a reveal may take a thread's share again.
    assert!((1000..=4000).contains(&found.nodes), "{found:?}");
}

#[test]
fn only_certain_results_end_the_search() {
    // One of the covered pieces is the general. Taking either piece wins at once in half the
    // worlds, waiting wins in all.
    let fen = "8/8/~k~p6/RR4KC 1 r - 0 0 -";
    let gamble = find(fen, 1);
    assert!(gamble.value > Evaluation::MOST && gamble.value < 0.97, "{gamble:?}");
    let wait = find(fen, 5);
    assert!(wait.value > 0.99, "{wait:?}");
    assert_eq!(wait.depth, 2, "{wait:?}");
    assert_eq!(find("8/8/kp6/RR4KC 1 r - 0 0 -", 5).depth, 1);
}

/// The values of the reveals that a search to this depth chooses in random games, less the mean of
/// the positions after them, by the search of the rest.
struct Overrated {
    depth: u32,
    games: u64,
}

impl Visitor for Overrated {
    type Output = Vec<f32>;

    fn visit<G: Registered>(self, rules: G) -> Vec<f32> {
        let find = |state: &G::State, depth| {
            let view = rules.view(state, Viewer::Player(rules.to_move(state)));
            let mut search = Expectimax::new(Evaluation::built_in::<G>(), Limits::depth(depth));
            search.search(&rules, &view, &mut Rng::new(0, Stream::Sample))
        };
        let mut overrated = Vec::new();
        for seed in 0..self.games {
            let mut rng = Rng::new(seed, Stream::Sample);
            let mut state = rules.deal(&mut Rng::new(seed, Stream::Deal));
            for _ in 0..8 + seed % 8 {
                let legal = rules.actions(&state);
                rules.play(&mut state, *rng.choose(&legal));
                if rules.outcome(&state).is_some() {
                    break;
                }
            }
            if rules.outcome(&state).is_some() {
                continue;
            }
            let found = find(&state, self.depth);
            let viewer = Viewer::Player(rules.to_move(&state));
            let mut events = Vec::new();
            rules.each_reveal(&rules.view(&state, viewer), found.action, |event, odds| {
                events.push((event, odds as f32));
            });
            if events.len() == 1 {
                continue;
            }
            let mean = events.iter().map(|(event, odds)| {
                let mut after = state.clone();
                rules.arrange(&mut after, viewer, found.action, event);
                rules.play(&mut after, found.action);
                odds * match rules.outcome(&after) {
                    Some(outcome) => outcome.rewards()[rules.to_move(&state)],
                    None => -find(&after, self.depth - 2).value,
                }
            });
            overrated.push(found.value - mean.sum::<f32>());
        }
        overrated
    }
}

#[test]
fn a_reveal_is_worth_the_mean_over_what_it_may_show() {
    for (game, depth, games) in [("gaiqi", 3, 60), ("banqi", 4, 40)] {
        let found = games::with(game, &Options::new(), Overrated { depth, games });
        let found = found.expect(game);
        let deviation = found.iter().map(|one| one.abs()).sum::<f32>() / found.len() as f32;
        assert!(found.len() > 10 && deviation < 0.02, "{game}: {deviation} of {found:?}");
    }
}

#[test]
fn a_kingdom_near_its_fall_saves_its_least_piece() {
    // White has lost ten pieces. Orange, which does not move next, attacks its swordsman; red's
    // diplomat stands unprotected.
    let fen =
        "18rQ/19/19/19/wR11rB6/19/19/19/19/9*9/19/19/19/19/wS17oR/19/19/wQ18/18oQ w - rw10 5 30";
    for depth in 1..=2 {
        let (found, variation) = find_among_three(fen, depth);
        let size = SevenKingdoms::default().table().size();
        let [swordsman, rescued @ ..] =
            [[0, 4], [0, 3], [0, 5]].map(|[file, rank]| size.at(file, rank));
        let rescues = rescued.map(|to| Move::Step { from: swordsman, to });
        assert!(rescues.contains(&variation[0].1), "depth {depth}: {found:?}");
    }
}

/// The deepest result of a search of three kingdoms, with its principal variation.
fn find_among_three(fen: &str, depth: u32) -> (SearchResult, Vec<(usize, Move)>) {
    let options = [("seats".to_owned(), Value::Text("012----".to_owned()))].into();
    let rules: SevenKingdoms = configure(&options).expect("three seats");
    let state = rules.parse_fen(fen).expect("a valid FEN");
    let view = rules.view(&state, Viewer::Player(0));
    let mut search = Expectimax::new(Evaluation::built_in::<SevenKingdoms>(), Limits::depth(depth));
    let (mut rng, stop) = (Rng::new(0, Stream::Sample), AtomicBool::new(false));
    let mut last = Vec::new();
    let found = search.search_until(&rules, &view, &mut rng, &stop, &mut |_, variation| {
        let get = |(seat, action)| (seat, rules.table().get_move(action, Perspective::Upright));
        last = variation().into_iter().map(get).collect();
    });
    (found, last)
}

#[test]
fn a_third_party_takes_what_is_best_for_itself() {
    // Red's chancellor attacks white's crossbowman and orange's general.
    let fen = "wQ18/19/19/19/19/19/19/19/19/9*9/19/wW5rR11oQ/wS18/19/19/19/19/19/9rQ9 w - - 5 30";
    let (found, variation) = find_among_three(fen, 2);
    assert_eq!(found.depth, 2);
    let size = SevenKingdoms::default().table().size();
    let general = Move::Step { from: size.at(6, 7), to: size.at(18, 7) };
    assert_eq!(variation[1..], [(1, general)], "{found:?}");
}

#[test]
fn lines_among_several_end_with_the_searchers_next_turn_and_are_not_certain() {
    let fen =
        "18rQ/19/19/19/wR11rB6/19/19/19/19/9*9/19/19/19/19/wS17oR/19/19/wQ18/18oQ w - rw10 5 30";
    let (found, variation) = find_among_three(fen, Limits::MAX_DEPTH);
    assert_eq!(found.depth, 4);
    let seats: Vec<usize> = variation.into_iter().map(|(seat, _)| seat).collect();
    assert_eq!(seats, [0, 1, 2, 0]);
    assert!(found.value.abs() <= Evaluation::MOST);
}

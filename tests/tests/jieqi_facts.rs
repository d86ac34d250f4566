//! Counts by other programs, of jieqi and of the plain xiangqi that it contains.

use std::collections::{BTreeMap, BTreeSet};

use darkqi_env::fen::read_board;
use darkqi_env::{Options, Spec, Square, board::BoardSize};
use darkqi_tests::leaves::{after, count, legal};
use darkqi_tests::referee::Referee;
use darkqi_tests::{cases, read_toml, referee, texts};
use rayon::prelude::*;
use serde::Deserialize;

const SIZE: BoardSize = BoardSize { files: 9, ranks: 10 };

/// The engine counts xiangqi up to this many leaves. A test of `scripts/test-long.sh` counts all of them.
const FAST_LEAVES: u64 = 5_000_000;

/// The same for the referee.
const SLOW_LEAVES: u64 = 100_000;

/// Enough deals for every kind to be under every covered piece.
const DEALS: u64 = 200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Xiangqi {
    fen: String,
    /// Leaves at depth 1, 2, 3 and so on.
    leaves: Vec<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    plies: usize,
    plies_with_reveals: usize,
    replies: usize,
    checks: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Facts {
    xiangqi: Vec<Xiangqi>,
    start: Start,
}

fn facts() -> Facts {
    read_toml("jieqi-facts.toml")
}

/// The letters of the pieces by square.
fn letters(fen: &str) -> [Option<char>; SIZE.squares()] {
    let mut letters = [None; SIZE.squares()];
    let board = fen.split(' ').next().expect("a FEN has a board");
    read_board(SIZE, board, |square, symbol| {
        letters[square.index()] = Some(symbol.letter);
        Ok(())
    })
    .expect("the FEN is the engine's or the referee's");
    letters
}

/// The origin and the target of a step.
fn squares(step: &str) -> (Square, Square) {
    let (from, rest) = SIZE.parse_prefix(step).expect("a step begins with a square");
    (from, SIZE.parse(rest).expect("a step ends with a square"))
}

/// The steps of a revealed position that plain xiangqi allows as well: advisors stay in the palace
/// and elephants on their own side.
///
/// With this restriction nothing else differs. Checks are the same: a forbidden step reaches no
/// enemy general, because it ends on rank 4 at most (an advisor's, from rank 3, counted from its
/// own side) or 7 (an elephant's, from rank 5), and the enemy's palace begins on rank 8. Draws are
/// the same: the third occurrence of a position takes 8 plies, more than are counted here.
fn xiangqi_steps(tree: &dyn Referee) -> Vec<String> {
    let letters = letters(&tree.fen());
    let mut steps = tree.legal_moves();
    steps.retain(|step| {
        let (from, to) = squares(step);
        let letter = letters[from.index()].expect("a piece moves");
        let rank = if letter.is_uppercase() { SIZE.rank(to) } else { 9 - SIZE.rank(to) };
        match letter.to_ascii_lowercase() {
            'a' => rank < 3 && (3..6).contains(&SIZE.file(to)),
            'e' => rank < 5,
            _ => true,
        }
    });
    steps
}

/// Checks the counts of at most `most` leaves. `list` returns the steps of xiangqi.
fn check_xiangqi(
    open: impl Fn(&str) -> Box<dyn Referee> + Sync,
    list: impl Fn(&dyn Referee) -> Vec<String> + Sync,
    most: u64,
) {
    for Xiangqi { fen, leaves } in facts().xiangqi {
        for (depth, &expected) in (1..).zip(&leaves).filter(|(_, leaves)| **leaves <= most) {
            let below = |step: &String| match depth {
                1 => 1,
                _ => count(&*after(&*open(&fen), step), depth - 1, &list),
            };
            let found: u64 = list(&*open(&fen)).par_iter().map(below).sum();
            assert_eq!(found, expected, "depth {depth} of {fen}");
        }
    }
}

fn fast(fen: &str) -> Box<dyn Referee> {
    Box::new(darkqi_env::from_fen("jieqi", &Options::new(), fen).expect("a valid FEN"))
}

fn slow(fen: &str) -> Box<dyn Referee> {
    referee::from_fen("jieqi", fen, &[]).expect("a valid FEN")
}

#[test]
fn jieqi_contains_xiangqi() {
    check_xiangqi(fast, xiangqi_steps, cases(FAST_LEAVES));
    check_xiangqi(slow, xiangqi_steps, cases(SLOW_LEAVES));
}

/// Options that make it xiangqi (RULES.md 11.2).
#[test]
fn xiangqi_is_a_design_of_jieqi() {
    let design = [("covered", "-"), ("moves.A", "xiangqi"), ("moves.E", "xiangqi")];
    let spec = Spec::new("jieqi", &texts(&design)).expect("it is valid");
    let fast =
        |fen: &str| -> Box<dyn Referee> { Box::new(spec.parse_fen(fen).expect("a valid FEN")) };
    let slow = |fen: &str| referee::from_fen("jieqi", fen, &design).expect("a valid FEN");
    check_xiangqi(fast, legal, cases(FAST_LEAVES));
    check_xiangqi(slow, legal, cases(SLOW_LEAVES));
}

#[test]
#[ignore = "takes minutes: `scripts/test-long.sh` runs it"]
fn jieqi_contains_xiangqi_in_depth() {
    check_xiangqi(fast, xiangqi_steps, u64::MAX);
    check_xiangqi(slow, xiangqi_steps, FAST_LEAVES);
}

#[test]
fn first_plies_have_the_known_reveals_and_replies() {
    // By ply and revealed piece: the number of replies, and whether the ply gives check. Neither
    // may depend on the other covered pieces.
    let mut found = BTreeMap::new();
    let mut foretold = BTreeSet::new();
    for seed in 0..DEALS {
        let deal = darkqi_env::deal("jieqi", &Options::new(), seed).expect("the game exists");
        for &action in deal.legal_actions() {
            let ply = deal.action_name(action);
            for reveal in deal.reveals(action).expect("listed actions are legal") {
                // Only the general starts face up.
                let letter = reveal.revealed.as_deref().unwrap_or("K");
                foretold.insert((ply.clone(), letter.chars().next()));
            }
            let mut next = deal.as_ref().boxed_clone();
            next.as_mut().apply(action).expect("listed actions are legal");
            let revealed = letters(&next.fen())[squares(&ply).1.index()];
            let check = next.is_check();
            let replies = (next.legal_actions().len(), check);
            let known = *found.entry((ply, revealed)).or_insert(replies);
            assert_eq!(replies, known, "{}", next.fen());
        }
    }
    assert!(found.keys().eq(&foretold), "{:?}", foretold);
    let plies: BTreeSet<&String> = found.keys().map(|(ply, _)| ply).collect();
    let start = facts().start;
    assert_eq!(plies.len(), start.plies);
    assert_eq!(found.len(), start.plies_with_reveals);
    assert_eq!(found.values().map(|(replies, _)| replies).sum::<usize>(), start.replies);
    assert_eq!(found.values().filter(|(_, check)| *check).count(), start.checks);
}

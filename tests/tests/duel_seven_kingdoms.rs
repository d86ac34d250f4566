//! The fast engine against the slow referee on seven_kingdoms: seatings, teams, falls, passes.

use std::collections::BTreeMap;

use darkqi_env::{AnyState, Rng, board::BoardSize, fen};
use darkqi_tests::duel::{
    Choice, Choices, Counts, draw, draw_options, play_out, read_by_both, way_back,
};
use darkqi_tests::{cases, random_action, referee, test_rng, texts};

const GAME: &str = "seven_kingdoms";
const SIZE: BoardSize = BoardSize { files: 19, ranks: 19 };

/// Small limits make every ending occur.
const OPTIONS: Choices = &[
    ("setup", &["leventhal", "elephantchess"]),
    ("loss_limit", &["1", "3", "6", "10", "119"]),
    ("kingdoms_to_win", &["1", "2", "4", "6"]),
    ("capture_limit", &["2", "8", "30", "119"]),
    ("count_annexed", &["on", "off"]),
    ("repetition", &["on", "off"]),
    ("quiet_limit", &["0", "15", "40"]),
    ("max_plies", &["200", "1400"]),
];

/// Seats with teams.
const SEATINGS: &[(&str, &str)] = &[
    ("0123456", ""),
    ("0123456", "ABCABCA"),
    ("0-----1", ""),
    ("0101010", ""),
    ("-0-1-2-", "ABB"),
    ("01201--", ""),
    ("012-3-0", "ABAB"),
    ("012----", "BBA"),
    ("01-----", ""),
];

fn draw_rules(rng: &mut Rng) -> Choice {
    let (seats, teams) = draw(SEATINGS, rng);
    let mut choice = draw_options(OPTIONS, rng);
    choice.extend([("seats", seats), ("teams", teams)]);
    choice
}

/// A capture, if a few draws find one; else any action.
pub(super) fn hungry(state: &dyn AnyState, rng: &mut Rng) -> String {
    let mut action = random_action(state, rng);
    for _ in 0..20 {
        let takes = state.reveals(action).expect("the action is legal")[0].captured.is_some();
        if takes {
            break;
        }
        action = random_action(state, rng);
    }
    state.action_name(action)
}

#[test]
fn from_the_start() {
    let mut reasons = Counts::default();
    for seed in 0..cases(60) {
        let mut rng = test_rng(seed);
        let choice = draw_rules(&mut rng);
        let mut fast = darkqi_env::deal(GAME, &texts(&choice), seed).expect("valid options");
        assert_eq!(fast.fen(), referee::start_fen(GAME, &choice));
        let mut slow = referee::from_fen(GAME, &fast.fen(), &choice).expect("the start is valid");
        reasons.add(play_out(fast.as_mut(), slow.as_mut(), 400, |state| hungry(state, &mut rng)));
        let ended_at = fast.fen();
        assert!(read_by_both(GAME, &ended_at, &choice).is_some(), "{ended_at}");
    }
    reasons.check(&["kingdoms", "captures"]);
}

/// A position with a few pieces of each kingdom in play. Some generals are enclosed.
fn sparse(rng: &mut Rng, seats: &str) -> String {
    let present: Vec<char> = "wrobgpd"
        .chars()
        .zip(seats.chars())
        .filter(|&(_, seat)| seat != '-')
        .map(|(k, _)| k)
        .collect();
    let mut standing = present.clone();
    let mut out = Vec::new();
    while standing.len() > 1 && rng.below(3) == 0 {
        let fallen = standing.remove(rng.below(standing.len() as u32) as usize);
        out.push(format!("{fallen}{}", draw(&standing, rng)));
    }
    let mut pieces = BTreeMap::from([(180, "*".to_owned())]);
    for (&kingdom, corner) in standing.iter().zip([(0, [1, 19, 20]), (360, [359, 341, 340])]) {
        // Go-betweens can be neither captured nor passed through: a kingdom that they enclose must
        // pass.
        if rng.below(2) == 0 {
            pieces.insert(corner.0, format!("{kingdom}Q"));
            let warder = draw(&standing, rng);
            pieces.extend(corner.1.map(|square| (square, format!("{warder}G"))));
        }
    }
    for &kingdom in &standing {
        let general = format!("{kingdom}Q");
        while !pieces.values().any(|piece| *piece == general) {
            pieces.entry(rng.below(361) as usize).or_insert_with(|| general.clone());
        }
        for _ in 0..rng.below(6) {
            let kind = draw(&['M', 'R', 'B', 'C', 'G', 'H', 'W', 'A', 'S', 'N'], rng);
            let square = rng.below(361) as usize;
            pieces.entry(square).or_insert_with(|| format!("{kingdom}{kind}"));
        }
    }
    let mut captures = Vec::new();
    for &captor in &present {
        for &victim in present.iter().filter(|&&victim| victim != captor) {
            if rng.below(3) == 0 {
                let most = draw(&[3, 3, 3, 12], rng);
                captures.push(format!("{captor}{victim}{}", 1 + rng.below(most)));
            }
        }
    }
    let list = |items: Vec<String>| if items.is_empty() { "-".to_owned() } else { items.join(",") };
    let board = fen::write_board(SIZE, |square| pieces.get(&square.index()).cloned());
    let mover = draw(&standing, rng);
    format!("{board} {mover} {} {} {} 40", list(out), list(captures), rng.below(3))
}

/// Back to where the mover's last piece came from, if that is legal; else any action.
fn restless(state: &dyn AnyState, last: &mut BTreeMap<String, String>, rng: &mut Rng) -> String {
    let mover = state.fen().split(' ').nth(1).expect("a FEN has a mover").to_owned();
    let name = last
        .get(&mover)
        .and_then(|name| way_back(name))
        .filter(|name| state.legal_moves().contains(name))
        .unwrap_or_else(|| state.action_name(random_action(state, rng)));
    last.insert(mover, name.clone());
    name
}

#[test]
fn from_sparse_positions() {
    let mut reasons = Counts::default();
    let mut passes = 0;
    for seed in 0..cases(1000) {
        let mut rng = test_rng(1000 + seed);
        let choice = draw_rules(&mut rng);
        let seats = choice.iter().find(|(name, _)| *name == "seats").expect("they are drawn").1;
        let fen = sparse(&mut rng, seats);
        let Some((mut fast, mut slow)) = read_by_both(GAME, &fen, &choice) else { continue };
        let mut last = BTreeMap::new();
        let is_restless = rng.below(2) == 0;
        reasons.add(play_out(fast.as_mut(), slow.as_mut(), 120, |state| {
            let name = if is_restless {
                restless(state, &mut last, &mut rng)
            } else {
                hungry(state, &mut rng)
            };
            passes += u32::from(name == "pass");
            name
        }));
    }
    assert!(passes > 12, "only {passes} passes");
    reasons.check(&["kingdoms", "captures", "last_standing", "repetition", "quiet_limit"]);
}

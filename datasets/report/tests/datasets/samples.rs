//! Sample records and folders for the tests.

use std::path::Path;

use darkqi_format::{
    DRAW, Dataset, DatasetWriter, Error, FirstReveal, GameRecord, Metadata, MoveName, PieceName,
    PlyRecord, PolicyEntry,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

pub(crate) fn metadata() -> Metadata {
    Metadata {
        game: "jieqi".into(),
        options: [
            ("captured".to_string(), "captor".into()),
            ("max_plies".to_string(), 600.into()),
            ("repetition".to_string(), true.into()),
        ]
        .into(),
        // Above 2^53, to detect a conversion to a float.
        seed: u64::MAX - 1,
        agents: vec!["random".into(), "greedy \"1\", ρ".into()],
        software_version: "0.1.0".into(),
    }
}

/// Checks that the message contains all `parts`.
pub(crate) fn says(error: &Error, parts: &[&str]) {
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "{message:?} does not say {part:?}");
    }
}

/// A game whose contents follow from its id.
pub(crate) fn game(game_id: u64, plies: u16) -> GameRecord {
    let seat = |ply: u16| (ply % 2) as i8;
    let reveal = !game_id.is_multiple_of(3);
    GameRecord {
        game_id,
        seed: game_id.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        deal: format!("deal {game_id}"),
        agents: vec!["random".into(), "greedy".into()],
        plies,
        winner: if game_id.is_multiple_of(2) { 1 } else { DRAW },
        rewards: vec![-1.0, 1.0],
        terminated: !game_id.is_multiple_of(5),
        reason: "checkmate".into(),
        first_player: 0,
        first_reveal: reveal.then(|| FirstReveal {
            square: "b10".into(),
            kind: 'H',
            color: 'b',
            player: 1,
        }),
        deal_id: game_id / 2,
        moves: (0..plies)
            .map(|ply| PlyRecord {
                player: seat(ply),
                action: ply.wrapping_mul(37),
                mv: MoveName::from("h10g8").unwrap(),
                legal_count: 40 + ply % 7,
                revealed: (ply % 3 == 0).then(|| PieceName::from("R").unwrap()),
                captured: (ply % 4 == 0).then(|| PieceName::from("p").unwrap()),
                captured_covered: ply % 8 == 0,
                value: (ply % 3 != 1).then(|| [0.25, -0.25].into()),
                policy: (ply % 5 != 2).then(|| policy(ply)),
            })
            .collect(),
    }
}

/// A policy of zero to two actions.
fn policy(ply: u16) -> Box<[PolicyEntry]> {
    let entry = |action| PolicyEntry { action, probability: 1.0 / f32::from(ply % 3) };
    (0..ply % 3).map(entry).collect()
}

/// Games with consecutive ids from `first` and 0 to 30 plies each.
pub(crate) fn games(first: u64, count: u64) -> Vec<GameRecord> {
    (first..first + count).map(|id| game(id, (id * 7 % 31) as u16)).collect()
}

/// Writes one shard per slice and finishes the dataset.
pub(crate) fn write(dir: &Path, shards: &[&[GameRecord]]) {
    write_as(metadata(), dir, shards);
}

/// [`write`] with other metadata.
pub(crate) fn write_as(metadata: Metadata, dir: &Path, shards: &[impl AsRef<[GameRecord]>]) {
    let mut writer = DatasetWriter::create(dir, metadata).unwrap();
    for (number, games) in (0..).zip(shards) {
        writer.write_shard(number, games.as_ref()).unwrap();
    }
    writer.finish().unwrap();
}

pub(crate) fn read(dir: &Path) -> Vec<GameRecord> {
    let dataset = Dataset::open(dir).unwrap();
    dataset.replays().collect::<Result<_, _>>().unwrap()
}

fn any_ply() -> impl Strategy<Value = PlyRecord> {
    let name = |text: String| PieceName::from(&text).unwrap();
    let piece = || option::of("[a-zA-Z]{1,4}".prop_map(name));
    let head = (any::<i8>(), any::<u16>(), "[a-s]?[0-9a-z]{0,11}");
    let tail = (any::<u16>(), piece(), piece(), any::<bool>());
    let entry = (any::<u16>(), 0.0..1.0_f32)
        .prop_map(|(action, probability)| PolicyEntry { action, probability });
    let value = option::of(vec(-1.0..1.0_f32, 0..4));
    let policy = option::of(vec(entry, 0..6));
    (head, tail, value, policy).prop_map(|(head, tail, value, policy)| {
        let (player, action, mv): (i8, u16, String) = head;
        let (legal_count, revealed, captured, captured_covered) = tail;
        PlyRecord {
            player,
            action,
            mv: MoveName::from(&mv).unwrap(),
            legal_count,
            revealed,
            captured,
            captured_covered,
            value: value.map(Vec::into),
            policy: policy.map(Vec::into),
        }
    })
}

fn any_reveal() -> impl Strategy<Value = FirstReveal> {
    (any::<String>(), any::<char>(), any::<char>(), any::<i8>())
        .prop_map(|(square, kind, color, player)| FirstReveal { square, kind, color, player })
}

fn any_game() -> impl Strategy<Value = GameRecord> {
    let head = (
        any::<u64>(),
        any::<String>(),
        vec(any::<String>(), 0..4),
        any::<i8>(),
        vec(-2.0_f32..2.0, 0..8),
    );
    let tail = (
        any::<bool>(),
        any::<String>(),
        any::<i8>(),
        option::of(any_reveal()),
        any::<u64>(),
        vec(any_ply(), 0..40),
    );
    (head, tail).prop_map(
        |(
            (seed, deal, agents, winner, rewards),
            (terminated, reason, first_player, first_reveal, deal_id, moves),
        )| GameRecord {
            game_id: 0,
            seed,
            deal,
            agents,
            plies: moves.len() as u16,
            winner,
            rewards,
            terminated,
            reason: reason.into(),
            first_player,
            first_reveal,
            deal_id,
            moves,
        },
    )
}

/// A shard of random games whose ids ascend with gaps.
pub(crate) fn any_shard() -> impl Strategy<Value = Vec<GameRecord>> {
    let gap_and_game = (1_u64..1 << 40, any_game());
    vec(gap_and_game, 1..30).prop_map(|games| {
        let mut next_id = 0;
        let games = games.into_iter().map(|(gap, mut game)| {
            game.game_id = next_id;
            next_id += gap;
            game
        });
        games.collect()
    })
}

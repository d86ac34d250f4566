//! Training rows: each logged position once, in a reproducible order.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use darkqi_env::{
    Format, Options, Registered, Rng, Spec, Stream, Viewer, Visitor, game::GameExt, games,
};
use darkqi_format::training::{Sampler, SamplerConfig, TrainingBatch, TrainingRows};
use darkqi_format::{
    DRAW, Dataset, DatasetWriter, Error, GameRecord, Metadata, MoveName, PlyRecord,
    options_to_json, with_threads,
};
use tempfile::TempDir;

use crate::samples::{metadata, says, write_as};

/// A row of training.
#[derive(Clone, PartialEq, Debug)]
struct Row {
    observation: Vec<u8>,
    action_mask: Vec<u8>,
    action: i64,
    player: i8,
    reward: f32,
    legal_count: u16,
    game_id: u64,
    ply: u16,
}

/// The filled rows of a batch.
fn rows(batch: &TrainingBatch) -> Vec<Row> {
    let row = |row| Row {
        observation: batch.observation(row).to_vec(),
        action_mask: batch.action_mask(row).to_vec(),
        action: batch.action()[row],
        player: batch.player()[row],
        reward: batch.reward()[row],
        legal_count: batch.legal_count()[row],
        game_id: batch.game_id()[row],
        ply: batch.ply()[row],
    };
    (0..batch.len()).map(row).collect()
}

/// Fills buffers of 3 rows, but for that of rewards, which has this length.
fn fill(sampler: &mut Sampler, rewards: usize, stop: &AtomicBool) -> Result<usize, Error> {
    let lengths = sampler.lengths();
    let rows = TrainingRows {
        observation: &mut vec![0; 3 * lengths.observation],
        action_mask: &mut vec![0; 3 * lengths.mask],
        action: &mut [0; 3],
        player: &mut [0; 3],
        reward: &mut vec![0.0; rewards],
        legal_count: &mut [0; 3],
        game_id: &mut [0; 3],
        ply: &mut [0; 3],
        value: &mut [],
        policy: &mut [],
    };
    sampler.fill_until(rows, stop)
}

/// Plays random games, and computes the expected row of each ply.
struct Play<'a> {
    format: Format,
    first_id: u64,
    games: u64,
    rows: &'a mut Vec<Row>,
}

impl Visitor for Play<'_> {
    type Output = Vec<GameRecord>;

    fn visit<G: Registered>(self, rules: G) -> Vec<GameRecord> {
        (self.first_id..self.first_id + self.games)
            .map(|id| play(&rules, id, self.format, self.rows))
            .collect()
    }
}

fn play<G: Registered>(rules: &G, id: u64, format: Format, rows: &mut Vec<Row>) -> GameRecord {
    let mut state = rules.deal(&mut Rng::new(id, Stream::Deal));
    let rng = &mut Rng::new(id, Stream::Sample);
    let (deal, first_player) = (rules.fen(&state), rules.to_move(&state) as i8);
    let first_row = rows.len();
    let mut moves = Vec::new();
    let outcome = loop {
        let legal = rules.actions(&state);
        if let Some(outcome) = rules.outcome_given(&state, !legal.is_empty()) {
            break outcome;
        }
        let action = *rng.choose(&legal);
        let player = rules.to_move(&state);
        let mut observation = vec![0; format.len(&G::LAYOUT)];
        format.write(rules, &rules.view(&state, Viewer::Player(player)), &mut observation);
        let mut action_mask = vec![0; rules.table().len()];
        legal.iter().for_each(|action| action_mask[action.index()] = 1);
        rows.push(Row {
            observation,
            action_mask,
            action: action.0.into(),
            player: player as i8,
            reward: f32::NAN,
            legal_count: legal.len() as u16,
            game_id: id,
            ply: moves.len() as u16,
        });
        moves.push(PlyRecord {
            player: player as i8,
            action: action.0,
            mv: MoveName::from(
                &rules.table().name(action, rules.perspective(rules.to_move(&state))),
            )
            .unwrap(),
            legal_count: legal.len() as u16,
            ..PlyRecord::default()
        });
        rules.play(&mut state, action);
    };
    for row in &mut rows[first_row..] {
        row.reward = outcome.rewards()[row.player as usize];
    }
    GameRecord {
        game_id: id,
        seed: id,
        deal,
        agents: vec!["random".into(); rules.players()],
        plies: moves.len() as u16,
        winner: outcome.winners().next().map_or(DRAW, |seat| seat as i8),
        rewards: outcome.rewards().to_vec(),
        terminated: !outcome.truncated(),
        reason: outcome.reason.name().into(),
        first_player,
        deal_id: id,
        moves,
        ..GameRecord::default()
    }
}

/// A dataset of three shards, and its rows in the order of the log.
fn dataset(game: &str, format: Format) -> (TempDir, Vec<Row>) {
    let mut rows = Vec::new();
    let shards: Vec<_> = [(0, 3), (3, 1), (4, 4)]
        .map(|(first_id, games)| {
            let play = Play { format, first_id, games, rows: &mut rows };
            games::with(game, &Options::new(), play).unwrap()
        })
        .into();
    (write(game, &shards), rows)
}

fn write(game: &str, shards: &[Vec<GameRecord>]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let options = Spec::new(game, &Options::new()).unwrap().options_in_force();
    let metadata = Metadata {
        game: game.into(),
        options: options_to_json(&options),
        agents: vec!["random".into()],
        ..metadata()
    };
    write_as(metadata, folder.path(), shards);
    folder
}

/// All rows of an epoch, read in batches of `at_once`.
fn read(folder: &Path, config: &SamplerConfig, at_once: usize) -> Result<Vec<Row>, Error> {
    let mut sampler = Sampler::open(&Dataset::open(folder)?, config)?;
    // Previous contents must be overwritten.
    let mut batch = TrainingBatch::new(&sampler, at_once);
    let mut read = Vec::new();
    while batch.fill(&mut sampler)? > 0 {
        read.extend(rows(&batch));
    }
    Ok(read)
}

fn logged() -> SamplerConfig {
    SamplerConfig { shuffle: false, buffer_size: 100, ..SamplerConfig::default() }
}

fn key(row: &Row) -> (u64, u16) {
    (row.game_id, row.ply)
}

#[test]
fn rows_are_those_of_replayed_games() {
    for &game in games::names() {
        for format in [Format::Planes, Format::Tokens] {
            let (folder, expected) = dataset(game, format);
            let dataset = Dataset::open(folder.path()).unwrap();
            let config = SamplerConfig { format, ..logged() };
            let mut sampler = Sampler::open(&dataset, &config).unwrap();
            let mut batch = TrainingBatch::new(&sampler, 64);
            assert!(batch.is_empty() && batch.action().is_empty());
            let mut read = Vec::new();
            while batch.fill(&mut sampler).unwrap() > 0 {
                read.extend(rows(&batch));
            }
            assert!(read == expected, "{game}, {format:?}");
            assert_eq!((batch.len(), batch.reward().len()), (0, 0));
            assert_eq!(batch.fill(&mut sampler).unwrap(), 0, "the epoch is over");
        }
    }
}

#[test]
fn shuffled_epochs_hold_each_row_once_in_different_orders() {
    let (folder, rows) = dataset("gaiqi", Format::Tokens);
    let mut orders = BTreeSet::new();
    for (seed, epoch) in [(0, 0), (0, 1), (1, 0)] {
        for buffer_size in [1, 50, 1 << 16] {
            let config = SamplerConfig {
                format: Format::Tokens,
                seed,
                epoch,
                buffer_size,
                ..SamplerConfig::default()
            };
            let mut read = read(folder.path(), &config, 33).unwrap();
            orders.insert(read.iter().map(key).collect::<Vec<_>>());
            read.sort_by_key(key);
            assert!(read == rows);
        }
    }
    assert_eq!(orders.len(), 9);
}

#[test]
fn threads_and_batches_do_not_change_the_rows() {
    let (folder, _) = dataset("jieqi", Format::Planes);
    let read = |threads, at_once| {
        let config =
            SamplerConfig { threads, buffer_size: 700, seed: 5, ..SamplerConfig::default() };
        read(folder.path(), &config, at_once).unwrap()
    };
    let rows = read(Some(1), 100);
    for (threads, at_once) in [(Some(2), 1), (None, 1000), (Some(1), 333)] {
        assert!(read(threads, at_once) == rows, "{threads:?}, {at_once}");
    }
}

#[test]
fn workers_share_the_games_evenly() {
    let (folder, rows) = dataset("banqi", Format::Tokens);
    let games =
        |share: &Vec<Row>| share.iter().map(|row| row.game_id).collect::<BTreeSet<_>>().len();
    for shuffle in [false, true] {
        for num_workers in [1, 2, 3, 20] {
            let share = |worker| {
                let format = Format::Tokens;
                let config = SamplerConfig { format, shuffle, worker, num_workers, ..logged() };
                read(folder.path(), &config, 100).unwrap()
            };
            let shares: Vec<_> = (0..num_workers).map(share).collect();
            let counts: Vec<_> = shares.iter().map(games).collect();
            assert_eq!(counts.iter().sum::<usize>(), 8, "no game belongs to two workers");
            assert!(counts.iter().max() <= counts.iter().min().map(|least| least + 1).as_ref());
            let mut together = shares.concat();
            together.sort_by_key(key);
            assert!(together == rows);
        }
    }
}

/// The error of reading games of gaiqi after a change to one of them.
fn read_error(change: impl FnOnce(&mut GameRecord)) -> Error {
    let play = Play { format: Format::Tokens, first_id: 0, games: 3, rows: &mut Vec::new() };
    let mut games = games::with("gaiqi", &Options::new(), play).unwrap();
    change(&mut games[1]);
    let folder = write("gaiqi", &[games]);
    read(folder.path(), &logged(), 64).unwrap_err()
}

#[test]
fn a_log_that_contradicts_the_rules_is_refused() {
    let value = |change: fn(&mut GameRecord), parts: &[&str]| {
        let error = read_error(change);
        assert!(matches!(error, Error::Value { .. }), "{error:?}");
        says(&error, parts);
    };
    value(
        |game| game.moves[5].action = 9999,
        &["plies/00000.parquet, column `action`, row ", "one of ", "(game 1, ply 5), found 9999"],
    );
    value(
        |game| game.moves[2].legal_count += 1,
        &["plies/00000.parquet, column `legal_count`", "(game 1, ply 2), found "],
    );
    value(
        |game| game.moves[0].player = 1,
        &["plies/00000.parquet, column `player`", "expected 0 (game 1, ply 0), found 1"],
    );
    value(
        |game| game.deal = "8/8".into(),
        &[
            "games/00000.parquet, column `deal`, row 1: expected a full FEN",
            "(game 1), found \"8/8\"",
        ],
    );
    value(
        |game| game.rewards = vec![0.25, -0.25],
        &["column `rewards`, row 1: expected [", "(game 1), found [0.25, -0.25]"],
    );
    value(
        |game| {
            game.moves.pop();
            game.plies -= 1;
        },
        &["column `plies`, row 1: expected more, as the game has not ended (game 1), found "],
    );
    value(
        |game| {
            game.moves.extend(game.moves.last().cloned());
            game.plies += 1;
        },
        &["column `plies`, row 1: expected ", "where it ends (", "(game 1), found "],
    );
}

#[test]
fn an_error_ends_the_epoch() {
    let (folder, _) = dataset("gaiqi", Format::Tokens);
    let file = folder.path().join("plies/00001.parquet");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let config = SamplerConfig { format: Format::Tokens, buffer_size: 1, ..logged() };
    let mut sampler = Sampler::open(&Dataset::open(folder.path()).unwrap(), &config).unwrap();
    let mut batch = TrainingBatch::new(&sampler, 1000);
    let error = batch.fill(&mut sampler).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
    says(&error, &["plies/00001.parquet", "complete Parquet file"]);
    assert_eq!(batch.fill(&mut sampler).unwrap(), 0);
}

#[test]
fn arguments_out_of_range_are_refused() {
    let (folder, _) = dataset("gaiqi", Format::Tokens);
    let dataset = Dataset::open(folder.path()).unwrap();
    let refused = |config: SamplerConfig, text: &str| {
        let error = Sampler::open(&dataset, &config).unwrap_err();
        assert_eq!(error.to_string(), text);
    };
    refused(
        SamplerConfig { buffer_size: 0, ..logged() },
        "buffer_size: expected at least 1 row, found 0",
    );
    let text = "worker: expected a number below the 2 workers, found 2";
    refused(SamplerConfig { worker: 2, num_workers: 2, ..logged() }, text);
    let text = "num_workers: expected a number from 1 that fits 32 bits, found 0";
    refused(SamplerConfig { num_workers: 0, ..logged() }, text);
    let text = "threads: expected a number from 1 to 1024, found 0";
    refused(SamplerConfig { threads: Some(0), ..logged() }, text);

    let mut sampler = Sampler::open(&dataset, &logged()).unwrap();
    let go_on = AtomicBool::new(false);
    let error = fill(&mut sampler, 2, &go_on).unwrap_err();
    assert_eq!(error.to_string(), "reward: expected 3 rows of 1 as `action` has 3, found 2");
    assert_eq!(fill(&mut sampler, 3, &go_on).unwrap(), 3, "nothing was lost");
}

#[test]
fn a_dataset_of_another_game_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let metadata = Metadata { game: "chess".into(), ..metadata() };
    DatasetWriter::create(folder.path(), metadata).unwrap().finish().unwrap();
    let error = Sampler::open(&Dataset::open(folder.path()).unwrap(), &logged()).unwrap_err();
    assert!(matches!(error, Error::Setup(_)), "{error:?}");
    says(&error, &["unknown game `chess`"]);
}

#[test]
fn a_stopped_epoch_is_over() {
    let (folder, _) = dataset("gaiqi", Format::Tokens);
    let dataset = Dataset::open(folder.path()).unwrap();
    for threads in [Some(1), Some(2), None] {
        let config = SamplerConfig { format: Format::Tokens, threads, ..logged() };
        let mut sampler = Sampler::open(&dataset, &config).unwrap();
        let mut fill = |stop| fill(&mut sampler, 3, &AtomicBool::new(stop));
        assert_eq!(fill(false).unwrap(), 3);
        let error = fill(true).unwrap_err();
        assert!(matches!(error, Error::Stopped), "{error:?}");
        assert_eq!(fill(false).unwrap(), 0);
    }
}

#[test]
fn threads_are_those_that_are_asked_for() {
    let count = |threads| with_threads(threads, rayon::current_num_threads);
    assert_eq!(count(Some(1)).unwrap(), 1);
    assert_eq!(count(Some(3)).unwrap(), 3);
    assert!(count(None).unwrap() >= 1);
    for bad in [0, 1025] {
        let text = format!("threads: expected a number from 1 to 1024, found {bad}");
        assert_eq!(count(Some(bad)).unwrap_err().to_string(), text);
    }
}

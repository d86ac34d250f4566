//! Training rows: each logged position once, in a reproducible order.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_env::{
    Format, Options, Registered, Rng, Spec, Stream, Viewer, Visitor, batch::RowLengths,
    game::GameExt, games,
};
use darkqi_format::training::{SamplerConfig, TrainingBatch, TrainingRows};
use darkqi_format::{
    DRAW, Dataset, DatasetWriter, Error, GameRecord, Metadata, MoveName, PlyRecord,
    options_to_json, training, with_threads,
};
use tempfile::TempDir;

use crate::samples::says;

/// A row, or a batch of rows, by columns.
#[derive(Clone, PartialEq, Debug, Default)]
struct Columns {
    observation: Vec<u8>,
    action_mask: Vec<u8>,
    action: Vec<i64>,
    player: Vec<i8>,
    reward: Vec<f32>,
    legal_count: Vec<u16>,
    game_id: Vec<u64>,
    ply: Vec<u16>,
}

impl Columns {
    fn rows(&mut self) -> TrainingRows<'_> {
        TrainingRows {
            observation: &mut self.observation,
            action_mask: &mut self.action_mask,
            action: &mut self.action,
            player: &mut self.player,
            reward: &mut self.reward,
            legal_count: &mut self.legal_count,
            game_id: &mut self.game_id,
            ply: &mut self.ply,
            value: &mut [],
            policy: &mut [],
        }
    }

    fn room(rows: usize, lengths: RowLengths) -> Self {
        // Previous contents must be overwritten.
        Self {
            observation: vec![9; rows * lengths.observation],
            action_mask: vec![9; rows * lengths.mask],
            action: vec![9; rows],
            player: vec![9; rows],
            reward: vec![9.0; rows],
            legal_count: vec![9; rows],
            game_id: vec![9; rows],
            ply: vec![9; rows],
        }
    }

    fn row(&self, row: usize, lengths: RowLengths) -> Self {
        let part = |bytes: &[u8], length| bytes[row * length..][..length].to_vec();
        Self {
            observation: part(&self.observation, lengths.observation),
            action_mask: part(&self.action_mask, lengths.mask),
            action: vec![self.action[row]],
            player: vec![self.player[row]],
            reward: vec![self.reward[row]],
            legal_count: vec![self.legal_count[row]],
            game_id: vec![self.game_id[row]],
            ply: vec![self.ply[row]],
        }
    }
}

/// Plays random games, and computes the expected row of each ply.
struct Play<'a> {
    format: Format,
    first_id: u64,
    games: u64,
    rows: &'a mut Vec<Columns>,
}

impl Visitor for Play<'_> {
    type Output = Vec<GameRecord>;

    fn visit<G: Registered>(self, rules: G) -> Vec<GameRecord> {
        (self.first_id..self.first_id + self.games)
            .map(|id| play(&rules, id, self.format, self.rows))
            .collect()
    }
}

fn play<G: Registered>(rules: &G, id: u64, format: Format, rows: &mut Vec<Columns>) -> GameRecord {
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
        rows.push(Columns {
            observation,
            action_mask,
            action: vec![action.0.into()],
            player: vec![player as i8],
            reward: Vec::new(),
            legal_count: vec![legal.len() as u16],
            game_id: vec![id],
            ply: vec![moves.len() as u16],
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
        row.reward = vec![outcome.rewards()[row.player[0] as usize]];
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
fn dataset(game: &str, format: Format) -> (TempDir, Vec<Columns>) {
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
        seed: 0,
        agents: vec!["random".into()],
        software_version: "0.1.0".into(),
    };
    let mut writer = DatasetWriter::create(folder.path(), metadata).unwrap();
    for (number, games) in (0..).zip(shards) {
        writer.write_shard(number, games).unwrap();
    }
    writer.finish().unwrap();
    folder
}

/// All rows of an epoch, read in batches of `at_once`.
fn read(folder: &Path, config: &SamplerConfig, at_once: usize) -> Result<Vec<Columns>, Error> {
    let mut sampler = training::open(&Dataset::open(folder)?, config)?;
    let lengths = sampler.lengths();
    let mut rows = Vec::new();
    loop {
        let mut batch = Columns::room(at_once, lengths);
        let filled = sampler.fill(batch.rows())?;
        rows.extend((0..filled).map(|row| batch.row(row, lengths)));
        if filled < at_once {
            assert_eq!(sampler.fill(batch.rows())?, 0, "the epoch is over");
            return Ok(rows);
        }
    }
}

fn logged() -> SamplerConfig {
    SamplerConfig { shuffle: false, buffer_size: 100, ..SamplerConfig::default() }
}

fn key(row: &Columns) -> (u64, u16) {
    (row.game_id[0], row.ply[0])
}

#[test]
fn rows_are_those_of_replayed_games() {
    for &game in games::names() {
        for format in [Format::Planes, Format::Tokens] {
            let (folder, rows) = dataset(game, format);
            let read = read(folder.path(), &SamplerConfig { format, ..logged() }, 64).unwrap();
            assert!(read == rows, "{game}, {format:?}");
        }
    }
}

#[test]
fn views_are_shaped_and_show_filled_rows_only() {
    for format in [Format::Planes, Format::Tokens] {
        let (folder, rows) = dataset("jieqi", format);
        let dataset = Dataset::open(folder.path()).unwrap();
        let config = SamplerConfig { format, ..logged() };
        let mut sampler = training::open(&dataset, &config).unwrap();
        let mut batch = TrainingBatch::new(&*sampler, 100);
        assert!(batch.is_empty() && batch.action_mask().nrows() == 0);
        let mut first = 0;
        while batch.fill(&mut *sampler).unwrap() > 0 {
            let rows = &rows[first..first + batch.len()];
            first += batch.len();
            match format {
                Format::Planes => {
                    let planes = batch.planes().unwrap();
                    assert_eq!(planes.shape()[0], rows.len());
                    assert_eq!(planes.shape()[2..], [10, 9]);
                    let expected = rows.iter().flat_map(|row| &row.observation);
                    assert!(batch.tokens().is_none() && planes.iter().eq(expected));
                }
                Format::Tokens => {
                    let tokens = batch.tokens().unwrap();
                    assert_eq!(tokens.nrows(), rows.len());
                    let expected = rows.iter().flat_map(|row| &row.observation);
                    assert!(batch.planes().is_none() && tokens.iter().eq(expected));
                }
            }
            let mask = batch.action_mask();
            assert_eq!(mask.dim(), (rows.len(), rows[0].action_mask.len()));
            assert!(mask.iter().eq(rows.iter().flat_map(|row| &row.action_mask)));
            assert!(batch.action().iter().eq(rows.iter().flat_map(|row| &row.action)));
            assert!(batch.player().iter().eq(rows.iter().flat_map(|row| &row.player)));
            assert!(batch.reward().iter().eq(rows.iter().flat_map(|row| &row.reward)));
            assert!(batch.legal_count().iter().eq(rows.iter().flat_map(|row| &row.legal_count)));
            assert!(batch.game_id().iter().eq(rows.iter().flat_map(|row| &row.game_id)));
            assert!(batch.ply().iter().eq(rows.iter().flat_map(|row| &row.ply)));
        }
        assert_eq!(first, rows.len());
        assert_eq!((batch.len(), batch.reward().len()), (0, 0));
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
fn workers_share_the_games() {
    let (folder, rows) = dataset("banqi", Format::Tokens);
    for shuffle in [false, true] {
        let share = |worker| {
            let config = SamplerConfig {
                format: Format::Tokens,
                shuffle,
                worker,
                num_workers: 3,
                ..logged()
            };
            read(folder.path(), &config, 100).unwrap()
        };
        let shares = [0, 1, 2].map(share);
        let games = shares
            .each_ref()
            .map(|share| share.iter().map(|row| row.game_id[0]).collect::<BTreeSet<_>>().len());
        assert_eq!(games.iter().sum::<usize>(), 8, "no game belongs to two workers");
        let mut together = shares.concat();
        together.sort_by_key(key);
        assert!(together == rows);
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
    let mut sampler = training::open(&Dataset::open(folder.path()).unwrap(), &config).unwrap();
    let mut batch = Columns::room(1000, sampler.lengths());
    let error = sampler.fill(batch.rows()).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
    says(&error, &["plies/00001.parquet", "complete Parquet file"]);
    assert_eq!(sampler.fill(batch.rows()).unwrap(), 0);
}

#[test]
fn a_manifest_with_too_many_games_is_refused() {
    let (folder, _) = dataset("gaiqi", Format::Tokens);
    let manifest = folder.path().join("dataset.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let games = "\"games\": 18446744073709551615";
    fs::write(&manifest, text.replacen("\"games\": 3", games, 1)).unwrap();
    let error = read(folder.path(), &logged(), 64).unwrap_err();
    assert!(matches!(error, Error::RowCount { .. }), "{error:?}");
    says(&error, &["games/00000.parquet: expected 18446744073709551615 rows, found 3"]);
}

#[test]
fn arguments_out_of_range_are_refused() {
    let (folder, _) = dataset("gaiqi", Format::Tokens);
    let dataset = Dataset::open(folder.path()).unwrap();
    let refused = |config: SamplerConfig, text: &str| {
        let error = training::open(&dataset, &config).unwrap_err();
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

    let mut sampler = training::open(&dataset, &logged()).unwrap();
    let mut batch = Columns::room(3, sampler.lengths());
    batch.reward.pop();
    let error = sampler.fill(batch.rows()).unwrap_err();
    assert_eq!(error.to_string(), "reward: expected 3 rows of 1 as `action` has 3, found 2");
    batch.reward.push(0.0);
    assert_eq!(sampler.fill(batch.rows()).unwrap(), 3, "nothing was lost");
}

#[test]
fn a_dataset_of_another_game_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let metadata = Metadata { game: "chess".into(), ..crate::samples::metadata() };
    DatasetWriter::create(folder.path(), metadata).unwrap().finish().unwrap();
    let error = training::open(&Dataset::open(folder.path()).unwrap(), &logged()).unwrap_err();
    assert!(matches!(error, Error::Setup(_)), "{error:?}");
    says(&error, &["unknown game `chess`"]);
}

#[test]
fn a_stopped_epoch_is_over() {
    let (folder, rows) = dataset("gaiqi", Format::Tokens);
    let dataset = Dataset::open(folder.path()).unwrap();
    for threads in [Some(1), Some(2), None] {
        let config = SamplerConfig { format: Format::Tokens, threads, ..logged() };
        let mut sampler = training::open(&dataset, &config).unwrap();
        let mut batch = Columns::room(10, sampler.lengths());
        let stop = AtomicBool::new(false);
        assert_eq!(sampler.fill_until(batch.rows(), &stop).unwrap(), 10);
        assert!(batch.row(9, sampler.lengths()) == rows[9]);
        stop.store(true, Ordering::Relaxed);
        let error = sampler.fill_until(batch.rows(), &stop).unwrap_err();
        assert!(matches!(error, Error::Stopped), "{error:?}");
        stop.store(false, Ordering::Relaxed);
        assert_eq!(sampler.fill_until(batch.rows(), &stop).unwrap(), 0);
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

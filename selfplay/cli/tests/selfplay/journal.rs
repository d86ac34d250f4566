//! Games of an unfinished shard: the journal keeps them, and a resumed run checks and reads them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use darkqi_datasets::{Dataset, GameRecord, Journals};
use darkqi_play::generation::{Config, Summary, kept_games, selfplay};
use darkqi_play::reporting::Progress;
use tempfile::{TempDir, tempdir};

use super::StopAfter;
use super::cli::run;
use super::config;
use super::contents;
use super::play;

/// Counts down the games that are played.
#[derive(Default)]
struct Count(AtomicU64);

impl Progress for Count {
    fn begin(&self, games: u64, finished: u64) {
        self.0.store(games - finished, Ordering::Relaxed);
    }

    fn played(&self, _: u16) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn folder() -> TempDir {
    tempdir().expect("a folder can be made")
}

/// A run of one shard and a short second one.
fn begun(dir: &Path) -> Config {
    Config { shard_games: 40, seed: 3, resume: true, ..config("gaiqi", "random", 60, dir) }
}

fn stop_after(config: &Config, games: u64) -> Summary {
    let watch = StopAfter::games(games);
    selfplay(config, &watch, &watch.stop).expect("stopping is no error")
}

/// Plays what is missing and returns how many games that were.
fn resume(config: &Config) -> u64 {
    let (count, stop) = (Count::default(), AtomicBool::new(false));
    let summary = selfplay(config, &count, &stop).expect("the run succeeds");
    assert_eq!(count.0.load(Ordering::Relaxed), 0, "the number of games to play was wrong");
    assert_eq!((summary.complete, summary.games), (true, config.games));
    summary.games - summary.kept_games
}

fn journal(dir: &Path) -> PathBuf {
    dir.join(".00000.journal")
}

/// The journals of the run that wrote a journal. Its first entry is the run.
fn journals(dir: &Path) -> Journals {
    let bytes = fs::read(journal(dir)).expect("there is a journal");
    let length = u64::from_le_bytes(bytes[8..16].try_into().expect("there are 8 bytes"));
    Journals::new(dir, &bytes[24..24 + length as usize])
}

#[test]
fn a_stopped_run_keeps_its_games_and_does_not_play_them_again() {
    let folder = folder();
    let [dir, whole] = ["stopped", "whole"].map(|name| folder.path().join(name));
    play(&begun(&whole));
    let summary = stop_after(&begun(&dir), 7);
    assert_eq!((summary.complete, summary.games, summary.kept_games), (false, 7, 0));
    assert_eq!(kept_games(&begun(&dir)).expect("they can be counted"), 7);
    assert_eq!(Dataset::open(&dir).expect("it can be read").num_games(), 0);
    run(&format!("verify {}", dir.display())).expect("a journal is no fault");

    let summary = stop_after(&begun(&dir), 5);
    assert_eq!((summary.games, summary.kept_games), (12, 7));
    let lengths: u64 = journals(&dir).read(0).expect("it can be read").iter().map(plies).sum();
    assert_eq!(summary.plies, lengths);
    // A summary of the stopped run counts its games seat by seat.
    let seat = &summary.seats[0];
    assert_eq!(seat.wins + seat.draws + seat.losses + seat.truncated, 12);

    assert_eq!(resume(&begun(&dir)), 60 - 12);
    assert!(contents(&dir) == contents(&whole));
}

fn plies(game: &GameRecord) -> u64 {
    game.plies.into()
}

#[test]
fn an_unfinished_deal_is_kept_but_not_counted() {
    let folder = folder();
    let [dir, whole] = ["stopped", "whole"].map(|name| folder.path().join(name));
    let duplicate = |dir: &Path| Config { duplicate: true, ..begun(dir) };
    play(&duplicate(&whole));
    let summary = stop_after(&duplicate(&dir), 7);
    assert_eq!(summary.games, 6);
    assert_eq!(kept_games(&duplicate(&dir)).expect("they can be counted"), 7);
    assert_eq!(resume(&duplicate(&dir)), 60 - 7);
    assert!(contents(&dir) == contents(&whole));
}

#[test]
fn a_run_until_a_score_is_settled_counts_whole_shards() {
    let folder = folder();
    let [dir, whole] = ["stopped", "whole"].map(|name| folder.path().join(name));
    let until = |dir: &Path| Config {
        until: Some(0.1),
        shard_games: 100,
        ..config("gaiqi", "random", 5000, dir)
    };
    let expected = play(&until(&whole));
    let stopped = stop_after(&Config { resume: true, ..until(&dir) }, 130);
    assert_eq!(stopped.games, 130);
    assert_eq!(stopped.settled.expect("it is asked for").deals, 100);
    let summary = play(&Config { resume: true, ..until(&dir) });
    assert_eq!((summary.kept_games, summary.settled), (130, expected.settled));
    assert!(contents(&dir) == contents(&whole));
}

#[test]
fn a_longer_run_keeps_the_journal_of_a_short_shard() {
    let folder = folder();
    let [dir, whole] = ["stopped", "whole"].map(|name| folder.path().join(name));
    play(&begun(&whole));
    // The second shard has 5 of its 20 games, and is extended when the run is stopped.
    play(&Config { games: 45, ..begun(&dir) });
    assert_eq!(stop_after(&begun(&dir), 3).games, 48);
    assert_eq!(kept_games(&begun(&dir)).expect("they can be counted"), 48);
    assert_eq!(resume(&begun(&dir)), 12);
    assert!(contents(&dir) == contents(&whole));
}

type Forge<'a> = &'a dyn Fn(&mut GameRecord);

#[test]
fn forged_games_of_a_journal_are_played_again() {
    let folder = folder();
    let [dir, whole] = ["forged", "whole"].map(|name| folder.path().join(name));
    play(&begun(&whole));
    stop_after(&begun(&dir), 12);
    let sound = fs::read(journal(&dir)).expect("there is a journal");
    let journals = journals(&dir);
    let games = journals.read(0).expect("it can be read");
    let forgeries: [(&str, Forge<'_>); 14] = [
        ("id of another game", &|game| game.game_id += 20),
        ("id of another shard", &|game| game.game_id += 40),
        ("id of no shard", &|game| game.game_id = u64::MAX),
        ("seed", &|game| game.seed += 1),
        ("pair_id", &|game| game.pair_id += 1),
        ("agents", &|game| game.agents[1] = "greedy".to_owned()),
        ("fewer agents", &|game| game.agents.truncate(1)),
        ("deal", &|game| game.deal.clear()),
        ("deal of another game", &|game| game.deal.clone_from(&games[11].deal)),
        ("number of plies", &|game| game.plies += 1),
        ("missing plies", &|game| game.moves.truncate(3)),
        ("rewards", &|game| game.rewards = vec![1.0; 3]),
        ("action", &|game| game.moves[2].action = u16::MAX),
        ("legal_count", &|game| game.moves[0].legal_count += 1),
    ];
    for (name, forge) in forgeries {
        let mut forged = games.clone();
        forge(&mut forged[4]);
        begin_again(&begun(&dir));
        journals.open(0).and_then(|mut file| file.append(&forged)).expect("it can be written");
        assert_eq!(kept_games(&begun(&dir)).expect("they can be counted"), 11, "{name}");
        assert_eq!(resume(&begun(&dir)), 60 - 11, "{name}");
        assert!(contents(&dir) == contents(&whole), "{name}");
    }
    begin_again(&begun(&dir));
    // Every game twice, the second time with another result.
    let mut twice = games.clone();
    twice.extend(games.iter().cloned().map(|game| GameRecord { winner: 7, ..game }));
    journals.open(0).and_then(|mut file| file.append(&twice)).expect("it can be written");
    assert_eq!(resume(&begun(&dir)), 60 - 12);
    assert!(contents(&dir) == contents(&whole));

    // The journal of a run with another seed, a file that is no journal, and the sound journal.
    let other = Config { seed: 4, ..begun(&folder.path().join("other")) };
    stop_after(&other, 12);
    let foreign = fs::read(journal(&other.dir)).expect("there is a journal");
    for (bytes, played) in [(foreign, 60), (b"?".to_vec(), 60), (sound, 48)] {
        begin_again(&begun(&dir));
        fs::write(journal(&dir), bytes).expect("it can be written");
        assert_eq!(resume(&begun(&dir)), played);
        assert!(contents(&dir) == contents(&whole));
    }
}

/// Replaces the folder by a dataset without games.
fn begin_again(config: &Config) {
    if config.dir.exists() {
        fs::remove_dir_all(&config.dir).expect("it can be removed");
    }
    let summary = selfplay(config, &(), &AtomicBool::new(true)).expect("stopping is no error");
    assert_eq!(summary.games, 0);
}

/// `/dev/full` behaves like a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_cannot_write_its_journal_goes_on() {
    let folder = folder();
    let [dir, whole] = ["full", "whole"].map(|name| folder.path().join(name));
    play(&begun(&whole));
    begin_again(&begun(&dir));
    std::os::unix::fs::symlink("/dev/full", journal(&dir)).expect("a link can be made");
    assert_eq!(stop_after(&begun(&dir), 7).games, 7);
    assert_eq!(resume(&begun(&dir)), 60);
    assert!(contents(&dir) == contents(&whole));
}

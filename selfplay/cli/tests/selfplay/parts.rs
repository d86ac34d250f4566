//! Games of an unfinished shard: parts keep them, and a resumed run checks and reads them.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use darkqi_engine::agent::NEVER;
use darkqi_format::{Dataset, GameRecord, Parts};
use darkqi_play::generation::{Job, finish, kept_games, selfplay};
use darkqi_play::reporting::Progress;

use super::cli::run;
use super::{StopAfter, config, contents, folder, play, stop_after};

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

/// A run of one shard and a short second one.
fn begun(dir: &Path) -> Job {
    Job { shard_games: 40, seed: 3, resume: true, ..config("gaiqi", "random", 60, dir) }
}

/// Plays what is missing and returns how many games that were.
fn resume(config: &Job) -> u64 {
    let count = Count::default();
    let summary = selfplay(config, &count, &NEVER).expect("the run succeeds");
    assert_eq!(count.0.load(Ordering::Relaxed), 0, "the number of games to play was wrong");
    assert_eq!((summary.complete, summary.games), (true, config.games));
    summary.games - summary.kept_games
}

/// The parts of the first shard.
fn files_of_parts(dir: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(dir.join("parts")).into_iter().flatten();
    found.map(|entry| entry.expect("it can be read").path()).collect()
}

/// The parts of the run that wrote a part, in which the run follows eight bytes and a length.
fn parts(dir: &Path) -> Parts {
    Parts::new(dir, run_of(dir)).expect("the folder can be opened")
}

fn run_of(dir: &Path) -> Vec<u8> {
    let part = fs::read(&files_of_parts(dir)[0]).expect("there is a part");
    let length = usize::from(part[8] & 0x7f) | usize::from(part[9]) << 7;
    part[10..10 + length].to_vec()
}

#[test]
fn a_stopped_run_keeps_its_games_and_does_not_play_them_again() {
    let folder = folder();
    let [dir, whole] = ["stopped", "whole"].map(|name| folder.path().join(name));
    play(&begun(&whole));
    let summary = stop_after(&begun(&dir), 7);
    assert_eq!((summary.complete, summary.games, summary.kept_games), (false, 7, 0));
    assert_eq!(kept_games(&dir).expect("they can be counted"), 7);
    assert_eq!(Dataset::open(&dir).expect("it can be read").num_games(), 0);
    run(&format!("verify {}", dir.display())).expect("a part is no fault");

    let summary = stop_after(&begun(&dir), 5);
    assert_eq!((summary.games, summary.kept_games), (12, 7));
    let lengths: u64 = parts(&dir).read(0).expect("it can be read").iter().map(plies).sum();
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
fn games_of_a_stopped_run_that_ended_before_earlier_ones_are_warned_of() {
    let folder = folder();
    let dir = folder.path().join("run");
    assert_eq!(stop_after(&begun(&dir), 7).warnings, []);
    let (files, parts) = (files_of_parts(&dir), parts(&dir));
    let games = parts.read(0).expect("it can be read");
    files.iter().for_each(|file| fs::remove_file(file).expect("it is there"));
    let later: Vec<&GameRecord> = games[1..].iter().collect();
    parts.write(0, 1, &later).expect("it is written");
    let stopped = AtomicBool::new(true);
    let summary = selfplay(&begun(&dir), &(), &stopped).expect("stopping is no error");
    assert_eq!(summary.games, 6);
    let warning = summary.warnings[0].to_string();
    assert!(warning.starts_with("6 of 6 deals ended before earlier ones"), "{warning}");
}

#[test]
fn an_unfinished_deal_is_kept_but_not_counted() {
    let folder = folder();
    let [dir, whole] = ["stopped", "whole"].map(|name| folder.path().join(name));
    let duplicate = |dir: &Path| Job { duplicate: true, ..begun(dir) };
    play(&duplicate(&whole));
    let summary = stop_after(&duplicate(&dir), 7);
    assert_eq!(summary.games, 6);
    assert_eq!(kept_games(&dir).expect("they can be counted"), 7);
    assert_eq!(resume(&duplicate(&dir)), 60 - 7);
    assert!(contents(&dir) == contents(&whole));
}

#[test]
fn a_run_until_a_score_is_settled_counts_whole_shards() {
    let folder = folder();
    let [dir, whole] = ["stopped", "whole"].map(|name| folder.path().join(name));
    let until = |dir: &Path| Job {
        until: Some(0.1),
        shard_games: 100,
        ..config("gaiqi", "random", 5000, dir)
    };
    let expected = play(&until(&whole));
    let stopped = stop_after(&Job { resume: true, ..until(&dir) }, 130);
    assert_eq!(stopped.games, 130);
    assert_eq!(stopped.settled.expect("it is asked for").deals, 100);
    let summary = play(&Job { resume: true, ..until(&dir) });
    assert_eq!((summary.kept_games, summary.settled), (130, expected.settled));
    assert!(contents(&dir) == contents(&whole));
}

#[test]
fn a_longer_run_keeps_the_parts_of_a_short_shard() {
    let folder = folder();
    let [dir, whole] = ["stopped", "whole"].map(|name| folder.path().join(name));
    play(&begun(&whole));
    // The second shard has 5 of its 20 games, and is extended when the run is stopped.
    play(&Job { games: 45, ..begun(&dir) });
    assert_eq!(stop_after(&begun(&dir), 3).games, 48);
    assert_eq!(kept_games(&dir).expect("they can be counted"), 48);
    run(&format!("verify {}", dir.display()))
        .expect("a short shard of a run that goes on is no fault");
    // The shard is not whole, so the run is not.
    let found = finish(&dir, NonZeroUsize::MIN, &(), &NEVER).expect("it is read");
    assert_eq!((found.complete, found.games), (false, 45));
    assert!(found.missing.iter().eq([&(1..2)]), "{:?}", found.missing);
    // The folder knows that the run was made longer.
    let dataset = Dataset::open(&dir).expect("it can be read");
    assert_eq!(dataset.run().expect("it is a run").games, 60);
    assert_eq!(resume(&begun(&dir)), 12);
    assert!(contents(&dir) == contents(&whole));
}

#[test]
fn a_run_cannot_be_made_shorter_than_its_parts() {
    let folder = folder();
    let dir = folder.path().join("stopped");
    stop_after(&begun(&dir), 7);
    let before = contents(&dir);
    let fault =
        selfplay(&Job { games: 3, ..begun(&dir) }, &(), &NEVER).expect_err("games get lost");
    let expected = "games: expected at least 7, the number of games in the dataset, got 3";
    assert_eq!(fault.to_string(), expected);
    assert!(contents(&dir) == before);
    // A run of the seven has them all, and is whole.
    assert_eq!(resume(&Job { games: 7, ..begun(&dir) }), 0);
    assert!(files_of_parts(&dir).is_empty());
}

type Forge<'a> = &'a dyn Fn(&mut GameRecord);

#[test]
fn forged_games_of_a_part_are_played_again() {
    let folder = folder();
    let [dir, whole] = ["forged", "whole"].map(|name| folder.path().join(name));
    play(&begun(&whole));
    stop_after(&begun(&dir), 12);
    let run = run_of(&dir);
    let games = parts(&dir).read(0).expect("it can be read");
    let rewrite = |games: &[GameRecord]| {
        begin_again(&begun(&dir));
        Parts::new(&dir, run.as_slice())
            .expect("the folder can be opened")
            .write(0, 0, games)
            .expect("it can be written");
    };
    let forgeries: [(&str, Forge<'_>); 14] = [
        ("id of another game", &|game| game.game_id += 20),
        ("id of another shard", &|game| game.game_id += 40),
        ("id of no shard", &|game| game.game_id = u64::MAX),
        ("seed", &|game| game.seed += 1),
        ("deal_id", &|game| game.deal_id += 1),
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
        rewrite(&forged);
        assert_eq!(resume(&begun(&dir)), 60 - 11, "{name}");
        assert!(contents(&dir) == contents(&whole), "{name}");
    }
    // Every game twice, once with another result.
    let mut twice = games.clone();
    twice.extend(games.iter().cloned().map(|game| GameRecord { winner: 7, ..game }));
    rewrite(&twice);
    assert_eq!(resume(&begun(&dir)), 60 - 12);
    assert!(contents(&dir) == contents(&whole));

    // The part of a run with another seed.
    let other = Job { seed: 4, ..begun(&folder.path().join("other")) };
    stop_after(&other, 12);
    begin_again(&begun(&dir));
    fs::create_dir(dir.join("parts")).expect("it can be made");
    for part in files_of_parts(&folder.path().join("other")) {
        let name = part.file_name().expect("it has a name");
        fs::copy(&part, dir.join("parts").join(name)).expect("it can be copied");
    }
    assert_eq!(resume(&begun(&dir)), 60);
    assert!(contents(&dir) == contents(&whole));
}

/// Replaces the folder by a dataset without games.
fn begin_again(config: &Job) {
    let dir = config.dir.as_ref().expect("it has a folder");
    if dir.exists() {
        fs::remove_dir_all(dir).expect("it can be removed");
    }
    let summary = selfplay(config, &(), &AtomicBool::new(true)).expect("stopping is no error");
    assert_eq!(summary.games, 0);
}

/// A file in the place of the folder of parts keeps them from being written.
#[test]
fn a_run_that_cannot_write_its_parts_goes_on_and_tells_at_a_stop() {
    let folder = folder();
    let [dir, whole] = ["full", "whole"].map(|name| folder.path().join(name));
    play(&begun(&whole));
    begin_again(&begun(&dir));
    fs::write(dir.join("parts"), "").expect("it can be written");
    let watch = StopAfter::games(7);
    let lost = selfplay(&begun(&dir), &watch, &watch.stop).expect_err("the games are lost");
    assert!(lost.to_string().contains("parts"), "{lost}");
    fs::remove_file(dir.join("parts")).expect("it can be removed");
    assert_eq!(resume(&begun(&dir)), 60);
    assert!(contents(&dir) == contents(&whole));
}

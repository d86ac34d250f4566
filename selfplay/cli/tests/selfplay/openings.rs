//! Runs and matches that do not begin with the deal.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use darkqi_analysis::first_reveal;
use darkqi_engine::agent::NEVER;
use darkqi_engine::agents::AgentSpec;
use darkqi_format::{Dataset, Openings};
use darkqi_play::arena;
use darkqi_play::generation::Job;

use super::cli::{error, run};
use super::{config, contents, edit_manifest, folder, play, replays, stop_after, verified};

fn openings(lines: &[&str], remove: &[&str], random_plies: u32) -> Openings {
    let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
    Openings { lines: texts(lines), remove: texts(remove), random_plies }
}

fn begun_with(openings: Openings, job: Job) -> Job {
    let Openings { lines, remove, random_plies } = openings;
    Job { openings: Some(lines), remove, random_plies: Some(random_plies), ..job }
}

/// A run of all games with an opening of each sort.
fn begun(game: &str, dir: &Path) -> Job {
    let openings = match game {
        "flipping" => openings(&["c2c3", "d2d3"], &["S"], 3),
        "four_camps" => openings(&[], &["wR", "sP"], 2),
        "seven_kingdoms" => openings(&[], &["wC"], 5),
        _ => openings(&[], &["R", "p"], 2),
    };
    begun_with(openings, Job { shard_games: 8, ..config(game, "greedy", 28, dir) })
}

#[test]
fn runs_of_every_game_are_verified_and_can_be_resumed() {
    for game in darkqi_env::games::names() {
        let folder = folder();
        let (whole, part) = (folder.path().join("whole"), folder.path().join("part"));
        play(&begun(game, &whole));
        assert_eq!(verified(&whole).faults, [], "{game}");
        let stopped = stop_after(&Job { resume: true, ..begun(game, &part) }, 11);
        assert!(!stopped.complete, "{game}");
        // The settings are those of the folder.
        let dataset = Dataset::open_unchecked(&part).expect("it is there");
        play(&Job::of_selfplay(&dataset).expect("it has its settings"));
        assert_eq!(contents(&part), contents(&whole), "{game}");
        let deals: BTreeSet<String> = replays(&whole).into_iter().map(|game| game.deal).collect();
        assert!(deals.len() > 5, "{game}: {deals:?}");
    }
}

#[test]
fn games_of_a_deal_begin_alike() {
    let folder = folder();
    let openings = openings(&["c2c3", "d2d3"], &["S"], 4);
    let base = config("flipping", "greedy,random", 20, folder.path());
    play(&begun_with(openings, Job { duplicate: true, ..base }));
    let games = replays(folder.path());
    for deal in games.chunks(2) {
        assert_eq!(deal[0].deal, deal[1].deal);
        assert_ne!(deal[0].agents, deal[1].agents);
    }
    let deals: BTreeSet<&str> = games.iter().map(|game| game.deal.as_str()).collect();
    assert!(deals.len() > 5, "{deals:?}");
}

#[test]
fn a_game_with_another_opening_is_a_fault() {
    let folder = folder();
    play(&begun("flipping", folder.path()));
    edit_manifest(folder.path(), "c2c3", "e2e3");
    let found = verified(folder.path());
    assert!(found.fault_count > 5, "{found:?}");
    assert!(found.faults.iter().all(|fault| fault.to_string().contains("deal")), "{found:?}");
}

#[test]
fn openings_are_the_clusters_of_a_measurement() {
    let folder = folder();
    let openings = openings(&["c2c3", "d2d3", "e2e3"], &[], 1);
    let summary = play(&begun_with(openings, config("flipping", "greedy", 60, folder.path())));
    let few = "3 openings only, so intervals and tests are rough; 30 are enough";
    assert_eq!(summary.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(), [few]);
    let dataset = Dataset::open(folder.path()).expect("it is complete");
    let found = first_reveal(&dataset, &NEVER).expect("it can be measured");
    assert_eq!((found.games, found.deals, found.clusters), (60, 60, 3));
    assert_eq!(found.openings.map(|openings| openings.lines.len()), Some(3));
}

#[test]
fn the_command_line_takes_openings_from_a_file() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("openings"), "# two\n\n  c2c3 \nd2d3\n").expect("it can be written");
    let begun = "selfplay flipping -n 10 --quiet --random-plies 1";
    let _ = run(&format!("{begun} --openings {} --out {}", path("openings"), path("games")));
    let dataset = Dataset::open(path("games")).expect("it is complete");
    let kept = &dataset.run().expect("it is a run").openings;
    assert_eq!(*kept, openings(&["c2c3", "d2d3"], &[], 1));
    fs::write(path("none"), "# nothing\n").expect("it can be written");
    let fault = error(&format!("{begun} --openings {} --out {}", path("none"), path("other")));
    assert!(fault.contains("expected 1 to 10000 openings, one a line, found 0"), "{fault}");
    let fault = error(&format!("{begun} --remove R,Z --out {}", path("other")));
    assert!(fault.contains("remove: `Z` is no piece of flipping"), "{fault}");
    assert!(!folder.path().join("other").exists());
}

#[test]
fn matches_begin_with_openings() {
    let agents = AgentSpec::parse_list("greedy,random").expect("the agents exist");
    let config = Job {
        games: 8,
        openings: Some(vec!["c2c3".to_owned(), "d2d3".to_owned()]),
        remove: vec!["s".to_owned()],
        threads: NonZeroUsize::MIN,
        ..Job::new("flipping", agents)
    };
    let results = arena::play(&config, &(), &NEVER).expect("it is played");
    assert_eq!((results.random_plies, results.openings.len()), (0, 2));
    assert_eq!(results.remove, ["s"]);
    let faulty = Job { remove: vec!["rr".to_owned()], ..config };
    let fault = arena::play(&faulty, &(), &NEVER).expect_err("it is refused");
    assert!(fault.to_string().starts_with("remove: `rr` is no piece of flipping"), "{fault}");
}

//! Analyses in parts, as several processes compute them: the figures are bit for bit those of one.

use std::ops::Range;
use std::path::Path;

use darkqi_analysis::piece_values::{PieceValueParts, answer_about_rows, piece_values_part};
use darkqi_analysis::{
    Error, FirstRevealParts, first_reveal, first_reveal_part, piece_values, settled_scores,
};
use darkqi_engine::agent::NEVER;
use darkqi_format::Dataset;
use darkqi_play::generation::Job;

use super::{config, folder, folder_with, play};

const HALF_WIDTH: f64 = 0.1;

/// Plays games in shards of ten and opens the dataset.
fn dataset(game: &str, dir: &Path, seed: u64) -> Dataset {
    let random_plies = u32::from(game == "flipping") * 4;
    let base = config(game, "greedy:epsilon=0.3", 120, dir);
    play(&Job { duplicate: true, shard_games: 10, seed, random_plies: Some(random_plies), ..base });
    Dataset::open(dir).expect("it can be opened")
}

/// Some divisions of twelve shards.
fn divisions() -> Vec<Vec<Range<usize>>> {
    vec![vec![0..12], (0..12).map(|shard| shard..shard + 1).collect(), vec![0..5, 5..5, 5..12]]
}

#[test]
fn figures_do_not_depend_on_who_computes_which_shards() {
    for game in ["jieqi", "banqi", "flipping"] {
        let folder = folder();
        let dataset = dataset(game, &folder.path().join("games"), 1);
        let reveal = first_reveal(&dataset, &NEVER).expect("it can be measured");
        let settled = settled_scores(&dataset, HALF_WIDTH, &NEVER).expect("it can be measured");
        let values = piece_values(&dataset, 4, &NEVER).expect("it can be measured");
        for division in divisions() {
            let mut parts = FirstRevealParts::new(&dataset, Some(HALF_WIDTH)).expect("it exists");
            let mut values_parts = PieceValueParts::new(&dataset, 4).expect("it exists");
            let mut rows = Vec::new();
            for shards in division {
                let part = first_reveal_part(&dataset, shards.clone(), true, &NEVER);
                parts.add(&part.expect("it can be computed")).expect("it is the next");
                let part = piece_values_part(&dataset, shards, 4, &NEVER);
                let part = part.expect("it can be computed");
                values_parts.add(&part.counts).expect("it is the next");
                rows.push(part.rows);
            }
            // Equal floats of equal sign: no field of these is ever NaN or -0.
            let found = parts.finish().expect("they are all there");
            assert_eq!(found, reveal.clone().with_settled(Some(settled)), "{game}");
            let mut asked = 0;
            let found = values_parts.finish(&mut |question| {
                asked += 1;
                rows.iter().map(|rows| answer_about_rows(rows, question)).collect()
            });
            assert_eq!(found.expect("they are all there"), values, "{game}");
            assert!((10..60).contains(&asked), "{asked}");
        }
    }
}

#[test]
fn openings_are_clusters_across_parts() {
    let (_folder, dir) = folder_with("games");
    let lines = ["c2c3 d6d5", "c2c3 c6c5", "d2d3 d6d5"].map(str::to_owned).to_vec();
    let base = config("flipping", "greedy:epsilon=0.3", 90, &dir);
    let summary = play(&Job {
        duplicate: true,
        shard_games: 10,
        openings: Some(lines),
        random_plies: Some(2),
        ..base
    });
    let dataset = Dataset::open(&dir).expect("it can be opened");
    let whole = first_reveal(&dataset, &NEVER).expect("it can be measured");
    assert_eq!(whole.clusters, 3);
    // Red, seat 0, moves first.
    assert_eq!(summary.seats[0].score, Some(whole.first_mover.score));
    let mut parts = FirstRevealParts::new(&dataset, None).expect("it exists");
    for shards in [0..2, 2..9] {
        let part = first_reveal_part(&dataset, shards, false, &NEVER).expect("it can be computed");
        parts.add(&part).expect("it is the next");
    }
    assert_eq!(parts.finish().expect("they are all there"), whole);
}

#[test]
fn other_parts_are_refused() {
    let folder = folder();
    let one = dataset("gaiqi", &folder.path().join("one"), 1);
    let other = dataset("gaiqi", &folder.path().join("other"), 2);
    let part = |dataset, shards, deals| {
        first_reveal_part(dataset, shards, deals, &NEVER).expect("it can be computed")
    };
    let refused = |bytes: &[u8]| {
        let mut parts = FirstRevealParts::new(&one, None).expect("it exists");
        parts.add(bytes).expect_err("it is no part").to_string()
    };
    let sound = part(&one, 0..4, false);
    let mut damaged = sound.clone();
    *damaged.last_mut().expect("it has bytes") ^= 1;
    let cases = [
        (part(&one, 1..4, false), "expected shards from 0 on, of 12, found 1..4"),
        (part(&one, 0..4, true), "expected one of the first reveal, found"),
        (part(&other, 0..4, false), "shards 0..4 are not those of this dataset"),
        (damaged, "damaged bytes: the checksum differs"),
        (sound[..3].to_vec(), "damaged bytes: "),
    ];
    for (bytes, expected) in cases {
        let found = refused(&bytes);
        assert!(found.starts_with("a part of another process: "), "{found}");
        assert!(found.contains(expected), "{found}");
    }
    let mut parts = FirstRevealParts::new(&one, None).expect("it exists");
    parts.add(&sound).expect("it is the first");
    let missing = parts.finish().expect_err("shards are missing").to_string();
    assert_eq!(missing, "a part of another process: shards 4 to 12 are missing");
    let sampled = piece_values_part(&one, 0..12, 4, &NEVER).expect("it can be computed");
    let mut lacking = PieceValueParts::new(&one, 4).expect("it exists");
    lacking.add(&sampled.counts).expect("it is the first");
    let lost = lacking.finish(&mut |_| Ok(Vec::new())).expect_err("there are no answers");
    assert_eq!(lost.to_string(), "shards with an answer: expected 12, found 0");
    let damaged = answer_about_rows(&sampled.rows[..9], b"").expect_err("they are cut");
    assert!(damaged.to_string().contains("damaged bytes"), "{damaged}");
    let beyond = first_reveal_part(&one, 3..13, false, &NEVER).expect_err("there are twelve");
    assert!(matches!(beyond, Error::Shards { shards: 12, .. }), "{beyond}");
}

//! Files of openings: an error, or games that begin with them.
//!
//! Input (bytes): game (1), random plies (1), the file.

#![no_main]

use std::fs;
use std::num::NonZeroUsize;

use darkqi_engine::agent::NEVER;
use darkqi_engine::agents::AgentSpec;
use darkqi_fuzz::{Input, temp_folder};
use darkqi_play::arena;
use darkqi_play::generation::Job;
use darkqi_play::openings::read_openings;
use darkqi_tests::texts;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let (game, plies) = (input.game(), input.below(4));
    let file = temp_folder().join("openings.txt");
    fs::write(&file, input.rest()).expect("the file can be written");
    let Ok(openings) = read_openings(&file) else { return };
    let agents = AgentSpec::parse_list("random,random").expect("the agents are registered");
    let job = Job {
        games: 4,
        openings: Some(openings),
        random_plies: Some(plies as u32),
        options: texts(&[("max_plies", "8")]),
        threads: NonZeroUsize::MIN,
        ..Job::new(game, agents)
    };
    if let Ok(played) = arena::play(&job, &(), &NEVER) {
        assert_eq!(played.games_per_pair, 4);
    }
});

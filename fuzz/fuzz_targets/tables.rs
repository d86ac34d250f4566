//! TOML files of piece values and of evaluation weights: an error, or an agent that plays with
//! them.
//!
//! Input (bytes): game (1), the file.

#![no_main]

use std::fs;

use darkqi_env::{GameExt, Registered, Rng, Stream, Viewer, Visitor, games};
use darkqi_fuzz::{Input, temp_folder};
use darkqi_selfplay::{AgentSpec, NEVER, Request};
use libfuzzer_sys::fuzz_target;

struct ChooseOnce<'a>(&'a AgentSpec);

impl Visitor for ChooseOnce<'_> {
    type Output = ();

    fn visit<G: Registered>(self, rules: G) {
        let Ok(mut agent) = self.0.build(&rules) else { return };
        let state = rules.deal(&mut Rng::new(1, Stream::Deal));
        let view = rules.view(&state, Viewer::Player(rules.to_move(&state)));
        let legal = GameExt::actions(&rules, &state);
        let rng = &mut Rng::new(1, Stream::Agent(0));
        let decision = agent.decide(&rules, &mut Request { view, legal: &legal, rng, stop: &NEVER });
        assert!(legal.contains(&decision.expect("searches decide").action));
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let game = input.game();
    let file = temp_folder().join("tables.toml");
    fs::write(&file, input.rest()).expect("the file can be written");
    for option in ["values", "weights"] {
        let agent = format!("expectimax:depth=1,{option}={}", file.display());
        let agent: AgentSpec = agent.parse().expect("the agent has the option");
        games::with(game, &Default::default(), ChooseOnce(&agent)).expect("the game is registered");
    }
});

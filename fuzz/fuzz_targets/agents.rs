//! Lists of agents as text: an error, or agents whose text reads back the same. Building them may
//! fail, but must not panic.
//!
//! Input: the list. Options that name files are not built; the target `tables` covers them.

#![no_main]

use darkqi_engine::agents::AgentSpec;
use darkqi_env::games::gaiqi::Gaiqi;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(agents) = AgentSpec::parse_list(text) else { return };
    for agent in agents {
        let written = agent.to_string();
        let again: AgentSpec = written.parse().expect("the text was written by `Display`");
        assert_eq!(again.to_string(), written);
        let names_file = ["values=", "weights=", "net=", "file=", "onnx:"]
            .iter()
            .any(|text| written.contains(text));
        if !names_file {
            let _ = agent.build(&Gaiqi::default());
        }
    }
});

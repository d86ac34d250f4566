//! What can be played: games with their options, and agents.

use axum::Json;
use axum::extract::State;
use darkqi_datasets::options_to_json;
use darkqi_env::{OptionInfo, Options, Spec, games};
use serde_json::{Value, json};

use crate::agents::{AgentInfo, agent_options, agents};
use crate::serve::answer::{Answer, Refusal};
use crate::serve::app::App;

/// Agents from the weakest on, as docs/play.md measures them, for people who know none of them.
const LEVELS: [(&str, &str); 5] = [
    ("beginner", "greedy"),
    ("easy", "expectimax:depth=1,epsilon=0.3"),
    ("medium", "expectimax:depth=1"),
    ("hard", "expectimax:depth=2"),
    ("strong", "expectimax:time=1000"),
];

pub(super) async fn catalogue(State(app): State<App>) -> Answer<Value> {
    let spec = |name: &str| Spec::new(name, &Options::new()).map_err(Refusal::impossible);
    let specs: Vec<Spec> =
        games::names().iter().map(|name| spec(name)).collect::<Result<_, _>>()?;
    let harmless = agents().iter().filter(|info| App::is_harmless(info));
    Ok(Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "default_agent": app.default_agent().to_string(),
        "games": specs.iter().map(game).collect::<Vec<_>>(),
        "levels": LEVELS.map(|(name, agent)| json!({ "name": name, "agent": agent })),
        "agents": harmless.map(agent).collect::<Vec<_>>(),
        "extra_agents": app.extra_agents().collect::<Vec<_>>(),
        "folders": app.folders().given().collect::<Vec<_>>(),
        "can_save": app.folders().can_grow(),
    })))
}

fn game(spec: &Spec) -> Value {
    let defaults = options_to_json(&spec.options_in_force());
    let option = |option: &OptionInfo| {
        let choices = (!option.choices.is_empty()).then_some(option.choices);
        json!({
            "name": option.name,
            "about": option.about,
            "type": option.type_name,
            "default": defaults[option.name],
            "range": option.range,
            "choices": choices,
        })
    };
    json!({
        "name": spec.name,
        "about": spec.about,
        "players": [spec.player_range.start(), spec.player_range.end()],
        "hides": spec.hides.name(),
        "options": spec.options.iter().map(option).collect::<Vec<_>>(),
    })
}

fn agent(info: &'static AgentInfo) -> Value {
    let options = agent_options(info).filter(|option| !option.is_file);
    json!({
        "name": info.name,
        "about": info.about,
        "options": options.collect::<Vec<_>>(),
    })
}

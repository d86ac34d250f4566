//! The catalogue: games with their options, and agents.

use axum::extract::State;
use darkqi_engine::agents::{AgentInfo, agent_options, agents, levels};
use darkqi_env::{Options, Spec, games, spec::OptionInfo};
use darkqi_format::options_to_json;
use serde_json::{Value, json};

use crate::answer::{Answer, Refusal};
use crate::app::App;
use crate::finished::kinds;
use crate::work::LONGEST;

pub(super) async fn catalogue(State(app): State<App>) -> Answer {
    app.telling().await?.answer(LONGEST, move |_| all(&app)).await
}

fn all(app: &App) -> Result<Value, Refusal> {
    let spec = |name: &str| Spec::new(name, &Options::new()).map_err(Refusal::impossible);
    let specs: Vec<Spec> =
        games::names().iter().map(|name| spec(name)).collect::<Result<_, _>>()?;
    let specs: Vec<Value> = specs.iter().map(game).collect::<Result<_, _>>()?;
    let harmless = agents().iter().filter(|info| info.stands_alone());
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "default_agent": app.default_agent().name,
        "adviser": app.adviser().name,
        "games": specs,
        "agents": harmless.map(agent).collect::<Vec<_>>(),
        "extra_agents": app.extra_agents().collect::<Vec<_>>(),
        "folders": app.folders().given().collect::<Vec<_>>(),
        "files": kinds(),
        "keeps_games": app.registry().is_lasting(),
        "can_save": app.folders().can_grow(),
    }))
}

/// The armies of each seat at the deal, in words, under the usual options. Where play decides, there
/// are none.
fn sides(spec: &Spec) -> Result<Vec<String>, Refusal> {
    let deal = darkqi_env::deal(spec.name, &Options::new(), 0).map_err(Refusal::impossible)?;
    let armies = |seat: usize| {
        let own = spec.armies.iter().enumerate();
        let own = own.filter(|&(army, _)| deal.owner(army as u8) == Some(seat));
        own.map(|(_, army)| army.name).collect::<Vec<_>>().join(", ")
    };
    Ok((0..spec.num_players).map(armies).collect())
}

fn game(spec: &Spec) -> Result<Value, Refusal> {
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
    Ok(json!({
        "name": spec.name,
        "about": spec.about,
        "sides": sides(spec)?,
        "players": [spec.player_range.start(), spec.player_range.end()],
        "hides": spec.hides.name(),
        "levels": levels(spec.name),
        "has_lesson": spec.lesson().is_some(),
        "options": spec.options.iter().filter(|option| !option.design).map(option).collect::<Vec<_>>(),
    }))
}

fn agent(info: &'static AgentInfo) -> Value {
    let options = agent_options(info).filter(|option| !option.is_file);
    json!({
        "name": info.name,
        "about": info.about,
        "options": options.collect::<Vec<_>>(),
    })
}

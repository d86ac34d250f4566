//! The catalogue: games with their options, and agents.

use std::path::Path;

use axum::extract::State;
use darkqi_engine::agents::{AgentInfo, agent_options, agents, levels};
use darkqi_env::{Options, Spec, games, spec::OptionInfo};
use darkqi_format::{options_to_json, value_to_json};
use darkqi_play::variants::{self, Variant};
use serde_json::{Value, json};

use crate::answer::{Answer, Refusal};
use crate::app::App;
use crate::finished::kinds;

pub(super) async fn catalogue(State(app): State<App>) -> Answer {
    let told = app.clone();
    app.tell(move || all(&told)).await
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
        "folders": app.folders.given().collect::<Vec<_>>(),
        "files": kinds(),
        "keeps_games": app.registry.is_lasting(),
        "can_save": app.folders.can_grow(),
    }))
}

/// The armies of each seat at the deal, in words, under the usual options. Where play decides, there
/// are none.
fn sides(spec: &Spec) -> Vec<String> {
    let deal = spec.deal(0);
    let armies = |seat: usize| {
        let own = spec.armies.iter().enumerate();
        let own = own.filter(|&(army, _)| deal.owner(army as u8) == Some(seat));
        own.map(|(_, army)| army.name).collect::<Vec<_>>().join(", ")
    };
    (0..spec.num_players).map(armies).collect()
}

fn game(spec: &Spec) -> Result<Value, Refusal> {
    let option = |option: &OptionInfo| {
        let choices = (!option.choices.is_empty()).then_some(option.choices);
        json!({
            "name": option.name,
            "about": option.about,
            "type": option.type_name,
            "default": value_to_json(&option.default),
            "range": option.range,
            "choices": choices,
        })
    };
    let options = |design| -> Vec<Value> {
        spec.options.iter().filter(|it| it.design == design).map(option).collect()
    };
    Ok(json!({
        "name": spec.name,
        "about": spec.about,
        "sides": sides(spec),
        "players": [spec.player_range.start(), spec.player_range.end()],
        "hides": spec.hides.name(),
        "levels": levels(spec.name),
        "has_lesson": spec.lesson().is_some(),
        "options": options(false),
        "design": options(true),
        "variants": variants(spec.name)?,
    }))
}

/// The variants of a game that come with the program.
fn variants(game: &str) -> Result<Vec<Value>, Refusal> {
    let all = variants::names().map(|name| Variant::find(Path::new(name)).map(|it| (name, it)));
    let all: Vec<_> = all.collect::<Result<_, _>>().map_err(Refusal::impossible)?;
    let own = all.iter().filter(|(_, variant)| variant.game == game);
    let described = |(name, it): &(&str, Variant)| json!({ "name": name, "about": it.about, "options": options_to_json(&it.options) });
    Ok(own.map(described).collect())
}

fn agent(info: &'static AgentInfo) -> Value {
    let options = agent_options(info).filter(|option| !option.is_file);
    json!({
        "name": info.name,
        "about": info.about,
        "options": options.collect::<Vec<_>>(),
    })
}

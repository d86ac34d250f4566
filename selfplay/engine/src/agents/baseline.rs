//! The agent `baseline`: the net that comes with the program, alone or with search.

use darkqi_env::{Registered, Spec, Value, spec::OptionInfo};

use super::error::AgentError;
use super::info::{AgentInfo, Built, RegisteredAgent};
use super::net_player::{
    BATCH, CONSIDERED, EXPLORATION, NetSettings, PROVIDER, ROOT, SCALE, SIMULATIONS, TEMPERATURE,
};
use super::options::{AgentOptions, BUILT_IN};
use crate::nets::{BASELINE_NETS, OnnxNet, baseline_bytes};

/// The registry's entry for the nets that come with the program.
pub(super) struct Baseline;

impl RegisteredAgent for Baseline {
    const INFO: AgentInfo = AgentInfo {
        name: "baseline",
        about: "The net that comes with the program, for games of two, as `onnx` plays one from a \
                file.",
        argument: None,
        options: &[TEMPERATURE, SIMULATIONS, ROOT, CONSIDERED, SCALE, EXPLORATION, BATCH, PROVIDER],
    };

    fn plays(spec: &Spec) -> bool {
        baseline_net(spec).is_ok()
    }

    fn build<G: Registered>(rules: &G, options: &AgentOptions) -> Built<G> {
        let settings = NetSettings::read(options)?;
        let spec = Spec::of(rules);
        let bytes = baseline_net(&spec)?;
        let name = format!("{BUILT_IN} baseline of {}", G::NAME);
        let net = OnnxNet::parse(name, bytes.into(), &spec, settings.provider, settings.rows)?;
        settings.agent(rules, options, net)
    }
}

/// The ONNX file of the agent `baseline`. It was made for the default rules: limits and switches,
/// which say when a game is drawn or lost, may be others; how pieces capture and what is shown may not.
///
/// ```
/// use darkqi_env::{Options, Spec};
/// use darkqi_engine::agents::baseline_net;
///
/// let spec = Spec::new("seven_kingdoms", &Options::new())?;
/// let error = baseline_net(&spec).expect_err("seven_kingdoms has no net");
/// assert!(error.to_string().contains("cannot play seven_kingdoms"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there is none for the game, or for its options.
pub fn baseline_net(spec: &Spec) -> Result<&'static [u8], AgentError> {
    let refuse =
        |expected| AgentError::Game { agent: Baseline::INFO.name, game: spec.name, expected };
    let bytes = baseline_bytes(spec.name).ok_or_else(|| {
        let games: Vec<_> = BASELINE_NETS.iter().map(|(game, _)| *game).collect();
        refuse(format!("one of the games with a net: {}", games.join(", ")))
    })?;
    let is_other = |option: &&OptionInfo| {
        let decides = option.design || matches!(option.value, Value::Text(_));
        decides && option.value != option.default
    };
    match spec.options.iter().find(is_other) {
        None => Ok(bytes),
        Some(option) => {
            let (name, default, value) = (option.name, &option.default, &option.value);
            Err(refuse(format!(
                "`{name}` to be {default}, for which its net was made, not {value}"
            )))
        }
    }
}

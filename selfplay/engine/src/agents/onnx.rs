//! The agent `onnx`: a net from a file, alone or with search.

use darkqi_env::{Registered, Spec};

use super::info::{AgentInfo, AgentOption, Built, REQUIRED, RegisteredAgent};
use super::net_player::{
    BATCH, CONSIDERED, EXPLORATION, NetSettings, PROVIDER, ROOT, SCALE, SIMULATIONS, TEMPERATURE,
};
use super::options::AgentOptions;
use crate::nets::OnnxNet;

/// The registry's entry for nets from files.
pub(super) struct Onnx;

const FILE: &str = "file";

impl RegisteredAgent for Onnx {
    const INFO: AgentInfo = AgentInfo {
        name: "onnx",
        about: "A net from an ONNX file, which reads the env's planes or tokens and gives a policy \
                and perhaps values; alone, or guiding a search over sampled worlds.",
        argument: Some(FILE),
        options: &[
            AgentOption {
                name: FILE,
                about: "The ONNX file, written first and without this name: `onnx:FILE`. docs/nets.md \
                        has its inputs and outputs.",
                default: REQUIRED,
                is_file: true,
            },
            TEMPERATURE,
            SIMULATIONS,
            ROOT,
            CONSIDERED,
            SCALE,
            EXPLORATION,
            BATCH,
            PROVIDER,
        ],
    };

    fn build<G: Registered>(rules: &G, options: &AgentOptions) -> Built<G> {
        let file = options.path(FILE).expect("a spec has its agent's argument");
        let settings = NetSettings::read(options)?;
        let (name, bytes) = (file.display().to_string(), options.net_contents(file)?);
        let net = OnnxNet::parse(name, bytes, &Spec::of(rules), settings.provider, settings.rows)?;
        settings.agent(rules, options, net)
    }
}

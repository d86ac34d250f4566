//! Rules made from options.

use super::options::{OptionConflict, OptionSpec, Options};
use super::rules::Game;
use crate::error::OptionError;

/// Rules with these options, the rest at their defaults.
///
/// # Errors
/// If a name is unknown or a value is out of range; the message lists what is valid.
pub fn configure<G: Game>(options: &Options) -> Result<G, OptionError> {
    let specs = G::options();
    let refuse = |spec: &OptionSpec<G>, value: String, expected| OptionError::Value {
        game: G::NAME,
        name: spec.name,
        value,
        expected,
    };
    let mut rules = G::default();
    for (name, value) in options {
        let spec = specs.iter().find(|spec| spec.name == name).ok_or_else(|| {
            let valid: Vec<_> = specs.iter().map(|spec| spec.name).collect();
            OptionError::Unknown { game: G::NAME, name: name.clone(), valid: valid.join(", ") }
        })?;
        let setting = spec
            .domain
            .check(value)
            .ok_or_else(|| refuse(spec, value.to_string(), spec.domain.expected()))?;
        (spec.set)(&mut rules, setting);
    }
    rules.validate().map_err(|OptionConflict { option, expected }| {
        let spec = specs.iter().find(|spec| spec.name == option).expect("it is one of the game's");
        refuse(spec, spec.domain.value((spec.get)(&rules)).to_string(), expected)
    })?;
    Ok(rules)
}

//! Rules made from options.

use super::options::{OptionConflict, OptionSpec, Options};
use super::rules::{Game, GameExt};
use crate::error::OptionError;

/// Rules with these options, the rest at their defaults.
///
/// # Errors
/// If a name is unknown or a value is out of range; the message lists what is valid.
pub fn configure<G: Game>(options: &Options) -> Result<G, OptionError> {
    let refuse = |spec: &OptionSpec<G>, value: String, expected| OptionError::Value {
        game: G::NAME,
        name: spec.name,
        value,
        expected,
    };
    let mut rules = G::default();
    for (name, value) in options {
        let spec = G::all_options().find(|spec| spec.name == name).ok_or_else(|| {
            let valid: Vec<_> = G::all_options().map(|spec| spec.name).collect();
            OptionError::Unknown { game: G::NAME, name: name.clone(), valid: valid.join(", ") }
        })?;
        let setting = spec
            .domain
            .check(value)
            .ok_or_else(|| refuse(spec, value.to_string(), spec.domain.expected()))?;
        (spec.set)(&mut rules, setting);
    }
    let settled = rules.settle();
    settled.map_err(|OptionConflict { option, expected }| {
        let is_it = |spec: &&OptionSpec<G>| spec.name == option;
        let spec = G::all_options().find(is_it).expect("it is one of the game's");
        refuse(spec, spec.domain.value((spec.get)(&rules)).to_string(), expected)
    })?;
    Ok(rules)
}

//! Numbers by game and name, as TOML: one table per game.

use std::collections::BTreeMap;

use darkqi_env::{Options, Spec, games};

/// Numbers by game, then by name.
pub(crate) type Tables = BTreeMap<String, BTreeMap<String, f64>>;

/// Reads tables of numbers that are finite in single precision.
///
/// # Errors
/// A description of what is wrong: text that is not TOML, a game that does not exist, whatever
/// `check` (game, name, the game) objects to.
pub(crate) fn parse(
    text: &str,
    check: impl Fn(&str, &str, &Spec) -> Result<(), String>,
) -> Result<Tables, String> {
    let tables: Tables = toml::from_str(text).map_err(|error| error.to_string())?;
    for (game, table) in &tables {
        let spec = Spec::new(game, &Options::new()).map_err(|_| {
            format!("unknown game `[{game}]`; the games are: {}", games::names().join(", "))
        })?;
        for (name, value) in table {
            check(game, name, &spec)?;
            // Searches reckon in single precision.
            if !(*value as f32).is_finite() {
                let most = f32::MAX;
                return Err(format!(
                    "{game}.{name}: expected a number within ±{most:e}, found {value}"
                ));
            }
        }
    }
    Ok(tables)
}

//! Fitted values as files for agents.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use darkqi_analysis::{Estimate, PieceValues as FittedValues};
use darkqi_engine::evaluation::PieceValues;
use darkqi_format::write_output;

use super::error::Error;

/// Fitted values in the units of the built-in ones, so that the built-in weights of searching agents
/// fit them too.
#[derive(Clone, PartialEq, Debug)]
pub struct Scaled {
    /// By kind, those that the games determine.
    pub values: Vec<(char, Estimate)>,
    /// The log odds of winning per unit.
    pub scale: f64,
}

impl Scaled {
    /// Scales fitted values.
    ///
    /// # Errors
    /// [`Error::NoValues`] if they are withheld, or the games do not determine the value of the unit.
    pub fn of(fitted: &FittedValues) -> Result<Self, Error> {
        if let Some(why) = fitted.without_values() {
            return Err(Error::NoValues { why });
        }
        let basis = &fitted.basis;
        let built_in = PieceValues::built_in().by_letter(&basis.game).unwrap_or_default();
        let unit: f64 = basis.unit.iter().filter_map(|kind| built_in.get(kind)).sum();
        let unit = unit / basis.unit.len() as f64 / basis.unit_value;
        let determined = fitted.terms.iter().filter_map(|term| Some((term.kind?, term.value?)));
        let values = determined.map(|(kind, Estimate { value, low, high })| {
            let [value, low, high] = [value, low, high].map(|value| value * unit);
            (kind, Estimate { value, low, high })
        });
        let scale = fitted.terms.iter().find_map(|term| {
            let (log_odds, value) = (term.log_odds?.value, term.value?.value);
            Some(log_odds / (value * unit))
        });
        let scale = scale.ok_or_else(|| Error::NoValues { why: "no piece has one".to_owned() })?;
        Ok(Self { values: values.collect(), scale })
    }

    /// A file for the `values` option of agents. Negative values become 0: no agent should give its
    /// pieces away.
    pub fn toml(&self, fitted: &FittedValues) -> String {
        let line = |&(kind, Estimate { value, low, high }): &(char, Estimate)| {
            format!("{kind} = {:.4}  # 95 % interval {low:.4} to {high:.4}\n", value.max(0.0))
        };
        let lines: String = self.values.iter().map(line).collect();
        format!("{}[{}]\n{lines}", origin(fitted), fitted.basis.game)
    }

    /// The files for the `values` and the `weights` option of agents.
    pub fn texts(&self, fitted: &FittedValues) -> [String; 2] {
        let weights =
            format!("{}[{}]\nscale = {:.6}\n", origin(fitted), fitted.basis.game, self.scale);
        [self.toml(fitted), weights]
    }
}

/// Writes fitted values to files for the `values` and the `weights` option of agents, as far as they
/// are asked for, as [`write_output`] does.
///
/// # Errors
/// As [`Scaled::of`] (nothing is written then), or if a file cannot be written.
pub fn save(
    fitted: &FittedValues,
    values: Option<&Path>,
    weights: Option<&Path>,
    stop: &AtomicBool,
) -> Result<(), Error> {
    if values.is_none() && weights.is_none() {
        return Ok(());
    }
    let texts = Scaled::of(fitted)?.texts(fitted);
    for (path, text) in [values, weights].into_iter().zip(texts) {
        path.map_or(Ok(()), |path| write_output(path, text.as_bytes(), stop))?;
    }
    Ok(())
}

/// The origin of values, as comments.
fn origin(fitted: &FittedValues) -> String {
    let FittedValues { basis, seed, .. } = fitted;
    let unit: Vec<_> = basis.unit.iter().map(char::to_string).collect();
    format!(
        "# Fitted by darkqi {} to {} games of {} against itself with seed {seed}.\n# In the units of \
         the built-in values, in which {} keeps its value.\n",
        env!("CARGO_PKG_VERSION"),
        basis.games,
        basis.agent,
        unit.join(" and "),
    )
}

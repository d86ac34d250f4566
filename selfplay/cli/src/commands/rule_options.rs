//! `--set OPTION=VALUE`, shared by the commands that play.

use anyhow::{Result, bail};
use clap::Args;
use darkqi_env::{Options, Value};

/// The rule options of a game.
#[derive(Debug, Args)]
pub(super) struct RuleOptions {
    /// Set a rule option, for example `--set quiet_limit=40`; see `darkqi games --verbose`
    #[arg(long = "set", value_name = "OPTION=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,
}

impl RuleOptions {
    /// # Errors
    /// If an option is set twice.
    pub(super) fn values(&self) -> Result<Options> {
        let mut options = Options::new();
        for (name, value) in &self.settings {
            if options.insert(name.clone(), Value::Text(value.clone())).is_some() {
                bail!("--set {name}: expected it once, found it twice");
            }
        }
        Ok(options)
    }
}

fn setting(text: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or("expected OPTION=VALUE, such as quiet_limit=40")?;
    Ok((name.to_owned(), value.to_owned()))
}

//! `--rules FILE` and `--set OPTION=VALUE`, shared by the commands that play.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use darkqi_env::{Options, Value};
use darkqi_play::variants::Variant;

/// The rule options of a game.
#[derive(Debug, Args)]
pub(super) struct RuleOptions {
    /// Set a rule option, for example `--set quiet_limit=40`; see `darkqi games --verbose`
    #[arg(long = "set", value_name = "OPTION=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,
    /// Play by the rules of a TOML file, or of a variant that comes with the program; see
    /// `darkqi games --variants`. --set changes them further
    #[arg(long, value_name = "FILE")]
    pub(super) rules: Option<PathBuf>,
}

impl RuleOptions {
    /// The options of a game.
    ///
    /// # Errors
    /// If an option is set twice, or the rules are none of the game.
    pub(super) fn values(&self, game: &str) -> Result<Options> {
        let mut options = match &self.rules {
            Some(file) => Variant::find(file)?.options_for(game)?,
            None => Options::new(),
        };
        options.extend(self.settings()?);
        Ok(options)
    }

    /// The game of the rules, if there is a file.
    ///
    /// # Errors
    /// If the file cannot be used.
    pub(super) fn game(&self) -> Result<Option<String>> {
        let variant = self.rules.as_deref().map(Variant::find).transpose()?;
        Ok(variant.map(|variant| variant.game))
    }

    /// The options that are set.
    pub(super) fn settings(&self) -> Result<Options> {
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

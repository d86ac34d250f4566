//! The options of the engine: those of the search, and the rules of the game.

use std::fmt::Display;
use std::str::FromStr;

use darkqi_engine::agents::{AgentError, BUILT_IN, NONE, value_net};
use darkqi_engine::evaluation::Evaluation;
use darkqi_engine::search::{Expectimax, Limits};
use darkqi_env::{
    Options, Registered, SetupError, Spec, Value, Visitor,
    game::{Domain, GameExt},
    games,
    spec::OptionInfo,
};

const HASH: &str = "Hash";
const THREADS: &str = "Threads";
const NET: &str = "Net";

/// An option that may be set.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub game: String,
    /// The rule options that are set. The others have their defaults.
    pub(super) rules: Options,
    hash: u32,
    threads: usize,
    net: Option<String>,
}

impl Settings {
    /// A game with these rule options.
    pub(super) fn new(game: &str, rules: Options) -> Self {
        let hash = Expectimax::DEFAULT_HASH;
        Self { game: game.to_owned(), rules, hash, threads: 1, net: None }
    }

    /// The search with these settings, and an empty table.
    pub(super) fn search(&self) -> anyhow::Result<Expectimax> {
        struct Build<'a>(&'a Settings);
        impl Visitor for Build<'_> {
            type Output = Result<Expectimax, AgentError>;
            fn visit<G: Registered>(self, rules: G) -> Self::Output {
                let net = value_net(&rules, self.0.net.as_deref())?;
                let evaluation = Evaluation::built_in::<G>().with_net(net);
                Ok(Expectimax::new(evaluation, Limits::depth(1))
                    .with_hash(self.0.hash)
                    .with_threads(self.0.threads)
                    .with_memory(true))
            }
        }
        Ok(games::with(&self.game, &self.rules, Build(self))??)
    }

    /// The options as UCI lists them, one per line.
    pub(super) fn list(&self) -> Result<Vec<String>, SetupError> {
        struct List;
        impl Visitor for List {
            type Output = Vec<String>;
            fn visit<G: Registered>(self, rules: G) -> Self::Output {
                let line = |option: &darkqi_env::game::OptionSpec<G>| {
                    let value = option.domain.value((option.get)(&rules));
                    format!("option name {} {}", option.name, describe(option.domain, &value))
                };
                // As in `value_net`: a net fitted to the game's own rules, not to these, is no default.
                let net = if rules.designed_by().is_some() { NONE } else { BUILT_IN };
                let net = format!("option name {NET} type string default {net}");
                [net].into_iter().chain(G::all_options().map(line)).collect()
            }
        }
        let [hash, most] = [Expectimax::DEFAULT_HASH, Expectimax::MAX_HASH];
        let threads = Expectimax::MAX_THREADS;
        let mut lines = vec![
            format!("option name {HASH} type spin default {hash} min 1 max {most}"),
            format!("option name {THREADS} type spin default 1 min 1 max {threads}"),
        ];
        lines.extend(games::with(&self.game, &self.rules, List)?);
        Ok(lines)
    }

    /// The settings with one of them changed. Names, those that are values included, are compared
    /// without case.
    pub(super) fn with(&self, name: &str, value: &str) -> Result<Self, String> {
        let mut changed = self.clone();
        let spec = Spec::new(&self.game, &self.rules).map_err(|error| error.to_string())?;
        let rule = spec.options.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        if name.eq_ignore_ascii_case(HASH) {
            changed.hash = number(HASH, value, Expectimax::MAX_HASH)?;
        } else if name.eq_ignore_ascii_case(THREADS) {
            changed.threads = number(THREADS, value, Expectimax::MAX_THREADS)?;
        } else if name.eq_ignore_ascii_case(NET) {
            changed.net = Some(value.to_owned()).filter(|net| !net.is_empty());
        } else if let Some(rule) = rule {
            changed.rules.insert(rule.name.to_owned(), rule_value(rule, value)?);
            Spec::new(&self.game, &changed.rules).map_err(|error| error.to_string())?;
        } else {
            let rules: Vec<_> = spec.options.iter().map(|option| option.name).collect();
            let known = rules.join(", ");
            return Err(format!(
                "no option `{name}`; expected {HASH}, {THREADS}, {NET} or a rule: {known}"
            ));
        }
        Ok(changed)
    }
}

/// A whole number from 1 to `most`.
fn number<T: FromStr + PartialOrd + From<u8> + Display>(
    name: &str,
    value: &str,
    most: T,
) -> Result<T, String> {
    let number = value.parse().ok().filter(|number| *number >= T::from(1) && *number <= most);
    number.ok_or_else(|| format!("{name} is `{value}`; expected a whole number from 1 to {most}"))
}

/// The value of a rule as `setoption` has it. The rule checks it further.
fn rule_value(rule: &OptionInfo, value: &str) -> Result<Value, String> {
    if let Value::Bool(_) = rule.default {
        // As it is listed, and as the command line has it.
        return match value.to_ascii_lowercase().as_str() {
            "true" | "on" => Ok(Value::Bool(true)),
            "false" | "off" => Ok(Value::Bool(false)),
            _ => Err(format!("{} is `{value}`; expected true or false", rule.name)),
        };
    }
    let listed = rule.choices.iter().find(|name| name.eq_ignore_ascii_case(value));
    Ok(Value::Text(listed.map_or(value, |name| name).to_owned()))
}

/// The type of an option with its default.
fn describe(domain: Domain, value: &Value) -> String {
    match (domain, value) {
        (Domain::Int { min, max }, value) => {
            format!("type spin default {value} min {min} max {max}")
        }
        (_, Value::Bool(on)) => format!("type check default {on}"),
        (Domain::Choice(names), Value::Text(text)) => {
            let names: String = names.iter().map(|name| format!(" var {name}")).collect();
            format!("type combo default {text}{names}")
        }
        (_, Value::Text(text)) if text.is_empty() => "type string default <empty>".to_owned(),
        (_, Value::Text(text)) => format!("type string default {text}"),
        (_, value) => format!("type string default {value}"),
    }
}

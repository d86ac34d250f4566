//! The provenance of datasets.

use darkqi_format::{Openings, option_text};
use serde::Serialize;
use serde_json::Value as Json;

use super::contents::{Entry, Report};

/// The provenance of a dataset, and the command that reproduces it.
#[derive(Debug, Serialize)]
pub(super) struct Provenance {
    label: String,
    command: String,
    /// As text: the template's integers end at 2^63 - 1.
    seed: String,
    version: String,
    /// The options in force, as `name=value`.
    options: String,
    /// How games begin, in the syntax of the command line; empty for the deal itself.
    openings: String,
    is_complete: bool,
    games: u64,
}

impl Provenance {
    pub(super) fn all(report: &Report) -> Vec<Self> {
        let alone = report.entries.len() == 1;
        let origin = |(number, entry): (usize, &Entry)| {
            let one = &entry.first_reveal;
            let dir = if alone { "DIR".to_owned() } else { format!("DIR{}", number + 1) };
            Self {
                label: report.labels[number].clone(),
                command: command(report, entry, &dir),
                seed: one.seed.to_string(),
                version: one.software_version.clone(),
                options: one
                    .options
                    .iter()
                    .map(|(name, value)| option_text(name, value))
                    .collect::<Vec<_>>()
                    .join(", "),
                openings: opening_words(&entry.openings).join(" "),
                is_complete: entry.is_complete,
                games: one.games,
            }
        };
        report.entries.iter().enumerate().map(origin).collect()
    }

    /// The commands that play these datasets and make a report of them, one a line.
    pub(super) fn commands(origins: &[Self]) -> String {
        let dirs: Vec<String> = match origins {
            [_] => vec!["DIR".to_owned()],
            _ => (1..=origins.len()).map(|number| format!("DIR{number}")).collect(),
        };
        let report = format!("darkqi report {} -o report.html", dirs.join(" "));
        let played = origins.iter().map(|origin| origin.command.as_str());
        played.chain([report.as_str()]).collect::<Vec<_>>().join("\n")
    }
}

/// The command that plays a dataset's games, if one does. Game k does not depend on the number of games, so
/// an interrupted run is reproduced by the number of games that it has.
fn command(report: &Report, entry: &Entry, dir: &str) -> String {
    if !entry.is_played_again {
        return format!("# {dir}: games that no command plays again");
    }
    let one = &entry.first_reveal;
    let mut words: Vec<String> =
        ["darkqi", "selfplay", &one.game, "--games"].map(str::to_owned).into();
    words.push(one.games.to_string());
    words.extend(["--agents".to_owned(), quoted(&one.agent)]);
    words.extend(["--seed".to_owned(), one.seed.to_string()]);
    if one.deals < one.games {
        words.push("--duplicate".to_owned());
    }
    for (name, value) in one.options.iter().filter(|option| !is_default(report, option)) {
        words.extend(["--set".to_owned(), quoted(&option_text(name, value))]);
    }
    words.extend(opening_words(&entry.openings));
    words.extend(["--out".to_owned(), dir.to_owned()]);
    words.join(" ")
}

/// The options of the command line for openings. Several lines stand in a file.
fn opening_words(Openings { lines, remove, random_plies }: &Openings) -> Vec<String> {
    let mut words = Vec::new();
    match lines.as_slice() {
        [] => {}
        [line] => words.extend(["--fen".to_owned(), quoted(line)]),
        _ => words.extend(["--openings", "FILE"].map(str::to_owned)),
    }
    if !remove.is_empty() {
        words.extend(["--remove".to_owned(), quoted(&remove.join(","))]);
    }
    if *random_plies > 0 {
        words.extend(["--random-plies".to_owned(), random_plies.to_string()]);
    }
    words
}

fn is_default(report: &Report, (name, value): &(&String, &Json)) -> bool {
    let known = report.spec.options.iter().find(|option| option.name == name.as_str());
    known.is_some_and(|option| {
        let default = [(option.name.to_owned(), option.default.clone())].into();
        darkqi_format::options_to_json(&default).get(option.name) == Some(value)
    })
}

/// A word quoted for shells.
pub fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-=:,./+@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn quoted_words_are_safe_for_a_shell() {
        assert_eq!(quoted("expectimax:depth=1,epsilon=0.1"), "expectimax:depth=1,epsilon=0.1");
        assert_eq!(quoted("values=my file.toml"), "'values=my file.toml'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}

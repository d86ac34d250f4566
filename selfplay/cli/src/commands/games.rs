//! `darkqi games`: the games and their options, and how one is played.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use darkqi_env::{
    Options, Spec,
    game::{Army, Captures, Lesson, Taking},
    games,
    spec::OptionInfo,
};
use darkqi_format::value_to_json;
use darkqi_play::variants::{self, Variant};
use serde_json::{Value as Json, json};

use super::output;
use super::rule_options::RuleOptions;
use super::table;

/// List the games, or tell how one is played
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game to tell about, with its rules
    game: Option<String>,
    #[command(flatten)]
    rule_options: RuleOptions,
    /// Describe the rule options, those of variants last
    #[arg(long, short)]
    verbose: bool,
    /// List the variants that --rules takes by name, or write the file of one
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["game", "verbose", "json", "rules", "settings"])]
    variants: Option<String>,
    /// Print one JSON object instead of tables, with all facts of each game
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    if let Some(name) = &args.variants {
        return list_variants(name, out);
    }
    let specs: Vec<Spec> = match args.game.clone().or(args.rule_options.game()?) {
        Some(game) => {
            let spec = Spec::new(&game, &args.rule_options.values(&game)?)?;
            if !args.json && !args.verbose {
                return tell(&spec, out);
            }
            vec![spec]
        }
        None => {
            if let Some((name, _)) = args.rule_options.settings()?.first_key_value() {
                bail!("--set {name}: expected a game that it belongs to");
            }
            let of_defaults = |name: &&str| Spec::new(name, &Options::new());
            games::names().iter().map(of_defaults).collect::<Result<_, _>>()?
        }
    };
    if args.json {
        let games: Vec<_> = specs.iter().map(to_json).collect();
        return output::write_json(out, &json!({ "games": games }));
    }
    let header = ["game", "players", "actions", "observation", "about"];
    let rows = specs.iter().map(|spec| {
        [
            spec.name.to_owned(),
            spec.num_players.to_string(),
            spec.num_actions.to_string(),
            spec.layout.plane_shape().map(|length| length.to_string()).join(" x "),
            spec.about.to_owned(),
        ]
    });
    table::write(out, header, rows, |column| (1..=2).contains(&column))?;
    for spec in specs.iter().filter(|_| args.verbose) {
        writeln!(out, "\nOptions of {}", spec.name)?;
        let header = ["option", "type", "default", "values", "about"];
        let alike =
            spec.options.chunk_by(|one, next| group(one).is_some() && group(one) == group(next));
        table::write(out, header, alike.map(row), |_| false)?;
    }
    Ok(())
}

/// The group of an option of each kind of piece, unless it was set.
fn group(option: &OptionInfo) -> Option<&'static str> {
    let of_kinds = option.name.split_once('.').map(|(group, _)| group);
    of_kinds.filter(|_| option.value == option.default)
}

/// An option, or those of a group in one row.
fn row(options: &[OptionInfo]) -> [String; 5] {
    let option = &options[0];
    let default = match &option.value {
        value if *value == option.default => option.default.to_string(),
        value => format!("{}, here {value}", option.default),
    };
    // The defaults of a group differ.
    let (name, default) = match options {
        [_] => (option.name.to_owned(), default),
        [first, .., last] => (format!("{} to {}", first.name, last.name), String::new()),
        [] => unreachable!("a chunk is not empty"),
    };
    [
        name,
        option.type_name.to_owned(),
        default.replace('`', ""),
        option.range.clone(),
        option.about.to_owned(),
    ]
}

/// The variants that come with the program, or the file of one.
fn list_variants(name: &str, out: &mut dyn Write) -> Result<()> {
    if !name.is_empty() {
        return Ok(write!(out, "{}", Variant::find(Path::new(name))?.to_toml())?);
    }
    let row = |name: &str| {
        let Variant { game, about, source, .. } = Variant::find(Path::new(name))?;
        Ok([name.to_owned(), game, about, source])
    };
    let rows = variants::names().map(row).collect::<Result<Vec<_>>>()?;
    table::write(out, ["variant", "game", "about", "source"], rows, |_| false)
}

/// Tells how a game is played, in the words of the page.
fn tell(spec: &Spec, out: &mut dyn Write) -> Result<()> {
    let Some(Lesson { goal, turn, pieces, captures, topics, ends, .. }) = spec.lesson() else {
        bail!("nobody has written down how {} is played", spec.name);
    };
    let named = |letter: char| {
        let name = spec.names.iter().find(|(known, _)| *known == letter);
        name.map_or_else(|| letter.to_string(), |(_, name)| format!("{} {letter}", name.en))
    };
    let played: Vec<char> = pieces.iter().map(|piece| piece.letter).collect();
    let mut rows = vec![["goal".to_owned(), goal.en.into_owned()]];
    rows.extend(turn.into_iter().map(|words| ["turn".to_owned(), words.en.into_owned()]));
    rows.extend(pieces.into_iter().map(|piece| {
        let becomes = piece.becomes.map(|letter| format!(" It turns into: {}.", named(letter)));
        [named(piece.letter), piece.moves.en.into_owned() + &becomes.unwrap_or_default()]
    }));
    rows.extend(captures.iter().flat_map(|captures| taken(captures, &played, &named)));
    rows.extend(topics.into_iter().map(|it| [it.title.en.into_owned(), it.text.en.into_owned()]));
    rows.extend(ends.into_iter().map(|words| ["end".to_owned(), words.en.into_owned()]));
    table::write(out, [spec.name, "rule"], rows, |_| false)
}

/// A row for each of these kinds that says which of them it takes.
fn taken(
    captures: &Captures,
    played: &[char],
    named: &impl Fn(char) -> String,
) -> Vec<[String; 2]> {
    let Captures { letters, rows } = captures;
    let is_played = |letter: &char| played.contains(letter);
    let kinds = |row: &[Option<Taking>], how| {
        let victims = letters.iter().zip(row);
        let victims = victims.filter(|(letter, taking)| is_played(letter) && **taking == Some(how));
        victims.map(|(letter, _)| named(*letter)).collect::<Vec<_>>().join(", ")
    };
    let told = |(captor, row): (&char, &Vec<Option<Taking>>)| {
        let ways = [(Taking::Beside, ""), (Taking::Over, "over one piece between: ")];
        let ways = ways.map(|(how, words)| (words, kinds(row, how)));
        let ways: Vec<String> = ways
            .into_iter()
            .filter(|(_, kinds)| !kinds.is_empty())
            .map(|(words, kinds)| format!("{words}{kinds}"))
            .collect();
        let all = if ways.is_empty() { "nothing".to_owned() } else { ways.join("; ") };
        [format!("{} takes", named(*captor)), all]
    };
    letters.iter().zip(rows).filter(|(captor, _)| is_played(captor)).map(told).collect()
}

/// A game's facts, by the names that Python gives them.
fn to_json(spec: &Spec) -> Json {
    let option = |option: &OptionInfo| {
        json!({
            "name": option.name,
            "type": option.type_name,
            "default": value_to_json(&option.default),
            "value": value_to_json(&option.value),
            "design": option.design,
            "range": option.range,
            "about": option.about,
        })
    };
    let army = |army: &Army| {
        let names: Vec<_> = spec.kinds.iter().map(|&kind| army.piece_name(kind)).collect();
        json!({ "name": army.name, "letter": army.letter, "piece_names": names })
    };
    json!({
        "name": spec.name,
        "about": spec.about,
        "num_players": spec.num_players,
        "player_range": [spec.player_range.start(), spec.player_range.end()],
        "teams": spec.teams,
        "max_plies": spec.max_plies,
        "num_actions": spec.num_actions,
        "board_shape": [spec.layout.size.ranks, spec.layout.size.files],
        "observation_shape": spec.layout.plane_shape(),
        "plane_names": spec.layout.plane_names(),
        "token_shape": [spec.layout.token_len()],
        "token_names": spec.layout.token_names(),
        "piece_letters": spec.kinds,
        "armies": spec.armies.iter().map(army).collect::<Vec<_>>(),
        "hides": spec.hides.name(),
        "deals_vary": spec.deals_vary,
        "covered_pieces_move": spec.covered_pieces_move,
        "captures_are_secret": spec.captures_are_secret,
        "options": spec.options.iter().map(option).collect::<Vec<_>>(),
    })
}

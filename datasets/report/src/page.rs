//! The page: sentences and tables for the template.

use std::fmt::Write as _;

use darkqi_env::{game::Hides, shown::printable};
use serde::Serialize;
use upon::{Engine, Value, fmt};

use super::contents::{Entry, Report, Table};
use super::figures::{self, Figure};
use super::provenance::Provenance;
use super::text::{self, Ends, NONE};
use darkqi_analysis::{Doubt, Effects, FirstRevealValue, Outcomes, PieceValues};

const TEMPLATE: &str = include_str!("report.html");
/// Parts of the template, by the names under which it includes them.
const PARTS: [(&str, &str); 2] =
    [("figures", include_str!("figures.html")), ("table", include_str!("table.html"))];
const STYLE: &str = include_str!("report.css");

/// The values of the template.
#[derive(Debug, Serialize)]
struct Page {
    style: &'static str,
    title: String,
    about: &'static str,
    headlines: Vec<String>,
    /// Whether the game has covered pieces.
    is_covered: bool,
    /// Whether an agent has a luck-adjusted score.
    is_adjusted: bool,
    has_two_seats: bool,
    options_differ: bool,
    strongest: String,
    has_lead: bool,
    lead_figures: Figures,
    lead_tables: Vec<Table>,
    agents: Table,
    reveal: Figures,
    effects: Vec<Table>,
    pieces: Figures,
    values: Option<Table>,
    /// Why datasets have no values, or why theirs may mislead.
    of_values: Vec<String>,
    positions: Option<String>,
    games: Figures,
    origins: Vec<Provenance>,
    /// The commands that reproduce the page, one a line.
    commands: String,
}

/// Charts that stand together, as the part `figures` of the template takes them.
#[derive(Debug, Serialize)]
struct Figures {
    figures: Vec<Figure>,
}

impl Table {
    /// Lines break between a number and its interval, not within them. Columns without any number
    /// are left out.
    pub fn new(title: &str, header: Vec<String>, rows: impl Iterator<Item = Vec<String>>) -> Self {
        let unbroken = |cell: String| {
            let parts: Vec<String> =
                cell.split(" (").map(|part| part.replace(' ', "\u{a0}")).collect();
            parts.join(" (")
        };
        let rows: Vec<Vec<String>> =
            rows.map(|row| row.into_iter().map(unbroken).collect()).collect();
        let says = |column: &usize| rows.iter().any(|row| row[*column] != NONE);
        let columns: Vec<usize> = (0..header.len()).filter(says).collect();
        let shown = |row: &Vec<String>| columns.iter().map(|&column| row[column].clone()).collect();
        Self {
            title: title.to_owned(),
            header: shown(&header),
            rows: rows.iter().map(shown).collect(),
        }
    }
}

impl Report {
    /// The finding in one sentence, that of a study or, without one, of the strongest agent, and why it
    /// may mislead.
    pub fn headline(&self) -> String {
        let sentences: Vec<String> = match self.lead.sentences.first() {
            Some(found) => [found.clone()].into_iter().chain(self.all_warnings()).collect(),
            None => findings(&self.strongest().first_reveal),
        };
        sentences.join(" ")
    }

    /// Why the figures of the datasets may mislead, with their labels.
    fn all_warnings(&self) -> Vec<String> {
        let entries = self.labels.iter().zip(&self.entries);
        let of_entry = |(label, entry): (&String, &Entry)| {
            let warnings = warnings(&entry.first_reveal.warnings);
            warnings.map(|warning| format!("{label}: {warning}")).collect::<Vec<_>>()
        };
        entries.flat_map(of_entry).collect()
    }

    /// The page. The template is part of the program and tested, so rendering cannot fail.
    pub fn html(&self) -> String {
        let mut engine = Engine::new();
        engine.set_default_formatter(&escape);
        engine.add_formatter("unescaped", fmt::default);
        for (name, part) in PARTS.into_iter().chain([("report", TEMPLATE)]) {
            engine.add_template(name, part).expect("the template is well formed");
        }
        let page = engine.template("report").render(Page::new(self)).to_string();
        let page = page.expect("the template uses what the page has");
        // Names of agents may have characters that change the direction of what follows.
        printable(&page, |character| character == '\n').into_owned()
    }
}

/// Writes a value as text of HTML.
fn escape(out: &mut fmt::Formatter<'_>, value: &Value) -> fmt::Result {
    let Value::String(text) = value else { return fmt::default(out, value) };
    for character in text.chars() {
        match character {
            '&' => out.write_str("&amp;"),
            '<' => out.write_str("&lt;"),
            '>' => out.write_str("&gt;"),
            '"' => out.write_str("&quot;"),
            '\'' => out.write_str("&#x27;"),
            other => out.write_char(other),
        }?;
    }
    Ok(())
}

impl Page {
    fn new(report: &Report) -> Self {
        let strongest = report.strongest();
        let one = &strongest.first_reveal;
        let what = if one.revealer.is_some() { "first reveal" } else { "first move" };
        let mut reveal = vec![figures::scores(report)];
        let mut effects = Vec::new();
        if let Some(revealer) = &one.revealer {
            reveal.push(figures::kinds(report, revealer));
            reveal.extend(figures::squares(report, revealer));
            effects.push(effect_table("piece", &revealer.kinds, |name| report.group_name(name)));
            effects.push(effect_table("square", &revealer.squares, str::to_owned));
        }
        let mut pieces = Vec::new();
        if let Ok(values) = &strongest.values {
            pieces.push(figures::values(report, values));
            pieces.extend(figures::value_by_threats(report, values));
            pieces.extend(values.held_out.as_ref().map(figures::predictions));
        }
        let of_values = report.labels.iter().zip(&report.entries).flat_map(|(label, entry)| {
            match &entry.values {
                Ok(values) => {
                    let is_new = |doubt: &&Doubt| !entry.first_reveal.warnings.contains(doubt);
                    let new: Vec<_> =
                        values.judgement.warnings.iter().filter(is_new).copied().collect();
                    warnings(&new).map(|warning| format!("{label}: {warning}")).collect()
                }
                // The marks of code are for messages at a terminal.
                Err(why) => vec![format!("No values for {label}: {}.", why.replace('`', ""))],
            }
        });
        let together = |figures| Figures { figures };
        let lead_figures: Vec<Figure> = figures::strength(report).into_iter().collect();
        let options = report.entries.iter().map(|entry| &entry.first_reveal.options);
        let origins = Provenance::all(report);
        Self {
            style: STYLE,
            title: match report.lead.title.as_str() {
                "" => format!("What the {what} is worth in {}", report.spec.name),
                title => title.to_owned(),
            },
            about: report.spec.about,
            headlines: match report.lead.sentences.as_slice() {
                [] => headlines(report, one),
                sentences => sentences.iter().cloned().chain(report.all_warnings()).collect(),
            },
            has_lead: !lead_figures.is_empty() || !report.lead.tables.is_empty(),
            lead_figures: together(lead_figures),
            lead_tables: report.lead.tables.clone(),
            is_covered: one.revealer.is_some(),
            is_adjusted: report.entries.iter().any(|entry| {
                let revealer = entry.first_reveal.revealer.as_ref();
                revealer.is_some_and(|revealer| revealer.adjusted.is_some())
            }),
            has_two_seats: report.spec.num_players == 2,
            options_differ: options.clone().any(|other| *other != one.options),
            strongest: report.labels.last().cloned().unwrap_or_default(),
            agents: agents(report),
            reveal: together(reveal),
            effects,
            pieces: together(pieces),
            values: value_table(report),
            of_values: of_values.collect(),
            positions: strongest.values.as_ref().ok().map(positions),
            games: together(vec![figures::lengths(one), figures::endings(one)]),
            commands: match report.lead.command.as_str() {
                "" => Provenance::commands(&origins),
                command => command.to_owned(),
            },
            origins,
        }
    }
}

/// The finding in one sentence.
fn headline(one: &FirstRevealValue) -> String {
    let (who, outcomes) = match &one.revealer {
        Some(revealer) => ("the player who makes the first reveal", &revealer.outcomes),
        None => ("the seat that moves first", &one.first_mover),
    };
    let finding = match one.even {
        Some(0.5) => format!(": {}", outcomes.score.verdict(0.5)),
        Some(even) => {
            let verdict = outcomes.score.verdict(even);
            format!(", where {} would be even: {verdict}", text::number(even, 3))
        }
        None => String::new(),
    };
    format!(
        "In {}, when {} plays itself, {who} scores {}{finding}.",
        one.game,
        one.agent,
        text::figure(outcomes.score, 3, Ends::Named)
    )
}

/// Why figures may mislead.
fn warnings(doubts: &[Doubt]) -> impl Iterator<Item = String> {
    doubts.iter().map(|doubt| format!("Warning: {doubt}."))
}

/// The finding, and why it may mislead.
fn findings(one: &FirstRevealValue) -> Vec<String> {
    [headline(one)].into_iter().chain(warnings(&one.warnings)).collect()
}

fn headlines(report: &Report, one: &FirstRevealValue) -> Vec<String> {
    let mut sentences = findings(one);
    let Some(revealer) = &one.revealer else {
        let why = match report.spec.hides {
            Hides::Nothing => "This game has no covered pieces and therefore no first reveal.",
            _ => "In these games nothing lay covered, so there was no first reveal.",
        };
        sentences.push(why.to_owned());
        return sentences;
    };
    if let Some(elo) = revealer.outcomes.elo {
        sentences.push(format!("This is an Elo difference of {}.", text::signed_figure(elo, 0)));
    }
    // If luck explains little, the adjusted score adds nothing.
    if let Some(adjusted) = revealer.adjusted.as_ref().filter(|one| one.reduction > 0.1) {
        let score = adjusted.score;
        sentences.push(format!(
            "The luck-adjusted score, a more precise estimate of the same quantity, is {}{}.",
            text::figure(score, 3, Ends::Beside),
            one.even.map(|even| format!(": {}", score.verdict(even))).unwrap_or_default()
        ));
    }
    let mut notable: Vec<_> = revealer.kinds.significant().collect();
    notable.sort_by(|one, other| other.effect.value.total_cmp(&one.effect.value));
    let effects: Vec<String> = notable
        .iter()
        .map(|effect| {
            let name = report.group_name(&effect.name);
            format!("{name} {}", text::signed(effect.effect.value, 3))
        })
        .collect();
    sentences.push(match effects.as_slice() {
        [] => "The piece revealed first has no significant effect.".to_owned(),
        effects => format!("The piece revealed first has an effect: {}.", effects.join(", ")),
    });
    sentences
}

fn agents(report: &Report) -> Table {
    let header = [
        "agent",
        "who",
        "games",
        "deals",
        "won / drawn / lost",
        "cut off",
        "score (95 % interval)",
        "Elo (95 % interval)",
        "luck-adjusted score",
        "variance reduction",
        "games with a winner",
    ];
    let rows = report.labels.iter().zip(&report.entries).flat_map(|(label, entry)| {
        let one = &entry.first_reveal;
        let revealer = one.revealer.as_ref().map(|revealer| (revealer, "first reveal"));
        let reveal = revealer.map(|(revealer, who)| {
            agent_row(label, entry, who, &revealer.outcomes, revealer.adjusted.as_ref())
        });
        let mover = agent_row(label, entry, "first move", &one.first_mover, None);
        reveal.into_iter().chain([mover])
    });
    Table::new("The agents, each against itself", header.map(str::to_owned).into(), rows)
}

fn agent_row(
    label: &str,
    entry: &Entry,
    who: &str,
    outcomes: &Outcomes,
    adjusted: Option<&darkqi_analysis::statistics::Adjusted>,
) -> Vec<String> {
    let one = &entry.first_reveal;
    let Outcomes { wins, draws, losses, cut_off, score, elo } = outcomes;
    let none = || NONE.to_owned();
    vec![
        label.to_owned(),
        who.to_owned(),
        text::count(wins + draws + losses),
        text::count(one.clusters),
        format!("{} / {} / {}", text::count(*wins), text::count(*draws), text::count(*losses)),
        text::count(*cut_off),
        text::figure(*score, 3, Ends::Beside),
        elo.map_or_else(none, |elo| text::signed_figure(elo, 0)),
        adjusted.map_or_else(none, |one| text::figure(one.score, 3, Ends::Beside)),
        adjusted.map_or_else(none, |one| text::percent(one.reduction)),
        text::percent_figure(one.decisive),
    ]
}

fn effect_table(what: &str, effects: &Effects, name: impl Fn(&str) -> String) -> Table {
    let header = [
        what,
        "games",
        "score (95 % interval)",
        "effect (95 % interval)",
        "p",
        "p (Holm)",
        "shrunk score",
    ];
    let rows = effects.groups.iter().map(|group| {
        vec![
            name(&group.name),
            text::count(group.games),
            text::figure(group.score, 4, Ends::Beside),
            text::signed_figure(group.effect, 4),
            text::p_value(group.p_value),
            text::p_value(group.p_holm),
            group.shrunk.map_or_else(|| NONE.to_owned(), |one| text::number(one.value, 4)),
        ]
    });
    Table::new(
        &format!("First reveals by {what} in numbers"),
        header.map(str::to_owned).into(),
        rows,
    )
}

/// The values by agent. None if there are none.
fn value_table(report: &Report) -> Option<Table> {
    let with_values: Vec<(&String, &PieceValues)> = report
        .labels
        .iter()
        .zip(&report.entries)
        .filter_map(|(label, entry)| Some((label, entry.values.as_ref().ok()?)))
        .collect();
    let (_, last) = with_values.last()?;
    let header =
        ["".to_owned()].into_iter().chain(with_values.iter().map(|&(label, _)| label.clone()));
    let rows = last.terms.iter().filter(|term| term.value.is_some()).map(|term| {
        let value = |values: &PieceValues| {
            let same = values.terms.iter().find(|other| other.name == term.name);
            let value = same.and_then(|same| same.value);
            value.map_or_else(|| NONE.to_owned(), |value| text::figure(value, 2, Ends::Beside))
        };
        let name = [figures::term_name(report, term)].into_iter();
        name.chain(with_values.iter().map(|(_, values)| value(values))).collect()
    });
    let table = Table::new("Values (95 % interval) by agent in numbers", header.collect(), rows);
    (!table.rows.is_empty()).then_some(table)
}

fn positions(PieceValues { basis, .. }: &PieceValues) -> String {
    let [positions, games, deals] = [basis.positions, basis.games, basis.deals].map(text::count);
    format!("{positions} quiet positions of {games} games on {deals} deals")
}

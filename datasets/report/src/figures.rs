//! The figures of the page: charts with captions and notes.

use serde::Serialize;

use super::contents::{Reference, Report};
use super::dot_plot::{DotPlot, DotRow, Mark, Style};
use super::{bar_charts, calibration_plot, heat_map, strength_plot, text};
use darkqi_analysis::piece_values::{HeldOut, Term};
use darkqi_analysis::{
    Effect, Effects, Estimate, FirstRevealValue, PieceValues, Revealer, piece_values::Basis,
    square_classes,
};

/// A chart with its text.
#[derive(Debug, Serialize)]
pub(super) struct Figure {
    title: String,
    /// How to read the chart.
    caption: String,
    /// Additional remarks.
    notes: Vec<String>,
    svg: String,
}

fn reference(estimate: f64) -> Mark {
    let estimate = Estimate { value: estimate, low: estimate, high: estimate };
    Mark { style: Style::Reference, estimate }
}

/// Scores against the strength of the agents; None without a study of it.
pub(super) fn strength(report: &Report) -> Option<Figure> {
    let ladder = report.lead.ladder.as_ref()?;
    let caption = "Each dot is an agent that plays itself, with the 95 % interval of its score. Its Elo is that of a match \
                   between all of them.";
    let line = "The line is fitted to the dots, with its 95 % band. Beyond the strongest agent it is a guess.";
    Some(Figure {
        title: "The score against strength".to_owned(),
        caption: caption.to_owned(),
        notes: ladder.trend.iter().map(|_| line.to_owned()).collect(),
        svg: strength_plot::draw(ladder, report.even()),
    })
}

/// Scores by agent.
pub(super) fn scores(report: &Report) -> Figure {
    let is_covered = report.entries.iter().any(|entry| entry.first_reveal.revealer.is_some());
    let row = |(label, one): (&String, &FirstRevealValue)| {
        let mover = one.first_mover.score;
        let revealer = one.revealer.as_ref().map(|revealer| revealer.outcomes.score);
        let marks = match revealer {
            Some(score) => vec![(Style::First, score), (Style::Second, mover)],
            None if is_covered => vec![(Style::Second, mover)],
            None => vec![(Style::First, mover)],
        };
        let mark = |(style, estimate)| Mark { style, estimate };
        DotRow { label: label.clone(), marks: marks.into_iter().map(mark).collect() }
    };
    let entries = report.entries.iter().map(|entry| &entry.first_reveal);
    let reveal = "the player who makes the first reveal".to_owned();
    let mover = "the seat that moves first".to_owned();
    let chart = DotPlot {
        rows: report.labels.iter().zip(entries).map(row).collect(),
        axis: match report.spec.num_players {
            2 => "score (win 1, draw ½)".to_owned(),
            seats => format!("score (win 1, draw 1/{seats})"),
        },
        line: report.even(),
        legend: if is_covered {
            vec![(Style::First, reveal.clone()), (Style::Second, mover.clone())]
        } else {
            vec![(Style::First, mover.clone())]
        },
        places: 4,
    };
    let who = if is_covered { "first reveal" } else { "first move" };
    let line = report.even().map(|even| match report.spec.num_players {
        2 => format!("{}, an even game", text::number(even, 1)),
        seats => format!("{}, {seats} equal seats", text::number(even, 3)),
    });
    let caption = match line {
        Some(line) => format!(
            "Each dot is a mean score with its 95 % interval. An interval that does not include the dashed line ({line}) shows a \
             significant advantage or disadvantage."
        ),
        None => "Each dot is a mean score with its 95 % interval. A win counts 1, divided among the team's seats. An even \
                 score depends on the teams."
            .to_owned(),
    };
    Figure {
        title: format!("Score of the {who}, by agent"),
        caption,
        notes: Vec::new(),
        svg: chart.draw(),
    }
}

/// Effects of the piece revealed.
pub(super) fn kinds(report: &Report, revealer: &Revealer) -> Figure {
    let overall = revealer.outcomes.score.value;
    let significant: Vec<&str> =
        revealer.kinds.significant().map(|effect| effect.name.as_str()).collect();
    let row = |effect: &Effect| {
        let is_notable = significant.contains(&effect.name.as_str());
        let style = if is_notable { Style::Notable } else { Style::First };
        let shrunk = effect.shrunk.map(|Estimate { value, low, high }| Mark {
            style: Style::Second,
            estimate: Estimate { value: value - overall, low: low - overall, high: high - overall },
        });
        let marks = [Mark { style, estimate: effect.effect }].into_iter().chain(shrunk);
        DotRow { label: report.group_name(&effect.name), marks: marks.collect() }
    };
    let groups = &revealer.kinds.groups;
    let notable = significant.len();
    let mut legend = vec![(Style::First, "effect, 95 % interval".to_owned())];
    if notable > 0 {
        legend.push((Style::Notable, "the same, significant after Holm (p < 0.05)".to_owned()));
    }
    let is_shrunk = groups.iter().any(|effect| effect.shrunk.is_some());
    if is_shrunk {
        legend.push((Style::Second, "shrunk".to_owned()));
    }
    let chart = DotPlot {
        rows: groups.iter().map(row).collect(),
        axis: "score minus that of all games".to_owned(),
        line: Some(0.0),
        legend,
        places: 4,
    };
    let mut notes = vec![match notable {
        0 => "No piece differs significantly from the rest.".to_owned(),
        some => format!("{some} of {} pieces differ significantly.", groups.len()),
    }];
    notes.extend(spread_note(&revealer.kinds));
    let mut caption = "Each row is the effect of this piece on the score of the player who reveals it first, with its \
                       95 % interval."
        .to_owned();
    if is_shrunk {
        caption += " The second dot is the estimate shrunk towards the others according to its noise; its expected error \
                    is smaller.";
    }
    Figure {
        title: "Effect of the piece revealed first".to_owned(),
        caption,
        notes,
        svg: chart.draw(),
    }
}

fn spread_note(effects: &Effects) -> Option<String> {
    let spread = effects.spread?;
    Some(format!(
        "Standard deviation of the true scores: {}; p-value of no difference: {}.",
        text::number(spread.deviation, 4),
        text::p_value(spread.p_value)
    ))
}

/// Scores by square of the first reveal. None in games without covered pieces.
pub(super) fn squares(report: &Report, revealer: &Revealer) -> Option<Figure> {
    let (size, classes) = (report.spec.board_size, square_classes(&report.spec)?);
    let groups = &revealer.squares.groups;
    let notable: Vec<&str> =
        revealer.squares.significant().map(|effect| effect.name.as_str()).collect();
    let mut notes = vec![match notable.as_slice() {
        _ if groups.len() == 1 => "This agent always makes the first reveal there.".to_owned(),
        [] => "No square differs significantly from the rest.".to_owned(),
        names => format!("Significant after Holm (p < 0.05): {}.", names.join(", ")),
    }];
    notes.extend(spread_note(&revealer.squares));
    let has_colours = groups.iter().any(|effect| effect.games >= heat_map::MIN_GAMES);
    if groups.iter().any(|effect| effect.games < heat_map::MIN_GAMES) {
        notes
            .push(format!("Squares with fewer than {} games have no colour.", heat_map::MIN_GAMES));
    }
    notes.push(
        "Agents choose where they reveal. This is therefore an association and not a causal effect."
            .to_owned(),
    );
    let colours =
        if has_colours { " Blue is below the score of all games, orange above." } else { "" };
    Some(Figure {
        title: "Score by the square of the first reveal".to_owned(),
        caption: format!(
            "The board from the perspective of the player who reveals first. Squares that are equivalent by symmetry share \
             one estimate.{colours} The tooltip of a square shows its 95 % interval and number of games."
        ),
        notes,
        svg: heat_map::draw(size, &classes, &revealer.squares, revealer.outcomes.score),
    })
}

/// The subject of a column, in words.
pub(super) fn term_name(report: &Report, term: &Term) -> String {
    match (term.kind, term.name.strip_prefix('~')) {
        (Some(kind), _) => report.kind_name(kind),
        (None, Some("")) => "covered piece".to_owned(),
        (None, Some(kind)) => match kind.chars().next() {
            Some(letter) => format!("~{}", report.kind_name(letter)),
            None => term.name.clone(),
        },
        (None, None) => term.name.clone(),
    }
}

/// Whether an estimate has a finite, non-empty interval.
fn is_told(estimate: &Estimate) -> bool {
    estimate.low < estimate.high && estimate.low.is_finite() && estimate.high.is_finite()
}

/// The unit in words.
fn unit(values: &PieceValues) -> String {
    let kinds: Vec<String> = values.basis.unit.iter().map(char::to_string).collect();
    let mean = if kinds.len() > 1 { "mean of " } else { "" };
    format!("{mean}{} = {}", kinds.join(" and "), values.basis.unit_value)
}

/// The reference value of a kind, in the unit of the measured values.
fn in_unit(reference: &Reference, values: &PieceValues, kind: char) -> Option<f64> {
    let Basis { unit: kinds, unit_value, .. } = &values.basis;
    let unit: Option<f64> = kinds.iter().map(|kind| reference.values.get(kind)).sum();
    let unit = unit? / kinds.len() as f64;
    Some(reference.values.get(&kind)? / unit * unit_value)
}

/// The meaning of these rows' marks.
fn legend(rows: &[DotRow], beside: Option<&Reference>) -> Vec<(Style, String)> {
    let mut legend = vec![(Style::First, "logit, 95 % interval".to_owned())];
    for (style, name) in [
        (Style::Second, "ordered logit (draws apart)"),
        (Style::Reference, beside.map_or("", |beside| beside.about.as_str())),
    ] {
        if rows.iter().flat_map(|row| &row.marks).any(|mark| mark.style == style) {
            legend.push((style, name.to_owned()));
        }
    }
    legend
}

/// Notes on the values: whether they are scaled, which are missing, what a letter means.
fn notes(report: &Report, values: &PieceValues, is_scaled: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if !is_scaled {
        notes.push(format!(
            "The unit ({}) is not significantly above 0 in these games. The chart shows log odds instead.",
            unit(values)
        ));
    }
    let left_out = |term: &Term| {
        let why = term.left_out.as_ref()?;
        Some(format!("{} ({why})", term_name(report, term)))
    };
    let left_out: Vec<String> = values.terms.iter().filter_map(left_out).collect();
    if !left_out.is_empty() {
        notes.push(format!("Not identified: {}.", left_out.join("; ")));
    }
    if values.terms.iter().any(|term| term.name.starts_with('~') && term.name != "~") {
        notes
            .push("~R is a covered piece that moves as a chariot; the others likewise.".to_owned());
    }
    notes
}

/// The piece values.
pub(super) fn values(report: &Report, values: &PieceValues) -> Figure {
    let counted = |term: &&Term| match &values.feared {
        Some(feared) => term.name != format!("{} per enemy {}", feared.kind, feared.feared),
        None => true,
    };
    let is_scaled = values.terms.iter().filter_map(|term| term.value).any(|value| is_told(&value));
    let beside = report.reference.as_ref().filter(|_| is_scaled);
    let row = |term: &Term| {
        // Columns that do not count pieces have no value.
        let estimate =
            if is_scaled { term.value } else { term.log_odds.filter(|_| term.is_piece) }?;
        let mut marks = vec![Mark { style: Style::First, estimate }];
        let ordered = term.ordered_value.filter(|_| is_scaled);
        marks.extend(ordered.map(|estimate| Mark { style: Style::Second, estimate }));
        marks.extend(term.kind.and_then(|kind| in_unit(beside?, values, kind)).map(reference));
        Some(DotRow { label: term_name(report, term), marks })
    };
    let mut rows: Vec<DotRow> = values.terms.iter().filter(counted).filter_map(row).collect();
    for form in values.forms.iter().filter(|_| is_scaled) {
        let [one, other] = form.kinds;
        let mut marks = vec![Mark { style: Style::First, estimate: form.value }];
        let mean = || {
            let beside = beside?;
            Some((in_unit(beside, values, one)? + in_unit(beside, values, other)?) / 2.0)
        };
        marks.extend(mean().map(reference));
        rows.push(DotRow { label: format!("mean of {one} and {other}"), marks });
    }
    let legend = legend(&rows, beside);
    let notes = notes(report, values, is_scaled);
    let axis = if is_scaled {
        format!("value (unit: {})", unit(values))
    } else {
        "increase of the log odds by one more".to_owned()
    };
    Figure {
        title: "What each piece is worth".to_owned(),
        caption: format!(
            "Each dot is the increase of the log odds by one more of a piece{}, with its 95 % interval. Lines \
             without an end cap extend beyond the chart.",
            if is_scaled { ", in the unit below" } else { "" }
        ),
        notes,
        svg: DotPlot { rows, axis, line: Some(0.0), legend, places: 2 }.draw(),
    }
}

/// The value of a kind by the number of enemies that capture it.
pub(super) fn value_by_threats(report: &Report, values: &PieceValues) -> Option<Figure> {
    let feared = values.feared.as_ref()?;
    if !feared.values.iter().any(is_told) {
        return None;
    }
    let row = |(number, &estimate): (usize, &Estimate)| DotRow {
        label: format!("{number} enemy {}", feared.feared),
        marks: vec![Mark { style: Style::First, estimate }],
    };
    let kind = report.kind_name(feared.kind);
    Some(Figure {
        title: format!("{kind}: value by the number of enemy {} face up", feared.feared),
        caption: format!(
            "{} captures {}. Each dot is the value of the latter against this number of the former, with its 95 % \
             interval, from a linear fit to all positions.",
            report.kind_name(feared.feared),
            kind
        ),
        notes: Vec::new(),
        svg: DotPlot {
            rows: feared.values.iter().enumerate().map(row).collect(),
            axis: format!("value (unit: {})", unit(values)),
            line: Some(0.0),
            legend: vec![(Style::First, "value".to_owned())],
            places: 2,
        }
        .draw(),
    })
}

/// The validation of the values on held-out deals.
pub(super) fn predictions(held_out: &HeldOut) -> Figure {
    let HeldOut { deals, quality, without_values } = held_out;
    let notes = vec![format!(
        "{} deals held out; log-loss {} against {} without values, Brier score {} against {} (lower is better).",
        text::count(*deals),
        text::number(quality.log_loss.value, 4),
        text::number(without_values.log_loss.value, 4),
        text::number(quality.brier.value, 4),
        text::number(without_values.brier.value, 4)
    )];
    Figure {
        title: "How well the values predict results".to_owned(),
        caption: "Values fitted to four deals in five predict the results of the fifth. Dots on the dashed diagonal \
                  are calibrated. Lines are 95 % intervals of the observed scores. Larger dots have more positions."
            .to_owned(),
        notes,
        svg: calibration_plot::draw(quality),
    }
}

/// The game lengths.
pub(super) fn lengths(one: &FirstRevealValue) -> Figure {
    let (svg, longer) = bar_charts::lengths(&one.plies, one.games);
    let notes = match longer {
        0 => Vec::new(),
        _ => vec![format!("Longer than the axis: {}.", text::count(longer))],
    };
    let mean = one.plies.mean;
    Figure {
        title: "Game lengths".to_owned(),
        caption: format!(
            "Each bar is the share of games of that length, over all games. The mean is {} plies.",
            text::figure(mean, 1, text::Ends::Named)
        ),
        notes,
        svg,
    }
}

/// The reasons for which games end.
pub(super) fn endings(one: &FirstRevealValue) -> Figure {
    Figure {
        title: "Reasons for which games end".to_owned(),
        caption: "Each bar is the share of games that ended for this reason, over all games. Games that a limit cut \
                  off count as draws in every score."
            .to_owned(),
        notes: Vec::new(),
        svg: bar_charts::endings(one),
    }
}

//! The report's page, from made-up results.

use std::collections::BTreeMap;

use darkqi_analysis::piece_values::{Basis, FormPair, HeldOut, Term, ValueByThreats};
use darkqi_analysis::statistics::{Adjusted, Bin, Quality};
use darkqi_analysis::{
    Effect, Effects, Estimate, FirstRevealValue, GameLengths, Heterogeneity, Judgement, LengthBin,
    Measurement, Outcomes, PieceValues, Revealer,
};
use darkqi_format::Openings;
use darkqi_report::{Entry, Lead, Reference, Report};
use roxmltree::{Document, Node, ParsingOptions};

/// A name that would execute as a script if it were not escaped.
const EVIL: &str = "</style><script>alert('1')</script>\" onload=\"x&";

fn estimate(value: f64) -> Estimate {
    Estimate { value, low: value - 0.01, high: value + 0.01 }
}

fn outcomes(score: f64) -> Outcomes {
    let elo = Some(Estimate { value: 12.0, low: 5.0, high: 19.0 });
    Outcomes { wins: 700, draws: 234, losses: 66, cut_off: 4, score: estimate(score), elo }
}

fn effects(names: &[&str]) -> Effects {
    let effect = |(number, &name): (usize, &&str)| Effect {
        name: name.to_owned(),
        games: if name == "b1" { 1 } else { 100 + number as u64 },
        score: estimate(0.5 + 0.01 * number as f64),
        effect: estimate(0.01 * number as f64),
        p_value: 0.01,
        p_holm: 0.02 * number as f64,
        shrunk: Some(estimate(0.52)),
    };
    Effects {
        groups: names.iter().enumerate().map(effect).collect(),
        spread: Some(Heterogeneity { deviation: 0.0123, p_value: 0.002 }),
    }
}

fn first_reveal(game: &str, agent: &str, score: f64) -> FirstRevealValue {
    let measured = Measurement { value: score, error: 0.004 };
    let revealer = Revealer {
        outcomes: outcomes(score),
        adjusted: Some(Adjusted {
            raw: measured,
            adjusted: measured,
            score: measured.estimate(),
            reduction: 0.25,
            covariates: 2,
            clusters: 1000,
            coefficients: Vec::new(),
        }),
        design_effect: Some(1.0),
        without_reveal: 0,
        moved_first: estimate(0.98),
        kinds: effects(&["K", "A", "R", "P"]),
        squares: effects(&["a1", "b1", "c1", "d1", "a2", "b2", "d2"]),
    };
    let mean = Estimate { value: 61.25, low: 60.0, high: 62.5 };
    let bin = |shortest, games| LengthBin { shortest, longest: shortest + 9, games };
    FirstRevealValue {
        game: game.to_owned(),
        options: BTreeMap::new(),
        agent: agent.to_owned(),
        seed: 7,
        software_version: "9.8.7".to_owned(),
        games: 1000,
        distinct_games: 1000,
        deals: 1000,
        clusters: 1000,
        effective_deals: 1000,
        openings: None,
        revealer: (game != "flipping").then_some(revealer),
        first_mover: outcomes(0.48),
        even: Some(0.5),
        decisive: estimate(0.77),
        plies: GameLengths {
            mean,
            p5: 21,
            median: 58.0,
            p95: 97,
            bins: vec![bin(20, 400), bin(60, 590), bin(400, 10)],
        },
        endings: [("no_pieces".to_owned(), 996), ("max_plies".to_owned(), 4)].into(),
        cut_off: [("max_plies".to_owned(), 4)].into(),
        warnings: Vec::new(),
        settled: None,
        settled_adjusted: None,
    }
}

fn term(name: &str, value: f64, high: f64) -> Term {
    let value = Some(Estimate { value, low: value - 0.2, high });
    Term {
        name: name.to_owned(),
        kind: name.chars().next().filter(|_| name.len() == 1),
        is_piece: true,
        log_odds: Some(estimate(0.3)),
        value,
        ordered_value: value,
        left_out: None,
    }
}

fn values(game: &str) -> PieceValues {
    let measured = |value| Measurement { value, error: 0.02 };
    let bin = |low: f64| Bin {
        low,
        high: low + 0.1,
        weight: 80.0,
        predicted: low + 0.05,
        observed: Estimate { value: low + 0.04, low, high: low + 0.08 },
        excess: measured(-0.01),
    };
    let quality = Quality {
        log_loss: measured(0.5),
        brier: measured(0.11),
        bins: vec![bin(0.1), bin(0.5), bin(0.8)],
    };
    PieceValues {
        basis: Basis {
            game: game.to_owned(),
            options: BTreeMap::new(),
            agent: "greedy".to_owned(),
            games: 990,
            deals: 990,
            positions: 7900,
            unit: vec!['R'],
            unit_value: 4.0,
        },
        seed: 7,
        software_version: "9.8.7".to_owned(),
        distinct_games: 990,
        effective_deals: 990,
        terms: vec![term("K", 5.27, 6.35), term("R", 4.0, 4.0), term("C", 2.0, f64::INFINITY)],
        forms: vec![FormPair { kinds: ['C', 'R'], value: estimate(3.0) }],
        feared: Some(ValueByThreats {
            kind: 'K',
            feared: 'P',
            values: (0..6).map(|enemies| estimate(5.0 - f64::from(enemies))).collect(),
        }),
        ordered: None,
        held_out: Some(HeldOut { deals: 200, without_values: quality.clone(), quality }),
        judgement: Judgement::default(),
    }
}

fn entry(game: &str, agent: &str, score: f64) -> Entry {
    let values = Ok(values(game));
    Entry {
        first_reveal: first_reveal(game, agent, score),
        values,
        is_complete: true,
        is_played_again: true,
        openings: Openings::default(),
    }
}

fn report(entries: Vec<Entry>) -> Report {
    let values = [('K', 6.0), ('R', 2.0), ('C', 1.0)].into();
    let reference = Reference { about: "the earlier values".to_owned(), values };
    Report::new(entries, Some(reference), Lead::default()).expect("the entries are of one game")
}

/// Parses the whole page, which is also well-formed XML.
fn parse(page: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).unwrap_or_else(|error| panic!("{error}\n{page}"))
}

fn text(node: Node<'_, '_>) -> String {
    node.descendants().filter_map(|node| node.text().filter(|_| node.is_text())).collect()
}

/// The figure whose heading starts with `title`.
fn figure<'a>(page: &'a Document<'_>, title: &str) -> Node<'a, 'a> {
    let figures = page.descendants().filter(|node| node.has_tag_name("figure"));
    let mut found = figures.filter(|figure| {
        let mut headings = figure.children().filter(|node| node.has_tag_name("h3"));
        headings.next().is_some_and(|heading| text(heading).starts_with(title))
    });
    found.next().unwrap_or_else(|| panic!("no figure {title}"))
}

/// The tooltips of a figure.
fn titles(figure: Node<'_, '_>) -> Vec<String> {
    figure.descendants().filter(|node| node.tag_name().name() == "title").map(text).collect()
}

#[test]
fn the_page_states_the_results() {
    let report = report(vec![entry("banqi", "random", 0.5), entry("banqi", "greedy", 0.5312)]);
    let headline = "In banqi, when greedy plays itself, the player who makes the first reveal \
                    scores 0.531 (95 % interval 0.521 to 0.541): an advantage.";
    assert_eq!(report.headline(), headline);
    let page = report.html();
    let document = parse(&page);
    let all = text(document.root());
    for part in [
        headline,
        "This is an Elo difference of +12 (+5 to +19).",
        "more precise estimate of the same quantity, is 0.531 (0.523 to 0.539): an advantage.",
        "The piece revealed first has an effect: R chariot +0.020, A advisor +0.010, K general 0.000.",
        "7,900 quiet positions of 990 games on 990 deals",
        "darkqi selfplay banqi --games 1000 --agents random --seed 7 --out DIR1",
        "darkqi report DIR1 DIR2 -o report.html",
        "darkqi 9.8.7",
    ] {
        assert!(all.contains(part), "no {part:?} in {all}");
    }
    // Every chart has a caption, and a label of its axis or a legend.
    for figure in document.descendants().filter(|node| node.has_tag_name("figure")) {
        let has = |name: &str| figure.descendants().any(|node| node.tag_name().name() == name);
        assert!(has("svg") && has("h3") && has("figcaption"), "{}", text(figure));
        let is_axis = |node: Node<'_, '_>| {
            node.attribute("class").is_some_and(|class| class.starts_with("axis"))
        };
        assert!(figure.descendants().any(is_axis), "{}", text(figure));
    }
    // The reference values, in the unit of the measured ones: R is 4.
    let worth = titles(figure(&document, "What each piece is worth"));
    for part in ["K general: logit, 95 % interval 5.27 (5.07 to 6.35)", "the earlier values 12.00"]
    {
        assert!(worth.iter().any(|title| title.contains(part)), "no {part:?} in {worth:?}");
    }
    assert!(
        text(figure(&document, "Reasons for which games end"))
            .contains("max plies: 4 games, 0.4 %")
    );
    assert!(text(figure(&document, "Game lengths")).contains("Longer than the axis: 10."));
}

#[test]
fn the_board_has_every_square_once() {
    let page = report(vec![entry("banqi", "greedy", 0.53)]).html();
    let document = parse(&page);
    let mut squares: Vec<String> = titles(figure(&document, "Score by the square"))
        .iter()
        .filter_map(|title| Some(title.split_once(':')?.0.to_owned()))
        .collect();
    assert_eq!(squares.len(), 32);
    squares.sort();
    squares.dedup();
    assert_eq!(squares.len(), 32);
    let titles = titles(figure(&document, "Score by the square"));
    // h4 is equivalent to a1, and c2 has no games.
    let h4 = "h4: score 0.500 (0.490 to 0.510), 100 games on 4 equivalent squares; p < 0.0001 after Holm";
    assert!(titles.iter().any(|title| title == h4), "{titles:?}");
    assert!(
        titles.iter().any(|title| title.contains(", 1 game on 4 equivalent squares")),
        "{titles:?}"
    );
    assert!(titles.iter().any(|title| title == "c2: no first reveal here"), "{titles:?}");
}

#[test]
fn names_and_options_are_escaped() {
    let mut evil = entry("banqi", EVIL, 0.53);
    evil.values = Err(EVIL.to_owned());
    evil.first_reveal.endings.insert(EVIL.to_owned(), 3);
    let page = report(vec![evil]).html();
    assert!(!page.contains("<script") && page.matches("</style>").count() == 1, "{page}");
    let document = parse(&page);
    assert!(text(document.root()).contains(EVIL));
    let foreign = |name: &str| name == "onload" || name.contains("alert");
    assert!(
        document.descendants().all(|node| node.attributes().all(|one| !foreign(one.name()))),
        "{page}"
    );
    let command = "--agents '</style><script>alert('\\''1'\\'')</script>\" onload=\"x&' --seed 7";
    assert!(text(document.root()).contains(command));
}

#[test]
fn the_page_states_missing_values_and_reveals() {
    let mut entry = entry("flipping", "greedy", 0.5);
    entry.values = Err("expected rows of at least 2 clusters, found 0".to_owned());
    entry.is_complete = false;
    let report = report(vec![entry]);
    let score =
        "the seat that moves first scores 0.480 (95 % interval 0.470 to 0.490): a disadvantage.";
    assert!(report.headline().ends_with(score), "{}", report.headline());
    let page = report.html();
    let all = text(parse(&page).root());
    for part in
        ["This game has no covered pieces", "greedy: expected rows of at least 2", "did not finish"]
    {
        assert!(all.contains(part), "no {part:?} in {all}");
    }
}

#[test]
fn the_page_explains_only_what_it_shows() {
    let parts = [
        "The luck-adjusted score is",
        "Luck-adjusted score.",
        "The second dot",
        "Blue is below",
        "score of the player who made the first reveal there",
    ];
    let full = entry("banqi", "greedy", 0.53);
    let mut bare = full.clone();
    bare.values = Err("`S` helps to predict".to_owned());
    let revealer = bare.first_reveal.revealer.as_mut().expect("banqi has reveals");
    revealer.adjusted = None;
    revealer.kinds.groups.iter_mut().for_each(|effect| effect.shrunk = None);
    revealer.squares.groups.iter_mut().for_each(|effect| effect.games = 29);
    let said = |entry: Entry| text(parse(&report(vec![entry]).html()).root());
    let (full, bare) = (said(full), said(bare));
    for part in parts {
        assert!(full.contains(part) && !bare.contains(part), "{part}");
    }
    assert!(bare.contains("greedy: S helps to predict"), "{bare}");
}

#[test]
fn datasets_of_several_games_are_refused() {
    let entries = ["banqi", "gaiqi", "banqi"].map(|game| entry(game, "greedy", 0.5));
    let refused =
        |entries| Report::new(entries, None, Lead::default()).expect_err("refused").to_string();
    assert_eq!(refused(entries.into()), "expected datasets of one game, found banqi and gaiqi");
    assert_eq!(refused(Vec::new()), "expected at least one dataset");
}

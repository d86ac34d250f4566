//! Names that tell measured datasets apart.

use std::collections::BTreeSet;

use darkqi_format::option_text;

use super::results::FirstRevealValue;

/// A name for each dataset, all different: its agent, the options that others of the game set
/// otherwise, how its games begin where others begin otherwise, and where all are equal its number.
pub fn labels(measured: &[&FirstRevealValue]) -> Vec<String> {
    let openings: BTreeSet<String> = measured.iter().map(|one| opening_text(one)).collect();
    let described = measured.iter().map(|one| {
        let mut label = one.agent.clone();
        for (name, value) in &one.options {
            let same_game = measured.iter().filter(|other| other.game == one.game);
            if same_game.clone().any(|other| other.options.get(name) != Some(value)) {
                label += &format!(", {}", option_text(name, value));
            }
        }
        if openings.len() > 1 {
            label += &format!(", {}", opening_text(one));
        }
        label
    });
    let described: Vec<String> = described.collect();
    let label = |(number, label): (usize, &String)| {
        let is_same = |&(place, other): &(usize, &String)| {
            other == label && measured[place].game == measured[number].game
        };
        match described.iter().enumerate().filter(is_same).count() {
            1 => label.clone(),
            _ => format!("{label} (dataset {})", number + 1),
        }
    };
    described.iter().enumerate().map(label).collect()
}

/// How the games of a dataset begin.
fn opening_text(one: &FirstRevealValue) -> String {
    let Some(openings) = &one.openings else { return "from the deal".to_owned() };
    let mut parts = Vec::new();
    if !openings.lines.is_empty() {
        parts.push(counted(openings.lines.len(), "opening", "openings"));
    }
    if !openings.remove.is_empty() {
        parts.push(format!("without {}", openings.remove.join(" ")));
    }
    if openings.random_plies > 0 {
        parts.push(counted(openings.random_plies as usize, "random ply", "random plies"));
    }
    parts.join(", ")
}

fn counted(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

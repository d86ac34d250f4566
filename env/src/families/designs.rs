//! What the options of designers have in common, whatever the family: options by kind, their texts, usual
//! values, and lessons.

use crate::board::Kind;
use crate::game::fen::counter;
use crate::game::{Captures, Domain, Taking, Text, Topic, Words, XIANGQI_NAMES, choices, words};

pub(super) const KINDS: usize = Kind::ALL.len();

/// The value of an option that is left as the game has it.
pub(super) const USUAL: &str = "usual";

choices! {
    /// The result for a seat without an action.
    #[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
    pub(super) enum NoMoves {
        #[default]
        Loss = "loss",
        Draw = "draw",
    }
}

/// Numbers of pieces, as in `2` or, of red and of black, `2/1`. None is above `most`.
pub(super) fn read_counts(text: &str, most: u16) -> Option<[u8; 2]> {
    let (red, black) = text.split_once('/').unwrap_or((text, text));
    let count = |text: &str| counter("counts", text).ok().filter(|&count| count <= most);
    Some([u8::try_from(count(red)?).ok()?, u8::try_from(count(black)?).ok()?])
}

/// The text that [`read_counts`] reads.
pub(super) fn write_counts([red, black]: [u8; 2]) -> Text {
    if red == black { text(&red.to_string()) } else { text(&format!("{red}/{black}")) }
}

/// The kinds of these letters, as bits.
pub(super) fn read_kinds(text: &str) -> Option<u8> {
    if text == "-" {
        return Some(0);
    }
    text.chars().try_fold(0, |kinds, letter| {
        let kind = Kind::LETTERS.iter().position(|&known| known == letter)?;
        (kinds >> kind & 1 == 0).then_some(kinds | 1 << kind)
    })
}

/// The letters of these kinds, which are given as bits.
pub(super) fn write_kinds(kinds: u8) -> Text {
    let is_one = |&(kind, _): &(usize, char)| kinds >> kind & 1 == 1;
    let letters = Kind::LETTERS.into_iter().enumerate().filter(is_one).map(|(_, letter)| letter);
    let letters: String = letters.collect();
    text(if letters.is_empty() { "-" } else { &letters })
}

/// The values of `takes`.
pub(super) const TAKES: Domain = Domain::Pattern {
    expected: "letters of kinds such as KAE, - for none, or usual",
    examples: &[USUAL, "KAEHRCP", "-", "P", "KC"],
    fits: |text| text == USUAL || read_kinds(text).is_some_and(|_| !text.is_empty()),
};

/// Options by kind, of those kinds that are listed with their indices: texts that [`Setting::Text`] has.
///
/// [`Setting::Text`]: crate::game::Setting::Text
macro_rules! by_kind {
    (
        $group:literal [$($letter:literal $kind:literal),*],
        $domain:expr, $about:literal, $get:expr, $set:expr
    ) => {
        [$($crate::game::OptionSpec {
            name: concat!($group, ".", $letter),
            about: $about,
            domain: $domain,
            get: |rules| $crate::game::Setting::Text($get(&rules.design, $kind)),
            set: |rules, setting| {
                if let $crate::game::Setting::Text(text) = setting {
                    $set(&mut rules.design, $kind, text);
                }
            },
        }),*]
    };
    // Texts in a field, empty where they are the usual ones.
    ($group:literal, $field:ident, $domain:expr, $about:literal) => {
        $crate::families::designs::by_kind!(
            $group,
            $domain,
            $about,
            |design: &Design, kind: usize| $crate::families::designs::or_usual(design.$field[kind]),
            |design: &mut Design, kind: usize, value| {
                design.$field[kind] = $crate::families::designs::unless_usual(value);
            }
        )
    };
    ($group:literal, $domain:expr, $about:literal, $get:expr, $set:expr) => {
        $crate::families::designs::by_kind!(
            $group ["K" 0, "A" 1, "E" 2, "H" 3, "R" 4, "C" 5, "P" 6],
            $domain, $about, $get, $set
        )
    };
}

pub(super) use by_kind;

pub(super) fn text(value: &str) -> Text {
    Text::from(value).expect("such values are short")
}

/// The text of a field that is empty where it is as usual.
pub(super) fn or_usual(value: Text) -> Text {
    if value.is_empty() { text(USUAL) } else { value }
}

/// The inverse of [`or_usual`].
pub(super) fn unless_usual(value: Text) -> Text {
    if value.as_str() == USUAL { Text::new() } else { value }
}

/// The name of a kind.
pub(super) fn name(kind: Kind) -> Words {
    XIANGQI_NAMES[kind.index()].1.clone()
}

/// The kinds of which there are any, with their numbers.
pub(super) fn listed(count: impl Fn(Kind) -> u8) -> Words {
    let kinds = Kind::ALL.map(|kind| (count(kind), name(kind)));
    let there = kinds.iter().filter(|(count, _)| *count > 0);
    let numbered = there.map(|(count, name)| words!("{count} {}", "{}{count}", name));
    Words::listed(&numbered.collect::<Vec<_>>())
}

/// Which kinds take which; `None` where each takes all. `jumps` tells the kinds that take over a piece
/// alone.
pub(super) fn captures(
    takes: impl Fn(Kind, Kind) -> bool,
    jumps: impl Fn(Kind) -> bool,
) -> Option<Captures> {
    let mut kinds = Kind::ALL;
    let taking = |captor: Kind, victim: Kind| {
        let way = if jumps(captor) { Taking::Over } else { Taking::Beside };
        takes(captor, victim).then_some(way)
    };
    // From the kind that fewest take to that which most take: by rank, where ranks decide.
    kinds.sort_by_key(|&victim| Kind::ALL.iter().filter(|&&it| takes(it, victim)).count());
    let rows: Vec<Vec<_>> =
        kinds.map(|captor| kinds.map(|victim| taking(captor, victim)).to_vec()).to_vec();
    let is_selective = rows.iter().flatten().any(Option::is_none);
    let letters = kinds.map(|kind| Kind::LETTERS[kind.index()]).to_vec();
    is_selective.then_some(Captures { letters, rows })
}

/// The rule that no covered piece is taken.
pub(super) fn covered_are_safe() -> Topic {
    Topic::new(
        Words::new("Covered pieces are safe", "暗子不能吃"),
        Words::new(
            "Only face-up enemy pieces are taken. A covered piece cannot be taken, and it blocks the way.",
            "只能吃对方的明子。暗子不能被吃，也挡住去路。",
        ),
    )
}

pub(super) const COVERED_IS_SAFE: Words =
    Words::new("A covered piece cannot be taken in this game.", "这种玩法不能吃暗子。");

/// Why a piece does not take another that it reaches.
pub(super) fn does_not_take(captor: Kind, victim: Kind) -> Words {
    words!(
        "Your {} does not take this {}: see who takes whom in the rules.",
        "{}不能吃{}，请看规则里的吃子表。",
        name(captor),
        name(victim)
    )
}

#[cfg(test)]
pub(super) mod tests;

//! What the duels on rules of designers share: games in the engine and with the referee, and options
//! that both refuse.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use darkqi_env::{AnyState, Rng, Spec};
use darkqi_play::variants::{self, Variant};
use darkqi_tests::arbitrary::{Named, fits, pairs, random_design};
use darkqi_tests::duel::{Counts, agreed, draw, play_out};
use darkqi_tests::{cases, random_action, referee, test_rng, texts};

use super::duel::stubborn;
use super::duel_seven_kingdoms::hungry;

/// Some games are very long. They are compared up to this ply.
pub(super) const PLIES: usize = 150;

/// Looks at a position under these options and the action that is played next.
type Look = fn(&mut Counts, &[(&str, &str)], &dyn AnyState, &str);

/// Games of designs, in the engine and with the referee.
pub(super) struct Duels {
    /// The games that designers may change.
    pub(super) games: [&'static str; 2],
    /// The position of a deal with most pieces taken away.
    pub(super) sparse: fn(&Spec, &str, &mut Rng) -> String,
    /// Whether a position after a move is one that a stubborn player wants.
    pub(super) is_forcing: fn(&dyn AnyState) -> bool,
    pub(super) look: Look,
}

impl Duels {
    /// Plays this number of designs of each game, and of games of each design: from deals, or from
    /// positions with few pieces.
    pub(super) fn play(&self, is_sparse: bool, designs: u64, games_each: u64) -> Counts {
        let mut counts = Counts::default();
        for game in self.games {
            for seed in 0..cases(designs) {
                let given = random_design(game, &mut test_rng(seed));
                // If it fails, this tells in which game.
                println!("{game} {given:?}");
                let spec = Spec::new(game, &texts(&pairs(&given))).expect("the options are valid");
                let seeds = games_each * seed..games_each * (seed + 1);
                self.play_one(&spec, &given, seeds, is_sparse, &mut counts);
            }
        }
        counts
    }

    /// Plays the variants that come with the program.
    pub(super) fn play_variants(&self) -> Counts {
        let mut counts = Counts::default();
        for name in variants::names() {
            let Variant { game, options, .. } =
                Variant::find(Path::new(name)).expect("it comes with the program");
            if !self.games.contains(&&*game) {
                continue;
            }
            let spec = Spec::new(&game, &options).expect("the options are valid");
            let changed = spec.options.iter().filter(|info| options.contains_key(info.name));
            let given: Vec<Named> =
                changed.map(|info| (info.name, value(&spec, info.name))).collect();
            println!("{name} {given:?}");
            for is_sparse in [false, true] {
                self.play_one(&spec, &given, 0..20, is_sparse, &mut counts);
            }
        }
        counts
    }

    fn play_one(
        &self,
        spec: &Spec,
        given: &[Named],
        seeds: Range<u64>,
        is_sparse: bool,
        counts: &mut Counts,
    ) {
        let choice = pairs(given);
        for seed in seeds {
            let mut rng = test_rng(seed);
            let dealt = spec.deal(seed).fen();
            let fen = if is_sparse { (self.sparse)(spec, &dealt, &mut rng) } else { dealt };
            let read = |fen: &str| {
                let slow = referee::from_fen(spec.name, fen, &choice);
                agreed(fen, spec.parse_fen(fen), slow)
            };
            let Some((mut fast, mut slow)) = read(&fen) else {
                assert!(is_sparse, "{fen}");
                counts.refused += 1;
                continue;
            };
            let mut last = [None, None];
            let is_stubborn = is_sparse && rng.below(4) > 0;
            let is_hungry = !is_sparse && rng.below(2) > 0;
            let reason = play_out(fast.as_mut(), slow.as_mut(), PLIES, |state| {
                let name = if is_stubborn {
                    stubborn(state, &mut last, self.is_forcing, &mut rng)
                } else {
                    pick(state, is_hungry, &mut rng)
                };
                counts.plies += 1;
                (self.look)(counts, &choice, state, &name);
                name
            });
            counts.games += 1;
            counts.add(reason);
            // Both judge the last position alike without its history.
            assert!(read(&slow.fen()).is_some(), "{choice:?}");
        }
    }
}

/// An action: random, or often a capture, and seldom a pass.
fn pick(state: &dyn AnyState, is_hungry: bool, rng: &mut Rng) -> String {
    let random = |rng: &mut Rng| state.action_name(random_action(state, rng));
    let name = if is_hungry { hungry(state, rng) } else { random(rng) };
    if name == "pass" { random(rng) } else { name }
}

/// The value of an option.
pub(super) fn value(spec: &Spec, name: &str) -> String {
    let option = spec.options.iter().find(|option| option.name == name);
    option.expect("the game has it").value.to_string().trim_matches('`').to_owned()
}

/// Asserts that 6,000 deals are of this number of kinds, each about as frequent as the others.
pub(super) fn check_even(game: &str, given: &[(&str, &str)], kinds: usize) {
    let spec = Spec::new(game, &texts(given)).expect("they are valid");
    let mut found = BTreeMap::new();
    for seed in 0..6000 {
        *found.entry(spec.deal(seed).fen()).or_insert(0) += 1;
    }
    assert_eq!(found.len(), kinds, "{found:?}");
    let mean = 6000 / kinds;
    let range = mean - mean / 6..mean + mean / 6;
    assert!(found.values().all(|deals| range.contains(deals)), "{found:?}");
}

/// What the referee has against options.
fn refusal(game: &str, given: &[(&str, &str)]) -> Option<String> {
    // No FEN is empty, so that there always is an error.
    let error = referee::from_fen(game, "", given).err().expect("no position is given");
    error.starts_with("option ").then_some(error)
}

/// Asserts that both refuse options. Returns what each of them says.
pub(super) fn refusals(game: &str, given: &[(&str, &str)]) -> [String; 2] {
    let slow = refusal(game, given).unwrap_or_else(|| panic!("the referee takes {given:?}"));
    let fast = Spec::new(game, &texts(given)).err();
    [slow, fast.unwrap_or_else(|| panic!("the engine takes {given:?}")).to_string()]
}

/// Asserts that both refuse options by the name of this one.
pub(super) fn check_refused(game: &str, given: &[(&str, &str)], name: &str) {
    let [slow, fast] = refusals(game, given);
    assert!(slow.starts_with(&format!("option {name}: ")), "{slow}");
    assert!(fast.starts_with(&format!("option `{name}` of {game}: ")), "{fast}");
}

/// Asserts that both refuse each of these values of options.
pub(super) fn check_bad(games: [&str; 2], bad: &[(&str, &[&str])]) {
    for game in games {
        for (name, values) in bad {
            values.iter().for_each(|value| check_refused(game, &[(*name, *value)], name));
        }
    }
}

/// Asserts that both take options.
pub(super) fn check_taken(game: &str, given: &[(&str, &str)]) {
    assert_eq!((refusal(game, given), fits(game, given)), (None, true), "{given:?}");
}

/// Asserts that both read or both refuse random texts as values of an option, beside other options.
/// They consist of up to `longest` of these letters.
pub(super) fn check_texts(
    game: &str,
    beside: &[(&str, &str)],
    (name, letters, longest): (&str, &str, u32),
) {
    let letters: Vec<char> = letters.chars().collect();
    let mut taken = 0;
    for seed in 0..1500 {
        let mut rng = test_rng(seed);
        let length = rng.below(longest + 1);
        let text: String = (0..length).map(|_| draw(&letters, &mut rng)).collect();
        let given = [beside, &[(name, &text)]].concat();
        let refused = refusal(game, &given);
        let fits = fits(game, &given);
        assert_eq!(fits, refused.is_none(), "{name}: {text:?} {refused:?}");
        taken += u32::from(fits);
    }
    println!("{name}: {taken} texts are values");
    assert!(taken > 10, "{name}: only {taken} texts are values");
}

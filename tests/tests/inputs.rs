//! Text from callers: any text is either read exactly as it is written, or refused.

use std::collections::HashSet;

use darkqi_env::{Action, AnyState, Options, Spec, Value, games};
use darkqi_tests::arbitrary::{Named, pairs, random_options};
use darkqi_tests::duel::read_by_both;
use darkqi_tests::{cases, random_action, shipped_games, sound, test_rng, texts};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Plies played on from a position that was read.
const PLIES: usize = 6;

/// A position of a random game, with the options it was played with.
#[derive(Debug)]
struct Position {
    game: &'static str,
    given: Vec<Named>,
    fen: String,
    seed: u64,
}

impl Position {
    fn read(&self) -> Box<dyn AnyState> {
        darkqi_env::from_fen(self.game, &texts(&pairs(&self.given)), &self.fen).expect("written")
    }
}

fn play(state: &mut dyn AnyState, plies: usize, seed: u64) {
    let mut rng = test_rng(seed);
    for _ in 0..plies {
        if state.outcome().is_none() {
            let action = random_action(state, &mut rng);
            state.apply(action).expect("listed actions are legal");
        }
    }
}

/// Positions of all games, after up to this many plies.
fn positions(most: usize) -> impl Strategy<Value = Position> {
    (select(shipped_games()), any::<u64>(), 0..most).prop_map(|(game, seed, plies)| {
        let given = random_options(game, &mut test_rng(seed));
        let mut state = darkqi_env::deal(game, &texts(&pairs(&given)), seed).expect("they fit");
        play(state.as_mut(), plies, seed);
        Position { game, given, fen: state.fen(), seed }
    })
}

/// A change of a FEN.
#[derive(Clone, Debug)]
enum Change {
    Replace(Index, char),
    Insert(Index, char),
    Remove(Index),
    DropField(Index),
    RepeatField(Index),
    SwapFields(Index, Index),
    Number(Index, u32),
}

fn changes() -> impl Strategy<Value = Change> {
    let letters: Vec<char> = "KAEHRCPSFTMUGDkaehrcpsf~X?x*wrobgpd0123456789/ -,:".chars().collect();
    let letter = || prop_oneof![9 => select(letters.clone()), 1 => any::<char>()];
    let place = any::<Index>;
    prop_oneof![
        4 => (place(), letter()).prop_map(|(at, letter)| Change::Replace(at, letter)),
        2 => (place(), letter()).prop_map(|(at, letter)| Change::Insert(at, letter)),
        2 => place().prop_map(Change::Remove),
        1 => place().prop_map(Change::DropField),
        1 => place().prop_map(Change::RepeatField),
        1 => (place(), place()).prop_map(|(one, other)| Change::SwapFields(one, other)),
        2 => (place(), prop_oneof![65_530_u32..65_540, 0_u32..200])
            .prop_map(|(at, number)| Change::Number(at, number)),
    ]
}

fn changed(fen: &str, change: &Change) -> String {
    let mut letters: Vec<char> = fen.chars().collect();
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    if letters.is_empty() {
        return "K".to_owned();
    }
    match change {
        Change::Replace(at, letter) => letters[at.index(fen.chars().count())] = *letter,
        Change::Insert(at, letter) => letters.insert(at.index(letters.len()), *letter),
        Change::Remove(at) => drop(letters.remove(at.index(letters.len()))),
        Change::DropField(at) => drop(fields.remove(at.index(fields.len()))),
        Change::RepeatField(at) => {
            let at = at.index(fields.len());
            fields.insert(at, fields[at].clone());
        }
        Change::SwapFields(one, other) => {
            let count = fields.len();
            fields.swap(one.index(count), other.index(count));
        }
        Change::Number(at, number) => {
            // The board is no counter.
            let at = at.index(fields.len()).max(1).min(fields.len() - 1);
            fields[at] = number.to_string();
        }
    }
    match change {
        Change::Replace(..) | Change::Insert(..) | Change::Remove(_) => letters.iter().collect(),
        _ => fields.join(" "),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn positions_of_random_games_are_sound_and_read_back(position in positions(300)) {
        sound::check(position.read().as_ref(), &mut test_rng(position.seed));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(6000) as u32))]

    #[test]
    fn changed_fens_are_refused_or_can_be_played(
        position in positions(60),
        changes in prop::collection::vec(changes(), 1..4),
    ) {
        let fen = changes.iter().fold(position.fen.clone(), |fen, change| changed(&fen, change));
        let choice = pairs(&position.given);
        // The referee agrees.
        if let Some((mut state, _)) = read_by_both(position.game, &fen, &choice) {
            prop_assert_eq!(state.fen(), fen);
            play(state.as_mut(), PLIES, position.seed);
            sound::check(state.as_ref(), &mut test_rng(position.seed));
        } else {
            let refused = darkqi_env::from_fen(position.game, &texts(&choice), &fen);
            let error = refused.err().expect("it was refused before").to_string();
            prop_assert!(error.starts_with("bad FEN, field `"), "{}", error);
        }
    }

    #[test]
    fn action_names_are_known_or_refused(
        position in positions(20),
        names in prop::collection::vec("([a-s]?[0-9]{0,2}){2}|([A-S]?[1-9]){2}|[Pp]ass|\\PC{0,6}", 20),
        index in prop_oneof![any::<i64>(), -3_i64..40_000],
    ) {
        let mut state = position.read();
        let count = state.spec().num_actions;
        prop_assert_eq!(state.action(index).is_ok(), (0..count as i64).contains(&index));
        let known: HashSet<String> =
            (0..count).map(|action| state.action_name(Action(action as u16))).collect();
        prop_assert_eq!(known.len(), count);
        for name in names {
            let action = state.action_index(&name);
            // Capitals are read, too.
            let lower = name.to_ascii_lowercase();
            prop_assert_eq!(action.is_ok(), known.contains(&lower), "{}", name);
            let Ok(action) = action else { continue };
            prop_assert_eq!(state.action_name(action), lower);
            if !state.legal_actions().contains(&action) {
                prop_assert!(state.apply(action).is_err());
                prop_assert_eq!(state.fen(), &position.fen[..]);
            }
        }
    }

    #[test]
    fn options_are_taken_as_they_are_or_refused(
        game in select(games::names()),
        seed in any::<u64>(),
        other in "\\PC{0,8}|[0-9]{1,6}|-[0-9]|on|off|[0-6-]{7}|[A-G]{0,7}",
        at in any::<Index>(),
    ) {
        let given = random_options(game, &mut test_rng(seed));
        let spec = Spec::new(game, &texts(&pairs(&given))).expect("they fit");
        for (name, value) in &given {
            let info = spec.options.iter().find(|info| info.name == *name).expect("it is known");
            let text = info.value.to_string();
            // What designers give may be what the game has anyhow.
            let is_usual = info.design && info.value == info.default;
            prop_assert!(is_usual || text.trim_matches('`') == value, "{} {}", name, value);
        }
        let again = Spec::new(game, &spec.options_in_force()).expect("they are in force");
        prop_assert_eq!(&again.options, &spec.options);
        // One of them changed.
        let mut changed: Options = spec.options_in_force();
        let name = at.get(&spec.options).name;
        changed.insert(name.to_owned(), Value::Text(other.clone()));
        match Spec::new(game, &changed) {
            Ok(spec) => prop_assert!(Spec::new(game, &spec.options_in_force()).is_ok()),
            Err(error) => {
                let error = error.to_string();
                prop_assert!(error.starts_with("option `"), "{}", error);
                // Seats and teams, armies and boards, and pools and covered squares are checked together, so
                // the error may name another one.
                let names = error.contains(&format!("`{other}`")) && error.contains(name);
                let is_one_of_armies = name.starts_with("army.")
                    || name.starts_with("pool.")
                    || ["board", "royal", "covered"].contains(&name);
                let is_joint = is_one_of_armies || error.contains(" of seven_kingdoms: ");
                prop_assert!(names || is_joint, "{}", error);
            }
        }
        changed.insert(format!("{other}?"), Value::Int(1));
        prop_assert!(Spec::new(game, &changed).is_err());
    }
}

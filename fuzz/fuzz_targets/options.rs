//! Rule options as text: an error, or rules that return the same options and can be played.
//!
//! Input (bytes): game (1), seed of the game (2), lines of `name=value`. Values that are integers
//! are also passed as integers, which must have the same effect.

#![no_main]

use darkqi_env::{Options, Spec, Value};
use darkqi_fuzz::Input;
use darkqi_tests::{random_action, sound};
use libfuzzer_sys::fuzz_target;

const PLIES: usize = 8;

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let game = input.game();
    let mut rng = input.rng();
    let Some(text) = input.text() else { return };
    let given = |value: fn(&str) -> Value| -> Options {
        let lines = text.lines().filter_map(|line| line.split_once('='));
        lines.map(|(name, text)| (name.to_owned(), value(text))).collect()
    };
    let as_text = Spec::new(game, &given(|text| Value::Text(text.to_owned())));
    let as_number = Spec::new(
        game,
        &given(|text| text.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Int)),
    );
    let spec = match as_text {
        Ok(spec) => spec,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    if let Ok(other) = as_number {
        assert_eq!(spec.options, other.options);
    }
    let again = Spec::new(game, &spec.options_in_force()).expect("options in force are valid");
    assert_eq!(spec.options, again.options);
    let mut state = darkqi_env::deal(game, &spec.options_in_force(), rng.next_u64())
        .expect("the options are valid");
    for _ in 0..PLIES {
        if state.outcome().is_none() {
            let action = random_action(state.as_ref(), &mut rng);
            state.apply(action).expect("listed actions are legal");
        }
    }
    sound::check(state.as_ref(), &mut rng);
});

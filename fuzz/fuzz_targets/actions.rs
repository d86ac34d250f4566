//! Action names and indices: the engine and the referee agree on which are legal; an illegal one
//! changes nothing.
//!
//! Input (bytes): game (1), options (2), seed of the game (2), plies before (1), an index (8),
//! names separated by line ends.

#![no_main]

use darkqi_env::AnyState;
use darkqi_fuzz::Input;
use darkqi_tests::arbitrary::pairs;
use darkqi_tests::duel::compare;
use darkqi_tests::{options, random_action, referee};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let game = input.game();
    let given = input.options(game);
    let choice = pairs(&given);
    let (seed, mut rng) = (u64::from(input.word()), input.rng());
    let mut fast = darkqi_env::deal(game, &options(&choice), seed).expect("the options are valid");
    for _ in 0..input.below(60) {
        if fast.outcome().is_none() {
            let action = random_action(fast.as_ref(), &mut rng);
            fast.apply(action).expect("listed actions are legal");
        }
    }
    // From a FEN both start with an empty history of positions.
    let fen = fast.fen();
    let mut fast = darkqi_env::from_fen(game, &options(&choice), &fen)
        .expect("the FEN was written by the engine");
    let mut slow =
        referee::from_fen(game, &fen, &choice).expect("the FEN was written by the engine");
    play_index(fast.boxed_clone().as_mut(), input.long() as i64);
    let Some(names) = input.text() else { return };
    for name in names.lines() {
        let before = fast.fen();
        let action = fast.action_index(name);
        // The engine reads names in any case.
        let written = action.as_ref().map_or(name.to_owned(), |&action| fast.action_name(action));
        assert!(written.eq_ignore_ascii_case(name), "names are unique: {name:?}, {written:?}");
        let played = action.and_then(|action| fast.apply(action));
        assert_eq!(played.is_ok(), slow.apply(&written).is_ok(), "{name:?} in {before}");
        if played.is_err() {
            assert_eq!(fast.fen(), before);
        }
        compare(fast.as_ref(), slow.as_ref());
    }
});

fn play_index(state: &mut dyn AnyState, index: i64) {
    let (before, legal) = (state.fen(), state.legal_actions().to_vec());
    let action = state.action(index);
    assert_eq!(action.is_ok(), (0..state.spec().num_actions as i64).contains(&index));
    let Ok(action) = action else { return };
    let is_legal = legal.contains(&action);
    assert_eq!(state.reveals(action).is_ok(), is_legal);
    assert_eq!(state.apply(action).is_ok(), is_legal);
    assert_eq!(state.fen() == before, !is_legal);
}

//! FENs: the engine and the referee agree on whether a text is valid; a valid one is written as it
//! was read, and both play the same game from it.
//!
//! Input (bytes): game (1), options (2), seed of the actions (2), the FEN.

#![no_main]

use darkqi_fuzz::Input;
use darkqi_tests::arbitrary::pairs;
use darkqi_tests::duel::{play_out, read_by_both};
use darkqi_tests::{random_action, sound};
use libfuzzer_sys::fuzz_target;

const PLIES: usize = 12;

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let game = input.game();
    let given = input.options(game);
    let choice = pairs(&given);
    let mut rng = input.rng();
    let Some(fen) = input.text() else { return };
    let Some((mut fast, mut slow)) = read_by_both(game, fen, &choice) else { return };
    assert_eq!(fast.fen(), fen);
    sound::check(fast.as_ref(), &mut rng);
    play_out(fast.as_mut(), slow.as_mut(), PLIES, |state| {
        state.action_name(random_action(state, &mut rng))
    });
    sound::check(fast.as_ref(), &mut rng);
});

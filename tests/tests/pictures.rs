//! Pictures as data: what is marked in them.

use darkqi_env::{Options, deal};
use darkqi_tests::{random_action, test_rng};

/// A general in check is the mover's: a ply that left one's own in check would have been illegal.
#[test]
fn the_general_in_check_is_the_movers() {
    let mut marked = 0;
    for seed in 0..40 {
        let mut state = deal("jieqi", &Options::new(), seed).expect("the game exists");
        let rng = &mut test_rng(seed);
        for _ in 0..200 {
            if state.outcome().is_some() {
                break;
            }
            for square in state.picture(None).checked {
                let piece = state.picture(None).pieces[square.index()].expect("a general is there");
                // Red, army 0, moves first and black second.
                assert_eq!(piece.army.map(usize::from), Some(state.current_player()));
                marked += 1;
            }
            state.apply(random_action(state.as_ref(), rng)).expect("it is legal");
        }
    }
    assert!(marked > 20, "{marked}");
}

//! Generating the legal actions of a position.

use std::hint::black_box;

use darkqi_env::games::{self, Visitor};
use darkqi_env::{AnyState, Options, Registered, board::Flow};
use divan::counter::ItemsCount;

use crate::positions::positions;

struct List<'a, 'b>(divan::Bencher<'a, 'b>);

impl Visitor for List<'_, '_> {
    type Output = ();

    fn visit<G: Registered>(self, rules: G) {
        let positions = positions(&rules);
        let listed: usize = positions.iter().map(|session| session.legal_actions().len()).sum();
        self.0.counter(ItemsCount::new(positions.len())).bench_local(|| {
            let mut count = 0;
            for session in &positions {
                let _ = rules.generate_actions(black_box(session.state()), |run| {
                    count += run.bits.count_ones() as usize;
                    Flow::Continue(())
                });
            }
            assert_eq!(count, listed, "{}", G::NAME);
        });
    }
}

/// One item is one position.
#[divan::bench(args = games::names())]
fn generate_actions(bencher: divan::Bencher<'_, '_>, game: &str) {
    games::with(game, &Options::new(), List(bencher)).expect("the game exists");
}

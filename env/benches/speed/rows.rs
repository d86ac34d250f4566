//! Writing observations and masks, each alone.

use std::hint::black_box;

use darkqi_env::games::{self, Visitor};
use darkqi_env::{
    AnyState, Format, Options, Registered, Viewer,
    batch::{Mask, MaskFormat},
    board::ActionBits,
};
use divan::counter::{BytesCount, ItemsCount};

use crate::positions::positions;

struct Observe<'a, 'b>(divan::Bencher<'a, 'b>, Format);

impl Visitor for Observe<'_, '_> {
    type Output = ();

    fn visit<G: Registered>(self, rules: G) {
        let Self(bencher, format) = self;
        let positions = positions(&rules);
        let length = format.len(&G::LAYOUT);
        let expected: Vec<Vec<u8>> = positions
            .iter()
            .map(|session| {
                let mut row = vec![0; length];
                session.observe(Viewer::Player(session.current_player()), format, &mut row);
                row
            })
            .collect();
        // Every byte of a row must be written.
        let mut rows = vec![0xA5; positions.len() * length];
        bencher
            .counter(ItemsCount::new(positions.len()))
            .counter(BytesCount::new(rows.len()))
            .bench_local(|| {
                for (session, row) in positions.iter().zip(rows.chunks_exact_mut(length)) {
                    let state = black_box(session.state());
                    let viewer = Viewer::Player(rules.to_move(state));
                    format.write(&rules, &rules.view(state, viewer), row);
                }
                black_box(&mut rows);
            });
        assert!(rows.chunks_exact(length).eq(expected), "{} {format:?}", G::NAME);
    }
}

struct WriteMask<'a, 'b>(divan::Bencher<'a, 'b>, MaskFormat);

impl Visitor for WriteMask<'_, '_> {
    type Output = ();

    fn visit<G: Registered>(self, rules: G) {
        let Self(bencher, format) = self;
        let actions = rules.table().len();
        let mut legal = 0;
        let masks: Vec<Mask> = positions(&rules)
            .iter()
            .map(|session| {
                let mut mask = Mask::new(actions).expect("a mask is small");
                session
                    .legal_actions()
                    .iter()
                    .for_each(|&action| mask.insert(ActionBits::single(action)));
                legal += session.legal_actions().len() as u32;
                mask
            })
            .collect();
        let length = format.len(actions);
        let mut rows = vec![0xA5; masks.len() * length];
        bencher
            .counter(ItemsCount::new(masks.len()))
            .counter(BytesCount::new(rows.len()))
            .bench_local(|| {
                for (mask, row) in masks.iter().zip(rows.chunks_exact_mut(length)) {
                    black_box(mask).write(format, row);
                }
                black_box(&mut rows);
            });
        let written: u32 = rows.iter().map(|byte| byte.count_ones()).sum();
        assert_eq!(written, legal, "{} {format:?}", G::NAME);
    }
}

fn observe(bencher: divan::Bencher<'_, '_>, game: &str, format: Format) {
    games::with(game, &Options::new(), Observe(bencher, format)).expect("the game exists");
}

fn write_mask(bencher: divan::Bencher<'_, '_>, game: &str, format: MaskFormat) {
    games::with(game, &Options::new(), WriteMask(bencher, format)).expect("the game exists");
}

/// One item is one row, here and below.
#[divan::bench(args = games::names())]
fn planes(bencher: divan::Bencher<'_, '_>, game: &str) {
    observe(bencher, game, Format::Planes);
}

#[divan::bench(args = games::names())]
fn tokens(bencher: divan::Bencher<'_, '_>, game: &str) {
    observe(bencher, game, Format::Tokens);
}

#[divan::bench(args = games::names())]
fn mask_bool(bencher: divan::Bencher<'_, '_>, game: &str) {
    write_mask(bencher, game, MaskFormat::Bool);
}

#[divan::bench(args = games::names())]
fn mask_bits(bencher: divan::Bencher<'_, '_>, game: &str) {
    write_mask(bencher, game, MaskFormat::Bits);
}

//! The inputs of a value net: what is 1 in a sparse one-hot encoding of an observation.
//!
//! Search and training call the same function. It reads an observation, which is made from a view, so
//! that a net sees what its player may know.

use std::marker::PhantomData;
use std::ops::Range;

use darkqi_env::{Encoder, Layout, Observe, Perspective, Reflection, Square};

/// Inputs of each mark and each scalar.
const BUCKETS: usize = 32;

/// Values below this have an input each; above, each input stands for as many values.
const WIDTH: u8 = 16;

/// The largest board that [`Encoder::board`] describes.
const MAX_SQUARES: usize = 128;

/// Number of inputs: one per square and piece id, then [`BUCKETS`] per mark and per scalar.
pub(crate) const fn input_count(layout: &Layout) -> usize {
    let values = layout.marks.len() + layout.scalars.len() + layout.counters.len();
    layout.size.squares() * layout.pieces.len() + values * BUCKETS
}

/// The inputs of each square, mark and scalar, of which at most one is active.
pub(super) fn exclusive_inputs(layout: &Layout) -> impl Iterator<Item = Range<usize>> {
    let (squares, pieces) = (layout.size.squares(), layout.pieces.len());
    let values = (squares * pieces..input_count(layout)).step_by(BUCKETS);
    (0..squares)
        .map(move |square| square * pieces..(square + 1) * pieces)
        .chain(values.map(|first| first..first + BUCKETS))
}

/// Visits the active inputs of a view. At most one input per square, mark and scalar is active; a
/// value of 0 has none.
#[inline]
pub(crate) fn each_input<G: Observe>(rules: &G, view: &G::View<'_>, visit: impl FnMut(usize)) {
    let scalar = G::LAYOUT.marks.len();
    rules.observe(view, &mut InputEncoder { visit, scalar, game: PhantomData::<G> });
}

/// Where each input goes when the board is reflected: first nothing moves, then by each of
/// `symmetries`.
pub(crate) fn reflections(layout: &Layout, symmetries: &[Reflection]) -> Vec<Vec<u32>> {
    let (size, pieces) = (layout.size, layout.pieces.len());
    let permutation = |reflection: Option<Reflection>| {
        let reflected = |input: usize| match reflection {
            Some(reflection) if input < size.squares() * pieces => {
                let square = size.reflected(Square::new(input / pieces), reflection);
                square.index() * pieces + input % pieces
            }
            _ => input,
        };
        (0..input_count(layout)).map(|input| reflected(input) as u32).collect()
    };
    let symmetries = symmetries.iter().copied().map(Some);
    std::iter::once(None).chain(symmetries).map(permutation).collect()
}

/// The offset of a value above 0 among the inputs of its mark or scalar.
#[inline]
const fn bucket(value: u8) -> usize {
    if value < WIDTH { value as usize } else { (WIDTH + value / WIDTH) as usize }
}

struct InputEncoder<G, F> {
    visit: F,
    /// The marks, then the scalars written so far.
    scalar: usize,
    game: PhantomData<G>,
}

impl<G: Observe, F: FnMut(usize)> InputEncoder<G, F> {
    const PIECES: usize = G::LAYOUT.pieces.len();
    const FIRST_VALUE: usize = G::LAYOUT.size.squares() * Self::PIECES;

    #[inline]
    fn value(&mut self, place: usize, value: u8) {
        if value > 0 {
            (self.visit)(Self::FIRST_VALUE + place * BUCKETS + bucket(value));
        }
    }
}

impl<G: Observe, F: FnMut(usize)> Encoder for InputEncoder<G, F> {
    #[inline]
    fn pieces(&mut self, pieces: impl Iterator<Item = (usize, Square)>) {
        pieces
            .for_each(|(piece_id, square)| (self.visit)(square.index() * Self::PIECES + piece_id));
    }

    #[inline]
    fn board(&mut self, perspective: Perspective, token: impl Fn(Square) -> u8) {
        let size = G::LAYOUT.size;
        let mut tokens = [0; MAX_SQUARES];
        // All tokens first: the compiler vectorises this loop.
        let tokens = &mut tokens[..size.squares()];
        tokens.iter_mut().zip(size.all()).for_each(|(byte, square)| *byte = token(square));
        for (&token, square) in tokens.iter().zip(size.all()).filter(|(token, _)| **token > 0) {
            let square = size.seen_from(square, perspective);
            (self.visit)(square.index() * Self::PIECES + usize::from(token) - 1);
        }
    }

    #[inline]
    fn mark(&mut self, mark: usize, _: Square, value: u8) {
        self.value(mark, value);
    }

    #[inline]
    fn scalars(&mut self, values: &[u8]) {
        for &value in values {
            self.value(self.scalar, value);
            self.scalar += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use darkqi_env::games::{banqi::Banqi, jieqi::Jieqi};
    use darkqi_env::{AnyState, Format, Observe, Reflection, Registered, Session, Viewer};

    use super::{BUCKETS, bucket, each_input, input_count, reflections};

    #[test]
    fn every_value_has_an_input_of_its_scalar() {
        let buckets: Vec<usize> = (1..=u8::MAX).map(bucket).collect();
        assert!(buckets.is_sorted());
        assert_eq!((buckets[0], buckets[14], buckets[254]), (1, 15, BUCKETS - 1));
    }

    fn tokens_and_inputs_agree<G: Registered>(rules: G) {
        let mut game = Session::deal(rules.clone(), 3);
        for ply in 0..40 {
            let legal = game.legal_actions();
            game.play(legal[ply * 7 % legal.len()]);
            if darkqi_env::AnyState::outcome(&game).is_some() {
                break;
            }
            for seat in 0..2 {
                let view = rules.view(game.state(), Viewer::Player(seat));
                let mut tokens = vec![0; G::LAYOUT.token_len()];
                Format::Tokens.write(&rules, &view, &mut tokens);
                let squares = G::LAYOUT.size.squares();
                let pieces = G::LAYOUT.pieces.len();
                let mut expected: Vec<usize> = (0..squares)
                    .filter(|&square| tokens[square] > 0)
                    .map(|square| square * pieces + usize::from(tokens[square]) - 1)
                    .collect();
                let marks = tokens[squares..][..2 * G::LAYOUT.marks.len()].chunks(2);
                let scalars = &tokens[squares + 2 * G::LAYOUT.marks.len()..];
                let values = marks.map(|pair| pair[1]).chain(scalars.iter().copied());
                for (place, value) in values.enumerate().filter(|(_, value)| *value > 0) {
                    expected.push(squares * pieces + place * BUCKETS + bucket(value));
                }
                let mut inputs = Vec::new();
                each_input(&rules, &view, |input| inputs.push(input));
                inputs.sort_unstable();
                assert_eq!(inputs, expected);
            }
        }
    }

    #[test]
    fn inputs_are_the_tokens_of_the_observation() {
        tokens_and_inputs_agree(Jieqi::default());
        tokens_and_inputs_agree(Banqi::default());
    }

    #[test]
    fn reflections_are_permutations_that_undo_themselves() {
        let layout = &Jieqi::LAYOUT;
        for symmetries in [&[Reflection::LeftRight][..], &Reflection::ALL] {
            let all = reflections(layout, symmetries);
            assert_eq!(all.len(), 1 + symmetries.len());
            for (number, reflection) in all.iter().enumerate() {
                assert_eq!(reflection.len(), input_count(layout));
                let twice = |input: usize| reflection[reflection[input] as usize] as usize;
                assert!((0..reflection.len()).all(|input| twice(input) == input));
                let moved = (0..reflection.len()).any(|input| reflection[input] as usize != input);
                assert_eq!(moved, number > 0);
            }
        }
    }
}

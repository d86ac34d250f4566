//! The inputs of a value net: what is 1 in a sparse one-hot encoding of an observation.
//!
//! Search and training call the same functions. They read the tokens of an observation, which is made
//! from a view, so that a net sees what its player may know.

use std::ops::Range;

use darkqi_env::{
    Format, Square,
    board::Reflection,
    game::{Layout, Observe},
};

/// Inputs of each mark and each scalar.
const BUCKETS: usize = 32;

/// Values below this have an input each; above, each input stands for as many values.
const WIDTH: u8 = 16;

/// Number of inputs: one per square and piece id, then 32 per mark and per scalar.
pub const fn input_count(layout: &Layout) -> usize {
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

/// Writes the tokens of a view over `tokens`.
#[inline]
pub(super) fn write_tokens<G: Observe>(rules: &G, view: &G::View<'_>, tokens: &mut Vec<u8>) {
    tokens.resize(G::LAYOUT.token_len(), 0);
    Format::Tokens.write(rules, view, tokens);
}

/// The input that a token makes active: at most one per square, mark and scalar. A token of 0 has none.
#[inline]
pub(super) fn input_of<G: Observe>(place: usize, token: u8) -> Option<usize> {
    let (squares, pieces) = (G::LAYOUT.size.squares(), G::LAYOUT.pieces.len());
    let marks = G::LAYOUT.marks.len();
    if token == 0 {
        return None;
    }
    if place < squares {
        return Some(place * pieces + usize::from(token) - 1);
    }
    // A mark has the token of its square, which no input stands for, and that of its value.
    let value = match place - squares {
        place if place >= 2 * marks => place - marks,
        place if place % 2 == 1 => place / 2,
        _ => return None,
    };
    Some(squares * pieces + value * BUCKETS + bucket(token))
}

/// Visits the active inputs of a view.
pub(crate) fn each_input<G: Observe>(rules: &G, view: &G::View<'_>, visit: impl FnMut(usize)) {
    let mut tokens = Vec::new();
    write_tokens(rules, view, &mut tokens);
    let inputs = (0..).zip(tokens).filter_map(|(place, token)| input_of::<G>(place, token));
    inputs.for_each(visit);
}

/// Where each input goes when the board is reflected: first nothing moves, then by each of
/// `symmetries`.
pub fn reflections(
    layout: &Layout,
    symmetries: impl IntoIterator<Item = Reflection>,
) -> Vec<Vec<u32>> {
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
    std::iter::once(None).chain(symmetries.into_iter().map(Some)).map(permutation).collect()
}

/// The offset of a value above 0 among the inputs of its mark or scalar.
#[inline]
const fn bucket(value: u8) -> usize {
    if value < WIDTH { value as usize } else { (WIDTH + value / WIDTH) as usize }
}

#[cfg(test)]
mod tests {
    use darkqi_env::games::{banqi::Banqi, jieqi::Jieqi};
    use darkqi_env::{
        AnyState, Format, Registered, Session, Viewer, board::Reflection, game::Observe,
    };

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
            let all = reflections(layout, symmetries.iter().copied());
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

//! Static exchange evaluation: what a capture gains if both sides go on capturing on its target with
//! their least valuable piece, and stop when that is better (Slate and Atkin, "Chess 4.5", 1977).

use arrayvec::ArrayVec;

use crate::board::{Bitboard, Colour, Square};

/// More captures on one square are not followed.
const MAX_CAPTURES: usize = 16;

/// The gain of a capture for the side that makes it.
///
/// `gained` is the value of the captured piece, `risked` that of the piece on the target afterwards.
/// `occupied` are the squares that are occupied then. `attackers` gives the pieces of a colour that
/// attack the target with these squares occupied, `value` what one of them is worth there.
pub(crate) fn static_exchange<B: Bitboard>(
    gained: f32,
    risked: f32,
    side: Colour,
    mut occupied: B,
    attackers: impl Fn(Colour, B) -> B,
    value: impl Fn(Square) -> f32,
) -> f32 {
    let mut gains = ArrayVec::<f32, MAX_CAPTURES>::new();
    gains.push(gained);
    let (mut last, mut on_target, mut side) = (gained, risked, side.other());
    while !gains.is_full() {
        let cheapest = (attackers(side, occupied) & occupied)
            .ascending()
            .map(|square| (square, value(square)))
            .reduce(|a, b| if b.1 < a.1 { b } else { a });
        let Some((square, worth)) = cheapest else { break };
        last = on_target - last;
        gains.push(last);
        on_target = worth;
        occupied &= !B::single(square);
        side = side.other();
    }
    // Each side may stop instead of its capture, except the first.
    gains.into_iter().rev().reduce(|later, earlier| earlier.min(-later)).unwrap_or(gained)
}

#[cfg(test)]
mod tests {
    use super::static_exchange;
    use crate::board::{Bitboard, Colour, Square};

    /// A capture of `gained` by `risked`, where pieces of these values attack the target: black's on
    /// the squares from 0, red's on those from 8.
    fn gain(gained: f32, risked: f32, black: &[f32], red: &[f32]) -> f32 {
        let squares =
            |first: usize, count: usize| u64::collect((first..first + count).map(Square::new));
        let value = |square: Square| match square.index() {
            index @ 0..8 => black[index],
            index => red[index - 8],
        };
        let attackers = |side, _| match side {
            Colour::Red => squares(8, red.len()),
            Colour::Black => squares(0, black.len()),
        };
        static_exchange(gained, risked, Colour::Red, u64::MAX, attackers, value)
    }

    #[test]
    fn sides_stop_when_it_is_better() {
        assert_eq!(gain(4.0, 9.0, &[], &[]), 4.0);
        assert_eq!(gain(4.0, 9.0, &[1.0], &[]), -5.0);
        assert_eq!(gain(4.0, 9.0, &[1.0], &[1.0]), -4.0);
        // The chariot does not take back, for it would be lost for the horse.
        assert_eq!(gain(2.0, 4.0, &[9.0], &[1.0]), 2.0);
        assert_eq!(gain(2.0, 4.0, &[9.0, 1.0], &[1.0]), -2.0);
    }
}

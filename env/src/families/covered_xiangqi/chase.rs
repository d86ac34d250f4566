//! Perpetual chase: RULES.md section 7 and 9.16, settled there after the Asian rules.

use super::board::{Board, SQUARES, general};
use super::moves::{Movement, home_half};
use crate::board::{Bitboard, Colour, Flow, Kind, Square};
use crate::game::QuietPly;

/// The enemy pieces that a colour chases after its own ply.
fn chased(moves: &impl Movement, board: &Board, chaser: Colour) -> u128 {
    let mut chased = 0;
    let check = moves.check_info(board, chaser.other()).check;
    let _ = each_chased(moves, board, chaser, check, |target| {
        chased |= u128::single(target);
        Flow::Continue(())
    });
    chased
}

/// Whether a colour chases any piece after its own ply, which gave no check.
#[inline]
pub(super) fn is_chasing(moves: &impl Movement, board: &Board, chaser: Colour) -> bool {
    each_chased(moves, board, chaser, false, |_| Flow::Break(())).is_break()
}

/// Visits the enemy pieces that a colour chases after its own ply; a piece may be visited twice.
/// `check` says whether the ply gave check.
#[inline]
fn each_chased(
    moves: &impl Movement,
    board: &Board,
    chaser: Colour,
    check: bool,
    mut visit: impl FnMut(Square) -> Flow,
) -> Flow {
    let victim = chaser.other();
    let immune = board.kind(Kind::General) | board.kind(Kind::Soldier) & home_half(victim);
    let targets = board.colour(victim) & !immune;
    let chasers = !(board.kind(Kind::General) | board.kind(Kind::Soldier));
    // A colour that has just moved is not in check itself.
    let chase = Chase {
        chaser: Capturer::new(moves, board, chaser, false),
        victim: Capturer::new(moves, board, victim, check),
    };
    moves.each_pseudo_legal(board, chaser, chasers, |attacker, reach| {
        for target in (reach & targets).ascending() {
            if chase.includes(attacker, target) {
                visit(target)?;
            }
        }
        Flow::Continue(())
    })
}

/// The two colours of a chase.
struct Chase<'a, M> {
    chaser: Capturer<'a, M>,
    victim: Capturer<'a, M>,
}

impl<M: Movement> Chase<'_, M> {
    /// Whether `attacker`, which attacks `target`, chases it.
    // Called seldom: inlining would only slow the common path without a target.
    #[inline(never)]
    fn includes(&self, attacker: Square, target: Square) -> bool {
        let Self { chaser, victim } = self;
        let board = victim.board;
        // A horse or a cannon chases a chariot even if the chariot is protected.
        let lesser = board.kind(Kind::Horse) | board.kind(Kind::Cannon);
        let is_cheap = lesser.contains(attacker) && board.kind(Kind::Chariot).contains(target);
        // A target that can capture its attacker offers an exchange.
        let offers_exchange = || {
            goes_to(victim.moves, board, victim.colour, target, attacker)
                && victim.can_capture(target, attacker)
        };
        // The most selective test comes first.
        (is_cheap || !victim.protects(target, attacker))
            && !offers_exchange()
            && chaser.can_capture(attacker, target)
    }
}

/// Whether a colour's piece on `from` has a pseudo-legal move to `to`.
fn goes_to(moves: &impl Movement, board: &Board, colour: Colour, from: Square, to: Square) -> bool {
    let is_it =
        |_, reach: u128| if reach.contains(to) { Flow::Break(()) } else { Flow::Continue(()) };
    moves.each_pseudo_legal(board, colour, u128::single(from), is_it).is_break()
}

/// A colour whose captures must not leave its own general attacked.
struct Capturer<'a, M> {
    moves: &'a M,
    board: &'a Board,
    colour: Colour,
    /// The squares on which a piece may be pinned. Pieces elsewhere skip the test of the general.
    maybe_pinned: u128,
}

impl<'a, M: Movement> Capturer<'a, M> {
    /// `check` says whether the colour's general is in check.
    #[inline]
    fn new(moves: &'a M, board: &'a Board, colour: Colour, check: bool) -> Self {
        let maybe_pinned =
            if check { !u128::EMPTY } else { moves.discovery_squares(general(board, colour)) };
        Self { moves, board, colour, maybe_pinned }
    }

    /// Whether the general is safe after the piece on `from` has captured on `target`.
    #[inline]
    fn can_capture(&self, from: Square, target: Square) -> bool {
        !self.maybe_pinned.contains(from) || {
            let occupied = self.board.occupied();
            let captured = u128::single(target);
            let Self { moves, board, colour, .. } = *self;
            moves.capture_is_safe(board, colour, from, target, occupied, captured)
        }
    }

    /// Whether the colour can recapture when `attacker` captures its piece on `target`.
    #[inline]
    fn protects(&self, target: Square, attacker: Square) -> bool {
        // The attacker now stands on the target square. Its identity, if it was covered, is not asked: it
        // counts as what it moves as.
        let Self { moves, board, colour, .. } = *self;
        let occupied = board.occupied() & !u128::single(attacker);
        let captured = u128::single(attacker) | u128::single(target);
        let protectors = moves.attackers(board, colour, target, occupied)
            & moves.takers(board, attacker)
            & !u128::single(target);
        if !self.maybe_pinned.contains(attacker) && protectors.intersects(!self.maybe_pinned) {
            return true;
        }
        protectors
            .ascending()
            .any(|from| moves.capture_is_safe(board, colour, from, target, occupied, captured))
    }
}

/// Whether the colour that moved last, and the other colour, chased one and the same enemy piece
/// with every ply of the cycle that ends in this position. `mover` is the colour to move.
pub(super) fn perpetual_chase(
    moves: &impl Movement,
    board: &Board,
    mover: Colour,
    cycle: impl Iterator<Item = QuietPly>,
) -> [bool; 2] {
    // A cycle ends with the position it began with, so the plies can be replayed from here. A piece
    // is identified by its square at the beginning.
    let (mut board, mut mover) = (board.clone(), mover);
    let mut origin: [usize; SQUARES] = std::array::from_fn(|index| index);
    let mut common = [!0_u128; 2];
    for ply in cycle {
        let contents = board.lift(ply.from());
        board.put(ply.to(), contents);
        origin[ply.to().index()] = origin[ply.from().index()];
        let chased = chased(moves, &board, mover).ascending();
        common[mover.index()] &=
            u128::collect(chased.map(|square| Square::new(origin[square.index()])));
        mover = mover.other();
    }
    let last = mover.other();
    [last, last.other()].map(|colour| !common[colour.index()].is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::moves::{Movement, Usual};
    use super::Capturer;
    use crate::board::{Bitboard, Flow};
    use crate::game::{Game, GameExt};
    use crate::games::mystery::Mystery;
    use crate::rng::{Rng, Stream};

    #[test]
    fn captures_by_unpinned_pieces_are_safe() {
        let game = Mystery::default();
        let (mut captures, mut checks) = (0, 0);
        for seed in 0..12 {
            let mut rng = Rng::new(seed, Stream::Deal);
            let mut state = game.deal(&mut rng);
            while game.outcome(&state).is_none() {
                let actions = game.actions(&state);
                game.play(&mut state, *rng.choose(&actions));
                let (board, check) = (&state.public.board, state.public.check_info.check);
                checks += u32::from(check);
                let [mover, other] =
                    [(state.public.mover, check), (state.public.mover.other(), false)];
                for ((colour, check), (enemy, enemy_check)) in [(mover, other), (other, mover)] {
                    let capturer = Capturer::new(&Usual, board, colour, check);
                    let victim = Capturer::new(&Usual, board, enemy, enemy_check);
                    let [exact_capturer, exact_victim] = [colour, enemy].map(|colour| Capturer {
                        moves: &Usual,
                        board,
                        colour,
                        maybe_pinned: !0,
                    });
                    let _ = Usual.each_pseudo_legal(board, colour, !0, |from, reach| {
                        for target in (reach & board.colour(enemy)).ascending() {
                            captures += 1;
                            assert_eq!(
                                capturer.can_capture(from, target),
                                exact_capturer.can_capture(from, target)
                            );
                            assert_eq!(
                                victim.protects(target, from),
                                exact_victim.protects(target, from)
                            );
                        }
                        Flow::Continue(())
                    });
                }
            }
        }
        assert!(captures > 1000 && checks > 20, "{captures} captures, {checks} checks");
    }
}

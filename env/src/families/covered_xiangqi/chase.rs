//! Perpetual chase: RULES.md section 7 and 9.16, settled there after the Asian rules.

use super::board::{Board, SQUARES};
use super::moves::{attackers, discovery_squares, each_pseudo_legal, home_half, king_safety};
use crate::board::{Bitboard, Colour, Flow, Kind, Square};
use crate::game::QuietPly;

/// The enemy pieces that a side chases, its own ply just played.
fn chased(board: &Board, chaser: Colour) -> u128 {
    let mut chased = 0;
    let check = king_safety(board, chaser.other()).check_info().check;
    let _ = each_chased(board, chaser, check, |prey| {
        chased |= u128::single(prey);
        Flow::Continue(())
    });
    chased
}

/// Whether a side chases anything, its own ply just played, which gave no check.
#[inline]
pub(super) fn is_chasing(board: &Board, chaser: Colour) -> bool {
    each_chased(board, chaser, false, |_| Flow::Break(())).is_break()
}

/// Visits the enemy pieces that a side chases, some perhaps more than once. `check` says whether its
/// ply gave check.
#[inline]
fn each_chased(
    board: &Board,
    chaser: Colour,
    check: bool,
    mut visit: impl FnMut(Square) -> Flow,
) -> Flow {
    let victim = chaser.other();
    let immune = board.shape(Kind::General) | board.shape(Kind::Soldier) & home_half(victim);
    let quarry = board.colour(victim) & !immune;
    let hunters = !(board.shape(Kind::General) | board.shape(Kind::Soldier));
    // A side that has just moved is not in check itself.
    let hunt =
        Hunt { chaser: Taker::new(board, chaser, false), victim: Taker::new(board, victim, check) };
    each_pseudo_legal(board, chaser, hunters, |hunter, reach| {
        for prey in (reach & quarry).ascending() {
            if hunt.is_on(hunter, prey) {
                visit(prey)?;
            }
        }
        Flow::Continue(())
    })
}

/// The two sides of a chase.
struct Hunt<'a> {
    chaser: Taker<'a>,
    victim: Taker<'a>,
}

impl Hunt<'_> {
    /// Whether `prey`, which `hunter` attacks, is chased by it.
    // Called seldom: inlined, it would only make the way longer for hunters without prey.
    #[inline(never)]
    fn is_on(&self, hunter: Square, prey: Square) -> bool {
        let Self { chaser, victim } = self;
        let board = victim.board;
        // Those to whom a chariot is worth its protectors.
        let lesser = board.shape(Kind::Horse) | board.shape(Kind::Cannon);
        let is_cheap = lesser.contains(hunter) && board.shape(Kind::Chariot).contains(prey);
        // Prey that can take its hunter offers an exchange.
        let offers_exchange =
            || goes_to(board, victim.colour, prey, hunter) && victim.can_take(prey, hunter);
        // The test that decides most comes first, the one that decides least last.
        (is_cheap || !victim.protects(prey, hunter))
            && !offers_exchange()
            && chaser.can_take(hunter, prey)
    }
}

/// Whether a colour's piece on `from` could go to `to` if no general had to be guarded.
fn goes_to(board: &Board, colour: Colour, from: Square, to: Square) -> bool {
    let is_it = |_, reach: u128| match reach.contains(to) {
        true => Flow::Break(()),
        false => Flow::Continue(()),
    };
    each_pseudo_legal(board, colour, u128::single(from), is_it).is_break()
}

/// A side that must not leave its general attacked when it takes.
struct Taker<'a> {
    board: &'a Board,
    colour: Colour,
    /// Pieces on other squares can go without a look at the general: all the ways to it stay as they
    /// are.
    bound: u128,
}

impl<'a> Taker<'a> {
    /// `check` says whether the side's general is attacked.
    #[inline]
    fn new(board: &'a Board, colour: Colour, check: bool) -> Self {
        let bound = if check { !u128::EMPTY } else { discovery_squares(board.general(colour)) };
        Self { board, colour, bound }
    }

    /// Whether the general is safe once the piece on `from` has taken what stands on `target`.
    #[inline]
    fn can_take(&self, from: Square, target: Square) -> bool {
        !self.bound.contains(from) || {
            let occupied = self.board.occupied();
            let gone = u128::single(target);
            king_safety(self.board, self.colour).capture_is_safe(from, target, occupied, gone)
        }
    }

    /// Whether the side can take back when its piece on `prey` is taken by `hunter`.
    #[inline]
    fn protects(&self, prey: Square, hunter: Square) -> bool {
        // The hunter now stands on the prey's square. What a covered one turns out to be cannot
        // matter to a piece that takes it.
        let occupied = self.board.occupied() & !u128::single(hunter);
        let gone = u128::single(hunter) | u128::single(prey);
        let protectors = attackers(self.board, self.colour, prey, occupied) & !u128::single(prey);
        if !self.bound.contains(hunter) && protectors.intersects(!self.bound) {
            return true;
        }
        protectors.ascending().any(|from| {
            king_safety(self.board, self.colour).capture_is_safe(from, prey, occupied, gone)
        })
    }
}

/// Whether the side that moved last, and the other side, left one and the same enemy piece chased
/// with every ply of the cycle that ends in this position.
pub(super) fn perpetual_chase(board: &Board, cycle: impl Iterator<Item = QuietPly>) -> [bool; 2] {
    // A cycle ends where it began, so it can be played forward from here. Pieces are told apart by
    // the square on which they began it.
    let mut board = board.clone();
    let mut origin: [usize; SQUARES] = std::array::from_fn(|index| index);
    let mut common = [!0_u128; 2];
    for ply in cycle {
        let side = board.mover();
        let contents = board.lift(ply.from());
        board.put(ply.to(), contents);
        board.pass_turn();
        origin[ply.to().index()] = origin[ply.from().index()];
        let chased = chased(&board, side).ascending();
        common[side.index()] &=
            u128::collect(chased.map(|square| Square::new(origin[square.index()])));
    }
    let last = board.mover().other();
    [last, last.other()].map(|side| !common[side.index()].is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Taker, each_pseudo_legal};
    use crate::board::{Bitboard, Flow};
    use crate::game::{Game, GameExt};
    use crate::games::mystery::Mystery;
    use crate::rng::{Rng, Stream};

    #[test]
    fn pieces_that_are_not_bound_leave_their_general_as_it_is() {
        let game = Mystery::default();
        let (mut captures, mut checks) = (0, 0);
        for seed in 0..12 {
            let mut rng = Rng::new(seed, Stream::Deal);
            let mut state = game.deal(&mut rng);
            while game.outcome(&state).is_none() {
                let actions = game.actions(&state);
                game.play(&mut state, actions[rng.below(actions.len() as u32) as usize]);
                let (board, check) = (&state.public.board, state.public.check_info.check);
                checks += u32::from(check);
                let [mover, other] = [(board.mover(), check), (board.mover().other(), false)];
                for ((colour, check), (enemy, enemy_check)) in [(mover, other), (other, mover)] {
                    let taker = Taker::new(board, colour, check);
                    let victim = Taker::new(board, enemy, enemy_check);
                    let [careful, wary] =
                        [colour, enemy].map(|colour| Taker { board, colour, bound: !0 });
                    let _ = each_pseudo_legal(board, colour, !0, |from, reach| {
                        for prey in (reach & board.colour(enemy)).ascending() {
                            captures += 1;
                            assert_eq!(taker.can_take(from, prey), careful.can_take(from, prey));
                            assert_eq!(victim.protects(prey, from), wary.protects(prey, from));
                        }
                        Flow::Continue(())
                    });
                }
            }
        }
        assert!(captures > 1000 && checks > 20, "{captures} captures, {checks} checks");
    }
}

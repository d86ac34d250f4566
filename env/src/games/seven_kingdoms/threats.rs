//! What each kingdom may lose before its next turn.
//!
//! An evaluation asks this of every position, so that it has a board of its own: with a margin around
//! it, rays end without a look at edges, which is faster than sets of 361 points.

use arrayvec::ArrayVec;

use super::geometry::{CENTRE, SIZE};
use super::kingdom::{Kingdom, Kingdoms};
use super::moves::{ARCHER_STEPS, CROSSBOWMAN_STEPS};
use super::piece::{Kind, Piece};
use super::rules::{PIECE_COUNT, SevenKingdoms};
use super::seating::Seating;
use super::state::State;
use crate::board::{Bitboard, Square};
use crate::game::{Fall, Peril};

/// Points from one rank to the next, with a point beside each end of a rank.
const WIDTH: usize = SIZE.files + 2;

/// Number of points with those around the board.
const POINTS: usize = WIDTH * (SIZE.ranks + 2);

const EMPTY: u8 = 0;
/// Stands for pieces that nobody takes. Smaller numbers but 0 are those of kingdoms, from 1.
const UNTAKEN: u8 = 8;
const OUTSIDE: u8 = 9;

/// Clockwise from north.
const ORTHOGONAL: [isize; 4] = [WIDTH as isize, 1, -(WIDTH as isize), -1];
/// Clockwise from north-east.
const DIAGONAL: [isize; 4] =
    [WIDTH as isize + 1, 1 - WIDTH as isize, -(WIDTH as isize) - 1, WIDTH as isize - 1];

/// The empty board.
const BARE: [u8; POINTS] = {
    let mut owners = [OUTSIDE; POINTS];
    let mut rank = 1;
    while rank <= SIZE.ranks {
        let mut file = 1;
        while file <= SIZE.files {
            owners[rank * WIDTH + file] = EMPTY;
            file += 1;
        }
        rank += 1;
    }
    owners
};

const fn place(square: Square) -> usize {
    let index = square.index();
    (index / SIZE.files + 1) * WIDTH + index % SIZE.files + 1
}

/// The owner of each point's piece, and who attacks it.
struct Threats {
    owners: [u8; POINTS],
    /// The kingdoms that attack a point, a bit each. Those of the owner's team count, too.
    attackers: [u8; POINTS],
}

impl Threats {
    /// A board without pieces.
    fn new() -> Self {
        let mut owners = BARE;
        owners[place(CENTRE)] = UNTAKEN;
        Self { owners, attackers: [0; POINTS] }
    }

    #[inline]
    fn put(&mut self, at: usize, Piece { kingdom, kind }: Piece) {
        let owner = kingdom.index() as u8 + 1;
        self.owners[at] = if kind == Kind::GoBetween { UNTAKEN } else { owner };
    }

    /// The first piece of a ray within this many steps, or a point beyond the board.
    #[inline]
    fn first(&self, mut from: usize, step: isize, steps: usize) -> usize {
        for _ in 0..steps {
            from = from.wrapping_add_signed(step);
            if self.owners[from] != EMPTY {
                break;
            }
        }
        from
    }

    #[inline]
    fn attack(&mut self, target: usize, kingdom: Kingdom) {
        self.attackers[target] |= 1 << kingdom.index();
    }

    #[inline]
    fn attack_along(&mut self, from: usize, directions: &[isize], steps: usize, kingdom: Kingdom) {
        for &step in directions {
            let target = self.first(from, step, steps);
            self.attack(target, kingdom);
        }
    }

    /// Adds the attacks of a piece.
    fn add(&mut self, from: usize, Piece { kingdom, kind }: Piece) {
        const FAR: usize = usize::MAX;
        match kind {
            Kind::General | Kind::Marshal => {
                self.attack_along(from, &ORTHOGONAL, FAR, kingdom);
                self.attack_along(from, &DIAGONAL, FAR, kingdom);
            }
            Kind::Chancellor => self.attack_along(from, &ORTHOGONAL, FAR, kingdom),
            Kind::Diplomat => self.attack_along(from, &DIAGONAL, FAR, kingdom),
            Kind::Cannon => {
                for step in ORTHOGONAL {
                    let screen = self.first(from, step, FAR);
                    if self.owners[screen] != OUTSIDE {
                        let target = self.first(screen, step, FAR);
                        self.attack(target, kingdom);
                    }
                }
            }
            Kind::GoBetween => {}
            Kind::Archer => {
                self.attack_along(from, &ORTHOGONAL, ARCHER_STEPS, kingdom);
                self.attack_along(from, &DIAGONAL, ARCHER_STEPS, kingdom);
            }
            Kind::Crossbowman => {
                self.attack_along(from, &ORTHOGONAL, CROSSBOWMAN_STEPS, kingdom);
                self.attack_along(from, &DIAGONAL, CROSSBOWMAN_STEPS, kingdom);
            }
            Kind::DaggerSoldier => self.attack_along(from, &DIAGONAL, 1, kingdom),
            Kind::Swordsman => self.attack_along(from, &ORTHOGONAL, 1, kingdom),
            Kind::Knight => {
                for (direction, step) in ORTHOGONAL.into_iter().enumerate() {
                    let corner = from.wrapping_add_signed(step);
                    if self.owners[corner] == EMPTY {
                        let onward = [DIAGONAL[direction], DIAGONAL[(direction + 3) % 4]];
                        self.attack_along(corner, &onward, ARCHER_STEPS - 1, kingdom);
                    }
                }
            }
        }
    }

    /// Whether one of these kingdoms could take the piece on a point.
    #[inline]
    fn is_attacked(&self, at: usize, by: u8) -> bool {
        self.attackers[at] & by != 0 && self.owners[at] != UNTAKEN
    }
}

impl SevenKingdoms {
    /// Visits the kingdoms in play in turn order from the mover, each with what those that move before
    /// it could take.
    pub(super) fn each_kingdoms_peril(
        &self,
        state: &State,
        seating: &Seating,
        worth: impl Fn(u8) -> f32,
        mut visit: impl FnMut(Peril),
    ) {
        let bits = |kingdoms: Kingdoms| kingdoms.iter().fold(0, |all, k| all | 1 << k.index());
        let mut threats = Threats::new();
        let in_turn =
            state.mover().from_here().filter(|&kingdom| state.in_play().contains(kingdom));
        let in_turn: ArrayVec<Kingdom, { Kingdom::COUNT }> = in_turn.collect();
        // The pieces of all, one kingdom's after the other's, and where those of each begin.
        let mut pieces = ArrayVec::<(u16, Kind), { PIECE_COUNT as usize }>::new();
        let mut begins = ArrayVec::<usize, { Kingdom::COUNT }>::new();
        for &kingdom in &in_turn {
            begins.push(pieces.len());
            for square in state.army(kingdom).ascending() {
                let (at, kind) = (place(square), state.kind(square));
                threats.put(at, Piece { kingdom, kind });
                pieces.push((at as u16, kind));
            }
        }
        let army = |number: usize| {
            let end = begins.get(number + 1).copied().unwrap_or(pieces.len());
            &pieces[begins[number]..end]
        };
        // The last one moves before nobody.
        for (number, &kingdom) in in_turn.iter().enumerate().take(in_turn.len() - 1) {
            for &(at, kind) in army(number) {
                threats.add(at.into(), Piece { kingdom, kind });
            }
        }
        let mut earlier = 0_u8;
        for (number, &kingdom) in in_turn.iter().enumerate() {
            let by = earlier & !bits(seating.allies(kingdom));
            earlier |= 1 << kingdom.index();
            let mut peril = Peril::none(kingdom.index() as u8);
            let (mut attacked, mut is_general) = (0, false);
            for &(at, kind) in army(number) {
                let value = worth(kind.index() as u8);
                peril.whole += value;
                if threats.is_attacked(at.into(), by) {
                    peril.threaten(value);
                    attacked += 1;
                    is_general |= kind == Kind::General;
                }
            }
            let left = (u32::from(self.loss_limit) + 1).saturating_sub(state.lost_by(kingdom));
            peril.fall = match attacked {
                1.. if is_general || left <= 1 => Fall::Next,
                2.. if left == 2 => Fall::Near,
                _ => Fall::Distant,
            };
            visit(peril);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::moves;
    use super::{Bitboard, Fall, Kind, SevenKingdoms};
    use crate::board::Square;
    use crate::game::{Game, GameExt, configure, texts};
    use crate::rng::{Rng, Stream};

    /// Plays random games, and compares with what the steps of all kingdoms reach.
    fn compare(rules: &SevenKingdoms, games: u64) {
        let worth = |kind: u8| f32::from(kind) + 1.0;
        let mut falls = [0; 3];
        for seed in 0..games {
            let mut rng = Rng::new(seed, Stream::Sample);
            let mut state = rules.deal(&mut Rng::new(seed, Stream::Deal));
            while rules.outcome(&state).is_none() {
                let mut before = Vec::new();
                rules.each_kingdoms_peril(&state, &rules.seating, worth, |peril| {
                    let kingdom = super::Kingdom::ALL[usize::from(peril.army)];
                    let value = |square: Square| worth(state.kind(square).index() as u8);
                    let whole: f32 = state.army(kingdom).ascending().map(value).sum();
                    let allies = rules.seating.allies(kingdom);
                    let is_taken = |square: &Square| {
                        let enemies = before.iter().filter(|&&enemy| !allies.contains(enemy));
                        let mut reached =
                            enemies.map(|&enemy| moves::reached(&state, &rules.seating, enemy));
                        reached.any(|reached| reached.contains(*square))
                    };
                    let taken: Vec<Square> =
                        state.army(kingdom).ascending().filter(is_taken).collect();
                    let mut values: Vec<f32> = taken.iter().copied().map(value).collect();
                    values.sort_by(|a, b| b.total_cmp(a));
                    values.resize(2.max(values.len()), 0.0);
                    let left = i64::from(rules.loss_limit) + 1 - i64::from(state.lost_by(kingdom));
                    let has_general =
                        taken.iter().any(|&square| state.kind(square) == Kind::General);
                    let fall = if !taken.is_empty() && (has_general || left == 1) {
                        Fall::Next
                    } else if taken.len() > 1 && left == 2 {
                        Fall::Near
                    } else {
                        Fall::Distant
                    };
                    let expected = (whole, &values[..2], fall);
                    assert_eq!((peril.whole, &peril.highest[..], peril.fall), expected);
                    falls[fall as usize] += 1;
                    before.push(kingdom);
                });
                assert_eq!(before.len(), state.in_play().count());
                let legal = rules.actions(&state);
                rules.play(&mut state, *rng.choose(&legal));
            }
        }
        assert!(falls.iter().all(|&count| count > 0), "{falls:?}");
    }

    #[test]
    fn perils_are_what_enemies_reach_that_move_earlier() {
        compare(&SevenKingdoms::default(), 2);
        let options = [("seats", "0101010"), ("kingdoms_to_win", "4")];
        compare(&configure(&texts(&options)).expect("valid options"), 1);
    }
}

//! How pieces move on a board of any size: steps, leaps that a leg can block, slides, cannon hops.

use crate::board::{Bitboard, BoardSize, Square};

/// The four orthogonal directions as (file, rank) steps, then the four diagonal ones.
///
/// Both go clockwise, the diagonal ones 45 degrees after the orthogonal ones.
const DIRECTIONS: [(i32, i32); 8] =
    [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)];

/// Indices of the orthogonal directions in [`MoveTables::ray`].
const ORTHOGONAL: std::ops::Range<usize> = 0..4;

/// Indices of the diagonal directions in [`MoveTables::ray`].
const DIAGONAL: std::ops::Range<usize> = 4..8;

/// The vertical directions, up and down a file.
const VERTICAL: [usize; 2] = [0, 2];

/// A leap over one square that must be empty: the horse's leg, the elephant's eye.
/// Fairy chess calls such a piece a lame leaper.
#[derive(Clone, Copy, Debug)]
struct Leap<B> {
    leg: B,
    targets: B,
}

/// The leaps of a piece from one square.
#[derive(Clone, Copy, Debug)]
pub struct Leaps<B>([Leap<B>; 4]);

impl<B: Bitboard> Leaps<B> {
    /// Steps, which nothing blocks.
    pub fn unhindered(targets: B) -> Self {
        let none = Leap { leg: B::EMPTY, targets: B::EMPTY };
        Self([Leap { targets, ..none }, none, none, none])
    }

    /// Leaps, each with its leg, or with none if nothing blocks it; `None` if they have more different
    /// legs than there is room for.
    pub(crate) fn grouped(leaps: impl Iterator<Item = (B, B)>) -> Option<Self> {
        let mut groups: Vec<Leap<B>> = Vec::new();
        for (leg, targets) in leaps.filter(|(_, targets)| !targets.is_empty()) {
            match groups.iter_mut().find(|group| group.leg == leg) {
                Some(group) => group.targets |= targets,
                None => groups.push(Leap { leg, targets }),
            }
        }
        groups.resize(groups.len().max(4), Leap { leg: B::EMPTY, targets: B::EMPTY });
        groups.try_into().ok().map(Self)
    }

    /// Whether nothing blocks them.
    pub(crate) fn is_free(&self) -> bool {
        self.0.iter().all(|leap| leap.leg.is_empty())
    }

    /// The targets whose legs are empty.
    #[inline]
    pub fn open(&self, occupied: B) -> B {
        self.0.iter().fold(B::EMPTY, |reached, leap| {
            if leap.leg.intersects(occupied) { reached } else { reached | leap.targets }
        })
    }

    /// The `leapers` that stand on a target, each as (leg, leaper).
    #[inline]
    fn leapers_on_targets(&self, leapers: B) -> impl Iterator<Item = (B, B)> {
        self.0.iter().flat_map(move |leap| {
            (leap.targets & leapers).ascending().map(|square| (leap.leg, B::single(square)))
        })
    }
}

/// Movement tables of one board size.
#[derive(Clone, Debug)]
pub struct MoveTables<B> {
    /// The size of the board.
    pub size: BoardSize,
    rays: Vec<[B; 8]>,
    orthogonal: Vec<B>,
    diagonal: Vec<B>,
    horse: Vec<Leaps<B>>,
    horse_origins: Vec<Leaps<B>>,
    elephant: Vec<Leaps<B>>,
    /// Values of [`MoveTables::lines`] and [`MoveTables::leaps`].
    lines: Vec<B>,
    leaps: Vec<B>,
    /// By square, the neighbour in each orthogonal direction.
    neighbours: Vec<[Option<Square>; 4]>,
}

/// The squares between any two squares of a line (an in-between table in chess programming).
#[derive(Debug)]
pub struct Between<B> {
    squares: usize,
    between: Vec<B>,
}

impl<B: Bitboard> Between<B> {
    /// Builds the table: a set for each pair of squares.
    pub fn new(moves: &MoveTables<B>) -> Self {
        let size = moves.size;
        let between = |from: Square, to: Square| {
            if !moves.lines(from).contains(to) {
                return B::EMPTY;
            }
            moves.slide(from, B::single(to)) & moves.slide(to, B::single(from))
        };
        let between = size.all().flat_map(|from| size.all().map(move |to| between(from, to)));
        Self { squares: size.squares(), between: between.collect() }
    }

    /// The squares between two squares of one file or rank; empty if they share neither.
    #[inline]
    pub fn of(&self, from: Square, to: Square) -> B {
        self.between[from.index() * self.squares + to.index()]
    }
}

/// By square, the squares from which it is a target, of the targets from each square.
pub(crate) fn origins<B: Bitboard>(targets: &[B]) -> Vec<B> {
    let squares = || (0..targets.len()).map(Square::new);
    let of = |to| B::collect(squares().filter(|from| targets[from.index()].contains(to)));
    squares().map(of).collect()
}

impl<B: Bitboard> MoveTables<B> {
    /// Builds the tables for a board of this size.
    pub fn new(size: BoardSize) -> Self {
        let per_square = |of: &dyn Fn(Square) -> B| size.all().map(of).collect::<Vec<_>>();
        let steps = |square, directions: &[(i32, i32)]| {
            B::collect(directions.iter().filter_map(|&d| size.offset(square, d)))
        };
        let leaps = |build: &dyn Fn(Square, usize) -> Leap<B>| {
            let all = |square| Leaps(std::array::from_fn(|direction| build(square, direction)));
            size.all().map(all).collect::<Vec<_>>()
        };
        // A leap whose leg is off the board has no target either, so its empty leg never matters.
        let point = |square: Option<Square>| square.map_or(B::EMPTY, B::single);
        Self {
            size,
            rays: size
                .all()
                .map(|square| std::array::from_fn(|d| ray(size, square, DIRECTIONS[d])))
                .collect(),
            lines: per_square(&|square| {
                B::collect(size.all().filter(|&other| {
                    let same_file = size.file(other) == size.file(square);
                    other != square && (same_file || size.rank(other) == size.rank(square))
                }))
            }),
            leaps: per_square(&|square| {
                let distances = |other: Square| {
                    let files = size.file(other).abs_diff(size.file(square));
                    (files, size.rank(other).abs_diff(size.rank(square)))
                };
                let is_leap = |&other: &Square| matches!(distances(other), (1, 2) | (2, 1 | 2));
                B::collect(size.all().filter(is_leap))
            }),
            orthogonal: per_square(&|square| steps(square, &DIRECTIONS[..4])),
            diagonal: per_square(&|square| steps(square, &DIRECTIONS[4..])),
            horse: leaps(&|square, d| {
                let (file, rank) = DIRECTIONS[d];
                Leap {
                    leg: point(size.offset(square, (file, rank))),
                    targets: B::collect([-1, 1].into_iter().filter_map(|sign| {
                        let sideways = (rank * sign, file * sign);
                        size.offset(square, (2 * file + sideways.0, 2 * rank + sideways.1))
                    })),
                }
            }),
            // Seen from the target, the leg of a horse is the diagonal neighbour towards it.
            horse_origins: leaps(&|square, d| {
                let (file, rank) = DIRECTIONS[4 + d];
                Leap {
                    leg: point(size.offset(square, (file, rank))),
                    targets: B::collect(
                        [(2 * file, rank), (file, 2 * rank)]
                            .into_iter()
                            .filter_map(|step| size.offset(square, step)),
                    ),
                }
            }),
            elephant: leaps(&|square, d| {
                let (file, rank) = DIRECTIONS[4 + d];
                Leap {
                    leg: point(size.offset(square, (file, rank))),
                    targets: point(size.offset(square, (2 * file, 2 * rank))),
                }
            }),
            neighbours: size
                .all()
                .map(|square| std::array::from_fn(|d| size.offset(square, DIRECTIONS[d])))
                .collect(),
        }
    }

    /// The squares on the same file or rank.
    #[inline]
    pub fn lines(&self, from: Square) -> B {
        self.lines[from.index()]
    }

    /// The squares on the same file.
    #[inline]
    pub fn file(&self, from: Square) -> B {
        VERTICAL.into_iter().fold(B::EMPTY, |file, direction| file | self.ray(from, direction))
    }

    /// The squares a horse's or an elephant's leap away on an empty board.
    #[inline]
    pub fn leaps(&self, from: Square) -> B {
        self.leaps[from.index()]
    }

    /// The neighbours along files and ranks.
    #[inline]
    pub fn orthogonal(&self, from: Square) -> B {
        self.orthogonal[from.index()]
    }

    /// The neighbours along diagonals.
    #[inline]
    pub fn diagonal(&self, from: Square) -> B {
        self.diagonal[from.index()]
    }

    /// The squares in one direction, to the edge of the board.
    #[inline]
    pub fn ray(&self, from: Square, direction: usize) -> B {
        self.rays[from.index()][direction]
    }

    /// The first occupied square in one direction.
    #[inline]
    fn blocker(&self, from: Square, direction: usize, occupied: B) -> Option<Square> {
        let met = self.ray(from, direction) & occupied;
        if met.is_empty() {
            return None;
        }
        let (file, rank) = DIRECTIONS[direction];
        Some(if rank > 0 || (rank == 0 && file > 0) { met.first() } else { met.last() })
    }

    /// The empty squares and the first piece in one direction.
    #[inline]
    fn slide_along(&self, from: Square, direction: usize, occupied: B) -> B {
        let ray = self.ray(from, direction);
        match self.blocker(from, direction, occupied) {
            // The ray from the blocker in the same direction holds the squares behind it.
            Some(blocker) => ray ^ self.ray(blocker, direction),
            None => ray,
        }
    }

    /// The targets of a chariot: empty squares and the first piece in each orthogonal direction.
    #[inline]
    pub fn slide(&self, from: Square, occupied: B) -> B {
        self.slide_lines(from, [(0, 2), (1, 3)], occupied)
    }

    /// The squares between along diagonals.
    #[inline]
    pub fn slide_diagonally(&self, from: Square, occupied: B) -> B {
        self.slide_lines(from, [(4, 6), (7, 5)], occupied)
    }

    /// Slides along lines, each given by its directions towards higher and towards lower squares.
    #[inline]
    fn slide_lines(&self, from: Square, lines: [(usize, usize); 2], occupied: B) -> B {
        let rays = &self.rays[from.index()];
        lines.into_iter().fold(B::EMPTY, |reached, (up, down)| {
            let (up, down) = (rays[up], rays[down]);
            reached | (up | down) & B::span(occupied & down, occupied & up)
        })
    }

    /// One orthogonal step onto an empty square, then a diagonal slide onward to either side. Fairy
    /// chess calls such a piece a bent rider.
    #[inline]
    pub fn round_corners(&self, from: Square, occupied: B) -> B {
        let mut reached = B::EMPTY;
        for direction in ORTHOGONAL {
            let corner = self.neighbours[from.index()][direction];
            let Some(corner) = corner.filter(|&corner| !occupied.contains(corner)) else {
                continue;
            };
            // Both kinds of direction are listed clockwise: these are the diagonals on either side.
            for onward in [DIAGONAL.start + direction, DIAGONAL.start + (direction + 3) % 4] {
                reached |= self.slide_along(corner, onward, occupied);
            }
        }
        reached
    }

    /// The squares at most this many king's steps away, the square itself included.
    pub fn within(&self, from: Square, steps: usize) -> B {
        let near = |a: usize, b: usize| a.abs_diff(b) <= steps;
        let (file, rank) = (self.size.file(from), self.size.rank(from));
        B::collect(self.size.all().filter(|&square| {
            near(self.size.file(square), file) && near(self.size.rank(square), rank)
        }))
    }

    /// The pieces a cannon can take: those behind exactly one other piece.
    #[inline]
    pub fn hop(&self, from: Square, occupied: B) -> B {
        // The first pieces that a chariot would reach if the screens were removed.
        let behind = occupied & !self.slide(from, occupied);
        self.slide(from, behind) & behind
    }

    /// The leaps of a horse from a square.
    pub fn horse_leaps(&self, from: Square) -> Leaps<B> {
        self.horse[from.index()]
    }

    /// The leaps of an elephant from a square.
    pub fn elephant_leaps(&self, from: Square) -> Leaps<B> {
        self.elephant[from.index()]
    }

    /// The targets of a horse.
    #[inline]
    pub fn horse(&self, from: Square, occupied: B) -> B {
        self.horse[from.index()].open(occupied)
    }

    /// The squares from which a horse reaches `target`.
    #[inline]
    pub fn horse_origins(&self, target: Square, occupied: B) -> B {
        self.horse_origins[target.index()].open(occupied)
    }

    /// The targets of an elephant. The relation is symmetric.
    #[inline]
    pub fn elephant(&self, from: Square, occupied: B) -> B {
        self.elephant[from.index()].open(occupied)
    }

    /// The horses that attack `target` if their leg is empty, each as (leg, horse).
    #[inline]
    pub fn horse_leaps_to(&self, target: Square, horses: B) -> impl Iterator<Item = (B, B)> {
        self.horse_origins[target.index()].leapers_on_targets(horses)
    }

    /// The elephants that attack `target` if their eye is empty, each as (eye, elephant).
    #[inline]
    pub fn elephant_leaps_to(&self, target: Square, elephants: B) -> impl Iterator<Item = (B, B)> {
        self.elephant[target.index()].leapers_on_targets(elephants)
    }

    /// The squares that some xiangqi piece reaches on an empty board.
    pub fn any_shape(&self, from: Square) -> B {
        self.slide(from, B::EMPTY)
            | self.orthogonal(from)
            | self.diagonal(from)
            | self.horse(from, B::EMPTY)
            | self.elephant(from, B::EMPTY)
    }
}

fn ray<B: Bitboard>(size: BoardSize, from: Square, step: (i32, i32)) -> B {
    let next = |square: &Square| size.offset(*square, step);
    B::collect(std::iter::successors(next(&from), next))
}

#[cfg(test)]
mod tests {
    use super::MoveTables;
    use crate::board::{Bitboard, BoardSize};

    #[test]
    fn the_first_step_round_a_corner_is_a_horses() {
        let moves = MoveTables::<u128>::new(BoardSize { files: 9, ranks: 10 });
        let occupied = 0x0012_4840_9021_1204_8812_0441_u128;
        for from in moves.size.all() {
            let near = moves.round_corners(from, occupied) & moves.within(from, 2);
            assert_eq!(near, moves.horse(from, occupied));
        }
    }

    #[test]
    fn horse_origins_mirror_the_horse() {
        let moves = MoveTables::<u128>::new(BoardSize { files: 9, ranks: 10 });
        // Fixed scattered blockers, so that some legs are blocked.
        let occupied = 0x0012_4840_9021_1204_8812_0441_u128;
        for from in moves.size.all() {
            for to in moves.size.all() {
                assert_eq!(
                    moves.horse(from, occupied).contains(to),
                    moves.horse_origins(to, occupied).contains(from)
                );
            }
        }
    }
}

//! Movement of pieces as text, in the notation of fairy chess.
//!
//! The notation is Betza's (Ralph Betza, 1996; [XBoard] has its present form). This module reads the part
//! of it that pieces of xiangqi and their kin need:
//!
//! - atoms: `W` a step straight, `F` diagonally, `D` a leap of two straight, `A` of two diagonally, `N`
//!   a knight's; `R` a slide straight, `B` diagonally; `K` for `WF`, `Q` for `RB`. A number behind `W`,
//!   `F`, `R` or `B` is the greatest number of squares of a slide;
//! - before an atom: `m` moves only, `c` captures only; `n` a leap that a piece on its way blocks, as
//!   the leg of a horse or the eye of an elephant; `p` a slide over exactly one piece, as a cannon's;
//!   where armies have a direction, `f` only what lies ahead.
//!
//! A horse is `nN`, an elephant `nA`, a cannon `mRcpR`.
//!
//! [XBoard]: https://www.gnu.org/software/xboard/Betza.html

use crate::board::{Bitboard, BoardSize, Colour, Square};
use crate::game::{Words, words};
use crate::movement::{Leaps, LineMovement, MoveTables};

/// The values that [`Movement::parse`] takes, for messages.
pub(crate) const EXPECTED: &str = "a movement in Betza's notation, such as W, nN or mRcpR";

/// The squares that a leap goes to, as (files, ranks), in one of four directions.
const DABBABA: [(i32, i32); 1] = [(0, 2)];
const ALFIL: [(i32, i32); 1] = [(2, 2)];
/// Both go over the same neighbour.
const KNIGHT: [(i32, i32); 2] = [(1, 2), (-1, 2)];

/// The shape of an atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// A slide of at most this many squares in a straight line.
    Straight(u8),
    /// The same in a diagonal line.
    Diagonal(u8),
    /// A leap over this neighbour to these squares, and the same in the other directions.
    Leap(&'static [(i32, i32)], (i32, i32)),
}

/// A number of squares beyond the edge of every board.
const ANY: u8 = u8::MAX;

/// The part of a movement that one atom describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Atom {
    shape: Shape,
    /// Whether a piece on the way blocks a leap.
    lame: bool,
    /// Whether a slide goes over exactly one piece.
    hops: bool,
    moves: bool,
    captures: bool,
    /// Whether only squares ahead count.
    forward: bool,
}

/// The movement of a kind of piece.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Movement(Vec<Atom>);

impl Movement {
    /// The movement that a text describes, on a board where no side has a direction; `None` if it
    /// describes none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::read(text, "mcnp")
    }

    /// The movement that a text describes, on a board where each side has a direction.
    pub(crate) fn parse_directed(text: &str) -> Option<Self> {
        Self::read(text, "mcnpf")
    }

    fn read(text: &str, known: &str) -> Option<Self> {
        let mut atoms = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (prefixes, from) = rest.split_at(rest.find(|it: char| !it.is_ascii_lowercase())?);
            let letter = from.chars().next()?;
            let behind = from.get(1..)?;
            let digits = behind.find(|it: char| !it.is_ascii_digit()).unwrap_or(behind.len());
            let (number, after) = behind.split_at(digits);
            let number = match number {
                "" => None,
                zero if zero.starts_with('0') => return None,
                digits => Some(digits.parse::<u8>().ok()?),
            };
            let has = |prefix: char| prefixes.contains(prefix);
            let twice = known.chars().any(|prefix| prefixes.matches(prefix).count() > 1);
            if twice || prefixes.contains(|it| !known.contains(it)) || has('m') && has('c') {
                return None;
            }
            use Shape::{Diagonal, Leap, Straight};
            let up_to = |usual| number.unwrap_or(usual);
            let shapes = match letter {
                'W' => vec![Straight(up_to(1))],
                'F' => vec![Diagonal(up_to(1))],
                'K' => vec![Straight(1), Diagonal(1)],
                'R' => vec![Straight(up_to(ANY))],
                'B' => vec![Diagonal(up_to(ANY))],
                'Q' => vec![Straight(ANY), Diagonal(ANY)],
                'D' => vec![Leap(&DABBABA, (0, 1))],
                'A' => vec![Leap(&ALFIL, (1, 1))],
                'N' => vec![Leap(&KNIGHT, (0, 1))],
                _ => return None,
            };
            let fits = (!has('n') || "DAN".contains(letter))
                && (!has('p') || "RBQ".contains(letter) && number.is_none())
                && (number.is_none() || "WFRB".contains(letter));
            if !fits {
                return None;
            }
            atoms.extend(shapes.into_iter().map(|shape| Atom {
                shape,
                lame: has('n'),
                hops: has('p'),
                moves: !has('c'),
                captures: !has('m'),
                forward: has('f'),
            }));
            rest = after;
        }
        (!atoms.is_empty()).then_some(Self(atoms))
    }

    /// The movement in the form of tables: along lines, by leaps, and the rest.
    pub(crate) fn tabled<B: Bitboard>(&self, tables: &MoveTables<B>) -> Tabled<B> {
        let size = tables.size;
        let slide = Atom {
            shape: Shape::Straight(ANY),
            lame: false,
            hops: false,
            moves: true,
            captures: true,
            forward: false,
        };
        let cannon =
            [Atom { captures: false, ..slide }, Atom { hops: true, moves: false, ..slide }];
        let mut rest = self.0.clone();
        let mut take = |wanted: &[Atom]| {
            let has = wanted.iter().all(|atom| rest.contains(atom));
            if has {
                rest.retain(|atom| !wanted.contains(atom));
            }
            has
        };
        let line = if take(&[slide]) {
            LineMovement::Slide
        } else if take(&cannon) {
            LineMovement::Hop
        } else {
            LineMovement::None
        };
        let is_leap = |atom: &Atom| {
            let is_near =
                matches!(atom.shape, Shape::Leap(..) | Shape::Straight(1) | Shape::Diagonal(1));
            is_near && !atom.hops && atom.moves && atom.captures && !atom.forward
        };
        let (leaps, mut rest): (Vec<Atom>, Vec<Atom>) = rest.into_iter().partition(is_leap);
        let groups =
            |from: Square| Leaps::grouped(leaps.iter().flat_map(|it| it.leaps(size, from)));
        let by_square: Option<Vec<_>> = size.all().map(groups).collect();
        let leaps = by_square.unwrap_or_else(|| {
            rest.extend(&leaps);
            vec![Leaps::unhindered(B::EMPTY); size.squares()]
        });
        // Here nothing lies ahead of red or of black: no atom is directed.
        let rest = Self(rest).parts(tables, Colour::Red);
        Tabled { line, leaps, rest }
    }

    /// The movement of a colour's pieces, atom by atom.
    pub(crate) fn parts<B: Bitboard>(
        &self,
        tables: &MoveTables<B>,
        colour: Colour,
    ) -> Vec<Part<B>> {
        self.0.iter().map(|&atom| Part::new(atom, tables, colour)).collect()
    }

    /// The greatest number of squares along a diagonal.
    pub(crate) fn diagonal(&self) -> u8 {
        let length = |atom: &Atom| match atom.shape {
            Shape::Diagonal(most) => most,
            Shape::Straight(_) | Shape::Leap(..) => 0,
        };
        self.0.iter().map(length).max().unwrap_or(0)
    }

    /// The movement in words.
    pub(crate) fn words(&self) -> Words {
        let sentences: Vec<Words> = self.0.iter().map(Atom::words).collect();
        Words::joined(&sentences)
    }
}

impl Atom {
    /// The leaps from a square, each with the square that blocks it.
    fn leaps<B: Bitboard>(&self, size: BoardSize, from: Square) -> Vec<(B, B)> {
        let (targets, leg): (&[(i32, i32)], _) = match self.shape {
            Shape::Straight(_) => (&[(0, 1)], (0, 1)),
            Shape::Diagonal(_) => (&[(1, 1)], (1, 1)),
            Shape::Leap(targets, leg) => (targets, leg),
        };
        let mut leaps = Vec::new();
        let mut turn = (1, 0);
        for _ in 0..4 {
            // A quarter turn, as a product of complex numbers.
            let turned = |(file, rank): (i32, i32)| {
                size.offset(from, (file * turn.0 - rank * turn.1, file * turn.1 + rank * turn.0))
            };
            let leg = turned(leg).filter(|_| self.lame).map_or(B::EMPTY, B::single);
            let targets = B::collect(targets.iter().filter_map(|&step| turned(step)));
            leaps.push((leg, targets));
            turn = (-turn.1, turn.0);
        }
        leaps
    }

    fn words(&self) -> Words {
        let way = match (self.shape, self.hops) {
            (Shape::Straight(1), _) => Words::new("one square straight", "直走一格"),
            (Shape::Diagonal(1), _) => Words::new("one square diagonally", "斜走一格"),
            (Shape::Straight(ANY), true) => Words::new(
                "straight over exactly one piece, to any distance",
                "沿直线正好跳过一个棋子，远近不限",
            ),
            (Shape::Diagonal(ANY), true) => Words::new(
                "diagonally over exactly one piece, to any distance",
                "沿斜线正好跳过一个棋子，远近不限",
            ),
            (Shape::Straight(ANY), false) => {
                Words::new("any number of squares straight", "沿直线走任意格")
            }
            (Shape::Diagonal(ANY), false) => {
                Words::new("any number of squares diagonally", "沿斜线走任意格")
            }
            (Shape::Straight(most), _) => {
                words!("up to {most} squares straight", "直走一至{most}格")
            }
            (Shape::Diagonal(most), _) => {
                words!("up to {most} squares diagonally", "斜走一至{most}格")
            }
            (Shape::Leap(targets, (0, 1)), _) if targets == KNIGHT => Words::new(
                "one square straight, then one diagonally, farther away from where it started",
                "先直走一格，再向外斜走一格（日字）",
            ),
            (Shape::Leap(targets, _), _) if targets == ALFIL => {
                Words::new("exactly two squares diagonally", "斜走两格（田字）")
            }
            (Shape::Leap(..), _) => Words::new("exactly two squares straight", "直走两格"),
        };
        let purpose = match (self.moves, self.captures) {
            (true, true) => Words::new("Goes ", ""),
            (true, false) => Words::new("Without taking, goes ", "不吃子时"),
            _ => Words::new("To take, goes ", "吃子时"),
        };
        let block = match (self.shape, self.lame) {
            (Shape::Leap(..), true) => Words::new(
                ". A piece on the square between blocks it.",
                "，中间的格子有子就走不过去。",
            ),
            (Shape::Leap(..), false) => Words::new(". Nothing blocks it.", "，不受阻挡。"),
            _ => Words::new(".", "。"),
        };
        let ahead = if self.forward {
            Words::new(", only ahead", "，只能向前")
        } else {
            Words::new("", "")
        };
        words!("{}{}{}{}", "{}{}{}{}", purpose, way, ahead, block)
    }
}

/// A movement in the form of tables.
#[derive(Clone, Debug)]
pub(crate) struct Tabled<B> {
    /// Along lines.
    pub(crate) line: LineMovement,
    /// By leaps, by square.
    pub(crate) leaps: Vec<Leaps<B>>,
    /// What neither of them has.
    pub(crate) rest: Vec<Part<B>>,
}

/// An atom that common tables do not have.
#[derive(Clone, Debug)]
pub(crate) struct Part<B> {
    way: Way<B>,
    moves: bool,
    captures: bool,
}

#[derive(Clone, Debug)]
enum Way<B> {
    /// A slide, with the squares that are near enough, by square.
    Slide { diagonal: bool, hops: bool, near: Vec<B> },
    /// Leaps with what blocks them, by square.
    Leaps(Vec<Vec<(B, B)>>),
}

impl<B: Bitboard> Part<B> {
    fn new(atom: Atom, tables: &MoveTables<B>, colour: Colour) -> Self {
        let size = tables.size;
        let wanted = |from: Square| {
            let is_ahead = |to: &Square| match colour {
                Colour::Red => size.rank(*to) > size.rank(from),
                Colour::Black => size.rank(*to) < size.rank(from),
            };
            B::collect(size.all().filter(|to| !atom.forward || is_ahead(to)))
        };
        let slide = |diagonal, range: u8| Way::Slide {
            diagonal,
            hops: atom.hops,
            near: size.all().map(|from| tables.within(from, range.into()) & wanted(from)).collect(),
        };
        let way = match atom.shape {
            Shape::Straight(range) => slide(false, range),
            Shape::Diagonal(range) => slide(true, range),
            Shape::Leap(..) => {
                let only = |from, leaps: Vec<(B, B)>| {
                    leaps.into_iter().map(|(leg, targets)| (leg, targets & wanted(from))).collect()
                };
                Way::Leaps(size.all().map(|from| only(from, atom.leaps(size, from))).collect())
            }
        };
        Self { way, moves: atom.moves, captures: atom.captures }
    }

    /// All squares that the piece goes to, whatever stands in its way.
    pub(crate) fn span(&self, tables: &MoveTables<B>, from: Square) -> B {
        match &self.way {
            Way::Slide { diagonal: false, near, .. } => {
                tables.slide(from, B::EMPTY) & near[from.index()]
            }
            Way::Slide { diagonal: true, near, .. } => {
                tables.slide_diagonally(from, B::EMPTY) & near[from.index()]
            }
            Way::Leaps(leaps) => {
                leaps[from.index()].iter().fold(B::EMPTY, |all, &(_, targets)| all | targets)
            }
        }
    }

    /// The squares that the piece goes to: empty ones if it moves, occupied ones, whatever stands on
    /// them, if it captures.
    pub(crate) fn reach(&self, tables: &MoveTables<B>, from: Square, occupied: B) -> B {
        let reached = match &self.way {
            Way::Slide { diagonal, hops, near } => {
                let slide = |stops| match diagonal {
                    false => tables.slide(from, stops),
                    true => tables.slide_diagonally(from, stops),
                };
                let first = slide(occupied);
                let reached = if *hops {
                    // A slide ends at the next piece once the first one is lifted.
                    slide(occupied & !first) & !first
                } else {
                    first
                };
                reached & near[from.index()]
            }
            Way::Leaps(leaps) => {
                let is_open = |&&(leg, _): &&(B, B)| !leg.intersects(occupied);
                let open = leaps[from.index()].iter().filter(is_open);
                open.fold(B::EMPTY, |reached, &(_, targets)| reached | targets)
            }
        };
        let only = |wanted: bool, squares: B| if wanted { squares } else { B::EMPTY };
        reached & (only(self.moves, !occupied) | only(self.captures, occupied))
    }
}

#[cfg(test)]
mod tests {
    use super::Movement;
    use crate::board::{Bitboard, BoardSize, Colour};
    use crate::movement::MoveTables;

    const SIZE: BoardSize = BoardSize { files: 8, ranks: 4 };

    /// The squares that a piece on `from` goes to, by the tables and by the parts alike.
    fn reach(text: &str, from: &str, pieces: &[&str]) -> Vec<String> {
        let tables = MoveTables::<u32>::new(SIZE);
        let square = |name: &str| SIZE.parse(name).expect("a square");
        let occupied = u32::collect(pieces.iter().map(|name| square(name)));
        let movement = Movement::parse_directed(text).expect("a movement");
        let from = square(from);
        let parts = movement.parts(&tables, Colour::Red).into_iter();
        let reached = parts.fold(0, |all, part| all | part.reach(&tables, from, occupied));
        reached.ascending().map(|square| SIZE.name(square)).collect()
    }

    #[test]
    fn xiangqi_pieces_are_written_in_betzas_notation() {
        let blocked = ["d3", "f2", "h2", "b2"];
        for (text, usual) in [("nN", 'H'), ("nA", 'E'), ("R", 'R'), ("mRcpR", 'C'), ("F", 'A')] {
            let tables = MoveTables::<u32>::new(SIZE);
            let occupied =
                u32::collect(blocked.iter().map(|name| SIZE.parse(name).expect("a square")));
            let from = SIZE.parse("d2").expect("a square");
            let expected = match usual {
                'H' => tables.horse(from, occupied),
                'E' => tables.elephant(from, occupied),
                'R' => tables.slide(from, occupied),
                'C' => tables.slide(from, occupied) & !occupied | tables.hop(from, occupied),
                _ => tables.diagonal(from),
            };
            let expected: Vec<_> = expected.ascending().map(|square| SIZE.name(square)).collect();
            assert_eq!(reach(text, "d2", &blocked), expected, "{text}");
        }
    }

    #[test]
    fn ranges_leaps_and_hops() {
        assert_eq!(reach("W2", "a1", &[]), ["b1", "c1", "a2", "a3"]);
        assert_eq!(reach("D", "a1", &["b1"]), ["c1", "a3"]);
        assert_eq!(reach("nD", "a1", &["b1"]), ["a3"]);
        assert_eq!(reach("N", "a1", &["a2"]), ["c2", "b3"]);
        assert_eq!(reach("pR", "a1", &["b1", "e1"]), ["c1", "d1", "e1"]);
        assert_eq!(reach("cpR", "a1", &["b1", "e1"]), ["e1"]);
        assert_eq!(reach("fW", "b2", &["b3"]), ["b3"]);
        assert_eq!(reach("fN", "c2", &[]), ["a3", "e3", "b4", "d4"]);
        assert_eq!(reach("fcpRmfF", "b1", &["b2", "b4"]), ["a2", "c2", "b4"]);
        assert_eq!(reach("mF", "b2", &["c3"]), ["a1", "c1", "a3"]);
        assert_eq!(reach("cB2", "a1", &["c3"]), ["c3"]);
    }

    #[test]
    fn faults_are_refused() {
        for text in
            ["", "w", "m", "X", "mcW", "mmW", "nW", "pN", "R0", "N2", "p", "pR2", "fW", "Wé"]
        {
            assert_eq!(Movement::parse(text), None, "{text}");
        }
    }
}

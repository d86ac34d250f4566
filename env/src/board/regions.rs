//! Regions of a board, as players name them.

use super::square::{BoardSize, Square};

/// How a game divides its board into regions. Squares are seen from the side of a piece's owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Regions {
    /// By the number of neighbours along files and ranks: `corner` (2), `edge` (3) and `inner` (4). The
    /// board has at least 2 files and 2 ranks.
    Neighbours,
    /// Bands of ranks from the owner's side on: the name of each, and how many ranks it has. Together
    /// they have all ranks of the board.
    Ranks(&'static [(&'static str, usize)]),
}

impl Regions {
    /// The names, by index.
    pub fn names(self) -> Vec<&'static str> {
        match self {
            Self::Neighbours => vec!["corner", "edge", "inner"],
            Self::Ranks(bands) => bands.iter().map(|&(name, _)| name).collect(),
        }
    }

    /// The index of the region of a square.
    ///
    /// # Panics
    /// If the bands have fewer ranks than the board.
    pub fn of(self, size: BoardSize, square: Square) -> usize {
        match self {
            Self::Neighbours => {
                let steps = [(0, 1), (0, -1), (1, 0), (-1, 0)];
                let near = steps.iter().filter(|&&step| size.offset(square, step).is_some());
                near.count().saturating_sub(2)
            }
            Self::Ranks(bands) => {
                let ends = bands.iter().scan(0, |end, &(_, ranks)| {
                    *end += ranks;
                    Some(*end)
                });
                let rank = size.rank(square);
                ends.into_iter().position(|end| rank < end).expect("the bands have all ranks")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BoardSize, Regions};

    #[test]
    fn squares_have_the_region_that_a_player_would_name() {
        let of = |regions: Regions, size: BoardSize, name| {
            regions.names()[regions.of(size, size.parse(name).expect("a square"))]
        };
        let half_board = BoardSize { files: 8, ranks: 4 };
        let by_neighbours = [
            ("a1", "corner"),
            ("h1", "corner"),
            ("a4", "corner"),
            ("h4", "corner"),
            ("a2", "edge"),
            ("h3", "edge"),
            ("d1", "edge"),
            ("g4", "edge"),
            ("b2", "inner"),
            ("g3", "inner"),
        ];
        for (name, region) in by_neighbours {
            assert_eq!(of(Regions::Neighbours, half_board, name), region, "{name}");
        }
        let xiangqi = BoardSize { files: 9, ranks: 10 };
        let river = Regions::Ranks(&[("home", 5), ("across", 5)]);
        for (name, region) in [("a1", "home"), ("i5", "home"), ("a6", "across"), ("e10", "across")]
        {
            assert_eq!(of(river, xiangqi, name), region, "{name}");
        }
    }
}

//! Squares that are equivalent by a board's symmetry.

use darkqi_env::{BoardSize, Perspective, Square, Symmetry};

/// The representative of the squares equivalent to `square`, as seen by a seat: the lowest and
/// leftmost of them.
pub(in crate::analysis) fn square_class(
    size: BoardSize,
    symmetry: Symmetry,
    square: Square,
    seat: usize,
) -> Square {
    let square = match symmetry {
        Symmetry::None => return square,
        Symmetry::Sides if seat == 1 => size.seen_from(square, Perspective::Rotated),
        Symmetry::Sides | Symmetry::Quarters => square,
    };
    let (file, rank) = (size.file(square), size.rank(square));
    let file = file.min(size.files - 1 - file);
    let rank = if symmetry == Symmetry::Quarters { rank.min(size.ranks - 1 - rank) } else { rank };
    size.at(file, rank)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use darkqi_env::{BoardSize, Square, Symmetry};

    use super::square_class;

    fn classes(files: usize, ranks: usize, symmetry: Symmetry) -> BTreeMap<String, usize> {
        let size = BoardSize { files, ranks };
        let mut classes = BTreeMap::new();
        for index in 0..size.squares() {
            let class = square_class(size, symmetry, Square::new(index), 0);
            *classes.entry(size.name(class)).or_default() += 1;
        }
        classes
    }

    #[test]
    fn a_half_board_has_eight_classes_of_four() {
        let classes = classes(8, 4, Symmetry::Quarters);
        assert_eq!(classes.len(), 8);
        assert!(classes.values().all(|&squares| squares == 4), "{classes:?}");
        assert!(classes.contains_key("a1") && classes.contains_key("d2"));
    }

    #[test]
    fn a_whole_board_has_two_equivalent_halves() {
        let classes = classes(9, 10, Symmetry::Sides);
        assert_eq!(classes.len(), 50);
        assert_eq!((classes["a1"], classes["e1"]), (2, 1));
    }

    #[test]
    fn the_second_seat_sees_the_board_from_its_end() {
        let size = BoardSize { files: 9, ranks: 10 };
        // Black's right cannon, b8, corresponds to red's on h3, which is equivalent to b3.
        let square = size.parse("b8").expect("a square of the board");
        assert_eq!(size.name(square_class(size, Symmetry::Sides, square, 1)), "b3");
    }
}

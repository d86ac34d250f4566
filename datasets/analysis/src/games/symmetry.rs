//! Squares that are equivalent by a board's symmetry.

use darkqi_env::{
    Square,
    board::{BoardSize, Perspective, Reflection},
};

/// The representative of the squares equivalent to `square` by these symmetries, as seen by a seat:
/// the lowest and leftmost of them. Seat 1 of a symmetric game sees the board rotated.
pub(crate) fn square_class(
    size: BoardSize,
    symmetries: &[Reflection],
    square: Square,
    seat: usize,
) -> Square {
    let square = match seat {
        1 if !symmetries.is_empty() => size.seen_from(square, Perspective::Rotated),
        _ => square,
    };
    let reflected = symmetries.iter().map(|&reflection| size.reflected(square, reflection));
    // Squares are numbered rank by rank.
    reflected.fold(square, Square::min)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use darkqi_env::{
        Square,
        board::{BoardSize, Reflection},
    };

    use super::square_class;

    fn classes(files: usize, ranks: usize, symmetries: &[Reflection]) -> BTreeMap<String, usize> {
        let size = BoardSize { files, ranks };
        let mut classes = BTreeMap::new();
        for index in 0..size.squares() {
            let class = square_class(size, symmetries, Square::new(index), 0);
            *classes.entry(size.name(class)).or_default() += 1;
        }
        classes
    }

    #[test]
    fn a_half_board_has_eight_classes_of_four() {
        let classes = classes(8, 4, &Reflection::ALL);
        assert_eq!(classes.len(), 8);
        assert!(classes.values().all(|&squares| squares == 4), "{classes:?}");
        assert!(classes.contains_key("a1") && classes.contains_key("d2"));
    }

    #[test]
    fn a_whole_board_has_two_equivalent_halves() {
        let classes = classes(9, 10, &[Reflection::LeftRight]);
        assert_eq!(classes.len(), 50);
        assert_eq!((classes["a1"], classes["e1"]), (2, 1));
    }

    #[test]
    fn the_second_seat_sees_the_board_from_its_end() {
        let size = BoardSize { files: 9, ranks: 10 };
        // Black's right cannon, b8, corresponds to red's on h3, which is equivalent to b3.
        let square = size.parse("b8").expect("a square of the board");
        let class = square_class(size, &[Reflection::LeftRight], square, 1);
        assert_eq!(size.name(class), "b3");
    }
}

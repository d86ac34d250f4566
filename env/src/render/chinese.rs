//! Moves in Chinese notation: 炮二平五, 马8进7.

use crate::board::{BoardSize, Move, Perspective, Square};
use crate::game::{BoardStyle, DrawnPiece, Glyph, Picture};

const RED: usize = 0;

/// The file and rank of a square as its mover counts them: files from 1 at its right, ranks from 0 at
/// its side.
#[derive(Clone, Copy)]
struct Place {
    file: usize,
    rank: usize,
}

/// The names of moves in the position of a picture. `None` where [`chinese`] has none, or gives two of the
/// legal moves one name, as it may for pieces that designers move along files and diagonals.
pub fn chinese_names(
    picture: &Picture,
    legal: &[Move],
    moves: &[Move],
    home: fn(Square) -> Option<Glyph>,
) -> Vec<Option<String>> {
    let names = |moves: &[Move]| -> Vec<_> {
        moves.iter().map(|&played| chinese(picture, played, home)).collect()
    };
    let known = names(legal);
    let is_one = |name: &String| known.iter().flatten().filter(|other| *other == name).count() < 2;
    names(moves).into_iter().map(|name| name.filter(is_one)).collect()
}

/// A move in the position of a picture, in the notation of Chinese books: the piece, its file, forward (进),
/// back (退) or sideways (平), and the steps or the file it goes to. Red counts in 一 to 九, black in 1 to 9.
/// A covered piece is 暗 with the piece by whose moves it goes, which `home` says by its square. Flips are 翻 and
/// a square.
///
/// `None` on boards on which two sides do not face each other, for a piece whose kind is not shown, and for
/// one of ten equal pieces that share files: books count to nine.
fn chinese(picture: &Picture, played: Move, home: fn(Square) -> Option<Glyph>) -> Option<String> {
    let (from, to) = match played {
        Move::Flip(square) => return Some(format!("翻{}", picture.size.name(square))),
        Move::Pass => return Some("停着".to_owned()),
        Move::Step { from, to } => (from, to),
    };
    let faces = matches!(picture.style, BoardStyle::Xiangqi | BoardStyle::Palaces);
    if !faces || picture.armies.len() != 2 {
        return None;
    }
    let sign = |square: Square, piece: &DrawnPiece| {
        if piece.covered { home(square) } else { piece.glyph }.map(|glyph| glyph.character)
    };
    let mover = picture.at(from)?;
    let army = usize::from(mover.army?);
    let character = sign(from, &mover)?;
    let place = |square| place(picture.size, army, square);
    let is_equal = |&square: &Square| {
        picture.pieces[square.index()].is_some_and(|piece| {
            (piece.army, piece.covered) == (mover.army, mover.covered)
                && sign(square, &piece) == Some(character)
        })
    };
    let equals: Vec<Place> = picture.size.all().filter(is_equal).map(place).collect();
    let piece =
        [if mover.covered { "暗" } else { "" }, &simplified(character).to_string()].concat();
    let (here, there) = (place(from), place(to));
    let subject = if equals.iter().filter(|equal| equal.file == here.file).count() < 2 {
        format!("{piece}{}", numeral(army, here.file)?)
    } else {
        format!("{}{piece}", order(&equals, here, army)?)
    };
    let (direction, number) = if there.rank == here.rank {
        ('平', there.file)
    } else {
        let steps = there.rank.abs_diff(here.rank);
        let number = if there.file == here.file { steps } else { there.file };
        (if there.rank > here.rank { '进' } else { '退' }, number)
    };
    Some(format!("{subject}{direction}{}", numeral(army, number)?))
}

fn place(size: BoardSize, army: usize, square: Square) -> Place {
    let side = if army == RED { Perspective::Upright } else { Perspective::Rotated };
    let seen = size.seen_from(square, side);
    Place { file: size.files - size.file(seen), rank: size.rank(seen) }
}

/// What tells a piece from its equals on its file: their order from the front. Where several files have
/// some, these are counted together, from the right.
fn order(equals: &[Place], piece: Place, army: usize) -> Option<char> {
    let on = |file| equals.iter().filter(|equal| equal.file == file).count();
    let mut shared: Vec<Place> =
        equals.iter().copied().filter(|equal| on(equal.file) > 1).collect();
    shared.sort_by_key(|equal| (equal.file, std::cmp::Reverse(equal.rank)));
    let index =
        shared.iter().position(|equal| (equal.file, equal.rank) == (piece.file, piece.rank))?;
    match (shared.len() - on(piece.file), shared.len(), index) {
        (0, _, 0) => Some('前'),
        (0, count, index) if index + 1 == count => Some('后'),
        (0, 3, _) => Some('中'),
        _ => numeral(army, index + 1),
    }
}

/// A number from 1 to 9.
fn numeral(army: usize, number: usize) -> Option<char> {
    let numerals = if army == RED { "一二三四五六七八九" } else { "123456789" };
    numerals.chars().nth(number - 1)
}

/// The character that books in simplified Chinese use for a piece.
fn simplified(character: char) -> char {
    match character {
        '帥' => '帅',
        '將' => '将',
        '傌' | '馬' => '马',
        '俥' | '車' => '车',
        '砲' => '炮',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{chinese, chinese_names};
    use crate::board::{BoardSize, Move, Piece};
    use crate::game::fen::read_board;
    use crate::game::{BoardStyle, DrawnPiece, Glyph, Options, Picture, RED_AND_BLACK};
    use crate::session::deal;

    const SIZE: BoardSize = BoardSize { files: 9, ranks: 10 };
    const START: &str = "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR";

    /// A board of face-up pieces.
    fn picture(board: &str) -> Picture {
        let mut picture = Picture::empty(SIZE, BoardStyle::Xiangqi, RED_AND_BLACK);
        read_board(SIZE, board, |square, symbol| {
            let piece = Piece::from_letter(symbol.letter).unwrap();
            let (army, glyph) = (Some(piece.colour.index() as u8), Some(piece.into()));
            picture.pieces[square.index()] = Some(DrawnPiece { army, glyph, covered: false });
            Ok(())
        })
        .unwrap();
        picture
    }

    fn step(name: &str) -> Move {
        let (from, rest) = SIZE.parse_prefix(name).unwrap();
        Move::Step { from, to: SIZE.parse(rest).unwrap() }
    }

    /// Moves after each other from a position, written.
    fn written(board: &str, moves: &[&str]) -> Vec<String> {
        let mut picture = picture(board);
        let play = |&name: &&str| {
            let played = step(name);
            let text = chinese(&picture, played, |_| None).unwrap();
            let Move::Step { from, to } = played else { unreachable!() };
            picture.pieces[to.index()] = picture.pieces[from.index()].take();
            text
        };
        moves.iter().map(play).collect()
    }

    #[test]
    fn openings_are_written_as_in_books() {
        let moves = ["h3e3", "h10g8", "h1g3", "i10h10", "i1h1", "h8h4", "h1h3", "c1a3"];
        let books = [
            "炮二平五",
            "马8进7",
            "马二进三",
            "车9平8",
            "车一平二",
            "炮8进4",
            "车二进二",
            "相七进九",
        ];
        assert_eq!(written(START, &moves), books);
        assert_eq!(
            written(START, &["b3b10", "a10a9", "b10b9"]),
            ["炮八进七", "车1进1", "炮八退一"]
        );
    }

    #[test]
    fn equal_pieces_on_a_file_are_told_by_their_order() {
        let two = "3k5/9/2R6/9/2R6/9/9/9/9/4K4";
        assert_eq!(written(two, &["c8c9", "d10d9", "c6b6"]), ["前车进一", "将4进1", "后车平八"]);
        let three = "3k5/9/2P6/2P6/2P6/9/9/9/9/4K4";
        for (name, text) in [("c8d8", "前兵平六"), ("c7d7", "中兵平六"), ("c6d6", "后兵平六")]
        {
            assert_eq!(written(three, &[name]), [text]);
        }
        let four = "3k5/2P6/2P6/2P6/2P6/9/9/9/9/4K4";
        assert_eq!(written(four, &["c8b8"]), ["二兵平八"]);
        // On several files they are counted from the mover's right, each file from the front.
        let files = "3k5/9/9/9/2p6/2p3p2/6p2/9/9/4K4";
        for (name, text) in [("c5b5", "1卒平2"), ("c6b6", "2卒平2"), ("g4f4", "3卒平6")] {
            assert_eq!(written(files, &[name]), [text]);
        }
    }

    #[test]
    fn the_tenth_of_equal_pieces_has_no_name() {
        // Each of five files has two.
        let picture = picture("3k5/P1P1P1P1P/P1P1P1P1P/9/9/9/9/9/9/4K4");
        let name = |played| chinese(&picture, step(played), |_| None);
        assert_eq!(name("a9b9").as_deref(), Some("九兵平八"));
        assert_eq!(name("a8b8"), None);
    }

    #[test]
    fn a_name_of_two_legal_moves_is_none() {
        let picture = picture("3k5/9/9/9/9/9/9/2R6/9/4K4");
        let legal = ["c3d4", "c3c9", "c3c4"].map(step);
        let names = |legal| chinese_names(&picture, legal, legal, |_| None);
        assert_eq!(names(&legal), [None, None, Some("车七进一".to_owned())]);
        assert_eq!(names(&legal[1..])[0].as_deref(), Some("车七进六"));
    }

    #[test]
    fn covered_pieces_are_named_by_the_piece_whose_moves_they_have() {
        let state = deal("jieqi", &Options::new(), 3).unwrap();
        let actions =
            ["b3e3", "b1c3", "e4e5", "e1e2"].map(|name| state.action_index(name).unwrap());
        let names: Vec<String> = state.chinese_names(&actions).into_iter().flatten().collect();
        assert_eq!(names, ["暗炮八平五", "暗马八进七", "暗兵五进一", "帅五进一"]);
    }

    #[test]
    fn a_covered_piece_is_no_equal_of_one_that_is_face_up() {
        let mut picture = picture("3k5/9/2R6/9/2R6/9/9/9/9/4K4");
        let (from, _) = SIZE.parse_prefix("c6").unwrap();
        picture.pieces[from.index()].as_mut().unwrap().covered = true;
        let home = |_| Some(Glyph { letter: 'R', character: '俥' });
        assert_eq!(chinese(&picture, step("c6b6"), home).unwrap(), "暗车七平八");
        assert_eq!(chinese(&picture, step("c8b8"), home).unwrap(), "车七平八");
        assert_eq!(chinese(&picture, step("c6b6"), |_| None), None);
    }

    #[test]
    fn boards_without_two_sides_have_none() {
        let names = |game: &str| {
            let state = deal(game, &Options::new(), 1).unwrap();
            let actions = state.legal_actions();
            let names = actions.iter().map(|&action| state.action_name(action));
            names.zip(state.chinese_names(actions)).collect::<Vec<_>>()
        };
        for (name, chinese) in names("gaiqi") {
            assert_eq!(chinese, Some(format!("翻{name}")));
        }
        assert!(names("seven_kingdoms").iter().all(|(_, chinese)| chinese.is_none()));
        assert!(names("flipping").iter().all(|(_, chinese)| chinese.is_some()));
    }
}

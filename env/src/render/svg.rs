//! Pictures as SVG: a wooden board with round discs, trays of captured pieces, the caption.
//!
//! A page may hold many of these drawings. SVGs in one page share ids, classes and style sheets, so
//! the drawings use none of these, and no gradients, which need ids.

use std::fmt::Display;

use crate::board::{BoardSize, Square};
use crate::game::{Army, BoardStyle, DrawnPiece, Lettering, Picture};

// Lengths in units of the drawing. Whole numbers keep the file short.

/// Side of a square; distance between neighbouring points.
const CELL: i32 = 64;
/// Radius of a disc.
const DISC: i32 = 28;
/// Width of the frame around the squares, which holds the labels.
const FRAME: i32 = 28;
/// Space around the board, and between board and trays.
const GAP: i32 = 14;
/// Side of the cell of a captured piece, which is drawn at half size.
const CAPTURED: i32 = CELL / 2;
/// Height of the caption's line.
const CAPTION: i32 = 32;
/// Radius of the badge with an army's letter, its place on a disc, and the size of the letter.
const BADGE: i32 = 12;
const BADGE_AT: (i32, i32) = (20, 18);
const BADGE_SIZE: i32 = 20;
/// Distance of the marks of a point from its lines, and their length.
const MARK: (i32, i32) = (5, 8);
/// Radius of the dots on a go board.
const DOT: i32 = 5;
/// Distance of the border line from the outermost lines.
const EDGE: i32 = 5;
/// Number of files and of ranks of a palace.
const PALACE: usize = 3;

const RIVER_SIZE: i32 = 30;
const LABEL_SIZE: i32 = 15;
const CAPTION_SIZE: i32 = 17;

const PAPER: &str = "#f6efe0";
const BOARD: &str = "#e2b56f";
const BOARD_EDGE: &str = "#8f6230";
const LINE: &str = "#5b3a17";
const TRAY: &str = "#e9d8b4";
const TEXT: &str = "#4a3520";
const SHADOW: &str = "#3a2409";
const WOOD_SIDE: &str = "#a9752f";
const CHECK: &str = "#d4380d";
const CHANGED: &str = "#f3d27a";
/// Ink and wood of pieces whose army is not known.
const NO_ARMY: (&str, &str) = ("#7d5326", "#fbe7bd");

/// The look of the upper side of a disc.
struct Style {
    /// Colour in place of the army's.
    wood: Option<&'static str>,
    /// Radius of the ring in the army's colour.
    rim: i32,
    rim_width: i32,
    /// Opacity of the character.
    opacity: &'static str,
    character_size: i32,
}

const REVEALED: Style =
    Style { wood: None, rim: DISC - 4, rim_width: 2, opacity: "1", character_size: 36 };

/// A darker back with a broad rim, which shows the army without a character.
const COVERED: Style = Style {
    wood: Some("#cf9f60"),
    rim: DISC - 5,
    rim_width: 6,
    opacity: ".65",
    character_size: 29,
};

/// Brush-like fonts first, then any font with the characters.
const CHARACTER_FONTS: &str = "Kaiti TC, BiauKai, DFKai-SB, KaiTi, STKaiti, AR PL UKai TW, \
                               Noto Serif CJK TC, Songti TC, PMingLiU, serif";
const LETTER_FONTS: &str = "Georgia, DejaVu Serif, serif";

/// Marked points of red's half of a xiangqi board, as (file, rank): those of cannons and soldiers.
const MARKED: [(usize, usize); 7] = [(1, 2), (7, 2), (0, 3), (2, 3), (4, 3), (6, 3), (8, 3)];

/// The characters in the river, each right of its file.
const RIVER: [(usize, char); 4] = [(1, '楚'), (2, '河'), (5, '漢'), (6, '界')];

/// A complete SVG document that needs no other file.
///
/// A covered piece is a blank disc with a rim in the colour of its army if that is known. If the
/// picture holds its identity, the character is faint. The size does not change during a game.
pub fn svg(picture: &Picture) -> String {
    marked_svg(picture, &[])
}

/// The picture as [`svg`] draws it, with the marked squares coloured.
pub fn marked_svg(picture: &Picture, marked: &[Square]) -> String {
    let geometry = Geometry::new(picture);
    let (width, height) = (geometry.width(), geometry.height());
    let caption = escape(&picture.caption());
    let caption_at = (width / 2, height - CAPTION / 2 - GAP / 2);
    let parts = [
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\" text-anchor=\"middle\" \
             font-family=\"{LETTER_FONTS}\">"
        ),
        format!("<title>{caption}</title>"),
        format!("<rect width=\"{width}\" height=\"{height}\" fill=\"{PAPER}\"/>"),
        board_frame(&geometry) + &marks_of_squares(&geometry, picture, marked),
        board_lines(&geometry, picture.style),
        format!("<g fill=\"{TEXT}\">"),
        labels(&geometry, picture),
        text(&caption, caption_at, CAPTION_SIZE),
        "</g>".to_owned(),
        trays(&geometry),
        format!("<g font-family=\"{CHARACTER_FONTS}\" xml:lang=\"zh-Hant\">"),
        pieces(&geometry, picture),
        "</g>".to_owned() + &checks(&geometry, picture),
        "</svg>".to_owned(),
    ];
    parts.join("\n")
}

/// The square under a point of the drawing of [`svg`], in its units from its upper left corner.
pub fn square_at(picture: &Picture, (x, y): (f64, f64)) -> Option<Square> {
    let size = picture.size;
    let cell = |at: f64, edge| ((at - f64::from(edge + FRAME)) / f64::from(CELL)).floor();
    let (column, row) = (cell(x, GAP), cell(y, Geometry::new(picture).board_top()));
    let is_on_board =
        (0.0..size.files as f64).contains(&column) && (0.0..size.ranks as f64).contains(&row);
    is_on_board.then(|| picture.drawn_at(column as usize, size.ranks - 1 - row as usize))
}

/// The positions of the parts of the drawing.
struct Geometry {
    size: BoardSize,
    /// Number of rows of each of the two trays of captured pieces, if there are any.
    tray_rows: Option<i32>,
}

impl Geometry {
    fn new(picture: &Picture) -> Self {
        // Room for every piece, so that the drawing does not grow during a game.
        let tray_rows = picture.captured.as_ref().map(|captured| {
            let pieces = picture.pieces.iter().flatten().count() + captured.len();
            pieces.div_ceil(2 * Self::captured_per_row(picture.size)) as i32
        });
        Self { size: picture.size, tray_rows }
    }

    const fn captured_per_row(size: BoardSize) -> usize {
        size.files * (CELL / CAPTURED) as usize
    }

    fn board_width(&self) -> i32 {
        self.size.files as i32 * CELL + 2 * FRAME
    }

    fn board_height(&self) -> i32 {
        self.size.ranks as i32 * CELL + 2 * FRAME
    }

    /// The upper edges of the trays: that of the far side, and that of the near side.
    fn tray_tops(&self) -> [i32; 2] {
        [GAP, self.board_top() + self.board_height() + GAP]
    }

    fn tray_height(&self) -> i32 {
        self.tray_rows.map_or(0, |rows| rows * CAPTURED + GAP)
    }

    fn board_top(&self) -> i32 {
        GAP + self.tray_rows.map_or(0, |_| self.tray_height() + GAP)
    }

    fn width(&self) -> i32 {
        self.board_width() + 2 * GAP
    }

    fn height(&self) -> i32 {
        self.tray_tops()[1] + self.tray_height() + CAPTION + GAP
    }

    /// The centre of a square in a picture.
    fn drawn_at(&self, square: Square, picture: &Picture) -> (i32, i32) {
        self.centre(self.size.seen_from(square, picture.perspective))
    }

    /// The centre of a square of an upright board.
    fn centre(&self, square: Square) -> (i32, i32) {
        let (file, rank) = (self.size.file(square), self.size.rank(square));
        let column = file as i32;
        let row = (self.size.ranks - 1 - rank) as i32;
        let corner = FRAME + CELL / 2;
        (GAP + corner + column * CELL, self.board_top() + corner + row * CELL)
    }

    /// The centre of the cell of the captured piece with this number in a tray.
    fn captured(&self, tray: usize, number: usize) -> (i32, i32) {
        let per_row = Self::captured_per_row(self.size);
        let (row, column) = ((number / per_row) as i32, (number % per_row) as i32);
        (
            GAP + FRAME + CAPTURED / 2 + column * CAPTURED,
            self.tray_tops()[tray] + GAP / 2 + CAPTURED / 2 + row * CAPTURED,
        )
    }
}

fn board_frame(geometry: &Geometry) -> String {
    let (width, height) = (geometry.board_width(), geometry.board_height());
    let top = geometry.board_top();
    format!(
        "<rect x=\"{GAP}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" rx=\"8\" \
         fill=\"{BOARD}\" stroke=\"{BOARD_EDGE}\" stroke-width=\"4\"/>"
    )
}

fn marks_of_squares(geometry: &Geometry, picture: &Picture, marked: &[Square]) -> String {
    let mark = |&square: &Square| {
        let (x, y) = geometry.drawn_at(square, picture);
        let (x, y) = (x - CELL / 2, y - CELL / 2);
        format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" rx=\"10\" \
             fill=\"{CHANGED}\"/>"
        )
    };
    marked.iter().map(mark).collect()
}

/// The lines of the board with a frame around them.
fn board_lines(geometry: &Geometry, style: BoardStyle) -> String {
    let size = geometry.size;
    // Distance from the centre of the outermost square to the outermost line.
    let (reach, lines, decoration) = match style {
        BoardStyle::Squares => (CELL / 2, square_lines(geometry), String::new()),
        BoardStyle::Xiangqi => (
            0,
            point_lines(geometry, true) + &palaces(geometry) + &marks(geometry),
            river(geometry),
        ),
        BoardStyle::Palaces => {
            (0, point_lines(geometry, false) + &palaces(geometry), String::new())
        }
        BoardStyle::Go => (0, point_lines(geometry, false), dots(geometry)),
    };
    let (left, top) = geometry.centre(size.at(0, size.ranks - 1));
    let (right, bottom) = geometry.centre(size.at(size.files - 1, 0));
    let out = reach + EDGE;
    let (x, y) = (left - out, top - out);
    let (width, height) = (right - left + 2 * out, bottom - top + 2 * out);
    format!(
        "<g fill=\"none\" stroke=\"{LINE}\">\n\
         <rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" stroke-width=\"3\"/>\n\
         <path d=\"{lines}\" stroke-width=\"1.5\"/>\n\
         </g>{decoration}"
    )
}

fn square_lines(geometry: &Geometry) -> String {
    let size = geometry.size;
    let (left, top) = geometry.centre(size.at(0, size.ranks - 1));
    let (left, top) = (left - CELL / 2, top - CELL / 2);
    let (files, ranks) = (size.files as i32, size.ranks as i32);
    let (right, bottom) = (left + files * CELL, top + ranks * CELL);
    let columns = (0..=files).map(|file| left + file * CELL);
    let rows = (0..=ranks).map(|rank| top + rank * CELL);
    columns
        .map(|x| line((x, top), (x, bottom)))
        .chain(rows.map(|y| line((left, y), (right, y))))
        .collect()
}

/// A dot on every sixth point both ways, as on a go board.
fn dots(geometry: &Geometry) -> String {
    let size = geometry.size;
    let is_marked = |&square: &Square| size.file(square) % 6 == 3 && size.rank(square) % 6 == 3;
    let dot = |square| {
        let (x, y) = geometry.centre(square);
        format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{DOT}\"/>")
    };
    let dots: String = size.all().filter(is_marked).map(dot).collect();
    format!("\n<g fill=\"{LINE}\">{dots}</g>")
}

/// Lines through all points; the inner files stop at a river.
fn point_lines(geometry: &Geometry, has_river: bool) -> String {
    let BoardSize { files, ranks } = geometry.size;
    let point = |file, rank| geometry.centre(geometry.size.at(file, rank));
    let black_bank = ranks / 2;
    let rows = (0..ranks).map(|rank| line(point(0, rank), point(files - 1, rank)));
    let columns = (0..files).map(|file| {
        if !has_river || file == 0 || file == files - 1 {
            line(point(file, 0), point(file, ranks - 1))
        } else {
            line(point(file, 0), point(file, black_bank - 1))
                + &line(point(file, black_bank), point(file, ranks - 1))
        }
    });
    rows.chain(columns).collect()
}

/// The diagonals of both palaces.
fn palaces(geometry: &Geometry) -> String {
    let BoardSize { files, ranks } = geometry.size;
    let point = |file, rank| geometry.centre(geometry.size.at(file, rank));
    let left = (files - PALACE) / 2;
    let right = left + PALACE - 1;
    let diagonals = |bottom| {
        let top = bottom + PALACE - 1;
        line(point(left, bottom), point(right, top)) + &line(point(left, top), point(right, bottom))
    };
    [0, ranks - PALACE].map(diagonals).concat()
}

/// Four corners around each marked point, except those outside the board.
fn marks(geometry: &Geometry) -> String {
    let size = geometry.size;
    let mut lines = String::new();
    for (file, rank) in MARKED {
        let point = size.at(file, rank);
        for square in [point, size.rotated(point)] {
            let (x, y) = geometry.centre(square);
            for (right, up) in [(-1, -1), (-1, 1), (1, -1), (1, 1)] {
                if size.offset(square, (right, up)).is_none() {
                    continue;
                }
                let (start, end) = (MARK.0, MARK.0 + MARK.1);
                let corner = (x + right * start, y - up * start);
                lines += &line((x + right * end, corner.1), corner);
                lines += &line(corner, (corner.0, y - up * end));
            }
        }
    }
    lines
}

fn river(geometry: &Geometry) -> String {
    let red_bank = geometry.size.ranks / 2 - 1;
    let characters = RIVER.map(|(file, character)| {
        let (x, y) = geometry.centre(geometry.size.at(file, red_bank));
        text(character, (x + CELL / 2, y - CELL / 2), RIVER_SIZE)
    });
    format!(
        "\n<g font-family=\"{CHARACTER_FONTS}\" xml:lang=\"zh-Hant\" fill=\"{LINE}\">{}</g>",
        characters.concat()
    )
}

fn labels(geometry: &Geometry, picture: &Picture) -> String {
    let size = geometry.size;
    let bottom = geometry.board_top() + geometry.board_height() - FRAME / 2;
    let files = (0..size.files).map(|file| {
        let (x, _) = geometry.centre(size.at(file, 0));
        text(size.file_letter(picture.drawn_at(file, 0)), (x, bottom), LABEL_SIZE)
    });
    let ranks = (0..size.ranks).map(|rank| {
        let (_, y) = geometry.centre(size.at(0, rank));
        text(size.rank(picture.drawn_at(0, rank)) + 1, (GAP + FRAME / 2, y), LABEL_SIZE)
    });
    files.chain(ranks).collect()
}

/// The trays of captured pieces, if there are any.
fn trays(geometry: &Geometry) -> String {
    if geometry.tray_rows.is_none() {
        return String::new();
    }
    let (width, height) = (geometry.board_width(), geometry.tray_height());
    let tray = |y| {
        format!(
            "<rect x=\"{GAP}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"8\" \
             fill=\"{TRAY}\"/>"
        )
    };
    geometry.tray_tops().map(tray).concat()
}

/// The captured pieces in the trays of the far and of the near side: what has been taken from an army
/// lies before the others.
fn taken(picture: &Picture) -> [Vec<DrawnPiece>; 2] {
    let mut trays = [Vec::new(), Vec::new()];
    for army in 0..picture.armies.len() {
        // Before seats have armies nothing is taken.
        let is_near = picture.owners[army].unwrap_or(army) == picture.near;
        trays[usize::from(!is_near)].extend(picture.taken_from(army));
    }
    trays
}

fn pieces(geometry: &Geometry, picture: &Picture) -> String {
    let standing = geometry.size.all().zip(&picture.pieces).filter_map(|(square, disc)| {
        let (x, y) = geometry.drawn_at(square, picture);
        disc.map(|disc| (format!("translate({x} {y})"), disc))
    });
    let trays = taken(picture).into_iter().enumerate().flat_map(|(tray, discs)| {
        discs.into_iter().enumerate().map(move |(number, disc)| {
            let (x, y) = geometry.captured(tray, number);
            (format!("translate({x} {y}) scale(.5)"), disc)
        })
    });
    let place = |(transform, disc)| {
        let piece = piece(disc, picture.armies);
        format!("\n<g transform=\"{transform}\">{piece}</g>")
    };
    standing.chain(trays).map(place).collect()
}

/// A ring around each general in check.
fn checks(geometry: &Geometry, picture: &Picture) -> String {
    let ring = |&square: &Square| {
        let (x, y) = geometry.drawn_at(square, picture);
        format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{DISC}\" fill=\"none\" stroke=\"{CHECK}\" \
             stroke-width=\"5\" stroke-dasharray=\"9 4\"/>"
        )
    };
    picture.checked.iter().map(ring).collect()
}

/// A piece as a disc around the origin.
fn piece(disc: DrawnPiece, armies: &[Army]) -> String {
    let style = if disc.covered { &COVERED } else { &REVEALED };
    let Style { wood, rim, rim_width, opacity, character_size } = style;
    let army = disc.army.map(|army| &armies[usize::from(army)]);
    let (ink, army_wood) = army.map_or(NO_ARMY, |army| (army.ink, army.wood));
    let wood = wood.unwrap_or(army_wood);
    let character = disc.glyph.map_or(String::new(), |glyph| {
        let character = text(escape(&glyph.character.to_string()), (0, -1), *character_size);
        format!("<g fill=\"{ink}\" opacity=\"{opacity}\">{character}</g>")
    });
    // Of many armies, not all differ by their colours for everybody.
    let letter = army.filter(|army| army.lettering == Lettering::Prefixed).map(|army| {
        let (x, y) = BADGE_AT;
        let letter = text(army.letter.to_ascii_uppercase(), BADGE_AT, BADGE_SIZE);
        format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{BADGE}\" fill=\"{ink}\"/>\
             <g fill=\"{army_wood}\">{letter}</g>"
        )
    });
    let letter = letter.unwrap_or_default();
    format!(
        "<circle cx=\"2\" cy=\"4\" r=\"{DISC}\" fill=\"{SHADOW}\" opacity=\".3\"/>\
         <circle cy=\"2\" r=\"{DISC}\" fill=\"{WOOD_SIDE}\"/>\
         <circle cy=\"-1\" r=\"{DISC}\" fill=\"{wood}\" stroke=\"{WOOD_SIDE}\"/>\
         <circle cy=\"-1\" r=\"{rim}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"{rim_width}\"/>\
         {character}{letter}"
    )
}

/// A line as path data.
fn line(from: (i32, i32), to: (i32, i32)) -> String {
    format!("M{} {}L{} {}", from.0, from.1, to.0, to.1)
}

/// Text centred at `(x, y)`. It must be escaped already.
fn text(text: impl Display, (x, y): (i32, i32), size: i32) -> String {
    // Renderers disagree on `dominant-baseline`, so the baseline is computed. For capitals, digits
    // and Chinese characters it lies about 0.36 of the size below the centre.
    let baseline = y + size * 36 / 100;
    format!("<text x=\"{x}\" y=\"{baseline}\" font-size=\"{size}\">{text}</text>")
}

/// Text as XML content.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{Geometry, TRAY, square_at, svg};
    use crate::game::{Options, Viewer};
    use crate::session;

    /// The first line holds the size.
    fn size(drawn: &str) -> &str {
        drawn.lines().next().unwrap()
    }

    #[test]
    fn covered_pieces_have_characters_only_in_the_full_picture() {
        let game = session::deal("gaiqi", &Options::new(), 7).unwrap();
        let characters = |drawn: &str| drawn.chars().filter(|&c| c >= '\u{4e00}').count();
        assert_eq!(characters(&svg(&game.picture(None))), 32);
        assert_eq!(characters(&svg(&game.picture(Some(Viewer::Public)))), 0);
    }

    #[test]
    fn captures_do_not_change_the_size() {
        let mut game = session::deal("gaiqi", &Options::new(), 7).unwrap();
        let start = svg(&game.picture(None));
        for _ in 0..60 {
            let Some(&action) = game.legal_actions().first() else { break };
            game.apply(action).unwrap();
        }
        let picture = game.picture(None);
        assert!(picture.captured.as_ref().is_some_and(|captured| !captured.is_empty()));
        assert_eq!(size(&svg(&picture)), size(&start));
    }

    #[test]
    fn a_point_is_of_the_square_that_is_drawn_around_it() {
        for (game, viewer) in [("jieqi", 0), ("jieqi", 1), ("flipping", 1), ("seven_kingdoms", 3)] {
            let state = session::deal(game, &Options::new(), 7).unwrap();
            let picture = state.picture(Some(Viewer::Player(viewer)));
            let geometry = Geometry::new(&picture);
            for square in picture.size.all() {
                let (x, y) = geometry.drawn_at(square, &picture);
                for (right, down) in [(0, 0), (31, -31), (-31, 31)] {
                    let point = (f64::from(x + right), f64::from(y + down));
                    assert_eq!(square_at(&picture, point), Some(square), "{game}, seat {viewer}");
                }
            }
            let (width, height) = (f64::from(geometry.width()), f64::from(geometry.height()));
            let outside = [(0.0, 0.0), (width, height), (width / 2.0, -1.0), (f64::NAN, 100.0)];
            for point in outside {
                assert_eq!(square_at(&picture, point), None, "{game}: {point:?}");
            }
        }
    }

    #[test]
    fn every_army_has_its_colours() {
        let picture = session::deal("seven_kingdoms", &Options::new(), 7).unwrap().picture(None);
        let drawn = svg(&picture);
        for army in picture.armies {
            assert!(drawn.contains(army.ink) && drawn.contains(army.wood), "{army:?}");
        }
        assert!(!drawn.contains(TRAY), "the captured pieces are not listed");
    }

    #[test]
    fn captured_pieces_lie_beside_the_seat_that_took_them() {
        let fen = "8/8/~k~p6/RR4KC 1 b HH 3 31";
        let game = session::from_fen("banqi", &Options::new(), fen).unwrap();
        // Seat 0 is black, and has lost nothing.
        let height = |viewer| {
            let picture = game.picture(viewer);
            let [far, near] = super::taken(&picture);
            (far.len(), near.len())
        };
        assert_eq!(height(None), (0, 2), "{fen}");
        assert_eq!(height(Some(Viewer::Player(1))), (2, 0));
    }

    #[test]
    fn many_armies_have_letters() {
        let letters = |game| {
            let drawn = svg(&session::deal(game, &Options::new(), 7).unwrap().picture(None));
            drawn.matches(&format!("font-size=\"{}\">W</text>", super::BADGE_SIZE)).count()
        };
        assert_eq!((letters("seven_kingdoms"), letters("jieqi")), (17, 0));
    }

    #[test]
    fn text_is_escaped() {
        let mut picture = session::deal("jieqi", &Options::new(), 7).unwrap().picture(None);
        picture.standing = "<b> & </b>".to_owned();
        picture.details.clear();
        let drawn = svg(&picture);
        assert!(drawn.contains("<title>&lt;b&gt; &amp; &lt;/b&gt;</title>"));
        assert!(!drawn.contains("<b>"));
    }
}

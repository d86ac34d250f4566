//! Pictures in ASCII, for terminals and doc tests.

use crate::board::Square;
use crate::game::{Army, DrawnPiece, Picture};

/// Number of captured pieces per line: names of two letters fit in 80 columns.
const CAPTURED_PER_LINE: usize = 20;

/// The board from its far rank down, the captured pieces of each army in the order of capture if the
/// picture lists them, and the caption, without a newline at the end. Pieces are written as in FEN
/// (DESIGN.md section 4), empty squares as `.`. Columns are as wide as the longest name on the
/// board.
///
/// ```
/// use darkqi_env::{Options, Viewer, from_fen, render};
///
/// let fen = "3p2~hA/pH~p1Rr2/Pa~K~eEhcc/RP~e~A~PE~Pp 2 b HCrPCpak 0 29 -";
/// let game = from_fen("gaiqi", &Options::new(), fen)?;
/// assert_eq!(
///     render::text(&game.picture(Some(Viewer::Player(0)))),
///     "\
/// 4  . . . p . . ? A
/// 3  p H ? . R r . .
/// 2  P a ? ? E h c c
/// 1  R P ? ? ? E ? p
///
///    a b c d e f g h
///
/// taken from red: H C P C
/// taken from black: r p a k
/// Red (seat 1) won: own general captured, ply 29, 0 quiet"
/// );
/// # Ok::<(), darkqi_env::SetupError>(())
/// ```
pub fn text(picture: &Picture) -> String {
    marked_text(picture, &[])
}

/// The picture as [`text`] writes it, with brackets around what stands on the marked squares.
/// Neighbours share a bracket: `[.|P]`.
///
/// ```
/// use darkqi_env::{Options, Viewer, from_fen, render};
///
/// let mut game = from_fen("banqi", &Options::new(), "8/8/~k~p6/RR4KC 1 r - 0 0")?;
/// let viewer = Some(Viewer::Public);
/// let before = game.picture(viewer);
/// let action = game.action_index("g1f1")?;
/// game.apply(action)?;
/// let after = game.picture(viewer);
/// let text = render::marked_text(&after, &after.changed_since(&before));
/// assert!(text.contains("\n1  R R . . .[K|.]C\n"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn marked_text(picture: &Picture, marked: &[Square]) -> String {
    drawn(picture, marked, |_, name| name)
}

/// The marked picture for a terminal, with the pieces of armies in their colours. Without the colours it
/// is that of [`marked_text`].
pub fn coloured_text(picture: &Picture, marked: &[Square]) -> String {
    drawn(picture, marked, |disc, name| match disc.army {
        Some(army) => format!("\x1b[{}m{name}\x1b[0m", picture.armies[usize::from(army)].sgr),
        None => name,
    })
}

fn drawn(
    picture: &Picture,
    marked: &[Square],
    paint: impl Fn(&DrawnPiece, String) -> String,
) -> String {
    let size = picture.size;
    let name = |disc: &DrawnPiece| name(disc, picture.armies);
    let cell_width =
        picture.pieces.iter().flatten().map(name).map(|name| name.len()).max().unwrap_or(1);
    let label_width = size.ranks.to_string().len();
    let row = |label: String, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!(" {cell:>cell_width$}")).collect();
        format!("{label:>label_width$} {cells}")
    };
    let cell = |square: Square| match &picture.pieces[square.index()] {
        Some(disc) => name(disc),
        None => ".".to_owned(),
    };

    let mut lines = Vec::new();
    for rank in (0..size.ranks).rev() {
        let squares = || (0..size.files).map(|file| picture.drawn_at(file, rank));
        let number = size.rank(picture.drawn_at(0, rank)) + 1;
        let line = row(number.to_string(), squares().map(cell).collect());
        let marks = squares().enumerate().filter(|(_, square)| marked.contains(square));
        // A cell ends where the next one begins, with a space.
        let ends = marks.map(|(file, square)| {
            let end = label_width + 1 + (file + 1) * (1 + cell_width);
            (end - cell(square).len(), end)
        });
        let mut line = bracketed(line, ends);
        // From the right, so that what is left of a piece stays where it is.
        for (file, square) in squares().enumerate().collect::<Vec<_>>().into_iter().rev() {
            if let Some(disc) = &picture.pieces[square.index()] {
                let (end, name) = (label_width + 1 + (file + 1) * (1 + cell_width), name(disc));
                line.replace_range(end - name.len()..end, &paint(disc, name));
            }
        }
        lines.push(line);
    }
    lines.push(String::new());
    let letters = (0..size.files).map(|file| size.file_letter(picture.drawn_at(file, 0)));
    lines.push(row(String::new(), letters.map(String::from).collect()));
    lines.push(String::new());
    if picture.captured.is_some() {
        for (number, army) in picture.armies.iter().enumerate() {
            let names = picture.taken_from(number).map(|disc| paint(&disc, name(&disc)));
            let names: Vec<_> = names.collect();
            lines.extend(captured(&format!("taken from {}: ", army.name), &names));
        }
    }
    lines.push(picture.caption());
    lines.join("\n")
}

/// A line of ASCII with brackets around parts of it that have no brackets yet. There is a space before
/// each part, and after it unless it ends the line.
fn bracketed(line: String, parts: impl Iterator<Item = (usize, usize)>) -> String {
    let mut characters: Vec<char> = line.chars().collect();
    for (start, end) in parts {
        let before = &mut characters[start - 1];
        *before = if *before == ']' { '|' } else { '[' };
        match characters.get_mut(end) {
            Some(after) => *after = ']',
            None => characters.push(']'),
        }
    }
    characters.into_iter().collect()
}

/// A piece as in FEN.
fn name(disc: &DrawnPiece, armies: &[Army]) -> String {
    let army = disc.army.map(|army| &armies[usize::from(army)]);
    let name = |kind| army.map_or_else(|| String::from(kind), |army| army.piece_name(kind));
    match disc.glyph {
        Some(glyph) => format!("{}{}", if disc.covered { "~" } else { "" }, name(glyph.letter)),
        None if army.is_some() => name('X'),
        None => "?".to_owned(),
    }
}

/// Captured pieces after a title. Further lines are indented by its length.
fn captured(title: &str, names: &[String]) -> Vec<String> {
    if names.is_empty() {
        return vec![format!("{title}-")];
    }
    let mut lines: Vec<_> = names
        .chunks(CAPTURED_PER_LINE)
        .map(|line| " ".repeat(title.len()) + &line.join(" "))
        .collect();
    lines[0].replace_range(..title.len(), title);
    lines
}

#[cfg(test)]
mod tests {
    use super::{coloured_text, marked_text, text};
    use crate::game::{Options, Viewer, texts};
    use crate::session;

    const JIEQI: &str = "~h~p2k~a2~c/1p2pch2/6a2/2~r3C1~e/9/2P3P1H/~E1e1~P1C2/1r3A1PP/E2K5/2R2~H~A2 \
                         w ~R~p~p 9 40";

    fn render(game: &str, fen: &str, viewer: Option<Viewer>) -> String {
        text(&session::from_fen(game, &Options::new(), fen).unwrap().picture(viewer))
    }

    #[test]
    fn the_full_position_takes_wide_columns() {
        let expected = "\
10  ~h ~p  .  .  k ~a  .  . ~c
 9   .  p  .  .  p  c  h  .  .
 8   .  .  .  .  .  .  a  .  .
 7   .  . ~r  .  .  .  C  . ~e
 6   .  .  .  .  .  .  .  .  .
 5   .  .  P  .  .  .  P  .  H
 4  ~E  .  e  . ~P  .  C  .  .
 3   .  r  .  .  .  A  .  P  P
 2   E  .  .  K  .  .  .  .  .
 1   .  .  R  .  . ~H ~A  .  .

     a  b  c  d  e  f  g  h  i

taken from red: ~R
taken from black: ~p ~p
Red to move, ply 40, 9 quiet";
        assert_eq!(render("jieqi", JIEQI, None), expected);
    }

    #[test]
    fn a_player_sees_its_captures() {
        let expected = "\
10  x x . . k x . . x
 9  . p . . p c h . .
 8  . . . . . . a . .
 7  . . x . . . C . x
 6  . . . . . . . . .
 5  . . P . . . P . H
 4  X . e . X . C . .
 3  . r . . . A . P P
 2  E . . K . . . . .
 1  . . R . . X X . .

    a b c d e f g h i

taken from red: X
taken from black: ~p ~p
Red to move, ply 40, 9 quiet";
        assert_eq!(render("jieqi", JIEQI, Some(Viewer::Player(0))), expected);
    }

    #[test]
    fn marks_take_the_place_of_spaces() {
        let game = session::from_fen("jieqi", &Options::new(), JIEQI).unwrap();
        let full = game.picture(None);
        let (at, size) = (|file, rank| full.size.at(file, rank), full.size);
        let marked = [at(0, 9), at(1, 9), at(2, 9), at(4, 9), at(8, 9), at(8, 0)];
        let drawn = marked_text(&full, &marked);
        let lines: Vec<_> = drawn.lines().collect();
        assert_eq!(lines[0], "10 [~h|~p][.] . [k]~a  .  .[~c]");
        assert_eq!(lines[9], " 1   .  .  R  .  . ~H ~A  . [.]");
        let bare = drawn.replace(['[', '|'], " ").replace("] ", "  ").replace("]\n", "\n");
        assert_eq!(bare.replace(']', " "), text(&full));
        let every: Vec<_> = size.all().collect();
        assert!(marked_text(&full, &every).lines().take(10).all(|line| line.ends_with(']')));
    }

    #[test]
    fn colours_change_nothing_else() {
        let game = session::from_fen("jieqi", &Options::new(), JIEQI).unwrap();
        let full = game.picture(None);
        let marked = [full.size.at(0, 9), full.size.at(8, 0)];
        let coloured = coloured_text(&full, &marked);
        assert!(coloured.contains("[\x1b[1m~h\x1b[0m]"), "{coloured}");
        assert!(coloured.contains("taken from red: \x1b[31m~R\x1b[0m"), "{coloured}");
        let codes = ["\x1b[1m", "\x1b[31m", "\x1b[0m"];
        let plain = codes.into_iter().fold(coloured, |text, code| text.replace(code, ""));
        assert_eq!(plain, marked_text(&full, &marked));
    }

    #[test]
    fn armies_are_told_apart_as_in_notation() {
        let board = "18rQ/19/19/19/19/19/19/19/19/9*9/19/19/19/19/19/19/19/19/wQ18";
        let seats = texts(&[("seats", "01-----")]);
        let game = session::from_fen("seven_kingdoms", &seats, &format!("{board} w - wr3 2 9"));
        let drawn = text(&game.unwrap().picture(None));
        let lines: Vec<_> = drawn.lines().collect();
        assert!(lines[0].starts_with("19   .  .") && lines[0].ends_with("  . rQ"), "{drawn}");
        assert!(lines[9].contains("  .  *  .") && lines[18].starts_with(" 1  wQ  ."), "{drawn}");
        // Positions of this game do not list the captured pieces.
        let caption = "Qin (w), seat 0, to move, ply 9, 2 quiet; captures w3";
        assert_eq!(lines[21..], ["", caption]);
    }

    #[test]
    fn many_captured_pieces_take_several_lines() {
        let mut picture = session::from_fen("jieqi", &Options::new(), JIEQI).unwrap().picture(None);
        picture.captured = picture.captured.map(|pieces| pieces.repeat(11));
        let drawn = text(&picture);
        let lines: Vec<_> = drawn.lines().rev().skip(1).take(2).collect();
        assert_eq!(lines[0], "                  ~p ~p");
        assert_eq!(lines[1].len(), "taken from black:".len() + 20 * " ~p".len());
        picture.captured = Some(Vec::new());
        assert!(text(&picture).contains("\ntaken from red: -\ntaken from black: -\n"));
        picture.captured = None;
        assert!(!text(&picture).contains("taken"));
    }
}

//! Texts of drawings as outlines of the font that comes with the program.

use std::fmt::Write;
use std::sync::LazyLock;

use ttf_parser::{Face, OutlineBuilder};

/// The characters of the boards and ASCII, of Noto Serif CJK TC Bold. `python/docs/font.py` makes it.
const FONT: &[u8] = include_bytes!("../font/board.otf");

static FACE: LazyLock<Face<'static>> =
    LazyLock::new(|| Face::parse(FONT, 0).expect("the font is OpenType"));

/// An SVG of [`darkqi_env::render::svg`] with a path in place of each text. Characters that the font
/// lacks are left out.
///
/// # Panics
/// If it is not such an SVG.
pub(super) fn outlined(svg: &str) -> String {
    let mut parts = svg.split("<text ");
    let mut drawn = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (element, rest) = part.split_once("</text>").expect("texts end");
        let (attributes, text) = element.split_once('>').expect("tags end");
        let [x, y, size] = ["x", "y", "font-size"].map(|name| number(attributes, name));
        drawn += &outline(&unescaped(text), (x, y), size);
        drawn += rest;
    }
    drawn
}

/// A text as a path, centred at `x` with its baseline at `y`, as SVG's `text-anchor="middle"` has it.
fn outline(text: &str, (x, y): (f32, f32), size: f32) -> String {
    let scale = size / f32::from(FACE.units_per_em());
    let mut path = Path::default();
    for glyph in text.chars().filter_map(|character| FACE.glyph_index(character)) {
        // A space has no outline.
        let _ = FACE.outline_glyph(glyph, &mut path);
        path.right += f32::from(FACE.glyph_hor_advance(glyph).unwrap_or_default());
    }
    let left = x - path.right * scale / 2.0;
    // In fonts y grows upwards.
    format!(
        "<path transform=\"translate({left} {y}) scale({scale} -{scale})\" d=\"{}\"/>",
        path.data
    )
}

/// SVG path data of glyphs that follow one another, in units of the font.
#[derive(Default)]
struct Path {
    data: String,
    /// Where the next glyph begins.
    right: f32,
}

impl Path {
    /// Adds a command with its points.
    fn add<const N: usize>(&mut self, command: char, points: [(f32, f32); N]) {
        self.data.push(command);
        for (x, y) in points {
            let _ = write!(self.data, "{} {y} ", x + self.right);
        }
    }
}

impl OutlineBuilder for Path {
    fn move_to(&mut self, x: f32, y: f32) {
        self.add('M', [(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.add('L', [(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.add('Q', [(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.add('C', [(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.add('Z', []);
    }
}

fn number(attributes: &str, name: &str) -> f32 {
    let value = attributes.split_whitespace().find_map(|attribute| {
        let value = attribute.strip_prefix(name)?.strip_prefix("=\"")?.strip_suffix('"')?;
        value.parse().ok()
    });
    value.expect("texts have a place and a size")
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use darkqi_env::{Options, deal, games, render};

    use super::{FACE, outlined};

    #[test]
    fn the_font_has_every_character_of_every_game() {
        for game in games::names() {
            let drawn = render::svg(&deal(game, &Options::new(), 1).expect("a game").picture(None));
            for character in drawn.chars().filter(|&character| character != '\n') {
                assert!(
                    FACE.glyph_index(character).is_some(),
                    "{game}: no `{character}` in the font"
                );
            }
        }
    }

    #[test]
    fn texts_become_paths_around_their_middle() {
        let drawn = outlined("<g><text x=\"20\" y=\"30\" font-size=\"10\">I&amp;I</text></g>");
        let (start, end) = drawn.split_once("translate(").expect("it has a place");
        assert_eq!(start, "<g><path transform=\"");
        let (left, end) = end.split_once(' ').expect("it has two coordinates");
        let left: f32 = left.parse().expect("it is a number");
        assert!((5.0..15.0).contains(&left), "{left}");
        assert!(end.starts_with("30) scale(0.01 -0.01)\" d=\"M") && end.ends_with("Z\"/></g>"));
        // Both letters, and the sign between them of several outlines.
        assert!(end.matches('M').count() > 3, "{end}");
    }
}

//! Drawings as pixels: PNG, GIF, and rows of bytes for programs.
//!
//! Characters are drawn in the font that comes with the program, so that a picture is the same on every
//! machine.

mod outlines;

use std::ops::Range;

use gif::{DisposalMethod, Encoder, Frame, Repeat};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use outlines::outlined;

/// How coarsely the colours of a frame are chosen, from 1 (best) to 30 (fastest).
const SPEED: i32 = 10;

/// How long an animation shows a drawing, in hundredths of a second.
const DELAY: u16 = 80;

/// How long it shows the last one.
const LAST_DELAY: u16 = 300;

/// A picture of opaque pixels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bitmap {
    /// Pixels of a row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Red, green and blue of each pixel, row by row from the top.
    pub rgb: Vec<u8>,
}

/// Draws an SVG of [`darkqi_env::render::svg`] with this width in pixels.
///
/// # Panics
/// If it is not such an SVG, or the width is 0.
pub fn bitmap(svg: &str, width: u16) -> Bitmap {
    let pixels = pixels(svg, width);
    let opaque = |pixel: &[u8]| [pixel[0], pixel[1], pixel[2]];
    // Drawings have a background, so no pixel is transparent.
    let rgb = pixels.data().chunks_exact(4).flat_map(opaque).collect();
    Bitmap { width: pixels.width() as usize, height: pixels.height() as usize, rgb }
}

/// The drawing as a PNG file.
///
/// # Panics
/// As [`bitmap`].
pub fn png(svg: &str, width: u16) -> Vec<u8> {
    pixels(svg, width).encode_png().expect("a drawing fits a PNG")
}

fn pixels(svg: &str, width: u16) -> Pixmap {
    let tree = Tree::from_str(&outlined(svg), &Options::default()).expect("drawings are SVG");
    let scale = f32::from(width) / tree.size().width();
    let height = (tree.size().height() * scale).round() as u32;
    let mut pixels = Pixmap::new(width.into(), height).expect("a drawing has an area");
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels
}

/// The drawings as an animation that repeats: a GIF file.
///
/// # Panics
/// As [`bitmap`], or if the drawings differ in size.
pub fn gif(drawings: impl IntoIterator<Item = String>, width: u16) -> Vec<u8> {
    const WRITTEN: &str = "memory can be written";
    let mut file = Vec::new();
    let mut bitmaps = drawings.into_iter().map(|svg| bitmap(&svg, width)).peekable();
    let Some(first) = bitmaps.peek() else { return file };
    let mut gif = Encoder::new(&mut file, width, first.height as u16, &[]).expect(WRITTEN);
    gif.set_repeat(Repeat::Infinite).expect(WRITTEN);
    let mut shown: Option<Bitmap> = None;
    while let Some(bitmap) = bitmaps.next() {
        let delay = if bitmaps.peek().is_some() { DELAY } else { LAST_DELAY };
        let frame = Frame { delay, ..difference(shown.as_ref(), &bitmap) };
        gif.write_frame(&frame).expect(WRITTEN);
        shown = Some(bitmap);
    }
    drop(gif);
    file
}

/// The rectangle in which a picture differs from the one before, with what is the same left
/// transparent, which takes few bytes; all of it for the first.
fn difference(before: Option<&Bitmap>, bitmap: &Bitmap) -> Frame<'static> {
    let pixel = |it: &Bitmap, x, y| {
        let start = (y * bitmap.width + x) * 3;
        [it.rgb[start], it.rgb[start + 1], it.rgb[start + 2]]
    };
    let differs = |x, y| before.is_none_or(|before| pixel(before, x, y) != pixel(bitmap, x, y));
    let rows = extent(bitmap.height, |y| (0..bitmap.width).any(|x| differs(x, y)));
    let columns = extent(bitmap.width, |x| rows.clone().any(|y| differs(x, y)));
    let mut rgba = Vec::with_capacity(4 * rows.len() * columns.len());
    for y in rows.clone() {
        for x in columns.clone() {
            let [red, green, blue] = pixel(bitmap, x, y);
            rgba.extend(if differs(x, y) { [red, green, blue, u8::MAX] } else { [0; 4] });
        }
    }
    let (width, height) = (columns.len() as u16, rows.len() as u16);
    let mut frame = Frame::from_rgba_speed(width, height, &mut rgba, SPEED);
    (frame.left, frame.top) = (columns.start as u16, rows.start as u16);
    frame.dispose = DisposalMethod::Keep;
    frame
}

/// The range from the first to the last number for which something holds; one number if for none.
fn extent(count: usize, holds: impl Fn(usize) -> bool) -> Range<usize> {
    let first = (0..count).find(|&at| holds(at)).unwrap_or(0);
    let last = (first..count).rev().find(|&at| holds(at)).unwrap_or(first);
    first..last + 1
}

#[cfg(test)]
mod tests {
    use darkqi_env::{Options, Viewer, deal, render};

    use super::{bitmap, gif, png};

    #[test]
    fn pictures_have_the_width_asked_for() {
        let svg = render::svg(&deal("jieqi", &Options::new(), 1).expect("a game").picture(None));
        let drawn = bitmap(&svg, 320);
        assert_eq!((drawn.width, drawn.rgb.len()), (320, 320 * drawn.height * 3));
        assert!(png(&svg, 320).starts_with(b"\x89PNG"));
    }

    #[test]
    fn animations_hold_what_changes() {
        let mut game = deal("gaiqi", &Options::new(), 7).expect("a game");
        let mut drawings = Vec::new();
        for _ in 0..6 {
            drawings.push(render::svg(&game.picture(Some(Viewer::Public))));
            let action = game.legal_actions()[0];
            game.apply(action).expect("it is legal");
        }
        let size = |drawings: &[String]| {
            let file = gif(drawings.iter().cloned(), 300);
            assert!(file.starts_with(b"GIF89a"));
            file.len()
        };
        let (one, all) = (size(&drawings[..1]), size(&drawings));
        assert!(all < 2 * one, "{all} bytes, the first picture {one}");
    }
}

//! Pictures as text and SVG, and moves in Chinese notation.
//!
//! The renderers get a [`Picture`](crate::game::Picture) and nothing else of a game. They can show
//! no more than the picture holds.

mod chinese;
mod svg;
mod text;

pub use chinese::chinese_names;
pub use svg::{marked_svg, square_at, svg};
pub use text::{coloured_text, marked_text, text};

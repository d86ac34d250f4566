//! Pictures as text and SVG.
//!
//! Both draw a [`Picture`](crate::game::Picture) and nothing else, so what a viewer may not know
//! cannot get into them.

mod svg;
mod text;

pub use svg::svg;
pub use text::text;

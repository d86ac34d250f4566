//! Pictures as text and SVG.

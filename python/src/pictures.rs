//! Pictures of positions for Python.

use darkqi_env::{Square, game::Picture, render};
use darkqi_pictures::{bitmap, png};
use numpy::IntoPyArray;
use numpy::ndarray::Array3;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// What a picture is given as.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RenderMode {
    Text,
    Svg,
    Png,
    Pixels,
}

/// A picture as an object of Python, with some squares marked. Pixels are drawn without the
/// interpreter's lock.
pub(crate) fn render<'py>(
    py: Python<'py>,
    picture: &Picture,
    marked: &[Square],
    mode: RenderMode,
    width: u16,
) -> PyResult<Bound<'py, PyAny>> {
    let svg = || render::marked_svg(picture, marked);
    Ok(match mode {
        RenderMode::Text => PyString::new(py, &render::marked_text(picture, marked)).into_any(),
        RenderMode::Svg => PyString::new(py, &svg()).into_any(),
        RenderMode::Png => {
            let file = py.detach(|| png(&svg(), width));
            PyBytes::new(py, &file).into_any()
        }
        RenderMode::Pixels => {
            let drawn = py.detach(|| bitmap(&svg(), width));
            let shape = (drawn.height, drawn.width, 3);
            let pixels = Array3::from_shape_vec(shape, drawn.rgb).expect("three bytes a pixel");
            pixels.into_pyarray(py).into_any()
        }
    })
}

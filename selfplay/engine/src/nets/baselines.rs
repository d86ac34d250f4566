//! The nets that come with the program. `docs/nets.md` says how they were made.

/// ONNX files by game, in alphabetical order.
pub(crate) const BASELINE_NETS: &[(&str, &[u8])] = &[
    ("banqi", include_bytes!("../../data/baselines/banqi.onnx")),
    ("flipping", include_bytes!("../../data/baselines/flipping.onnx")),
    ("gaiqi", include_bytes!("../../data/baselines/gaiqi.onnx")),
    ("jieqi", include_bytes!("../../data/baselines/jieqi.onnx")),
    ("mystery", include_bytes!("../../data/baselines/mystery.onnx")),
];

/// The file of a game, if it has one.
pub(crate) fn baseline_bytes(game: &str) -> Option<&'static [u8]> {
    BASELINE_NETS.iter().find(|(name, _)| *name == game).map(|(_, bytes)| *bytes)
}

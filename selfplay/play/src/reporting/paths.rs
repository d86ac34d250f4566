//! Paths in JSON.

use std::path::Path;

use serde::Serializer;

/// A path as text, for `serialize_with`: bytes that are not UTF-8 are replaced.
pub(crate) fn as_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

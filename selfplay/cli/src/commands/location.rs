//! Paths of datasets as arguments.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};

/// Reads the path of a folder, whose name may be no Unicode, or a URL of object storage.
pub(super) fn location() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(darkqi_format::location)
}

//! Settings of a run to be resumed, compared with those it was begun with.

use std::fmt;

use serde::Serialize;
use serde_json::Value as Json;

/// A setting in which the run on disk differs from the one asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The setting. A nested one is written `options.name`.
    pub field: String,
    /// The value on disk, in JSON; `nothing` if the setting is missing.
    pub kept: String,
    /// The value asked for, likewise.
    pub asked: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, kept, asked } = self;
        write!(f, "{field}: {kept} there, {asked} asked for")
    }
}

impl Mismatch {
    /// All settings that differ. Options of different games have nothing in common, so these are left
    /// out.
    pub(crate) fn all(kept: &impl Serialize, asked: &impl Serialize) -> Vec<Self> {
        let json = |settings| serde_json::to_value(settings).expect("settings are plain data");
        let asked = serde_json::to_value(asked).expect("settings are plain data");
        let mut found = Vec::new();
        compare("", Some(&json(kept)), Some(&asked), &mut found);
        if found.iter().any(|mismatch| mismatch.field == "game") {
            found.retain(|mismatch| !mismatch.field.starts_with("options."));
        }
        found
    }

    /// Several in one line.
    pub(crate) fn list(mismatches: &[Self]) -> String {
        mismatches.iter().map(Self::to_string).collect::<Vec<_>>().join("; ")
    }
}

fn compare(field: &str, kept: Option<&Json>, asked: Option<&Json>, found: &mut Vec<Mismatch>) {
    if let (Some(Json::Object(in_kept)), Some(Json::Object(in_asked))) = (kept, asked) {
        let new = in_asked.keys().filter(|key| !in_kept.contains_key(*key));
        for key in in_kept.keys().chain(new) {
            let field = if field.is_empty() { key.clone() } else { format!("{field}.{key}") };
            compare(&field, in_kept.get(key), in_asked.get(key), found);
        }
    } else if kept != asked {
        let text = |value: Option<&Json>| value.map_or("nothing".to_owned(), Json::to_string);
        let (kept, asked) = (text(kept), text(asked));
        found.push(Mismatch { field: field.to_owned(), kept, asked });
    }
}

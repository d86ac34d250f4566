//! Paths that users give for datasets.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The schemes of object storage: Amazon S3 and what speaks its protocol, Google Cloud Storage, Azure
/// Blob Storage.
const SCHEMES: [&str; 3] = ["s3", "gs", "az"];

/// Whether a path is an address in object storage.
#[must_use]
pub fn is_remote(path: &Path) -> bool {
    path.to_str()
        .and_then(|text| text.split_once("://"))
        .is_some_and(|(scheme, _)| SCHEMES.contains(&scheme))
}

/// The path that a text means which names a dataset: that of a folder, or a URL of object storage
/// such as `s3://bucket/runs/7`. `file://` and what follows is a folder, too. What is no Unicode is a
/// folder: names of files may be any bytes.
///
/// # Errors
/// For an empty text, and for URLs of other schemes, without a bucket, with a user, or with a
/// query; what was expected.
pub fn location(given: impl AsRef<OsStr>) -> Result<PathBuf, String> {
    let given = given.as_ref();
    let Some(text) = given.to_str() else { return Ok(given.into()) };
    if text.is_empty() {
        return Err("expected a folder or a URL, found an empty text".to_owned());
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        // So Python's pathlib shortens a URL.
        return match text.split_once(":/") {
            Some((scheme, rest)) if SCHEMES.contains(&scheme) => {
                Err(format!("expected {scheme}://{rest}, found {text}, as pathlib writes it"))
            }
            _ => Ok(text.into()),
        };
    };
    if scheme == "file" {
        return if rest.starts_with('/') {
            Ok(rest.into())
        } else {
            Err(format!("expected file:/// and a path, found {text}"))
        };
    }
    if !SCHEMES.contains(&scheme) {
        return Err(format!(
            "expected a folder, or a URL that begins with s3://, gs://, az:// or file://, found \
             {scheme}://"
        ));
    }
    // A message about a URL with a password must not repeat it.
    if let Some(found) = rest.chars().find(|&found| matches!(found, '@' | '?' | '#')) {
        return Err(format!(
            "expected {scheme}://BUCKET/PATH, found a URL with `{found}`: credentials are taken from \
             the environment"
        ));
    }
    let rest = rest.trim_end_matches('/');
    if rest.split('/').next().is_some_and(|bucket| bucket.contains(':')) {
        return Err(format!(
            "expected {scheme}://BUCKET/PATH, found a bucket with `:` in {text}: the address of a \
             server is taken from the environment"
        ));
    }
    match rest.split_once('/') {
        Some((bucket, path))
            if !bucket.is_empty()
                && path.split('/').all(|name| !matches!(name, "" | "." | "..")) =>
        {
            Ok(format!("{scheme}://{rest}").into())
        }
        _ => Err(format!("expected {scheme}://BUCKET/PATH, found {text}")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{is_remote, location};

    #[test]
    fn urls_and_folders_are_told_apart() {
        for (text, expected, remote) in [
            ("data/jieqi", "data/jieqi", false),
            ("/data/s3", "/data/s3", false),
            ("C:/data", "C:/data", false),
            ("file:///data/jieqi", "/data/jieqi", false),
            ("s3://bucket/jieqi/", "s3://bucket/jieqi", true),
            ("gs://bucket/a/b", "gs://bucket/a/b", true),
            ("az://container/a", "az://container/a", true),
        ] {
            let found = location(text).expect(text);
            assert_eq!((found.as_path(), is_remote(&found)), (Path::new(expected), remote));
        }
    }

    #[test]
    fn other_urls_are_refused_with_what_was_expected() {
        for (text, expected) in [
            ("", "expected a folder or a URL, found an empty text"),
            ("s3:/bucket/jieqi", "expected s3://bucket/jieqi, found s3:/bucket/jieqi, as pathlib"),
            ("ftp://host/x", "that begins with s3://, gs://, az:// or file://, found ftp://"),
            ("s3://bucket", "expected s3://BUCKET/PATH, found s3://bucket"),
            ("s3:///x", "expected s3://BUCKET/PATH"),
            ("s3://bucket:90/x", "found a bucket with `:` in s3://bucket:90/x: the address of a"),
            ("s3://bucket/a//b", "expected s3://BUCKET/PATH"),
            ("s3://bucket/../b", "expected s3://BUCKET/PATH"),
            ("file://data", "expected file:/// and a path"),
            ("s3://key:secret@bucket/x", "found a URL with `@`: credentials are taken"),
            ("s3://bucket/x?token=secret", "found a URL with `?`"),
        ] {
            let fault = location(text).expect_err(text);
            assert!(fault.contains(expected), "{text}: {fault}");
            assert!(!fault.contains("secret"), "{fault}");
        }
    }
}

//! Objects by URL, with the crate `object_store`.
//!
//! Its settings and credentials are those that the programs of each provider take from the environment:
//! `AWS_…`, `GOOGLE_…`, `AZURE_…`. Requests that fail in passing are tried again with growing pauses.

use std::cell::RefCell;
use std::collections::HashMap;
use std::env;
use std::io;
use std::mem;
use std::path::{MAIN_SEPARATOR, Path};
use std::process;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::path::{DELIMITER, Path as Key};
use object_store::{
    ClientConfigKey, ObjectStore, ObjectStoreExt, PutMode, PutPayload, RetryConfig,
};
use rustls::crypto::ring;
use tokio::time::sleep;

use super::waiting::Waiter;

/// How long a request may take: enough for a shard over a slow line.
const TIMEOUT: &str = "120s";

/// How often a request is made again that failed in passing, and from the first on how long. The pauses
/// double: a server that is not there is given up after some seconds.
const MAX_RETRIES: usize = 6;
const RETRYING: Duration = Duration::from_secs(60);

/// Pages of names, a thousand each, that a folder may have. A faulty server sends pages for ever.
const MAX_PAGES: usize = 1000;

/// How long a request is made again whose answer ends too soon, which the crate does only for some
/// answers. It has tried other faults again when it reports them.
const PATIENCE: Duration = Duration::from_secs(30);

/// The first pause before that.
const PAUSE: Duration = Duration::from_millis(50);

/// Environment variables whose values no message may repeat.
const SECRETS: [&str; 7] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "GOOGLE_SERVICE_ACCOUNT_KEY",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_CLIENT_SECRET",
    "AZURE_STORAGE_SAS_TOKEN",
];

thread_local! {
    static CLIENT: RefCell<Option<Client>> = const { RefCell::new(None) };
}

/// The connections of one thread.
struct Client {
    /// A forked process must not use those of its parent.
    process: u32,
    waiter: Waiter,
    /// By scheme and bucket.
    stores: HashMap<String, Arc<dyn Store>>,
}

/// A request to object storage.
trait Store: ObjectStore + PaginatedListStore {}

impl<S: ObjectStore + PaginatedListStore> Store for S {}

impl Client {
    fn new() -> io::Result<Self> {
        // Fails if another client has done so.
        let _ = ring::default_provider().install_default();
        Ok(Self { process: process::id(), waiter: Waiter::new()?, stores: HashMap::new() })
    }

    /// The store of a bucket.
    fn store(&mut self, bucket: &str) -> io::Result<Arc<dyn Store>> {
        if let Some(store) = self.stores.get(bucket) {
            return Ok(store.clone());
        }
        check_addresses(|name| env::var(name).ok())?;
        let store = build(bucket).map_err(|error| described(&error))?;
        self.stores.insert(bucket.to_owned(), store.clone());
        Ok(store)
    }
}

/// Environment variables that hold the address of a server. The crate panics on some that are none.
const ENDPOINTS: [&str; 6] = [
    "AWS_ENDPOINT",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AZURE_ENDPOINT",
    "AZURE_STORAGE_ENDPOINT",
    "GOOGLE_BASE_URL",
];

/// Environment variables whose value becomes a part of a server's address.
const REGIONS: [&str; 2] = ["AWS_REGION", "AWS_DEFAULT_REGION"];

/// Checks the variables that say where the server is.
///
/// # Errors
/// If one is no address; its name, and what was expected.
fn check_addresses(value: impl Fn(&str) -> Option<String>) -> io::Result<()> {
    let is_plain = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~:[]".contains(&byte))
    };
    let is_address = |text: &str| {
        let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
        let is_host = |host: &str| {
            let port = host.rsplit_once(':').map(|(_, port)| port);
            is_plain(host)
                && !host.starts_with(':')
                && port.is_none_or(|port| host.ends_with(']') || port.parse::<u16>().is_ok())
        };
        rest.is_some_and(|rest| rest.split('/').next().is_some_and(is_host))
            && text.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let fault = |name: &str, expected: &str| {
        // An address may hold a password.
        let text = format!("{name}: expected {expected}, found something else");
        Err(io::Error::new(io::ErrorKind::InvalidInput, text))
    };
    for name in ENDPOINTS {
        if value(name).is_some_and(|text| !is_address(&text)) {
            return fault(name, "an address such as https://storage.example:9000");
        }
    }
    for name in REGIONS {
        if value(name).is_some_and(|text| !is_plain(&text)) {
            return fault(name, "a region such as eu-central-1");
        }
    }
    Ok(())
}

/// Connects to the bucket of a URL.
fn build(url: &str) -> object_store::Result<Arc<dyn Store>> {
    let timeout = |name| env::var(name).unwrap_or_else(|_| TIMEOUT.to_owned());
    let key = ClientConfigKey::Timeout;
    let retry =
        RetryConfig { max_retries: MAX_RETRIES, retry_timeout: RETRYING, ..RetryConfig::default() };
    Ok(match url.split_once("://").map_or("", |(scheme, _)| scheme) {
        "gs" => {
            let builder = GoogleCloudStorageBuilder::from_env().with_url(url);
            let key = GoogleConfigKey::Client(key);
            Arc::new(builder.with_config(key, timeout("GOOGLE_TIMEOUT")).with_retry(retry).build()?)
        }
        "az" => {
            let builder = MicrosoftAzureBuilder::from_env().with_url(url);
            let key = AzureConfigKey::Client(key);
            Arc::new(builder.with_config(key, timeout("AZURE_TIMEOUT")).with_retry(retry).build()?)
        }
        _ => {
            let builder = AmazonS3Builder::from_env().with_url(url);
            let key = AmazonS3ConfigKey::Client(key);
            Arc::new(builder.with_config(key, timeout("AWS_TIMEOUT")).with_retry(retry).build()?)
        }
    })
}

/// Does some work with an object, or with a prefix of objects. The work may be done more than once.
///
/// # Errors
/// The errors of the work. When the call of this thread is to stop, the work is not waited for.
fn with<T>(
    path: &Path,
    work: impl AsyncFn(&dyn Store, &Key) -> object_store::Result<T>,
) -> io::Result<T> {
    let text = path.to_str().unwrap_or_default().replace(MAIN_SEPARATOR, "/");
    let (scheme, rest) = text.split_once("://").unwrap_or_default();
    let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
    let bucket = format!("{scheme}://{bucket}");
    CLIENT.with_borrow_mut(|client| {
        if client.as_ref().is_some_and(|client| client.process != process::id()) {
            mem::forget(client.take());
        }
        let client = match client {
            Some(client) => client,
            none => none.insert(Client::new()?),
        };
        let store = client.store(&bucket)?;
        client.waiter.wait(async {
            let key = Key::parse(key).map_err(|error| described(&error.into()))?;
            let begun = Instant::now();
            let mut pause = PAUSE;
            loop {
                match work(&*store, &key).await {
                    Err(object_store::Error::Generic { .. }) if begun.elapsed() < PATIENCE => {
                        sleep(pause).await;
                        pause *= 2;
                    }
                    done => break done.map_err(|error| described(&error)),
                }
            }
        })
    })
}

/// An error of a store in one line, without credentials.
fn described(error: &object_store::Error) -> io::Error {
    use object_store::Error::{
        AlreadyExists, NotFound, NotImplemented, NotSupported, PermissionDenied, Precondition,
        Unauthenticated,
    };
    let kind = match error {
        NotFound { .. } => io::ErrorKind::NotFound,
        AlreadyExists { .. } | Precondition { .. } => io::ErrorKind::AlreadyExists,
        PermissionDenied { .. } | Unauthenticated { .. } => io::ErrorKind::PermissionDenied,
        NotImplemented { .. } | NotSupported { .. } => io::ErrorKind::Unsupported,
        _ => io::ErrorKind::Other,
    };
    let text = error.to_string();
    // What follows is the page that the server sent, of which its code says enough.
    let (message, page) = text.split_once("<?xml").unwrap_or((&text, ""));
    let mut message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let code = page.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>"));
    message.extend(code.map(|(code, _)| format!(" {code}")));
    for secret in SECRETS.iter().filter_map(|name| env::var(name).ok()) {
        // Shorter ones, such as those of test servers, are parts of words.
        if secret.len() >= 8 {
            message = message.replace(&secret, "***");
        }
    }
    io::Error::new(kind, message)
}

pub(super) fn read(path: &Path) -> io::Result<Bytes> {
    with(path, async |store, key| store.get(key).await?.bytes().await)
}

pub(super) fn size(path: &Path) -> io::Result<u64> {
    with(path, async |store, key| Ok(store.head(key).await?.size))
}

/// The names of the objects and prefixes right below a prefix.
///
/// # Errors
/// If the server sends pages of them without end.
pub(super) fn names(dir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    let mut token: Option<String> = None;
    for _ in 0..MAX_PAGES {
        let page = with(dir, async |store, key| {
            let options = PaginatedListOptions {
                delimiter: Some(DELIMITER.into()),
                page_token: token.clone(),
                ..PaginatedListOptions::default()
            };
            store.list_paginated(Some(&format!("{key}{DELIMITER}")), options).await
        })?;
        let objects = page.result.objects.into_iter().map(|object| object.location);
        let keys = objects.chain(page.result.common_prefixes);
        names.extend(keys.filter_map(|key| key.filename().map(str::to_owned)));
        let next = page.page_token.filter(|next| !next.is_empty());
        if next.is_none() {
            return Ok(names);
        }
        if next == token {
            return Err(io::Error::other(
                "expected a list of objects that ends, found a page whose next one is itself",
            ));
        }
        token = next;
    }
    Err(io::Error::other(format!(
        "expected a list of objects that ends within {MAX_PAGES} pages, found more"
    )))
}

pub(super) fn remove(path: &Path) -> io::Result<()> {
    with(path, async |store, key| store.delete(key).await)
}

/// Writes an object, which fails if there is one.
pub(super) fn create(path: &Path, contents: &[u8]) -> io::Result<()> {
    put(path, contents, PutMode::Create)
}

pub(super) fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    put(path, contents, PutMode::Overwrite)
}

fn put(path: &Path, contents: &[u8], mode: PutMode) -> io::Result<()> {
    let contents = PutPayload::from(contents.to_vec());
    with(path, async |store, key| {
        let options = mode.clone().into();
        store.put_opts(key, contents.clone(), options).await.map(drop)
    })
}

#[cfg(test)]
mod tests {
    use super::check_addresses;

    #[test]
    fn addresses_that_are_none_are_named() {
        let check = |name: &'static str, text: &'static str| {
            check_addresses(|asked| (asked == name).then(|| text.to_owned()))
        };
        for text in [
            "https://s3.example",
            "http://127.0.0.1:5000/",
            "http://[::1]:9000",
            "https://host/path",
        ] {
            assert!(check("AWS_ENDPOINT_URL", text).is_ok(), "{text}");
        }
        for text in
            ["localhost:5000", "junk", "http://", "http://a b", "", "http://h:no", "http://:1"]
        {
            let error = check("AWS_ENDPOINT_URL", text).expect_err(text).to_string();
            assert!(error.starts_with("AWS_ENDPOINT_URL: expected an address such as"), "{error}");
        }
        assert!(check("AWS_REGION", "eu-central-1").is_ok());
        let error = check("AWS_REGION", "a b").expect_err("it is none").to_string();
        assert!(error.starts_with("AWS_REGION: expected a region"), "{error}");
    }
}

//! Which requests are answered.
//!
//! Any site that is open in a browser can send requests to this server. Those of other sites are told
//! by their headers, and those of a name that was made to point here (DNS rebinding) by their host.
//! Numbers and `localhost` cannot be made to point here, so that every port of theirs will do: tunnels
//! and containers have ports of their own. Other names need the permission of who runs the server.
//!
//! All this concerns what the page asks for. The page itself is the same for everybody.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::answer::Refusal;

/// Scripts, styles and requests of this server only.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'self'";

/// The longest name of a host.
const MAX_NAME: usize = 253;

/// The names of this server.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    address: SocketAddr,
    /// Names that are allowed besides, in small letters.
    allowed: Vec<String>,
}

/// Answers requests of the page itself and of programs, and refuses those of other sites.
pub(super) async fn guard(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    match guard.check(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// Adds what browsers are to do with any answer.
pub(super) async fn with_policy(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        // A report has a policy of its own.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

impl Guard {
    /// Of a server that listens on this address. Names are allowed besides.
    pub(super) const fn new(address: SocketAddr, allowed: Vec<String>) -> Self {
        Self { address, allowed }
    }

    fn check(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let text = |name: HeaderName| headers.get(name).map(|it| it.to_str().unwrap_or_default());
        let host = text(header::HOST).unwrap_or_default();
        if !self.is_own(host) {
            return Err(refuse("host", host));
        }
        if let Some(origin) = text(header::ORIGIN) {
            // Where a proxy speaks TLS, the page is of another scheme than this server.
            let schemes = ["http://", "https://"];
            let site = schemes.iter().find_map(|scheme| origin.strip_prefix(scheme));
            if !site.is_some_and(|site| site == host || self.is_own(site)) {
                return Err(refuse("origin", origin));
            }
        }
        // A link from elsewhere may lead to the page, but nobody else may ask in its place.
        let site = text(HeaderName::from_static("sec-fetch-site"));
        if !matches!(site, None | Some("same-origin" | "none")) {
            let reason = "sec-fetch-site: expected a request of the page itself";
            return Err(Refusal::new(StatusCode::FORBIDDEN, reason));
        }
        Ok(())
    }

    /// Whether a name with or without a port is one of this server: `localhost`, a number address that
    /// may be its own, or a name that is allowed.
    fn is_own(&self, host: &str) -> bool {
        let Some(name) = name_of(host) else { return false };
        let is_known = match name.parse::<IpAddr>() {
            Ok(ip) => ip.is_loopback() || !self.address.ip().is_loopback(),
            Err(_) => name == "localhost" || name.ends_with(".localhost"),
        };
        is_known || self.allowed.contains(&name)
    }
}

/// The refusal of a host or an origin, which says how to allow its name.
fn refuse(header: &str, found: &str) -> Refusal {
    let site = found.split_once("://").map_or(found, |(_, site)| site);
    let reason = match name_of(site) {
        Some(name) => format!(
            "{header}: this server is not known as `{name}`; the person who runs it can allow the \
             name: `darkqi serve --allow-host {name}`"
        ),
        None => format!("{header}: expected a name of this server"),
    };
    Refusal::new(StatusCode::FORBIDDEN, reason)
}

/// The name or the number address before the port, if there is one, in small letters; `None` if it is
/// none.
pub fn name_of(host: &str) -> Option<String> {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_name = match bare {
        Some(bare) => bare.parse::<IpAddr>().is_ok(),
        None => {
            (!name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_plain))
                || name.parse::<IpAddr>().is_ok()
        }
    };
    let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok());
    (is_name && is_port).then(|| bare.unwrap_or(name).to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderMap;

    use super::{Guard, name_of};

    fn guard(address: &str, allowed: &[&str]) -> Guard {
        let allowed = allowed.iter().map(|&name| name.to_owned()).collect();
        Guard::new(address.parse().expect("an address"), allowed)
    }

    /// The refusal of a request with these headers, if it is refused.
    fn answer(guard: &Guard, headers: &[(&'static str, &'static str)]) -> Result<(), String> {
        let headers: HeaderMap = headers
            .iter()
            .map(|&(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")))
            .collect();
        guard.check(&headers).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn only_addresses_of_the_server_are_its_host() {
        let local = guard("127.0.0.1:7000", &["games.example"]);
        for host in [
            "127.0.0.1:7000",
            "localhost:7000",
            "LOCALHOST:9000",
            "localhost",
            "box.localhost",
            "[::1]:7000",
            "127.0.0.1",
            "games.example",
            "Games.Example:8443",
        ] {
            assert!(local.is_own(host), "{host}");
        }
        for host in [
            "",
            "evil.example:7000",
            "evil.games.example",
            "localhost.evil.example",
            "notlocalhost",
            "127.0.0.1.evil.example",
            "192.168.0.9:7000",
            ":7000",
            "[::1",
            "localhost:x",
            "localhost@evil.example",
        ] {
            assert!(!local.is_own(host), "{host}");
        }
        let open = guard("0.0.0.0:7000", &[]);
        for host in ["192.168.0.9:7000", "192.168.0.9:8080", "[fe80::1]:80", "localhost:8080"] {
            assert!(open.is_own(host), "{host}");
        }
        for host in ["evil.example:7000", "mybox.local:7000"] {
            assert!(!open.is_own(host), "{host}");
        }
    }

    #[test]
    fn other_sites_are_refused_and_told_what_allows_them() {
        let local = guard("127.0.0.1:7000", &[]);
        let host = ("host", "127.0.0.1:7000");
        for origin in ["http://127.0.0.1:7000", "https://127.0.0.1:7000", "https://localhost:9000"]
        {
            assert_eq!(answer(&local, &[host, ("origin", origin)]), Ok(()), "{origin}");
        }
        for origin in
            ["null", "http://evil.example", "file://localhost", "http://192.168.0.9", "localhost"]
        {
            let told = answer(&local, &[host, ("origin", origin)]).expect_err(origin);
            assert!(told.starts_with("origin: "), "{told}");
        }
        for site in ["cross-site", "same-site"] {
            assert!(answer(&local, &[host, ("sec-fetch-site", site)]).is_err(), "{site}");
        }
        let told = answer(&local, &[("host", "mybox.local:7000")]).expect_err("not allowed");
        assert!(told.contains("`darkqi serve --allow-host mybox.local`"), "{told}");
        let allowed = guard("127.0.0.1:7000", &["mybox.local"]);
        let own = [("host", "mybox.local:7000"), ("origin", "https://mybox.local")];
        assert_eq!(answer(&allowed, &own), Ok(()));
        assert_eq!(answer(&allowed, &[host, ("origin", "https://mybox.local")]), Ok(()));
        assert!(answer(&allowed, &[]).is_err());
    }

    #[test]
    fn names_have_no_scheme_and_no_path() {
        assert_eq!(name_of("Box:80").as_deref(), Some("box"));
        assert_eq!(name_of("::1").as_deref(), Some("::1"));
        for text in ["", "http://box", "box/", "a b", "*", "box:", "box:99999", "é", "<b>"] {
            assert_eq!(name_of(text), None, "{text}");
        }
    }
}

//! Which requests are answered.
//!
//! Any site that is open in a browser can send requests to this server. Those of other sites are told
//! by their headers, and those of a name that was made to point here (DNS rebinding) by their host.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::answer::Refusal;

/// Scripts, styles and requests of this server only.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'self'";

/// Answers requests of the page itself and of programs, and refuses those of other sites.
pub(super) async fn guard(
    State(address): State<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match check(address, request.headers(), request.uri().path()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
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

fn check(address: SocketAddr, headers: &HeaderMap, path: &str) -> Result<(), Refusal> {
    let forbidden = |reason: String| Refusal::new(StatusCode::FORBIDDEN, reason);
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let host = text(header::HOST).unwrap_or_default();
    if !is_own(address, host) {
        return Err(forbidden(format!("host: expected an address of this server, got `{host}`")));
    }
    if let Some(origin) = text(header::ORIGIN)
        && origin.strip_prefix("http://") != Some(host)
    {
        return Err(forbidden(format!("origin: expected http://{host}, got `{origin}`")));
    }
    // A link from elsewhere may lead to the page, but nobody else may ask in its place.
    let site = headers.get("sec-fetch-site").map(|value| value.to_str().unwrap_or_default());
    if path.starts_with("/api/") && !matches!(site, None | Some("same-origin" | "none")) {
        return Err(forbidden("sec-fetch-site: expected a request of the page itself".to_owned()));
    }
    Ok(())
}

/// Whether a `Host` header is a number address or `localhost`, with the port of this server. Only
/// names can be made to point here.
fn is_own(address: SocketAddr, host: &str) -> bool {
    // Browsers leave out the port of HTTP.
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port),
        _ => (host, "80"),
    };
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    let is_known = match bare.parse::<IpAddr>() {
        Ok(ip) => ip.is_loopback() || !address.ip().is_loopback(),
        Err(_) => name.eq_ignore_ascii_case("localhost"),
    };
    is_known && port.parse() == Ok(address.port())
}

#[cfg(test)]
mod tests {
    use super::is_own;

    #[test]
    fn only_addresses_of_the_server_are_its_host() {
        let local = "127.0.0.1:7000".parse().expect("an address");
        for host in ["127.0.0.1:7000", "localhost:7000", "LOCALHOST:7000", "[::1]:7000"] {
            assert!(is_own(local, host), "{host}");
        }
        for host in
            ["", "127.0.0.1", "127.0.0.1:7001", "evil.example:7000", "192.168.0.9:7000", ":7000"]
        {
            assert!(!is_own(local, host), "{host}");
        }
        let usual = "127.0.0.1:80".parse().expect("an address");
        for host in ["127.0.0.1", "localhost", "[::1]", "localhost:80"] {
            assert!(is_own(usual, host), "{host}");
        }
        for host in ["evil.example", "192.168.0.9", "localhost:7000", "[::1", ""] {
            assert!(!is_own(usual, host), "{host}");
        }
        let open = "0.0.0.0:7000".parse().expect("an address");
        assert!(is_own(open, "192.168.0.9:7000"));
        assert!(!is_own(open, "evil.example:7000"));
    }
}

//! The life of the server.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::DefaultBodyLimit;
use axum::response::Redirect;
use axum::routing::get;
use axum::{Router, middleware};
use darkqi_engine::agents::AgentSpec;
use darkqi_env::{Options, Spec, games};
use darkqi_format::check_threads;
use darkqi_play::opponents::Adviser;
use darkqi_play::threads::all_threads;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio::task;
use tokio::time::sleep;

use super::app::{App, Settings};
use super::error::ServeError;
use super::guard::{Guard, guard, with_policy};
use super::routes;
use super::stream::Impatient;

/// Bytes of the largest request.
const MAX_BYTES: usize = 1 << 16;

/// Connections that are open at a time; others wait. A process may often have 1,024 files.
const MAX_CONNECTIONS: usize = 512;

/// How long a connection may take for the head of a request, or be idle before it.
const HEAD_TIMEOUT: Duration = Duration::from_secs(20);

/// How long a client may leave unread what it is sent.
const WRITE_TIMEOUT: Duration = Duration::from_secs(20);

/// Before the next connection is asked for, if there was none, as where files are used up.
const PAUSE: Duration = Duration::from_millis(100);

/// Threads for requests that take long, beside those that answer: at least one works and one watches.
const MIN_WORKERS: usize = 2;

/// How long a signal may go unnoticed.
const PATIENCE: Duration = Duration::from_millis(50);

/// Serves the page until `stop` is set. `ready` gets its address once requests are answered.
///
/// # Errors
/// If a folder does not exist or the address cannot be used, or of `ready`.
pub fn serve<E: From<ServeError>>(
    settings: Settings,
    stop: &'static AtomicBool,
    ready: impl FnOnce(SocketAddr) -> Result<(), E>,
) -> Result<(), E> {
    if let Some(dir) = settings.folders.iter().find(|dir| !dir.is_dir()) {
        return Err(ServeError::NoFolder { dir: dir.clone() }.into());
    }
    [&settings.agent].into_iter().chain(&settings.extra_agents).try_for_each(check_agent)?;
    let host = settings.host;
    // The runtime would panic.
    check_threads(all_threads().get() + MIN_WORKERS).map_err(ServeError::from)?;
    // Of an environment variable with another number, Tokio makes a panic.
    let mut runtime = Builder::new_multi_thread();
    let runtime = runtime.worker_threads(all_threads().get()).enable_all().build();
    let runtime = runtime.map_err(|cause| ServeError::Run { host, cause })?;
    let address = SocketAddr::new(host, settings.port);
    let bound = runtime.block_on(TcpListener::bind(address));
    let listener = bound.map_err(|cause| ServeError::Bind { address, cause })?;
    let address = listener.local_addr().map_err(|cause| ServeError::Run { host, cause })?;
    let guard = Guard::new(address, settings.names.clone());
    let base = settings.base.clone();
    let app = App::new(settings)?;
    let router = router(app.clone(), guard, &base);
    let server = runtime.spawn(answer(listener, router, HEAD_TIMEOUT, WRITE_TIMEOUT));
    ready(address)?;
    runtime.block_on(async {
        while !stop.load(Ordering::Relaxed) && !server.is_finished() {
            sleep(PATIENCE).await;
        }
    });
    app.studies.close();
    app.registry.close();
    // Requests that wait for a change need not be answered any more.
    runtime.shutdown_background();
    Ok(())
}

/// Whether an agent can be made for a game.
///
/// # Errors
/// If it cannot for any, that of the first.
fn check_agent(agent: &AgentSpec) -> Result<(), ServeError> {
    let make = |game: &&str| {
        let spec = Spec::new(game, &Options::new())?;
        Adviser::new(&spec, agent).map(drop)
    };
    let mut made = games::names().iter().map(make);
    let first = made.next().unwrap_or(Ok(()));
    first.or_else(|cause| {
        if made.any(|made| made.is_ok()) {
            Ok(())
        } else {
            Err(ServeError::Agent { agent: agent.to_string(), cause: cause.into() })
        }
    })
}

/// Answers all connections. One without the whole head of a request for so long is closed, and one whose
/// client does not read.
async fn answer(
    listener: TcpListener,
    router: Router,
    head_timeout: Duration,
    write_timeout: Duration,
) {
    let open = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    // The semaphore is never closed.
    while let Ok(permit) = open.clone().acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        task::spawn(async move {
            let mut connection = http1::Builder::new();
            connection.timer(TokioTimer::new()).header_read_timeout(head_timeout);
            // A fault of the connection concerns its client, who has been told or is gone.
            let stream = TokioIo::new(Impatient::new(stream, write_timeout));
            let _ = connection.serve_connection(stream, service).await;
            drop(permit);
        });
    }
}

/// All that is answered. What lies below `base` is answered without it, too: some proxies leave it out.
fn router(app: App, guarded: Guard, base: &str) -> Router {
    let api = routes::api().route_layer(middleware::from_fn_with_state(guarded, guard));
    let mut router = routes::page().merge(api);
    if !base.is_empty() {
        let top = format!("{base}/");
        let below = Router::new().nest(&top, router.clone());
        router = router.merge(below).route(base, get(async move || Redirect::temporary(&top)));
    }
    router
        .layer(DefaultBodyLimit::max(MAX_BYTES))
        .layer(middleware::from_fn(with_policy))
        .with_state(app)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::thread;
    use std::time::Duration;

    use axum::Router;
    use axum::routing::get;
    use tokio::net::TcpListener;
    use tokio::runtime::Runtime;

    use super::answer;

    #[test]
    fn half_a_head_ends_its_connection() {
        let runtime = Runtime::new().expect("threads can be started");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let router = Router::new().route("/", get(|| async { "here" }));
        let timeouts = [Duration::from_secs(1), Duration::from_secs(60)];
        runtime.spawn(answer(listener, router, timeouts[0], timeouts[1]));
        let mut answered = [String::new(), String::new()];
        for (head, answered) in ["GET / HTTP/1.1\r\nHo", "GET / HTTP/1.1\r\nHost: it\r\n\r\n"]
            .into_iter()
            .zip(&mut answered)
        {
            let mut client = TcpStream::connect(address).expect("it listens");
            client.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
            client.write_all(head.as_bytes()).expect("it is open");
            client.read_to_string(answered).expect("it is closed in time");
        }
        assert!(!answered[0].contains("here"), "{answered:?}");
        assert!(answered[1].ends_with("here"), "{answered:?}");
    }

    #[test]
    fn who_does_not_read_is_not_waited_for() {
        // More than the buffers of a connection hold.
        const LENGTH: usize = 64 << 20;
        let runtime = Runtime::new().expect("threads can be started");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let router = Router::new().route("/", get(|| async { vec![0; LENGTH] }));
        let patience = Duration::from_millis(300);
        runtime.spawn(answer(listener, router, Duration::from_secs(60), patience));
        let read = |pause: Duration| {
            let mut client = TcpStream::connect(address).expect("it listens");
            client.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
            let head = b"GET / HTTP/1.1\r\nHost: it\r\nConnection: close\r\n\r\n";
            client.write_all(head).expect("it is open");
            thread::sleep(pause);
            let mut read = Vec::new();
            // It ends with what was on its way, or with a fault.
            let _ = client.read_to_end(&mut read);
            read.len()
        };
        assert!(read(Duration::ZERO) > LENGTH);
        assert!(read(4 * patience) < LENGTH);
    }
}

//! The life of the server.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::DefaultBodyLimit;
use axum::{Router, middleware};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::time::sleep;

use super::app::{App, Settings};
use super::error::ServeError;
use super::guard::guard;
use super::routes::routes;

/// Bytes of the largest request.
const MOST_BYTES: usize = 1 << 16;

/// How long a signal may go unnoticed.
const PATIENCE: Duration = Duration::from_millis(50);

/// Serves the page until `stop` is set. `ready` gets its address once requests are answered.
///
/// # Errors
/// If a folder does not exist or the address cannot be used, or of `ready`.
pub(crate) fn serve<E: From<ServeError>>(
    settings: Settings,
    stop: &'static AtomicBool,
    ready: impl FnOnce(SocketAddr) -> Result<(), E>,
) -> Result<(), E> {
    if let Some(dir) = settings.folders.iter().find(|dir| !dir.is_dir()) {
        return Err(ServeError::NoFolder { dir: dir.clone() }.into());
    }
    let host = settings.host;
    let runtime = Runtime::new().map_err(|cause| ServeError::Run { host, cause })?;
    let address = SocketAddr::new(host, settings.port);
    let bound = runtime.block_on(TcpListener::bind(address));
    let listener = bound.map_err(|cause| ServeError::Bind { address, cause })?;
    let address = listener.local_addr().map_err(|cause| ServeError::Run { host, cause })?;
    let app = App::new(settings);
    let router = router(app.clone(), address);
    let server = runtime.spawn(async move { axum::serve(listener, router).await });
    ready(address)?;
    runtime.block_on(async {
        while !stop.load(Ordering::Relaxed) && !server.is_finished() {
            sleep(PATIENCE).await;
        }
    });
    app.registry().close();
    // Requests that wait for a change need not be answered any more.
    runtime.shutdown_background();
    Ok(())
}

fn router(app: App, address: SocketAddr) -> Router {
    routes()
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .layer(middleware::from_fn_with_state(address, guard))
        .with_state(app)
}

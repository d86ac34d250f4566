//! Object storage that does not answer, or not as it should. `scripts/test-storage.sh` runs these tests.
//!
//! A process takes the address of the server from its environment, so each question is asked by this
//! program in a process of its own.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use darkqi_format::{Dataset, Error, SharedWriter, stopped_by};

use super::resume::run;
use super::samples::metadata;

const URL: &str = "s3://games/data";

/// Serves answers to requests by their number; none where there is no answer.
fn serve(answer: impl Fn(usize) -> Option<String> + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let (answer, requests) = (Arc::new(answer), Arc::new(AtomicUsize::new(0)));
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let (answer, requests) = (answer.clone(), requests.clone());
            thread::spawn(move || {
                // Until the client has gone.
                for line in BufReader::new(&stream).lines().map_while(Result::ok) {
                    if line.is_empty()
                        && let Some(body) = answer(requests.fetch_add(1, Ordering::Relaxed))
                    {
                        let length = body.len();
                        let _ = write!(
                            &stream,
                            "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}"
                        );
                    }
                }
            });
        }
    });
    address
}

/// Runs one of the ignored tests below against a server.
fn ask(question: &str, server: SocketAddr) {
    let asked = Command::new(env::current_exe().expect("this program"))
        .args(["--ignored", "--exact", &format!("storage::{question}")])
        .env("AWS_ENDPOINT_URL", format!("http://{server}"))
        .env("AWS_ALLOW_HTTP", "true")
        .env("AWS_ACCESS_KEY_ID", "x")
        .env("AWS_SECRET_ACCESS_KEY", "y")
        .env("AWS_REGION", "us-east-1")
        .output()
        .expect("it can be started");
    let said = String::from_utf8_lossy(&asked.stdout);
    assert!(asked.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn a_wait_for_storage_ends_when_it_is_stopped() {
    ask("stop_waiting", serve(|_| None));
    // Nobody listens: the request is made again and again.
    let nobody = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = nobody.local_addr().expect("it is bound");
    drop(nobody);
    ask("stop_waiting", address);
}

#[test]
#[ignore = "asked by another test"]
fn stop_waiting() {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = stop.clone();
    let begun = Instant::now();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        stop.store(true, Ordering::Relaxed);
    });
    let is_stopped = Arc::new(move || asked.load(Ordering::Relaxed));
    let opened = stopped_by(is_stopped, || Dataset::open(URL).map(drop));
    assert!(matches!(opened, Err(Error::Stopped)), "{opened:?}");
    // Without it, it would wait as long as the server is silent.
    let waited = begun.elapsed();
    assert!((500..30_000).contains(&waited.as_millis()), "{waited:?}");
}

/// A page of no objects with a next one.
fn page(next: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><ListBucketResult><Name>games</Name><KeyCount>0</KeyCount>\
         <IsTruncated>true</IsTruncated><NextContinuationToken>{next}</NextContinuationToken>\
         </ListBucketResult>"
    )
}

#[test]
fn a_list_without_end_is_an_error() {
    ask("list_to_the_end", serve(|_| Some(page("again"))));
    ask("list_to_the_end", serve(|request| Some(page(&request.to_string()))));
}

#[test]
#[ignore = "asked by another test"]
fn list_to_the_end() {
    let error = SharedWriter::join(URL, metadata(), run(10)).expect_err("it has no end");
    let text = error.to_string();
    assert!(text.starts_with("cannot read the folder s3://games/data"), "{text}");
    assert!(text.contains("expected a list of objects that ends"), "{text}");
}

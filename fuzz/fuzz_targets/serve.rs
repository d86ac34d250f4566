//! The server of the page: no request makes a thread of it panic, and it goes on to answer. It keeps
//! its games between inputs.
//!
//! Input (bytes): requests, each a route (1), the length of its text (1), and the text: the body of
//! a POST, the query of a GET, or the whole request as bytes.

#![no_main]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use darkqi_fuzz::{Input, temp_folder, write_dataset};
use libfuzzer_sys::fuzz_target;

/// `KEY` stands for the key of the last game that was begun, `TEXT` for the input's text.
const ROUTES: [(&str, &str); 27] = [
    ("POST", "/api/games"),
    ("POST", "/api/spec"),
    ("GET", "/api/play/KEY"),
    ("POST", "/api/play/KEY/move"),
    ("POST", "/api/play/KEY/back"),
    ("POST", "/api/play/KEY/resign"),
    ("POST", "/api/play/KEY/retry"),
    ("POST", "/api/play/KEY/save"),
    ("POST", "/api/play/KEY/hint"),
    ("POST", "/api/play/KEY/odds"),
    ("GET", "/api/catalogue"),
    ("GET", "/api/datasets"),
    ("GET", "/api/games?TEXT"),
    ("GET", "/api/replay?TEXT"),
    ("GET", "/api/position?TEXT"),
    ("GET", "/api/report?TEXT"),
    ("POST", "/api/ask"),
    ("GET", "/TEXT"),
    ("POST", "/api/setup"),
    ("POST", "/api/board"),
    ("POST", "/api/play/KEY/review"),
    ("GET", "/api/play/KEY/file?TEXT"),
    ("POST", "/api/review"),
    ("GET", "/api/file?TEXT"),
    ("POST", "/api/play/KEY/draw"),
    ("POST", "/api/play/KEY/decline"),
    ("POST", "/api/play/KEY/rematch"),
];

struct Client {
    address: String,
    connection: Option<BufReader<TcpStream>>,
    key: String,
}

/// Gets what the server prints first: its address.
struct Printed(Sender<String>);

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Only the first text is waited for.
        let _ = self.0.send(String::from_utf8_lossy(bytes).into_owned());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn client() -> &'static Mutex<Client> {
    static CLIENT: OnceLock<Mutex<Client>> = OnceLock::new();
    CLIENT.get_or_init(|| {
        let folder = temp_folder().join("served");
        write_dataset("gaiqi", &folder.join("gaiqi"));
        let (sender, printed) = channel();
        thread::spawn(move || {
            let folder = folder.to_str().expect("the path is text");
            let games = format!("{folder}-games");
            let args = ["darkqi", "serve", "--port", "0", "--no-open", "--agent", "random"];
            let args = [&args[..], &["--games", &games, folder]].concat();
            darkqi_cli::run(args, &mut Printed(sender)).expect("the server runs");
        });
        let url: String =
            printed.iter().scan((), |(), part| (!part.ends_with('\n')).then_some(part)).collect();
        let url = url.trim().trim_end_matches('/');
        let address = url.strip_prefix("http://").expect("it is an address").to_owned();
        Mutex::new(Client { address, connection: None, key: "none".to_owned() })
    })
}

impl Client {
    /// Sends a request. Returns the status and the body of the answer, unless the server closes the
    /// connection instead, as it may if the request is none.
    fn send(&mut self, request: &[u8]) -> io::Result<(u16, Vec<u8>)> {
        let address = &self.address;
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                let stream = TcpStream::connect(address).expect("the server runs");
                // A request may promise more bytes than it has.
                stream.set_read_timeout(Some(Duration::from_secs(5)))?;
                BufReader::new(stream)
            }
        };
        connection.get_mut().write_all(request)?;
        let (mut status, mut length) = (String::new(), 0);
        connection.read_line(&mut status)?;
        loop {
            let mut header = String::new();
            if connection.read_line(&mut header)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let header = header.trim().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(given) = header.strip_prefix("content-length:") {
                length = given.trim().parse().expect("the server states lengths");
            }
        }
        let mut body = vec![0; length];
        connection.read_exact(&mut body)?;
        self.connection = Some(connection);
        let status = status.split(' ').nth(1).and_then(|status| status.parse().ok());
        Ok((status.expect("the server states a status"), body))
    }

    fn request(&mut self, (method, path): (&str, &str), text: &str) -> (u16, Vec<u8>) {
        let path = path.replace("KEY", &self.key).replace("TEXT", text);
        let body = if method == "POST" { text } else { "" };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len(),
        );
        // A connection that was kept may have been closed meanwhile.
        self.send(head.as_bytes()).or_else(|_| self.send(head.as_bytes())).unwrap_or_default()
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let mut client = client().lock().unwrap_or_else(PoisonError::into_inner);
    while !input.is_empty() {
        let route = input.below(ROUTES.len() + 1);
        let length = usize::from(input.byte());
        let text = input.take(length);
        let Some(&route) = ROUTES.get(route) else {
            // What is no request closes its connection.
            let _ = client.send(text);
            client.connection = None;
            continue;
        };
        let Ok(text) = std::str::from_utf8(text) else { continue };
        if text.contains(|letter: char| letter.is_control()) {
            continue;
        }
        let (status, body) = client.request(route, text);
        assert_ne!(status, 500, "{}", String::from_utf8_lossy(&body));
        if status == 201 {
            let body = String::from_utf8(body).expect("answers are text");
            let (_, key) = body.split_once(r#""key":""#).expect("a game has keys");
            client.key = key[..key.find('"').expect("the key ends")].to_owned();
        }
    }
    let (status, _) = client.request(("GET", "/api/catalogue"), "");
    assert_eq!(status, 200, "the server still answers");
});

//! Writes the seed corpus of fuzzing into `corpus/`: positions of golden playthroughs, agents,
//! and files as darkqi writes them.

use std::fs;
use std::path::{Path, PathBuf};

use darkqi_format::{Dataset, Parts};
use darkqi_fuzz::{temp_folder, write_dataset};
use darkqi_tests::{folder, shipped_games};

/// One position in 60 of a playthrough is taken.
const STRIDE: usize = 60;

/// The game is the first: its number is the first byte.
const UCI: &str = "\0uci\nisready\nsetoption name Net value none\nposition startpos moves a1 b1\n\
                   go depth 2 wtime 100 btime 100 winc 1 binc 1 movestogo 9\nucinewgame\ngo nodes 40\nstop\n";

/// Requests to the server, each a number of its route and a text.
const REQUESTS: [&[(u8, &str)]; 5] = [
    &[
        (0, r#"{"game":"banqi","seats":[null,"random"],"seed":"4","options":{"quiet_limit":9}}"#),
        (2, ""),
        (3, r#"{"turn":0,"action":1}"#),
        (8, r#"{"turn":2}"#),
        (9, r#"{"turn":2,"action":3}"#),
        (4, r#"{"turn":2}"#),
        (5, r#"{"turn":3}"#),
        (7, r#"{"turn":4,"name":"a"}"#),
    ],
    &[
        (12, "dataset=0%2Fgaiqi&reason=&sort=plies"),
        (13, "dataset=0%2Fgaiqi&game=2"),
        (14, "dataset=0%2Fgaiqi&game=2&ply=3"),
        (15, "dataset=0%2Fgaiqi"),
        (16, r#"{"dataset":"0/gaiqi","game":1,"ply":2,"agent":"greedy"}"#),
        (17, "app.js"),
    ],
    &[
        (18, r#"{"game":"jieqi"}"#),
        (19, r#"{"game":"gaiqi","fen":"8/8/k?6/RR4KC 1 r - 0 4 a1x2,-"}"#),
        (0, r#"{"game":"banqi","seats":[null,null]}"#),
        (5, r#"{"turn":0}"#),
        (20, r#"{"turn":1}"#),
        (21, "kind=svg&ply=0"),
        (22, r#"{"dataset":"0/gaiqi","game":1}"#),
        (23, "dataset=0%2Fgaiqi&game=1&kind=txt"),
    ],
    &[
        (0, r#"{"game":"banqi","seats":[null,null],"clock":{"minutes":3,"increment":2}}"#),
        (24, r#"{"turn":0}"#),
        (25, r#"{"turn":1}"#),
        (5, r#"{"turn":0}"#),
        (26, r#"{"turn":2}"#),
    ],
    &[(27, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), (1, r#"{"game":"jieqi"}"#), (11, "")],
];

struct Corpus(PathBuf);

impl Corpus {
    fn add(&self, target: &str, name: &str, bytes: &[u8]) {
        let folder = self.0.join(target);
        fs::create_dir_all(&folder).expect("the folder can be created");
        fs::write(folder.join(name), bytes).expect("the file can be written");
    }
}

fn main() {
    let corpus = Corpus(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"));
    for (number, game) in shipped_games().into_iter().enumerate() {
        let number = number as u8;
        let playthrough = folder("playthroughs").join(format!("{game}.txt"));
        let text = fs::read_to_string(playthrough).expect("each game has one");
        let first = text.lines().enumerate().find_map(full_fen).map_or("", |(_, fen)| fen);
        for (line, fen) in text.lines().enumerate().filter_map(full_fen).step_by(STRIDE) {
            for options in [0, 1 + line as u8] {
                let head = [number, options, 0, line as u8, 1];
                let seed = [&head, fen.as_bytes()].concat();
                corpus.add("fen", &format!("{game}-{line}-{options}"), &seed);
            }
        }
        corpus.add("nets", game, &[number, 1, 200, 0, 3, 7]);
        let opening = [&[number, 1][..], first.as_bytes(), b"\n"].concat();
        corpus.add("openings", game, &opening);
        corpus.add("records", game, &[number, 1, 2, 17, 3, 0]);
        corpus.add("endgame_tables", game, &[1, 200, number, 3, 7]);
        for file in ["values", "weights"] {
            let table = folder("../selfplay/engine/data").join(format!("{file}.toml"));
            let table = fs::read(table).expect("the table exists");
            corpus.add("tables", &format!("{game}-{file}"), &[&[number], &table[..]].concat());
        }
    }
    for (number, agents) in
        ["greedy,random", "expectimax:depth=2,epsilon=0.1", "ismcts:sims=40,greedy:values=a.toml"]
            .iter()
            .enumerate()
    {
        corpus.add("agents", &number.to_string(), agents.as_bytes());
    }
    corpus.add("uci", "game", UCI.as_bytes());
    corpus.add("openings", "random", b"\x00\x02# none\n");
    for (number, requests) in REQUESTS.iter().enumerate() {
        let request =
            |(route, text): &(u8, &str)| [&[*route, text.len() as u8], text.as_bytes()].concat();
        corpus.add(
            "serve",
            &number.to_string(),
            &requests.iter().flat_map(request).collect::<Vec<_>>(),
        );
    }
    let folder = temp_folder().join("seed");
    let _ = fs::remove_dir_all(&folder);
    write_dataset("gaiqi", &folder);
    let games = Dataset::open(&folder).expect("it was written").replays();
    let games: Vec<_> = games.take(1).collect::<Result<_, _>>().expect("it was written");
    let parts: Parts = Parts::new(&folder, *b"fuzz").expect("the folder can be opened");
    parts.write(0, 0, &games).expect("it can be written");
    let part = fs::read_dir(folder.join("parts")).expect("there are parts").next();
    let part = part.expect("there is one").expect("it can be read").path();
    let part = fs::read(part).expect("the file was written");
    corpus.add("parts", "whole", &[&[0], &part[..]].concat());
    // Behind the version and the run.
    corpus.add("parts", "games", &[&[1], &part[13..]].concat());
    for (number, file) in
        ["dataset.json", "games/00000.parquet", "plies/00001.parquet"].iter().enumerate()
    {
        let bytes = fs::read(folder.join(file)).expect("the file was written");
        let name = file.replace('/', "-");
        corpus.add("dataset", &name, &[&[number as u8, 0], &bytes[..]].concat());
        corpus.add("dataset", &format!("{name}-edit"), &[number as u8, 1, 9, 0, 3, 1]);
    }
    fs::remove_dir_all(temp_folder()).expect("the folder can be removed");
}

/// The line number and the full FEN of a line of a playthrough, if it has one.
fn full_fen((number, line): (usize, &str)) -> Option<(usize, &str)> {
    Some((number, line.trim().strip_prefix("fen: ")?))
}

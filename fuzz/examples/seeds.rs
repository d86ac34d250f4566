//! Writes what fuzzing starts from into `corpus/`: positions and actions of golden playthroughs,
//! options, agents, and files as the program writes them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use darkqi_env::{Options, Spec, games};
use darkqi_fuzz::{journalled, scratch, write_dataset};
use darkqi_selfplay::arena;
use darkqi_tests::folder;

/// Every so many lines of a playthrough one is taken.
const STRIDE: usize = 60;

struct Corpus(PathBuf);

impl Corpus {
    fn add(&self, target: &str, name: &str, bytes: &[u8]) {
        let folder = self.0.join(target);
        fs::create_dir_all(&folder).expect("a folder can be made");
        fs::write(folder.join(name), bytes).expect("there is room");
    }
}

fn main() {
    let corpus = Corpus(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"));
    for (number, game) in games::names().iter().enumerate() {
        let number = number as u8;
        let playthrough = folder("playthroughs").join(format!("{game}.txt"));
        let text = fs::read_to_string(playthrough).expect("every game has one");
        for (line, fen) in text.lines().enumerate().filter_map(full_fen).step_by(STRIDE) {
            for options in [0, 1 + line as u8] {
                let head = [number, options, 0, line as u8, 1];
                let seed = [&head, fen.as_bytes()].concat();
                corpus.add("fen", &format!("{game}-{line}-{options}"), &seed);
            }
        }
        let spec = Spec::new(game, &Options::new()).expect("it is registered");
        let actions = [&[number, 0, 0, 1, 0, 1, 0, 20][..], &[0; 8], b"a4a5\nb3\npass\n"].concat();
        corpus.add("actions", game, &actions);
        let options: String = spec
            .options
            .iter()
            .map(|option| format!("{}={}\n", option.name, option.value).replace('`', ""))
            .collect();
        corpus.add("options", game, &[&[number, 1, 0][..], options.as_bytes()].concat());
        for mode in 0..6 {
            let head = [number, 0, 0, 2, mode, mode / 3, 9, 0];
            corpus.add("batch", &format!("{game}-{mode}"), &[&head[..], &[77; 80]].concat());
        }
        corpus.add("records", game, &[number, 1, 2, 17, 3, 0]);
        for file in ["values", "weights"] {
            let table = folder("../selfplay/data").join(format!("{file}.toml"));
            let table = fs::read(table).expect("it comes with the program");
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
    let file = scratch().join("seed.jsonl");
    let _ = fs::remove_file(&file);
    arena::play(&journalled(&file), &(), &AtomicBool::new(false)).expect("it can be played");
    let journal = fs::read(&file).expect("it was written");
    corpus.add("journal", "whole", &journal);
    corpus.add("journal", "torn", &journal[..journal.len() * 2 / 3]);
    let folder = scratch().join("seed");
    let _ = fs::remove_dir_all(&folder);
    write_dataset("gaiqi", &folder);
    for (number, file) in
        ["dataset.json", "games-00000.parquet", "plies-00001.parquet"].iter().enumerate()
    {
        let bytes = fs::read(folder.join(file)).expect("it was written");
        corpus.add("dataset", file, &[&[number as u8, 0], &bytes[..]].concat());
        corpus.add("dataset", &format!("{file}-edit"), &[number as u8, 1, 9, 0, 3, 1]);
    }
    fs::remove_dir_all(scratch()).expect("it is ours");
}

/// A line of a playthrough that has a full FEN.
fn full_fen((number, line): (usize, &str)) -> Option<(usize, &str)> {
    Some((number, line.trim().strip_prefix("fen: ")?))
}

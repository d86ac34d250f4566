//! Instructions per step, counted by valgrind: a figure without noise, to compare two versions by.
//!
//! `cargo run --release -p darkqi-env --example instructions [GAME...]`
//!
//! Each count is the difference of two runs of the same games, a long one and a short one, so that
//! neither start-up nor the first steps from the deal are in it. A step draws a random action,
//! plays it and writes all rows, on one thread. Counts depend on compiler and processor family.

use std::env;
use std::error::Error;
use std::io::{self, Write};
use std::process::{Command, ExitCode};

use darkqi_env::{BatchConfig, Buffers, Format, MaskFormat, Options, Spec, games};

/// The first argument of the runs that are counted.
const RUN: &str = "--run";

const LANES: usize = 16;

/// Steps of the short run: the lanes are out of phase by then, or nearly so.
const FROM: usize = 400;

/// Steps of the long run.
const TO: usize = 1200;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let done = match args.first() {
        Some(first) if first == RUN => run(&args[1..]),
        _ => table(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a row per game and format.
fn table(asked: &[String]) -> Result<()> {
    let games: Vec<&str> = match asked {
        [] => games::names().to_vec(),
        asked => asked.iter().map(String::as_str).collect(),
    };
    for game in &games {
        Spec::new(game, &Options::new())?;
    }
    println!("{:<16} {:<12} {:<6} {:>18}", "game", "observation", "mask", "instructions/step");
    for game in games {
        for [format, mask] in [["planes", "bool"], ["tokens", "bits"]] {
            let count = |steps: usize| instructions(&[game, format, mask, &steps.to_string()]);
            let per_step = (count(TO)? - count(FROM)?) as f64 / ((TO - FROM) * LANES) as f64;
            println!("{game:<16} {format:<12} {mask:<6} {per_step:>18.1}");
            io::stdout().flush()?;
        }
    }
    Ok(())
}

/// Instructions of a run from start to end.
fn instructions(run: &[&str]) -> Result<u64> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    let output = valgrind
        .arg(env::current_exe()?)
        .arg(RUN)
        .args(run)
        .output()
        .map_err(|error| format!("valgrind cannot be run: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let count = text.lines().find_map(|line| line.split_once("Collected :"));
    match count {
        Some((_, count)) if output.status.success() => Ok(count.trim().parse()?),
        _ => Err(format!("valgrind counted nothing:\n{text}").into()),
    }
}

/// Plays: game, observation, mask, steps.
fn run(args: &[String]) -> Result<()> {
    let [game, format, mask, steps] = args else {
        return Err(format!("{RUN}: expected GAME OBSERVATION MASK STEPS, got {args:?}").into());
    };
    let config = BatchConfig {
        lanes: LANES,
        seed: 1,
        format: if format == "tokens" { Format::Tokens } else { Format::Planes },
        mask: if mask == "bits" { MaskFormat::Bits } else { MaskFormat::Bool },
        threads: Some(1),
        ..BatchConfig::default()
    };
    let mut batch = darkqi_env::make(game, &Options::new(), config)?;
    let mut buffers = Buffers::new(&*batch);
    let mut actions = [0; LANES];
    for _ in 0..steps.parse()? {
        batch.sample_actions(&mut actions)?;
        batch.step(&actions, buffers.rows())?;
    }
    Ok(())
}

//! Instructions per step, counted by valgrind: a figure without noise, to compare two versions by.
//!
//! `cargo run --release -p darkqi-env --example instructions [GAME[:OPTION=VALUE,...]...]`
//!
//! A step plays one action and writes all rows, on one thread. The actions are random; what sampling
//! them costs is counted apart. Each count is the difference of two runs of the same games, a long
//! one and a short one, which removes start-up and the first steps after the deal. Counts depend on
//! the compiler and the processor family.

use std::env;
use std::error::Error;
use std::io::{self, Write};
use std::process::{Command, ExitCode};

use darkqi_env::{
    BatchConfig, Format, Options, Spec, Value,
    batch::{Buffers, MaskFormat},
    games,
};

/// The first argument of a counted run that samples each action before it plays it.
const SAMPLE: &str = "--sample";

/// The first argument of a counted run that plays the same actions from a list. Every such run makes
/// the whole list first, so that the difference of two runs holds steps alone.
const REPLAY: &str = "--replay";

const LANES: usize = 16;

/// Steps of the short run: the lanes are out of phase by then, or nearly so.
const FROM: usize = 400;

/// Steps of the long run.
const TO: usize = 1200;

/// Games under rules of designers that change no step, beside all games: `RW` is a chariot's movement, too,
/// played by the code for movement of any kind.
const DESIGNS: [&str; 3] = ["banqi:no_moves=draw", "gaiqi:no_moves=draw", "jieqi:moves.R=RW"];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let done = match args.first() {
        Some(first) if [SAMPLE, REPLAY].contains(&first.as_str()) => run(first, &args[1..]),
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
        [] => games::names().iter().copied().chain(DESIGNS).collect(),
        asked => asked.iter().map(String::as_str).collect(),
    };
    for game in &games {
        let (name, options) = rules(game)?;
        Spec::new(name, &options)?;
    }
    println!("instructions per lane");
    println!("{:<20} {:<12} {:<6} {:>10} {:>10}", "game", "observation", "mask", "step", "sample");
    for game in games {
        for [format, mask] in [["planes", "bool"], ["tokens", "bits"]] {
            let per_step = |run: &str| -> Result<f64> {
                let count =
                    |steps: usize| instructions(&[run, game, format, mask, &steps.to_string()]);
                Ok((count(TO)? - count(FROM)?) as f64 / ((TO - FROM) * LANES) as f64)
            };
            let (step, both) = (per_step(REPLAY)?, per_step(SAMPLE)?);
            let sample = both - step;
            println!("{game:<20} {format:<12} {mask:<6} {step:>10.1} {sample:>10.1}");
            io::stdout().flush()?;
        }
    }
    Ok(())
}

/// A game with its options.
fn rules(text: &str) -> Result<(&str, Options)> {
    let (name, options) = text.split_once(':').unwrap_or((text, ""));
    let options = options.split(',').filter(|option| !option.is_empty()).map(|option| {
        let (name, value) = option.split_once('=').ok_or("expected OPTION=VALUE")?;
        Ok((name.to_owned(), Value::Text(value.to_owned())))
    });
    Ok((name, options.collect::<Result<_>>()?))
}

/// Instructions of a run from start to end.
fn instructions(run: &[&str]) -> Result<u64> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    let output = valgrind
        .arg(env::current_exe()?)
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

/// Steps a batch: game, observation, mask, steps.
fn run(how: &str, args: &[String]) -> Result<()> {
    let [game, format, mask, steps] = args else {
        return Err(format!("{how}: expected GAME OBSERVATION MASK STEPS, got {args:?}").into());
    };
    let steps = steps.parse()?;
    let config = BatchConfig {
        lanes: LANES,
        seed: 1,
        format: if format == "tokens" { Format::Tokens } else { Format::Planes },
        mask: if mask == "bits" { MaskFormat::Bits } else { MaskFormat::Bool },
        threads: Some(1),
        ..BatchConfig::default()
    };
    if how == REPLAY {
        let list = sampled(game, &config, TO)?;
        let (name, options) = rules(game)?;
        let mut batch = darkqi_env::make(name, &options, config)?;
        let mut buffers = Buffers::new(&*batch);
        for actions in &list[..steps] {
            batch.step(actions, buffers.rows())?;
        }
    } else {
        sampled(game, &config, steps)?;
    }
    Ok(())
}

/// Steps a new batch with random actions and gives the actions of each step.
fn sampled(game: &str, config: &BatchConfig, steps: usize) -> Result<Vec<[i64; LANES]>> {
    let (name, options) = rules(game)?;
    let mut batch = darkqi_env::make(name, &options, config.clone())?;
    let mut buffers = Buffers::new(&*batch);
    let mut list = vec![[0; LANES]; steps];
    for actions in &mut list {
        batch.sample_actions(actions)?;
        batch.step(&*actions, buffers.rows())?;
    }
    Ok(list)
}

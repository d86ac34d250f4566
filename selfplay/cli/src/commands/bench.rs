//! `darkqi bench`: how fast batches step on this machine.

use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use clap::ValueEnum;
use darkqi_env::{
    Format, Options, Spec,
    batch::{MAX_THREADS, MaskFormat},
    games,
};
use darkqi_format::{check_threads, options_to_json};
use darkqi_play::seeds::parse_seed;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::format::text;
use super::output;
use super::rule_options::RuleOptions;
use super::table;
use crate::bench::machine::{self, Machine};
use crate::bench::{Config, Measurement, measure};

/// Measure how fast batches step under random play, and check that they play correctly
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The games [default: all]
    #[arg(value_name = "GAME")]
    games: Vec<String>,
    /// Number of games that step together; several numbers, separated by commas, are measured in turns
    #[arg(
        long,
        short,
        value_name = "N,...",
        value_delimiter = ',',
        default_value = "4096",
        value_parser = clap::value_parser!(u64).range(1..=1 << 32)
    )]
    lanes: Vec<u64>,
    /// Number of threads; several numbers as above [default: one per core]
    #[arg(
        long,
        short,
        value_name = "N,...",
        value_delimiter = ',',
        value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS as u64)
    )]
    threads: Vec<u64>,
    /// Format of observations
    #[arg(long, value_enum, default_value_t)]
    observation: Observation,
    /// Format of masks of legal actions
    #[arg(long, value_enum, default_value_t)]
    mask: Mask,
    /// Least duration of a repeat, in seconds
    #[arg(long, default_value = "1", value_parser = seconds)]
    seconds: Duration,
    /// Number of repeats
    #[arg(long, short, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
    /// The seed of the games
    #[arg(long, default_value_t = 0, value_parser = parse_seed)]
    seed: u64,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rule_options: RuleOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Observation {
    #[default]
    Planes,
    Tokens,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Mask {
    #[default]
    Bool,
    Bits,
}

/// A positive number of seconds, at most an hour.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0 && seconds <= 3600.0);
    seconds.map(Duration::from_secs_f64).ok_or("expected more than 0 and at most 3600".into())
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let configs = configs(args)?;
    let repeats = usize::from(args.repeats);
    let bar = ProgressBar::new((configs.iter().map(Vec::len).sum::<usize>() * repeats) as u64);
    bar.set_style(ProgressStyle::with_template(
        "{elapsed_precise} {wide_bar} {pos}/{len} repeats, now {msg}",
    )?);
    // Without a thread for it, the time that is shown stands still during a repeat.
    if check_threads(1).is_ok() {
        bar.enable_steady_tick(Duration::from_millis(250));
    }
    let mut groups = Vec::new();
    let measured = configs.into_iter().try_for_each(|configs| {
        bar.set_message(format!("{}, warming up", configs[0].game));
        let measurements = measure(&configs, repeats, |config| {
            bar.inc(1);
            bar.set_message(format!("{}, {} lanes", config.game, config.lanes));
        })?;
        let rows = configs.into_iter().zip(measurements);
        groups.push(rows.map(|(config, measurement)| Row { config, measurement }).collect());
        Ok(())
    });
    bar.finish_and_clear();
    if args.json {
        // Without all rows there is no object: it would look complete.
        if measured.is_ok() {
            output::write_json(out, &to_json(args, &groups)?)?;
        }
    } else if !groups.is_empty() {
        write_table(out, args, &groups)?;
    }
    measured
}

/// The configurations, game by game in the order of the rows. A faulty one is refused before the
/// first measurement.
fn configs(args: &Args) -> Result<Vec<Vec<Config>>> {
    let all = games::names().iter().map(|&name| name.to_owned());
    let games = match args.rule_options.game()? {
        Some(game) if args.games.is_empty() => vec![game],
        _ if args.games.is_empty() => all.collect(),
        _ => args.games.clone(),
    };
    let threads = match args.threads.as_slice() {
        [] => &[machine::threads().min(MAX_THREADS) as u64],
        threads => threads,
    };
    let config = |game: &str, options: &Options, lanes: u64, threads: u64| Config {
        game: game.to_owned(),
        options: options.clone(),
        lanes: lanes as usize,
        threads: threads as usize,
        format: match args.observation {
            Observation::Planes => Format::Planes,
            Observation::Tokens => Format::Tokens,
        },
        mask: match args.mask {
            Mask::Bool => MaskFormat::Bool,
            Mask::Bits => MaskFormat::Bits,
        },
        seed: args.seed,
        duration: args.seconds,
    };
    let of_game = |game: String| {
        let options = args.rule_options.values(&game)?;
        Spec::new(&game, &options)?;
        let pairs =
            args.lanes.iter().flat_map(|lanes| threads.iter().map(move |threads| (lanes, threads)));
        Ok(pairs.map(|(&lanes, &threads)| config(&game, &options, lanes, threads)).collect())
    };
    games.into_iter().map(of_game).collect()
}

/// A configuration and its figures.
struct Row {
    config: Config,
    measurement: Measurement,
}

impl Row {
    /// Steps per second of each repeat.
    fn rates(&self) -> Vec<f64> {
        self.measurement.repeats.iter().map(|repeat| repeat.steps_per_second()).collect()
    }

    /// The range of the repeats, as a fraction of the median; None for a single one.
    fn spread(&self) -> Option<f64> {
        let rates = self.rates();
        let most = rates.iter().copied().fold(f64::MIN, f64::max);
        let least = rates.iter().copied().fold(f64::MAX, f64::min);
        (rates.len() > 1).then(|| (most - least) / median(rates))
    }

    /// Nanoseconds of wall time per step.
    fn nanoseconds(&self) -> f64 {
        1e9 / median(self.rates())
    }

    /// The number of cores in use.
    fn cores(&self) -> f64 {
        self.config.threads.min(machine::threads()) as f64
    }

    /// Nanoseconds of core time per step.
    fn core_nanoseconds(&self) -> f64 {
        self.nanoseconds() * self.cores()
    }

    /// The core time per step relative to another row, measured in turns with this one: repeats are
    /// compared pairwise.
    fn cost_against(&self, other: &Self) -> f64 {
        let times = self.rates().into_iter().zip(other.rates()).map(|(own, others)| others / own);
        median(times.collect()) * self.cores() / other.cores()
    }

    /// Bytes per second written by the steps.
    fn write_rate(&self) -> f64 {
        median(self.rates()) * self.measurement.bytes_per_step as f64
    }

    /// Bytes per second of the machine at filling memory.
    fn fill_rate(&self) -> f64 {
        median(self.measurement.repeats.iter().map(|repeat| repeat.fill_rate).collect())
    }

    /// The fraction of the machine's write rate that was used. Each repeat is compared with the fill
    /// just before it, so that other load affects both.
    fn share(&self) -> f64 {
        let bytes = self.measurement.bytes_per_step as f64;
        let share =
            |repeat: &crate::bench::Repeat| repeat.steps_per_second() * bytes / repeat.fill_rate;
        median(self.measurement.repeats.iter().map(share).collect())
    }
}

/// The median of some numbers, at least one.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let half = numbers.len() / 2;
    if numbers.len() % 2 == 1 { numbers[half] } else { (numbers[half - 1] + numbers[half]) / 2.0 }
}

fn write_table(out: &mut dyn Write, args: &Args, groups: &[Vec<Row>]) -> Result<()> {
    let Machine { cpu, cores, threads } = Machine::this();
    let cores = cores.map(|cores| format!("{cores} cores, ")).unwrap_or_default();
    writeln!(
        out,
        "{}, {cores}{threads} threads; darkqi {}, {}, {} build",
        cpu.as_deref().unwrap_or("unknown processor"),
        env!("CARGO_PKG_VERSION"),
        machine::RUSTC,
        machine::PROFILE,
    )?;
    writeln!(
        out,
        "random play with auto-reset, observation {}, mask {}, {} repeats of at least {:?}\n",
        name(args.observation),
        name(args.mask),
        args.repeats,
        args.seconds,
    )?;
    let header = [
        "game", "lanes", "threads", "steps/s", "spread", "ns/step", "core ns", "to first", "bytes",
        "GB/s", "of fill", "games", "plies",
    ];
    let rows = groups.iter().flat_map(|rows| rows.iter().map(|row| (row, &rows[0])));
    let cells = rows.map(|(row, first)| {
        let Measurement { games, mean_length, bytes_per_step, .. } = row.measurement;
        [
            row.config.game.clone(),
            row.config.lanes.to_string(),
            row.config.threads.to_string(),
            HumanCount(median(row.rates()) as u64).to_string(),
            text(row.spread(), |spread| format!("{:.1} %", 100.0 * spread)),
            format!("{:.1}", row.nanoseconds()),
            format!("{:.1}", row.core_nanoseconds()),
            format!("{:.2}", row.cost_against(first)),
            bytes_per_step.to_string(),
            format!("{:.2}", row.write_rate() / 1e9),
            format!("{:.1} %", 100.0 * row.share()),
            HumanCount(games).to_string(),
            if games > 0 { format!("{mean_length:.1}") } else { "-".to_owned() },
        ]
    });
    table::write(out, header, cells, |column| column > 0)?;
    writeln!(
        out,
        "\nsteps/s: the median of the repeats; spread: their range, as a fraction of the median\n\
         ns/step: wall time; core ns: times the cores in use\n\
         to first: core ns relative to the game's first row, measured in turns with it, the median\n\
         bytes: written by a step: observation, mask, results and action; GB/s: rate of these\n\
         of fill: relative to the rate of as many threads that only fill a buffer of that size\n\
         games: ended while timed; plies: their mean length"
    )?;
    Ok(())
}

fn to_json(args: &Args, groups: &[Vec<Row>]) -> Result<Value> {
    let Machine { cpu, cores, threads } = Machine::this();
    let rows = groups.iter().flat_map(|rows| rows.iter().map(|row| row_to_json(row, &rows[0])));
    let rows = rows.collect::<Result<Vec<_>>>()?;
    Ok(json!({
        "machine": { "cpu": cpu, "cores": cores, "threads": threads },
        "version": env!("CARGO_PKG_VERSION"),
        "rustc": Some(machine::RUSTC).filter(|version| !version.is_empty()),
        "profile": machine::PROFILE,
        "command": {
            "observation": name(args.observation),
            "mask": name(args.mask),
            "seconds": args.seconds.as_secs_f64(),
            "repeats": args.repeats,
            "seed": args.seed,
        },
        "rows": rows,
    }))
}

fn row_to_json(row: &Row, first: &Row) -> Result<Value> {
    let spec = Spec::new(&row.config.game, &row.config.options)?;
    let Measurement { bytes_per_step, warm_up, games, mean_length, .. } = row.measurement;
    Ok(json!({
        "game": row.config.game,
        "options": options_to_json(&spec.options_in_force()),
        "lanes": row.config.lanes,
        "threads": row.config.threads,
        "steps_per_second": median(row.rates()),
        "spread": row.spread(),
        "ns_per_step": row.nanoseconds(),
        "core_ns_per_step": row.core_nanoseconds(),
        "cost_to_first": row.cost_against(first),
        "bytes_per_step": bytes_per_step,
        "bytes_per_second": row.write_rate(),
        "fill_bytes_per_second": row.fill_rate(),
        "share_of_fill": row.share(),
        "games": games,
        "mean_length": Some(mean_length).filter(|mean| mean.is_finite()),
        "warm_up_steps": warm_up,
        "repeats": row.rates(),
    }))
}

/// The name of a value on the command line.
fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

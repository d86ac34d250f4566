//! `darkqi solve`: banqi or gaiqi on a small board, solved.

use std::io::Write;
use std::num::NonZeroUsize;

use anyhow::Result;
use clap::value_parser;
use darkqi_analysis::Measurement;
use darkqi_engine::agents::AgentSpec;
use darkqi_engine::small_boards::{Losses, SmallBoard, SmallBoardError, Solution, SolvedAction};
use darkqi_env::games::{self, Visitor};
use darkqi_env::{Options, Registered, Value, board::BoardSize};
use darkqi_play::seeds::parse_seed;
use darkqi_play::threads::{all_threads, thread_pool};
use indicatif::HumanCount;

use super::format::NONE;
use super::interrupt::{self, Interrupted};
use super::output;
use super::rule_options::RuleOptions;
use super::table;

/// Solve banqi or gaiqi on a small board: the exact value of a position and of each of its actions
///
/// A value is the expected result of the mover, from -1 to 1, if both sides play as well as possible.
/// The rules are those of the game on a board of another size, with a smaller army of each colour. They
/// count quiet plies but no repetitions: `repetition` is off. With `--agents`, what agents lose there
/// against perfect play.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game: banqi or gaiqi
    game: String,
    /// Files and ranks of the board
    #[arg(long, value_name = "FxR", default_value = "4x2", value_parser = size)]
    size: BoardSize,
    /// The pieces of each colour, as many of both together as there are squares
    #[arg(long, value_name = "PIECES", default_value = "KRCP", conflicts_with = "fen")]
    army: String,
    /// A position instead of the start: a full FEN, or its fields `board mover colours`
    #[arg(long)]
    fen: Option<String>,
    /// Agents that play the whole game against perfect play, separated by commas; see `darkqi agents`
    #[arg(long, short, conflicts_with = "fen")]
    agents: Option<String>,
    /// Games of each agent, two of each deal
    #[arg(
        long, short = 'n', value_name = "N", default_value = "1000", requires = "agents",
        value_parser = value_parser!(u64).range(1..=1_000_000_000)
    )]
    games: u64,
    /// The seed of the games
    #[arg(long, default_value_t = 0, value_parser = parse_seed, requires = "agents")]
    seed: u64,
    /// Number of threads; they do not change the values [default: one per core]
    #[arg(long, short, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rule_options: RuleOptions,
}

/// What is printed.
enum Found {
    Solution(Solution),
    Losses(Vec<Result<Losses, SmallBoardError>>),
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    struct Make(BoardSize);
    impl Visitor for Make {
        type Output = Result<SmallBoard, SmallBoardError>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            SmallBoard::new(&rules, self.0)
        }
    }
    let Args { size, army, fen, games, seed, .. } = args;
    let mut options: Options = args.rule_options.values(&args.game)?;
    options.entry("repetition".to_owned()).or_insert(Value::Bool(false));
    let agents = args.agents.as_deref().map(AgentSpec::parse_list).transpose()?.unwrap_or_default();
    let pool = thread_pool(args.threads.unwrap_or_else(all_threads))?;
    let board = games::with(&args.game, &options, Make(*size))??;
    let stop = interrupt::watch();
    let solved = pool.install(|| match fen {
        _ if !agents.is_empty() => {
            board.losses(army, &agents, *games, *seed, stop).map(Found::Losses)
        }
        Some(fen) => board.solve_position(fen, stop).map(Found::Solution),
        None => board.solve_start(army, stop).map(Found::Solution),
    });
    let found = match solved {
        Err(SmallBoardError::Stopped) => {
            return Err(Interrupted::new("there is no value yet").into());
        }
        found => found?,
    };
    match found {
        Found::Solution(solution) if args.json => output::write_json(out, &solution),
        Found::Solution(solution) => write_solution(out, &solution),
        Found::Losses(found) => {
            let (mut losses, mut failed) = (Vec::new(), None);
            for one in found {
                match one {
                    Ok(one) => losses.push(one),
                    Err(error) => drop(failed.get_or_insert(error)),
                }
            }
            // What is known of the others is told.
            if failed.is_none() || !losses.is_empty() {
                write_losses(out, args.json, &losses)?;
            }
            match failed {
                None => Ok(()),
                Some(SmallBoardError::Stopped) => {
                    Err(Interrupted::new("not all games were played").into())
                }
                Some(error) => Err(error.into()),
            }
        }
    }
}

fn write_losses(out: &mut dyn Write, json: bool, losses: &[Losses]) -> Result<()> {
    if json {
        return output::write_json(out, &losses);
    }
    let half_width = |one: &Losses| {
        let (value, error) = (one.per_game, one.error?);
        // The two games of a deal are one observation.
        let degrees = one.games as f64 / 2.0 - 1.0;
        Some(Measurement { value, error }.student(degrees).0.half_width())
    };
    let rows = losses.iter().map(|one| {
        [
            one.agent.clone(),
            one.decisions.to_string(),
            format!("{:.1} %", 100.0 * one.share),
            format!("{:.4}", one.per_decision),
            format!("{:.4}", one.per_game),
            half_width(one).map_or(NONE.into(), |half| format!("{half:.4}")),
        ]
    });
    let header = ["agent", "decisions", "with a loss", "loss per decision", "loss per game", "±"];
    table::write(out, header, rows, |column| column > 0)
}

fn write_solution(out: &mut dyn Write, solution: &Solution) -> Result<()> {
    let Solution { board, covered, value, actions, positions, .. } = solution;
    writeln!(
        out,
        "{board}, covered {covered}: {value:+.6} for the mover; {} positions solved",
        HumanCount(*positions)
    )?;
    table::write(out, ["action", "value", "by what it shows"], actions.iter().map(row), |column| {
        column == 1
    })
}

fn row(action: &SolvedAction) -> [String; 3] {
    let reveals = action.reveals.iter().map(|one| format!("{} {:+.4}", one.piece, one.value));
    [action.action.clone(), format!("{:+.6}", action.value), reveals.collect::<Vec<_>>().join("  ")]
}

fn size(text: &str) -> Result<BoardSize, String> {
    let (files, ranks) = text.split_once('x').unwrap_or_default();
    match (files.parse(), ranks.parse()) {
        // Files have letters.
        (Ok(files @ 0..=26), Ok(ranks)) => Ok(BoardSize { files, ranks }),
        _ => Err("expected FILESxRANKS, such as 4x2, of at most 26 files".to_owned()),
    }
}

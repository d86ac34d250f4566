//! `darkqi solve`: banqi on a small board, solved.

use std::io::Write;
use std::num::NonZeroUsize;

use anyhow::Result;
use darkqi_engine::small_boards::{SmallBoard, SmallBoardError, Solution, SolvedAction};
use darkqi_env::games::{self, Visitor};
use darkqi_env::{Options, Registered, Value, board::BoardSize};
use darkqi_play::threads::{all_threads, thread_pool};
use indicatif::HumanCount;

use super::interrupt::{self, Interrupted};
use super::json;
use super::rule_options::RuleOptions;
use super::table;

/// Solve banqi on a small board: the exact value of a position and of each of its actions
///
/// A value is the expected result of the mover, from -1 to 1, if both sides play as well as possible.
/// The rules are those of banqi on a board of another size, with a smaller army of each colour. They
/// count quiet plies but no repetitions: `repetition` is off.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game: banqi
    game: String,
    /// Files and ranks of the board
    #[arg(long, value_name = "FxR", default_value = "4x2", value_parser = size)]
    size: BoardSize,
    /// The pieces of each colour, as many of both together as there are squares
    #[arg(long, value_name = "PIECES", default_value = "KRCP", conflicts_with = "fen")]
    army: String,
    /// A position instead of the start: the fields `board mover colours` of a full FEN
    #[arg(long)]
    fen: Option<String>,
    /// Number of threads; they do not change the values [default: one per core]
    #[arg(long, short, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rule_options: RuleOptions,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    struct Solve<'a>(&'a Args);
    impl Visitor for Solve<'_> {
        type Output = Result<Solution, SmallBoardError>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            let Args { size, army, fen, .. } = self.0;
            let board = SmallBoard::new(&rules, *size)?;
            match fen {
                Some(fen) => board.solve_position(fen, interrupt::watch()),
                None => board.solve_start(army, interrupt::watch()),
            }
        }
    }
    let mut options: Options = args.rule_options.values(&args.game)?;
    options.entry("repetition".to_owned()).or_insert(Value::Bool(false));
    let pool = thread_pool(args.threads.unwrap_or_else(all_threads))?;
    let solution = match pool.install(|| games::with(&args.game, &options, Solve(args)))? {
        Err(SmallBoardError::Stopped) => {
            return Err(Interrupted::new("there is no value yet").into());
        }
        solution => solution?,
    };
    if args.json {
        return Ok(json::write(out, &solution)?);
    }
    let Solution { board, covered, value, actions, positions, .. } = &solution;
    writeln!(
        out,
        "{board}, covered {covered}: {value:+.6} for the mover; {} positions solved",
        HumanCount(*positions)
    )?;
    Ok(table::write(
        out,
        ["action", "value", "by what it shows"],
        actions.iter().map(row),
        |column| column == 1,
    )?)
}

fn row(action: &SolvedAction) -> [String; 3] {
    let reveals = action.reveals.iter().map(|one| format!("{} {:+.4}", one.piece, one.value));
    [action.action.clone(), format!("{:+.6}", action.value), reveals.collect::<Vec<_>>().join("  ")]
}

fn size(text: &str) -> Result<BoardSize, String> {
    let (files, ranks) = text.split_once('x').unwrap_or_default();
    match (files.parse(), ranks.parse()) {
        (Ok(files), Ok(ranks)) => Ok(BoardSize { files, ranks }),
        _ => Err("expected FILESxRANKS, such as 4x2".to_owned()),
    }
}

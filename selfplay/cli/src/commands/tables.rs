//! `darkqi tables`: endgame tables.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::Result;
use darkqi_engine::tables::{GeneratedTables, TablesError, TablesOfSize, generate_tables};
use darkqi_env::games::{self, Visitor};
use darkqi_env::{Registered, game::ENDGAME_PIECES};
use darkqi_play::threads::{all_threads, thread_pool};
use indicatif::{HumanBytes, HumanCount};

use super::folder;
use super::interrupt::{self, Interrupted};
use super::output;
use super::rule_options::RuleOptions;
use super::table;

/// Solve the endgames of banqi and write them to a folder
///
/// Every position of up to this many pieces, all of them face up, gets its result under best play
/// and the number of plies to the end. `expectimax:tables=DIR` looks them up. The rules that decide
/// who captures whom make other tables; the limits of plies and repetition do not.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game: banqi
    game: String,
    /// The most pieces on the board, 2 to 4
    #[arg(long, value_name = "N", default_value_t = ENDGAME_PIECES)]
    pieces: usize,
    /// The folder of the tables
    #[arg(long, short, value_name = "DIR", value_parser = folder())]
    out: PathBuf,
    /// Number of threads; they do not change the tables [default: one per core]
    #[arg(long, short, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rule_options: RuleOptions,
}

const HEADER: [&str; 9] =
    ["pieces", "sets", "tables", "won", "drawn", "lost", "longest", "size", "file"];

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    struct Generate<'a> {
        pieces: usize,
        dir: &'a Path,
    }
    impl Visitor for Generate<'_> {
        type Output = Result<GeneratedTables, TablesError>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            generate_tables(&rules, self.pieces, self.dir, interrupt::watch())
        }
    }
    let pool = thread_pool(args.threads.unwrap_or_else(all_threads))?;
    let generate = Generate { pieces: args.pieces, dir: &args.out };
    let options = args.rule_options.values(&args.game)?;
    let generated = pool.install(|| games::with(&args.game, &options, generate));
    let generated = match generated? {
        Err(TablesError::Stopped) => {
            return Err(Interrupted::new("the tables of fewer pieces were written").into());
        }
        generated => generated?,
    };
    if args.json {
        return output::write_json(out, &generated);
    }
    let rows = generated.tables.iter().map(row);
    table::write(out, HEADER, rows, |column| column < HEADER.len() - 1)
}

fn row(tables: &TablesOfSize) -> [String; 9] {
    let count = |number: u64| HumanCount(number).to_string();
    [
        tables.pieces.to_string(),
        count(tables.sets),
        count(tables.tables as u64),
        count(tables.won),
        count(tables.drawn),
        count(tables.lost),
        tables.longest.to_string(),
        HumanBytes(tables.bytes as u64).to_string(),
        tables.file.display().to_string(),
    ]
}

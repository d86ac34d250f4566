//! `darkqi replay`: a logged game, move by move.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, bail};
use darkqi_datasets::options_from_json;
use darkqi_datasets::{DRAW, Dataset, GameRecord, PlyRecord};
use darkqi_env::games::{self, Visitor};
use darkqi_env::{Registered, render};

use crate::replay::Replayer;

/// Show a logged game move by move, and check it against the rules
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dataset's folder
    dir: PathBuf,
    /// The game's number
    game_id: u64,
    /// Show the moves only, without boards
    #[arg(long)]
    moves: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let dataset = Dataset::open(&args.dir)?;
    let game = dataset.game(args.game_id)?;
    let metadata = dataset.metadata();
    let options = options_from_json(&metadata.options)?;
    games::with(&metadata.game, &options, Show { game: &game, boards: !args.moves, out })?
}

struct Show<'a> {
    game: &'a GameRecord,
    boards: bool,
    out: &'a mut dyn Write,
}

impl Visitor for Show<'_> {
    type Output = Result<()>;

    fn visit<G: Registered>(self, rules: G) -> Result<()> {
        let Self { game, boards, out } = self;
        writeln!(out, "{} game {}, seed {}", G::NAME, game.game_id, game.seed)?;
        for (seat, agent) in game.agents.iter().enumerate() {
            writeln!(out, "seat {seat}: {agent}")?;
        }
        let replayer = Replayer::new(rules);
        let mut written = Ok(());
        let mut plies = 0..;
        let differences = replayer.replay(game, |ply, state| {
            if written.is_ok() {
                let ply = ply.map(|ply| (plies.next().unwrap_or_default(), ply));
                let board = boards.then(|| render::text(&replayer.rules().full_picture(state)));
                written = write_step(out, ply, board);
            }
        });
        written?;
        write_result(out, game)?;
        if !differences.is_empty() {
            let list: Vec<_> = differences.iter().map(|one| format!("\n  {one}")).collect();
            bail!("game {}: the log and its replay differ{}", game.game_id, list.concat());
        }
        writeln!(out, "the replay agrees with the log")?;
        Ok(())
    }
}

/// Writes a ply with its number, and the position after it. Without a ply, the position of the deal.
fn write_step(
    out: &mut dyn Write,
    ply: Option<(u32, &PlyRecord)>,
    board: Option<String>,
) -> io::Result<()> {
    if let Some((number, ply)) = ply {
        write!(out, "{number:>3}  seat {}  {:<6}", ply.player, ply.mv)?;
        if let Some(piece) = ply.revealed {
            write!(out, "  reveals {piece}")?;
        }
        if let Some(piece) = ply.captured {
            let covered = if ply.captured_covered { "covered " } else { "" };
            write!(out, "  takes {covered}{piece}")?;
        }
        let legal = ply.legal_count;
        writeln!(out, "  (of {legal} legal action{})", if legal == 1 { "" } else { "s" })?;
    }
    match board {
        Some(board) => writeln!(out, "\n{board}\n"),
        None => Ok(()),
    }
}

fn write_result(out: &mut dyn Write, game: &GameRecord) -> io::Result<()> {
    let GameRecord { plies, reason, winner, .. } = game;
    match *winner {
        DRAW if game.terminated => writeln!(out, "drawn after {plies} plies: {reason}"),
        DRAW => writeln!(out, "cut off after {plies} plies: {reason}"),
        winner => writeln!(out, "seat {winner} wins after {plies} plies: {reason}"),
    }
}

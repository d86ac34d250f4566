//! `darkqi replay`: a logged game, move by move.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, bail};
use darkqi_datasets::{DRAW, Dataset, GameRecord, PlyRecord, PolicyEntry};
use darkqi_env::render;
use serde_json::{Value as Json, json};

use super::json;
use crate::replay::{Difference, ReplayedGame, ReplayedPly, replay};

/// Show a logged game move by move, and check it against the rules
///
/// At a terminal the text goes through a pager: `$PAGER`, or else `less -FRX`. The exit code is 1 if
/// the log and the rules differ.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dataset's folder
    dir: PathBuf,
    /// The game's number
    game_id: u64,
    /// Show the moves only, without boards
    #[arg(long)]
    moves: bool,
    /// Print one JSON object instead, with the FEN after each ply
    #[arg(long)]
    json: bool,
    /// Print at once at a terminal, too, without a pager
    #[arg(long)]
    no_pager: bool,
}

impl Args {
    /// Whether the output is long text, for a pager.
    pub(super) fn is_long(&self) -> bool {
        !(self.json || self.no_pager)
    }
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let game = replay(&Dataset::open(&args.dir)?, args.game_id)?;
    if args.json {
        json::write(out, &to_json(&game))?;
    } else {
        write_game(out, &game, !args.moves)?;
    }
    if !game.differences.is_empty() {
        bail!("{}", Difference::list(args.game_id, &game.differences));
    }
    if !args.json {
        writeln!(out, "the replay agrees with the log")?;
    }
    Ok(())
}

fn write_game(out: &mut dyn Write, game: &ReplayedGame, boards: bool) -> io::Result<()> {
    let ReplayedGame { record, deal, plies, .. } = game;
    writeln!(out, "{} game {}, seed {}", game.game, record.game_id, record.seed)?;
    for (seat, agent) in record.agents.iter().enumerate() {
        writeln!(out, "seat {seat}: {agent}")?;
    }
    let write_board = |out: &mut dyn Write, board| match boards {
        true => writeln!(out, "\n{}\n", render::text(board)),
        false => Ok(()),
    };
    if let Some(deal) = deal {
        write_board(out, &deal.picture)?;
    }
    for (number, ReplayedPly { ply, position }) in plies.iter().enumerate() {
        write_ply(out, number, ply)?;
        write_board(out, &position.picture)?;
    }
    write_result(out, record)
}

fn write_ply(out: &mut dyn Write, number: usize, ply: &PlyRecord) -> io::Result<()> {
    write!(out, "{number:>3}  seat {}  {:<6}", ply.player, ply.mv)?;
    if let Some(piece) = ply.revealed {
        write!(out, "  reveals {piece}")?;
    }
    if let Some(piece) = ply.captured {
        let covered = if ply.captured_covered { "covered " } else { "" };
        write!(out, "  takes {covered}{piece}")?;
    }
    let legal = ply.legal_count;
    writeln!(out, "  (of {legal} legal action{})", if legal == 1 { "" } else { "s" })
}

fn write_result(out: &mut dyn Write, game: &GameRecord) -> io::Result<()> {
    let GameRecord { plies, reason, winner, .. } = game;
    match *winner {
        DRAW if game.terminated => writeln!(out, "drawn after {plies} plies: {reason}"),
        DRAW => writeln!(out, "cut off after {plies} plies: {reason}"),
        winner => writeln!(out, "seat {winner} wins after {plies} plies: {reason}"),
    }
}

fn to_json(game: &ReplayedGame) -> Json {
    let ply = |ReplayedPly { ply, position }: &ReplayedPly| {
        let policy = ply.policy.as_deref().map(|policy| {
            let json = |&PolicyEntry { action, probability }: &PolicyEntry| {
                json!({ "action": action, "probability": probability })
            };
            policy.iter().map(json).collect::<Vec<_>>()
        });
        json!({
            "player": ply.player,
            "action": ply.action,
            "move": ply.mv.as_str(),
            "legal_count": ply.legal_count,
            "revealed": ply.revealed.as_deref(),
            "captured": ply.captured.as_deref(),
            "captured_covered": ply.captured_covered,
            "value": ply.value,
            "policy": policy,
            "fen": position.fen,
        })
    };
    let record = &game.record;
    json!({
        "game": game.game,
        "options": game.options,
        "game_id": record.game_id,
        "pair_id": record.pair_id,
        "seed": record.seed,
        "agents": record.agents,
        "deal": record.deal,
        "rewards": record.rewards,
        "winner": record.winner,
        "terminated": record.terminated,
        "reason": record.reason,
        "plies": game.plies.iter().map(ply).collect::<Vec<_>>(),
        "differences": game.differences.iter().map(Difference::to_string).collect::<Vec<_>>(),
    })
}

//! `darkqi replay`: a logged game, move by move.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use darkqi_env::{Viewer, game::Picture, render, shown::shown_name};
use darkqi_format::{Dataset, PlyRecord};
use darkqi_play::replay::{Difference, ReplayedGame, ReplayedPly, replay};

use super::drawing::Drawing;
use super::location;
use super::output;
use super::screen::Screen;

/// Show a logged game move by move, and check it against the rules
///
/// At a terminal the text goes through a pager: `$PAGER`, or else `less -FRX`. The exit code is 1 if
/// the log and the rules differ.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dataset's folder, or its URL in object storage
    #[arg(value_parser = location())]
    dir: PathBuf,
    /// The game's number
    game_id: u64,
    /// Show the moves only, without boards
    #[arg(long, conflicts_with = "picture")]
    moves: bool,
    /// Show the game as this seat saw it, or as `public`, with the squares marked that a move changed
    #[arg(long, value_name = "SEAT", value_parser = viewer)]
    viewer: Option<Viewer>,
    /// Print one JSON object instead, with the FEN after each ply
    #[arg(long, conflicts_with_all = ["moves", "picture"])]
    json: bool,
    /// Print at once, without a pager, at a terminal as well
    #[arg(long)]
    no_pager: bool,
    /// Draw the game as an animation into this file instead
    #[arg(long, value_name = "FILE", groups = ["picture", "pixels"])]
    gif: Option<PathBuf>,
    /// Draw the game as a page of HTML that steps through it
    #[arg(long, value_name = "FILE", group = "picture")]
    html: Option<PathBuf>,
    /// Draw one position as SVG
    #[arg(long, value_name = "FILE", groups = ["picture", "position"])]
    svg: Option<PathBuf>,
    /// Draw one position as PNG
    #[arg(long, value_name = "FILE", groups = ["picture", "pixels", "position"])]
    png: Option<PathBuf>,
    /// The position of `--svg` and `--png`: 0 is the deal [default: the end]
    #[arg(long, value_name = "N", requires = "position", conflicts_with_all = ["gif", "html"])]
    ply: Option<usize>,
    /// Pixels of a row of `--gif` and `--png`
    #[arg(
        long,
        value_name = "PIXELS",
        requires = "pixels",
        conflicts_with_all = ["html", "svg"],
        default_value_t = 480,
        value_parser = clap::value_parser!(u16).range(64..=4096),
    )]
    width: u16,
}

impl Args {
    /// Whether the output is long text, for a pager.
    pub(super) fn is_long(&self) -> bool {
        !(self.json || self.no_pager || self.drawing().is_some())
    }

    /// The picture, and its file.
    fn drawing(&self) -> Option<(Drawing, &Path)> {
        let Self { gif, html, svg, png, ply, width, .. } = self;
        let drawings = [
            (Drawing::Gif { width: *width }, gif),
            (Drawing::Html, html),
            (Drawing::Svg { ply: *ply }, svg),
            (Drawing::Png { ply: *ply, width: *width }, png),
        ];
        drawings.into_iter().find_map(|(drawing, path)| Some((drawing, path.as_deref()?)))
    }
}

fn viewer(text: &str) -> Result<Viewer, String> {
    match text.parse() {
        Ok(seat) => Ok(Viewer::Player(seat)),
        Err(_) if text == "public" => Ok(Viewer::Public),
        Err(_) => Err("expected the number of a seat, or `public`".to_owned()),
    }
}

pub(super) fn run(args: &Args, out: &mut Screen<'_>) -> Result<()> {
    let drawing = args.drawing();
    if let Some((_, path)) = drawing {
        output::check(path)?;
    }
    let game = replay(&Dataset::open(&args.dir)?, args.game_id, args.viewer)?;
    if let Some((drawing, path)) = drawing {
        output::write(out, path, &drawing.bytes(&game)?)?;
        if output::is_stdout(path) {
            return Ok(());
        }
        writeln!(out, "{}: {} game {}", path.display(), game.game, args.game_id)?;
    } else if args.json {
        output::write_json(out, &game.to_json(args.viewer))?;
    } else {
        write_game(out, &game, args)?;
    }
    if !game.differences.is_empty() {
        bail!("{}", Difference::list(args.game_id, &game.differences));
    }
    if !args.json && drawing.is_none() {
        writeln!(out, "the replay agrees with the log")?;
    }
    Ok(())
}

fn write_game(out: &mut dyn Write, game: &ReplayedGame, args: &Args) -> io::Result<()> {
    let ReplayedGame { record, deal, plies, .. } = game;
    write!(out, "{} game {}", game.game, record.game_id)?;
    match args.viewer {
        // The deal follows from it.
        Some(_) => writeln!(out)?,
        None => writeln!(out, ", seed {}", record.seed)?,
    }
    for (seat, agent) in record.agents.iter().enumerate() {
        writeln!(out, "seat {seat}: {}", shown_name(agent))?;
    }
    let mut shown: Option<&Picture> = None;
    let mut write_board = |out: &mut dyn Write, board| {
        let earlier = shown.replace(board).filter(|_| args.viewer.is_some());
        let marked = earlier.map_or_else(Vec::new, |earlier| board.changed_since(earlier));
        if args.moves {
            Ok(())
        } else {
            writeln!(out, "\n{}\n", render::marked_text(board, &marked))
        }
    };
    if let Some(deal) = deal {
        write_board(out, &deal.picture)?;
    }
    for (number, ReplayedPly { ply, position }) in (1..).zip(plies) {
        write_ply(out, number, ply)?;
        write_board(out, &position.picture)?;
    }
    let plies = record.plies;
    writeln!(out, "{} ({plies} pl{})", game.result, if plies == 1 { "y" } else { "ies" })
}

fn write_ply(out: &mut dyn Write, number: usize, ply: &PlyRecord) -> io::Result<()> {
    write!(out, "{number:>3}  seat {}  {:<6}", ply.player, ply.mv)?;
    if let Some(piece) = ply.revealed {
        write!(out, "  reveals {piece}")?;
    }
    if let Some(piece) = ply.captured {
        let covered = if ply.captured_covered { "covered " } else { "" };
        write!(out, "  takes {covered}{piece}")?;
    } else if ply.captured_covered {
        write!(out, "  takes a covered piece that is not shown")?;
    }
    let legal = ply.legal_count;
    writeln!(out, "  (of {legal} legal action{})", if legal == 1 { "" } else { "s" })
}

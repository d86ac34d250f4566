//! Pictures of a logged game.

use anyhow::{Context, Result, bail};
use darkqi_env::{game::Picture, render, shown::printable};
use darkqi_play::replay::{ReplayedGame, ReplayedPly};

/// Steps through the positions of a page. Without it, all are shown one below the other.
const SCRIPT: &str = r#"
const boards = [...document.querySelectorAll("section")];
const slider = document.querySelector("input");
let now = 0;
function show(next) {
  now = Math.max(0, Math.min(boards.length - 1, next));
  boards.forEach((board, ply) => { board.hidden = ply !== now; });
  slider.value = now;
}
slider.max = boards.length - 1;
slider.oninput = () => show(Number(slider.value));
document.querySelector("nav").hidden = false;
document.getElementById("back").onclick = () => show(now - 1);
document.getElementById("forward").onclick = () => show(now + 1);
document.onkeydown = (event) => {
  const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -boards.length, End: boards.length };
  if (event.key in steps && event.target !== slider) show(now + steps[event.key]);
};
show(0);
"#;

/// The colours and shapes of the page in the browser.
const STYLE: &str = ":root { color-scheme: light dark; --paper: light-dark(#f5f0e6, #1b1815); \
                     --card: light-dark(#fffdf8, #25211c); --edge: light-dark(#d9ccb4, #463d32); \
                     --text: light-dark(#2d2418, #ece4d6); --quiet: light-dark(#66583f, #b3a58e); \
                     --accent: light-dark(#1c6b5a, #6fc7ae); } \
                     body { font: 16px/1.45 system-ui, sans-serif; max-width: 44rem; margin: 0 auto; \
                     padding: 1rem; background: var(--paper); color: var(--text); } \
                     h1 { font-size: 1.4rem; margin: 0 0 .2rem; } header p { margin: 0; color: var(--quiet); } \
                     section { margin: .8rem 0; } section p { margin: 0 0 .5rem; min-height: 1.45em; } \
                     svg { display: block; width: 100%; height: auto; max-height: 78vh; border-radius: 10px; } \
                     nav { position: sticky; top: 0; display: flex; gap: .5rem; align-items: center; \
                     margin: .8rem 0; padding: .5rem; background: var(--card); \
                     border: 1px solid var(--edge); border-radius: 10px; } nav[hidden] { display: none; } \
                     nav input { flex: 1; min-width: 0; accent-color: var(--accent); } \
                     button { font: inherit; min-height: 2rem; padding: 0 .8rem; border-radius: 7px; \
                     border: 1px solid var(--edge); background: var(--paper); color: var(--text); } \
                     button:focus-visible, input:focus-visible { outline: 3px solid var(--accent); }";

/// A kind of picture.
#[derive(Clone, Copy, Debug)]
pub(super) enum Drawing {
    Gif { width: u16 },
    Html,
    Svg { ply: Option<usize> },
    Png { ply: Option<usize>, width: u16 },
}

impl Drawing {
    /// The file of a game's picture.
    ///
    /// # Errors
    /// If the game has no such position, or its deal cannot be read.
    pub(super) fn bytes(self, game: &ReplayedGame) -> Result<Vec<u8>> {
        let deal = game.deal.as_ref().context("the game's deal cannot be read")?;
        let plies = game.plies.iter().map(|ply| &ply.position.picture);
        let pictures: Vec<&Picture> = [&deal.picture].into_iter().chain(plies).collect();
        let svg = |ply: usize| {
            let earlier = ply.checked_sub(1).map(|earlier| pictures[earlier]);
            let marked = earlier.map(|earlier| pictures[ply].changed_since(earlier));
            render::marked_svg(pictures[ply], &marked.unwrap_or_default())
        };
        let last = pictures.len() - 1;
        let wanted = |ply: Option<usize>| match ply {
            Some(ply) if ply > last => bail!("ply: expected 0 to {last}, got {ply}"),
            ply => Ok(svg(ply.unwrap_or(last))),
        };
        Ok(match self {
            Self::Gif { width } => pixels::gif((0..=last).map(svg), width)?,
            Self::Html => page(game, (0..=last).map(svg)).into_bytes(),
            Self::Svg { ply } => wanted(ply)?.into_bytes(),
            Self::Png { ply, width } => pixels::png(&wanted(ply)?, width)?,
        })
    }
}

#[cfg(feature = "pictures")]
mod pixels {
    use anyhow::Result;

    pub(super) fn gif(drawings: impl Iterator<Item = String>, width: u16) -> Result<Vec<u8>> {
        Ok(darkqi_pictures::gif(drawings, width))
    }

    pub(super) fn png(svg: &str, width: u16) -> Result<Vec<u8>> {
        Ok(darkqi_pictures::png(svg, width))
    }
}

#[cfg(not(feature = "pictures"))]
mod pixels {
    use anyhow::Result;

    use crate::commands::left_out;

    pub(super) fn gif(_: impl Iterator<Item = String>, _: u16) -> Result<Vec<u8>> {
        Err(left_out("darkqi replay --gif", "pictures"))
    }

    pub(super) fn png(_: &str, _: u16) -> Result<Vec<u8>> {
        Err(left_out("darkqi replay --png", "pictures"))
    }
}

/// A page that steps through the positions.
fn page(game: &ReplayedGame, drawings: impl Iterator<Item = String>) -> String {
    let record = &game.record;
    let title = format!("{} game {}", game.game, record.game_id);
    let agents = record.agents.iter().enumerate();
    let agents: Vec<String> = agents.map(|(seat, agent)| format!("seat {seat}: {agent}")).collect();
    let captions =
        ["The deal.".to_owned()].into_iter().chain(game.plies.iter().enumerate().map(caption));
    let sections: String = drawings
        .zip(captions)
        .map(|(svg, caption)| {
            format!("<section>\n<p>{}</p>\n{svg}\n</section>\n", escape(&caption))
        })
        .collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n<header><h1>{title}</h1>\n<p>{}<br>{}</p></header>\n\
         <nav hidden aria-label=\"Steps through the game\"><button id=\"back\">back</button>\
         <input type=\"range\" min=\"0\" aria-label=\"ply\"><button id=\"forward\">forward</button></nav>\n{sections}\
         <script>{SCRIPT}</script>\n</html>\n",
        escape(&agents.join(", ")),
        escape(&game.result),
    )
}

/// A ply in words.
fn caption((number, ReplayedPly { ply, .. }): (usize, &ReplayedPly)) -> String {
    let mut text = format!("Ply {}: seat {} plays {}", number + 1, ply.player, ply.mv);
    if let Some(piece) = ply.revealed {
        text += &format!(", turning over {piece}");
    }
    match ply.captured {
        Some(piece) if ply.captured_covered => text += &format!(", taking the covered {piece}"),
        Some(piece) => text += &format!(", taking {piece}"),
        None if ply.captured_covered => text += ", taking a covered piece that is not shown",
        None => {}
    }
    text + "."
}

/// Text as HTML content. What would change its direction is shown.
fn escape(text: &str) -> String {
    printable(text, |_| false).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

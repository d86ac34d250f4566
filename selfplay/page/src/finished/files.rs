//! A game that is over as text and pictures.

use std::fmt::Write;
use std::sync::atomic::AtomicBool;
#[cfg(feature = "pictures")]
use std::sync::atomic::Ordering;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use darkqi_env::{Viewer, render};
use darkqi_format::{option_text, options_to_json};
use darkqi_play::play::event_text;
use serde::Deserialize;

use super::Finished;
use crate::answer::Refusal;

/// Pixels of a row of PNG and GIF.
#[cfg(feature = "pictures")]
const WIDTH: u16 = 480;

/// What can be made of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// All plies and the result.
    Txt,
    /// An animation.
    Gif,
    /// One position as pixels.
    Png,
    /// One position.
    Svg,
}

/// What this program can make of a game: pixels need a renderer that not every build has.
pub(crate) const fn kinds() -> &'static [&'static str] {
    if cfg!(feature = "pictures") { &["txt", "gif", "png", "svg"] } else { &["txt", "svg"] }
}

/// A file to keep.
pub(crate) struct Kept {
    name: String,
    kind: &'static str,
    bytes: Vec<u8>,
}

impl IntoResponse for Kept {
    fn into_response(self) -> Response {
        let disposition = format!("attachment; filename=\"{}\"", self.name);
        let headers = [
            (header::CONTENT_TYPE, self.kind.to_owned()),
            (header::CONTENT_DISPOSITION, disposition),
        ];
        (headers, self.bytes).into_response()
    }
}

impl Finished {
    /// The game, or its position after these plies, as a file. It is given up once `stop` is set.
    ///
    /// # Errors
    /// If it has fewer plies, or this program cannot draw pixels.
    pub(crate) fn file(
        &self,
        kind: Kind,
        ply: Option<usize>,
        stop: &AtomicBool,
    ) -> Result<Kept, Refusal> {
        let last = self.actions.len();
        let ply = ply.unwrap_or(last);
        if ply > last {
            return Err(Refusal::faulty(format!("ply: expected 0 to {last}, got {ply}")));
        }
        let game = format!("{}-{}", self.spec.name, self.seed);
        let (name, kind, bytes) = match kind {
            Kind::Txt => (format!("{game}.txt"), "text/plain; charset=utf-8", self.text().into()),
            Kind::Svg => (format!("{game}-{ply}.svg"), "image/svg+xml", self.svg(ply).into()),
            Kind::Png => (format!("{game}-{ply}.png"), "image/png", self.png(ply)?),
            Kind::Gif => (format!("{game}.gif"), "image/gif", self.gif(stop)?),
        };
        Ok(Kept { name, kind, bytes })
    }

    /// All plies and the result. The FEN at the top and the moves are enough to play the game again.
    pub(super) fn text(&self) -> String {
        let mut text = format!("{}, seed {}\n", self.spec.name, self.seed);
        // Nothing that is written to a string fails.
        let options = options_to_json(&self.spec.options_in_force());
        let options: Vec<String> =
            options.iter().map(|(name, value)| option_text(name, value)).collect();
        let _ = writeln!(text, "rules: {}", options.join(" "));
        for (seat, player) in self.players.iter().enumerate() {
            let _ = writeln!(text, "seat {seat}: {player}");
        }
        let _ = writeln!(text, "from: {}\n", self.states[0].fen());
        for (number, (&action, state)) in self.actions.iter().zip(&self.states).enumerate() {
            let seat = state.current_player();
            let viewer = Viewer::Player(seat);
            let event = state.event(action, viewer).expect("what was played is legal");
            let name = state.action_name(action);
            let _ = write!(text, "{:>3}  seat {seat}  {name:<6}", number + 1);
            if let Some(what) = event_text(&event, viewer) {
                let _ = write!(text, "  {what}");
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        let end = self.states[self.actions.len()].fen();
        let _ = writeln!(text, "\n{}\nto: {end}", self.result);
        text
    }

    fn svg(&self, ply: usize) -> String {
        let mut picture = self.states[ply].picture(None);
        if ply == self.actions.len() {
            // The rules do not know a resignation.
            picture.standing.clone_from(&self.result);
        }
        let before = ply.checked_sub(1).map(|before| self.states[before].picture(None));
        let changed = before.map(|before| picture.changed_since(&before));
        render::marked_svg(&picture, &changed.unwrap_or_default())
    }

    #[cfg(feature = "pictures")]
    #[expect(clippy::unnecessary_wraps, reason = "without a renderer there is none")]
    fn png(&self, ply: usize) -> Result<Vec<u8>, Refusal> {
        Ok(darkqi_pictures::png(&self.svg(ply), WIDTH))
    }

    #[cfg(feature = "pictures")]
    #[expect(clippy::unnecessary_wraps, reason = "without a renderer there is none")]
    fn gif(&self, stop: &AtomicBool) -> Result<Vec<u8>, Refusal> {
        let plies = (0..=self.actions.len()).take_while(|_| !stop.load(Ordering::Relaxed));
        let drawings = plies.map(|ply| self.svg(ply));
        Ok(darkqi_pictures::gif(drawings, WIDTH))
    }

    #[cfg(not(feature = "pictures"))]
    fn png(&self, _: usize) -> Result<Vec<u8>, Refusal> {
        Err(no_pixels())
    }

    #[cfg(not(feature = "pictures"))]
    fn gif(&self, _: &AtomicBool) -> Result<Vec<u8>, Refusal> {
        Err(no_pixels())
    }
}

#[cfg(not(feature = "pictures"))]
fn no_pixels() -> Refusal {
    Refusal::impossible(format!("kind: expected one of {}", kinds().join(", ")))
}

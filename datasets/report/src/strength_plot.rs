//! Scores against the strength of the players.

use super::contents::Ladder;
use super::dot_plot::{draw_axis, draw_upright_axis, draw_upright_interval, ends};
use super::drawing::{Drawing, LINE, Scale, WIDTH};
use super::text::{self, Ends};
use darkqi_analysis::Estimate;
use darkqi_analysis::statistics::Trend;

const LEFT: f64 = 44.0;
const TOP: f64 = 26.0;
const HEIGHT: f64 = 220.0;

/// The pieces of which a curve is drawn.
const PIECES: u32 = 24;

/// A dot with its interval for each agent of finite Elo, the line through them with its band, and the
/// score of equal seats.
pub(super) fn draw(ladder: &Ladder, even: Option<f64>) -> String {
    let (right, bottom) = (WIDTH - 18.0, TOP + HEIGHT);
    let across = ends(ladder.points.iter().map(|point| point.elo));
    let across = Scale::new(across.0, across.1, (LEFT, right));
    let scores = ladder.points.iter().flat_map(|point| [point.score.low, point.score.high]);
    let up = ends(scores.chain(even));
    let up = Scale::new(up.0, up.1, (bottom, TOP));
    let mut drawing = Drawing::new(bottom + 2.0 * LINE + 10.0);
    draw_axis(&mut drawing, &across, (TOP, bottom), "Elo above the first agent");
    draw_upright_axis(&mut drawing, &up, (LEFT, right), "score", (LEFT - 26.0, TOP - 16.0));
    if let Some(even) = even {
        drawing.line("guide", (LEFT, up.at(even)), (right, up.at(even)));
    }
    if let Some(trend) = &ladder.trend {
        draw_trend(&mut drawing, &across, &up, trend);
    }
    for point in &ladder.points {
        let x = across.at(point.elo);
        let Estimate { value, low, high } = point.score;
        draw_upright_interval(&mut drawing, x, [low, high].map(|end| up.at(end)));
        let score = text::figure(point.score, 4, Ends::Beside);
        let title = format!("{}: Elo {}, score {score}", point.agent, text::signed(point.elo, 0));
        drawing.dot("dot first", (x, up.at(value)), 3.5, &title);
    }
    drawing.finish()
}

fn draw_trend(drawing: &mut Drawing, across: &Scale, up: &Scale, trend: &Trend) {
    let (low, high) = across.numbers;
    let at = |piece: u32| low + (high - low) * f64::from(piece) / f64::from(PIECES);
    for piece in 0..PIECES {
        let (from, to) = (at(piece), at(piece + 1));
        let (before, after) = (trend.at(from), trend.at(to));
        let curves = [
            ("interval first", before.value, after.value),
            ("grid", before.low, after.low),
            ("grid", before.high, after.high),
        ];
        for (class, one, other) in curves {
            if up.holds(one) && up.holds(other) {
                drawing.line(class, (across.at(from), up.at(one)), (across.at(to), up.at(other)));
            }
        }
    }
}

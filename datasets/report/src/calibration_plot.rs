//! A calibration plot: observed against predicted scores.

use super::dot_plot::{draw_axis, draw_upright_axis, draw_upright_interval};
use super::drawing::{Drawing, LINE, Scale, WIDTH};
use super::text;
use darkqi_analysis::statistics::{Bin, Quality};

const LEFT: f64 = 50.0;
const TOP: f64 = 26.0;
const SIDE: f64 = 300.0;

pub(super) fn draw(quality: &Quality) -> String {
    let left = LEFT + (WIDTH - LEFT - SIDE) / 2.0 - 14.0;
    let across = Scale::new(0.0, 1.0, (left, left + SIDE));
    let up = Scale::new(0.0, 1.0, (TOP + SIDE, TOP));
    let mut drawing = Drawing::new(TOP + SIDE + 2.0 * LINE + 10.0);
    draw_axis(&mut drawing, &across, (TOP, TOP + SIDE), "mean score predicted");
    let name_at = (left - 30.0, TOP - 16.0);
    draw_upright_axis(&mut drawing, &up, (left, left + SIDE), "mean score observed", name_at);
    drawing.line("guide", (across.at(0.0), up.at(0.0)), (across.at(1.0), up.at(1.0)));
    let most = quality.bins.iter().map(|bin| bin.weight).fold(0.0, f64::max);
    for bin in &quality.bins {
        draw_bin(&mut drawing, &across, &up, bin, most);
    }
    drawing.finish()
}

fn draw_bin(drawing: &mut Drawing, across: &Scale, up: &Scale, bin: &Bin, most: f64) {
    let observed = bin.observed;
    let x = across.at(bin.predicted);
    draw_upright_interval(drawing, x, [observed.low, observed.high].map(|end| up.at(end)));
    let excess = text::signed_figure(bin.excess.estimate(), 3);
    let title = format!(
        "{} to {}: predicted {}, observed {}, excess {excess}, {} games' worth",
        text::number(bin.low, 1),
        text::number(bin.high, 1),
        text::number(bin.predicted, 3),
        text::number(observed.value, 3),
        text::number(bin.weight, 1)
    );
    let radius = 2.0 + 4.0 * (bin.weight / most).sqrt();
    drawing.dot("dot first", (x, up.at(observed.value)), radius, &title);
}

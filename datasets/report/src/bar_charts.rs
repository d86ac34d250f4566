//! Bar charts of game lengths and of the reasons of their end.

use super::dot_plot::{draw_axis, draw_upright_axis};
use super::drawing::{Drawing, LINE, Scale, WIDTH};
use super::text;
use darkqi_analysis::{FirstRevealValue, GameLengths, LengthBin};

const HEIGHT: f64 = 170.0;
const TOP: f64 = 3.0 * LINE + 8.0;
const LEFT: f64 = 52.0;
const MARGIN: f64 = 14.0;

/// The length axis ends at this multiple of the 95 % quantile. Longer games are counted in words.
const FAR: f64 = 1.6;

/// Draws the histogram of game lengths. Also returns the number of games beyond the axis.
pub(super) fn lengths(lengths: &GameLengths, games: u64) -> (String, u64) {
    let far = FAR * f64::from(lengths.p95).max(1.0);
    let is_drawn = |bin: &&LengthBin| f64::from(bin.shortest) <= far;
    let drawn: Vec<&LengthBin> = lengths.bins.iter().filter(is_drawn).collect();
    let longer = games - drawn.iter().map(|bin| bin.games).sum::<u64>();
    let end = |bin: &LengthBin| f64::from(bin.longest) + 1.0;
    let longest = drawn.last().map_or(1.0, |bin| end(bin));
    let share = |bin: &LengthBin| 100.0 * bin.games as f64 / games as f64;
    let most = drawn.iter().map(|bin| share(bin)).fold(0.0, f64::max);

    let across = Scale::new(0.0, longest, (LEFT, WIDTH - MARGIN));
    let up = Scale::new(0.0, most, (TOP + HEIGHT, TOP));
    let mut drawing = Drawing::new(TOP + HEIGHT + 2.0 * LINE + 10.0);
    draw_axis(&mut drawing, &across, (TOP + HEIGHT, TOP + HEIGHT), "plies of a game");
    let name_at = (2.0, LINE / 2.0);
    draw_upright_axis(&mut drawing, &up, (LEFT, WIDTH - MARGIN), "% of games", name_at);
    for bin in drawn {
        let (from, to) = (across.at(bin.shortest.into()), across.at(end(bin)));
        let top = up.at(share(bin));
        let title =
            format!("{} to {} plies: {}", bin.shortest, bin.longest, text::games(bin.games));
        let size = ((to - from - 0.5).max(0.5), TOP + HEIGHT - top);
        let filter = format!("min_plies={}&max_plies={}", bin.shortest, bin.longest);
        drawing.rectangle("bar first", (from, top), size, Some(&title), Some(filter));
    }
    let GameLengths { mean, p5, median, p95, .. } = lengths;
    // The smaller of median and mean is labelled to its left, to avoid the other's line.
    let left_from = |is_lesser: bool, room: f64| if is_lesser { room } else { 0.7 * WIDTH };
    // Plies, label, line, and the position from which the label is to the left.
    let marks = [
        (f64::from(*p5), format!("5 %: {p5}"), 2.0, 64.0),
        (*median, format!("median: {median}"), 1.0, left_from(*median <= mean.value, 80.0)),
        (
            mean.value,
            format!("mean: {}", text::number(mean.value, 1)),
            0.0,
            left_from(mean.value < *median, 140.0),
        ),
        (f64::from(*p95), format!("95 %: {p95}"), 2.0, 0.8 * WIDTH),
    ];
    for (plies, name, line, right) in marks {
        let (x, y) = (across.at(plies), LINE * (line + 0.5));
        drawing.line("guide", (x, y), (x, TOP + HEIGHT));
        // The label goes to the side that has room.
        let (class, x) = if x > right { ("note end", x - 4.0) } else { ("note", x + 4.0) };
        drawing.text(class, (x, y), name);
    }
    (drawing.finish(), longer)
}

/// Draws the number of games by reason of the end; games cut off by a limit are separate.
pub(super) fn endings(one: &FirstRevealValue) -> String {
    let mut rows: Vec<(&str, u64, bool)> = Vec::new();
    for (reason, &games) in &one.endings {
        let cut_off = one.cut_off.get(reason).copied().unwrap_or(0);
        rows.push((reason, games - cut_off.min(games), false));
        rows.push((reason, cut_off, true));
    }
    rows.retain(|&(_, games, _)| games > 0);
    rows.sort_by_key(|&(reason, games, is_cut_off)| (is_cut_off, std::cmp::Reverse(games), reason));
    let row = 2.0 * LINE + 6.0;
    let top = 2.0 * LINE + 8.0;
    let bottom = top + row * rows.len() as f64;
    let share = |games: u64| 100.0 * games as f64 / one.games.max(1) as f64;
    let most = rows.iter().map(|&(_, games, _)| share(games)).fold(0.0, f64::max);
    let scale = Scale::new(0.0, most, (MARGIN, WIDTH - MARGIN - 4.0));
    let mut drawing = Drawing::new(bottom + 2.0 * LINE + 10.0);
    let legend = [("bar first", "ended by the rules"), ("bar second", "cut off by a limit")];
    for (number, (class, name)) in legend.into_iter().enumerate() {
        let y = LINE * (number as f64 + 0.5);
        drawing.rectangle(class, (MARGIN, y - 5.0), (20.0, 10.0), None, None);
        drawing.text("label", (MARGIN + 28.0, y), name);
    }
    draw_axis(&mut drawing, &scale, (top, bottom), "% of games");
    for (number, (reason, games, is_cut_off)) in rows.into_iter().enumerate() {
        let y = top + row * number as f64;
        let label = format!(
            "{}: {}, {}",
            reason.replace('_', " "),
            text::games(games),
            text::percent(share(games) / 100.0)
        );
        drawing.text("label", (MARGIN, y + LINE / 2.0 + 2.0), label.clone());
        let class = if is_cut_off { "bar second" } else { "bar first" };
        let width = (scale.at(share(games)) - MARGIN).max(1.0);
        let (corner, filter) = ((MARGIN, y + LINE + 4.0), format!("reason={reason}"));
        drawing.rectangle(class, corner, (width, 12.0), Some(&label), Some(filter));
    }
    drawing.finish()
}

//! A dot plot: rows of dots with intervals.

use super::drawing::{Drawing, LINE, Point, Scale, WIDTH};
use super::text::{self, Ends};
use darkqi_analysis::Estimate;

/// Longer labels are placed above their rows.
const SHORT: usize = 18;
/// Longer labels are cut; the tooltip shows all of them.
const LONG: usize = 50;
const MARGIN: f64 = 12.0;
/// The distance between the marks of a row.
const APART: f64 = 9.0;

/// A dot with its interval, if it has one.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) style: Style,
    pub(super) estimate: Estimate,
}

/// How a mark is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// The main series.
    First,
    /// A series for comparison.
    Second,
    /// The main series, where significant.
    Notable,
    /// A reference value without an interval.
    Reference,
}

impl Style {
    const fn classes(self) -> (&'static str, &'static str) {
        match self {
            Self::First => ("dot first", "interval first"),
            Self::Second => ("dot second", "interval second"),
            Self::Notable => ("dot notable", "interval notable"),
            Self::Reference => ("dot reference", "interval reference"),
        }
    }
}

/// A row of marks under one name.
#[derive(Clone, Debug)]
pub(super) struct DotRow {
    pub(super) label: String,
    pub(super) marks: Vec<Mark>,
}

/// A chart of such rows.
#[derive(Clone, Debug)]
pub(super) struct DotPlot {
    pub(super) rows: Vec<DotRow>,
    /// The label of the axis.
    pub(super) axis: String,
    /// A value for comparison, drawn as a line through all rows.
    pub(super) line: Option<f64>,
    /// The legend, in order.
    pub(super) legend: Vec<(Style, String)>,
    /// Decimals of the numbers in tooltips.
    pub(super) places: usize,
}

impl DotPlot {
    pub(super) fn draw(&self) -> String {
        let labels = self.rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0);
        let is_above = labels > SHORT;
        let left = if is_above { MARGIN } else { MARGIN + 12.0 + 7.0 * labels as f64 };
        let above = if is_above { LINE } else { 0.0 };
        let heights: Vec<f64> = self
            .rows
            .iter()
            .map(|row| above + APART * row.marks.len().max(1) as f64 + 12.0)
            .collect();
        let top = if self.legend.len() > 1 { LINE * self.legend.len() as f64 + 8.0 } else { 4.0 };
        let bottom = top + heights.iter().sum::<f64>();
        let scale = self.scale((left, WIDTH - MARGIN - 8.0));
        let mut drawing = Drawing::new(bottom + 2.0 * LINE + 10.0);
        if self.legend.len() > 1 {
            self.draw_legend(&mut drawing);
        }
        draw_axis(&mut drawing, &scale, (top, bottom), &self.axis);
        if let Some(line) = self.line.filter(|&line| scale.holds(line)) {
            drawing.line("guide", (scale.at(line), top), (scale.at(line), bottom));
        }
        let mut y = top;
        for (row, height) in self.rows.iter().zip(heights) {
            let middle = y + above + (height - above) / 2.0;
            if is_above {
                drawing.text("label", (left, y + LINE / 2.0 + 2.0), shortened(&row.label));
            } else {
                drawing.text("label end", (left - 10.0, middle), row.label.clone());
            }
            let first = middle - APART * (row.marks.len() as f64 - 1.0) / 2.0;
            for (number, mark) in row.marks.iter().enumerate() {
                let y = first + APART * number as f64;
                self.draw_mark(&mut drawing, &scale, y, row, mark);
            }
            y += height;
        }
        drawing.finish()
    }

    fn draw_mark(&self, drawing: &mut Drawing, scale: &Scale, y: f64, row: &DotRow, mark: &Mark) {
        let Estimate { value, low, high } = mark.estimate;
        let (_, interval) = mark.style.classes();
        if low < high {
            drawing.line(interval, (scale.at(low), y), (scale.at(high), y));
            // Ends beyond the axis have no cap.
            for end in [low, high].into_iter().filter(|&end| scale.holds(end)) {
                drawing.line(interval, (scale.at(end), y - 3.0), (scale.at(end), y + 3.0));
            }
        }
        let what = self.legend.iter().find(|(style, _)| *style == mark.style);
        let what = what.map_or("", |(_, name)| name.as_str());
        let figure = text::figure(mark.estimate, self.places, Ends::Beside);
        if scale.holds(value) {
            let title = format!("{}: {what} {figure}", row.label);
            draw_dot(drawing, mark.style, (scale.at(value), y), &title);
        }
    }

    fn draw_legend(&self, drawing: &mut Drawing) {
        for (number, (style, name)) in self.legend.iter().enumerate() {
            let y = LINE * (number as f64 + 0.5);
            let (_, interval) = style.classes();
            if *style != Style::Reference {
                drawing.line(interval, (MARGIN, y), (MARGIN + 20.0, y));
            }
            draw_dot(drawing, *style, (MARGIN + 10.0, y), name);
            drawing.text("label", (MARGIN + 28.0, y), name.clone());
        }
    }

    /// A scale with room for all dots, and for intervals that are not much longer than the range of
    /// the dots.
    fn scale(&self, places: (f64, f64)) -> Scale {
        let marks = || self.rows.iter().flat_map(|row| &row.marks).map(|mark| mark.estimate);
        let values = || marks().map(|mark| mark.value).chain(self.line);
        let (low, high) = ends(values());
        let widths = marks().map(|mark| mark.high - mark.low).filter(|width| width.is_finite());
        let mut widths: Vec<f64> = widths.filter(|&width| width > 0.0).collect();
        widths.sort_by(f64::total_cmp);
        let usual = widths.get(widths.len() / 2).copied().unwrap_or(0.1);
        let room = (high - low).max(1.5 * usual);
        let (least, most) = (low - room, high + room);
        let shown = marks().flat_map(|mark| [mark.low, mark.high]);
        let shown = shown.map(|end| end.clamp(least, most)).chain([low, high]);
        let (low, high) = ends(shown.filter(|end| end.is_finite()));
        Scale::new(low, high, places)
    }
}

/// A disc, or a small square for a reference value.
fn draw_dot(drawing: &mut Drawing, style: Style, (x, y): Point, title: &str) {
    let (dot, _) = style.classes();
    if style == Style::Reference {
        drawing.rectangle(dot, (x - 3.0, y - 3.0), (6.0, 6.0), Some(title), None);
    } else {
        drawing.dot(dot, (x, y), 3.5, title);
    }
}

/// The minimum and maximum.
pub(super) fn ends(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let ends = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
        (low.min(number), high.max(number))
    });
    if ends.0 <= ends.1 { ends } else { (0.0, 1.0) }
}

/// The axis below a chart, with grid lines between two heights.
pub(super) fn draw_axis(drawing: &mut Drawing, scale: &Scale, (top, bottom): Point, name: &str) {
    for (tick, text) in scale.ticks() {
        drawing.line("grid", (scale.at(tick), top), (scale.at(tick), bottom));
        drawing.text("tick middle", (scale.at(tick), bottom + LINE / 2.0 + 2.0), text);
    }
    let middle = (scale.places.0 + scale.places.1) / 2.0;
    drawing.text("axis middle", (middle, bottom + 1.5 * LINE + 3.0), name);
}

/// The axis beside a chart, with grid lines between two places. Its name is at `at`.
pub(super) fn draw_upright_axis(
    drawing: &mut Drawing,
    scale: &Scale,
    (left, right): Point,
    name: &str,
    at: Point,
) {
    for (tick, text) in scale.ticks() {
        drawing.line("grid", (left, scale.at(tick)), (right, scale.at(tick)));
        drawing.text("tick end", (left - 6.0, scale.at(tick)), text);
    }
    drawing.text("axis", at, name);
}

/// An upright interval with its ends.
pub(super) fn draw_upright_interval(drawing: &mut Drawing, x: f64, [low, high]: [f64; 2]) {
    drawing.line("interval first", (x, low), (x, high));
    for end in [low, high] {
        drawing.line("interval first", (x - 3.0, end), (x + 3.0, end));
    }
}

fn shortened(label: &str) -> String {
    if label.chars().count() <= LONG {
        return label.to_owned();
    }
    label.chars().take(LONG - 1).chain(['…']).collect()
}

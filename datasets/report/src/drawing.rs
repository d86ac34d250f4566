//! SVG drawings and the scales of their axes.
//!
//! Colours and fonts come from the page's style sheet, by class. Text that is not known at compile
//! time, such as an agent's name, becomes the text of an element, where it is escaped, and never an
//! attribute. Attributes are constants and numbers, and filters of games, whose characters are checked.

use svg::node::element::{Circle, Line, Rectangle, SVG, Text, Title};
use svg::{Document, Node};

/// A point in a drawing, from the upper left corner.
pub(super) type Point = (f64, f64);

/// The width of all drawings: narrow enough for their text to be legible on a phone.
pub(super) const WIDTH: f64 = 380.0;

/// The height of a line of text.
pub(super) const LINE: f64 = 16.0;

/// A drawing.
#[derive(Debug)]
pub(super) struct Drawing {
    document: SVG,
}

impl Drawing {
    pub(super) fn new(height: f64) -> Self {
        let mut document = Document::new().set("viewBox", (0.0, 0.0, WIDTH, tenths(height)));
        document.assign("role", "img");
        Self { document }
    }

    pub(super) fn line(&mut self, class: &'static str, from: Point, to: Point) {
        let mut line = Line::new();
        line.assign("class", class);
        for (name, at) in [("x1", from.0), ("y1", from.1), ("x2", to.0), ("y2", to.1)] {
            line.assign(name, tenths(at));
        }
        self.document.append(line);
    }

    /// A rectangle, given by its upper left corner and size, with a tooltip. If it stands for games,
    /// `games` tells which, for pages that can show them: a query with the names of columns, such as
    /// `reason=stalemate`.
    pub(super) fn rectangle(
        &mut self,
        class: &'static str,
        corner: Point,
        size: Point,
        title: Option<&str>,
        games: Option<String>,
    ) {
        let mut rectangle = Rectangle::new();
        // The name of a reason comes from a file.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '=' | '&');
        if let Some(games) = games.filter(|games| games.chars().all(is_plain)) {
            rectangle.assign("data-games", games);
        }
        rectangle.assign("class", class);
        for (name, at) in [("x", corner.0), ("y", corner.1), ("width", size.0), ("height", size.1)]
        {
            rectangle.assign(name, tenths(at));
        }
        if let Some(title) = title {
            rectangle.append(Title::new(title));
        }
        self.document.append(rectangle);
    }

    /// A disc with a tooltip.
    pub(super) fn dot(&mut self, class: &'static str, middle: Point, radius: f64, title: &str) {
        let mut dot = Circle::new();
        dot.assign("class", class);
        for (name, at) in [("cx", middle.0), ("cy", middle.1), ("r", radius)] {
            dot.assign(name, tenths(at));
        }
        dot.append(Title::new(title));
        self.document.append(dot);
    }

    /// Text, vertically centred at `at`; the class gives its horizontal anchor.
    pub(super) fn text(&mut self, class: &'static str, at: Point, text: impl Into<String>) {
        let mut element = Text::new(text);
        element.assign("class", class);
        element.assign("x", tenths(at.0));
        // Some SVG viewers do not support `dominant-baseline`.
        element.assign("y", tenths(at.1 + 4.0));
        self.document.append(element);
    }

    pub(super) fn finish(self) -> String {
        self.document.to_string()
    }
}

/// Rounds to tenths, to keep drawings short and equal on all machines.
fn tenths(length: f64) -> f64 {
    (length * 10.0).round() / 10.0 + 0.0
}

/// A linear scale.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// The numbers at its ends.
    pub(super) numbers: (f64, f64),
    /// The positions of its ends.
    pub(super) places: (f64, f64),
    step: f64,
}

impl Scale {
    /// A scale between two numbers, extended to round ones.
    pub(super) fn new(low: f64, high: f64, places: (f64, f64)) -> Self {
        let (low, high) = if high - low > 1e-9 { (low, high) } else { (low - 0.5, high + 0.5) };
        let step = round_step((high - low) / 5.0);
        // A number that is round except for rounding errors is kept.
        let numbers = ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step);
        Self { numbers, places, step }
    }

    /// The position of a number, or of the nearest end.
    pub(super) fn at(&self, number: f64) -> f64 {
        let (low, high) = self.numbers;
        let share = ((number - low) / (high - low)).clamp(0.0, 1.0);
        self.places.0 + share * (self.places.1 - self.places.0)
    }

    pub(super) fn holds(&self, number: f64) -> bool {
        (self.numbers.0..=self.numbers.1).contains(&number)
    }

    /// The tick marks: numbers with their text.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let (low, high) = self.numbers;
        let places = (-self.step.log10()).ceil().clamp(0.0, 9.0) as usize;
        let count = ((high - low) / self.step).round() as usize;
        let tick = |number: usize| {
            // 0 has no sign.
            let tick = low + number as f64 * self.step;
            let tick = if tick.abs() < self.step / 2.0 { 0.0 } else { tick };
            (tick, format!("{tick:.places$}").replace('-', "\u{2212}"))
        };
        (0..=count).map(tick).collect()
    }
}

/// The smallest number 1, 2 or 5 times a power of ten that is not below `least`.
pub(super) fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let digit = [1.0, 2.0, 5.0, 10.0].into_iter().find(|digit| digit * power >= least * 0.999);
    digit.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn ticks_are_round_and_reach_both_ends() {
        let texts = |low, high| -> Vec<String> {
            Scale::new(low, high, (0.0, 1.0)).ticks().into_iter().map(|(_, text)| text).collect()
        };
        assert_eq!(texts(0.47, 0.52), ["0.47", "0.48", "0.49", "0.50", "0.51", "0.52"]);
        assert_eq!(texts(-0.07, 0.083), ["−0.10", "−0.05", "0.00", "0.05", "0.10"]);
        assert_eq!(texts(0.0, 207.0), ["0", "50", "100", "150", "200", "250"]);
        assert!(texts(3.0, 3.0).len() >= 2);
    }
}

//! A heat map of the board: squares coloured by score.

use darkqi_env::{Square, board::BoardSize};

use super::drawing::{Drawing, LINE, WIDTH, round_step};
use super::text::{self, Ends};
use darkqi_analysis::{Effect, Effects, Estimate};

/// A diverging scale; the middle colour stands for about the score of all games.
const COLOURS: [&str; 9] =
    ["heat-0", "heat-1", "heat-2", "heat-3", "heat-4", "heat-5", "heat-6", "heat-7", "heat-8"];
const MIDDLE: usize = COLOURS.len() / 2;

/// Squares with fewer games have no colour, because noise alone would make them extreme.
pub(super) const MIN_GAMES: u64 = 30;

/// The minimum range of scores per colour, so that small differences do not look large.
const MIN_STEP: f64 = 0.005;

const FRAME: f64 = 22.0;

/// Draws the groups of squares on the whole board. `classes` gives the representative of each
/// square's symmetry class.
pub(super) fn draw(
    size: BoardSize,
    classes: &[Square],
    effects: &Effects,
    overall: Estimate,
) -> String {
    let colours = Colours::new(effects, overall.value);
    let has_colours = effects.groups.iter().any(|group| group.games >= MIN_GAMES);
    let side = ((WIDTH - 2.0 * FRAME) / size.files as f64).min(46.0);
    let left = (WIDTH - side * size.files as f64) / 2.0;
    let bottom = 4.0 + side * size.ranks as f64;
    let legend = if has_colours { 3.0 * LINE } else { 0.0 };
    let mut drawing = Drawing::new(bottom + 1.5 * LINE + legend + 8.0);
    for square in size.all() {
        let class = classes[square.index()];
        let name = size.name(class);
        let group = effects.groups.iter().find(|group| group.name == name);
        let alike = classes.iter().filter(|&&other| other == class).count();
        let corner = (
            left + side * size.file(square) as f64,
            bottom - side * (size.rank(square) + 1) as f64,
        );
        let coloured = group.filter(|group| group.games >= MIN_GAMES);
        let colour = coloured.map_or("heat-none", |group| colours.of(group.score.value));
        let title = title(&size.name(square), group, alike);
        let filter = format!("first_square={}", size.name(square));
        drawing.rectangle(colour, corner, (side, side), Some(&title), Some(filter));
        if let Some(group) = group {
            let text = text::number(group.score.value, 2);
            let text = text.strip_prefix('0').unwrap_or(&text);
            let middle = (corner.0 + side / 2.0, corner.1 + side / 2.0);
            let is_far = [COLOURS[0], COLOURS[1], COLOURS[7], COLOURS[8]].contains(&colour);
            let class = match colour {
                "heat-none" => "tick over middle",
                _ if is_far => "cell far middle",
                _ => "cell middle",
            };
            drawing.text(class, middle, text);
        }
    }
    for file in 0..size.files {
        let letter = size.file_letter(size.at(file, 0)).to_string();
        let x = left + side * (file as f64 + 0.5);
        drawing.text("tick middle", (x, bottom + LINE / 2.0 + 2.0), letter);
    }
    for rank in 0..size.ranks {
        let y = bottom - side * (rank as f64 + 0.5);
        drawing.text("tick end", (left - 6.0, y), (rank + 1).to_string());
    }
    if has_colours {
        colours.draw_legend(&mut drawing, bottom + 1.5 * LINE + 4.0);
    }
    drawing.finish()
}

fn title(square: &str, group: Option<&Effect>, alike: usize) -> String {
    let Some(group) = group else { return format!("{square}: no first reveal here") };
    let score = text::figure(group.score, 3, Ends::Beside);
    let games = text::games(group.games);
    let on = match alike {
        1 => String::new(),
        _ => format!(" on {alike} equivalent squares"),
    };
    let p_value = text::p_value(group.p_holm);
    format!("{square}: score {score}, {games}{on}; p {p_value} after Holm")
}

/// The colour scale.
struct Colours {
    middle: f64,
    step: f64,
}

impl Colours {
    fn new(effects: &Effects, middle: f64) -> Self {
        let far = effects
            .groups
            .iter()
            .filter(|group| group.games >= MIN_GAMES)
            .map(|group| (group.score.value - middle).abs())
            .fold(0.0, f64::max);
        Self { middle, step: round_step((far / (MIDDLE as f64 + 0.5)).max(MIN_STEP)) }
    }

    fn of(&self, score: f64) -> &'static str {
        let steps = ((score - self.middle) / self.step).round();
        COLOURS[(MIDDLE as f64 + steps).clamp(0.0, 2.0 * MIDDLE as f64) as usize]
    }

    fn draw_legend(&self, drawing: &mut Drawing, top: f64) {
        let width = 38.0;
        let left = (WIDTH - width * COLOURS.len() as f64) / 2.0;
        for (number, colour) in COLOURS.into_iter().enumerate() {
            drawing.rectangle(
                colour,
                (left + width * number as f64, top),
                (width, 12.0),
                None,
                None,
            );
        }
        // The bounds between colours.
        for number in 1..COLOURS.len() {
            let bound = self.middle + (number as f64 - MIDDLE as f64 - 0.5) * self.step;
            let x = left + width * number as f64;
            drawing.text("tick middle", (x, top + 20.0), text::number(bound, 3));
        }
        let name = "score of the player who made the first reveal there";
        drawing.text("axis middle", (WIDTH / 2.0, top + 20.0 + LINE), name);
    }
}

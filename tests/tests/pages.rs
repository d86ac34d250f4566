//! The pages of `docs/games`: the reference of each game is generated.
//!
//! `scripts/bless.sh` rewrites the generated blocks and the pictures. Commands of the pages are run by
//! `selfplay/cli/tests/selfplay/pages.rs`, their Python by `tests/python/test_pages.py`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use darkqi_engine::agent::NEVER;
use darkqi_env::games::{self, Visitor};
use darkqi_env::{
    Action, Move, Options, Registered, Spec, Viewer,
    board::{ActionTable, Perspective},
    game::Layout,
    render,
};
use darkqi_play::generation::{Job, Summary, selfplay};
use darkqi_tests::{folder, shipped_games};
use tempfile::tempdir;

/// The page that lists the others.
const INDEX: &str = "README";

fn page(name: &str) -> PathBuf {
    folder("../docs/games").join(name).with_extension("md")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn blessing() -> bool {
    std::env::var_os("DARKQI_BLESS").is_some()
}

/// Compares the block of this title in a page with the generated text, or writes it.
fn settle(path: &Path, title: &str, generated: &str) {
    let text = read(path);
    let start = format!("<!-- generated: {title} -->\n");
    let parts = text
        .split_once(&start)
        .and_then(|(before, rest)| Some((before, rest.split_once("<!-- end -->")?)));
    let Some((before, (written, after))) = parts else {
        panic!("{} lacks the block `{title}`: its marker and `<!-- end -->`", path.display());
    };
    let generated = format!("\n{generated}\n");
    if blessing() {
        let text = format!("{before}{start}{generated}<!-- end -->{after}");
        fs::write(path, text).expect("the page can be written");
    } else {
        let differs = generated.lines().zip(written.lines()).find(|(new, old)| new != old);
        assert!(
            written == generated,
            "{}, block `{title}`, generated and written: {differs:?}; `scripts/bless.sh` rewrites it",
            path.display()
        );
    }
}

/// A Markdown table.
fn table<const N: usize>(header: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head = line(&header.map(str::to_owned)) + &line(&["---"; N].map(str::to_owned));
    rows.into_iter().fold(head, |text, row| text + &line(&row))
}

fn code(text: impl ToString) -> String {
    format!("`{}`", text.to_string().trim_matches('`'))
}

/// The generated reference of a game.
struct Reference;

impl Visitor for Reference {
    type Output = String;

    fn visit<G: Registered>(self, rules: G) -> String {
        let spec = Spec::of(&rules);
        let is_turned = rules.perspective(0) != rules.perspective(1);
        let numbering = if is_turned {
            "Squares are numbered from the side of the mover, in observations from the side of the \
             viewer: for seat 1 the board is rotated by 180 degrees."
        } else {
            "Squares are numbered alike for all seats: the board is not rotated."
        };
        format!(
            "{}\n### Options\n\n{}\n### Actions\n\n{numbering}\n\n{}\n### Observations\n\n{}",
            overview(&spec),
            options(&spec),
            actions(rules.table(), is_turned),
            observations(&spec.layout),
        )
    }
}

fn overview(spec: &Spec) -> String {
    let Layout { size, pieces, .. } = spec.layout;
    // Observations list the viewer's own kinds first, in the order of their letters.
    let kinds = spec.kinds.iter().zip(pieces).map(|(letter, name)| {
        let name = name.strip_prefix("own ").expect("one's own pieces come first");
        format!("`{letter}` {name}")
    });
    let rows = [
        ("players", spec.num_players.to_string()),
        ("board", format!("{} files, {} ranks", size.files, size.ranks)),
        ("pieces", kinds.collect::<Vec<_>>().join(", ")),
        ("actions", spec.num_actions.to_string()),
        ("planes", code(format!("{:?}", spec.layout.plane_shape()))),
        ("tokens", code(format!("[{}]", spec.layout.token_len()))),
    ];
    table(["", ""], rows.map(|(what, value)| [what.to_owned(), value]))
}

fn options(spec: &Spec) -> String {
    let rows = spec.options.iter().filter(|it| !it.design).map(|option| {
        let default = match option.default.to_string().as_str() {
            "``" => "empty".to_owned(),
            default => code(default),
        };
        let about = option.about.to_owned();
        [code(option.name), option.type_name.to_owned(), default, option.range.clone(), about]
    });
    table(["option", "type", "default", "values", "description"], rows)
}

fn actions(actions: &ActionTable, is_turned: bool) -> String {
    let all: Vec<Action> = (0..actions.len()).map(|index| Action(index as u16)).collect();
    let what = |&action: &Action| match actions.get_move(action, Perspective::Upright) {
        Move::Flip(_) => "flips, by square",
        Move::Step { .. } => "steps, by origin square, then by target square",
        Move::Pass => "the pass",
    };
    let rows = all.chunk_by(|a, b| what(a) == what(b)).map(|group| {
        let [first, last] = [group[0], group[group.len() - 1]].map(Action::index);
        let indices = if first == last { first.to_string() } else { format!("{first} to {last}") };
        let mut names = examples(actions, group, Perspective::Upright);
        if is_turned {
            names += &format!("; for seat 1 {}", examples(actions, group, Perspective::Rotated));
        }
        [indices, what(&group[0]).to_owned(), names]
    });
    table(["actions", "type", "names"], rows)
}

/// The names of the first actions of a group and of the last.
fn examples(actions: &ActionTable, group: &[Action], perspective: Perspective) -> String {
    let name = |action| actions.name(action, perspective);
    match *group {
        [first, second, .., last] => {
            format!("`{}`, `{}` … `{}`", name(first), name(second), name(last))
        }
        _ => group.iter().map(|&action| code(name(action))).collect::<Vec<_>>().join(", "),
    }
}

/// Pieces and scalars in a row whose names begin with the same word share a line.
fn observations(layout: &Layout) -> String {
    let tokens = layout.token_names();
    let last = layout.size.squares() - 1;
    let first_mark = layout.pieces.len();
    let first_scalar = first_mark + layout.marks.len();
    let planes: Vec<(usize, &str)> = layout.plane_names().into_iter().enumerate().collect();
    let is_mark = |plane: usize| (first_mark..first_scalar).contains(&plane);
    let is_piece = |plane: usize| plane < first_mark;
    let word = |name: &str| name.split_once(' ').map_or(name, |(word, _)| word).to_owned();
    let rows = planes
        .chunk_by(|&(a, one), &(b, other)| {
            word(one) == word(other) && is_piece(a) == is_piece(b) && !is_mark(a) && !is_mark(b)
        })
        .map(|group| {
            let ((first, name), (end, _)) = (group[0], group[group.len() - 1]);
            let range = |first: usize, end: usize| match end - first {
                0 => first.to_string(),
                _ => format!("{first} to {end}"),
            };
            let begin = word(name) + " ";
            let others = group[1..].iter().map(|(_, other)| other.trim_start_matches(&begin));
            let names: Vec<&str> = std::iter::once(name).chain(others).collect();
            let token = match tokens.iter().position(|token| token == name) {
                None => format!("value {}", range(first + 1, end + 1)),
                Some(value) if is_mark(first) => {
                    format!("{} (its square + 1, or 0), {value} (its value)", value - 1)
                }
                Some(value) => range(value, value + end - first),
            };
            [range(first, end), names.join(", "), token]
        });
    format!(
        "Tokens 0 to {last} are the squares from `{}` to `{}` as seat 0 sees them: 0 for an \
         empty one, else the value in the table.\n\n{}",
        tokens[0],
        tokens[last],
        table(["planes", "names", "tokens"], rows)
    )
}

fn games_list() -> String {
    let rows = shipped_games().into_iter().map(|name| {
        let spec = Spec::new(name, &Options::new()).expect("the game exists");
        let size = spec.layout.size;
        [
            format!("[{name}]({name}.md)"),
            format!("{} × {}", size.files, size.ranks),
            spec.num_players.to_string(),
            spec.about.to_owned(),
        ]
    });
    table(["game", "board", "players", "description"], rows)
}

/// Every game has its page and picture, and there are no others.
#[test]
fn pages_are_as_generated() {
    for name in shipped_games() {
        let reference = games::with(name, &Options::new(), Reference).expect("the game exists");
        settle(&page(name), "reference", &reference);
        let start = darkqi_env::deal(name, &Options::new(), 0).expect("the game exists");
        let drawn = render::svg(&start.picture(Some(Viewer::Public))) + "\n";
        let path = page(name).with_extension("svg");
        if blessing() {
            fs::write(&path, drawn).expect("the picture can be written");
        } else {
            assert!(read(&path) == drawn, "{}: `scripts/bless.sh` redraws it", path.display());
        }
    }
    let entries = fs::read_dir(folder("../docs/games")).expect("the folder can be read");
    let found: BTreeSet<_> = entries
        .map(|entry| entry.expect("the folder can be read").file_name().into_string())
        .map(|name| name.expect("names are ASCII"))
        .collect();
    let of_games =
        shipped_games().into_iter().flat_map(|name| [format!("{name}.md"), format!("{name}.svg")]);
    assert_eq!(found, of_games.chain([format!("{INDEX}.md")]).collect());
}

/// A thousand games of random agents, as `darkqi selfplay` plays them.
fn random_games(name: &str) -> Summary {
    let dir = tempdir().expect("there is room for files");
    let agents = vec!["random".parse().expect("the agent is registered")];
    let job = Job { dir: Some(dir.path().join(name)), ..Job::new(name, agents) };
    selfplay(&job, &(), &NEVER).expect("random agents keep to the rules")
}

#[test]
fn the_index_is_as_generated() {
    let rules = read(&folder("../docs/RULES.md"));
    let (_, reasons) = rules.split_once("## 8. Ending reasons").expect("the section exists");
    let summaries: Vec<_> =
        shipped_games().into_iter().map(|name| (name, random_games(name))).collect();
    let results = summaries.iter().map(|(name, summary)| {
        let Summary { games, lengths, seats, .. } = summary;
        let first = &seats[0];
        let score = first.score.expect("there are games");
        assert_eq!(first.wins + first.draws + first.losses + first.truncated, *games);
        [
            format!("[{name}]({name}.md)"),
            first.wins.to_string(),
            first.draws.to_string(),
            first.losses.to_string(),
            first.truncated.to_string(),
            format!("{:.4} ({:.4} to {:.4})", score.value, score.low, score.high),
            format!("{:.1}", lengths.mean),
            lengths.median.to_string(),
            lengths.min.to_string(),
            lengths.max.to_string(),
        ]
    });
    let header = [
        "game",
        "wins of seat 0",
        "draws",
        "losses",
        "truncated",
        "score of seat 0 (95 % interval)",
        "plies: mean",
        "median",
        "shortest",
        "longest",
    ];
    let results = table(header, results);
    let endings = summaries.iter().map(|(name, summary)| {
        let page = read(&page(name));
        let counts = summary.reasons.iter().map(|(reason, count)| {
            let reason = code(reason);
            assert!(reasons.contains(&reason), "{name}: {reason} is no ending of RULES.md");
            assert!(page.contains(&reason), "{name}: its page does not name {reason}");
            format!("{reason} {count}")
        });
        [format!("[{name}]({name}.md)"), counts.collect::<Vec<_>>().join(", ")]
    });
    let endings = table(["game", "how the games ended"], endings);
    settle(&page(INDEX), "games", &games_list());
    settle(&page(INDEX), "random games", &format!("{results}\n{endings}"));
}

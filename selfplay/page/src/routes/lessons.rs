//! Lessons: how a game is played, with boards that the rules have filled in.

use std::collections::BTreeMap;

use axum::extract::{Path, State};
use darkqi_env::{
    Action, Move, Options, Spec, Square, Value, Viewer,
    game::{Captures, Example, Lesson, PieceLesson, Topic, Words},
};
use darkqi_format::options_to_json;
use serde::Serialize;
use serde_json::Value as Json;

use crate::answer::{Answer, Params, Refusal};
use crate::app::App;
use crate::board::{PictureJson, names};

/// The lesson of a game. The query has the options that differ from their defaults.
pub(super) async fn lesson(
    State(app): State<App>,
    Path(game): Path<String>,
    Params(options): Params<BTreeMap<String, String>>,
) -> Answer {
    app.tell(move || LessonJson::new(&game, options)).await
}

/// A lesson as the page shows it.
#[derive(Serialize)]
struct LessonJson {
    game: &'static str,
    options: BTreeMap<String, Json>,
    goal: Words,
    turn: Vec<Words>,
    first: Option<ExampleJson>,
    pieces: Vec<PieceJson>,
    covered: Option<Words>,
    /// By squares, the letters of the kinds as which covered pieces move from there.
    moves_as: BTreeMap<String, char>,
    captures: Option<Captures>,
    topics: Vec<TopicJson>,
    ends: Vec<Words>,
    section: u8,
}

#[derive(Serialize)]
struct PieceJson {
    letter: char,
    characters: String,
    name: Option<Words>,
    moves: Words,
    becomes: Option<char>,
    example: Option<ExampleJson>,
}

#[derive(Serialize)]
struct TopicJson {
    title: Words,
    text: Words,
    example: Option<ExampleJson>,
}

/// A position with the legal targets of one piece; where it goes to one of them, the position after that.
#[derive(Serialize)]
struct ExampleJson {
    picture: PictureJson,
    square: String,
    targets: Vec<String>,
    to: Option<String>,
    after: Option<PictureJson>,
}

impl LessonJson {
    fn new(game: &str, options: BTreeMap<String, String>) -> Result<Self, Refusal> {
        let options: Options =
            options.into_iter().map(|(name, value)| (name, Value::Text(value))).collect();
        let spec = Spec::new(game, &options).map_err(Refusal::faulty)?;
        let nothing = || Refusal::missing(format!("game: nobody has written a lesson of {game}"));
        let Lesson { goal, turn, first, pieces, covered, captures, topics, ends, section } =
            spec.lesson().ok_or_else(nothing)?;
        let example = |example: Option<Example>| example.map(|it| ExampleJson::new(&spec, it));
        let piece = |piece: PieceLesson| PieceJson {
            letter: piece.letter,
            characters: piece.characters,
            name: spec
                .names
                .iter()
                .find(|(it, _)| *it == piece.letter)
                .map(|(_, name)| name.clone()),
            moves: piece.moves,
            becomes: piece.becomes,
            example: example(piece.example),
        };
        let topic = |topic: Topic| TopicJson {
            title: topic.title,
            text: topic.text,
            example: example(topic.example),
        };
        let size = spec.layout.size;
        let moves_as =
            size.all().filter_map(|square| Some((square, spec.moves_as(square)?.letter)));
        Ok(Self {
            game: spec.name,
            options: options_to_json(&spec.options_in_force()),
            goal,
            turn,
            first: example(first),
            pieces: pieces.into_iter().map(piece).collect(),
            covered,
            moves_as: moves_as.map(|(square, letter)| (size.name(square), letter)).collect(),
            captures,
            topics: topics.into_iter().map(topic).collect(),
            ends,
            section,
        })
    }
}

impl ExampleJson {
    /// # Panics
    /// If the position is none, or its move is not legal: env's tests look at all of them.
    fn new(spec: &Spec, Example { fen, square, to }: Example) -> Self {
        let state = spec.parse_fen(&fen).expect("the position of an example is one");
        let target = |&action: &Action| match state.get_move(action) {
            Move::Step { from, to } => (from == square).then_some((action, to)),
            Move::Flip(on) => (on == square).then_some((action, on)),
            Move::Pass => None,
        };
        let moves: Vec<(Action, Square)> =
            state.legal_actions().iter().filter_map(target).collect();
        let viewer = Some(Viewer::Player(state.current_player()));
        let after = moves.iter().find(|(_, target)| Some(*target) == to).map(|&(action, _)| {
            let mut after = state.boxed_clone();
            after.apply(action).expect("it is legal");
            PictureJson::new(&*after, Some(&*state), viewer)
        });
        let size = spec.layout.size;
        let targets: Vec<Square> = moves.into_iter().map(|(_, target)| target).collect();
        Self {
            picture: PictureJson::new(&*state, None, viewer),
            square: size.name(square),
            targets: names(size, &targets),
            to: to.map(|to| size.name(to)),
            after,
        }
    }
}

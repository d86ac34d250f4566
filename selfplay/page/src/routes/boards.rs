//! Requests about positions that no game has: to set one up, and to look at it before a game begins.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use darkqi_env::{
    Action, Player, Spec, Value as OptionValue, Viewer,
    board::Move,
    game::{Army, Glyph, Hides, Picture},
};
use darkqi_play::play::Game;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::play::{Rules, spec_of};
use crate::answer::{Answer, Body, Refusal};
use crate::app::App;
use crate::board::{PictureJson, owners};

pub(super) fn routes() -> Router<App> {
    Router::new().route("/api/setup", post(setup)).route("/api/board", post(board))
}

/// What a game's positions are made of.
#[derive(Serialize)]
struct Setup {
    /// The game's beginning, without what is hidden where such a FEN can be read.
    fen: String,
    picture: PictureJson,
    /// The seat of each army; none where play decides.
    owners: Vec<Option<Player>>,
    pieces: Vec<PieceKind>,
    /// Covered pieces that are dealt afresh.
    unknown: Vec<Back>,
    movers: Vec<Mover>,
}

#[derive(Serialize)]
struct PieceKind {
    /// As a FEN writes it.
    name: String,
    army: u8,
    letter: char,
    character: char,
}

#[derive(Serialize)]
struct Back {
    name: String,
    army: Option<usize>,
}

/// Who is to move.
#[derive(Serialize)]
struct Mover {
    /// The fields of a FEN that say it, beginning with the second.
    name: String,
    seat: Player,
    /// The army that moves, where play decides which one a seat has. None as long as it is open.
    army: Option<usize>,
}

async fn setup(State(app): State<App>, Body(Rules { game, options }): Body<Rules>) -> Answer {
    app.tell(move || Setup::new(&spec_of(&game, &options)?)).await
}

impl Setup {
    fn new(spec: &Spec) -> Result<Self, Refusal> {
        let deal = spec.deal(0);
        let public = deal.view_fen(Viewer::Public);
        let can_deal = spec.parse_view_fen(&public, 0).is_ok();
        let back = |(army, of): (usize, &Army)| Back { name: of.piece_name('X'), army: Some(army) };
        let unknown = match spec.hides {
            _ if !can_deal => Vec::new(),
            Hides::Nothing => Vec::new(),
            Hides::Kind => spec.armies.iter().enumerate().map(back).collect(),
            Hides::KindAndArmy => vec![Back { name: "?".to_owned(), army: None }],
        };
        Ok(Self {
            fen: if can_deal { public } else { deal.fen() },
            picture: PictureJson::new(&*deal, None, None),
            pieces: pieces(spec, &deal.picture(None)),
            unknown,
            owners: owners(&*deal),
            movers: movers(spec)?,
        })
    }
}

/// The pieces of a game. Those of no army, as a picture shows them, have their letter alone.
fn pieces(spec: &Spec, picture: &Picture) -> Vec<PieceKind> {
    let new = |name: String, army: u8, Glyph { letter, character }: Glyph| PieceKind {
        name,
        army,
        letter,
        character,
    };
    let own = spec.pieces().map(|piece| new(spec.piece_name(piece), piece.army, spec.glyph(piece)));
    let others = picture.pieces.iter().flatten().filter_map(|piece| {
        let army = piece.army.filter(|&army| usize::from(army) >= spec.armies.len())?;
        let glyph = piece.glyph?;
        Some(new(glyph.letter.to_string(), army, glyph))
    });
    own.chain(others).collect()
}

/// The seats of a game, and what a FEN calls them when they are to move, as play shows them.
fn movers(spec: &Spec) -> Result<Vec<Mover>, Refusal> {
    let mut movers = BTreeSet::new();
    // So that every seat comes to move.
    let mut options = spec.options_in_force();
    options.insert("max_plies".to_owned(), OptionValue::Int(i64::from(u16::MAX)));
    let mut state = darkqi_env::deal(spec.name, &options, 0).map_err(Refusal::impossible)?;
    // A round, in which each army may have a turn of its own.
    for _ in 0..2 * spec.num_players.max(spec.armies.len()) {
        if let Some(name) = state.fen().split(' ').nth(1) {
            movers.insert((state.current_player(), name.to_owned()));
        }
        // A pass ends a turn of several plies.
        let is_pass = |action: &&Action| state.get_move(**action) == Move::Pass;
        let legal = state.legal_actions();
        let Some(&action) = legal.iter().find(is_pass).or(legal.first()) else { break };
        state.apply(action).map_err(Refusal::impossible)?;
    }
    let mover = |(seat, name)| Mover { name, seat, army: None };
    if spec.hides != Hides::KindAndArmy {
        return Ok(movers.into_iter().map(mover).collect());
    }
    // The next field has the colour of the first seat.
    let with_colours = |(seat, name): (Player, String)| {
        let open = mover((seat, format!("{name} -")));
        let given = spec.armies.iter().enumerate().map(move |(first, army)| Mover {
            name: format!("{name} {}", army.letter),
            seat,
            army: Some((first + seat) % 2),
        });
        iter::once(open).chain(given)
    };
    Ok(movers.into_iter().flat_map(with_colours).collect())
}

/// A position of a game that is to begin there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Placed {
    game: String,
    #[serde(default)]
    options: BTreeMap<String, Value>,
    fen: String,
}

#[derive(Serialize)]
struct PlacedJson {
    picture: PictureJson,
    owners: Vec<Option<Player>>,
    mover: Player,
}

/// What a position looks like that a game can begin with. What it leaves unknown is not shown.
async fn board(State(app): State<App>, Body(placed): Body<Placed>) -> Answer {
    let look = move || {
        let spec = spec_of(&placed.game, &placed.options)?;
        let fen = placed.fen.trim();
        let game = Game::new(spec.name, &spec.options_in_force(), 0, Some(fen));
        let game = game.map_err(Refusal::faulty)?;
        let state = game.state();
        // Such a FEN says no more than a view.
        let viewer = spec.parse_fen(fen).is_err().then_some(Viewer::Public);
        Ok(PlacedJson {
            picture: PictureJson::new(state, None, viewer),
            owners: owners(state),
            mover: state.current_player(),
        })
    };
    app.tell(look).await
}

#[cfg(test)]
mod tests {
    use darkqi_env::{Options, Spec, games};

    use super::Setup;

    #[test]
    fn all_pieces_are_there_and_the_beginning_can_be_read() {
        for game in games::names() {
            let spec = Spec::new(game, &Options::new()).expect("the game exists");
            let setup = Setup::new(&spec).unwrap_or_else(|refusal| panic!("{refusal}"));
            let own = |army: &u8| usize::from(*army) < spec.armies.len();
            let armies = setup.pieces.iter().map(|piece| piece.army).filter(own);
            assert_eq!(armies.count(), spec.armies.len() * spec.kinds.len(), "{game}");
            assert!(setup.movers.len() >= spec.num_players, "{game}");
            let state = spec.parse_view_fen(&setup.fen, 3).expect("it can be read");
            assert_eq!(state.outcome(), None);
        }
    }
}

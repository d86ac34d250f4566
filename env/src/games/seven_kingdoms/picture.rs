//! What a board of seven kingdoms looks like.

use super::geometry::{CENTRE, SIZE};
use super::kingdom::Kingdom;
use super::piece::Piece;
use super::state::{Fall, State};
use super::{SevenKingdoms, View};
use crate::game::{Army, Depict, Disc, Glyph, Ground, Picture};

/// The armies in their colours, and the emperor.
const ARMIES: &[Army] = &[
    Army { prefix: "w", ink: "#2f2a24", wood: "#fdfcf8" },
    Army { prefix: "r", ink: "#fff3ea", wood: "#b8231f" },
    Army { prefix: "o", ink: "#3d1c00", wood: "#f28c28" },
    Army { prefix: "b", ink: "#eef5ff", wood: "#2459a8" },
    Army { prefix: "g", ink: "#effbea", wood: "#2f7d3a" },
    Army { prefix: "p", ink: "#fbf0ff", wood: "#7d3f98" },
    Army { prefix: "d", ink: "#f2ede4", wood: "#2b2827" },
    Army { prefix: "", ink: "#5a2d00", wood: "#ffd94a" },
];

/// The emperor among [`ARMIES`].
const EMPEROR: Disc = Disc {
    army: Some(Kingdom::COUNT as u8),
    glyph: Some(Glyph { letter: '*', character: '周' }),
    covered: false,
};

impl Depict for SevenKingdoms {
    fn picture(&self, view: &View<'_>) -> Picture {
        self.full_picture(view.state)
    }

    fn full_picture(&self, state: &State) -> Picture {
        let disc = |square| match state.at(square) {
            Some(piece) => Some(disc(piece)),
            None => (square == CENTRE).then_some(EMPEROR),
        };
        Picture {
            size: SIZE,
            ground: Ground::Go,
            armies: ARMIES,
            discs: SIZE.all().map(disc).collect(),
            captured: None,
            caption: self.caption(state),
        }
    }
}

impl SevenKingdoms {
    fn caption(&self, state: &State) -> String {
        let mover = state.mover();
        let seat = Self::seat_to_move(&self.seating, state);
        let mut caption = format!(
            "{mover:?} ({}) of player {} to move, ply {}, {} quiet",
            mover.letter(),
            seat + 1,
            state.ply,
            state.quiet
        );
        let taken = Kingdom::ALL.into_iter().filter_map(|kingdom| {
            let count = state.taken_by(kingdom);
            (count > 0).then(|| format!(" {}{count}", kingdom.letter()))
        });
        let falls = state.falls().iter().map(|&Fall { fallen, conqueror }| {
            format!(" {}>{}", fallen.letter(), conqueror.letter())
        });
        for (title, list) in
            [("captures", taken.collect::<String>()), ("out", falls.collect::<String>())]
        {
            if !list.is_empty() {
                caption += &format!("; {title}{list}");
            }
        }
        caption
    }
}

fn disc(piece: Piece) -> Disc {
    Disc {
        army: Some(piece.kingdom.index() as u8),
        glyph: Some(Glyph { letter: piece.letter(), character: piece.character() }),
        covered: false,
    }
}

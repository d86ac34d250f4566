//! Pictures of seven kingdoms.

use super::geometry::{CENTRE, SIZE};
use super::kingdom::Kingdom;
use super::piece::Piece;
use super::state::{Conquest, State};
use super::{SevenKingdoms, View};
use crate::game::{ArmyStyle, BoardStyle, Depict, DrawnPiece, Glyph, Picture};

/// The look of the armies in turn order, then of the emperor.
const ARMIES: &[ArmyStyle] = &[
    ArmyStyle { prefix: "w", ink: "#2f2a24", wood: "#fdfcf8" },
    ArmyStyle { prefix: "r", ink: "#fff3ea", wood: "#b8231f" },
    ArmyStyle { prefix: "o", ink: "#3d1c00", wood: "#f28c28" },
    ArmyStyle { prefix: "b", ink: "#eef5ff", wood: "#2459a8" },
    ArmyStyle { prefix: "g", ink: "#effbea", wood: "#2f7d3a" },
    ArmyStyle { prefix: "p", ink: "#fbf0ff", wood: "#7d3f98" },
    ArmyStyle { prefix: "d", ink: "#f2ede4", wood: "#2b2827" },
    ArmyStyle { prefix: "", ink: "#5a2d00", wood: "#ffd94a" },
];

/// The emperor.
const EMPEROR: DrawnPiece = DrawnPiece {
    army: Some(Kingdom::COUNT as u8),
    glyph: Some(Glyph { letter: '*', character: '周' }),
    covered: false,
};

impl Depict for SevenKingdoms {
    fn picture(&self, view: &View<'_>) -> Picture {
        self.full_picture(view.state)
    }

    fn full_picture(&self, state: &State) -> Picture {
        let drawn = |square| match state.at(square) {
            Some(piece) => Some(draw_piece(piece)),
            None => (square == CENTRE).then_some(EMPEROR),
        };
        Picture {
            size: SIZE,
            style: BoardStyle::Go,
            armies: ARMIES,
            pieces: SIZE.all().map(drawn).collect(),
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
            "{mover:?} ({}) of seat {seat} to move, ply {}, {} quiet",
            mover.letter(),
            state.ply,
            state.quiet
        );
        let taken = Kingdom::ALL.into_iter().filter_map(|kingdom| {
            let count = state.taken_by(kingdom);
            (count > 0).then(|| format!(" {}{count}", kingdom.letter()))
        });
        let conquests = state.conquests().iter().map(|&Conquest { fallen, conqueror }| {
            format!(" {}>{}", fallen.letter(), conqueror.letter())
        });
        for (title, list) in
            [("captures", taken.collect::<String>()), ("out", conquests.collect::<String>())]
        {
            if !list.is_empty() {
                caption += &format!("; {title}{list}");
            }
        }
        caption
    }
}

fn draw_piece(piece: Piece) -> DrawnPiece {
    DrawnPiece {
        army: Some(piece.kingdom.index() as u8),
        glyph: Some(Glyph { letter: piece.letter(), character: piece.character() }),
        covered: false,
    }
}

//! Why a move that somebody tries is not legal, in words.

use super::{AnyState, Session};
use crate::board::{Action, Move, Square};
use crate::game::{DrawnPiece, Viewer, Words, name_of, objections, words};
use crate::games::Registered;

/// The reason why the pieces on a square have no legal action, or none to another square. None if
/// they have one.
pub(super) fn of_session<G: Registered>(
    session: &Session<G>,
    viewer: Viewer,
    from: Square,
    to: Option<Square>,
) -> Option<Words> {
    let Session { rules, state, .. } = session;
    if session.outcome.is_some() {
        return Some(Words::GAME_OVER);
    }
    let Viewer::Player(seat) = viewer else { return Some(objections::WATCHING) };
    if seat != session.current_player() {
        return Some(objections::NOT_YOUR_TURN);
    }
    let does_it = |&action: &Action| match session.get_move(action) {
        Move::Step { from: on, to: target } => on == from && to.is_none_or(|to| to == target),
        Move::Flip(on) => on == from && to.is_none_or(|to| to == on),
        Move::Pass => false,
    };
    if session.legal.iter().any(does_it) {
        return None;
    }
    let view = rules.view(state, viewer);
    let picture = rules.picture(&view);
    let from_name = picture.frame.name(from);
    let Some(piece) = picture.at(from) else {
        return Some(words!("There is no piece on {from_name}.", "{from_name} 上没有棋子。"));
    };
    let owner = |piece: DrawnPiece| {
        let army = piece.army.filter(|&army| usize::from(army) < G::ARMIES.len());
        army.and_then(|army| G::owner(&view, army))
    };
    let is_own = |piece| owner(piece).is_some_and(|owner| rules.allied(owner, seat));
    let name = piece
        .glyph
        .filter(|_| !piece.covered)
        .map_or_else(|| Words::new("covered piece", "暗子"), |glyph| name_of::<G>(glyph.letter));
    if piece.covered && !G::COVERED_PIECES_MOVE {
        return Some(rules.objection(&view, from, to).unwrap_or(objections::COVERED_STAYS));
    }
    if owner(piece) != Some(seat) {
        return Some(if is_own(piece) {
            words!("The {} on {from_name} is your ally's.", "{from_name} 上的{}是盟友的。", name)
        } else {
            words!("The {} on {from_name} is not yours.", "{from_name} 上的{}不是您的。", name)
        });
    }
    if to.and_then(|to| picture.at(to)).is_some_and(is_own) {
        return Some(Words::new("A piece of your own side stands there.", "那里是己方的棋子。"));
    }
    let objection = rules.objection(&view, from, to);
    Some(objection.unwrap_or_else(|| match to {
        Some(to) => {
            let to_name = picture.frame.name(to);
            words!(
                "The {} cannot go from {from_name} to {to_name}.",
                "{}不能从 {from_name} 走到 {to_name}。",
                name
            )
        }
        None => words!(
            "The {} on {from_name} has no move now.",
            "{from_name} 上的{}现在无处可走。",
            name
        ),
    }))
}

#[cfg(test)]
mod tests {
    use crate::board::{Move, Square};
    use crate::game::{Options, Viewer, texts};
    use crate::games;
    use crate::rng::{Rng, Stream};
    use crate::session::{AnyState, deal, from_fen};

    /// The objection to a move in a position that the mover sees.
    fn objection(state: &dyn AnyState, from: &str, to: Option<&str>) -> Option<String> {
        let size = state.picture(None).size;
        let square = |name| size.parse(name).expect("a square");
        let mover = Viewer::Player(state.current_player());
        state.objection(mover, square(from), to.map(square)).map(|words| words.en.into_owned())
    }

    #[test]
    fn all_moves_but_the_legal_ones_meet_an_objection() {
        for game in games::names() {
            let mut rng = Rng::new(3, Stream::Deal);
            let mut state = deal(game, &Options::new(), 3).expect("the game exists");
            let squares: Vec<Square> = state.picture(None).size.all().collect();
            for ply in 0..40 {
                let legal = state.legal_actions();
                if legal.is_empty() {
                    break;
                }
                let action = *rng.choose(legal);
                let moves: Vec<Move> = legal.iter().map(|&it| state.get_move(it)).collect();
                // Every pair of squares on a large board takes long.
                let from = *rng.choose(&squares);
                let mover = Viewer::Player(state.current_player());
                let world = state.resample(mover, ply);
                for &from in squares.iter().filter(|&&on| ply % 10 == 0 || on == from) {
                    for to in squares.iter().copied().map(Some).chain([None]) {
                        let is_legal = moves.iter().any(|&it| match it {
                            Move::Step { from: on, to: target } => {
                                on == from && to.is_none_or(|to| to == target)
                            }
                            Move::Flip(on) => on == from && to.is_none_or(|to| to == on),
                            Move::Pass => false,
                        });
                        let objection = state.objection(mover, from, to);
                        assert_eq!(objection.is_none(), is_legal, "{game}: {from:?} {to:?}");
                        // Worlds that the mover cannot tell apart object in the same words.
                        assert_eq!(objection, world.objection(mover, from, to), "{game}");
                    }
                }
                for other in
                    (0..state.spec().num_players).filter(|&seat| Viewer::Player(seat) != mover)
                {
                    let told = state.objection(Viewer::Player(other), squares[0], None);
                    assert_eq!(told.expect("another is to move").en, "It is not your turn.");
                }
                state.apply(action).expect("it is legal");
            }
        }
    }

    #[test]
    fn objections_name_the_rule() {
        let banqi = "8/8/3Pr3/4~p3 1 r - 0 0";
        let jump = &[("cannon", "jump")][..];
        let jumping = "8/8/3Cp3/8 1 r - 0 0";
        let gaiqi = "4k3/8/R7/7~p 1 r - 0 0 a2x3,-";
        let xiangqi = "3k5/9/4p4/9/4p4/4R4/9/9/9/2C1K4 w - 0 0";
        let pinned = "4k4/4r4/9/9/9/9/4R4/9/4K4/9 w - 0 0";
        let flipping = "3k3/7/7/7/3H3/3s3/3K3 w 0 0";
        let long = texts(&[("chain", "on"), ("flips", "2")]);
        let kingdoms = texts(&[("seats", "0--1---")]);
        let armies =
            "19/19/19/19/19/19/19/19/19/9*9/1wS6wG4bG5/19/wQ17bQ/19/19/19/19/19/19 w - - 0 0";
        let usual = Options::new();
        for (game, options, fen, from, to, expected) in [
            ("banqi", &usual, banqi, "d2", "e2", "Your Soldier does not take this Chariot"),
            ("banqi", &usual, banqi, "e2", "e1", "is not yours"),
            ("banqi", &usual, banqi, "d2", "f2", "The Soldier cannot go from d2 to f2."),
            (
                "banqi",
                &usual,
                "8/8/3~p4/3R4 1 r - 0 0",
                "d1",
                "d2",
                "A covered piece cannot be taken",
            ),
            ("banqi", &usual, "8/8/3~p4/3R4 1 r - 0 0", "d2", "d3", "It can only be turned over"),
            ("banqi", &texts(jump), jumping, "d2", "e2", "jump over exactly one piece"),
            (
                "banqi",
                &long,
                "8/8/p7/R1P4~p 1 r p 0 4 a1",
                "c1",
                "d1",
                "captures again, or you pass",
            ),
            (
                "banqi",
                &long,
                "8/8/p7/R1P4~p 1 r p 0 4 a1",
                "h1",
                "h1",
                "captures again, or you pass",
            ),
            ("banqi", &long, "8/8/p7/R1P4~p 1 r - 0 4 1", "a1", "a2", "turn over another piece"),
            ("gaiqi", &usual, gaiqi, "a2", "a4", "check three times in a row"),
            (
                "gaiqi",
                &usual,
                "8/2p5/2p5/2R5 1 r - 0 0 -",
                "c1",
                "c3",
                "Another piece is in the way",
            ),
            ("gaiqi", &usual, "8/8/1p6/2R5 1 r - 0 0 -", "e1", "c3", "There is no piece on e1."),
            (
                "gaiqi",
                &usual,
                "8/8/1P6/1R6 1 r - 0 0 -",
                "b1",
                "b2",
                "of your own side stands there",
            ),
            ("jieqi", &usual, xiangqi, "e5", "e8", "in the way"),
            ("jieqi", &usual, xiangqi, "c1", "e1", "your own side"),
            ("jieqi", &usual, xiangqi, "e1", "e3", "cannot go from e1 to e3"),
            ("jieqi", &usual, pinned, "e4", "d4", "your general could be taken"),
            ("jieqi", &usual, "4k4/9/9/9/9/9/4H4/9/4K4/9 w - 0 0", "e4", "d6", "face each other"),
            (
                "jieqi",
                &usual,
                "4k4/9/9/9/9/9/9/9/9/3KP4 w - 0 0",
                "d1",
                "c1",
                "never leaves its palace",
            ),
            ("jieqi", &usual, "3r1k3/9/9/9/9/9/9/9/9/3K2R2 w - 0 0", "g1", "g5", "does not end it"),
            (
                "jieqi",
                &usual,
                "4k4/9/9/9/9/9/9/9/9/3K1~A3 w - 0 0",
                "f1",
                "g2",
                "keeps to the limits",
            ),
            ("flipping", &usual, flipping, "d3", "c1", "in the way"),
            ("flipping", &usual, flipping, "d3", "b4", "does not end it"),
            ("seven_kingdoms", &kingdoms, armies, "b9", "j10", "The emperor cannot be taken."),
            ("seven_kingdoms", &kingdoms, armies, "i9", "n9", "A go-between cannot be taken."),
            ("seven_kingdoms", &kingdoms, armies, "j10", "j11", "The Emperor on j10 is not yours."),
        ] {
            let state =
                from_fen(game, options, fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            let told = objection(&*state, from, Some(to)).expect("it is not legal");
            assert!(told.contains(expected), "{game} {fen} {from}{to}: {told}");
        }
        for (fen, from, expected) in [
            ("4k4/4r4/9/9/9/9/9/4H4/4K4/9 w - 0 0", "e3", "Any move of this piece"),
            ("3r1k3/9/9/9/9/9/9/9/9/3K1A3 w - 0 0", "f1", "this piece cannot help"),
            ("4k4/9/9/9/9/9/9/9/1P7/E2K5 w - 0 0", "a1", "has no move"),
        ] {
            let state =
                from_fen("jieqi", &usual, fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            let told = objection(&*state, from, None);
            assert!(told.as_ref().is_some_and(|told| told.contains(expected)), "{fen}: {told:?}");
        }
        let state = deal("jieqi", &usual, 1).expect("the game exists");
        let told = state.objection(Viewer::Public, Square::new(0), None).expect("nobody's view");
        assert!(told.en.starts_with("You are looking on"), "{told:?}");
    }
}

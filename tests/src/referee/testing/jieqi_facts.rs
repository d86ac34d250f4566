//! The facts of RULES.md section 3, and leaf counts of a home array with all pieces revealed.

use super::super::Referee;
use super::super::board::{Board, Color, Kind, Piece};
use super::super::covered_movement::in_check;
use super::super::fen::{read_board, write_board};
use super::{open, perft};

/// Every piece is covered on its own kind's home square.
const START: &str =
    "~r~h~e~ak~a~e~h~r/9/1~c5~c1/~p1~p1~p1~p1~p/9/9/~P1~P1~P1~P1~P/1~C5~C1/9/~R~H~E~AK~A~E~H~R";

fn start() -> Board {
    read_board(START, 9, 10).unwrap()
}

/// The game that begins with the board, red to move.
fn open_board(board: &Board) -> Box<dyn Referee> {
    let text = write_board(board, Piece::name);
    open("jieqi", &format!("{text} w - 0 0"), &[])
}

/// One start board for each kind that the piece on the named square may be. It is exchanged with a
/// piece of that kind.
fn identities(name: &str) -> Vec<Board> {
    let board = start();
    let (square, piece) =
        board.pieces().into_iter().find(|(square, _)| square.name() == name).unwrap();
    if !piece.covered {
        return vec![board];
    }
    let others = Kind::ALL.into_iter().filter(|&kind| kind != Kind::General);
    others
        .map(|kind| {
            let (partner_square, partner) = board
                .pieces()
                .into_iter()
                .find(|(_, other)| other.color == Color::Red && other.kind == kind)
                .unwrap();
            let mut exchanged = board.clone();
            exchanged.put(partner_square, piece);
            exchanged.put(square, partner);
            exchanged
        })
        .collect()
}

#[test]
fn first_plies_have_the_known_reveals_and_replies() {
    let plies = open_board(&start()).legal_moves();
    assert_eq!(plies.len(), 44);
    let mut pairs = 0;
    let mut replies = 0;
    let mut checks = 0;
    for ply in &plies {
        for board in identities(&ply[..2]) {
            let mut game = open_board(&board);
            game.apply(ply).unwrap();
            pairs += 1;
            replies += game.legal_moves().len();
            let fen = game.fen();
            let board = read_board(fen.split(' ').next().unwrap(), 9, 10).unwrap();
            checks += usize::from(in_check(&board, Color::Black));
        }
    }
    assert_eq!((pairs, replies, checks), (259, 11_292, 1));
}

#[test]
fn a_revealed_home_array_has_the_known_leaves() {
    let board = START.replace('~', "");
    let game = open("jieqi", &format!("{board} w - 0 0"), &[]);
    for (depth, leaves) in [(1, 46), (2, 2098), (3, 91350)] {
        assert_eq!(perft(game.as_ref(), depth), leaves, "depth {depth}");
    }
}

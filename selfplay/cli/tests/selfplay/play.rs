//! `darkqi play` with lines from a pipe.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use super::cli::{error, run};
use super::folder_with;

/// Runs the command with these lines as its input.
fn play(line: &str, input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_darkqi"));
    command.arg("play").args(line.split_whitespace());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    let mut lines = child.stdin.take().expect("it is piped");
    // A game that ends early reads no more.
    let _ = lines.write_all(input.as_bytes());
    drop(lines);
    child.wait_with_output().expect("the program ends")
}

/// What it prints, if it succeeds.
fn screen(line: &str, input: &str) -> String {
    let output = play(line, input);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*message), (Some(0), ""), "{line}");
    String::from_utf8(output.stdout).expect("it is text")
}

#[test]
fn a_pipe_shows_what_a_terminal_would() {
    let text = screen("flipping --agent random --seed 1", "fly\nC2-C3\nquit\n");
    assert!(text.starts_with("You are seat 0 of flipping, against random; seed 1.\n"), "{text}");
    for part in [
        "\nyour move> fly\n`fly` is no command and no move; expected a move such as `",
        "\nyour move> C2-C3\nYou play c2c3.\nrandom (seat 1) plays ",
        "\nyour move> quit\nThe game is left as it stands.\n",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert!(text.contains('[') && !text.contains('\x1b'), "{text}");
    assert_eq!(text, screen("flipping --agent random --seed 1", "fly\nC2-C3\nquit\n"));
}

#[test]
fn the_end_of_the_input_leaves_the_game() {
    let text = screen("jieqi --agent greedy --seat 1", "moves");
    assert!(text.ends_with("your move> \nThe game is left as it stands.\n"), "{text}");
    let all = screen("gaiqi --seat all", "a1\n");
    assert!(all.contains("seat 0> a1\nSeat 0 plays a1, turning over "), "{all}");
    assert!(all.ends_with("seat 1> \nThe game is left as it stands.\n"), "{all}");
}

#[test]
fn games_go_into_a_dataset_that_verifies() {
    let (_folder, dir) = folder_with("games");
    let dir = dir.to_str().expect("the path is plain");
    let line = format!("gaiqi --agent greedy --set max_plies=3 --out {dir} --seed 1");
    let text = screen(&line, "a1\na2\na3\nb1\nb2\nb3\nc1\nc2\nc3\nd1\n");
    assert!(text.contains("Cut off: 3 plies.\nIt is game 0 of "), "{text}");
    assert!(run(&format!("verify {dir}")).is_ok());

    let watched = format!("{dir}-watched");
    let text = screen(&format!("banqi --seat none --agent random --out {watched} --seed 4"), "");
    assert!(text.starts_with("random plays all seats of banqi; seed 4.\n"), "{text}");
    assert!(!text.contains("> ") && text.contains("It is game 0 of "), "{text}");
    assert!(run(&format!("verify {watched}")).is_ok());
}

#[test]
fn faulty_arguments_are_named() {
    assert!(error("play chess").starts_with("unknown game `chess`"));
    assert!(error("play gaiqi --agent best").starts_with("unknown agent `best`"));
    assert!(error("play gaiqi --agent hard").contains("(did you mean `level:hard`?)"));
    assert_eq!(error("play gaiqi --seat 2"), "seat 2: expected a seat from 0 to 1");
    let seat = error("play gaiqi --seat red");
    assert!(seat.contains("expected the number of a seat, `all` or `none`"), "{seat}");
    assert!(error("play gaiqi --set quiet=1").starts_with("gaiqi has no option `quiet`"));
    assert!(error("play gaiqi --fen 8/8").starts_with("bad FEN, field `"));
}

//! Golden playthroughs: one random game per registered game, written out ply by ply.
//!
//! A changed file means changed rules, numbering or random streams. If the change is intended,
//! rewrite the files with `DARKQI_BLESS=1 cargo test -p darkqi-tests --test all playthroughs::` and
//! read the difference.

use std::fmt::Write;
use std::fs;

use darkqi_env::{AnyState, Format, Options, Spec, Viewer};
use darkqi_tests::{affordable, folder, random_action, shipped_games, test_rng};

/// Games per playthrough; fewer for games with long rows, at least one.
const GAMES: usize = 3;

fn playthrough(game: &str) -> String {
    let mut text = String::new();
    let layout = Spec::new(game, &Options::new()).expect("the game exists").layout;
    for seed in 0..affordable(GAMES, &layout).max(1) as u64 {
        let mut state = darkqi_env::deal(game, &Options::new(), seed).expect("the game exists");
        if seed == 0 {
            describe(&mut text, state.as_ref());
        }
        writeln!(text, "\n# seed {seed}").expect("writing to a string does not fail");
        play(&mut text, state.as_mut(), seed).expect("writing to a string does not fail");
    }
    text
}

fn describe(text: &mut String, state: &dyn AnyState) {
    let spec = state.spec();
    let [channels, ranks, files] = spec.layout.plane_shape();
    let options: Vec<String> = spec
        .options
        .iter()
        .filter(|it| !it.design)
        .map(|option| format!("{}={}", option.name, option.value))
        .collect();
    *text += &format!(
        "game: {}\noptions: {}\nplayers: {}\nactions: {}\nplanes: {channels} x {ranks} x {files}\n\
         tokens: {}\nplane names: {}\n",
        spec.name,
        options.join(" "),
        spec.num_players,
        spec.num_actions,
        spec.layout.token_len(),
        spec.layout.plane_names().join(", "),
    );
}

fn play(text: &mut String, state: &mut dyn AnyState, seed: u64) -> std::fmt::Result {
    let mut rng = test_rng(seed);
    loop {
        writeln!(text, "fen: {}", state.fen())?;
        writeln!(text, "public: {}", state.view_fen(Viewer::Public))?;
        writeln!(text, "seen: {}", fingerprint(state))?;
        if let Some(outcome) = state.outcome() {
            return writeln!(text, "end: {} {:?}", outcome.reason.name(), outcome.rewards());
        }
        let moves = state.legal_moves();
        writeln!(text, "legal: {} {}", moves.len(), moves.join(" "))?;
        let action = random_action(state, &mut rng);
        writeln!(text, "ply {}: {} ({})", state.ply(), state.action_name(action), action.index())?;
        state.apply(action).expect("a listed action is legal");
    }
}

/// A short hash of all that viewers see: observations as planes and tokens, FENs.
fn fingerprint(state: &dyn AnyState) -> String {
    // FNV-1a, whose values are fixed: the standard library's hasher may change.
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut feed = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
        }
    };
    let players = state.spec().num_players;
    for viewer in (0..players).map(Viewer::Player).chain([Viewer::Public]) {
        for format in [Format::Planes, Format::Tokens] {
            let mut row = vec![0; format.len(&state.spec().layout)];
            state.observe(viewer, format, &mut row);
            feed(&row);
        }
        feed(state.view_fen(viewer).as_bytes());
    }
    format!("{hash:016x}")
}

#[test]
fn playthroughs_match_their_files() {
    for game in shipped_games() {
        let path = folder("playthroughs").join(game).with_extension("txt");
        let played = playthrough(game);
        if std::env::var_os("DARKQI_BLESS").is_some() {
            fs::write(&path, &played).expect("the folder can be written");
        }
        let written = fs::read_to_string(&path).unwrap_or_default();
        let differs = played.lines().zip(written.lines()).position(|(new, old)| new != old);
        if let Some(line) = differs {
            let (new, old) = (played.lines().nth(line), written.lines().nth(line));
            panic!("{game}, line {}:\nplayed  {new:?}\nwritten {old:?}", line + 1);
        }
        assert_eq!(played.len(), written.len(), "{game}: one playthrough is longer");
    }
}

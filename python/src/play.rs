//! A game at the terminal of Python: `State.play`.

use std::sync::atomic::AtomicBool;

use darkqi_engine::agents::AgentSpec;
use darkqi_play::play::{Game, People, PlayError, Reply, Session, Settings, Turn};
use pyo3::exceptions::{PyEOFError, PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

use crate::error::{IntoPyErr, IntoPyResult, catch_panics};
use crate::interrupt::interruptible;

/// A session in which a person at this seat goes on with a game against an agent.
pub(crate) fn begin(game: Game, agent: AgentSpec, seat: usize) -> PyResult<Session> {
    let settings = Settings {
        game: game.spec().name.to_owned(),
        options: game.spec().options_in_force(),
        agent,
        people: People::One(seat),
        seed: game.seed(),
        fen: None,
        out: None,
        is_verbose: false,
        is_coloured: false,
    };
    catch_panics(|| Session::of(game, settings).into_py_result())
}

/// What is said once a person has left.
const LEFT: &str = "\nThe game is left as it stands.";

/// Plays until the game is over or the person leaves it, by `input` and `print`.
pub(crate) fn play(py: Python<'_>, session: &mut Session) -> PyResult<()> {
    let builtins = py.import("builtins")?;
    let print = |text: &str| builtins.call_method1("print", (text,)).map(drop);
    print(&session.greeting())?;
    match go_on(session, &builtins) {
        Err(left) if left.is_instance_of::<PyEOFError>(py) => print(LEFT),
        Err(left) if left.is_instance_of::<PyKeyboardInterrupt>(py) => print(LEFT),
        played => played,
    }
}

fn go_on(session: &mut Session, builtins: &Bound<'_, PyModule>) -> PyResult<()> {
    let (py, stop) = (builtins.py(), &AtomicBool::new(false));
    let print = |text: &str| builtins.call_method1("print", (text,)).map(drop);
    loop {
        match interruptible(py, stop, || session.turn(stop).into_py_result())? {
            Turn::Played(told) => print(&told)?,
            Turn::Over(told) => return print(&format!("\n{told}")),
            Turn::Asked { board, prompt } => {
                if let Some(board) = board {
                    print(&format!("\n{board}\n"))?;
                }
                let line: String = builtins.call_method1("input", (prompt,))?.extract()?;
                match interruptible(py, stop, || session.answer(&line, stop).into_py_result())? {
                    Reply::Said(told) if told.is_empty() => {}
                    Reply::Said(told) => print(&told)?,
                    Reply::Left => return print(LEFT),
                }
            }
        }
    }
}

impl IntoPyErr for PlayError {
    fn into_py_err(self) -> PyErr {
        match self {
            Self::Game(error) => error.into_py_err(),
            Self::Over { .. } => PyRuntimeError::new_err(self.to_string()),
            Self::Failed { agent } => PyRuntimeError::new_err(format!(
                "{agent} has failed; State.choose says why, which may tell what it knows"
            )),
        }
    }
}

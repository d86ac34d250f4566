//! The agent `uci`: an engine that speaks UCI, as a program of its own.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use darkqi_env::{Action, Player, Registered, Spec, Viewer, session::first_names};

use super::error::AgentError;
use super::info::{AgentInfo, AgentOption, Built, REQUIRED, RegisteredAgent};
use super::options::AgentOptions;
use crate::agent::{Agent, AgentFailure, Decided, Decision, Request};
use crate::engines::{Answer, Dialect, Engine, EngineError, EngineFault};
use crate::evaluation::share;
use crate::search::Limits;

/// Nodes, if no limit is given.
const DEFAULT_NODES: u64 = 10_000;
const MAX_DEPTH: u32 = 1000;
const MAX_RESTARTS: u64 = 1_000_000;

/// The option that holds words of a command, in which quotes protect commas.
pub(super) const COMMAND: &str = "cmd";
const FILE: &str = "file";

const TIMEOUT: AgentOption = AgentOption::plain(
    "timeout",
    "Milliseconds that an answer may take, beyond those of `time`.",
    "60000",
);
const RESTART: AgentOption = AgentOption::plain(
    "restart",
    "How often, in a match or run, the engine is started again after it has failed, and asked again about the \
     same position.",
    "0",
);

/// The registry's entry for engines.
pub(super) struct Uci;

impl RegisteredAgent for Uci {
    const INFO: AgentInfo = AgentInfo {
        name: "uci",
        about: "An engine that speaks UCI, in games of two. docs/arena.md has the details.",
        argument: None,
        options: &[
            AgentOption::plain(
                COMMAND,
                "The command that starts the engine, with its arguments. A comma in it stands in quotes.",
                REQUIRED,
            ),
            AgentOption::plain(
                "nodes",
                "Nodes for a decision.",
                "10000, or no limit with another one",
            ),
            AgentOption::plain(
                "time",
                "Milliseconds for a decision. Games are then not reproducible.",
                "no limit",
            ),
            AgentOption::plain("depth", "Depth of the search, 1 to 1000.", "no limit"),
            AgentOption::plain(
                "variant",
                "The engine's name of the game, sent as UCI_Variant.",
                "none",
            ),
            AgentOption {
                name: FILE,
                about: "The engine's file of variants, sent as VariantPath.",
                default: "none",
                is_file: true,
            },
            AgentOption::plain(
                "fen",
                "How positions and moves are written: `fairy`, `pikafish` or `darkqi`.",
                "flipping: fairy, jieqi: pikafish, others: darkqi",
            ),
            TIMEOUT,
            RESTART,
        ],
    };

    fn build<G: Registered>(rules: &G, options: &AgentOptions) -> Built<G> {
        Ok(Box::new(UciPlayer::new(Arc::new(Settings::read(&Spec::of(rules), options)?))))
    }
}

/// The command that sets an engine's option.
fn set(name: &str, value: &str) -> String {
    format!("setoption name {name} value {value}")
}

/// The settings of an engine.
#[derive(Debug)]
struct Settings {
    command: String,
    /// The program and its arguments.
    words: Vec<String>,
    /// The working directory when the agent was made, by which its words are understood. A program in
    /// Python may have changed it before the engine is started.
    folder: Option<PathBuf>,
    /// Sent once the engine has said what it is.
    setup: Vec<String>,
    go: String,
    patience: Duration,
    time: Option<Duration>,
    dialect: Dialect,
    is_quiet: bool,
    most_restarts: u64,
    /// The restarts of all copies.
    restarts: AtomicU64,
}

impl Settings {
    /// # Errors
    /// If an option's value cannot be used, or the engine does not play the game.
    fn read(spec: &Spec, options: &AgentOptions) -> Result<Self, AgentError> {
        let agent = Uci::INFO.name;
        let Some(command) = options.get(COMMAND) else {
            let about = "the command that starts the engine";
            return Err(AgentError::Missing { agent, option: COMMAND, about });
        };
        let words = shlex::split(command).filter(|words| !words.is_empty()).ok_or_else(|| {
            options.refuse(COMMAND, command, "a program and its arguments, quotes closed".into())
        })?;
        let fitting = Dialect::of(spec);
        let dialect = match options.get("fen") {
            None => fitting,
            Some(name) => Dialect::named(name).ok_or_else(|| {
                options.refuse("fen", name, "fairy, pikafish or darkqi".to_owned())
            })?,
        };
        let refuse = |expected: String| AgentError::Game { agent, game: spec.name, expected };
        if spec.num_players != 2 {
            return Err(refuse("a game of two".to_owned()));
        }
        if !dialect.knows(spec) {
            let (name, fitting) = (dialect.name(), fitting.name());
            return Err(refuse(format!("`fen={fitting}`, not `fen={name}`")));
        }
        let nodes = options.number("nodes", 1..=Limits::MAX_NODES)?;
        let time = options.number("time", 1..=Limits::MAX_MILLISECONDS)?;
        let depth = options.number("depth", 1..=MAX_DEPTH)?;
        let unlimited = nodes.is_none() && time.is_none() && depth.is_none();
        let nodes = nodes.or(unlimited.then_some(DEFAULT_NODES));
        let limits = [("nodes", nodes), ("movetime", time), ("depth", depth.map(u64::from))];
        let limits =
            limits.iter().filter_map(|(name, limit)| Some(format!(" {name} {}", (*limit)?)));
        let go = format!("go{}", limits.collect::<String>());
        let timeout = options.number_or_default(&TIMEOUT, 1..=Limits::MAX_MILLISECONDS)?;
        let file = options.path(FILE).map(|file| set("VariantPath", &file.display().to_string()));
        let variant = options.get("variant").map(|variant| set("UCI_Variant", variant));
        let setup = file.into_iter().chain(variant);
        Ok(Self {
            command: command.to_owned(),
            words,
            folder: env::current_dir().ok(),
            setup: setup.collect(),
            go,
            patience: Duration::from_millis(timeout),
            time: time.map(Duration::from_millis),
            dialect,
            is_quiet: options.is_quiet,
            most_restarts: options.number_or_default(&RESTART, 0..=MAX_RESTARTS)?,
            restarts: AtomicU64::new(0),
        })
    }

    /// Whether an engine that has failed may be started again. It then counts as started.
    fn restart(&self, fault: &EngineFault) -> bool {
        // A program that is not there will not be the next time.
        let is_hopeless = matches!(fault, EngineFault::Stopped | EngineFault::Start(_));
        let next = |done: u64| (done < self.most_restarts).then_some(done + 1);
        !is_hopeless
            && self.restarts.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }
}

/// Plays by an engine.
///
/// A decision follows from the position alone unless it is limited by time, as with `expectimax`:
/// the engine forgets what it knows before each. With a limit of time it forgets where another game
/// begins. One that is started again is asked the same again, so that a game goes on as if nothing had
/// happened.
struct UciPlayer {
    settings: Arc<Settings>,
    /// Started by the first decision, and again by the one after a failure.
    engine: Option<Engine>,
    /// The game and the seat of the last decision, and the plies played before it.
    last: Option<(u64, Player, u16)>,
}

impl UciPlayer {
    const fn new(settings: Arc<Settings>) -> Self {
        Self { settings, engine: None, last: None }
    }

    /// The engine's answer about a position. The engine is started if it is not under way.
    #[inline(never)]
    fn ask(
        &mut self,
        position: &str,
        is_new: bool,
        stop: &AtomicBool,
    ) -> Result<Answer, EngineFault> {
        let Settings { words, folder, setup, go, patience, time, is_quiet, .. } = &*self.settings;
        self.engine.take_if(|engine| !engine.is_ours());
        let is_started = self.engine.is_some();
        let engine = match &mut self.engine {
            Some(engine) => engine,
            none => none.insert(Engine::start(words, folder.as_deref(), *is_quiet)?),
        };
        if !is_started {
            engine.ask("uci", "uciok", *patience, stop)?;
            for line in setup {
                engine.send(line, "readyok")?;
            }
            engine.ask("isready", "readyok", *patience, stop)?;
        }
        if is_new || !is_started {
            engine.send("ucinewgame", "readyok")?;
            engine.ask("isready", "readyok", *patience, stop)?;
        }
        engine.send(&format!("position fen {position}"), "bestmove")?;
        engine.go(go, *patience + time.unwrap_or_default(), stop)
    }

    /// The failure, after which the engine is started anew.
    #[cold]
    fn fail(&mut self, fault: EngineFault, position: String) -> AgentFailure {
        let engine = self.engine.take();
        let line = |last: fn(&Engine) -> &str| {
            engine
                .as_ref()
                .map(last)
                .filter(|line| !line.is_empty())
                .unwrap_or("nothing")
                .to_owned()
        };
        let error = EngineError {
            command: self.settings.command.clone(),
            fault,
            position,
            sent: line(|engine| &engine.sent),
            received: line(|engine| &engine.received),
            remark: engine.as_ref().and_then(|engine| engine.remark.clone()),
        };
        AgentFailure::new(0, error)
    }
}

/// The position as a seat knows it, by the last irreversible ply and the plies since: by them the engine
/// knows which positions have occurred.
fn position<G: Registered>(dialect: Dialect, rules: &G, state: &G::State, seat: Player) -> String {
    let (start, plies) =
        if dialect.tells_plies() { rules.unwound(state) } else { (state.clone(), Vec::new()) };
    let view = rules.view(&start, Viewer::Player(seat));
    let mut text = dialect.fen(&rules.view_fen(&view), &rules.fen(&start));
    let size = rules.table().size();
    for (number, ply) in plies.iter().enumerate() {
        text += if number == 0 { " moves " } else { " " };
        text += &dialect.move_name(&(size.name(ply.from()) + &size.name(ply.to())));
    }
    text
}

/// The legal action that the engine plays, given the names of all of them.
fn action(
    dialect: Dialect,
    legal: &[Action],
    names: &[String],
    played: &str,
) -> Result<Action, EngineFault> {
    let mut names: Vec<_> = names.iter().map(|name| dialect.move_name(name)).collect();
    let wanted = dialect.plain(played);
    if let Some(place) = names.iter().position(|name| *name == wanted) {
        return Ok(legal[place]);
    }
    names.sort();
    let (count, legal) = (names.len(), first_names(&names));
    Err(EngineFault::Illegal { played: played.to_owned(), count, legal })
}

impl<G: Registered> Agent<G> for UciPlayer {
    fn decide(&mut self, rules: &G, request: &mut Request<'_, G>) -> Decided {
        let Request { game, view, legal, rng, stop } = request;
        if let [only] = **legal {
            return Ok(only.into());
        }
        // A world with this view; where nothing is hidden, the position itself.
        let state = rules.determinize(view, rng);
        let (mover, ply) = (G::view_to_move(view), rules.ply(&state));
        let goes_on = self.settings.time.is_some()
            && self.last.is_some_and(|(of, seat, last)| (of, seat) == (*game, mover) && last < ply);
        self.last = Some((*game, mover, ply));
        let (dialect, perspective) = (self.settings.dialect, rules.perspective(mover));
        let position = position(dialect, rules, &state, mover);
        let (action, value) = loop {
            let answer = self.ask(&position, !goes_on, stop).and_then(|answer| {
                let name = |&action| rules.table().name(action, perspective);
                let names: Vec<_> = legal.iter().map(name).collect();
                let action = action(dialect, legal, &names, &answer.played)?;
                Ok((action, answer.value))
            });
            match answer {
                Ok(decided) => break decided,
                Err(fault) if self.settings.restart(&fault) => self.engine = None,
                Err(fault) => return Err(self.fail(fault, position)),
            }
        };
        Ok(Decision { value: value.map(|value| share(rules, mover, value)), ..action.into() })
    }

    fn restarts(&self) -> u64 {
        self.settings.restarts.load(Ordering::Relaxed)
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(Self::new(self.settings.clone()))
    }
}

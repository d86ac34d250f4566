//! The study that is played now, and those that have stopped.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Instant;

use axum::http::StatusCode;
use darkqi_format::{read_file, spawn, write_output};
use darkqi_play::reporting::Progress;
use darkqi_play::studies::{STUDY_PAGE, Sweep, SweepResults, sweep};
use darkqi_play::{Error, report};
use serde::Serialize;
use serde_json::Value;

use super::findings::Findings;
use super::{FINDINGS_FILE, QUESTION_FILE, Question};
use crate::answer::Refusal;
use crate::app::App;
use crate::library::Place;
use crate::log::log;
use crate::work::lock;

/// The studies of the served folders. One is played at a time: it takes all cores.
#[derive(Default)]
pub(crate) struct Studies(Mutex<Known>);

#[derive(Default)]
struct Known {
    running: Option<Running>,
    /// Why studies have failed, by folder, until they go on.
    faults: HashMap<PathBuf, String>,
}

/// A study that is played, or has ended since somebody looked.
struct Running {
    dir: PathBuf,
    stop: Arc<AtomicBool>,
    following: Arc<Following>,
    thread: JoinHandle<()>,
}

/// How a study stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Standing {
    Running,
    /// It is told to stop, and plays no new games.
    Stopping,
    Stopped,
    Finished,
    Failed,
}

/// A study as the page tells it.
#[derive(Serialize)]
pub(crate) struct Told {
    id: String,
    path: String,
    standing: Standing,
    question: Question,
    progress: Option<ProgressJson>,
    error: Option<String>,
    /// What the games have shown, once it is finished.
    findings: Option<Value>,
    has_report: bool,
}

/// How far a study is.
#[derive(Serialize)]
struct ProgressJson {
    /// The agent that plays.
    agent: String,
    /// The part that is done, as far as it can be told.
    share: f64,
    /// Games that have ended since it was begun or went on.
    games: u64,
    /// Seconds since then.
    seconds: f64,
    /// The half-width to which is known what is asked, if one was asked for.
    half_width: Option<f64>,
}

impl Told {
    /// The study as a list has it: without what was found.
    pub(crate) fn brief(self) -> Self {
        Self { findings: None, ..self }
    }
}

impl Studies {
    /// Begins a study in an empty folder, or in one that is made.
    ///
    /// # Errors
    /// If it cannot be played, or another one is under way. Nothing is left in the folder then.
    pub(crate) fn begin(
        &self,
        app: &App,
        place: &Place,
        question: &Question,
    ) -> Result<(), Refusal> {
        let mut known = self.idle()?;
        let dir = &place.path;
        // Another request may have taken the name since it was free.
        if dir.join(QUESTION_FILE).exists() {
            return Err(Refusal::faulty("name: there is a study of this name; expected another"));
        }
        let existed = dir.exists();
        let begun = known.play(app, dir, question);
        if begun.is_err() {
            question.remove_rules(dir);
            let _ = fs::remove_file(dir.join(QUESTION_FILE));
            if !existed {
                // Only an empty folder can be removed so.
                let _ = fs::remove_dir(dir);
            }
        }
        begun
    }

    /// Goes on with a study, for so many minutes more or until what was asked.
    ///
    /// # Errors
    /// As [`Studies::begin`], or if there is none.
    pub(crate) fn resume(
        &self,
        app: &App,
        place: &Place,
        minutes: Option<f64>,
    ) -> Result<(), Refusal> {
        let mut known = self.idle()?;
        let mut question = question_of(&place.path)?;
        if let Some(minutes) = minutes {
            question.go_on_for(minutes)?;
        }
        known.play(app, &place.path, &question)
    }

    /// All studies, while none is played.
    ///
    /// # Errors
    /// If one is.
    fn idle(&self) -> Result<MutexGuard<'_, Known>, Refusal> {
        let known = lock(&self.0);
        match known.running.as_ref().filter(|it| !it.thread.is_finished()) {
            None => Ok(known),
            Some(running) => {
                let reason = format!(
                    "a study is under way in {}; it ends or is stopped before another",
                    running.dir.display()
                );
                Err(Refusal::new(StatusCode::CONFLICT, reason))
            }
        }
    }

    /// Tells a study to stop. What was played stays.
    pub(crate) fn stop(&self, place: &Place) {
        if let Some(running) = &lock(&self.0).running
            && running.dir == place.path
        {
            running.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Stops what is played, and waits for it.
    pub(crate) fn close(&self) {
        let running = lock(&self.0).running.take();
        if let Some(Running { stop, thread, .. }) = running {
            stop.store(true, Ordering::Relaxed);
            // Its fault was told in the log.
            let _ = thread.join();
        }
    }

    /// A study as the page tells it.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn told(&self, place: &Place) -> Result<Told, Refusal> {
        let question = question_of(&place.path)?;
        let known = lock(&self.0);
        let running = known.running.as_ref();
        let running = running.filter(|it| it.dir == place.path && !it.thread.is_finished());
        let error = known.faults.get(&place.path).cloned();
        let findings = read_file(&place.path.join(FINDINGS_FILE)).ok();
        let findings = findings.and_then(|text| serde_json::from_slice(&text).ok());
        let standing = match running {
            Some(it) if it.stop.load(Ordering::Relaxed) => Standing::Stopping,
            Some(_) => Standing::Running,
            None if error.is_some() => Standing::Failed,
            None if findings.is_some() => Standing::Finished,
            None => Standing::Stopped,
        };
        Ok(Told {
            id: place.id.clone(),
            path: place.path.display().to_string(),
            standing,
            progress: running.map(|it| it.following.told()),
            question,
            error,
            findings,
            has_report: place.path.join(STUDY_PAGE).is_file(),
        })
    }
}

impl Known {
    fn play(&mut self, app: &App, dir: &Path, question: &Question) -> Result<(), Refusal> {
        let sweep = question.sweep(app, dir)?;
        let text = serde_json::to_vec_pretty(question).map_err(Refusal::impossible)?;
        let stop = Arc::new(AtomicBool::new(false));
        fs::create_dir_all(dir)
            .map_err(|cause| Refusal::impossible(format!("{}: {cause}", dir.display())))?;
        write_output(&dir.join(QUESTION_FILE), &text, &stop).map_err(Refusal::impossible)?;
        // What was found before is of fewer games.
        let _ = fs::remove_file(dir.join(FINDINGS_FILE));
        self.faults.remove(dir);
        let agents = sweep.study.job.agents.iter().map(ToString::to_string);
        let following = Arc::new(Following::new(agents.collect()));
        let work = {
            let (app, stop, following) = (app.clone(), stop.clone(), following.clone());
            let (dir, question) = (dir.to_owned(), question.clone());
            move || {
                let played = answer(&question, &sweep, &dir, &*following, &stop);
                if let Err(fault) = played.or_else(unless_stopped) {
                    log(format_args!("{}: {fault}", dir.display()));
                    lock(&app.studies.0).faults.insert(dir, fault.to_string());
                }
            }
        };
        let thread = spawn("study", work).map_err(Refusal::impossible)?;
        self.running = Some(Running { dir: dir.to_owned(), stop, following, thread });
        Ok(())
    }
}

/// Why a study has no findings.
type Fault = Box<dyn std::error::Error + Send + Sync>;

fn unless_stopped(fault: Fault) -> Result<(), Fault> {
    let is_stopped = matches!(fault.downcast_ref(), Some(Error::Stopped))
        || matches!(fault.downcast_ref(), Some(darkqi_format::Error::Stopped));
    if is_stopped { Ok(()) } else { Err(fault) }
}

/// Plays a study, and writes its page and what was found.
fn answer(
    question: &Question,
    config: &Sweep,
    dir: &Path,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<(), Fault> {
    let found: SweepResults = sweep(config, progress, stop)?;
    let commands = question.commands(config, Some(&found));
    let strongest = found.agents.last().expect("there is an agent");
    let datasets: Vec<&Path> = strongest.sets.iter().map(|set| set.path.as_path()).collect();
    let lead = report::lead_of_sweep(config, &found, commands.join("\n"));
    let page = report::page_of_study(&datasets, lead, stop)?;
    write_output(&dir.join(STUDY_PAGE), page.html.as_bytes(), stop)?;
    let findings = serde_json::to_vec(&Findings::new(&found, commands, dir, stop)?)?;
    Ok(write_output(&dir.join(FINDINGS_FILE), &findings, stop)?)
}

fn question_of(dir: &Path) -> Result<Question, Refusal> {
    let path = dir.join(QUESTION_FILE);
    let text = read_file(&path)
        .map_err(|cause| Refusal::missing(format!("study: {}: {cause}", path.display())))?;
    serde_json::from_slice(&text)
        .map_err(|error| Refusal::impossible(format!("study: {}: {error}", path.display())))
}

/// The progress of a study.
struct Following {
    /// The players, as a sweep names them.
    agents: Vec<String>,
    begun: Instant,
    games: AtomicU64,
    stage: Mutex<Stage>,
}

#[derive(Default)]
struct Stage {
    agent: String,
    share: f64,
    half_width: Option<f64>,
}

impl Following {
    fn new(agents: Vec<String>) -> Self {
        Self { agents, begun: Instant::now(), games: AtomicU64::new(0), stage: Mutex::default() }
    }

    fn told(&self) -> ProgressJson {
        let stage = lock(&self.stage);
        let done = self.agents.iter().position(|agent| *agent == stage.agent).unwrap_or(0);
        ProgressJson {
            agent: stage.agent.clone(),
            share: (done as f64 + stage.share) / self.agents.len().max(1) as f64,
            games: self.games.load(Ordering::Relaxed),
            seconds: self.begun.elapsed().as_secs_f64(),
            half_width: stage.half_width,
        }
    }
}

impl Progress for Following {
    fn played(&self, _: u16) {
        self.games.fetch_add(1, Ordering::Relaxed);
    }

    fn agent(&self, name: &str) {
        *lock(&self.stage) = Stage { agent: name.to_owned(), ..Stage::default() };
    }

    fn narrowed(&self, half_width: f64) {
        lock(&self.stage).half_width = Some(half_width);
    }

    fn advanced(&self, share: f64) {
        lock(&self.stage).share = share;
    }
}

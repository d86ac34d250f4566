//! What agents lose on a solved board.

use std::ops::Add;
use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_env::rng::game_seed;
use darkqi_env::{AnyState, Kind, Rng, SetupError, Spec, Stream, Value, Viewer};
use rayon::prelude::*;
use serde::Serialize;

use super::error::SmallBoardError;
use super::phase::Phase;
use super::position::Position;
use super::solution::{SmallBoard, Solution, SolvedAction};
use super::solve::{Exits, Quiet, Values};
use super::solver::solve;
use crate::agent::{AnyAgent, Ask};
use crate::agents::AgentSpec;

/// What an agent loses in games against perfect play, where a perfect player chooses among the best
/// actions by chance. The loss of a decision is the value of the best action less that of its own.
///
/// Deals are played twice, with the agent in either seat. The mean loss of a game is then what it scores
/// less than a perfect player, who scores 0 in the mean of both seats, without most of the luck of deals
/// and flips.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Losses {
    /// The agent.
    pub agent: String,
    /// Number of games.
    pub games: u64,
    /// Number of its decisions between at least two actions.
    pub decisions: u64,
    /// The share of these with a loss.
    pub share: f64,
    /// The mean loss of these.
    pub per_decision: f64,
    /// The mean loss of a game.
    pub per_game: f64,
    /// The standard error of that; None where the pairs of games do not vary.
    pub error: Option<f64>,
    /// The mean result of its games, from -1 to 1.
    pub result: f64,
    /// Its decisions with a loss, the greatest loss first.
    pub blunders: Vec<Blunder>,
}

/// A decision with a loss.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Blunder {
    /// The position, as its mover sees it.
    pub fen: String,
    /// The covered pieces.
    pub covered: String,
    /// What was played.
    pub played: SolvedAction,
    /// The best action.
    pub best: SolvedAction,
}

/// Values are sums of products of rounded numbers.
const ROUNDING: f64 = 1e-9;

/// A phase with the values of its positions by the number of quiet plies left.
struct Layers {
    phase: Phase,
    quiet: Quiet,
    values: Vec<Vec<f64>>,
}

/// What an agent did in one game.
#[derive(Default)]
struct Played {
    decisions: u64,
    result: f64,
    blunders: Vec<Blunder>,
}

impl SmallBoard {
    /// Plays this many games of each agent, or one more to have two of each deal, against perfect play,
    /// in the threads of the pool that it is called in. Equal seeds have equal deals.
    ///
    /// # Errors
    /// As [`SmallBoard::solve_start`]; if the game is not played on so small a board, or an agent cannot be
    /// built. For each agent: if it cannot decide, or `stop` becomes true.
    pub fn losses(
        &self,
        army: &str,
        agents: &[AgentSpec],
        games: u64,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Vec<Result<Losses, SmallBoardError>>, SmallBoardError> {
        let start = Position::start(&self.game, army)?;
        let rules = self.played_rules(army)?;
        // What an agent lacks is found before the board is solved.
        for agent in agents {
            agent.make(&rules)?;
        }
        let values = solve(&self.game, &start.phase, self.quiet_limit, stop)?;
        let losses = |spec: &AgentSpec| {
            let make = || spec.make(&rules).expect("it has been made before");
            let play = |agent: &mut Box<dyn AnyAgent>, number: u64| {
                let (deal, seat) = (game_seed(seed, number / 2), number as usize % 2);
                let played = self.play(&rules, &values, agent.as_mut(), deal, seat, stop);
                let failure = |fault| SmallBoardError::Failure { agent: spec.to_string(), fault };
                played.map_err(failure)?.ok_or(SmallBoardError::Stopped)
            };
            let games = (0..games.next_multiple_of(2)).into_par_iter().map_init(make, play);
            Ok(Losses::of(spec.to_string(), games.collect::<Result<_, SmallBoardError>>()?))
        };
        Ok(agents.iter().map(losses).collect())
    }

    /// The same rules, to be played with.
    fn played_rules(&self, army: &str) -> Result<Spec, SetupError> {
        let mut options = self.options.clone();
        let size = self.game.board.moves.size;
        options.insert("board".to_owned(), Value::Text(format!("{}x{}", size.files, size.ranks)));
        for letter in Kind::LETTERS {
            let count = army.matches(letter).count().to_string();
            options.insert(format!("army.{letter}"), Value::Text(count));
        }
        Spec::new(self.name, &options)
    }

    /// A game of an agent in a seat. None if `stop` becomes true.
    fn play(
        &self,
        rules: &Spec,
        values: &Values,
        agent: &mut dyn AnyAgent,
        seed: u64,
        seat: usize,
        stop: &AtomicBool,
    ) -> Result<Option<Played>, String> {
        let [mut own, mut other] = [0, 1].map(|seat| Rng::new(seed, Stream::Agent(seat)));
        let mut game = rules.deal(seed);
        let (mut layers, mut decisions) = (None, Vec::new());
        let mut played = Played::default();
        while game.outcome().is_none() {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let solution = self.solution_in_game(&game.fen(), values, &mut layers);
            let find = |name: &str| solution.actions.iter().find(|action| action.action == name);
            let action = if game.current_player() == seat {
                let ask = Ask::new(seed, game.state(), game.legal_actions(), &mut own, stop);
                decisions.clear();
                let decided = agent.decide(&mut [ask], &mut decisions);
                decided.map_err(|failure| failure.cause.to_string())?;
                let action = decisions[0].action;
                let name = game.action_name(action);
                let chosen = find(&name).expect("the solver knows all legal actions");
                played.note(&*game, &solution, chosen);
                action
            } else {
                let best = |action: &&SolvedAction| action.value > solution.value - ROUNDING;
                let best: Vec<_> = solution.actions.iter().filter(best).collect();
                game.action_index(&other.choose(&best).action).expect("it is legal")
            };
            game.apply(action).expect("it is legal");
        }
        let outcome = game.outcome().expect("the game is over");
        played.result = f64::from(outcome.rewards()[seat]);
        Ok(Some(played))
    }

    /// The values of a position of a game. `layers` are those of the phase that it came from, and then those
    /// of its own.
    fn solution_in_game(
        &self,
        fen: &str,
        values: &Values,
        layers: &mut Option<Layers>,
    ) -> Solution {
        let position = Position::parse(&self.game, fen).expect("the game goes on by these rules");
        let (phase, _) = position.phase.canonical(&self.game.board);
        let layers = match layers.take() {
            Some(same) if same.phase == phase => layers.insert(same),
            _ => {
                let quiet = Exits::new(&self.game, &phase, values).quiet();
                let found = quiet.layers(self.quiet_limit).collect();
                layers.insert(Layers { phase, quiet, values: found })
            }
        };
        let left = self.left_after_quiet(&position).expect("the game is not over");
        let later = &layers.values[usize::from(left).min(layers.values.len() - 1)];
        self.solution(&position, values, &layers.quiet, later)
    }
}

impl Played {
    /// Counts a decision.
    fn note(&mut self, game: &dyn AnyState, solution: &Solution, chosen: &SolvedAction) {
        let Solution { value, actions, covered, .. } = solution;
        self.decisions += u64::from(actions.len() > 1);
        if chosen.value < value - ROUNDING {
            self.blunders.push(Blunder {
                fen: game.view_fen(Viewer::Public),
                covered: covered.clone(),
                played: chosen.clone(),
                best: actions[0].clone(),
            });
        }
    }
}

impl Losses {
    fn of(agent: String, played: Vec<Played>) -> Self {
        let games = played.len() as f64;
        // The library's sum of nothing is -0.
        let sum = |of: &dyn Fn(&Played) -> f64| played.iter().map(of).fold(0.0, Add::add);
        let loss = |game: &Played| game.blunders.iter().map(Blunder::loss).fold(0.0, Add::add);
        let decisions = sum(&|game| game.decisions as f64);
        let per_game = sum(&loss) / games;
        // The two games of a deal are one observation.
        let pairs: Vec<f64> = played.chunks(2).map(|pair| pair.iter().map(loss).sum()).collect();
        let squares = pairs.iter().map(|sum| (sum / 2.0 - per_game).powi(2)).sum::<f64>();
        let number = pairs.len() as f64;
        let result = sum(&|game| game.result) / games;
        let share = sum(&|game| game.blunders.len() as f64) / decisions;
        let mut blunders: Vec<Blunder> =
            played.into_iter().flat_map(|game| game.blunders).collect();
        blunders.sort_by(|a, b| b.loss().total_cmp(&a.loss()));
        Self {
            agent,
            games: games as u64,
            decisions: decisions as u64,
            share,
            per_decision: per_game * games / decisions,
            per_game,
            error: (squares > 0.0).then(|| (squares / (number * (number - 1.0))).sqrt()),
            result,
            blunders,
        }
    }
}

impl Blunder {
    fn loss(&self) -> f64 {
        self.best.value - self.played.value
    }
}

//! Batches against an agent.

use std::sync::Arc;

use darkqi_engine::agent::NEVER;
use darkqi_engine::agents::AgentSpec;
use darkqi_env::{
    AnyBatch, AnyState, BatchConfig, Format, Options, Viewer,
    batch::{Buffers, MaskFormat},
    game::texts,
    games,
};
use darkqi_play::opponents::{CallerSeat, batch_against, choose};

/// A batch and the rows of its latest step.
struct Play {
    batch: Box<dyn AnyBatch>,
    buffers: Buffers,
}

impl Play {
    fn new(game: &str, opponent: &str, seat: CallerSeat, lanes: usize, threads: usize) -> Self {
        let spec: AgentSpec = opponent.parse().expect("the agent exists");
        let config = BatchConfig {
            lanes,
            seed: 2,
            mask: MaskFormat::Bits,
            threads: Some(threads),
            ..BatchConfig::default()
        };
        let batch = batch_against(game, &Options::new(), config, &spec, seat, Arc::default());
        let batch = batch.expect("the game and the agent exist");
        let buffers = Buffers::new(&*batch).with_final_observation();
        let mut play = Self { batch, buffers };
        play.call(None);
        play
    }

    /// Steps with these actions, or resets.
    fn call(&mut self, actions: Option<&[i64]>) {
        let rows = self.buffers.rows();
        let done = match actions {
            Some(actions) => self.batch.step(actions, rows),
            None => self.batch.reset(None, rows),
        };
        done.expect("the actions are legal and the buffers fit");
    }

    fn step_at_random(&mut self) -> Vec<i64> {
        let mut actions = vec![0; self.batch.config().lanes];
        self.batch.sample_actions(&mut actions).expect("the buffer fits");
        self.call(Some(&actions));
        actions
    }

    fn fen(&self, lane: usize) -> String {
        self.batch.state(lane).expect("the lane exists").fen()
    }
}

#[test]
fn the_caller_is_always_to_move() {
    for game in games::names() {
        for (seat, expected) in [(CallerSeat::Fixed(1), Some(1)), (CallerSeat::Random, None)] {
            let mut play = Play::new(game, "random", seat, 40, 2);
            let players = play.batch.lengths().players;
            let mut drawn = vec![false; players];
            for _ in 0..40 {
                for (lane, &seat) in play.buffers.current_player.iter().enumerate() {
                    let state = play.batch.state(lane).expect("the lane exists");
                    let seat = usize::try_from(seat).expect("it is a seat");
                    assert_eq!(state.current_player(), seat, "{game}");
                    drawn[seat] = true;
                }
                play.step_at_random();
            }
            match expected {
                Some(only) => assert!((0..players).all(|seat| drawn[seat] == (seat == only))),
                None => assert!(drawn.iter().all(|&drawn| drawn), "{game}: {drawn:?}"),
            }
        }
    }
}

/// Follows the games of a batch by single games, and compares each game's last observation with what
/// every seat and a spectator would see.
#[test]
fn the_last_observation_is_the_callers_own() {
    for (game, opponent) in [("jieqi", "greedy"), ("four_camps", "random"), ("gaiqi", "greedy")] {
        if !games::names().contains(&game) {
            continue;
        }
        let mut play = Play::new(game, opponent, CallerSeat::Random, 12, 1);
        let spec: AgentSpec = opponent.parse().expect("the agent exists");
        let deal = |seed| darkqi_env::deal(game, &Options::new(), seed).expect("it can be dealt");
        let mut states: Vec<_> = play.batch.seeds().into_iter().map(deal).collect();
        // Games that a seat's own action ended, and games that an opponent's did.
        let mut ends = [0; 2];
        let mut distinct = 0;
        while ends.iter().any(|&ends| ends < 3) {
            let (seeds, callers) = (play.batch.seeds(), play.buffers.current_player.clone());
            let actions = play.step_at_random();
            for (lane, &action) in actions.iter().enumerate() {
                let (state, caller) = (&mut states[lane], callers[lane] as usize);
                let answer = |state: &mut Box<dyn AnyState>| {
                    while state.outcome().is_none() && state.current_player() != caller {
                        let reply =
                            choose(&**state, &spec, seeds[lane], &NEVER).expect("it plays on");
                        state.apply(reply).expect("it is legal");
                    }
                };
                answer(state);
                let legal = state.legal_actions();
                let action = legal.iter().copied().find(|legal| i64::from(legal.0) == action);
                state.apply(action.expect("it was legal")).expect("it is legal");
                let is_over = state.outcome().is_some();
                answer(state);
                assert_eq!(state.outcome().is_some(), play.buffers.ended(lane), "{game}");
                if state.outcome().is_none() {
                    assert_eq!(state.fen(), play.fen(lane), "the opponent plays as alone");
                    continue;
                }
                ends[usize::from(!is_over)] += 1;
                let length = Format::Planes.len(&state.spec().layout);
                let seen = |viewer| {
                    let mut row = vec![0; length];
                    state.observe(viewer, Format::Planes, &mut row);
                    row
                };
                let rows = play.buffers.final_observation.as_ref().expect("there is a buffer");
                let shown = &rows[lane * length..][..length];
                assert!(shown == seen(Viewer::Player(caller)), "{game}: {}", state.fen());
                let players = play.buffers.final_player.as_ref().expect("there is a buffer");
                assert_eq!(players[lane] as usize, caller, "{game}");
                let others = (0..state.spec().num_players).filter(|&seat| seat != caller);
                distinct += others.filter(|&seat| seen(Viewer::Player(seat)) != shown).count();
                *state = deal(play.batch.seeds()[lane]);
            }
        }
        assert!(distinct > 0, "{game}: all seats see the same");
    }
}

#[test]
fn games_do_not_depend_on_threads_and_other_lanes() {
    for (game, opponent) in [("gaiqi", "greedy:epsilon=0.2"), ("flipping", "expectimax:depth=1")] {
        let mut plays = [(3, 1), (9, 1), (9, 2)]
            .map(|(lanes, threads)| Play::new(game, opponent, CallerSeat::Random, lanes, threads));
        let mut ended = 0;
        for _ in 0..150 {
            plays.iter_mut().for_each(|play| drop(play.step_at_random()));
            let [few, one, two] = &plays;
            assert_eq!(one.buffers.reward, two.buffers.reward);
            assert_eq!(one.buffers.reward[..few.buffers.reward.len()], few.buffers.reward);
            for lane in 0..9 {
                assert_eq!(one.fen(lane), two.fen(lane), "{game}");
                assert!(lane >= 3 || few.fen(lane) == one.fen(lane), "{game}");
            }
            ended += (0..9).filter(|&lane| two.buffers.ended(lane)).count();
        }
        assert!(ended > 9, "{game}: only {ended} games ended");
    }
}

#[test]
fn faults_are_named() {
    let spec = |text: &str| text.parse::<AgentSpec>().expect("the agent exists");
    let error = |game: &str, agent: &str, seat| {
        let config = BatchConfig::default();
        let made = batch_against(game, &Options::new(), config, &spec(agent), seat, Arc::default());
        made.err().expect("it cannot be made").to_string()
    };
    let seat = error("seven_kingdoms", "random", CallerSeat::Fixed(7));
    assert_eq!(seat, "seat 7: expected a seat from 0 to 6");
    assert!(error("chess", "random", CallerSeat::Random).starts_with("unknown game `chess`"));
    assert!(error("jieqi", "greedy:values=none.toml", CallerSeat::Random).contains("none.toml"));
}

#[test]
fn games_may_be_over_before_the_callers_turn() {
    let one_ply = texts(&[("max_plies", "1")]);
    let spec: AgentSpec = "random".parse().expect("the agent exists");
    for game in games::names() {
        let make = |seat| {
            batch_against(game, &one_ply, BatchConfig::default(), &spec, seat, Arc::default())
        };
        // No seat but the first ever moves.
        let error = make(CallerSeat::Fixed(1)).err().expect("seat 1 never moves");
        assert!(error.to_string().starts_with("seat: expected one that comes to move"), "{error}");
        make(CallerSeat::Fixed(0)).expect("seat 0 moves");
        // Games in which the caller has another seat are over at once. The batch skips them.
        let batch = make(CallerSeat::Random).expect("seat 0 is drawn eventually");
        let state = batch.state(0).expect("the lane exists");
        assert_eq!((state.current_player(), state.ply()), (0, 0), "{game}");
    }
}

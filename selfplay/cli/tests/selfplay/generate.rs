//! Self-play: determinism, duplicate deals, stopping, faulty configurations.

use std::fs;
use std::num::NonZeroUsize;

use darkqi_env::{Options, Rng, Stream, game::texts, games, rng::game_seed};
use darkqi_format::{Dataset, Metadata};
use darkqi_play::generation::Job;
use serde_json::json;

use super::{
    config, contents, folder, folder_with, greedy_and_random, play, refusal, replays, stop_after,
};

#[test]
fn threads_do_not_change_a_byte() {
    for game in games::names() {
        let folder = folder();
        let run = |threads: usize| {
            let dir = folder.path().join(threads.to_string());
            let mut config = config(game, &greedy_and_random(game), 60, &dir);
            config.threads = NonZeroUsize::new(threads).expect("there is a thread");
            config.shard_games = 25;
            play(&config);
            contents(&dir)
        };
        let one = run(1);
        assert_eq!(one.len(), 2 + 2 * 3, "{:?}", one.keys());
        assert_eq!(one, run(2));
        assert_eq!(one, run(5));
    }
}

#[test]
fn a_game_depends_on_the_configuration_and_its_number_only() {
    let folder = folder();
    let run = |name: &str, games, shard_games, seed| {
        let dir = folder.path().join(name);
        play(&Job { shard_games, seed, ..config("gaiqi", "greedy", games, &dir) });
        replays(&dir)
    };
    let games = run("a", 30, 7, 5);
    assert_eq!(games[..20], run("b", 20, 1000, 5));
    for (number, game) in (0..).zip(&games) {
        assert_eq!(game.game_id, number);
        assert_eq!(game.deal_id, number);
        assert_eq!(game.seed, game_seed(5, number));
        let dealt = darkqi_env::deal("gaiqi", &Options::new(), game.seed).expect("gaiqi exists");
        assert_eq!(game.deal, dealt.fen());
    }
    assert_ne!(games, run("c", 30, 7, 6));
}

#[test]
fn random_play_follows_the_stream_of_the_seat() {
    let (_folder, dir) = folder_with("games");
    play(&config("jieqi", "random", 2, &dir));
    for game in replays(&dir) {
        let mut state =
            darkqi_env::deal("jieqi", &Options::new(), game.seed).expect("jieqi exists");
        let mut rngs = [0, 1].map(|seat| Rng::new(game.seed, Stream::Agent(seat)));
        for ply in &game.moves {
            let legal = state.legal_actions();
            let draw = rngs[state.current_player()].below(legal.len() as u32);
            let action = legal[draw as usize];
            assert_eq!(ply.action, action.0);
            state.apply(action).expect("it is legal");
        }
    }
}

#[test]
fn duplicate_deals_are_played_from_every_seat() {
    let (_folder, dir) = folder_with("games");
    let mut config = config("gaiqi", "greedy,random", 60, &dir);
    config.duplicate = true;
    config.seed = 3;
    // Rounded up, so that the games of a deal stay together.
    config.shard_games = 7;
    let summary = play(&config);
    let games = replays(&dir);
    for pair in games.chunks(2) {
        let deal = pair[0].game_id / 2;
        assert!(pair.iter().all(|game| game.deal_id == deal));
        assert!(pair.iter().all(|game| game.seed == game_seed(3, deal)));
        assert_eq!(pair[0].deal, pair[1].deal);
        assert_eq!(pair[0].agents, ["greedy", "random"]);
        assert_eq!(pair[1].agents, ["random", "greedy"]);
    }
    let shards = Dataset::open(&dir).expect("the dataset can be opened").shards().to_vec();
    assert!(shards.iter().all(|shard| shard.first_game_id.is_multiple_of(2)));
    assert_eq!(shards[0].games, 8);

    let wins = |agent: &str| {
        let won = |game: &&darkqi_format::GameRecord| {
            usize::try_from(game.winner).is_ok_and(|seat| game.agents[seat] == agent)
        };
        games.iter().filter(won).count() as u64
    };
    let [greedy, random] = summary.agents.as_slice() else { panic!("there are two agents") };
    assert_eq!((greedy.name.as_str(), greedy.wins), ("greedy", wins("greedy")));
    assert_eq!((random.name.as_str(), random.wins), ("random", wins("random")));
    assert_eq!(greedy.wins, random.losses);
    let [greedy, random] = [greedy, random].map(|agent| agent.score.expect("there are games"));
    assert!((greedy.value + random.value - 1.0).abs() < 1e-12);
    assert!(greedy.low > 0.5, "{greedy:?}");
}

#[test]
fn without_a_whole_deal_there_is_no_score() {
    let folder = folder();
    let config = Job {
        duplicate: true,
        threads: NonZeroUsize::MIN,
        ..config("jieqi", "greedy,random", 20, folder.path())
    };
    let summary = stop_after(&config, 1);
    assert!(summary.agents.iter().all(|agent| agent.wins + agent.losses == 0), "{summary:?}");
    assert!(summary.agents.iter().chain(&summary.seats).all(|standing| standing.score.is_none()));
}

#[test]
fn an_agent_against_itself_does_not_repeat_a_game_on_a_duplicate_deal() {
    let (_folder, dir) = folder_with("games");
    play(&Job { duplicate: true, ..config("jieqi", "random", 2, &dir) });
    let games = replays(&dir);
    assert_eq!(games[0].deal, games[1].deal);
    assert_ne!(games[0].moves, games[1].moves);
}

#[test]
fn summaries_count_the_games_of_the_dataset() {
    let (_folder, dir) = folder_with("games");
    let mut config = config("jieqi", "random", 40, &dir);
    config.options = texts(&[("max_plies", "150")]);
    let summary = play(&config);
    let games = replays(&dir);
    assert_eq!(summary.games, 40);
    assert_eq!(summary.plies, games.iter().map(|game| u64::from(game.plies)).sum::<u64>());
    assert_eq!(summary.lengths.max, games.iter().map(|game| game.plies).max().unwrap_or(0));
    assert_eq!(summary.lengths.min, games.iter().map(|game| game.plies).min().unwrap_or(0));
    for (reason, count) in &summary.reasons {
        let found = games.iter().filter(|game| game.reason == *reason).count();
        assert_eq!(*count, found as u64, "{reason}");
    }
    assert!(summary.reasons.is_sorted_by(|a, b| a.1 >= b.1));
    for (seat, standing) in summary.seats.iter().enumerate() {
        let count = |wanted: f32| {
            let ended = games.iter().filter(|game| game.terminated);
            ended.filter(|game| game.rewards[seat] == wanted).count() as u64
        };
        assert_eq!(standing.wins, count(1.0));
        assert_eq!(standing.losses, count(-1.0));
        assert_eq!(standing.draws, count(0.0));
        assert_eq!(standing.truncated, games.iter().filter(|game| !game.terminated).count() as u64);
        assert!(standing.truncated > 0);
    }
    let tables = contents(&dir).into_iter().filter(|(name, _)| name.ends_with(".parquet"));
    assert_eq!(summary.bytes, tables.map(|(_, bytes)| bytes.len() as u64).sum::<u64>());
}

#[test]
fn the_metadata_names_the_configuration() {
    let (_folder, dir) = folder_with("games");
    let mut config = config("gaiqi", "greedy,random", 2, &dir);
    config.seed = 9;
    config.options = texts(&[("repetition", "off")]);
    play(&config);
    let dataset = Dataset::open(&dir).expect("the dataset can be opened");
    let options = [
        ("max_plies".to_owned(), json!(1000)),
        ("quiet_limit".to_owned(), json!(60)),
        ("repetition".to_owned(), json!(false)),
    ];
    let expected = Metadata {
        game: "gaiqi".to_owned(),
        options: options.into(),
        seed: 9,
        agents: vec!["greedy".to_owned(), "random".to_owned()],
        software_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    assert_eq!(*dataset.metadata(), expected);
    assert!(dataset.is_complete());
}

#[test]
fn faulty_configurations_are_refused_before_anything_is_written() {
    let (_folder, dir) = folder_with("games");
    let run = |agents: &str| config("gaiqi", agents, 10, &dir);
    let fault = |faulty: Job| {
        let error = refusal(&faulty);
        assert!(!dir.exists(), "{error}");
        error
    };
    assert_eq!(
        fault(run("random,random,greedy")),
        "agents: gaiqi has 2 seats; expected 2 agents or one for all, got 3"
    );
    let games = fault(Job { games: 0, ..run("random") });
    assert_eq!(games, "games: expected at least 1, got 0");
    let shard_games = fault(Job { shard_games: 0, ..run("random") });
    assert_eq!(shard_games, "shard_games: expected at least 1, got 0");
    let huge = fault(Job { games: 1 << 40, shard_games: 1 << 50, ..run("random") });
    let expected = "shard_games: expected at most 10000000, as memory holds the games of a shard, got \
                    1125899906842624";
    assert_eq!(huge, expected);
    let odd = fault(Job { games: 7, duplicate: true, ..run("random") });
    assert_eq!(odd, "games: expected a multiple of 2, the games of each duplicate deal, got 7");
    let options = texts(&[("quiet", "1")]);
    for (faulty, start) in [
        (config("chess", "random", 10, &dir), "unknown game `chess`"),
        (run("greedy:values=none.toml"), "piece values none.toml: "),
        (Job { options, ..run("random") }, "gaiqi has no option `quiet`"),
    ] {
        let found = fault(faulty);
        assert!(found.starts_with(start), "{found}");
    }
    fs::create_dir(&dir).expect("a folder can be made");
    fs::write(dir.join("dataset.json"), "{}").expect("a file can be written");
    let error = refusal(&run("random"));
    assert!(error.contains("already holds a dataset"), "{error}");
}

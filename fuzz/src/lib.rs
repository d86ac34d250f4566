//! Helpers of the fuzz targets: decoding the fuzzer's bytes, temporary files, datasets.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use darkqi_analysis::{first_reveal, piece_values};
use darkqi_engine::agent::{NEVER, Request};
use darkqi_engine::agents::AgentSpec;
use darkqi_env::{Registered, Rng, Spec, Stream, Viewer, Visitor, games, game::GameExt};
use darkqi_format::{Dataset, options_from_json};
use darkqi_play::generation::{Job, selfplay};
use darkqi_play::replay::Replayer;
use darkqi_tests::arbitrary::{Named, random_options};
use darkqi_tests::{shipped_games, test_rng, texts};

/// The fuzzer's bytes, consumed from the front. After the last byte it reads zeros.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    /// An input of all the bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Whether none are left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One byte.
    pub fn byte(&mut self) -> u8 {
        let [byte] = self.bytes();
        byte
    }

    /// A number below `bound`, which is at most 256.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound
    }

    /// An integer of 16 bits, little-endian.
    pub fn word(&mut self) -> u16 {
        u16::from_le_bytes(self.bytes())
    }

    /// A generator for choices that the fuzzer does not control one by one: two bytes seed it.
    pub fn rng(&mut self) -> Rng {
        test_rng(self.word().into())
    }

    /// A game that is shipped: one byte.
    pub fn game(&mut self) -> &'static str {
        let games = shipped_games();
        games[self.below(games.len())]
    }

    /// Random options of a game: two bytes seed them; 0 stands for no options.
    pub fn options(&mut self, game: &str) -> Vec<Named> {
        match self.word() {
            0 => Vec::new(),
            seed => random_options(game, &mut test_rng(seed.into())),
        }
    }

    /// A file as the remaining bytes edit it: each edit is a place (2), an operation (1) and a
    /// byte (1).
    pub fn edit(mut self, mut file: Vec<u8>) -> Vec<u8> {
        while !self.is_empty() && !file.is_empty() {
            let place = usize::from(self.word()) % file.len();
            match (self.below(4), self.byte()) {
                (0, byte) => file.insert(place, byte),
                (1, _) => drop(file.remove(place)),
                (2, _) => file.truncate(place),
                (_, byte) => file[place] = byte,
            }
        }
        file
    }

    /// The remaining bytes.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }

    /// This many of the next bytes, or all that are left.
    pub fn take(&mut self, count: usize) -> &'a [u8] {
        let (front, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        front
    }

    /// The remaining bytes, if they are UTF-8.
    pub fn text(self) -> Option<&'a str> {
        std::str::from_utf8(self.0).ok()
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut taken = [0; N];
        let front = self.take(N);
        taken[..front.len()].copy_from_slice(front);
        taken
    }
}

/// A folder of this process for temporary files; in memory on Linux, which is faster.
pub fn temp_folder() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let base = if memory.is_dir() { memory } else { std::env::temp_dir() };
    let folder = base.join(format!("darkqi-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder can be created");
    folder
}

/// Plays a few games and writes them as a dataset of two shards into `folder`.
pub fn write_dataset(game: &str, folder: &Path) {
    let agents = AgentSpec::parse_list("random").expect("the agent is registered");
    let job = Job {
        games: 6,
        dir: Some(folder.to_owned()),
        shard_games: 3,
        options: texts(&[("max_plies", "40")]),
        threads: NonZeroUsize::MIN,
        ..Job::new(game, agents)
    };
    selfplay(&job, &(), &AtomicBool::new(false)).expect("the games can be played");
}

/// Lets an agent choose an action at the first deal of a game, if the agent can be built.
pub fn choose_once(game: &str, agent: &str) {
    let agent: AgentSpec = agent.parse().expect("the agent is registered");
    games::with(game, &Default::default(), ChooseOnce(&agent)).expect("the game is registered");
}

struct ChooseOnce<'a>(&'a AgentSpec);

impl Visitor for ChooseOnce<'_> {
    type Output = ();

    fn visit<G: Registered>(self, rules: G) {
        let Ok(mut agent) = self.0.build(&rules) else { return };
        let state = rules.deal(&mut Rng::new(1, Stream::Deal));
        let legal = GameExt::actions(&rules, &state);
        let view = rules.view(&state, Viewer::Player(rules.to_move(&state)));
        let rng = &mut Rng::new(1, Stream::Agent(0));
        let decision =
            agent.decide(&rules, &mut Request { game: 0, view, legal: &legal, rng, stop: &NEVER });
        assert!(legal.contains(&decision.expect("searches decide").action));
    }
}

/// Reads, replays and analyses a dataset. Errors are allowed, panics are not.
pub fn analyse_dataset(folder: &Path) {
    let stop = AtomicBool::new(false);
    let Ok(dataset) = Dataset::open(folder) else { return };
    let _ = dataset.games().count();
    for game in dataset.replays().map_while(Result::ok) {
        assert_eq!(usize::from(game.plies), game.moves.len());
        // A damaged `dataset.json` may list the game in another shard.
        if let Ok(found) = dataset.game(game.game_id) {
            assert_eq!(found.game_id, game.game_id);
        }
        let metadata = dataset.metadata();
        if let Ok(options) = options_from_json(&metadata.options) {
            let Ok(spec) = Spec::new(&metadata.game, &options) else { continue };
            for difference in Replayer::new(&spec).replay(&game, |_, _| ()) {
                assert!(!difference.to_string().is_empty());
            }
        }
    }
    let _ = first_reveal(&dataset, &stop);
    let _ = piece_values(&dataset, 4, &stop);
}

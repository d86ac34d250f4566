//! Test games, played at random or with a preference for captures.

use darkqi_env::{Action, Registered, Rng, Spec, Stream, Viewer, game::GameExt};

use darkqi_format::{DRAW, FirstReveal, GameRecord, Metadata, MoveName, PlyRecord, logged_piece};

/// The policy of all seats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Player {
    /// Uniformly random.
    Random,
    /// Mostly a capture: of the piece first in the list of kinds, or of a covered one if there is
    /// no other.
    Greedy,
}

/// Plays a game on the deal with number `deal_id`.
pub(crate) fn play<G: Registered>(
    rules: &G,
    game_id: u64,
    deal_id: u64,
    player: Player,
) -> GameRecord {
    let spec = &Spec::of(rules);
    let mut state = rules.deal(&mut Rng::new(deal_id, Stream::Deal));
    let rng = &mut Rng::new(game_id, Stream::Sample);
    let deal = rules.fen(&state);
    let first_player = rules.to_move(&state) as i8;
    let mut first_reveal = None;
    let mut moves = Vec::new();
    let mut legal = Vec::new();
    let outcome = loop {
        rules.list_actions(&state, &mut legal);
        if let Some(outcome) = rules.outcome_given(&state, !legal.is_empty()) {
            break outcome;
        }
        let action = choose(rules, &state, &legal, player, rng);
        let event = rules.event(&state, action);
        let mover = rules.to_move(&state);
        let side = rules.perspective(mover);
        if let (Some(piece), None) = (event.revealed, &first_reveal)
            && let Some(square) = spec.turned_over(rules.table().get_move(action, side))
        {
            first_reveal = Some(FirstReveal::new(spec, square, piece, mover));
        }
        moves.push(PlyRecord {
            player: mover as i8,
            action: action.0,
            mv: MoveName::from(&rules.table().name(action, side)).expect("it is short"),
            legal_count: legal.len() as u16,
            revealed: event.revealed.map(|piece| logged_piece(spec, piece)),
            captured: event.captured.map(|piece| logged_piece(spec, piece)),
            captured_covered: event.captured_covered,
            ..PlyRecord::default()
        });
        rules.play(&mut state, action);
    };
    let winners: Vec<_> = outcome.winners().collect();
    GameRecord {
        game_id,
        seed: game_id,
        deal,
        agents: vec!["random".into(); rules.players()],
        plies: moves.len() as u16,
        winner: if let [winner] = winners[..] { winner as i8 } else { DRAW },
        rewards: outcome.rewards().to_vec(),
        terminated: !outcome.truncated(),
        reason: outcome.reason.name().into(),
        first_player,
        first_reveal,
        deal_id,
        moves,
    }
}

fn choose<G: Registered>(
    rules: &G,
    state: &G::State,
    legal: &[Action],
    player: Player,
    rng: &mut Rng,
) -> Action {
    let any = *rng.choose(legal);
    if player == Player::Random || rng.below(10) == 0 {
        return any;
    }
    // The policy uses the public view only.
    let view = rules.view(state, Viewer::Public);
    let prey = |action: &Action| {
        let mut prey = None;
        rules.each_reveal(&view, *action, |event, _| {
            let kind = event.captured.map_or(u8::MAX, |piece| piece.kind);
            prey = match (event.captured_covered, event.captured) {
                (true, _) => Some(u8::MAX),
                (false, Some(_)) => Some(kind),
                (false, None) => None,
            };
        });
        prey.map(|kind| (kind, *action))
    };
    legal.iter().filter_map(prey).min().map_or(any, |(_, action)| action)
}

/// The settings of games of `random`.
pub(crate) fn metadata(game: &str) -> Metadata {
    Metadata {
        game: game.into(),
        options: [].into(),
        seed: 0,
        agents: vec!["random".into()],
        software_version: "0".into(),
    }
}

//! Games under two rules side by side, to compare usual rules with designs that say the same.

use crate::board::{Action, Move};
use crate::game::{Activity, Event, Features, Game, GameExt, Notation, Player, Viewer};
use crate::rng::{Rng, Stream};

/// Plays at random, or often back and forth. Returns how the games ended. Actions are compared by their squares,
/// FENs by their first six fields.
pub(in crate::families) fn play_alike<A, B>(one: &A, other: &B, plies: u32) -> Vec<&'static str>
where
    A: Features + Notation,
    B: Features + Notation,
{
    let mut rng = Rng::new(7, Stream::Sample);
    let (mut played, mut games) = (0, 0);
    let mut reasons = Vec::new();
    while played < plies {
        let [mut first, mut second] =
            [Rng::new(games, Stream::Deal), Rng::new(games, Stream::Deal)];
        let (mut a, mut b) = (one.deal(&mut first), other.deal(&mut second));
        games += 1;
        let is_stubborn = rng.below(2) == 0;
        let mut last = [None; 2];
        loop {
            let fen = fields(&one.fen(&a));
            assert_eq!(fen, fields(&other.fen(&b)));
            let outcome = one.outcome(&a);
            assert_eq!(outcome, other.outcome(&b), "{fen}");
            assert_eq!(one.is_check(&a), other.is_check(&b), "{fen}");
            if let Some(outcome) = outcome {
                reasons.push(outcome.reason.name());
                break;
            }
            let player = one.to_move(&a);
            let (actions, same) = (one.actions(&a), other.actions(&b));
            assert_eq!(moves(one, player, &actions), moves(other, player, &same), "{fen}");
            let back = last[player].filter(|_| is_stubborn && rng.below(8) > 0);
            let back = actions.iter().position(|action| Some(*action) == back);
            let chosen = back.unwrap_or_else(|| rng.below(actions.len() as u32) as usize);
            let (action, twin) = (actions[chosen], same[chosen]);
            assert_eq!(told(one, &a, action), told(other, &b, twin), "{fen}");
            let seen_from = one.perspective(player);
            if let Move::Step { from, to } = one.table().get_move(action, seen_from) {
                let size = one.table().size();
                last[player] = one.table().parse(&(size.name(to) + &size.name(from)), seen_from);
            }
            one.play(&mut a, action);
            other.play(&mut b, twin);
            played += 1;
        }
    }
    reasons
}

fn fields(fen: &str) -> String {
    fen.split(' ').take(6).collect::<Vec<_>>().join(" ")
}

fn moves<G: Game>(rules: &G, player: Player, actions: &[Action]) -> Vec<Move> {
    let seen_from = rules.perspective(player);
    actions.iter().map(|&action| rules.table().get_move(action, seen_from)).collect()
}

/// What the mover is told of an action, and of the position before it.
fn told<G: Features>(
    rules: &G,
    state: &G::State,
    action: Action,
) -> (Activity, Option<f32>, Event) {
    let player = rules.to_move(state);
    let view = rules.view(state, Viewer::Player(player));
    let exchange = rules.static_exchange(&view, action, |_| 1.0);
    (rules.activity(&view, player), exchange, rules.event(state, action))
}

//! What positions are worth, for those who do not know the type of their game.

use darkqi_env::{AnyState, Player, Registered, Rng, Spec, Stream, Viewer, Visitor, games};

use crate::agents::value_net;
use crate::evaluation::{Evaluation, Prior, each_input};
use crate::search::{Expectimax, Limits};

/// The built-in evaluation of a game. States must be of that game.
pub trait Judge: Send + Sync {
    /// The linear evaluation of a seat, in its view.
    fn prior(&self, state: &dyn AnyState, viewer: Player) -> Prior;

    /// Adds the active inputs of a value net in the view of a seat.
    fn add_inputs(&self, state: &dyn AnyState, viewer: Player, inputs: &mut Vec<u32>);

    /// A search by the evaluation with its net.
    fn search(&self, limits: Limits) -> Expectimax;

    /// The value of a position to a seat, from -1 to 1, as the seat to move sees it: of a game of two by
    /// this search, otherwise by the evaluation alone. The game is not over.
    fn value(&self, state: &dyn AnyState, seat: Player, search: &mut Expectimax) -> f32;
}

/// The judge of a game.
pub fn judge(spec: &Spec) -> Box<dyn Judge> {
    struct Make;
    impl Visitor for Make {
        type Output = Box<dyn Judge>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            let linear = Evaluation::built_in::<G>();
            let net = value_net(&rules, None).expect("no file is read");
            Box::new(BuiltIn { corrected: linear.clone().with_net(net), linear, rules })
        }
    }
    let made = games::with(spec.name, &spec.options_in_force(), Make);
    made.expect("a spec is of a registered game")
}

struct BuiltIn<G> {
    rules: G,
    linear: Evaluation,
    corrected: Evaluation,
}

impl<G: Registered> BuiltIn<G> {
    fn view<'a>(&'a self, state: &'a dyn AnyState, viewer: Player) -> G::View<'a> {
        let state = state.state().downcast_ref::<G::State>();
        let state = state.expect("the state is of the judge's game");
        self.rules.view(state, Viewer::Player(viewer))
    }
}

impl<G: Registered> Judge for BuiltIn<G> {
    fn prior(&self, state: &dyn AnyState, viewer: Player) -> Prior {
        self.linear.prior(&self.rules, &self.view(state, viewer), viewer)
    }

    fn add_inputs(&self, state: &dyn AnyState, viewer: Player, inputs: &mut Vec<u32>) {
        let view = self.view(state, viewer);
        each_input(&self.rules, &view, |input| inputs.push(input as u32));
    }

    fn search(&self, limits: Limits) -> Expectimax {
        Expectimax::new(self.corrected.clone(), limits)
    }

    fn value(&self, state: &dyn AnyState, seat: Player, search: &mut Expectimax) -> f32 {
        let (rules, mover) = (&self.rules, state.current_player());
        let view = self.view(state, mover);
        if rules.players() > 2 {
            return self.corrected.evaluate(rules, &view, mover)[seat];
        }
        let mut rng = Rng::new(0, Stream::Ply(state.ply()));
        let value = search.search(rules, &view, &mut rng).value;
        if mover == seat { value } else { -value }
    }
}

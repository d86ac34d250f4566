//! Whose turn it is, or how a game has ended, in words.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use serde::Serialize;

use super::AnyState;
use crate::game::{Counter, Hides, Outcome, Player, Viewer};

/// How a game has ended: by the rules, by a limit, or by its players.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ending<'a> {
    /// The reason by its name in RULES.md, or one of the players', such as `resignation`.
    pub reason: &'a str,
    /// The reward of each seat.
    pub rewards: &'a [f32],
    /// Whether a limit outside the rules cut it off.
    pub is_truncated: bool,
}

impl<'a> From<&'a Outcome> for Ending<'a> {
    fn from(outcome: &'a Outcome) -> Self {
        let (reason, rewards) = (outcome.reason.name(), outcome.rewards());
        Self { reason, rewards, is_truncated: outcome.truncated() }
    }
}

/// A text with places for other texts. Whoever tells it in another language orders the words anew.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Phrase {
    /// English, with places such as `{who}`.
    pub text: Cow<'static, str>,
    /// The texts in the places.
    pub values: BTreeMap<&'static str, Self>,
    /// Whether the text is a name of the rules, told with spaces in place of its underscores.
    #[serde(skip)]
    is_name: bool,
}

impl Phrase {
    /// A text and what stands in its places.
    pub fn new<const N: usize>(text: &'static str, values: [(&'static str, Self); N]) -> Self {
        Self { text: text.into(), values: values.into(), is_name: false }
    }

    /// A name of the rules, such as `no_moves`.
    pub fn name(name: impl Into<Cow<'static, str>>) -> Self {
        Self { text: name.into(), values: BTreeMap::new(), is_name: true }
    }

    /// The text as it begins a sentence: with its first letter in upper case.
    pub fn sentence(&self) -> String {
        let text = self.to_string();
        let mut letters = text.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect()
    }
}

impl From<&'static str> for Phrase {
    fn from(text: &'static str) -> Self {
        Self::new(text, [])
    }
}

impl From<String> for Phrase {
    fn from(text: String) -> Self {
        Self { text: text.into(), values: BTreeMap::new(), is_name: false }
    }
}

impl Display for Phrase {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.is_name {
            return f.write_str(&self.text.replace('_', " "));
        }
        if self.values.is_empty() {
            return f.write_str(&self.text);
        }
        for (at, part) in self.text.split(['{', '}']).enumerate() {
            match self.values.get(part) {
                Some(value) if at % 2 == 1 => value.fmt(f)?,
                _ => f.write_str(part)?,
            }
        }
        Ok(())
    }
}

/// The state of a game in a few words, the same everywhere: whose turn it is, or how it has ended. A
/// game that the rules have not ended has its `ending`, if it has one, from elsewhere.
///
/// ```
/// use darkqi_env::{Options, Viewer, deal, session::{Ending, standing}};
///
/// let game = deal("jieqi", &Options::new(), 7)?;
/// assert_eq!(standing(&*game, None), "Red to move");
/// let rewards = [-1.0, 1.0];
/// let ending = Ending { reason: "resignation", rewards: &rewards, is_truncated: false };
/// assert_eq!(standing(&*game, Some(ending)), "Black won: resignation");
/// # Ok::<(), darkqi_env::SetupError>(())
/// ```
pub fn standing(state: &dyn AnyState, ending: Option<Ending<'_>>) -> String {
    let outcome = state.outcome();
    match ending.or(outcome.as_ref().map(Ending::from)) {
        Some(ending) => result(state, ending).sentence(),
        None => turn(state),
    }
}

fn turn(state: &dyn AnyState) -> String {
    let seat = state.current_player();
    let check = if state.is_check() { ", in check" } else { "" };
    let who = match state.army_to_move() {
        Some(army) => {
            let army = &state.spec().armies[usize::from(army)];
            Phrase::from(format!("{} ({}), seat {seat},", army.name, army.letter))
        }
        None => named(state, seat),
    };
    format!("{} to move{check}", who.sentence())
}

/// How a game has ended, as [`standing`] says it.
pub fn result(
    state: &dyn AnyState,
    Ending { reason, rewards, is_truncated }: Ending<'_>,
) -> Phrase {
    let seats = |is_it: fn(f32) -> bool| -> Vec<Player> {
        (0..rewards.len()).filter(|&seat| is_it(rewards[seat])).collect()
    };
    let why = ("why", why(state, reason));
    let won = |who: Phrase, why| Phrase::new("{who} won: {why}", [("who", who), why]);
    match seats(|reward| reward > 0.0).as_slice() {
        [winner] => won(named(state, *winner), why),
        [] if is_truncated => Phrase::new("cut off: {why}", [why]),
        [] => match seats(|reward| reward < 0.0).as_slice() {
            [] => Phrase::new("draw: {why}", [why]),
            // One of many has given up, and the others cannot play on.
            losers => Phrase::new("{who} lost: {why}", [("who", several(losers)), why]),
        },
        winners => won(several(winners), why),
    }
}

/// A reason in words. A limit says what it counts.
fn why(state: &dyn AnyState, reason: &str) -> Phrase {
    let counters = state.counters(Viewer::Public);
    match counters.iter().find(|counter| counter.option == reason) {
        Some(Counter { limit, things, .. }) => Phrase::new(
            "{limit} {things}",
            [("limit", limit.to_string().into()), ("things", (*things).into())],
        ),
        None => Phrase::name(reason.to_owned()),
    }
}

/// A seat, with its colour if it is known. Where each colour has its seat, that is its name.
fn named(state: &dyn AnyState, seat: Player) -> Phrase {
    let spec = state.spec();
    let is_own = |&army: &usize| state.owner(army as u8) == Some(seat);
    let mut armies = (0..spec.armies.len()).filter(is_own).map(|army| spec.armies[army].name);
    match (armies.next(), armies.next()) {
        (Some(only), None) if spec.num_players == 2 && spec.hides != Hides::KindAndArmy => {
            only.into()
        }
        (Some(only), None) => Phrase::new(
            "{army} (seat {seat})",
            [("army", only.into()), ("seat", seat.to_string().into())],
        ),
        _ => several(&[seat]),
    }
}

fn several(seats: &[Player]) -> Phrase {
    let numbers: Vec<String> = seats.iter().map(Player::to_string).collect();
    let text = if seats.len() == 1 { "seat {seats}" } else { "seats {seats}" };
    Phrase::new(text, [("seats", numbers.join(", ").into())])
}

#[cfg(test)]
mod tests {
    use super::{Ending, Phrase, standing};
    use crate::game::{Options, Value, Viewer};
    use crate::session;

    fn told(game: &str, options: &Options, fen: &str) -> String {
        standing(&*session::from_fen(game, options, fen).unwrap(), None)
    }

    #[test]
    fn results_name_the_winner_and_the_reason() {
        let banqi = |fen| told("banqi", &Options::new(), fen);
        assert_eq!(banqi("8/8/8/RR4KC 2 r rrk 3 31"), "Red (seat 0) won: no moves");
        assert_eq!(banqi("8/8/~k~p6/RR4KC 1 r - 0 0"), "Red (seat 0) to move");
        let draw = told("banqi", &Options::new(), "8/8/~k~p6/RR4KC 1 r - 60 70");
        assert_eq!(draw, "Draw: 60 plies without capture or flip");
        let cut = Options::from([("max_plies".to_owned(), Value::Int(70))]);
        assert_eq!(told("banqi", &cut, "8/8/~k~p6/RR4KC 1 r - 3 70"), "Cut off: 70 plies");
    }

    #[test]
    fn names_of_the_rules_are_told_with_spaces_and_all_else_as_it_is() {
        let values =
            [("who", "my_{why}.toml".to_owned().into()), ("why", Phrase::name("no_moves"))];
        assert_eq!(Phrase::new("{who}: {why}", values).to_string(), "my_{why}.toml: no moves");
        assert_eq!(Phrase::from("{a_b}".to_owned()).to_string(), "{a_b}");
    }

    #[test]
    fn seats_without_a_colour_have_their_number() {
        let game = session::deal("gaiqi", &Options::new(), 1).unwrap();
        assert_eq!(standing(&*game, None), "Seat 0 to move");
    }

    #[test]
    fn many_seats_are_named_by_their_numbers() {
        let game = session::deal("seven_kingdoms", &Options::new(), 1).unwrap();
        assert_eq!(standing(&*game, None), "Qin (w), seat 0, to move");
        let end = |reason, rewards: &[f32]| {
            standing(&*game, Some(Ending { reason, rewards, is_truncated: false }))
        };
        assert_eq!(end("resignation", &[0.0, -1.0, 0.0]), "Seat 1 lost: resignation");
        assert_eq!(end("kingdoms", &[0.5, -1.0, 0.5]), "Seats 0, 2 won: kingdoms");
    }

    #[test]
    fn pictures_say_how_the_game_has_ended() {
        let picture = |fen| {
            let game = session::from_fen("banqi", &Options::new(), fen).unwrap();
            game.picture(Some(Viewer::Public)).caption()
        };
        let end = picture("8/8/8/RR4KC 2 r rrk 3 31");
        assert_eq!(end, "Red (seat 0) won: no moves, ply 31, 3 quiet");
    }
}

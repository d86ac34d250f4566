//! The clocks of a game. Only people have one: agents are given their limits when they are chosen.
//!
//! A seat's clock runs while it is to move, from its second ply on: the first costs no time, so that all
//! may come to the board.

use std::time::{Duration, Instant};

use darkqi_env::Player;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::answer::Refusal;

/// Minutes of the longest and of the shortest clock.
const MAX_MINUTES: f64 = 180.0;
const MIN_MINUTES: f64 = 0.05;

/// Seconds that are added at most for a ply.
const MAX_INCREMENT: f64 = 180.0;

/// The parts of a request's clock.
const PARTS: [&str; 2] = ["minutes", "increment"];

/// The time that each person has.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    minutes: f64,
    /// Seconds that a ply adds.
    increment: f64,
}

impl Limits {
    /// The limits that a request or a file gives.
    ///
    /// # Errors
    /// If a part is missing, unknown or out of range.
    pub(crate) fn new(given: &Json) -> Result<Self, Refusal> {
        let names = given.as_object().into_iter().flat_map(|parts| parts.keys());
        if let Some(name) = names.into_iter().find(|name| !PARTS.contains(&name.as_str())) {
            let reason = format!("clock.{name}: expected `{}` and `{}` alone", PARTS[0], PARTS[1]);
            return Err(Refusal::faulty(reason));
        }
        let part = |name: &str, least: f64, most: f64, of: &str| {
            let value = given.get(name);
            let number =
                value.and_then(Json::as_f64).filter(|value| (least..=most).contains(value));
            number.ok_or_else(|| {
                let found = value.map_or_else(|| "nothing".to_owned(), Json::to_string);
                Refusal::faulty(format!(
                    "clock.{name}: expected a number of {of} from {least} to {most}, got {found}"
                ))
            })
        };
        Ok(Self {
            minutes: part(PARTS[0], MIN_MINUTES, MAX_MINUTES, "minutes")?,
            increment: part(PARTS[1], 0.0, MAX_INCREMENT, "seconds")?,
        })
    }
}

/// The clocks of all seats.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    limits: Limits,
    /// What each person had left when the clock was stopped last; an agent has none.
    left: Vec<Option<Duration>>,
    /// The seat whose clock runs, and since when.
    running: Option<(Player, Instant)>,
}

/// The clocks as a page is shown them, and as a file keeps them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClockJson {
    pub(super) limits: Limits,
    /// Milliseconds.
    pub(super) left: Vec<Option<u64>>,
    running: Option<Player>,
}

impl Clock {
    /// The clocks of a game that begins. `people` says which seats have one.
    pub(crate) fn new(limits: Limits, people: &[bool]) -> Self {
        let whole = Duration::from_secs_f64(limits.minutes * 60.0);
        let left = people.iter().map(|is_person| is_person.then_some(whole)).collect();
        Self { limits, left, running: None }
    }

    /// The clocks of a game that was kept. None runs yet: what has passed meanwhile does not count.
    ///
    /// # Errors
    /// If they are no clocks.
    pub(super) fn kept(json: &ClockJson) -> Result<Self, Refusal> {
        let limits = serde_json::to_value(json.limits).map_err(Refusal::impossible)?;
        let left = json.left.iter().map(|left| left.map(Duration::from_millis)).collect();
        Ok(Self { limits: Limits::new(&limits)?, left, running: None })
    }

    pub(super) const fn limits(&self) -> Limits {
        self.limits
    }

    /// The clocks at this moment.
    pub(super) fn json(&self, now: Instant) -> ClockJson {
        let left = (0..self.left.len()).map(|seat| self.left(seat, now));
        let millis = |left: Duration| u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        ClockJson {
            limits: self.limits,
            left: left.map(|left| left.map(millis)).collect(),
            running: self.running.map(|(seat, _)| seat),
        }
    }

    /// What a seat has left at this moment.
    fn left(&self, seat: Player, now: Instant) -> Option<Duration> {
        let used = match self.running {
            Some((running, since)) if running == seat => now.saturating_duration_since(since),
            _ => Duration::ZERO,
        };
        self.left[seat].map(|left| left.saturating_sub(used))
    }

    /// Lets the clock of a seat run and no other, if it has one.
    pub(super) fn run(&mut self, seat: Option<Player>, now: Instant) {
        let seat = seat.filter(|&seat| self.left[seat].is_some());
        if self.running.map(|(running, _)| running) != seat {
            self.stop(now);
            self.running = seat.map(|seat| (seat, now));
        }
    }

    /// A ply was played: the clock that ran stops, and gets the time that a ply adds.
    pub(super) fn press(&mut self, now: Instant) {
        if let Some(seat) = self.stop(now)
            && let Some(left) = &mut self.left[seat]
        {
            *left += Duration::from_secs_f64(self.limits.increment);
        }
    }

    /// Stops the clock that runs. Returns its seat.
    fn stop(&mut self, now: Instant) -> Option<Player> {
        let (seat, _) = self.running?;
        self.left[seat] = self.left(seat, now);
        self.running = None;
        Some(seat)
    }

    pub(super) const fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// The seat whose time is up.
    pub(super) fn late(&self, now: Instant) -> Option<Player> {
        let (seat, _) = self.running?;
        self.left(seat, now)?.is_zero().then_some(seat)
    }

    /// When the time of the seat is up whose clock runs.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let (seat, since) = self.running?;
        since.checked_add(self.left[seat]?)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use serde_json::json;

    use super::{Clock, Limits};

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn a_clock_runs_for_the_seat_to_move_and_plies_add_time() {
        let limits = Limits::new(&json!({ "minutes": 1, "increment": 2 })).expect("they are given");
        let mut clock = Clock::new(limits, &[true, true, false]);
        let start = Instant::now();
        let at = |passed: f64| start + seconds(passed);
        let left = |clock: &Clock, passed| clock.json(at(passed)).left;
        assert_eq!(left(&clock, 100.0), [Some(60_000), Some(60_000), None]);
        // The first ply costs nothing and adds nothing.
        clock.press(at(100.0));
        clock.run(Some(0), at(100.0));
        assert_eq!(left(&clock, 101.5), [Some(58_500), Some(60_000), None]);
        // It goes on, whatever else happens meanwhile.
        clock.run(Some(0), at(101.0));
        clock.press(at(110.0));
        clock.run(Some(1), at(110.0));
        assert_eq!(left(&clock, 170.5), [Some(52_000), Some(0), None]);
        assert_eq!((clock.late(at(169.5)), clock.late(at(170.0))), (None, Some(1)));
        assert_eq!(clock.deadline(), Some(at(170.0)));
        // An agent has no clock.
        clock.press(at(120.0));
        clock.run(Some(2), at(120.0));
        assert_eq!((clock.deadline(), clock.late(at(1e6))), (None, None));
        assert_eq!(left(&clock, 1e6), [Some(52_000), Some(52_000), None]);
        // What passes while it is kept does not count.
        clock.run(Some(0), at(200.0));
        let mut again = Clock::kept(&clock.json(at(210.0))).expect("they are clocks");
        assert_eq!((again.deadline(), left(&again, 1e6)[0]), (None, Some(42_000)));
        again.run(Some(0), at(1e6));
        assert_eq!(again.deadline(), Some(at(1e6 + 42.0)));
    }

    #[test]
    fn what_is_no_clock_is_named() {
        for (given, part) in [
            (json!({ "minutes": -1, "increment": 0 }), "clock.minutes: expected a number of"),
            (json!({ "minutes": 0, "increment": 5 }), "from 0.05 to 180, got 0"),
            (json!({ "minutes": "3", "increment": 5 }), "got \"3\""),
            (json!({ "minutes": 1e300, "increment": 5 }), "clock.minutes"),
            (json!({ "minutes": 5 }), "clock.increment: expected a number of seconds from 0"),
            (json!({ "minutes": 5, "increment": -2 }), "from 0 to 180, got -2"),
            (json!(5), "clock.minutes: "),
            (json!([]), "got nothing"),
        ] {
            let refusal = Limits::new(&given).map(drop).expect_err("it is none").to_string();
            assert!(refusal.contains(part), "{refusal}");
        }
    }
}

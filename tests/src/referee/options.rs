//! Rule options by name (RULES.md 9.5): those of the games for two, and what seven_kingdoms shares
//! with them.

use std::ops::RangeInclusive;

/// The order of ranks in banqi (RULES.md section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ranking {
    Standard,
    Hongkong,
}

/// How a cannon captures in banqi (RULES.md section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cannon {
    Step,
    Jump,
}

/// Who learns what a captured covered piece was (RULES.md section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Captured {
    Captor,
    Public,
}

/// The options of the games for two; one that a game does not have keeps the value that means "off"
/// or "unused" there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    pub quiet_limit: u64,
    pub repetition: bool,
    pub max_plies: u64,
    pub ranking: Ranking,
    pub cannon: Cannon,
    pub captured: Captured,
    pub chase: bool,
    pub progress_limit: u64,
    pub effective_limit: u64,
    pub moves_limit: u64,
}

const GAIQI: Options = Options {
    quiet_limit: 60,
    repetition: true,
    max_plies: 1000,
    ranking: Ranking::Standard,
    cannon: Cannon::Step,
    captured: Captured::Captor,
    chase: false,
    progress_limit: 0,
    effective_limit: 0,
    moves_limit: 0,
};

const JIEQI: Options = Options { quiet_limit: 80, max_plies: 600, ..GAIQI };

const FLIPPING: Options = Options { quiet_limit: 0, max_plies: 400, ..GAIQI };

const MYSTERY: Options = Options {
    quiet_limit: 0,
    chase: true,
    progress_limit: 30,
    effective_limit: 120,
    moves_limit: 300,
    max_plies: 700,
    ..GAIQI
};

/// A game's defaults with the given options set. If a name is given twice, the last one counts.
///
/// # Errors
/// If the game has no option of a name, or a value is not among the option's values; the message
/// lists the valid ones.
///
/// # Panics
/// If there is no such game.
pub(super) fn read(game: &str, given: &[(&str, &str)]) -> Result<Options, String> {
    let (mut options, names): (Options, &[&str]) = match game {
        "gaiqi" => (GAIQI, &["quiet_limit", "repetition", "max_plies"]),
        "banqi" => (GAIQI, &["quiet_limit", "repetition", "max_plies", "ranking", "cannon"]),
        "jieqi" => (JIEQI, &["captured", "chase", "repetition", "quiet_limit", "max_plies"]),
        "flipping" => (FLIPPING, &["repetition", "quiet_limit", "max_plies"]),
        "mystery" => (
            MYSTERY,
            &[
                "captured",
                "chase",
                "repetition",
                "progress_limit",
                "effective_limit",
                "moves_limit",
                "max_plies",
            ],
        ),
        _ => panic!("no options are known for {game:?}"),
    };
    for &(name, value) in given {
        check_name(game, name, names)?;
        set(&mut options, name, value)?;
    }
    Ok(options)
}

/// Checks that a game has an option.
///
/// # Errors
/// If the game has no such option; the message lists its options.
pub(super) fn check_name(game: &str, name: &str, names: &[&str]) -> Result<(), String> {
    if names.contains(&name) {
        return Ok(());
    }
    Err(format!("unknown option {name:?} of {game}; the options are {}", names.join(", ")))
}

fn set(options: &mut Options, name: &str, value: &str) -> Result<(), String> {
    match name {
        "quiet_limit" => options.quiet_limit = number(name, value, 0..=65535)?,
        "progress_limit" => options.progress_limit = number(name, value, 0..=65535)?,
        "effective_limit" => options.effective_limit = number(name, value, 0..=65535)?,
        "moves_limit" => options.moves_limit = number(name, value, 0..=65535)?,
        "max_plies" => options.max_plies = number(name, value, 1..=65535)?,
        "repetition" => options.repetition = switch(name, value)?,
        "chase" => options.chase = switch(name, value)?,
        "ranking" => {
            options.ranking = match value {
                "standard" => Ranking::Standard,
                "hongkong" => Ranking::Hongkong,
                _ => return Err(invalid(name, value, "standard, hongkong")),
            }
        }
        "cannon" => {
            options.cannon = match value {
                "step" => Cannon::Step,
                "jump" => Cannon::Jump,
                _ => return Err(invalid(name, value, "step, jump")),
            }
        }
        "captured" => {
            options.captured = match value {
                "captor" => Captured::Captor,
                "public" => Captured::Public,
                _ => return Err(invalid(name, value, "captor, public")),
            }
        }
        _ => panic!("option {name:?} is listed but cannot be set"),
    }
    Ok(())
}

/// The value of an option that is a number.
///
/// # Errors
/// If it is not a number of that range.
pub(super) fn number(name: &str, value: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    match value.parse::<u64>() {
        Ok(number) if digits && range.contains(&number) => Ok(number),
        _ => Err(invalid(name, value, &format!("{} to {}", range.start(), range.end()))),
    }
}

/// The value of an option that is on or off.
///
/// # Errors
/// If it is neither.
pub(super) fn switch(name: &str, value: &str) -> Result<bool, String> {
    match value {
        "on" | "true" => Ok(true),
        "off" | "false" => Ok(false),
        _ => Err(invalid(name, value, "on, off, true, false")),
    }
}

/// What is wrong with a value, and which ones are valid.
pub(super) fn invalid(name: &str, value: &str, valid: &str) -> String {
    format!("option {name}: {value:?} is not valid; valid are {valid}")
}

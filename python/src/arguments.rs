//! Reading Python arguments: numbers, choices, viewers, actions and rule options.

use std::ops::Range;
use std::path::PathBuf;

use darkqi_analysis::piece_values::Unit;
use darkqi_engine::nets::Block;
use darkqi_env::{
    Action, ActionError, AnyState, Format, Options, Square, Value, Viewer,
    batch::{Autoreset, Illegal, MaskFormat},
    board::BoardSize,
};
use darkqi_play::seeds::new_seed;
use darkqi_play::variants::{Variant, VariantError};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PyIterator, PyMapping, PyRange, PySet, PyString};

use crate::bounded::{bounded, found};
use crate::error::{IllegalActionError, IntoPyResult, NO_LANE};
use crate::numbers::{index, type_error, wrong_type};

/// The keyword of rules from a file or a mapping.
const RULES: &str = "rules";

/// Rule options from keyword arguments: those of `rules`, and those given beside it.
pub(crate) fn options(game: &str, given: Option<&Bound<'_, PyDict>>) -> PyResult<Options> {
    let mut options = Options::new();
    let mut own = Options::new();
    for (name, value) in given.into_iter().flatten() {
        let name: String = name.extract()?;
        if name != RULES {
            let value = option_value(&name, &value)?;
            own.insert(name, value);
        } else if let Ok(rules) = value.cast::<PyMapping>() {
            add(&mut options, game, "", rules)?;
        } else if !value.is_none() {
            let path: PathBuf = value.extract().map_err(|_| {
                let message =
                    |found| format!("{RULES}: expected a path, a mapping or None, got {found}");
                wrong_type(&value, message)
            })?;
            options = Variant::find(&path).and_then(|it| it.options_for(game)).into_py_result()?;
        }
    }
    options.extend(own);
    Ok(options)
}

/// Adds the options of a mapping of rules, as a file has them: a mapping within holds those whose
/// names begin with its own.
fn add(
    options: &mut Options,
    game: &str,
    prefix: &str,
    rules: &Bound<'_, PyMapping>,
) -> PyResult<()> {
    for item in rules.items()? {
        let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let name: String = key.extract().map_err(|_| {
            wrong_type(&key, |found| format!("{RULES}: expected names of options, got {found}"))
        })?;
        let name = format!("{prefix}{name}");
        if let (Ok(group), "") = (value.cast::<PyMapping>(), prefix) {
            add(options, game, &format!("{name}."), group)?;
        } else if name == "game" {
            let (found, expected) = (value.extract()?, game.to_owned());
            if found != expected {
                let error: Result<(), _> = Err(VariantError::OtherGame { found, expected });
                return error.into_py_result();
            }
        } else if !["about", "source"].contains(&&*name) {
            let value = option_value(&name, &value)?;
            options.insert(name, value);
        }
    }
    Ok(())
}

/// The value of a rule option.
pub(crate) fn option_value(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    // Of Python or of numpy.
    if let Ok(on) = given.extract::<bool>() {
        return Ok(Value::Bool(on));
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(Value::Text(text.extract()?));
    }
    let expected = |found| format!("option `{name}`: expected int, bool or str, got {found}");
    let number = index(given).map_err(|error| type_error(error, given, expected))?;
    // Beyond every option's range. As text, the error message shows it as it was written.
    Ok(number.extract().map_or_else(|_| Value::Text(number.to_string()), Value::Int))
}

/// What values are measured in, or None.
pub(crate) fn unit(given: &Bound<'_, PyAny>) -> PyResult<Option<Unit>> {
    let text: Option<String> = given.extract()?;
    let unit = text.map(|text| text.parse()).transpose();
    unit.map_err(|fault: String| PyValueError::new_err(format!("unit: {fault}")))
}

/// The most items of an argument. Those of one without an end would fill the memory.
const MAX_ITEMS: usize = 100_000;

/// The items of a sequence, but not of a text. They are read one after another, since a sequence
/// can tell a length that no memory holds.
///
/// # Errors
/// `TypeError` if it is no sequence, or `read` raises one for an item, `ValueError` if it has more than
/// [`MAX_ITEMS`]; other exceptions as they are.
pub(crate) fn items<'py, T>(
    argument: &str,
    given: &Bound<'py, PyAny>,
    expected: &str,
    read: impl Fn(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let wrong = |given: &Bound<'py, PyAny>, place: &str| {
        wrong_type(given, |found| format!("{argument}: expected {expected}, got {found}{place}"))
    };
    let is_text = given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>();
    let Some(items) = given.try_iter().ok().filter(|_| !is_text && !has_no_order(given)) else {
        return Err(wrong(given, ""));
    };
    let mut found = Vec::new();
    for (place, item) in limited(argument, items).enumerate() {
        let item = item?;
        match read(&item) {
            Err(error) if error.is_instance_of::<PyTypeError>(given.py()) => {
                return Err(wrong(&item, &format!(" in place {place}")));
            }
            read => found.push(read?),
        }
    }
    Ok(found)
}

/// Items, of which there may be too many for any memory.
pub(crate) fn limited<'py>(
    argument: &str,
    items: Bound<'py, PyIterator>,
) -> impl Iterator<Item = PyResult<Bound<'py, PyAny>>> {
    items.enumerate().map(move |(place, item)| match place {
        MAX_ITEMS => {
            Err(PyValueError::new_err(format!("{argument}: expected at most {MAX_ITEMS} items")))
        }
        _ => item,
    })
}

/// Whether this is a set: a place in it means nothing.
pub(crate) fn has_no_order(given: &Bound<'_, PyAny>) -> bool {
    given.is_instance_of::<PySet>() || given.is_instance_of::<PyFrozenSet>()
}

/// A sequence of texts.
///
/// # Errors
/// As [`items`].
pub(crate) fn texts(
    argument: &str,
    given: &Bound<'_, PyAny>,
    expected: &str,
) -> PyResult<Vec<String>> {
    items(argument, given, expected, |item| item.extract())
}

/// The names of squares to mark.
pub(crate) fn marked(given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    texts("marked", given, "a sequence of names of squares")
}

/// A square by its name.
pub(crate) fn square(argument: &str, size: BoardSize, name: &str) -> PyResult<Square> {
    size.parse(name).ok_or_else(|| {
        let last = size.all().last().map(|square| size.name(square)).unwrap_or_default();
        let name = found(name);
        let message = format!("{argument}: expected squares from a1 to {last}, got {name:?}");
        PyValueError::new_err(message)
    })
}

/// A seat or `"public"`.
pub(crate) fn viewer(given: &Bound<'_, PyAny>, players: usize) -> PyResult<Viewer> {
    if given.extract().is_ok_and(|word: &str| word == "public") {
        return Ok(Viewer::Public);
    }
    match index(given) {
        Ok(number) => match number.extract() {
            Ok(seat) if seat < players => return Ok(Viewer::Player(seat)),
            _ => {}
        },
        Err(error) if !error.is_instance_of::<PyTypeError>(given.py()) => return Err(error),
        Err(_) => {}
    }
    let (found, last) = (given.repr()?, players - 1);
    Err(PyValueError::new_err(format!(
        "viewer {}: expected a seat from 0 to {last} or \"public\"",
        crate::bounded::found(&found.to_string())
    )))
}

/// An action, by its index or its name.
///
/// # Errors
/// `IllegalActionError` if the game has no such action, `TypeError` for other types.
pub(crate) fn action(game: &dyn AnyState, given: &Bound<'_, PyAny>) -> PyResult<Action> {
    match given.cast::<PyString>() {
        Ok(name) => game.action_index(name.to_str()?).map_err(|error| refused(error, given)),
        Err(_) => action_at(game, given, "an index (int) or a name (str)"),
    }
}

/// The exception for an action that cannot be played, as it was given.
pub(crate) fn refused(error: ActionError, given: &Bound<'_, PyAny>) -> PyErr {
    let message = error.to_string();
    if let ActionError::Unshowable { .. } = error {
        // The action is legal; the reveal is not possible.
        return PyValueError::new_err(message);
    }
    let number = index(given).map(Bound::into_any);
    let action = number.unwrap_or_else(|_| given.clone()).unbind();
    bounded(IllegalActionError::new_err((message, NO_LANE, action)))
}

/// An action, by its index. `expected` is what an error says of the type.
///
/// # Errors
/// As those of [`action`].
pub(crate) fn action_at(
    game: &dyn AnyState,
    given: &Bound<'_, PyAny>,
    expected: &str,
) -> PyResult<Action> {
    let number = index(given).map_err(|error| {
        type_error(error, given, |found| format!("action: expected {expected}, got {found}"))
    })?;
    // No game has the greatest index.
    let action = game.action(number.extract().unwrap_or(i64::MAX));
    action.map_err(|error| match error {
        // As it was given: it may be beyond the integers that were looked for.
        ActionError::Unknown { game, expected, .. } => {
            let action = format!("action {number}");
            refused(ActionError::Unknown { action, game, expected }, &number)
        }
        error => refused(error, &number),
    })
}

/// The encoding of observations.
pub(crate) fn format(argument: &str, given: &str) -> PyResult<Format> {
    one_of(argument, [("planes", Format::Planes), ("tokens", Format::Tokens)], given)
}

/// The encoding of masks.
pub(crate) fn mask_format(given: &str) -> PyResult<MaskFormat> {
    one_of("mask", [("bool", MaskFormat::Bool), ("bits", MaskFormat::Bits)], given)
}

/// When lanes are dealt their next game.
pub(crate) fn autoreset(given: &str) -> PyResult<Autoreset> {
    let choices = [
        ("same_step", Autoreset::SameStep),
        ("next_step", Autoreset::NextStep),
        ("disabled", Autoreset::Disabled),
    ];
    one_of("autoreset", choices, given)
}

/// The effect of actions that are not legal.
pub(crate) fn illegal(given: &str) -> PyResult<Illegal> {
    one_of("illegal", [("raise", Illegal::Refuse), ("forfeit", Illegal::Forfeit)], given)
}

/// The value that a word stands for.
///
/// # Errors
/// `ValueError` with all words that are allowed.
pub(crate) fn one_of<T: Copy, const N: usize>(
    argument: &str,
    choices: [(&str, T); N],
    given: &str,
) -> PyResult<T> {
    if let Some((_, value)) = choices.iter().find(|(word, _)| *word == given) {
        return Ok(*value);
    }
    let words = choices.map(|(word, _)| format!("{word:?}"));
    let (last, others) = words.split_last().expect("there is a choice");
    let (others, given) = (others.join(", "), found(given));
    Err(PyValueError::new_err(format!("{argument}: expected {others} or {last}, got {given:?}")))
}

/// Readers of the integers that are named like their arguments, and the least that each may be.
macro_rules! integers {
    ($($name:ident: $type:ty, from $least:literal;)+) => {$(
        pub(crate) fn $name(given: &Bound<'_, PyAny>) -> PyResult<$type> {
            integer(stringify!($name), given, $least)
        }
    )+};
}

integers! {
    seat: usize, from 0;
    num_envs: usize, from 1;
    groups: usize, from 1;
    games: u64, from 1;
    game_id: u64, from 0;
    positions: usize, from 1;
    epoch: u64, from 0;
    worker: u64, from 0;
    num_workers: u64, from 1;
    buffer_size: usize, from 1;
    depth: u32, from 0;
}

/// A number of threads, or none.
pub(crate) fn threads(given: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if given.is_none() { Ok(None) } else { integer("threads", given, 1).map(Some) }
}

/// A seat or none.
pub(crate) fn optional_seat(given: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if given.is_none() { Ok(None) } else { seat(given).map(Some) }
}

/// A seed: 64 bits, as an unsigned integer or as the signed one that readers without unsigned integers
/// make of it.
pub(crate) fn seed(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    let expected =
        |found: String| format!("seed: expected an integer from -2**63 to 2**64 - 1, got {found}");
    let number = index(given).map_err(|error| type_error(error, given, expected))?;
    let read = number.extract::<i64>().map(i64::cast_unsigned).or_else(|_| number.extract());
    read.map_err(|_| PyValueError::new_err(expected(number.to_string())))
}

/// A seed or none.
pub(crate) fn optional_seed(given: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    if given.is_none() { Ok(None) } else { seed(given).map(Some) }
}

/// A seed, drawn if none is given.
pub(crate) fn seed_or_new(given: Option<u64>) -> PyResult<u64> {
    match given {
        Some(seed) => Ok(seed),
        None => Ok(new_seed()?),
    }
}

/// The width of a picture in pixels.
pub(crate) fn width(given: &Bound<'_, PyAny>) -> PyResult<u16> {
    within("width", given, 64, 4096, "64 to 4096 pixels")
}

/// Two ends, or a `range` of step 1.
pub(crate) fn range(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<Range<u64>> {
    let ends = if given.is_instance_of::<PyRange>() {
        let ends = ["start", "stop"].map(|end| given.getattr(end));
        let is_plain = given.getattr("step")?.eq(1)?;
        is_plain.then(|| ends.into_iter().collect::<PyResult<Vec<_>>>()).transpose()?
    } else {
        match given.try_iter() {
            // A third is enough to know that they are too many.
            Ok(items) if !given.is_instance_of::<PyString>() => {
                Some(items.take(3).collect::<PyResult<Vec<_>>>()?)
            }
            _ => None,
        }
    };
    match ends.as_deref() {
        Some([first, end]) => Ok(integer(argument, first, 0)?..integer(argument, end, 0)?),
        _ => {
            let found = found(&given.repr()?.to_string());
            Err(PyTypeError::new_err(format!(
                "{argument}: expected two integers (first, end) or a range of step 1, got {found}"
            )))
        }
    }
}

/// The two Elo differences of a sequential test.
pub(crate) fn elos(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<[f64; 2]> {
    let expected = |given: String| {
        let found = found(&given);
        format!("{argument}: expected two Elo differences, (elo0, elo1), got {found}")
    };
    let Ok(items) = given.try_iter() else {
        return Err(PyTypeError::new_err(expected(given.repr()?.to_string())));
    };
    // A third is enough to know that they are too many.
    let differences = items.take(3).map(|item| item?.extract());
    match differences.collect::<PyResult<Vec<f64>>>().as_deref() {
        Ok(&[elo0, elo1]) => Ok([elo0, elo1]),
        Ok(_) => Err(PyValueError::new_err(expected(given.repr()?.to_string()))),
        Err(_) => Err(PyTypeError::new_err(expected(given.repr()?.to_string()))),
    }
}

/// A number of rows that a policy sees at once.
pub(crate) fn batch_size(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    let most = Block::MAX_ROWS;
    within("batch_size", given, 1, most, &format!("an integer from 1 to {most}"))
}

/// An integer from `least` to `most`, which the error calls `expected`.
fn within<'py, T>(
    argument: &str,
    given: &Bound<'py, PyAny>,
    least: u8,
    most: T,
    expected: &str,
) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr> + PartialOrd + From<u8>,
{
    match integer(argument, given, least) {
        Ok(found) if found <= most => Ok(found),
        Err(error) if !error.is_instance_of::<PyValueError>(given.py()) => Err(error),
        _ => {
            let found = given.str()?;
            Err(PyValueError::new_err(format!("{argument}: expected {expected}, got {found}")))
        }
    }
}

/// An integer that is at least `least` and fits `T`.
///
/// # Errors
/// `ValueError` for an integer out of range, `TypeError` for other types.
pub(crate) fn integer<'py, T>(argument: &str, given: &Bound<'py, PyAny>, least: u8) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr> + PartialOrd + From<u8>,
{
    let expected = |found: String| {
        let bits = 8 * size_of::<T>();
        format!("{argument}: expected an integer from {least} that fits {bits} bits, got {found}")
    };
    let number = index(given).map_err(|error| type_error(error, given, expected))?;
    let read = number.extract::<T>().ok().filter(|number| *number >= T::from(least));
    read.ok_or_else(|| PyValueError::new_err(expected(number.to_string())))
}

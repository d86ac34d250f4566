//! Keywords by the declaration of options that the command line reads, too: `darkqi_play::options`.

#![expect(unsafe_code, reason = "functions whose documentation is made as Python starts")]

use std::any::TypeId;
use std::ffi::{CString, OsString};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Args};
use darkqi_env::Spec;
use darkqi_play::balance::Balance;
use darkqi_play::generation::{Job, Lines};
use darkqi_play::openings::{check_openings, read_openings};
use darkqi_play::options::{self, Elos, Taker, declared, given};
use darkqi_play::studies::{Study, Sweep};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyNone, PyString};
use pyo3::{ffi, intern};

use crate::arguments::{self, integer, texts};
use crate::error::IntoPyResult;
use crate::numbers::wrong_type;

/// The keywords of a call that are not read yet. In the end rule options are left.
pub(crate) struct Keywords<'py>(Bound<'py, PyDict>);

impl<'py> Keywords<'py> {
    pub(crate) fn new(py: Python<'py>, given: Option<&Bound<'py, PyDict>>) -> PyResult<Self> {
        given.map_or_else(|| Ok(PyDict::new(py)), |given| given.copy()).map(Self)
    }

    /// Whether a keyword is given that is not None.
    pub(crate) fn has(&self, name: &str) -> PyResult<bool> {
        Ok(self.0.get_item(name)?.is_some_and(|value| !value.is_none()))
    }

    /// Takes a keyword. None is that of an option that is left open.
    fn take(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(value) = self.0.get_item(name)? else { return Ok(None) };
        self.0.del_item(name)?;
        Ok(Some(value).filter(|value| !value.is_none()))
    }

    /// Sets the options that are given of those that `T` declares.
    ///
    /// # Errors
    /// `TypeError` or `ValueError` with the name of the option.
    pub(crate) fn set<T: Args>(&self, target: &mut T) -> PyResult<()> {
        self.set_some(target, &declared::<T>())
    }

    fn set_some<T: Args>(&self, target: &mut T, options: &[Arg]) -> PyResult<()> {
        let mut texts = Vec::new();
        for option in options {
            let name = option.get_long().unwrap_or_default();
            let id = option.get_id().as_str();
            // None is no value of an option that always has one.
            let has_default = !option.get_default_values().is_empty();
            if has_default && self.0.get_item(id)?.is_some_and(|value| value.is_none()) {
                return Err(expected("a value", option, &PyNone::get(self.0.py())));
            }
            let Some(value) = self.take(id)? else { continue };
            let is_accepted = |text: &str| given::<T>([format!("--{name}={text}").into()]).is_ok();
            match option.get_action() {
                ArgAction::SetTrue if !read_flag(option, &value)? => {}
                ArgAction::SetTrue => texts.push(OsString::from(format!("--{name}"))),
                _ => texts.extend(
                    read(option, &value, is_accepted)?
                        .into_iter()
                        .map(|text| OsString::from(format!("--{name}={text}"))),
                ),
            }
        }
        given::<T>(texts)
            .and_then(|given| target.update_from_arg_matches(&given))
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The job of these options, without its agents, and its game. What is left are rule options.
    ///
    /// # Errors
    /// As [`Keywords::set`], and if the game or one of its options does not exist.
    pub(crate) fn job<T: Taker>(
        self,
        game: &str,
        games: u64,
        dir: Option<PathBuf>,
    ) -> PyResult<(Job, Spec)> {
        let mut job = Job { games, dir, ..Job::new(game, Vec::new()) };
        let options = Job::taken_by::<T>();
        if options.iter().any(|option| option.get_id() == OPENINGS)
            && let Some(given) = self.take(OPENINGS)?
        {
            job.openings = Some(lines(&given)?);
        }
        self.set_some(&mut job, &options)?;
        if job.fen.is_some() && job.openings.is_some() {
            let message = "fen: expected None beside openings, found both";
            return Err(PyValueError::new_err(message));
        }
        job.options = arguments::options(game, Some(&self.0))?;
        let spec = Spec::new(game, &job.options).into_py_result()?;
        Ok((job, spec))
    }
}

/// The option whose values are also given without a file.
const OPENINGS: &str = "openings";

/// The openings of a file, or those given.
fn lines(given: &Bound<'_, PyAny>) -> PyResult<Lines> {
    if let Ok(path) = given.extract::<PathBuf>() {
        return read_openings(&path).into_py_result();
    }
    let lines = texts(OPENINGS, given, "a path or a sequence of openings")?;
    check_openings(&lines).into_py_result()?;
    Ok(lines)
}

fn read_flag(option: &Arg, given: &Bound<'_, PyAny>) -> PyResult<bool> {
    given.extract().map_err(|_| expected("bool", option, given))
}

fn expected(what: &str, option: &Arg, given: &Bound<'_, PyAny>) -> PyErr {
    wrong_type(given, |found| format!("{}: expected {what}, got {found}", option.get_id()))
}

/// The values of an option, as the command line takes them.
fn read(
    option: &Arg,
    given: &Bound<'_, PyAny>,
    is_accepted: impl Fn(&str) -> bool,
) -> PyResult<Vec<String>> {
    let name = option.get_id().as_str();
    let is = |wanted| option.get_value_parser().type_id() == wanted;
    let least = || u8::from(!is_accepted("0"));
    let text = if name == "seed" {
        arguments::seed(given)?.to_string()
    } else if option.get_value_delimiter().is_some() {
        let names = option.get_value_names().and_then(|names| names.first());
        let names = names.map(|name| name.to_lowercase()).unwrap_or_default();
        return texts(name, given, &format!("a sequence of names of {names}"));
    } else if is(TypeId::of::<u64>()) {
        integer::<u64>(name, given, least())?.to_string()
    } else if is(TypeId::of::<u32>()) {
        integer::<u32>(name, given, least())?.to_string()
    } else if is(TypeId::of::<usize>()) || is(TypeId::of::<NonZeroUsize>()) {
        integer::<usize>(name, given, least())?.to_string()
    } else if is(TypeId::of::<f64>()) {
        given.extract::<f64>().map_err(|_| expected("a number", option, given))?.to_string()
    } else if is(TypeId::of::<Elos>()) {
        let [elo0, elo1] = arguments::elos(name, given)?;
        format!("{elo0},{elo1}")
    } else if is(TypeId::of::<Range<u64>>()) {
        let Range { start, end } = arguments::range(name, given)?;
        format!("{start}..{end}")
    } else {
        given.extract::<String>().map_err(|_| expected("str", option, given))?
    };
    Ok(vec![text])
}

/// Gives the functions that take declared options their signatures and the documentation of these.
pub(crate) fn describe(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let study = || [Job::taken_by::<options::Study>(), declared::<Study>()].concat();
    let functions = [
        ("selfplay", Job::taken_by::<options::Selfplay>()),
        ("arena", Job::taken_by::<options::Match>()),
        ("strength", study()),
        ("sweep", [study(), declared::<Sweep>()].concat()),
        ("balance_values", [Job::taken_by::<options::Balance>(), declared::<Balance>()].concat()),
    ];
    for (name, options) in functions {
        let function = module.getattr(name)?.cast_into::<PyCFunction>()?;
        module.setattr(name, described(&function, &options)?)?;
    }
    Ok(())
}

/// The function with these options before its rule options.
fn described<'py>(
    function: &Bound<'py, PyCFunction>,
    options: &[Arg],
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let name: String = function.getattr(intern!(py, "__name__"))?.extract()?;
    let signature: String = function.getattr(intern!(py, "__text_signature__"))?.extract()?;
    let documentation: String = function.getattr(intern!(py, "__doc__"))?.extract()?;
    let keywords: String = options.iter().map(keyword).collect();
    let signature = signature.replace("**options", &format!("{keywords}**options"));
    let texts = options.iter().map(|option| text(py, option)).collect::<PyResult<String>>()?;
    let documentation = documentation.replace("    **options:", &format!("{texts}    **options:"));
    // As C functions of Python tell their signature.
    let documentation = CString::new(format!("{name}{signature}\n--\n\n{documentation}"))?;
    with_documentation(function, CString::new(name)?, documentation)
}

/// An option in a signature.
fn keyword(option: &Arg) -> String {
    let is = |wanted| option.get_value_parser().type_id() == wanted;
    let default =
        option.get_default_values().first().filter(|_| !option.is_hide_default_value_set());
    let default = match default.map(|default| default.to_string_lossy()) {
        _ if matches!(option.get_action(), ArgAction::SetTrue) => "False".to_owned(),
        None => "None".to_owned(),
        Some(text) if is(TypeId::of::<Elos>()) => {
            let elos: Vec<String> = text.split(',').map(|elo| format!("{elo}.0")).collect();
            format!("({})", elos.join(", "))
        }
        Some(text) => text.into_owned(),
    };
    format!("{}={default}, ", option.get_id())
}

/// The documentation of an option.
fn text(py: Python<'_>, option: &Arg) -> PyResult<String> {
    let help = option.get_help().map(ToString::to_string).unwrap_or_default();
    let words = help.split(' ').map(|word| match word.strip_prefix("--") {
        Some(name) => {
            let is_part = |c: char| c.is_ascii_lowercase() || c == '-';
            let end = name.find(|c| !is_part(c)).unwrap_or(name.len());
            format!("`{}`{}", name[..end].replace('-', "_"), &name[end..])
        }
        None => word.to_owned(),
    });
    let words: Vec<String> = words.collect();
    let text = format!("{}: {}.", option.get_id(), words.join(" "));
    let layout = PyDict::new(py);
    layout.set_item("width", 100)?;
    layout.set_item("initial_indent", "    ")?;
    layout.set_item("subsequent_indent", "        ")?;
    let filled = py.import("textwrap")?.call_method("fill", (text,), Some(&layout))?;
    Ok(format!("{}\n", filled.cast::<PyString>()?.to_str()?))
}

/// The same function with another documentation. What it consists of is never freed, like the module.
fn with_documentation<'py>(
    function: &Bound<'py, PyCFunction>,
    name: CString,
    documentation: CString,
) -> PyResult<Bound<'py, PyAny>> {
    let module = function.getattr(intern!(function.py(), "__module__"))?;
    let pointer = function.as_ptr();
    // SAFETY: The pointer is that of a C function of Python. What is read of it makes a definition that
    // is as sound as its own: the call is the same, and so are the flags that say how it is called. The
    // definition and its texts live for ever.
    unsafe {
        let Some(call) = ffi::PyCFunction_GetFunction(pointer) else {
            return Err(PyErr::fetch(function.py()));
        };
        let definition = ffi::PyMethodDef {
            ml_name: name.into_raw(),
            ml_meth: ffi::PyMethodDefPointer { PyCFunction: call },
            ml_flags: ffi::PyCFunction_GetFlags(pointer),
            ml_doc: documentation.into_raw(),
        };
        let definition = Box::into_raw(Box::new(definition));
        let of = ffi::PyCFunction_GetSelf(pointer);
        let described = ffi::PyCFunction_NewEx(definition, of, module.as_ptr());
        Bound::from_owned_ptr_or_err(function.py(), described)
    }
}

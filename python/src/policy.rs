//! Python callables as agents.

use std::path::PathBuf;
use std::slice;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use darkqi_engine::agent::AgentFailure;
use darkqi_engine::agents::{AgentSpec, Policy, PolicyDecisions, PolicyFault};
use darkqi_engine::nets::Block;
use darkqi_env::{Format, Spec, shown::name_fault};
use numpy::{
    Element, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray,
    PyUntypedArrayMethods, dtype,
};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyMapping, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit, intern};

use crate::arguments::{self, has_no_order, items};
use crate::arrays::{as_array, describe, zeros};
use crate::caller::Caller;
use crate::ending::{self, attached, ended, visiting};
use crate::error::{IntoPyResult, Raised};
use crate::in_use::{self, Use};
use crate::numbers::wrong_type;

/// Rows of a block, where nothing else is said.
pub(crate) const BLOCK_ROWS: usize = 64;

/// How policies in Python are asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asking {
    pub(crate) format: Format,
    pub(crate) rows: usize,
}

/// A callable that takes rows and gives decisions. It is called once at a time.
#[derive(Debug)]
pub(crate) struct PythonPolicy {
    /// None once the garbage collector has cleared it. The lock is held for a moment, with the GIL.
    callable: Mutex<Option<Py<PyAny>>>,
    /// The address of the env that it plays in.
    asked_by: OnceLock<usize>,
    asking: Asking,
    /// Who calls it; none for the thread that asks.
    caller: Option<Arc<Caller>>,
    /// Shape of an observation.
    observation: Vec<usize>,
    actions: usize,
    players: usize,
    /// Held during a call. It is taken before the GIL, so that nobody waits for it with the GIL.
    turn: Mutex<()>,
}

/// Agents as Python names them: a text such as "greedy,random", a callable, a dict, or a sequence of names,
/// callables and dicts. Callables are called by `caller`, if it is given.
///
/// # Errors
/// If one is none of these, or a text or a dict is no agent's.
pub(crate) fn agents(
    given: &Bound<'_, PyAny>,
    spec: &Spec,
    asking: Asking,
    caller: Option<&Arc<Caller>>,
) -> PyResult<Vec<AgentSpec>> {
    let mut reader =
        AgentReader { argument: "agents", spec, asking, caller, callables: Vec::new() };
    let specs = if let Ok(list) = given.extract::<String>() {
        AgentSpec::parse_list(&list).into_py_result()?
    } else if given.is_callable() || given.cast::<PyMapping>().is_ok() {
        vec![reader.read(given)?.0]
    } else if has_no_order(given) {
        return Err(no_agent("agents", given));
    } else if let Ok(items) = given.try_iter() {
        let items = arguments::limited("agents", items);
        items.map(|item| Ok(reader.read(&item?)?.0)).collect::<PyResult<_>>()?
    } else {
        return Err(no_agent("agents", given));
    };
    find_onnx_runtime(given.py(), &specs)?;
    Ok(specs)
}

/// Agents that are no callables, in the order of their strength.
///
/// # Errors
/// As [`agents`], and for callables.
pub(crate) fn named_agents(given: &Bound<'_, PyAny>) -> PyResult<Vec<AgentSpec>> {
    let expected = "a sequence of names of agents or dicts";
    let specs = items("agents", given, expected, |item| named("agents", item))?;
    find_onnx_runtime(given.py(), &specs)?;
    Ok(specs)
}

/// One agent that is no callable.
///
/// # Errors
/// As [`agents`], and for a callable.
pub(crate) fn named_agent(given: &Bound<'_, PyAny>) -> PyResult<AgentSpec> {
    let agent = named("agent", given)?;
    find_onnx_runtime(given.py(), slice::from_ref(&agent))?;
    Ok(agent)
}

/// An agent by its text, or by a dict of its name and options.
fn named(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<AgentSpec> {
    if let Ok(text) = given.cast::<PyString>() {
        return text.extract::<String>()?.parse().into_py_result();
    }
    let Ok(options) = given.cast::<PyMapping>() else {
        return Err(wrong_type(given, |found| {
            format!("{argument}: expected the name of an agent or a dict, got {found}")
        }));
    };
    let (mut name, mut given) = (None, Vec::new());
    for item in options.items()?.iter() {
        let (option, value): (String, Bound<'_, PyAny>) = item.extract()?;
        let text = option_text(argument, &option, &value)?;
        match option.as_str() {
            NAME => name = Some(text),
            _ => given.push((option, text)),
        }
    }
    let name = name.ok_or_else(|| {
        let expected = format!("a dict with the agent's `{NAME}`");
        PyValueError::new_err(format!("{argument}: expected {expected}, found none"))
    })?;
    let given = given.iter().map(|(option, text)| (option.as_str(), text.clone()));
    AgentSpec::of_options(&name, given).into_py_result()
}

/// The value of an option: a text or a path as it is, or a number.
fn option_text(argument: &str, option: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    // Of Python or of numpy.
    let is_number = value.is_instance(&value.py().import("numbers")?.getattr("Real")?)?;
    if is_number && !value.is_instance_of::<PyBool>() {
        return value.str()?.extract();
    }
    let path = value.py().import("os")?.call_method1("fspath", (value,));
    let expected = |found| {
        format!("{argument}: option `{option}`: expected str, a path or a number, got {found}")
    };
    path.and_then(|path| path.extract()).map_err(|_| wrong_type(value, expected))
}

/// The key of the name in a dict of options.
const NAME: &str = "name";

/// One agent as Python names it, and the policy that it asks if it is a callable.
///
/// # Errors
/// As [`agents`].
pub(crate) fn agent(
    argument: &str,
    given: &Bound<'_, PyAny>,
    spec: &Spec,
    asking: Asking,
) -> PyResult<(AgentSpec, Option<Arc<PythonPolicy>>)> {
    let mut reader = AgentReader { argument, spec, asking, caller: None, callables: Vec::new() };
    let agent = reader.read(given)?;
    find_onnx_runtime(given.py(), slice::from_ref(&agent.0))?;
    Ok(agent)
}

/// Whether the order of the items is none that was given: that of a set's texts differs from process to
/// process, and agents would exchange their seats.
fn no_agent(argument: &str, given: &Bound<'_, PyAny>) -> PyErr {
    let expected = if has_no_order(given) {
        "a sequence of names, dicts and callables"
    } else {
        "the name of an agent, a dict or a callable"
    };
    wrong_type(given, |found| format!("{argument}: expected {expected}, got {found}"))
}

/// Reads agents.
struct AgentReader<'a, 'py> {
    /// The argument's name.
    argument: &'a str,
    spec: &'a Spec,
    asking: Asking,
    caller: Option<&'a Arc<Caller>>,
    /// The callables so far, with their names.
    callables: Vec<(Bound<'py, PyAny>, String)>,
}

impl<'py> AgentReader<'_, 'py> {
    fn read(
        &mut self,
        given: &Bound<'py, PyAny>,
    ) -> PyResult<(AgentSpec, Option<Arc<PythonPolicy>>)> {
        if !given.is_callable() {
            let is_named = given.is_instance_of::<PyString>() || given.cast::<PyMapping>().is_ok();
            if !is_named {
                return Err(no_agent(self.argument, given));
            }
            return Ok((named(self.argument, given)?, None));
        }
        let Asking { format, .. } = self.asking;
        let observation = format.shape(&self.spec.layout);
        let policy = Arc::new(PythonPolicy {
            callable: Mutex::new(Some(given.clone().unbind())),
            asked_by: OnceLock::new(),
            asking: self.asking,
            caller: self.caller.cloned(),
            observation,
            actions: self.spec.num_actions,
            players: self.spec.num_players,
            turn: Mutex::new(()),
        });
        Ok((AgentSpec::of_policy(&self.name(given)?, policy.clone()), Some(policy)))
    }

    /// Python's name of a callable. Another callable of the same name gets a number.
    fn name(&mut self, given: &Bound<'py, PyAny>) -> PyResult<String> {
        if let Some((_, name)) = self.callables.iter().find(|(other, _)| other.is(given)) {
            return Ok(name.clone());
        }
        let base = match given.getattr_opt(intern!(given.py(), "__name__"))? {
            Some(name) => name.extract::<String>()?,
            None => String::new(),
        };
        // Datasets have no agent without a name.
        let base = if base.is_empty() { given.get_type().name()?.to_string() } else { base };
        if let Some(fault) = name_fault(&base) {
            let argument = self.argument;
            let message = format!("{argument}: the name of a callable: {fault}");
            return Err(PyValueError::new_err(message));
        }
        let is_taken = |name: &str| self.callables.iter().any(|(_, other)| other == name);
        let numbered = (2..).map(|number| format!("{base}#{number}"));
        let name = [base.clone()].into_iter().chain(numbered).find(|name| !is_taken(name));
        let name = name.expect("there are more numbers than callables");
        self.callables.push((given.clone(), name.clone()));
        Ok(name)
    }
}

/// Tells the native code where Python's `onnxruntime` has its library, if there is a net.
fn find_onnx_runtime(py: Python<'_>, specs: &[AgentSpec]) -> PyResult<()> {
    if !specs.iter().any(AgentSpec::needs_onnx_runtime) {
        return Ok(());
    }
    let library = py.import("darkqi.onnx")?.call_method0("library")?;
    if let Some(path) = library.extract::<Option<PathBuf>>()? {
        darkqi_engine::nets::set_onnx_library(&path);
    }
    Ok(())
}

impl Policy for PythonPolicy {
    fn format(&self) -> Format {
        self.asking.format
    }

    fn rows(&self) -> usize {
        self.asking.rows
    }

    fn decide(&self, block: &Block) -> Result<PolicyDecisions, AgentFailure> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = attached(|py| self.ask(py, block)).unwrap_or_else(|| Err(ended()));
        answer.map_err(|error| AgentFailure::new(0, Raised(error)))?
    }
}

impl PythonPolicy {
    /// Says which env it plays in: the policy cannot use this one while it is asked.
    pub(crate) fn play_in<T>(&self, env: &T) {
        let _ = self.asked_by.set(in_use::address(env));
    }

    /// Shows the callable to Python's garbage collector.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.callable.try_lock() {
            Ok(callable) => visit.call(&*callable),
            // What is not shown is not collected.
            Err(_) => Ok(()),
        }
    }

    /// Drops the callable.
    pub(crate) fn clear(&self) {
        let callable = self.callable.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Now, without the lock: it may run Python code.
        drop(callable);
    }

    fn callable<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let callable = self.callable.lock().unwrap_or_else(PoisonError::into_inner);
        let callable = callable.as_ref().map(|callable| callable.bind(py).clone());
        callable.ok_or_else(|| PyRuntimeError::new_err("the policy was freed with its env"))
    }

    fn ask(
        &self,
        py: Python<'_>,
        block: &Block,
    ) -> PyResult<Result<PolicyDecisions, AgentFailure>> {
        let _use = self.asked_by.get().map(|&env| Use::at(env));
        let rows = block.rows();
        let mut shape = vec![rows];
        shape.extend(&self.observation);
        let observation = array(py, &shape, block.observation())?;
        let mask = array(py, &[rows, self.actions], block.action_mask())?;
        let player = array(py, &[rows], block.player())?;
        let arguments = (observation, mask, player).into_pyobject(py)?;
        let callable = self.callable(py)?;
        let answer = match &self.caller {
            Some(caller) => caller.call(&callable, &arguments)?,
            None => ending::call(&callable, &arguments)?,
        };
        let decisions = py.import("darkqi._records")?.getattr("Decisions")?;
        let (actions, value, policy) = if answer.is_instance(&decisions)? {
            answer.cast_into::<PyTuple>()?.extract()?
        } else {
            (answer, None, None)
        };
        let read = |what, given: Option<Bound<'_, PyAny>>, length| {
            given.map_or(Ok(Vec::new()), |given| floats(what, given, &[rows, length]))
        };
        let actions = self.actions_of(&actions, block)?;
        let value = read("value", value, self.players)?;
        let policy = read("policy", policy, self.actions)?;
        Ok(actions.map(|actions| PolicyDecisions { actions, value, policy }))
    }

    fn actions_of(
        &self,
        given: &Bound<'_, PyAny>,
        block: &Block,
    ) -> PyResult<Result<Vec<i64>, AgentFailure>> {
        let (py, rows) = (given.py(), block.rows());
        let array = match as_array("policy", given) {
            // A tuple of unlike things, for example, which numpy's message calls inhomogeneous.
            Err(error) if error.is_instance_of::<PyValueError>(py) => {
                let message = format!(
                    "policy: expected {rows} integers or darkqi.Decisions, got {}",
                    given.get_type().name()?
                );
                return Err(PyTypeError::new_err(message));
            }
            array => array?,
        };
        let is_integer = matches!(array.dtype().kind(), b'i' | b'u');
        if array.shape() != [rows] || !is_integer {
            let message = format!(
                "policy: expected actions of shape ({rows},) and integers such as int64, or \
                 darkqi.Decisions, got {}",
                describe(&array)?
            );
            return Err(if is_integer {
                PyValueError::new_err(message)
            } else {
                PyTypeError::new_err(message)
            });
        }
        let actions: Vec<i64> = converted(py, &array)?;
        // A number beyond int64 has become a negative one. Rows without a game do not count.
        let used = &actions[..block.filled()];
        if let (b'u', Some(row)) =
            (array.dtype().kind(), used.iter().position(|&action| action < 0))
        {
            let fault = PolicyFault::no_action(array.get_item(row)?, self.actions);
            return Ok(Err(AgentFailure::new(row, fault)));
        }
        Ok(Ok(actions))
    }
}

/// A new array with these elements.
fn array<'py, T: Element + Copy>(
    py: Python<'py>,
    shape: &[usize],
    elements: &[T],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let array = zeros::<T>(py, shape)?;
    array.try_readwrite()?.as_slice_mut()?.copy_from_slice(elements);
    Ok(array)
}

/// The floats of an array of this shape.
///
/// # Errors
/// `ValueError` for another shape, `TypeError` for elements that are no floats.
pub(crate) fn floats(what: &str, given: Bound<'_, PyAny>, shape: &[usize]) -> PyResult<Vec<f32>> {
    let array = as_array(what, &given)?;
    let is_float = array.dtype().kind() == b'f';
    if array.shape() != shape || !is_float {
        let shape = PyTuple::new(given.py(), shape)?;
        let found = describe(&array)?;
        let message =
            format!("{what}: expected shape {shape} and floats such as float32, got {found}");
        return Err(if is_float {
            PyValueError::new_err(message)
        } else {
            PyTypeError::new_err(message)
        });
    }
    converted(given.py(), &array)
}

/// The elements of an array as `T`.
fn converted<T: Element + Copy>(
    py: Python<'_>,
    array: &Bound<'_, PyUntypedArray>,
) -> PyResult<Vec<T>> {
    // `astype` copies, so the array is contiguous and aligned, as a Rust slice must be.
    let arguments = (dtype::<T>(py), "C");
    let contiguous = visiting(|| array.call_method1(intern!(py, "astype"), arguments))?;
    Ok(contiguous.cast_into::<PyArrayDyn<T>>()?.try_readonly()?.as_slice()?.to_vec())
}

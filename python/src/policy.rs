//! Python callables as agents.

use std::path::PathBuf;
use std::slice;
use std::sync::{Arc, Mutex, PoisonError};

use darkqi_env::{Format, Spec};
use darkqi_selfplay::{AgentFailure, AgentSpec, Block, Policy, PolicyDecisions, PolicyFault};
use numpy::{
    Element, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray,
    PyUntypedArrayMethods, dtype, get_array_module,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PySet, PyTuple};

use crate::arrays::{as_array, describe, zeros};
use crate::caller::Caller;
use crate::error::IntoPyResult;

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
    callable: Py<PyAny>,
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

/// Agents as Python names them: a text such as "greedy,random", a callable, or a sequence of names and
/// callables. Callables are called by `caller`, if it is given.
///
/// # Errors
/// If one is neither, or a text is no agent's.
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
    } else if given.is_callable() {
        vec![reader.read(given)?]
    } else if has_no_order(given) {
        return Err(no_agent("agents", given)?);
    } else if let Ok(items) = given.try_iter() {
        items.map(|item| reader.read(&item?)).collect::<PyResult<_>>()?
    } else {
        return Err(no_agent("agents", given)?);
    };
    find_onnx_runtime(given.py(), &specs)?;
    Ok(specs)
}

/// One agent as Python names it.
///
/// # Errors
/// As [`agents`].
pub(crate) fn agent(
    argument: &str,
    given: &Bound<'_, PyAny>,
    spec: &Spec,
    asking: Asking,
) -> PyResult<AgentSpec> {
    let agent =
        AgentReader { argument, spec, asking, caller: None, callables: Vec::new() }.read(given)?;
    find_onnx_runtime(given.py(), slice::from_ref(&agent))?;
    Ok(agent)
}

/// Whether the order of the items is none that was given: that of a set's texts differs from process to
/// process, and agents would exchange their seats.
fn has_no_order(given: &Bound<'_, PyAny>) -> bool {
    given.is_instance_of::<PySet>() || given.is_instance_of::<PyFrozenSet>()
}

fn no_agent(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let found = given.get_type().name()?;
    let message = match argument {
        "agents" if has_no_order(given) => {
            format!("agents: expected a sequence of names and callables, got {found}")
        }
        _ => format!("{argument}: expected the name of an agent or a callable, got {found}"),
    };
    Ok(PyTypeError::new_err(message))
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
    fn read(&mut self, given: &Bound<'py, PyAny>) -> PyResult<AgentSpec> {
        if let Ok(name) = given.extract::<String>() {
            return name.parse().into_py_result();
        }
        if !given.is_callable() {
            return Err(no_agent(self.argument, given)?);
        }
        let Asking { format, .. } = self.asking;
        let [channels, ranks, files] = self.spec.layout.plane_shape();
        let observation = match format {
            Format::Planes => vec![channels, ranks, files],
            Format::Tokens => vec![self.spec.layout.token_len()],
        };
        let policy = PythonPolicy {
            callable: given.clone().unbind(),
            asking: self.asking,
            caller: self.caller.cloned(),
            observation,
            actions: self.spec.num_actions,
            players: self.spec.num_players,
            turn: Mutex::new(()),
        };
        Ok(AgentSpec::of_policy(&self.name(given)?, Arc::new(policy)))
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
        darkqi_selfplay::set_onnx_library(&path);
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
        let answer = Python::attach(|py| self.ask(py, block));
        answer.map_err(|error| AgentFailure::new(0, error))?
    }
}

impl PythonPolicy {
    fn ask(
        &self,
        py: Python<'_>,
        block: &Block,
    ) -> PyResult<Result<PolicyDecisions, AgentFailure>> {
        let rows = block.rows();
        let mut shape = vec![rows];
        shape.extend(&self.observation);
        let observation = array(py, &shape, block.observation())?;
        let mask = array(py, &[rows, self.actions], block.action_mask())?;
        let player = array(py, &[rows], block.player())?;
        let callable = self.callable.bind(py);
        let arguments = (observation, mask, player).into_pyobject(py)?;
        let answer = match &self.caller {
            Some(caller) => caller.call(callable, &arguments)?,
            None => callable.call1(&arguments)?,
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
        let array = match as_array(given) {
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
    let array = as_array(&given)?;
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
    let contiguous = get_array_module(py)?
        .call_method1(intern!(py, "ascontiguousarray"), (array, dtype::<T>(py)))?;
    Ok(contiguous.cast_into::<PyArrayDyn<T>>()?.try_readonly()?.as_slice()?.to_vec())
}

//! Nets from ONNX files.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use darkqi_env::{Format, Spec};
use ort::ep::{CUDA, ExecutionProvider};
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;
use ort::value::{Outlet, Shape, TensorElementType, TensorRef, ValueType};
use thiserror::Error as ThisError;

use super::block::Block;
use super::net::{Evaluations, Net};
use super::runtime;

/// The names of inputs and outputs.
const OBSERVATION: &str = "observation";
const ACTION_MASK: &str = "action_mask";
const POLICY: &str = "policy";
const VALUE: &str = "value";

/// Rows of a block, where neither the file nor the caller says.
const DEFAULT_ROWS: usize = 64;

/// A net that cannot be used.
#[derive(Debug, ThisError)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum OnnxError {
    /// The file cannot be read.
    #[error("net {}: cannot be read: {cause}", file.display())]
    Io { file: PathBuf, cause: io::Error },
    /// Weights that the file has in another one cannot be used.
    #[error(
        "net {}: has weights in `{location}`, which {fault}; expected that file beside the net, or one \
         file with all weights, which `onnx.save(onnx.load(\"NET\"), \"WHOLE\")` writes where both are",
        file.display()
    )]
    Weights {
        file: PathBuf,
        /// The other file, as the net names it.
        location: String,
        fault: String,
    },
    /// A tensor is not where it should be in another file.
    #[error("net {}: tensor `{name}` {fault}", file.display())]
    Tensor { file: PathBuf, name: String, fault: String },
    /// The runtime cannot be loaded, or refuses the file.
    #[error("net {net}: {cause}")]
    Runtime {
        /// The file, or which net of the program it is.
        net: String,
        cause: String,
    },
    /// An input or output is not what the game needs.
    #[error("net {net}: {what}: expected {expected}, found {found}")]
    Shape {
        /// The file, or which net of the program it is.
        net: String,
        what: String,
        expected: String,
        found: String,
    },
}

/// The processor that computes a net.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Provider {
    Cpu,
    Cuda,
}

/// A net from a file. Each thread has a session of its own, which uses no further threads: they would
/// compete with those that play.
pub(crate) struct OnnxNet {
    model: Arc<Model>,
    /// Made when it is first used.
    session: Option<Session>,
    /// Observations as numbers, kept for its memory.
    numbers: Vec<f32>,
}

struct Model {
    /// For messages: the file, or which net of the program it is.
    name: String,
    bytes: Arc<[u8]>,
    provider: Provider,
    format: Format,
    rows: usize,
    /// Without the rows: (C, H, W) or (T).
    observation_shape: Vec<usize>,
    observation_type: TensorElementType,
    takes_mask: bool,
    gives_value: bool,
    actions: usize,
    players: usize,
}

impl OnnxNet {
    /// Makes a net for a game from the bytes of a file. `rows` is the number of rows in a block; by
    /// default it is the file's, or [`DEFAULT_ROWS`] if the file takes any number.
    ///
    /// # Errors
    /// If ONNX Runtime cannot be loaded or refuses it, or inputs or outputs have other names, types or
    /// shapes.
    pub(crate) fn parse(
        name: String,
        bytes: Arc<[u8]>,
        spec: &Spec,
        provider: Provider,
        rows: Option<usize>,
    ) -> Result<Self, OnnxError> {
        let session = open(&bytes, provider)
            .map_err(|cause| OnnxError::Runtime { net: name.clone(), cause })?;
        let inputs = Ports { net: &name, kind: "input", outlets: session.inputs() };
        let outputs = Ports { net: &name, kind: "output", outlets: session.outputs() };
        inputs.only(&[OBSERVATION, ACTION_MASK])?;

        let (observation_type, found) = inputs.tensor(OBSERVATION)?;
        let [planes, tokens] =
            [Format::Planes, Format::Tokens].map(|format| format.shape(&spec.layout));
        let fits = |row: &[usize]| has_rows(found, row);
        let known = [TensorElementType::Uint8, TensorElementType::Float32];
        let format = if !known.contains(&observation_type) {
            None
        } else if fits(&planes) {
            Some((Format::Planes, planes.clone()))
        } else if fits(&tokens) {
            Some((Format::Tokens, tokens.clone()))
        } else {
            None
        };
        let Some((format, observation_shape)) = format else {
            let expected =
                format!("uint8 or float32 of shape {} or {}", batch_of(&planes), batch_of(&tokens));
            return Err(inputs.refuse(OBSERVATION, expected));
        };
        let fixed = usize::try_from(found[0]).ok();
        if let (Some(fixed), Some(rows)) = (fixed, rows)
            && fixed != rows
        {
            return Err(inputs.refuse(OBSERVATION, format!("{rows} rows, the option `batch`")));
        }
        let rows = fixed.or(rows).unwrap_or(DEFAULT_ROWS);
        if !(1..=Block::MAX_ROWS).contains(&rows) {
            let expected = format!("from 1 to {} rows", Block::MAX_ROWS);
            return Err(inputs.refuse(OBSERVATION, expected));
        }

        let actions = spec.num_actions;
        let takes_mask = inputs.has(ACTION_MASK);
        if takes_mask {
            inputs.expect(ACTION_MASK, TensorElementType::Bool, &[&[actions]])?;
        }
        let players = spec.num_players;
        outputs.expect(POLICY, TensorElementType::Float32, &[&[actions]])?;
        let gives_value = outputs.has(VALUE);
        if gives_value {
            outputs.expect(VALUE, TensorElementType::Float32, &[&[players], &[1], &[]])?;
        }
        let model = Model {
            name,
            bytes,
            provider,
            format,
            rows,
            observation_shape,
            observation_type,
            takes_mask,
            gives_value,
            actions,
            players,
        };
        Ok(Self { model: Arc::new(model), session: Some(session), numbers: Vec::new() })
    }

    /// The name in messages: the file, or which net of the program it is.
    pub(crate) fn name(&self) -> &str {
        &self.model.name
    }

    /// Whether it has the output `value`.
    pub(crate) fn gives_value(&self) -> bool {
        self.model.gives_value
    }
}

impl Net for OnnxNet {
    fn format(&self) -> Format {
        self.model.format
    }

    fn rows(&self) -> usize {
        self.model.rows
    }

    fn evaluate(
        &mut self,
        block: &Block,
        evaluations: &mut Evaluations,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let Self { model, session, numbers } = self;
        let session = match session {
            Some(session) => session,
            empty => empty.insert(open(&model.bytes, model.provider)?),
        };
        let shape: Vec<usize> =
            [block.rows()].into_iter().chain(model.observation_shape.iter().copied()).collect();
        let observation = if model.observation_type == TensorElementType::Uint8 {
            TensorRef::from_array_view((shape, block.observation()))?.into_dyn()
        } else {
            numbers.clear();
            numbers.extend(block.observation().iter().map(|&byte| f32::from(byte)));
            TensorRef::from_array_view((shape, &**numbers))?.into_dyn()
        };
        let mut inputs = vec![(OBSERVATION, observation)];
        if model.takes_mask {
            let shape = [block.rows(), block.actions()];
            let mask = TensorRef::from_array_view((shape, block.action_mask()))?;
            inputs.push((ACTION_MASK, mask.into_dyn()));
        }
        let outputs = session.run(inputs)?;
        let read = |name: &str, shapes: &[&[usize]], into: &mut Vec<f32>| {
            let (found, numbers) = outputs[name].try_extract_tensor::<f32>()?;
            let rows = block.rows();
            if found.first() != Some(&(rows as i64))
                || !shapes.iter().any(|row| has_rows(found, row))
            {
                let expected = format!("{rows} rows of {}", shapes[0][0]);
                let net = &model.name;
                return Err(format!(
                    "net {net}: output `{name}`: expected {expected}, found shape {found}"
                )
                .into());
            }
            into.clear();
            into.extend_from_slice(numbers);
            Ok::<_, Box<dyn Error + Send + Sync>>(())
        };
        read(POLICY, &[&[model.actions]], &mut evaluations.policy)?;
        if model.gives_value {
            read(VALUE, &[&[model.players], &[1], &[]], &mut evaluations.value)?;
        }
        Ok(())
    }

    fn boxed_clone(&self) -> Box<dyn Net> {
        Box::new(Self { model: self.model.clone(), session: None, numbers: Vec::new() })
    }
}

/// Opens a session that computes on the thread that asks.
fn open(bytes: &[u8], provider: Provider) -> Result<Session, String> {
    let open = |environment| -> ort::Result<Session> {
        let mut builder = Session::builder(environment)?
            .with_intra_threads(1)?
            .with_inter_threads(1)?
            .with_intra_op_spinning(false)?
            .with_optimization_level(GraphOptimizationLevel::All)?;
        if provider == Provider::Cuda {
            CUDA::default().register(&mut builder)?;
        }
        builder.commit_from_memory(bytes)
    };
    open(runtime::environment()?).map_err(|cause| cause.to_string())
}

/// The inputs or outputs of a file.
struct Ports<'a> {
    net: &'a str,
    kind: &'static str,
    outlets: &'a [Outlet],
}

/// Whether a shape is that of rows of this shape, apart from sizes that vary.
fn has_rows(shape: &[i64], row: &[usize]) -> bool {
    let mut sizes = shape.iter().skip(1).zip(row);
    shape.len() == row.len() + 1 && sizes.all(|(&found, &size)| found < 0 || found == size as i64)
}

impl Ports<'_> {
    fn has(&self, name: &str) -> bool {
        self.outlets.iter().any(|outlet| outlet.name() == name)
    }

    /// # Errors
    /// If there are others than these.
    fn only(&self, names: &[&str]) -> Result<(), OnnxError> {
        match self.outlets.iter().find(|outlet| !names.contains(&outlet.name())) {
            None => Ok(()),
            Some(_) => {
                let quoted = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
                Err(self.error(format!("{}s", self.kind), quoted.join(" and "), self.names()))
            }
        }
    }

    /// The element type and the shape of a tensor, -1 for sizes that vary.
    ///
    /// # Errors
    /// If there is none of this name.
    fn tensor(&self, name: &str) -> Result<(TensorElementType, &Shape), OnnxError> {
        let outlet = self.outlets.iter().find(|outlet| outlet.name() == name);
        match outlet.map(Outlet::dtype) {
            Some(ValueType::Tensor { ty, shape, .. }) => Ok((*ty, shape)),
            Some(_) => Err(self.refuse(name, "a tensor".to_owned())),
            None => {
                let expected = format!("one that is called `{name}`");
                Err(self.error(format!("{}s", self.kind), expected, self.names()))
            }
        }
    }

    /// Checks the type and, apart from sizes that vary, the shape of each row.
    fn expect(
        &self,
        name: &str,
        ty: TensorElementType,
        shapes: &[&[usize]],
    ) -> Result<(), OnnxError> {
        let (found, shape) = self.tensor(name)?;
        // Without sizes nothing is known before it is computed.
        let unknown = shape.is_empty();
        if found == ty && (unknown || shapes.iter().any(|row| has_rows(shape, row))) {
            return Ok(());
        }
        let shapes: Vec<_> = shapes.iter().map(|shape| batch_of(shape)).collect();
        Err(self.refuse(name, format!("{} of shape {}", type_name(ty), shapes.join(" or "))))
    }

    fn refuse(&self, name: &str, expected: String) -> OnnxError {
        let outlet = self.outlets.iter().find(|outlet| outlet.name() == name);
        let found = match outlet.map(Outlet::dtype) {
            Some(ValueType::Tensor { ty, shape, .. }) => {
                format!("{} of shape {shape}", type_name(*ty))
            }
            _ => "no tensor".to_owned(),
        };
        self.error(format!("{} `{name}`", self.kind), expected, found)
    }

    fn names(&self) -> String {
        let names = self.outlets.iter().map(|outlet| format!("`{}`", outlet.name()));
        names.collect::<Vec<_>>().join(", ")
    }

    fn error(&self, what: String, expected: String, found: String) -> OnnxError {
        OnnxError::Shape { net: self.net.to_owned(), what, expected, found }
    }
}

/// numpy's name of a type.
fn type_name(ty: TensorElementType) -> String {
    format!("{ty:?}").to_lowercase()
}

/// The shape of many, each of this shape.
fn batch_of(shape: &[usize]) -> String {
    let sizes: Vec<_> = shape.iter().map(ToString::to_string).collect();
    match sizes.as_slice() {
        [] => "(N,)".to_owned(),
        sizes => format!("(N, {})", sizes.join(", ")),
    }
}

impl fmt::Debug for OnnxNet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OnnxNet({})", self.model.name)
    }
}

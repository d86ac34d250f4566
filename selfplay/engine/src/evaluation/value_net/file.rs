//! Value nets in files: safetensors with the tensors that `docs/nets.md` lists.

use std::io;
use std::path::Path;
use std::sync::Arc;

use darkqi_env::game::{Layout, Observe};
use darkqi_format::read_file;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use super::inputs::{exclusive_inputs, input_count};
use super::{LANES, MAX_MIDDLE, MAX_UNITS, ONE, SCALE, ValueNet};
use crate::evaluation::EvaluationFileError;

/// The nets that come with the program, by game.
const BUILT_IN_NETS: &[(&str, &[u8])] = &[
    ("banqi", include_bytes!("../../../data/nets/banqi.safetensors")),
    ("flipping", include_bytes!("../../../data/nets/flipping.safetensors")),
    ("gaiqi", include_bytes!("../../../data/nets/gaiqi.safetensors")),
    ("jieqi", include_bytes!("../../../data/nets/jieqi.safetensors")),
    ("mystery", include_bytes!("../../../data/nets/mystery.safetensors")),
];

/// The metadata of a file whose form this version reads. Its value is the name of the game. There is no
/// other metadata: the library would write several in random order.
const FORMAT: &str = "darkqi value net 1";

impl ValueNet {
    /// The net that comes with the program, if the game has one.
    ///
    /// # Panics
    /// Never: the files are part of the program and tested.
    pub fn built_in<G: Observe>() -> Option<Arc<Self>> {
        let bytes = Self::built_in_bytes(G::NAME)?;
        let net = Self::parse(G::NAME, &G::LAYOUT, bytes);
        Some(Arc::new(net.expect("the built-in nets are well formed")))
    }

    /// The file of the net that comes with the program, if the game has one.
    pub(crate) fn built_in_bytes(game: &str) -> Option<&'static [u8]> {
        BUILT_IN_NETS.iter().find(|(name, _)| *name == game).map(|(_, bytes)| *bytes)
    }

    /// The net of a file.
    ///
    /// # Errors
    /// If the file cannot be read, or does not hold a value net for this game.
    pub fn read<G: Observe>(path: &Path) -> Result<Arc<Self>, EvaluationFileError> {
        Self::of_contents::<G>(path, read_file(path))
    }

    /// [`ValueNet::read`] with what was read.
    pub(crate) fn of_contents<G: Observe>(
        path: &Path,
        contents: io::Result<impl AsRef<[u8]>>,
    ) -> Result<Arc<Self>, EvaluationFileError> {
        let what = "value net";
        let bytes = contents.map_err(|cause| EvaluationFileError::unreadable(what, path, cause))?;
        let net = Self::parse(G::NAME, &G::LAYOUT, bytes.as_ref()).map(Arc::new);
        net.map_err(|fault| EvaluationFileError::new(what, path, fault))
    }

    /// # Errors
    /// A description of the fault.
    pub(super) fn parse(game: &'static str, layout: &Layout, bytes: &[u8]) -> Result<Self, String> {
        let (_, header) = SafeTensors::read_metadata(bytes)
            .map_err(|error| format!("expected safetensors: {error}"))?;
        let about = header.metadata().clone().unwrap_or_default();
        match about.get(FORMAT).map(String::as_str) {
            Some(of) if of == game => {}
            Some(of) => return Err(format!("a net for {of}, not for {game}")),
            None => return Err(format!("expected metadata `{FORMAT}` with the game's name")),
        }
        let tensors = SafeTensors::deserialize(bytes)
            .map_err(|error| format!("expected safetensors: {error}"))?;
        let inputs = input_count(layout);
        let length = |name: &str, most: usize| match tensors.tensor(name) {
            Ok(tensor) if tensor.shape().len() == 1 && (1..=most).contains(&tensor.shape()[0]) => {
                Ok(tensor.shape()[0])
            }
            Ok(tensor) => {
                Err(format!("{name}: expected shape (1 to {most}), found {:?}", tensor.shape()))
            }
            Err(_) => Err(format!("there is no tensor `{name}`")),
        };
        let units = length("embedding.bias", MAX_UNITS)?;
        if !units.is_multiple_of(LANES) {
            return Err(format!("embedding.bias: expected a multiple of {LANES}, found {units}"));
        }
        let middle = length("middle.bias", MAX_MIDDLE)?;
        let tensor = |name, shape: &[usize], dtype| tensor(&tensors, name, shape, dtype);
        let net = Self {
            game,
            units,
            embedding: blocks(&tensor("embedding", &[inputs, units], Dtype::I16)?),
            embedding_bias: blocks(&tensor("embedding.bias", &[units], Dtype::I16)?),
            skip: wide_integers(&tensor("skip", &[inputs], Dtype::I32)?),
            middle: blocks(&tensor("middle", &[middle, units], Dtype::I16)?),
            middle_bias: wide_integers(&tensor("middle.bias", &[middle], Dtype::I32)?),
            output: integers(&tensor("output", &[middle], Dtype::I16)?),
            output_bias: wide_integers(&tensor("output.bias", &[1], Dtype::I32)?)[0],
        };
        net.check_sums(layout)?;
        Ok(net)
    }

    /// Checks that no sum overflows, whichever inputs are active: one per square, mark and scalar.
    fn check_sums(&self, layout: &Layout) -> Result<(), String> {
        let most = |weight: &dyn Fn(usize) -> i64| -> i64 {
            exclusive_inputs(layout)
                .map(|inputs| inputs.map(|input| weight(input).abs()).max().unwrap_or(0))
                .sum()
        };
        let fits = |sum: i64, limit: i64, name: &str| {
            if sum <= limit {
                Ok(())
            } else {
                Err(format!("{name}: sums may reach {sum}, expected at most {limit}"))
            }
        };
        let (one, scale) = (i64::from(ONE), i64::from(SCALE));
        for unit in 0..self.units {
            let [block, lane] = [unit / LANES, unit % LANES];
            let weight = |input: usize| i64::from(self.row(input)[block][lane]);
            let bias = i64::from(self.embedding_bias[block][lane]).abs();
            fits(bias + most(&weight), i16::MAX.into(), "embedding")?;
        }
        let products =
            |row: &[i16]| row.iter().map(|&weight| one * i64::from(weight).abs()).sum::<i64>();
        let rows = self.middle.chunks_exact(self.units / LANES);
        for (row, &bias) in rows.zip(&self.middle_bias) {
            let sum = products(row.as_flattened()) + i64::from(bias).abs() + scale;
            fits(sum, i32::MAX.into(), "middle")?;
        }
        let units = products(&self.output);
        let skip = most(&|input| i64::from(self.skip[input]));
        fits(units + skip + i64::from(self.output_bias).abs(), i32::MAX.into(), "output")
    }
}

/// The tensor of a name, which must have this shape and type.
fn tensor<'a>(
    tensors: &SafeTensors<'a>,
    name: &str,
    shape: &[usize],
    dtype: Dtype,
) -> Result<TensorView<'a>, String> {
    let tensor = tensors.tensor(name).map_err(|_| format!("there is no tensor `{name}`"))?;
    if tensor.shape() != shape || tensor.dtype() != dtype {
        return Err(format!(
            "{name}: expected {dtype} of shape {shape:?}, found {} of shape {:?}",
            tensor.dtype(),
            tensor.shape()
        ));
    }
    Ok(tensor)
}

fn integers(tensor: &TensorView<'_>) -> Vec<i16> {
    tensor.data().as_chunks().0.iter().map(|&bytes| i16::from_le_bytes(bytes)).collect()
}

fn blocks(tensor: &TensorView<'_>) -> Vec<[i16; LANES]> {
    integers(tensor).as_chunks().0.to_vec()
}

fn wide_integers(tensor: &TensorView<'_>) -> Vec<i32> {
    tensor.data().as_chunks().0.iter().map(|&bytes| i32::from_le_bytes(bytes)).collect()
}

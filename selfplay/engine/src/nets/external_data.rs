//! Nets that have weights in other files: ONNX's external data.
//!
//! A tensor may name a file beside the net's, and a part of it. ONNX Runtime would look for that file in
//! the working directory, since it is given the net's bytes, and read it later than the net. So what such
//! tensors name is put into the net's own bytes, which are then all that is played, kept and compared.
//!
//! Only what leads to tensors is taken apart; all else is copied. The numbers of fields are those of
//! `onnx.proto`, the encoding is that of Protocol Buffers.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use darkqi_format::read_file;

use super::onnx::OnnxError;

/// The most bytes of a net: what Protocol Buffers can hold.
const MAX_BYTES: usize = i32::MAX as usize;

/// The deepest nesting of messages, that of Protocol Buffers.
const MAX_DEPTH: u32 = 100;

/// The mark of a file of ONNX Runtime's own format, and its place.
const ORT_MARK: &[u8] = b"ORTM";
const ORT_MARK_AT: usize = 4;

/// The ONNX file of a net, with what its tensors have in other files.
///
/// # Errors
/// If a file cannot be read, or a tensor names one that is not in the folder of the net.
pub(crate) fn read_net(file: &Path) -> Result<Vec<u8>, OnnxError> {
    let net = read_file(file).map_err(|cause| OnnxError::Io { file: file.into(), cause })?;
    // ONNX Runtime's own format, which has all in one file.
    if net.get(ORT_MARK_AT..).is_some_and(|rest| rest.starts_with(ORT_MARK)) {
        return Ok(net);
    }
    let file = file.to_owned();
    whole(&net, |location| read_beside(&file, location)).map_err(|fault| match fault {
        Fault::NoNet => OnnxError::Runtime {
            net: file.display().to_string(),
            cause: "expected an ONNX file, found other bytes".to_owned(),
        },
        Fault::Tensor { name, fault } => OnnxError::Tensor { file: file.clone(), name, fault },
        Fault::Location { location, fault } => {
            OnnxError::Weights { file: file.clone(), location, fault }
        }
    })
}

/// Reads a file that a net names, if it lies in the folder of the net.
fn read_beside(net: &Path, location: &str) -> Result<Vec<u8>, String> {
    let named = Path::new(location);
    let is_below = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if location.is_empty() || !named.components().all(is_below) {
        return Err("leads out of the folder of the net".to_owned());
    }
    let folder = net.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let real = |path: PathBuf| fs::canonicalize(path).map_err(unreadable);
    let (folder, path) = (real(folder.to_owned())?, real(folder.join(named))?);
    // A link may lead anywhere.
    if !path.starts_with(&folder) {
        return Err("is a link that leads out of the folder of the net".to_owned());
    }
    read_file(&path).map_err(unreadable)
}

fn unreadable(cause: io::Error) -> String {
    format!("cannot be read: {cause}")
}

/// Why a net has no bytes of its own.
#[derive(PartialEq, Debug)]
enum Fault {
    /// The bytes are no net's.
    NoNet,
    /// A tensor is not where it says.
    Tensor { name: String, fault: String },
    /// A file cannot be used.
    Location { location: String, fault: String },
}

/// The bytes of a net, with those that its tensors have elsewhere. `read` reads what is at a location.
fn whole(net: &[u8], read: impl FnMut(&str) -> Result<Vec<u8>, String>) -> Result<Vec<u8>, Fault> {
    let mut writer = Writer { read, files: BTreeMap::new(), added: 0 };
    writer.message(Message::Model, net, 0)
}

/// The messages that lead to tensors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Message {
    Model,
    Training,
    Function,
    Graph,
    Node,
    Attribute,
    Sparse,
    Tensor,
}

impl Message {
    /// The message in a field, if it leads to tensors.
    const fn within(self, field: u64) -> Option<Self> {
        match (self, field) {
            (Self::Model, 7) | (Self::Training, 1 | 2) | (Self::Attribute, 6 | 11) => {
                Some(Self::Graph)
            }
            (Self::Model, 20) => Some(Self::Training),
            (Self::Model, 25) => Some(Self::Function),
            (Self::Function, 7) | (Self::Graph, 1) => Some(Self::Node),
            (Self::Function, 11) | (Self::Node, 5) => Some(Self::Attribute),
            (Self::Graph, 15) | (Self::Attribute, 22 | 23) => Some(Self::Sparse),
            (Self::Graph, 5) | (Self::Attribute, 5 | 10) | (Self::Sparse, 1 | 2) => {
                Some(Self::Tensor)
            }
            _ => None,
        }
    }
}

/// Fields of a tensor.
const NAME: u64 = 8;
const RAW_DATA: u64 = 9;
const EXTERNAL_DATA: u64 = 13;
const DATA_LOCATION: u64 = 14;

/// The data location of external data.
const EXTERNAL: u32 = 1;

/// Writes a net anew.
struct Writer<R> {
    read: R,
    /// By location, what was read.
    files: BTreeMap<String, Vec<u8>>,
    /// Bytes that were added.
    added: usize,
}

impl<R: FnMut(&str) -> Result<Vec<u8>, String>> Writer<R> {
    fn message(&mut self, kind: Message, bytes: &[u8], depth: u32) -> Result<Vec<u8>, Fault> {
        if depth > MAX_DEPTH {
            return Err(Fault::NoNet);
        }
        if kind == Message::Tensor {
            return self.tensor(bytes);
        }
        let mut written = Vec::with_capacity(bytes.len());
        let mut left = bytes;
        while !left.is_empty() {
            let before = left;
            let field = Field::read(&mut left).ok_or(Fault::NoNet)?;
            match (kind.within(field.number), field.value) {
                (Some(within), Value::Bytes(bytes)) => {
                    let bytes = self.message(within, bytes, depth + 1)?;
                    write_bytes(&mut written, field.number, &bytes);
                }
                (Some(_), _) => return Err(Fault::NoNet),
                (None, _) => written.extend_from_slice(&before[..before.len() - left.len()]),
            }
        }
        Ok(written)
    }

    fn tensor(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Fault> {
        let mut own = Vec::new();
        let (mut name, mut entries, mut is_external) = (String::new(), BTreeMap::new(), false);
        let mut left = bytes;
        while !left.is_empty() {
            let before = left;
            let Field { number, value } = Field::read(&mut left).ok_or(Fault::NoNet)?;
            match (number, value) {
                (EXTERNAL_DATA, Value::Bytes(entry)) => {
                    let (key, value) = entry_of(entry).ok_or(Fault::NoNet)?;
                    entries.insert(key, value);
                    continue;
                }
                (DATA_LOCATION, Value::Number(location)) => {
                    // As Protocol Buffers reads it: 32 bits, and unknown numbers do not count.
                    is_external |= location as u32 == EXTERNAL;
                    continue;
                }
                (NAME, Value::Bytes(text)) => name = String::from_utf8_lossy(text).into_owned(),
                _ => {}
            }
            own.extend_from_slice(&before[..before.len() - left.len()]);
        }
        if !is_external {
            return Ok(bytes.to_vec());
        }
        let part = self.external(&name, &entries)?;
        write_bytes(&mut own, RAW_DATA, part);
        Ok(own)
    }

    /// The bytes that the entries of a tensor name.
    fn external(&mut self, name: &str, entries: &BTreeMap<String, String>) -> Result<&[u8], Fault> {
        let refuse = |fault: String| Fault::Tensor { name: name.to_owned(), fault };
        let location = entries.get("location").ok_or_else(|| refuse("names no file".to_owned()))?;
        let number = |key: &str| match entries.get(key).map(|text| text.parse::<usize>()) {
            None => Ok(None),
            Some(Ok(number)) => Ok(Some(number)),
            Some(Err(_)) => Err(refuse(format!("has no number as its {key}"))),
        };
        let (offset, length) = (number("offset")?.unwrap_or(0), number("length")?);
        if !self.files.contains_key(location) {
            let fault = |fault| Fault::Location { location: location.clone(), fault };
            let contents = (self.read)(location).map_err(fault)?;
            self.files.insert(location.clone(), contents);
        }
        let file = &self.files[location];
        let end = match length {
            Some(length) => offset.checked_add(length),
            None => Some(file.len()),
        };
        let part = end.and_then(|end| file.get(offset..end)).ok_or_else(|| {
            let (length, bytes) = (length.unwrap_or(0), file.len());
            refuse(format!(
                "is {length} bytes from {offset} on of `{location}`, which has {bytes} bytes"
            ))
        })?;
        // Many tensors may name the same bytes.
        self.added = self.added.saturating_add(part.len());
        if self.added > MAX_BYTES {
            return Err(refuse(format!("makes the net longer than {MAX_BYTES} bytes")));
        }
        Ok(part)
    }
}

/// A field of a message.
struct Field<'a> {
    number: u64,
    value: Value<'a>,
}

enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Other,
}

impl<'a> Field<'a> {
    /// Reads one field; None if there is none.
    fn read(left: &mut &'a [u8]) -> Option<Self> {
        let tag = u64::from(u32::try_from(varint(left)?).ok()?);
        let value = match tag & 7 {
            0 => Value::Number(varint(left)?),
            1 => take(left, 8).map(|_| Value::Other)?,
            2 => {
                let length = usize::try_from(varint(left)?).ok()?;
                Value::Bytes(take(left, length)?)
            }
            5 => take(left, 4).map(|_| Value::Other)?,
            // Groups, which ONNX does not have.
            _ => return None,
        };
        Some(Self { number: tag >> 3, value })
    }
}

fn take<'a>(left: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = left.split_at_checked(length)?;
    *left = rest;
    Some(taken)
}

fn varint(left: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = take(left, 1)?[0];
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// The key and the value of a `StringStringEntryProto`.
fn entry_of(mut left: &[u8]) -> Option<(String, String)> {
    let mut entry = (String::new(), String::new());
    while !left.is_empty() {
        let Field { number, value } = Field::read(&mut left)?;
        let Value::Bytes(text) = value else { continue };
        let text = String::from_utf8(text.to_vec()).ok()?;
        match number {
            1 => entry.0 = text,
            2 => entry.1 = text,
            _ => {}
        }
    }
    Some(entry)
}

fn write_bytes(written: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    for mut number in [field << 3 | 2, bytes.len() as u64] {
        while number >= 0x80 {
            written.push(number as u8 | 0x80);
            number >>= 7;
        }
        written.push(number as u8);
    }
    written.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::{
        DATA_LOCATION, EXTERNAL, EXTERNAL_DATA, Fault, MAX_DEPTH, Message, NAME, RAW_DATA,
        read_beside, whole, write_bytes,
    };

    /// A field of bytes.
    fn field(number: u64, bytes: &[u8]) -> Vec<u8> {
        let mut written = Vec::new();
        write_bytes(&mut written, number, bytes);
        written
    }

    /// A tensor `w` with these entries.
    fn tensor(entries: &[(&str, &str)]) -> Vec<u8> {
        let entry = |(key, value): &(&str, &str)| {
            field(EXTERNAL_DATA, &[field(1, key.as_bytes()), field(2, value.as_bytes())].concat())
        };
        let entries = entries.iter().flat_map(entry).collect();
        [field(NAME, b"w"), entries, vec![(DATA_LOCATION << 3) as u8, EXTERNAL as u8]].concat()
    }

    /// The tensor with its own bytes.
    fn own(bytes: &[u8]) -> Vec<u8> {
        [field(NAME, b"w"), field(RAW_DATA, bytes)].concat()
    }

    fn read(location: &str) -> Result<Vec<u8>, String> {
        match location {
            "w.data" => Ok((0..10).collect()),
            _ => Err("cannot be read".to_owned()),
        }
    }

    /// A tensor in a place that the fields lead to, from the model on.
    fn model(path: &[u64], tensor: &[u8]) -> Vec<u8> {
        path.iter().rev().fold(tensor.to_vec(), |within, &number| field(number, &within))
    }

    #[test]
    fn tensors_are_found_wherever_they_are() {
        let part = tensor(&[("location", "w.data"), ("offset", "3"), ("length", "4")]);
        for path in [
            // An initializer, an attribute of a node, and lists of them.
            vec![7, 5],
            vec![7, 1, 5, 5],
            vec![7, 1, 5, 10],
            // Sparse ones: an initializer's values and indices, and those of attributes.
            vec![7, 15, 1],
            vec![7, 15, 2],
            vec![7, 1, 5, 22, 1],
            vec![7, 1, 5, 23, 2],
            // Graphs within graphs, functions and their defaults, and training.
            vec![7, 1, 5, 6, 5],
            vec![7, 1, 5, 11, 1, 5, 6, 5],
            vec![25, 7, 5, 5],
            vec![25, 11, 5],
            vec![20, 1, 5],
            vec![20, 2, 5],
        ] {
            let found = whole(&model(&path, &part), read);
            assert_eq!(found, Ok(model(&path, &own(&[3, 4, 5, 6]))), "{path:?}");
        }
    }

    #[test]
    fn all_else_is_copied() {
        let plain = [
            &[8, 0x96, 1][..],
            &field(2, b"producer"),
            &[0x19, 1, 2, 3, 4, 5, 6, 7, 8],
            &[0x1d, 1, 2, 3, 4],
            &model(&[7, 5], &own(&[1, 2])),
        ]
        .concat();
        assert_eq!(whole(&plain, read), Ok(plain.clone()));
        let all = whole(&model(&[7, 5], &tensor(&[("location", "w.data")])), read);
        assert_eq!(all, Ok(model(&[7, 5], &own(&(0..10).collect::<Vec<_>>()))));
        // Cut anywhere, nothing panics.
        let net = model(&[7, 5], &tensor(&[("location", "w.data"), ("length", "2")]));
        for length in 0..net.len() {
            let _ = whole(&net[..length], read);
        }
    }

    #[test]
    fn faults_name_the_tensor_or_the_file() {
        for (entries, expected) in [
            (&[][..], "names no file"),
            (&[("location", "w.data"), ("offset", "-1")], "has no number as its offset"),
            (
                &[("location", "w.data"), ("offset", "8"), ("length", "3")],
                "is 3 bytes from 8 on of `w.data`, which has 10 bytes",
            ),
            (
                &[("location", "w.data"), ("offset", "1"), ("length", "18446744073709551615")],
                "is 18446744073709551615 bytes from 1 on of `w.data`, which has 10 bytes",
            ),
        ] {
            let fault = whole(&model(&[7, 5], &tensor(entries)), read);
            let expected = Fault::Tensor { name: "w".to_owned(), fault: expected.to_owned() };
            assert_eq!(fault, Err(expected));
        }
        let fault = whole(&model(&[7, 5], &tensor(&[("location", "v.data")])), read);
        let (location, expected) = ("v.data".to_owned(), "cannot be read".to_owned());
        assert_eq!(fault, Err(Fault::Location { location, fault: expected }));
        let deep: Vec<u64> =
            [7].into_iter().chain([1, 5, 6].into_iter().cycle().take(MAX_DEPTH as usize)).collect();
        assert_eq!(whole(&model(&deep, &[]), read), Err(Fault::NoNet));
        assert_eq!(whole(b"no net", read), Err(Fault::NoNet));
        assert_eq!(Message::Graph.within(2), None);
    }

    #[test]
    fn files_lie_in_the_folder_of_the_net() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let inner = folder.path().join("net");
        std::fs::create_dir_all(inner.join("weights")).expect("it can be made");
        let net = inner.join("net.onnx");
        for path in ["outside", "net/beside", "net/weights/below"] {
            std::fs::write(folder.path().join(path), path).expect("it can be written");
        }
        let outside = folder.path().join("outside").display().to_string();
        assert_eq!(read_beside(&net, "beside").as_deref(), Ok(&b"net/beside"[..]));
        assert_eq!(read_beside(&net, "./weights/below").as_deref(), Ok(&b"net/weights/below"[..]));
        for location in ["", "../outside", "weights/../../outside", &outside] {
            let fault = read_beside(&net, location).expect_err(location);
            assert_eq!(fault, "leads out of the folder of the net");
        }
        assert!(
            read_beside(&net, "missing").is_err_and(|fault| fault.starts_with("cannot be read"))
        );
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../outside", inner.join("link")).expect("it can be made");
            std::os::unix::fs::symlink("beside", inner.join("near")).expect("it can be made");
            let fault = read_beside(&net, "link").expect_err("it leads out");
            assert_eq!(fault, "is a link that leads out of the folder of the net");
            assert!(read_beside(&net, "near").is_ok());
        }
    }
}

//! Rule options as JSON.

use std::collections::BTreeMap;

use darkqi_env::{Options, Value};
use serde_json::Value as Json;

use crate::error::{Error, Result};

/// The value of an option as JSON.
pub fn value_to_json(value: &Value) -> Json {
    match value {
        Value::Int(number) => Json::from(*number),
        Value::Bool(on) => Json::from(*on),
        Value::Text(text) => Json::from(text.as_str()),
    }
}

/// An option as it is set on the command line.
pub fn option_text(name: &str, value: &Json) -> String {
    match value {
        Json::Bool(on) => format!("{name}={}", if *on { "on" } else { "off" }),
        Json::String(text) => format!("{name}={text}"),
        other => format!("{name}={other}"),
    }
}

/// Options as JSON values.
pub fn options_to_json(options: &Options) -> BTreeMap<String, Json> {
    options.iter().map(|(name, value)| (name.clone(), value_to_json(value))).collect()
}

/// The inverse of [`options_to_json`].
///
/// # Errors
/// [`Error::Option`] if a value is not an integer, a boolean or a string.
pub fn options_from_json(options: &BTreeMap<String, Json>) -> Result<Options> {
    let value = |name: &String, json: &Json| match json {
        Json::Bool(on) => Ok(Value::Bool(*on)),
        Json::String(text) => Ok(Value::Text(text.clone())),
        _ => json
            .as_i64()
            .map(Value::Int)
            .ok_or_else(|| Error::Option { name: name.clone(), value: json.to_string() }),
    };
    options.iter().map(|(name, json)| Ok((name.clone(), value(name, json)?))).collect()
}

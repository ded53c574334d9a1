//! Text and JSON forms of the log, both made from one serialization.

use super::{Actor, Entry, VERSION};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::fmt;

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Thread(thread) => write!(f, "{thread}"),
            Self::AsyncEvent => f.write_str("async-event"),
            Self::Queue(queue) => write!(f, "{queue}"),
            Self::Sdma => f.write_str("sdma"),
        }
    }
}

impl Serialize for Actor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Fields that are left out when they have no value; any other null is a bare word.
const OPTIONAL: [&str; 4] = ["pass", "behind", "buffer", "ticket"];

/// The log as text.
pub fn text(log: &[Entry]) -> String {
    let mut out = format!("kreplay-log {VERSION}\n");
    for entry in log {
        out.push_str(&entry.to_string());
        out.push('\n');
    }
    out
}

/// The log as JSON lines.
pub fn json_lines(log: &[Entry]) -> String {
    let mut out = format!("{{\"kreplay-log\":{VERSION}}}\n");
    for entry in log {
        out.push_str(&value(entry).to_string());
        out.push('\n');
    }
    out
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Value::Object(fields) = value(self) else { unreachable!("an entry is an object") };
        write!(f, "{:>12} {:<12} {}", self.time, self.actor, fields["event"].as_str().unwrap_or_default())?;
        for (key, field) in
            fields.iter().filter(|(key, _)| !matches!(key.as_str(), "time" | "actor" | "event"))
        {
            pair(f, key, field)?;
        }
        Ok(())
    }
}

fn value(entry: &Entry) -> Value {
    serde_json::to_value(entry).expect("entries have string keys only")
}

fn pair(f: &mut fmt::Formatter<'_>, key: &str, value: &Value) -> fmt::Result {
    match value {
        Value::Null if OPTIONAL.contains(&key) => Ok(()),
        Value::Null => write!(f, " {key}"),
        Value::Object(fields) if fields.len() > 1 => {
            fields.iter().try_for_each(|(inner, value)| pair(f, &format!("{key}.{inner}"), value))
        }
        Value::Number(address) if key.ends_with("base") => {
            write!(f, " {key}={:#x}", address.as_u64().unwrap_or_default())
        }
        _ => write!(f, " {key}={}", word(value)),
    }
}

/// A value without blanks; a variant with contents reads `variant(contents)`.
fn word(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) if text.contains([' ', '"', '=']) => format!("{text:?}"),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(word).collect::<Vec<_>>().join(","),
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{key}({})", word(value))).collect();
            fields.join(",")
        }
        other => other.to_string(),
    }
}

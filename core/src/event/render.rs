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
        Value::Null => Ok(()),
        Value::String(text) if text.contains([' ', '"', '=']) => write!(f, " {key}={text:?}"),
        Value::String(text) => write!(f, " {key}={text}"),
        Value::Object(fields) => {
            fields.iter().try_for_each(|(inner, value)| pair(f, &format!("{key}.{inner}"), value))
        }
        Value::Array(items) => {
            let texts: Vec<String> = items
                .iter()
                .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
                .collect();
            write!(f, " {key}={}", texts.join(","))
        }
        other => write!(f, " {key}={other}"),
    }
}

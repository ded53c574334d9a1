//! Values that know where in the file they stand.

use serde::Deserialize;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};
use toml::Spanned;

/// A value and its place in the file; equal if the values are.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct At<T>(Spanned<T>);

impl<T> At<T> {
    /// Its bytes in the file.
    pub fn span(&self) -> Range<usize> {
        self.0.span()
    }
}

impl<T> Deref for At<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.get_ref()
    }
}

impl<T: PartialEq> PartialEq for At<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for At<T> {}

impl<T: Hash> Hash for At<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

#[cfg(test)]
impl<T: schemars::JsonSchema> schemars::JsonSchema for At<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}

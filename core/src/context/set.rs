//! A set of contexts, as bits.

use crate::ids::ContextId;
use crate::limits::CONTEXTS;

/// Handle of the first context: small made-up handles never match.
const FIRST_HANDLE: u64 = 0x1000;

/// A set of contexts by index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ContextSet(u64);

impl ContextSet {
    /// No context.
    pub const EMPTY: Self = Self(0);

    /// The handle of the context with an index.
    pub const fn handle(index: usize) -> ContextId {
        ContextId(FIRST_HANDLE + index as u64)
    }

    /// The index of a handle, if a context could have it.
    pub fn index(context: ContextId) -> Option<usize> {
        let index = usize::try_from(context.0.checked_sub(FIRST_HANDLE)?).ok()?;
        (index < CONTEXTS).then_some(index)
    }

    /// Whether it holds a context.
    pub fn contains(self, context: ContextId) -> bool {
        Self::index(context).is_some_and(|index| self.0 >> index & 1 == 1)
    }

    /// Adds or removes a context; handles that no context can have are ignored.
    pub fn set(&mut self, context: ContextId, member: bool) {
        if let Some(index) = Self::index(context) {
            self.0 = self.0 & !(1 << index) | u64::from(member) << index;
        }
    }

    /// Those of `self` that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Those in both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Those in either.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The contexts, in the order of their handles.
    pub fn iter(self) -> impl Iterator<Item = ContextId> {
        (0..CONTEXTS).filter(move |index| self.0 >> index & 1 == 1).map(Self::handle)
    }
}

#[cfg(test)]
mod tests;

//! A table by dense numbers.

use std::ops::{Index, IndexMut};

/// A table indexed by numbers that were all handed out for its own entries.
pub(crate) struct Dense<T>(Vec<T>);

#[expect(
    clippy::indexing_slicing,
    reason = "the numbers are those of the entries, by construction"
)]
impl<T> Index<u32> for Dense<T> {
    type Output = T;

    fn index(&self, number: u32) -> &T {
        &self.0[number as usize]
    }
}

#[expect(
    clippy::indexing_slicing,
    reason = "the numbers are those of the entries, by construction"
)]
impl<T> IndexMut<u32> for Dense<T> {
    fn index_mut(&mut self, number: u32) -> &mut T {
        &mut self.0[number as usize]
    }
}

impl<T> Default for Dense<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Dense<T> {
    pub(crate) fn push(&mut self, entry: T) -> u32 {
        self.0.push(entry);
        self.0.len() as u32 - 1
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl<T> FromIterator<T> for Dense<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

//! State that most runs never use, boxed when it is first changed.

use std::ops::{Deref, DerefMut};

/// A value that is empty in most runs, where it costs a pointer. Changing it makes room for it.
#[derive(Clone)]
pub(crate) struct Rare<T>(Option<Box<T>>);

/// What a [`Rare`] is that nobody has changed.
pub(crate) trait Empty: Sized + 'static {
    const EMPTY: Self;

    /// The same, for all that read it.
    fn empty() -> &'static Self;
}

impl<T> Rare<T> {
    /// The value to take something out of, where somebody has changed it.
    #[inline]
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }

    #[inline]
    pub(crate) fn is_unchanged(&self) -> bool {
        self.0.is_none()
    }
}

impl<T> Default for Rare<T> {
    #[inline]
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Empty> Deref for Rare<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or_else(|| T::empty())
    }
}

impl<T: Empty> DerefMut for Rare<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_with(|| Box::new(T::EMPTY))
    }
}

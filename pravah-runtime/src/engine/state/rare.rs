//! State that most runs never use, boxed when it is first changed.

use std::ops::{Deref, DerefMut};

use super::erased::ErasedBox;

/// A value that is empty in most runs, where it costs a pointer. Changing it makes room for it.
pub(crate) struct Rare<T>(Option<ErasedBox<T>>);

/// A type with a value that an unchanged [`Rare`] reads as.
pub(crate) trait Empty: Sized + 'static {
    const EMPTY: Self;

    /// The same, for all that read it.
    fn empty() -> &'static Self;

    /// The value in a box, made where it is not generic.
    fn into_erased(self) -> ErasedBox<Self>;
}

/// Implements [`Empty`] for a struct, of which every field is set to a constant.
macro_rules! empty {
    ($name:ident { $($field:ident: $value:expr,)+ }) => {
        impl $crate::engine::state::rare::Empty for $name {
            const EMPTY: Self = Self { $($field: $value,)+ };

            fn empty() -> &'static Self {
                static EMPTY: $name = <$name as $crate::engine::state::rare::Empty>::EMPTY;
                &EMPTY
            }

            #[inline(never)]
            fn into_erased(self) -> $crate::engine::state::erased::ErasedBox<Self> {
                Box::new(self)
            }
        }
    };
}

pub(crate) use empty;

impl<T> Rare<T> {
    /// The value to take something out of, where somebody has changed it.
    #[inline]
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut().map(DerefMut::deref_mut)
    }

    #[inline]
    pub(crate) fn is_unchanged(&self) -> bool {
        self.0.is_none()
    }
}

impl<T: Empty + Clone> Clone for Rare<T> {
    fn clone(&self) -> Self {
        let value = self.0.as_deref();
        Self(value.map(|value| T::clone(value).into_erased()))
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
        match &self.0 {
            Some(value) => value,
            None => T::empty(),
        }
    }
}

impl<T: Empty> DerefMut for Rare<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_with(|| T::EMPTY.into_erased())
    }
}

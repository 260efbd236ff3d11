//! State that most runs never use, boxed when it is first changed.

use std::ops::{Deref, DerefMut};

/// A value that is empty in most runs, where it costs a pointer. Changing it makes room for it.
pub(crate) struct Rare<T>(Option<HeldBox<T>>);

/// A value of which its holder does not know how to drop it: rustc compiles that in every crate that drops one, which
/// for these is as much code as that of thirty nodes.
pub(crate) type HeldBox<T> = Box<dyn Held<T> + Send + Sync>;

pub(crate) trait Held<T> {
    fn get(&self) -> &T;
    fn get_mut(&mut self) -> &mut T;
    fn into_box(self: Box<Self>) -> Box<T>;
}

impl<T> Held<T> for T {
    fn get(&self) -> &T {
        self
    }

    fn get_mut(&mut self) -> &mut T {
        self
    }

    fn into_box(self: Box<Self>) -> Box<T> {
        self
    }
}

impl<T> Deref for dyn Held<T> + Send + Sync {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.get()
    }
}

impl<T> DerefMut for dyn Held<T> + Send + Sync {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.get_mut()
    }
}

/// A type with a value that an unchanged [`Rare`] reads as.
pub(crate) trait Empty: Sized + 'static {
    const EMPTY: Self;

    /// The same, for all that read it.
    fn empty() -> &'static Self;

    /// The value in a box, made where it is not generic.
    fn held(self) -> HeldBox<Self>;
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
            fn held(self) -> $crate::engine::state::rare::HeldBox<Self> {
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
        let held = self.0.as_deref();
        Self(held.map(|held| T::clone(held).held()))
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
            Some(held) => held,
            None => T::empty(),
        }
    }
}

impl<T: Empty> DerefMut for Rare<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_with(|| T::EMPTY.held())
    }
}

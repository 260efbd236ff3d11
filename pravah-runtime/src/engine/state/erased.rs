//! Boxes that do not show the type of what is in them.

use std::ops::{Deref, DerefMut};

/// A box of which its holder does not know how to drop what is in it: rustc compiles that in every crate that drops one,
/// which for what is held here is as much code as that of thirty nodes.
pub(crate) type ErasedBox<T> = Box<dyn Erased<T> + Send + Sync>;

pub(crate) trait Erased<T> {
    fn get(&self) -> &T;
    fn get_mut(&mut self) -> &mut T;

    /// The value in a plain box.
    fn into_box(self: Box<Self>) -> Box<T>;
}

impl<T> Erased<T> for T {
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

impl<T> Deref for dyn Erased<T> + Send + Sync {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.get()
    }
}

impl<T> DerefMut for dyn Erased<T> + Send + Sync {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.get_mut()
    }
}

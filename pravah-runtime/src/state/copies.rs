//! What a node that takes a state by value leaves behind.

use std::{any::Any, marker::PhantomData};

use serde::de::DeserializeOwned;

use super::{State, content::Content};

/// Makes a value of what `Serialize` said of it.
#[doc(hidden)]
pub type Rebuild = fn(&Content) -> Result<Box<dyn Any>, serde_json::Error>;

/// How a copy of a value is left.
pub(crate) trait Copies<T> {
    /// A clone, where the type is known to be `Clone`.
    fn duplicate(&self, value: &T) -> Option<T>;

    /// What makes the value again where there is no clone. Without it, its JSON is left.
    fn rebuild(&self) -> Option<Rebuild>;
}

/// As `#[state]` says.
pub(crate) struct OfState;

impl<S: State> Copies<S> for OfState {
    fn duplicate(&self, value: &S) -> Option<S> {
        value.duplicate()
    }

    fn rebuild(&self) -> Option<Rebuild> {
        S::rebuild()
    }
}

/// Of a value that nobody takes again.
pub(crate) struct Unknown;

impl<T> Copies<T> for Unknown {
    fn duplicate(&self, _: &T) -> Option<T> {
        None
    }

    fn rebuild(&self) -> Option<Rebuild> {
        None
    }
}

/// Makes a `T` again. To compile it costs as much as to read a `T` from JSON, so it is named only for
/// types that need it.
pub(crate) fn rebuild<T: DeserializeOwned + 'static>(
    content: &Content,
) -> Result<Box<dyn Any>, serde_json::Error> {
    Ok(Box::new(content.read::<T>()?))
}

/// Finds out for `#[state]` whether a type is `Clone`: method lookup tries [`Cloned`], whose impl is
/// nearer, before [`NotCloned`]. It works on concrete types only, which is what the macro has.
#[doc(hidden)]
pub struct CloneProbe<T>(PhantomData<fn() -> T>);

impl<T> CloneProbe<T> {
    pub const NEW: Self = Self(PhantomData);
}

#[doc(hidden)]
pub trait Cloned<T> {
    fn duplicate(&self, value: &T) -> Option<T>;
    fn rebuild(&self) -> Option<Rebuild>;
}

impl<T: Clone> Cloned<T> for CloneProbe<T> {
    fn duplicate(&self, value: &T) -> Option<T> {
        Some(value.clone())
    }

    fn rebuild(&self) -> Option<Rebuild> {
        None
    }
}

impl<T: Clone> CloneProbe<T> {
    /// Whether the type is `Clone`: an inherent constant goes before that of a trait.
    pub const IS_CLONE: bool = true;
}

#[doc(hidden)]
pub trait NoClone {
    const IS_CLONE: bool = false;
}

impl<T> NoClone for CloneProbe<T> {}

#[doc(hidden)]
pub trait NotCloned<T> {
    fn duplicate(&self, value: &T) -> Option<T>;
    fn rebuild(&self) -> Option<Rebuild>;
}

impl<T: DeserializeOwned + 'static> NotCloned<T> for &CloneProbe<T> {
    fn duplicate(&self, _: &T) -> Option<T> {
        None
    }

    fn rebuild(&self) -> Option<Rebuild> {
        Some(rebuild::<T>)
    }
}

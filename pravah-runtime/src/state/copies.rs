//! What a node that takes a state by value leaves behind.

use std::{any::Any, marker::PhantomData};

use serde::de::DeserializeOwned;

use super::{State, content::Content};

/// Makes a value of what `Serialize` said of it.
pub(crate) type Rebuild = fn(&Content) -> Result<Box<dyn Any>, serde_json::Error>;

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
        S::Copying::duplicate(value)
    }

    fn rebuild(&self) -> Option<Rebuild> {
        S::Copying::rebuild()
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

/// How a copy of a state `S` is left.
#[doc(hidden)]
pub trait Copying<S> {
    /// Whether it is `Clone`; where that is not known it is taken for one.
    const IS_CLONE: bool;

    /// A clone, where the value has one: what stays in the run while a node has the value.
    fn duplicate(state: &S) -> Option<S>;

    /// What makes the state again, where it is not `Clone`.
    fn rebuild() -> Option<Rebuild>;
}

/// By `Clone`, if the type is.
#[doc(hidden)]
pub struct CloneIf<const IS_CLONE: bool>;

/// What `#[state]` writes where it adds `Clone`: `CloneIf<true>` costs rustc a constant each time.
#[doc(hidden)]
pub type ByClone = CloneIf<true>;

impl<S: Clone> Copying<S> for CloneIf<true> {
    const IS_CLONE: bool = true;

    fn duplicate(state: &S) -> Option<S> {
        Some(state.clone())
    }

    fn rebuild() -> Option<Rebuild> {
        None
    }
}

impl<S: DeserializeOwned + 'static> Copying<S> for CloneIf<false> {
    const IS_CLONE: bool = false;

    fn duplicate(_: &S) -> Option<S> {
        None
    }

    fn rebuild() -> Option<Rebuild> {
        Some(rebuild::<S>)
    }
}

/// Finds out for `#[state]` whether a type is `Clone`: an inherent constant goes before that of a trait. It works on
/// concrete types only, which is what the macro has.
#[doc(hidden)]
pub struct CloneProbe<T>(PhantomData<fn() -> T>);

impl<T: Clone> CloneProbe<T> {
    pub const IS_CLONE: bool = true;
}

#[doc(hidden)]
pub trait NoClone {
    const IS_CLONE: bool = false;
}

impl<T> NoClone for CloneProbe<T> {}

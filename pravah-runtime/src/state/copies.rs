//! What a node that takes a state by value leaves behind.

use std::{marker::PhantomData, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};

use super::{
    State,
    content::Content,
    payload::{Payload, Rebuild, StateType, downcast, replacement_for},
};

/// How a copy of a value is left.
pub(crate) trait Copies<T> {
    /// A clone, where the type is known to be `Clone`.
    fn duplicate(&self, value: &T) -> Option<T>;

    /// What makes the value again where there is no clone. Without it, its JSON is left.
    fn rebuild(&self) -> Option<Rebuild>;
}

/// As `#[state]` says.
#[derive(Default)]
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
#[derive(Default)]
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
pub(crate) fn rebuild<T>(content: &Content) -> Result<Arc<dyn Payload>, serde_json::Error>
where
    T: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    Ok(Arc::new(content.read::<T>()?))
}

/// The same for a value of any type.
pub(crate) trait AnyCopies {
    fn state_type(&self) -> StateType;

    fn duplicate(&self, value: &dyn Payload) -> Option<Arc<dyn Payload>>;

    fn rebuild(&self) -> Option<Rebuild>;
}

/// How a copy of a `T` is left, for code that is compiled once for all types.
pub(crate) struct CopiesOf<'a, T, C>(&'a C, PhantomData<fn() -> T>);

impl<'a, T, C: Copies<T>> CopiesOf<'a, T, C> {
    pub(crate) fn new(copies: &'a C) -> Self {
        Self(copies, PhantomData)
    }
}

impl<T, C> AnyCopies for CopiesOf<'_, T, C>
where
    T: Serialize + DeserializeOwned + Send + Sync + 'static,
    C: Copies<T>,
{
    fn state_type(&self) -> StateType {
        StateType::of::<T>()
    }

    fn duplicate(&self, value: &dyn Payload) -> Option<Arc<dyn Payload>> {
        let duplicate = self.0.duplicate(downcast(value)?)?;
        Some(Arc::new(duplicate))
    }

    fn rebuild(&self) -> Option<Rebuild> {
        self.0.rebuild()
    }
}

/// Moves the value out, and leaves a copy. A panic or an error leaves the value itself.
pub(super) fn move_out(
    held: &mut Arc<dyn Payload>,
    copies: &dyn AnyCopies,
) -> Result<Arc<dyn Payload>, serde_json::Error> {
    let wanted = copies.state_type();
    if !wanted.is_of(&**held) {
        return wanted.read(&**held, true);
    }
    if Arc::get_mut(held).is_none() {
        return copy(&**held, copies);
    }
    let left = match copies.duplicate(&**held) {
        Some(duplicate) => duplicate,
        None => replacement_for(&**held, copies.rebuild())?,
    };
    Ok(std::mem::replace(held, left))
}

/// A copy of the value, which stays where it is.
pub(super) fn copy(
    value: &dyn Payload,
    copies: &dyn AnyCopies,
) -> Result<Arc<dyn Payload>, serde_json::Error> {
    let wanted = copies.state_type();
    if !wanted.is_of(value) {
        return wanted.read(value, false);
    }
    match copies.duplicate(value) {
        Some(duplicate) => Ok(duplicate),
        None => wanted.read(&*replacement_for(value, copies.rebuild())?, false),
    }
}

/// Whether a state `S` is `Clone`; where that is not known it is taken for one.
// Apart from `Copying`, it is known of a state whose `Clone` rustc refused, and what is said of its flow does not
// change.
#[doc(hidden)]
pub trait KnownClone<S> {
    const IS_CLONE: bool;
}

/// How a copy of a state `S` is left.
#[doc(hidden)]
pub trait Copying<S>: KnownClone<S> {
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

impl<S, const IS_CLONE: bool> KnownClone<S> for CloneIf<IS_CLONE> {
    const IS_CLONE: bool = IS_CLONE;
}

impl<S: Clone> Copying<S> for CloneIf<true> {
    fn duplicate(state: &S) -> Option<S> {
        Some(state.clone())
    }

    fn rebuild() -> Option<Rebuild> {
        None
    }
}

impl<S> Copying<S> for CloneIf<false>
where
    S: Serialize + DeserializeOwned + Send + Sync + 'static,
{
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

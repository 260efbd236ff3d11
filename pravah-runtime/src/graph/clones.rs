//! How the builder's nodes leave a copy of what they take: by `Clone`, where it is known.

use std::{
    any::{Any, TypeId},
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use super::Data;
use crate::state::{Copies, DuplicateFn, Rebuild, clone_of_state, rebuild};

/// How a state is cloned, if that is known. It may be set after the nodes that ask.
pub(crate) struct CloneOf<S>(Arc<OnceLock<DuplicateFn<S>>>);

impl<S> Clone for CloneOf<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: Data> Copies<S> for CloneOf<S> {
    fn duplicate(&self, state: &S) -> Option<S> {
        self.0.get().and_then(|duplicate| duplicate(state))
    }

    fn rebuild(&self) -> Option<Rebuild> {
        Some(rebuild::<S>)
    }
}

impl<S: Data> CloneOf<S> {
    /// As `#[state]` says, if it is written above the type.
    pub(crate) fn of_state() -> Self {
        let known = clone_of_state::<S>().map_or_else(OnceLock::new, OnceLock::from);
        Self(Arc::new(known))
    }
}

impl<S: Clone> CloneOf<S> {
    pub(super) fn set(&self) {
        // There is one `Clone` for a type.
        let _ = self.0.set(|state| Some(state.clone()));
    }
}

/// The [`CloneOf`] each type.
#[derive(Default)]
pub(super) struct Clones(BTreeMap<TypeId, Box<dyn Any + Send + Sync>>);

impl Clones {
    pub(super) fn of<S: Data>(&mut self) -> CloneOf<S> {
        let known = self
            .0
            .entry(TypeId::of::<S>())
            .or_insert_with(|| Box::new(CloneOf::<S>::of_state()));
        let known = known.downcast_ref::<CloneOf<S>>();
        known.cloned().unwrap_or_else(|| CloneOf(Arc::default()))
    }
}

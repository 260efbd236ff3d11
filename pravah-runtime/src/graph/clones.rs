//! How the builder's nodes leave a copy of what they take: by `Clone`, where it is known.

use std::{
    any::{Any, TypeId},
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

/// How a state is cloned, if that is known. It may be told after the nodes that ask.
pub(crate) struct CloneOf<S>(Arc<OnceLock<fn(&S) -> S>>);

impl<S> CloneOf<S> {
    pub(super) fn tell(&self, clone: fn(&S) -> S) {
        // There is one `Clone` for a type.
        let _ = self.0.set(clone);
    }

    /// A clone, if it is known how.
    #[inline]
    pub(crate) fn duplicate(&self, state: &S) -> Option<S> {
        self.0.get().map(|clone| clone(state))
    }
}

/// The [`CloneOf`] each type.
#[derive(Default)]
pub(super) struct Clones(BTreeMap<TypeId, Box<dyn Any + Send + Sync>>);

impl Clones {
    pub(super) fn of<S: 'static>(&mut self) -> CloneOf<S> {
        let known = self.0.entry(TypeId::of::<S>());
        let known = known.or_insert_with(|| Box::new(Arc::new(OnceLock::<fn(&S) -> S>::new())));
        let known = known.downcast_ref::<Arc<OnceLock<fn(&S) -> S>>>();
        CloneOf(known.cloned().unwrap_or_default())
    }
}

//! Typed dependencies: one value for each type.

use std::{
    any::{Any, TypeId, type_name},
    collections::BTreeMap,
    fmt,
    sync::Arc,
};

use crate::error::DepsError;

/// A value and the name of its type.
type Named = (&'static str, Arc<dyn Any + Send + Sync>);

#[derive(Clone, Default)]
pub(super) struct Deps(BTreeMap<TypeId, Named>);

impl Deps {
    pub(super) fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        self.0
            .insert(TypeId::of::<T>(), (type_name::<T>(), Arc::new(value)));
    }

    pub(super) fn get<T: Send + Sync + 'static>(&self) -> Result<Arc<T>, DepsError> {
        self.find()
            .ok_or_else(|| DepsError::missing::<T>(self.names()))
    }

    /// The value of type `T`, or the one that an `Arc<T>` shares.
    pub(super) fn find<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let shared = || self.exactly::<Arc<T>>().map(|shared| Arc::clone(&*shared));
        self.exactly().or_else(shared)
    }

    fn exactly<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let (_, value) = self.0.get(&TypeId::of::<T>())?;
        Arc::clone(value).downcast().ok()
    }

    /// The types, in order of their names.
    fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = self.0.values().map(|(name, _)| *name).collect();
        names.sort_unstable();
        names
    }
}

impl fmt::Debug for Deps {
    /// The types, in order of their names; the values may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

//! A value that several states share: each of them can read it, and any of them can move it out.

use std::sync::{
    Arc, LockResult, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};

use super::payload::Payload;
use crate::error::quietly;

/// The shared value.
pub(super) struct Cell {
    /// It is read under the lock, so that whoever reads it, on whichever thread, never keeps it from being moved
    /// out.
    value: RwLock<Arc<dyn Payload>>,
    /// The value as somebody read it from JSON, who is not to be the last to hold it.
    pub(super) typed: OnceLock<Arc<dyn Payload>>,
}

impl Cell {
    pub(super) fn new(value: Arc<dyn Payload>) -> Arc<Self> {
        Arc::new(Self {
            value: RwLock::new(value),
            typed: OnceLock::new(),
        })
    }

    pub(super) fn read(&self) -> RwLockReadGuard<'_, Arc<dyn Payload>> {
        whole(self.value.read())
    }

    pub(super) fn write(&self) -> RwLockWriteGuard<'_, Arc<dyn Payload>> {
        whole(self.value.write())
    }

    pub(super) fn value_mut(&mut self) -> &mut Arc<dyn Payload> {
        whole(self.value.get_mut())
    }

    pub(super) fn into_value(self) -> Arc<dyn Payload> {
        let Self { value, typed } = self;
        quietly(|| drop(typed));
        whole(value.into_inner())
    }
}

/// A value is whole, whoever panicked: it is replaced in one go.
fn whole<T>(locked: LockResult<T>) -> T {
    locked.unwrap_or_else(PoisonError::into_inner)
}

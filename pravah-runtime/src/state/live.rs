//! A state that waits in a run: the typed value, or the JSON it was restored from.

use std::{any::Any, sync::Arc};

use erased_serde::Serialize as ErasedSerialize;
use serde::{Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::RawValue;

/// A typed value that can be written without knowing its type.
pub(crate) trait Payload: Any + ErasedSerialize + Send + Sync {
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

impl<T: Serialize + Send + Sync + 'static> Payload for T {
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// A waiting state, shared: cloning it copies no payload, and JSON is made only when someone asks.
#[derive(Clone)]
pub(crate) enum Live {
    Typed(Arc<dyn Payload>),
    Raw(Arc<RawValue>),
}

impl Live {
    pub(crate) fn new<T: Serialize + Send + Sync + 'static>(value: T) -> Self {
        Self::Typed(Arc::new(value))
    }

    pub(crate) fn copied<T>(&self) -> Result<T, serde_json::Error>
    where
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let typed = match self {
            Self::Typed(value) => (&**value as &dyn Any).downcast_ref::<T>(),
            Self::Raw(_) => None,
        };
        match typed {
            Some(value) => super::through_json(value),
            None => super::read_json(self.to_raw()?.get()),
        }
    }

    /// The value as a `T`; a raw one is read, which may fail.
    pub(crate) fn get<T>(&self) -> Result<Arc<T>, serde_json::Error>
    where
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        if let Self::Typed(value) = self
            && let Ok(value) = Arc::clone(value).into_any().downcast::<T>()
        {
            return Ok(value);
        }
        // Restored, or two types of one name: the checks refuse them, a hand-made graph may not.
        super::read_json(self.to_raw()?.get()).map(Arc::new)
    }

    pub(crate) fn shared<T: Serialize + Send + Sync + 'static>(value: Arc<T>) -> Self {
        Self::Typed(value)
    }

    pub(crate) fn to_raw(&self) -> Result<Arc<RawValue>, serde_json::Error> {
        match self {
            Self::Typed(_) => Ok(Arc::from(serde_json::value::to_raw_value(self)?)),
            Self::Raw(raw) => Ok(Arc::clone(raw)),
        }
    }

    /// The value itself, copied only if somebody else still holds it.
    pub(crate) fn into_inner<T>(self) -> Result<T, serde_json::Error>
    where
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let value = self.get::<T>()?;
        drop(self);
        Arc::try_unwrap(value).or_else(|shared| super::through_json(&*shared))
    }

    pub(crate) fn to_value(&self) -> Result<serde_json::Value, serde_json::Error> {
        serde_json::to_value(self)
    }
}

impl Serialize for Live {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Typed(value) => erased_serde::serialize(&**value, serializer),
            Self::Raw(raw) => raw.serialize(serializer),
        }
    }
}

impl std::fmt::Debug for Live {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Payloads are not for logs.
        f.write_str("Live(..)")
    }
}

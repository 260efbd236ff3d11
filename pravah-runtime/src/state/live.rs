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

/// The JSON of a value that nobody has read yet.
struct Raw(Arc<RawValue>);

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// The JSON of a value that was moved out.
struct Written(String);

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        json.serialize(serializer)
    }
}

/// A waiting state, shared: cloning it copies no payload, and JSON is made only when someone asks.
#[derive(Clone)]
pub(crate) struct Live(Arc<dyn Payload>);

impl Live {
    pub(crate) fn new<T: Serialize + Send + Sync + 'static>(value: T) -> Self {
        Self(Arc::new(value))
    }

    pub(crate) fn shared<T: Serialize + Send + Sync + 'static>(value: Arc<T>) -> Self {
        Self(value)
    }

    /// A value restored from JSON, which is read when it is used.
    pub(crate) fn raw(json: Arc<RawValue>) -> Self {
        Self(Arc::new(Raw(json)))
    }

    /// The value, if it is there as a `T`.
    pub(crate) fn typed<T: 'static>(&self) -> Option<&T> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// The JSON, if the value was restored from it and not read yet.
    pub(crate) fn as_raw(&self) -> Option<&Arc<RawValue>> {
        self.typed().map(|Raw(json)| json)
    }

    /// The value, read from JSON: it was restored, or two types have one name. The checks refuse
    /// them, a hand-made graph may not.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        match self.typed() {
            Some(Written(json)) => super::read_json(json),
            None => super::read_json(self.to_raw()?.get()),
        }
    }

    /// The value as a `T`; a raw one is read, which may fail.
    pub(crate) fn get<T>(&self) -> Result<Arc<T>, serde_json::Error>
    where
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        match Arc::clone(&self.0).into_any().downcast::<T>() {
            Ok(value) => Ok(value),
            Err(_) => self.read().map(Arc::new),
        }
    }

    /// The value, moved out if nobody else holds it. Its JSON stays, which is what a snapshot of it
    /// would be: whoever takes it again reads that.
    pub(crate) fn take<T>(&mut self) -> Result<T, serde_json::Error>
    where
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        match self.typed::<T>() {
            Some(value) if Arc::strong_count(&self.0) == 1 => {
                let json = Written(serde_json::to_string(value)?);
                std::mem::replace(self, Self(Arc::new(json))).into_inner()
            }
            _ => self.clone().into_inner(),
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

    pub(crate) fn to_raw(&self) -> Result<Arc<RawValue>, serde_json::Error> {
        match self.as_raw() {
            Some(json) => Ok(Arc::clone(json)),
            None => Ok(Arc::from(serde_json::value::to_raw_value(self)?)),
        }
    }

    pub(crate) fn to_value(&self) -> Result<serde_json::Value, serde_json::Error> {
        serde_json::to_value(self)
    }
}

impl Serialize for Live {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_raw() {
            Some(json) => json.serialize(serializer),
            None => erased_serde::serialize(&*self.0, serializer),
        }
    }
}

impl std::fmt::Debug for Live {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Payloads are not for logs.
        f.write_str("Live(..)")
    }
}

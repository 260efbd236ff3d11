//! What a waiting state holds: its typed value, or what there is to make it from.

use std::{
    any::{Any, TypeId},
    sync::Arc,
};

use erased_serde::Serialize as ErasedSerialize;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{Live, content::Content, object::Text};
use crate::error::brief_json;

/// A typed value that can be written without knowing its type.
pub trait Payload: Any + ErasedSerialize + Send + Sync {
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;

    fn type_name(&self) -> &'static str;
}

impl<T: Serialize + Send + Sync + 'static> Payload for T {
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    fn type_name(&self) -> &'static str {
        std::any::type_name::<T>()
    }
}

/// The JSON of a value that nobody has read yet.
pub(crate) struct Raw(pub(super) Box<RawValue>);

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// A state of a snapshot in JSON. Its clones share the text and nothing else.
#[derive(Clone)]
pub(crate) struct RawState(pub(super) Arc<Raw>);

impl Serialize for RawState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Arc::new(Raw(Deserialize::deserialize(deserializer)?))))
    }
}

/// Makes a value of what `Serialize` said of it.
pub(crate) type Rebuild = fn(&Content) -> Result<Arc<dyn Payload>, serde_json::Error>;

/// What stays of a value that was moved out and is not `Clone`.
pub(super) struct Kept {
    /// The type of the value.
    pub(super) of: &'static str,
    pub(super) content: Content,
    pub(super) rebuild: Rebuild,
}

impl Serialize for Kept {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.content.serialize(serializer)
    }
}

/// Makes a list of its items.
pub(super) type WholeFn = fn(&[Live], bool) -> Result<Arc<dyn Payload>, serde_json::Error>;

/// A list that was taken apart, so that each item can be moved out by itself.
pub(super) struct Items {
    pub(super) list: Arc<[Live]>,
    /// Makes the list again; with `true` of what is moved out of the items.
    pub(super) whole: WholeFn,
}

impl Serialize for Items {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&*self.list)
    }
}

pub(super) fn downcast<T: 'static>(payload: &dyn Payload) -> Option<&T> {
    (payload as &dyn Any).downcast_ref()
}

#[inline]
pub(crate) fn downcast_mut<T: 'static>(payload: &mut dyn Payload) -> Option<&mut T> {
    (payload as &mut dyn Any).downcast_mut()
}

// Not generic where it need not be: generic code is compiled again for every state of a user's crate.

/// What stays of a value that is not `Clone`.
pub(super) fn replacement_for(
    value: &dyn Payload,
    rebuild: Option<Rebuild>,
) -> Result<Arc<dyn Payload>, serde_json::Error> {
    Ok(match rebuild {
        Some(rebuild) => Arc::new(Kept {
            of: value.type_name(),
            content: Content::of(value)?,
            rebuild,
        }),
        None => Arc::new(Raw(RawValue::from_string(super::write_json(value)?)?)),
    })
}

/// What the code beneath a state's own needs to know of its type, to be compiled once for all of them.
#[derive(Clone, Copy)]
pub(crate) struct StateType {
    id: TypeId,
    from_json: fn(&str) -> Result<Arc<dyn Payload>, serde_json::Error>,
}

pub(super) type FromJson<'a> = serde_json::Deserializer<serde_json::de::StrRead<'a>>;

impl StateType {
    pub(crate) fn of<T>() -> Self
    where
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        Self {
            id: TypeId::of::<T>(),
            from_json: |json| Ok(Arc::new(parse::<T>(json)?)),
        }
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.id == other.id
    }

    pub(super) fn is_of(&self, payload: &dyn Payload) -> bool {
        (payload as &dyn Any).type_id() == self.id
    }

    /// Makes a value of what there is of it. `moved` says that the items of a list may be moved out.
    pub(super) fn read(
        &self,
        payload: &dyn Payload,
        moved: bool,
    ) -> Result<Arc<dyn Payload>, serde_json::Error> {
        if let Some(Raw(json)) = downcast(payload) {
            return self.read_json(json.get());
        }
        let made = if let Some(Kept {
            content, rebuild, ..
        }) = downcast(payload)
        {
            Some(rebuild(content)?)
        } else if let Some(Items { list, whole }) = downcast(payload) {
            Some(whole(list, moved)?)
        } else {
            None
        };
        // Two types may have one name. The checks refuse them, a hand-made graph may not.
        match made.filter(|made| self.is_of(&**made)) {
            Some(made) => Ok(made),
            None => self.read_json(&super::write_json(payload)?),
        }
    }

    fn read_json(&self, json: &str) -> Result<Arc<dyn Payload>, serde_json::Error> {
        (self.from_json)(json).map_err(brief_json)
    }
}

/// The value that a text is of.
pub(super) fn read<T: DeserializeOwned>(Raw(json): &Raw) -> Result<T, serde_json::Error> {
    parse(json.get()).map_err(brief_json)
}

// Not inlined: both callers share what is compiled of it for each type.
#[inline(never)]
fn parse<T: DeserializeOwned>(json: &str) -> Result<T, serde_json::Error> {
    T::deserialize(Text(json))
}

/// The value itself, which nobody else holds.
pub(crate) fn unwrap<T>(value: Arc<dyn Payload>) -> Result<T, serde_json::Error>
where
    T: Send + Sync + 'static,
{
    let value = value.into_any().downcast().ok().and_then(Arc::into_inner);
    value.ok_or_else(of_another_type)
}

pub(crate) fn of_another_type() -> serde_json::Error {
    serde::de::Error::custom("a state of another type")
}

//! What a waiting state holds: its typed value, or what there is to make it from.

use std::{
    any::{Any, TypeId},
    borrow::Cow,
    sync::Arc,
};

use erased_serde::Serialize as ErasedSerialize;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{Live, content::Content, copies::Rebuild};

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

/// What stays of a value that was moved out and is not `Clone`.
pub(super) struct Kept {
    pub(super) content: Content,
    pub(super) rebuild: Rebuild,
}

impl Serialize for Kept {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.content.serialize(serializer)
    }
}

/// Makes a list of its items.
pub(super) type WholeFn = fn(&[Live], bool) -> Result<Box<dyn Any>, serde_json::Error>;

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

pub(super) fn downcast_mut<T: 'static>(payload: &mut dyn Payload) -> Option<&mut T> {
    (payload as &mut dyn Any).downcast_mut()
}

// Not generic where it need not be: generic code is compiled again for every state of a user's crate.

/// What stays of a value that is not `Clone`.
pub(super) fn replacement_for(
    value: &dyn ErasedSerialize,
    rebuild: Option<Rebuild>,
) -> Result<Arc<dyn Payload>, serde_json::Error> {
    Ok(match rebuild {
        Some(rebuild) => Arc::new(Kept {
            content: Content::of(value)?,
            rebuild,
        }),
        None => Arc::new(Raw(RawValue::from_string(super::write_json(value)?)?)),
    })
}

/// What there is of a value.
enum Source<'a> {
    Made(Box<dyn Any>),
    Json(Cow<'a, RawValue>),
}

/// The value, if it can be made as `wanted`; else its JSON.
fn source(
    payload: &dyn Payload,
    moved: bool,
    wanted: TypeId,
) -> Result<Source<'_>, serde_json::Error> {
    if let Some(Raw(json)) = downcast(payload) {
        return Ok(Source::Json(Cow::Borrowed(json)));
    }
    let made = if let Some(Kept { content, rebuild }) = downcast(payload) {
        Some(rebuild(content)?)
    } else if let Some(Items { list, whole }) = downcast(payload) {
        Some(whole(list, moved)?)
    } else {
        None
    };
    // Two types may have one name. The checks refuse them, a hand-made graph may not.
    if let Some(made) = made.filter(|made| (**made).type_id() == wanted) {
        return Ok(Source::Made(made));
    }
    let text = super::write_json(payload)?;
    Ok(Source::Json(Cow::Owned(RawValue::from_string(text)?)))
}

/// Makes a value of what there is of it. `moved` says that the items of a list may be moved out.
pub(super) fn read<T>(payload: &dyn Payload, moved: bool) -> Result<T, serde_json::Error>
where
    T: DeserializeOwned + 'static,
{
    match source(payload, moved, TypeId::of::<T>())? {
        Source::Json(json) => super::read_json(json.get()),
        Source::Made(value) => match value.downcast() {
            Ok(value) => Ok(*value),
            Err(_) => Err(serde::de::Error::custom("a state of another type")),
        },
    }
}

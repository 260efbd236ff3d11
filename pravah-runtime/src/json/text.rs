//! Values that are kept as text.

use std::{fmt, sync::Arc};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Value, value::RawValue};

/// A value that is kept as the text of its JSON: as a [`Value`] it takes 632 bytes for each object in it.
#[derive(Clone)]
pub(crate) struct Text(Arc<RawValue>);

impl Text {
    /// The text of a value that is not [nested too deeply](super::can_be_read).
    pub(crate) fn of(value: &Value) -> Self {
        // A value has keys that are strings and numbers that are finite, so it can be written.
        let text = serde_json::value::to_raw_value(value);
        Self(text.unwrap_or_else(|_| RawValue::NULL.to_owned()).into())
    }

    pub(crate) fn value(&self) -> Value {
        // It was written from a value that can be read, or read as one before it was taken.
        super::from_str(self.0.get()).unwrap_or_default()
    }

    /// Whether there may be a field of this name in it. Any letter may be escaped.
    pub(crate) fn may_have(&self, name: &str) -> bool {
        self.0.get().contains(name) || self.0.get().contains('\\')
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.get() == other.0.get()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.get())
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Text {
    /// Refuses what is no [`Value`], such as a number that is too large.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let mut from = serde_json::Deserializer::from_str(text.get());
        ReadableValue
            .deserialize(&mut from)
            .map_err(D::Error::custom)?;
        Ok(Self(text.into()))
    }
}

/// Reads what a [`Value`] can be read from, and keeps nothing of it.
#[derive(Clone, Copy)]
struct ReadableValue;

impl<'de> DeserializeSeed<'de> for ReadableValue {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ReadableValue {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while fields.next_entry_seed(self, self)?.is_some() {}
        Ok(())
    }
}

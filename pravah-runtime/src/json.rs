//! JSON of others.
//!
//! [`serde_json::Value`] does not read all JSON as what it says. With the feature `raw_value`, by which states stay
//! raw until a node takes them, an object whose first key is `$serde_json::private::RawValue` is read as what the
//! text beneath that key contains, by a parser of its own that counts nesting from the start again. Whoever may write
//! such an object, be it a model, a provider or a client, can make a value that is written as one thing and read as
//! another, or not at all; and some kilobytes of such objects within each other overflow the stack. With
//! `arbitrary_precision`, which another crate may turn on, `$serde_json::private::Number` is such a key too.
//!
//! So nothing here is read by `Value` itself, but by [`from_str`], [`from_slice`], or [`value`] for the field of a
//! type, for which a key is a key. Types of users read as they like: what comes from outside is [`check`]ed before
//! it comes to one.

#[cfg(test)]
mod tests;
mod text;

use std::{fmt, iter};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, MapAccess, SeqAccess, Visitor, value::MapDeserializer},
};
use serde_json::{Error, Map, Number, Value};

#[cfg(feature = "providers")]
use serde::de::{DeserializeOwned, Error as _};

pub(crate) use text::Text;

/// What the keys start with that mean something else to `serde_json`.
pub(crate) const PRIVATE: &str = "$serde_json::private::";

/// By this one a number comes with its digits, where `arbitrary_precision` is on.
const NUMBER: &str = "$serde_json::private::Number";

/// How deeply nested a text may be that `serde_json` reads.
pub(crate) const MAX_READ_DEPTH: usize = 127;

/// Far below that: a snapshot holds it within other JSON.
const MAX_DEPTH: usize = 64;

/// The texts in the list that an object has under `key`; none where there is no such list.
pub(crate) fn texts<'a>(object: &'a Value, key: &str) -> Vec<&'a str> {
    let list = object.get(key).and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// Reads a text.
pub(crate) fn from_str(json: &str) -> Result<Value, Error> {
    whole(serde_json::Deserializer::from_str(json))
}

/// Reads a text in bytes.
#[cfg(feature = "providers")]
pub(crate) fn from_slice(json: &[u8]) -> Result<Value, Error> {
    whole(serde_json::Deserializer::from_slice(json))
}

/// Reads bytes as a `T`, and refuses keys that `serde_json` takes for values of its own.
///
/// # Errors
///
/// Why the bytes are not such a type.
#[cfg(feature = "providers")]
pub fn typed<T: DeserializeOwned>(json: &[u8]) -> Result<T, Error> {
    // Most JSON has no such key in sight, nor letters that are escaped; it is read once.
    let has = |text: &str| json.windows(text.len()).any(|part| part == text.as_bytes());
    if has(PRIVATE) || has("\\u") {
        // However deeply it is nested, it is not kept.
        check_within(&from_slice(json)?, usize::MAX)
            .map_err(|unfit| Error::custom(format!("it is {unfit}")))?;
    }
    serde_json::from_slice(json)
}

fn whole<'de, R: serde_json::de::Read<'de>>(
    mut from: serde_json::Deserializer<R>,
) -> Result<Value, Error> {
    let value = value(&mut from)?;
    from.end()?;
    Ok(value)
}

/// Reads a value of a type: `#[serde(deserialize_with = "json::value")]`. As an `Option` it is there, also if it is
/// `null`.
pub(crate) fn value<'de, D: Deserializer<'de>, V: From<Value>>(from: D) -> Result<V, D::Error> {
    AnyValue.deserialize(from).map(V::from)
}

/// Reads an object.
pub(crate) fn object<'de, D: Deserializer<'de>>(from: D) -> Result<Map<String, Value>, D::Error> {
    from.deserialize_map(AnyObject)
}

/// A value, where it is the parameter of a type.
pub(crate) struct Literal(pub(crate) Value);

impl<'de> Deserialize<'de> for Literal {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        value(from).map(Self)
    }
}

/// Why a value from outside is not taken. It completes “the value is …”.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// More deeply than a snapshot can carry.
    TooDeep,
    /// A type of a user's would read another value than it is.
    PrivateKey,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooDeep => f.write_str("nested too deeply"),
            Self::PrivateKey => write!(f, "JSON with a key that starts with `{PRIVATE}`"),
        }
    }
}

/// Whether a snapshot can carry a value, and any type can read it.
pub(crate) fn check(value: &Value) -> Result<(), Unfit> {
    check_within(value, MAX_DEPTH)
}

/// The same for a value that is to be this many levels deep in another.
#[cfg(feature = "documents")]
pub(crate) fn check_inside(value: &Value, levels: usize) -> Result<(), Unfit> {
    check_within(value, MAX_DEPTH.saturating_sub(levels))
}

/// Whether `serde_json` can read the value back from so many levels within other JSON.
pub(crate) fn can_be_read(value: &Value, levels_around: usize) -> bool {
    fn is_within(value: &Value, levels: usize) -> bool {
        match (value, levels) {
            (Value::Array(_) | Value::Object(_), 0) => false,
            (Value::Array(items), _) => items.iter().all(|item| is_within(item, levels - 1)),
            (Value::Object(fields), _) => fields.values().all(|field| is_within(field, levels - 1)),
            _ => true,
        }
    }
    is_within(value, MAX_READ_DEPTH.saturating_sub(levels_around))
}

fn check_within(value: &Value, depth: usize) -> Result<(), Unfit> {
    let left = depth.checked_sub(1).ok_or(Unfit::TooDeep)?;
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| check_within(item, left)),
        Value::Object(fields) => fields.iter().try_for_each(|(key, field)| {
            if key.starts_with(PRIVATE) {
                return Err(Unfit::PrivateKey);
            }
            check_within(field, left)
        }),
        _ => Ok(()),
    }
}

/// Reads any value, as `Value` does but for the keys.
#[derive(Clone, Copy)]
struct AnyValue;

impl<'de> DeserializeSeed<'de> for AnyValue {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i128<E: serde::de::Error>(self, value: i128) -> Result<Value, E> {
        let number = Number::from_i128(value);
        number.map(Value::Number).ok_or_else(out_of_range)
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Value, E> {
        let number = Number::from_u128(value);
        number.map(Value::Number).ok_or_else(out_of_range)
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        self.deserialize(from)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Value, A::Error> {
        let fields = AnyObject.visit_map(map)?;
        Ok(match number(&fields) {
            Some(number) => Value::Number(number),
            None => Value::Object(fields),
        })
    }
}

struct AnyObject;

impl<'de> Visitor<'de> for AnyObject {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = map.next_key()? {
            fields.insert(key, map.next_value_seed(AnyValue)?);
        }
        Ok(fields)
    }
}

/// The number that comes as an object. Nothing tells it from an object of others that says the same; that is flat,
/// and is a number to every reader.
fn number(fields: &Map<String, Value>) -> Option<Number> {
    if fields.len() != 1 {
        return None;
    }
    let digits = fields.get(NUMBER)?.as_str()?;
    // It is an object if `arbitrary_precision` is off.
    let entry = iter::once((NUMBER, digits));
    match Value::deserialize(MapDeserializer::<_, Error>::new(entry)) {
        Ok(Value::Number(number)) => Some(number),
        _ => None,
    }
}

fn out_of_range<E: serde::de::Error>() -> E {
    E::custom("number out of range")
}

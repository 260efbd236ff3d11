//! Making a value again, which is asked for as it would be asked for in JSON.

use std::slice;

use serde::{
    Deserializer,
    de::{
        DeserializeOwned, Error as _, IntoDeserializer, Visitor,
        value::{BorrowedStrDeserializer, MapAccessDeserializer, MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};

use super::Content;
use crate::error::brief_json;

type Error = serde_json::Error;

impl Content {
    /// Makes a value again.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        T::deserialize(self).map_err(brief_json)
    }
}

/// A key of a map: in JSON it is text, whatever it was.
enum Key<'de> {
    Name(&'static str),
    Of(&'de Content),
}

/// The entries of a map, a struct or a variant. They are one type, so that a crate compiles each visitor
/// once.
enum Entries<'de> {
    Map(slice::Iter<'de, (Content, Content)>),
    Fields(slice::Iter<'de, (&'static str, Content)>),
    One(Option<(&'static str, &'de Content)>),
}

impl<'de> Iterator for Entries<'de> {
    type Item = (Key<'de>, &'de Content);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Map(entries) => entries.next().map(|(key, value)| (Key::Of(key), value)),
            Self::Fields(fields) => fields.next().map(|(name, value)| (Key::Name(name), value)),
            Self::One(entry) => entry.take().map(|(name, value)| (Key::Name(name), value)),
        }
    }
}

impl Content {
    fn entries(&self) -> Option<MapDeserializer<'_, Entries<'_>, Error>> {
        Some(MapDeserializer::new(match self {
            Self::Map(entries) => Entries::Map(entries.iter()),
            Self::Struct(_, fields) => Entries::Fields(fields.iter()),
            Self::Variant(name, value) => Entries::One(Some((name, value))),
            _ => return None,
        }))
    }

    fn visit_map<'de, V: Visitor<'de>>(&'de self, visitor: V) -> Result<V::Value, Error> {
        let Some(mut entries) = self.entries() else {
            return visitor.visit_unit();
        };
        let value = visitor.visit_map(&mut entries)?;
        entries.end()?;
        Ok(value)
    }
}

impl<'de> IntoDeserializer<'de, Error> for &'de Content {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> IntoDeserializer<'de, Error> for Key<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for &'de Content {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Content::Unit | Content::None => visitor.visit_unit(),
            Content::Bool(value) => visitor.visit_bool(*value),
            Content::I64(value) => match u64::try_from(*value) {
                Ok(value) => visitor.visit_u64(value),
                Err(_) => visitor.visit_i64(*value),
            },
            Content::U64(value) => visitor.visit_u64(*value),
            Content::I128(value) => match (u64::try_from(*value), i64::try_from(*value)) {
                (Ok(value), _) => visitor.visit_u64(value),
                (_, Ok(value)) => visitor.visit_i64(value),
                _ => visitor.visit_i128(*value),
            },
            Content::U128(value) => match u64::try_from(*value) {
                Ok(value) => visitor.visit_u64(value),
                Err(_) => visitor.visit_u128(*value),
            },
            // JSON has the shortest number that is this one; as an `f64` that is another than its bits.
            Content::F32(value) => visitor.visit_f64(value.to_string().parse().unwrap_or_default()),
            Content::F64(value) => visitor.visit_f64(*value),
            Content::Str(value) => visitor.visit_borrowed_str(value),
            Content::Bytes(value) => visitor.visit_borrowed_bytes(value),
            Content::Some(value) => value.deserialize_any(visitor),
            Content::Seq(items) => {
                let mut items = SeqDeserializer::new(items.iter());
                let value = visitor.visit_seq(&mut items)?;
                items.end()?;
                Ok(value)
            }
            Content::UnitVariant(name) => visitor.visit_borrowed_str(name),
            Content::Map(_) | Content::Struct(..) | Content::Variant(..) => self.visit_map(visitor),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Content::F32(value) => visitor.visit_f32(*value),
            value => value.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Content::Unit | Content::None => visitor.visit_none(),
            Content::Some(value) => visitor.visit_some(&**value),
            value => visitor.visit_some(value),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            // What `serde_json` writes of a `RawValue`.
            Content::Struct(known, _) if *known == name => self.visit_map(visitor),
            value => visitor.visit_newtype_struct(value),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Content::Some(value) => value.deserialize_enum(name, variants, visitor),
            Content::Str(text) => visitor.visit_enum(BorrowedStrDeserializer::new(text)),
            Content::UnitVariant(text) => visitor.visit_enum(BorrowedStrDeserializer::new(text)),
            value => match value.entries() {
                Some(entries) => visitor.visit_enum(MapAccessDeserializer::new(entries)),
                None => Err(Error::custom(format!("not a variant of `{name}`"))),
            },
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier
    }
}

macro_rules! as_it_is {
    ($($method:ident)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self {
                Self::Name(name) => visitor.visit_borrowed_str(name),
                Self::Of(key) => key.deserialize_any(visitor),
            }
        })+
    };
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let key = match self {
            Self::Name(name) => return visitor.visit_borrowed_str(name),
            Self::Of(key) => key,
        };
        match key {
            Content::Bool(value) => visitor.visit_string(value.to_string()),
            Content::I64(value) => visitor.visit_string(value.to_string()),
            Content::U64(value) => visitor.visit_string(value.to_string()),
            Content::I128(value) => visitor.visit_string(value.to_string()),
            Content::U128(value) => visitor.visit_string(value.to_string()),
            Content::F32(value) => visitor.visit_string(value.to_string()),
            Content::F64(value) => visitor.visit_string(value.to_string()),
            value => value.deserialize_any(visitor),
        }
    }

    as_it_is! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_i128 deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_u128 deserialize_f32 deserialize_f64
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Self::Name(name) => visitor.visit_enum(BorrowedStrDeserializer::new(name)),
            Self::Of(key) => key.deserialize_enum(name, variants, visitor),
        }
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}

//! A value as its `Serialize` describes it, in memory: what JSON would say of it, without the text and
//! without what JSON cannot say (`NaN`, an infinite number, `Some(None)`).

mod read;
mod write;

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeStruct},
};

/// What stays of a value whose type is not `Clone`.
#[doc(hidden)]
#[derive(Debug)]
#[allow(missing_docs, reason = "it is known by name only")]
pub enum Content {
    Unit,
    Bool(bool),
    I64(i64),
    U64(u64),
    I128(i128),
    U128(u128),
    F32(f32),
    F64(f64),
    Str(Box<str>),
    Bytes(Box<[u8]>),
    None,
    Some(Box<Self>),
    Seq(Vec<Self>),
    Map(Vec<(Self, Self)>),
    /// The name counts: by theirs, `serde_json` knows its `RawValue` and `Number` again.
    Struct(&'static str, Vec<(&'static str, Self)>),
    UnitVariant(&'static str),
    Variant(&'static str, Box<Self>),
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unit => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::I64(value) => serializer.serialize_i64(*value),
            Self::U64(value) => serializer.serialize_u64(*value),
            Self::I128(value) => serializer.serialize_i128(*value),
            Self::U128(value) => serializer.serialize_u128(*value),
            Self::F32(value) => serializer.serialize_f32(*value),
            Self::F64(value) => serializer.serialize_f64(*value),
            Self::Str(value) => serializer.serialize_str(value),
            Self::UnitVariant(name) => serializer.serialize_str(name),
            Self::Bytes(value) => serializer.serialize_bytes(value),
            Self::None => serializer.serialize_none(),
            Self::Some(value) => serializer.serialize_some(value),
            Self::Seq(items) => serializer.collect_seq(items),
            Self::Map(entries) => {
                serializer.collect_map(entries.iter().map(|(key, value)| (key, value)))
            }
            Self::Struct(name, fields) => {
                let mut out = serializer.serialize_struct(name, fields.len())?;
                for (field, value) in fields {
                    out.serialize_field(field, value)?;
                }
                out.end()
            }
            Self::Variant(name, value) => {
                let mut out = serializer.serialize_map(Some(1))?;
                out.serialize_entry(name, value)?;
                out.end()
            }
        }
    }
}

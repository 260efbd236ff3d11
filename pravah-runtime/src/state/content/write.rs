//! Taking a value down.

use serde::{
    Serialize, Serializer,
    ser::{
        SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
        SerializeTupleStruct, SerializeTupleVariant,
    },
};

use super::Content;

type Error = serde_json::Error;

impl Content {
    /// Takes a value down. It is `dyn`, so that a crate compiles each state's `Serialize` once.
    pub(crate) fn of(value: &dyn erased_serde::Serialize) -> Result<Self, Error> {
        erased_serde::serialize(value, Writer)
    }
}

struct Writer;

/// The items of a sequence, and the variant that they are of.
struct Items {
    variant: Option<&'static str>,
    items: Vec<Content>,
}

struct Entries {
    key: Option<Content>,
    entries: Vec<(Content, Content)>,
}

/// The fields of a struct, and the variant that they are of.
struct Fields {
    name: &'static str,
    variant: Option<&'static str>,
    fields: Vec<(&'static str, Content)>,
}

/// How many items room is made for before they are there, at most: a length may be wrong.
const MAX_PREALLOCATED: usize = 4096;

fn write<T: Serialize + ?Sized>(value: &T) -> Result<Content, Error> {
    value.serialize(Writer)
}

fn in_variant(variant: Option<&'static str>, content: Content) -> Content {
    match variant {
        Some(variant) => Content::Variant(variant, Box::new(content)),
        None => content,
    }
}

impl Items {
    fn new(variant: Option<&'static str>, len: usize) -> Self {
        let items = Vec::with_capacity(len.min(MAX_PREALLOCATED));
        Self { variant, items }
    }

    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.items.push(write(value)?);
        Ok(())
    }

    fn done(self) -> Content {
        in_variant(self.variant, Content::Seq(self.items))
    }
}

impl Fields {
    fn new(name: &'static str, variant: Option<&'static str>, len: usize) -> Self {
        Self {
            name,
            variant,
            fields: Vec::with_capacity(len.min(MAX_PREALLOCATED)),
        }
    }

    fn push<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.fields.push((key, write(value)?));
        Ok(())
    }

    fn done(self) -> Content {
        in_variant(self.variant, Content::Struct(self.name, self.fields))
    }
}

macro_rules! scalars {
    ($($method:ident $from:ty => $variant:ident $to:ty),+ $(,)?) => {
        $(fn $method(self, value: $from) -> Result<Content, Error> {
            Ok(Content::$variant(<$to>::from(value)))
        })+
    };
}

impl Serializer for Writer {
    type Ok = Content;
    type Error = Error;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Items;
    type SerializeMap = Entries;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Fields;

    scalars! {
        serialize_bool bool => Bool bool,
        serialize_i8 i8 => I64 i64,
        serialize_i16 i16 => I64 i64,
        serialize_i32 i32 => I64 i64,
        serialize_i64 i64 => I64 i64,
        serialize_i128 i128 => I128 i128,
        serialize_u8 u8 => U64 u64,
        serialize_u16 u16 => U64 u64,
        serialize_u32 u32 => U64 u64,
        serialize_u64 u64 => U64 u64,
        serialize_u128 u128 => U128 u128,
        serialize_f32 f32 => F32 f32,
        serialize_f64 f64 => F64 f64,
        serialize_str &str => Str Box<str>,
        serialize_bytes &[u8] => Bytes Box<[u8]>,
    }

    fn serialize_char(self, value: char) -> Result<Content, Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_none(self) -> Result<Content, Error> {
        Ok(Content::None)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Content, Error> {
        Ok(Content::Some(Box::new(write(value)?)))
    }

    fn serialize_unit(self) -> Result<Content, Error> {
        Ok(Content::Unit)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Content, Error> {
        Ok(Content::Unit)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Content, Error> {
        Ok(Content::UnitVariant(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Content, Error> {
        write(value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Content, Error> {
        Ok(in_variant(Some(variant), write(value)?))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Items, Error> {
        Ok(Items::new(None, len.unwrap_or_default()))
    }

    fn serialize_tuple(self, len: usize) -> Result<Items, Error> {
        Ok(Items::new(None, len))
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<Items, Error> {
        Ok(Items::new(None, len))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Items, Error> {
        Ok(Items::new(Some(variant), len))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Entries, Error> {
        Ok(Entries {
            key: None,
            entries: Vec::with_capacity(len.unwrap_or_default().min(MAX_PREALLOCATED)),
        })
    }

    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Fields, Error> {
        Ok(Fields::new(name, None, len))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Fields, Error> {
        Ok(Fields::new(name, Some(variant), len))
    }
}

macro_rules! items {
    ($($item:ident $method:ident),+) => {
        $(impl $item for Items {
            type Ok = Content;
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.push(value)
            }

            fn end(self) -> Result<Content, Error> {
                Ok(self.done())
            }
        })+
    };
}

items! {
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
}

macro_rules! fields {
    ($($fields:ident),+) => {
        $(impl $fields for Fields {
            type Ok = Content;
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.push(key, value)
            }

            fn end(self) -> Result<Content, Error> {
                Ok(self.done())
            }
        })+
    };
}

fields!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Entries {
    type Ok = Content;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.key = Some(write(key)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let missing = || serde::ser::Error::custom("a value of a map without its key");
        let key = self.key.take().ok_or_else(missing)?;
        self.entries.push((key, write(value)?));
        Ok(())
    }

    fn end(self) -> Result<Content, Error> {
        Ok(Content::Map(self.entries))
    }
}

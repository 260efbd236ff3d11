//! A serializer that refuses what `serde_json` writes and does not read back: numbers that are not finite, which it writes as
//! `null`, and values that are nested too deeply.

use std::fmt::Display;

use serde::{
    Serialize, Serializer,
    ser::{
        Error, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
        SerializeTupleStruct, SerializeTupleVariant,
    },
};

use crate::json::{self, MAX_READ_DEPTH};

/// Hands everything on to a serializer, but for what is not read back.
pub(super) struct Strict<S> {
    serializer: S,
    position: Position,
}

/// Where in a value something is.
#[derive(Clone, Copy)]
struct Position {
    /// The type of the value, for errors.
    type_name: &'static str,
    /// How many more levels of nesting are allowed.
    levels_left: usize,
}

/// A value within the one that is written.
struct Inner<'a, T: ?Sized> {
    value: &'a T,
    position: Position,
}

impl<T: Serialize + ?Sized> Serialize for Inner<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let position = self.position;
        self.value.serialize(Strict {
            serializer,
            position,
        })
    }
}

impl<S> Strict<S> {
    /// For a value of this type.
    pub(super) fn new(serializer: S, type_name: &'static str) -> Self {
        let position = Position {
            type_name,
            levels_left: MAX_READ_DEPTH,
        };
        Self {
            serializer,
            position,
        }
    }

    fn inner<'a, T: ?Sized>(&self, value: &'a T) -> Inner<'a, T> {
        let position = self.position;
        Inner { value, position }
    }
}

impl Position {
    /// The position so many levels further in.
    fn within<E: Error>(self, levels: usize) -> Result<Self, E> {
        match self.levels_left.checked_sub(levels) {
            Some(levels_left) => Ok(Self {
                levels_left,
                ..self
            }),
            None => Err(E::custom(format!(
                "`{}` is nested more than {MAX_READ_DEPTH} levels deep, and `serde_json` reads no deeper",
                self.type_name
            ))),
        }
    }
}

impl<S: Serializer> Strict<S> {
    fn refuse(&self, number: impl Display) -> Result<S::Ok, S::Error> {
        let why = format!(
            "`{}` contains `{number}`, which no number in JSON can be",
            self.position.type_name
        );
        Err(S::Error::custom(why))
    }
}

macro_rules! hand_on {
    ($($method:ident($($name:ident: $type:ty),*);)*) => {
        $(fn $method(self, $($name: $type),*) -> Result<S::Ok, S::Error> {
            self.serializer.$method($($name),*)
        })*
    };
}

macro_rules! hand_on_parts {
    ($($levels:literal: $method:ident($($name:ident: $type:ty),*) -> $parts:ident;)*) => {
        $(fn $method(self, $($name: $type),*) -> Result<Self::$parts, S::Error> {
            let position = self.position.within($levels)?;
            let serializer = self.serializer.$method($($name),*)?;
            Ok(Strict { serializer, position })
        })*
    };
}

impl<S: Serializer> Serializer for Strict<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Strict<S::SerializeSeq>;
    type SerializeTuple = Strict<S::SerializeTuple>;
    type SerializeTupleStruct = Strict<S::SerializeTupleStruct>;
    type SerializeTupleVariant = Strict<S::SerializeTupleVariant>;
    type SerializeMap = Strict<S::SerializeMap>;
    type SerializeStruct = Strict<S::SerializeStruct>;
    type SerializeStructVariant = Strict<S::SerializeStructVariant>;

    hand_on! {
        serialize_bool(value: bool);
        serialize_i8(value: i8);
        serialize_i16(value: i16);
        serialize_i32(value: i32);
        serialize_i64(value: i64);
        serialize_i128(value: i128);
        serialize_u8(value: u8);
        serialize_u16(value: u16);
        serialize_u32(value: u32);
        serialize_u64(value: u64);
        serialize_u128(value: u128);
        serialize_char(value: char);
        serialize_str(value: &str);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(name: &'static str);
        serialize_unit_variant(name: &'static str, index: u32, variant: &'static str);
    }

    hand_on_parts! {
        1: serialize_seq(len: Option<usize>) -> SerializeSeq;
        1: serialize_tuple(len: usize) -> SerializeTuple;
        1: serialize_tuple_struct(name: &'static str, len: usize) -> SerializeTupleStruct;
        2: serialize_tuple_variant(name: &'static str, index: u32, variant: &'static str, len: usize)
            -> SerializeTupleVariant;
        1: serialize_map(len: Option<usize>) -> SerializeMap;
        2: serialize_struct_variant(name: &'static str, index: u32, variant: &'static str, len: usize)
            -> SerializeStructVariant;
    }

    // Written as a list.
    fn serialize_bytes(self, value: &[u8]) -> Result<S::Ok, S::Error> {
        self.position.within::<S::Error>(1)?;
        self.serializer.serialize_bytes(value)
    }

    fn serialize_struct(
        self,
        name: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStruct, S::Error> {
        // What `serde_json` writes as a struct of its own is no object.
        let levels = usize::from(!name.starts_with(json::PRIVATE));
        let position = self.position.within(levels)?;
        let serializer = self.serializer.serialize_struct(name, len)?;
        Ok(Strict {
            serializer,
            position,
        })
    }

    fn serialize_f32(self, value: f32) -> Result<S::Ok, S::Error> {
        match value.is_finite() {
            true => self.serializer.serialize_f32(value),
            false => self.refuse(value),
        }
    }

    fn serialize_f64(self, value: f64) -> Result<S::Ok, S::Error> {
        match value.is_finite() {
            true => self.serializer.serialize_f64(value),
            false => self.refuse(value),
        }
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        let value = self.inner(value);
        self.serializer.serialize_some(&value)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let value = self.inner(value);
        self.serializer.serialize_newtype_struct(name, &value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let position = self.position.within(1)?;
        let value = Inner { value, position };
        self.serializer
            .serialize_newtype_variant(name, index, variant, &value)
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.serializer.collect_str(value)
    }

    fn is_human_readable(&self) -> bool {
        self.serializer.is_human_readable()
    }
}

/// The parts of a compound value that have no names of their own.
macro_rules! parts {
    ($($trait:ident::$method:ident;)*) => {
        $(impl<S: $trait> $trait for Strict<S> {
            type Ok = S::Ok;
            type Error = S::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
                let value = self.inner(value);
                self.serializer.$method(&value)
            }

            fn end(self) -> Result<S::Ok, S::Error> {
                self.serializer.end()
            }
        })*
    };
}

parts! {
    SerializeSeq::serialize_element;
    SerializeTuple::serialize_element;
    SerializeTupleStruct::serialize_field;
    SerializeTupleVariant::serialize_field;
}

/// The named fields of a compound value.
macro_rules! fields {
    ($($trait:ident;)*) => {
        $(impl<S: $trait> $trait for Strict<S> {
            type Ok = S::Ok;
            type Error = S::Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), S::Error> {
                let value = self.inner(value);
                self.serializer.serialize_field(name, &value)
            }

            fn skip_field(&mut self, name: &'static str) -> Result<(), S::Error> {
                self.serializer.skip_field(name)
            }

            fn end(self) -> Result<S::Ok, S::Error> {
                self.serializer.end()
            }
        })*
    };
}

fields! {
    SerializeStruct;
    SerializeStructVariant;
}

impl<S: SerializeMap> SerializeMap for Strict<S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        let type_name = self.position.type_name;
        let key = self.inner(key);
        let written = self.serializer.serialize_key(&key);
        written.map_err(|error| S::Error::custom(format!("a map in `{type_name}`: {error}")))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        let value = self.inner(value);
        self.serializer.serialize_value(&value)
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.serializer.end()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::value::RawValue;

    use super::*;

    #[derive(Serialize)]
    struct Meters(f64);

    #[derive(Serialize)]
    enum Kind {
        None,
        One(f32),
        Two(u8, f64),
        Named { of: f64 },
    }

    /// A number in every place where a value may have one.
    #[derive(Serialize)]
    struct Numbers<'a> {
        plain: f64,
        some: Option<f32>,
        list: Vec<f64>,
        pair: (u8, f64),
        wrapped: Meters,
        kinds: [Kind; 4],
        #[serde(flatten)]
        more: BTreeMap<&'a str, f64>,
        raw: &'a RawValue,
        text: Option<&'a str>,
    }

    const PLACES: usize = 9;

    fn json(numbers: [f64; PLACES]) -> Result<String, serde_json::Error> {
        let [plain, some, item, second, wrapped, one, two, named, more] = numbers;
        let raw = RawValue::from_string("[1, null]".to_owned())?;
        let numbers = Numbers {
            plain,
            some: Some(some as f32),
            list: vec![item],
            pair: (1, second),
            wrapped: Meters(wrapped),
            kinds: [
                Kind::None,
                Kind::One(one as f32),
                Kind::Two(1, two),
                Kind::Named { of: named },
            ],
            more: BTreeMap::from([("more", more)]),
            raw: &raw,
            text: None,
        };
        let mut json = Vec::new();
        let mut serializer = serde_json::Serializer::new(&mut json);
        numbers.serialize(Strict::new(&mut serializer, "Numbers"))?;
        Ok(String::from_utf8(json).unwrap_or_default())
    }

    #[test]
    fn what_json_can_hold_is_written_as_without_it() {
        let expected = concat!(
            r#"{"plain":1.5,"some":1.5,"list":[1.5],"pair":[1,1.5],"wrapped":1.5,"#,
            r#""kinds":["None",{"One":1.5},{"Two":[1,1.5]},{"Named":{"of":1.5}}],"#,
            r#""more":1.5,"raw":[1, null],"text":null}"#,
        );
        assert_eq!(json([1.5; PLACES]).unwrap(), expected);
    }

    #[test]
    fn a_number_that_is_not_finite_is_refused_wherever_it_is() {
        for place in 0..PLACES {
            for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut numbers = [1.5; PLACES];
                numbers[place] = number;
                let error = json(numbers).unwrap_err().to_string();
                let expected =
                    format!("`Numbers` contains `{number}`, which no number in JSON can be");
                assert_eq!(error, expected, "{place}");
            }
        }
    }
}

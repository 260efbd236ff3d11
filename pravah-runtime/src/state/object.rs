//! Reading a struct from its JSON. Of serde_json's parser of objects rustc would make a copy for each struct, which
//! takes it longer than all else of a node; this one is compiled once.

use std::borrow::Cow;

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, Error as _, Expected, IgnoredAny, MapAccess, SeqAccess, Visitor,
        value::CowStrDeserializer,
    },
};
use serde_json::{Error, value::RawValue};

use super::payload::FromJson;

/// The JSON of one value, which serde_json has found to be JSON before.
#[derive(Clone, Copy)]
pub(super) struct Text<'de>(pub(super) &'de str);

impl<'de> Text<'de> {
    /// What is between the brackets. If there are none, the error says what is there, and what was expected.
    #[inline(never)]
    fn open(self, expected: &dyn Expected) -> Result<Entries<'de>, Error> {
        let mut entries = Entries {
            text: self.0,
            at: 0,
            closing: b'}',
            is_first: true,
            name: "",
        };
        match entries.skip_blanks() {
            Some(b'{') => {}
            Some(b'[') => entries.closing = b']',
            _ => return Err(self.neither(expected)),
        }
        entries.at += 1;
        Ok(entries)
    }

    #[cold]
    fn neither(self, expected: &dyn Expected) -> Error {
        match FromJson::from_str(self.0).deserialize_any(Neither(expected)) {
            Ok(()) => self.malformed(),
            Err(error) => error,
        }
    }

    /// Why it is no JSON, or has more entries than were asked for.
    #[cold]
    fn malformed(self) -> Error {
        match serde_json::from_str(self.0) {
            Ok(IgnoredAny) => Error::custom("trailing characters"),
            Err(error) => error,
        }
    }
}

/// Accepts nothing, for the error.
struct Neither<'a>(&'a dyn Expected);

impl Visitor<'_> for Neither<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The fields of an object, or the items of a list, one after the other.
struct Entries<'de> {
    text: &'de str,
    /// How far the text was read.
    at: usize,
    closing: u8,
    is_first: bool,
    /// Of the field that is read, for errors.
    name: &'de str,
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Entries<'de> {
    fn rest(&self) -> &'de str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The byte after white space, where the text is read on.
    fn skip_blanks(&mut self) -> Option<u8> {
        let rest = self.rest().as_bytes();
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        let blanks = rest.iter().take_while(|byte| is_blank(byte)).count();
        self.at += blanks;
        rest.get(blanks).copied()
    }

    fn is_at_end(&mut self) -> Result<bool, Error> {
        let next = self.skip_blanks();
        if next == Some(self.closing) {
            return Ok(true);
        }
        if !std::mem::take(&mut self.is_first) {
            self.expect(next, b',')?;
            self.skip_blanks();
        }
        Ok(false)
    }

    fn expect(&mut self, next: Option<u8>, expected: u8) -> Result<(), Error> {
        if next != Some(expected) {
            return Err(Text(self.text).malformed());
        }
        self.at += 1;
        Ok(())
    }

    #[inline(never)]
    fn next_name(&mut self) -> Result<Option<Cow<'de, str>>, Error> {
        if self.is_at_end()? {
            return Ok(None);
        }
        let name = match self.plain_name() {
            Some(name) => Cow::Borrowed(name),
            None => self.escaped_name()?,
        };
        let next = self.skip_blanks();
        self.expect(next, b':')?;
        Ok(Some(name))
    }

    /// A name in which nothing is escaped.
    fn plain_name(&mut self) -> Option<&'de str> {
        let rest = self.rest().strip_prefix('"')?;
        let end = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\'))?;
        let (name, rest) = rest.split_at_checked(end)?;
        if !rest.starts_with('"') {
            return None;
        }
        self.at += end + 2;
        self.name = name;
        Some(name)
    }

    #[cold]
    fn escaped_name(&mut self) -> Result<Cow<'de, str>, Error> {
        let start = self.at;
        let Ok(Name(name)) = self.value() else {
            return Err(Text(self.text).malformed());
        };
        let written = self.text.get(start..self.at).unwrap_or_default();
        self.name = written.trim_matches('"');
        Ok(name)
    }

    fn value<T: Deserialize<'de>>(&mut self) -> Result<T, Error> {
        let mut values = FromJson::from_str(self.rest()).into_iter();
        match values.next() {
            Some(Ok(value)) => {
                self.at += values.byte_offset();
                Ok(value)
            }
            Some(Err(error)) => Err(self.in_field(error)),
            None => Err(Text(self.text).malformed()),
        }
    }

    /// A value that is not read by its type alone: where it ends is known before.
    fn value_by<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let json: &RawValue = self.value()?;
        let value = seed.deserialize(&mut FromJson::from_str(json.get()));
        value.map_err(|error| self.in_field(error))
    }

    /// The error of a value, with the name of its field.
    #[cold]
    #[inline(never)]
    fn in_field(&self, error: Error) -> Error {
        match self.name {
            "" => error,
            name => Error::custom(format_args!("field `{name}`: {error}")),
        }
    }

    /// Fails where there is more than was read.
    #[inline(never)]
    fn end(&mut self) -> Result<(), Error> {
        let next = self.skip_blanks();
        self.expect(next, self.closing)?;
        match self.skip_blanks() {
            None => Ok(()),
            Some(_) => Err(Text(self.text).malformed()),
        }
    }
}

impl<'de> MapAccess<'de> for &mut Entries<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        match self.next_name()? {
            Some(name) => seed.deserialize(CowStrDeserializer::new(name)).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        self.value_by(seed)
    }

    // Not inlined: it is compiled for each type of a field, and not for each field.
    #[inline(never)]
    fn next_value<V: Deserialize<'de>>(&mut self) -> Result<V, Error> {
        self.value()
    }
}

impl<'de> SeqAccess<'de> for &mut Entries<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        match self.is_at_end()? {
            true => Ok(None),
            false => self.value_by(seed).map(Some),
        }
    }

    // As of `next_value`.
    #[inline(never)]
    fn next_element<T: Deserialize<'de>>(&mut self) -> Result<Option<T>, Error> {
        match self.is_at_end()? {
            true => Ok(None),
            false => self.value().map(Some),
        }
    }
}

macro_rules! all_by_serde_json {
    ($($method:ident($($name:ident: $type:ty),*);)*) => {
        $(fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, Error> {
            let mut json = FromJson::from_str(self.0);
            let value = json.$method($($name,)* visitor)?;
            json.end().map(|()| value)
        })*
    };
}

impl<'de> Deserializer<'de> for Text<'de> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut entries = self.open(&visitor)?;
        let value = match entries.closing {
            b'}' => visitor.visit_map(&mut entries)?,
            _ => visitor.visit_seq(&mut entries)?,
        };
        entries.end().map(|()| value)
    }

    all_by_serde_json! {
        deserialize_any();
        deserialize_bool();
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_i128();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_u128();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_str();
        deserialize_string();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_option();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(len: usize);
        deserialize_tuple_struct(name: &'static str, len: usize);
        deserialize_map();
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
        deserialize_identifier();
        deserialize_ignored_any();
    }
}

#[cfg(test)]
mod tests;

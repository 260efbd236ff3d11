//! Reads JSON and keeps the places.
//!
//! `serde_json` keeps no positions, and gives one private key a meaning of its own, which a document could misuse.

use serde_json::{Number, Value};

use crate::{
    error::SyntaxError,
    tree::{Data, Entry, Span, Tree},
};

/// How deeply values may be nested in a document.
pub(crate) const MAX_DEPTH: usize = 64;

/// Text that is not valid JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonError {
    pub(crate) at: usize,
    pub(crate) message: &'static str,
}

/// Reads a JSON text as documents do: every key is a key, also those that mean something to `serde_json`, and values are
/// nested at most 64 levels deep.
///
/// ```
/// use pravah_document::json_value;
/// use serde_json::json;
///
/// assert_eq!(json_value(r#"{ "n": 5 }"#)?, json!({ "n": 5 }));
/// # Ok::<(), pravah_document::SyntaxError>(())
/// ```
///
/// # Errors
///
/// What is wrong with the text, and at which of its bytes.
pub fn json_value(text: &str) -> Result<Value, SyntaxError> {
    let tree = read(text);
    let tree =
        tree.map_err(|error| SyntaxError::new(format!("{} at byte {}", error.message, error.at)))?;
    Ok(tree.value())
}

/// Reads a text that is one JSON value.
pub(crate) fn read(text: &str) -> Result<Tree, JsonError> {
    let mark = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let mut reader = Reader { text, at: mark };
    let tree = reader.value(0)?;
    reader.skip_spaces();
    match reader.peek() {
        None => Ok(tree),
        Some(_) => Err(reader.error("something follows the end of the value")),
    }
}

/// Reads the JSON value that a text starts with, and how long it is.
pub(crate) fn read_prefix(text: &str) -> Result<(Value, usize), JsonError> {
    let mut reader = Reader { text, at: 0 };
    let tree = reader.value(0)?;
    Ok((tree.value(), reader.at))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn error(&self, message: &'static str) -> JsonError {
        let at = self.at;
        JsonError { at, message }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes this byte, after spaces, if it is the next one.
    fn take(&mut self, byte: u8) -> bool {
        self.skip_spaces();
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn value(&mut self, depth: usize) -> Result<Tree, JsonError> {
        if depth >= MAX_DEPTH {
            return Err(self.error("it is nested too deeply"));
        }
        self.skip_spaces();
        let start = self.at;
        let data = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Data::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => Data::Number(self.number()?),
            _ => self.word()?,
        };
        let end = self.at;
        Ok(Tree {
            span: Span { start, end },
            data,
        })
    }

    fn object(&mut self, depth: usize) -> Result<Data, JsonError> {
        self.at += 1;
        let mut entries = Vec::new();
        if self.take(b'}') {
            return Ok(Data::Map(entries));
        }
        loop {
            self.skip_spaces();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.error("a key in quotes is expected here"));
            }
            let key = self.string()?;
            let end = self.at;
            if !self.take(b':') {
                return Err(self.error("`:` is expected here"));
            }
            let value = self.value(depth + 1)?;
            entries.push(Entry {
                key,
                key_span: Span { start, end },
                value,
            });
            if self.take(b'}') {
                return Ok(Data::Map(entries));
            }
            if !self.take(b',') {
                return Err(self.error("`,` or `}` is expected here"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Data, JsonError> {
        self.at += 1;
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(Data::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.take(b']') {
                return Ok(Data::List(items));
            }
            if !self.take(b',') {
                return Err(self.error("`,` or `]` is expected here"));
            }
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let mut is_escaped = true; // The opening quote ends nothing.
        for (at, byte) in rest.bytes().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => {
                    let quoted = rest.get(..=at).unwrap_or_default();
                    let read = serde_json::from_str(quoted);
                    let text =
                        read.map_err(|_| self.error("this string holds what JSON does not allow"))?;
                    self.at += at + 1;
                    return Ok(text);
                }
                _ => {}
            }
        }
        Err(self.error("this string has no end"))
    }

    fn number(&mut self) -> Result<Number, JsonError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let is_of_number =
            |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        let length = rest.bytes().take_while(is_of_number).count();
        let number = serde_json::from_str(rest.get(..length).unwrap_or_default());
        let number = number.map_err(|_| self.error("this is not a JSON number"))?;
        self.at += length;
        Ok(number)
    }

    fn word(&mut self) -> Result<Data, JsonError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let data = match rest.get(..length) {
            Some("null") => Data::Null,
            Some("true") => Data::Bool(true),
            Some("false") => Data::Bool(false),
            _ => return Err(self.error("a JSON value is expected here")),
        };
        self.at += length;
        Ok(data)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn places_are_kept() {
        let text = r#" {"a": [1, "x\n"]}"#;
        let tree = read(text).unwrap();
        assert_eq!((tree.span.start, tree.span.end), (1, text.len()));
        let entry = &tree.as_map().unwrap()[0];
        assert_eq!(&text[entry.key_span.start..entry.key_span.end], r#""a""#);
        let item = &entry.value.as_list().unwrap()[1];
        assert_eq!(&text[item.span.start..item.span.end], r#""x\n""#);
    }

    #[test]
    fn deep_nesting_is_refused_without_using_up_the_stack() {
        let error = read(&"[".repeat(1_000_000)).unwrap_err();
        assert_eq!(error.message, "it is nested too deeply");
        let deepest = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
        assert!(read(&deepest).is_ok());
    }

    proptest! {
        #[test]
        fn what_serde_json_reads_is_read_alike(text in r#"[\[\]{}",:0-9eE.a\\ \-tru]{0,16}"#) {
            let expected = serde_json::from_str::<Value>(&text).ok();
            prop_assert_eq!(read(&text).ok().map(|tree| tree.value()), expected);
        }
    }
}

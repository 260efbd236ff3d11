//! What a document says, with the place of everything in it.

use serde_json::{Map, Number, Value};

use crate::template::has_binding;

/// A range of bytes of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A value, and where it is written.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) span: Span,
    pub(crate) data: Data,
}

#[derive(Clone, Debug)]
pub(crate) enum Data {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    List(Vec<Tree>),
    Map(Vec<Entry>),
    /// What is wrong with it is said already.
    Invalid,
}

/// A field of an object.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) value: Tree,
}

impl Tree {
    /// The value without its places.
    pub(crate) fn value(&self) -> Value {
        match &self.data {
            Data::Null | Data::Invalid => Value::Null,
            Data::Bool(value) => Value::Bool(*value),
            Data::Number(value) => Value::Number(value.clone()),
            Data::String(value) => Value::String(value.clone()),
            Data::List(items) => items.iter().map(Self::value).collect(),
            Data::Map(entries) => {
                let fields = entries.iter().map(|it| (it.key.clone(), it.value.value()));
                Value::Object(fields.collect::<Map<_, _>>())
            }
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&[Self]> {
        match &self.data {
            Data::List(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_map(&self) -> Option<&[Entry]> {
        match &self.data {
            Data::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The field of this name. Objects of documents are small, or looked through as a whole.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let entry = self.as_map()?.iter().find(|entry| entry.key == key)?;
        Some(&entry.value)
    }

    /// Whether a part of it is known only in a run, or is invalid and was reported already.
    pub(crate) fn is_partly_unknown(&self) -> bool {
        match &self.data {
            Data::String(text) => has_binding(text),
            Data::List(items) => items.iter().any(Self::is_partly_unknown),
            Data::Map(entries) => entries.iter().any(|entry| entry.value.is_partly_unknown()),
            Data::Invalid => true,
            _ => false,
        }
    }

    pub(crate) fn is_invalid(&self) -> bool {
        matches!(self.data, Data::Invalid)
    }

    /// What [`kind`] says of its value.
    pub(crate) fn kind(&self) -> &'static str {
        match self.data {
            Data::Null => "null",
            Data::Bool(_) => "a boolean",
            Data::Number(_) => "a number",
            Data::String(_) => "a string",
            Data::List(_) => "a list",
            Data::Map(_) => "an object",
            Data::Invalid => "invalid",
        }
    }
}

/// What kind of value it is, with its article, as messages about documents say it.
///
/// ```
/// use pravah_document::kind;
/// use serde_json::json;
///
/// assert_eq!(kind(&json!([1, 2])), "a list");
/// ```
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A value of a program, which is written nowhere.
impl From<&Value> for Tree {
    fn from(value: &Value) -> Self {
        let data = match value {
            Value::Null => Data::Null,
            Value::Bool(value) => Data::Bool(*value),
            Value::Number(value) => Data::Number(value.clone()),
            Value::String(value) => Data::String(value.clone()),
            Value::Array(items) => Data::List(items.iter().map(Self::from).collect()),
            Value::Object(fields) => {
                let entry = |(key, value): (&String, &Value)| Entry {
                    key: key.clone(),
                    key_span: Span::default(),
                    value: Self::from(value),
                };
                Data::Map(fields.iter().map(entry).collect())
            }
        };
        Self {
            span: Span::default(),
            data,
        }
    }
}

//! Bindings within strings: `{{ path }}`, `{{? path }}`, `{{ path | default: JSON }}`.

use std::{borrow::Cow, fmt};

use serde_json::Value;

use crate::{
    error::{BindingError, SyntaxError},
    json::{self, JsonError},
    path::Path,
    scope::Scope,
};

/// What is read, and what if it is absent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Binding {
    pub(crate) path: Path,
    pub(crate) absent: Absent,
}

/// What a binding is whose path names nothing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Absent {
    /// An error.
    Fails,
    /// Null, or within a text nothing.
    IsEmpty,
    /// This value.
    Is(Value),
}

/// A piece of a string.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Text(String),
    Binding(Binding),
}

/// Takes a string apart.
pub(super) fn split(text: &str) -> Result<Vec<Piece>, SyntaxError> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        plain.push_str(before);
        if let Some(after) = after.strip_prefix("{{") {
            plain.push_str("{{");
            rest = after;
            continue;
        }
        if !plain.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
        }
        let (binding, after) = Binding::parse(after)?;
        pieces.push(Piece::Binding(binding));
        rest = after;
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}

/// Writes a text so that nothing in it is read as a binding.
pub(super) fn escape(text: &str) -> String {
    text.replace("{{", "{{{{")
}

impl Binding {
    /// Reads what follows `{{`, and returns what follows `}}`.
    fn parse(text: &str) -> Result<(Self, &str), SyntaxError> {
        let end = text.find(['|', '}']).ok_or_else(unclosed)?;
        let (path, rest) = text.split_at_checked(end).ok_or_else(unclosed)?;
        let path = path.trim();
        let (path, is_optional) = match path.strip_prefix('?') {
            Some(path) => (path, true),
            None => (path, false),
        };
        let path = Path::parse(path)?;
        if let Some(rest) = rest.strip_prefix('|') {
            let (default, rest) = parse_default(rest)?;
            if is_optional {
                let message = format!("the binding `{path}` has both `?` and a default");
                return Err(SyntaxError::new(message).help("leave out one of them"));
            }
            let absent = Absent::Is(default);
            return Ok((Self { path, absent }, rest));
        }
        let rest = rest.strip_prefix("}}").ok_or_else(unclosed)?;
        let absent = if is_optional {
            Absent::IsEmpty
        } else {
            Absent::Fails
        };
        Ok((Self { path, absent }, rest))
    }

    /// What it names, or its default; nothing if it is optional and absent.
    pub(super) fn look_up<'a>(
        &'a self,
        scope: &'a dyn Scope,
    ) -> Result<Option<Cow<'a, Value>>, BindingError> {
        match (self.path.look_up(scope), &self.absent) {
            (Ok(value), _) => Ok(Some(value)),
            (Err(_), Absent::IsEmpty) => Ok(None),
            (Err(_), Absent::Is(default)) => Ok(Some(Cow::Borrowed(default))),
            (Err(found), Absent::Fails) => Err(BindingError {
                path: self.path.to_string(),
                found: found.to_owned(),
                reason: scope.get(found).and_then(missing_output),
            }),
        }
    }
}

/// What became of the node, if this value is the marker of one that was skipped or failed, and not an output.
fn missing_output(marker: &Value) -> Option<&'static str> {
    let is_true = |field: &str| marker.get(field) == Some(&Value::Bool(true));
    if is_true("skipped") && marker.get("reason").is_some() {
        return Some("was skipped");
    }
    (is_true("failed") && marker.get("error").is_some()).then_some("has failed")
}

fn unclosed() -> SyntaxError {
    SyntaxError::new("a binding has no end")
        .help("close it with `}}`, or write `{{{{` where the text has two braces")
}

/// Reads what follows the pipe: `default: JSON }}`.
fn parse_default(text: &str) -> Result<(Value, &str), SyntaxError> {
    let Some(rest) = text.trim_start().strip_prefix("default") else {
        let help = "write `{{ path | default: JSON }}`";
        return Err(SyntaxError::new("what follows `|` in a binding is not a default").help(help));
    };
    let Some(json) = rest.trim_start().strip_prefix(':') else {
        return Err(
            SyntaxError::new("`:` is missing behind `default`").help("write `default: JSON`")
        );
    };
    let is_word = json.trim_start().starts_with(char::is_alphabetic);
    let not_json = |error: JsonError| match is_word {
        true => {
            let help = "text is written in quotes: `default: \"none\"`";
            SyntaxError::new("the default of a binding is not JSON").help(help)
        }
        false => {
            let problem = error.message;
            SyntaxError::new(format!("the default of a binding is not JSON: {problem}"))
        }
    };
    let (value, length) = json::read_prefix(json).map_err(not_json)?;
    let rest = json.get(length..).unwrap_or_default().trim_start();
    let rest = rest.strip_prefix("}}").ok_or_else(|| {
        let message = "something other than `}}` follows the default of a binding";
        SyntaxError::new(message).help("text is written in quotes: `default: \"none at all\"`")
    })?;
    Ok((value, rest))
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, absent } = self;
        match absent {
            Absent::Fails => write!(f, "{{{{ {path} }}}}"),
            Absent::IsEmpty => write!(f, "{{{{? {path} }}}}"),
            Absent::Is(default) => write!(f, "{{{{ {path} | default: {default} }}}}"),
        }
    }
}

impl Piece {
    pub(super) fn binding(&self) -> Option<&Binding> {
        match self {
            Self::Binding(binding) => Some(binding),
            Self::Text(_) => None,
        }
    }

    /// Adds it to a text: strings as they are, everything else as JSON.
    pub(super) fn write(&self, scope: &dyn Scope, text: &mut String) -> Result<(), BindingError> {
        let value = match self {
            Self::Text(plain) => {
                text.push_str(plain);
                return Ok(());
            }
            Self::Binding(binding) => binding.look_up(scope)?,
        };
        match value.as_deref() {
            Some(Value::String(value)) => text.push_str(value),
            Some(value) => text.push_str(&value.to_string()),
            None => {}
        }
        Ok(())
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(&escape(text)),
            Self::Binding(binding) => binding.fmt(f),
        }
    }
}

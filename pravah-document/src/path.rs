//! Paths: `facts.capital`, `flow.input.files.0`.

use std::{borrow::Cow, fmt};

use serde_json::Value;

use crate::{SyntaxError, scope::Scope};

/// The name of a value, and the path to a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    text: String,
}

impl Path {
    /// Reads a path; spaces around it do not count.
    pub(crate) fn parse(text: &str) -> Result<Self, SyntaxError> {
        let text = text.trim();
        if text.is_empty() {
            let help = "a path names a node or the input: `facts.capital`, `flow.input.name`";
            return Err(SyntaxError::new("a path is missing").help(help));
        }
        if text.contains(['[', ']']) {
            let message = format!("the path `{text}` contains brackets");
            let help = "an index stands between dots: `files.0.name`";
            return Err(SyntaxError::new(message).help(help));
        }
        if let Some(char) = text.chars().find(|char| !is_of_segment(*char)) {
            let char = char.escape_debug();
            let message = format!("the path `{text}` contains `{char}`");
            let help = "a path is names and numbers with dots between them";
            return Err(SyntaxError::new(message).help(help));
        }
        if text.split('.').any(str::is_empty) {
            let message = format!("a segment of the path `{text}` is empty");
            return Err(SyntaxError::new(message).help("write one dot between two segments"));
        }
        Ok(Self {
            text: text.to_owned(),
        })
    }

    /// What it starts with.
    pub(crate) fn root(&self) -> &str {
        first_segment(&self.text)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// What it names, or else how much of it names something.
    pub(crate) fn look_up<'a>(&self, scope: &'a dyn Scope) -> Result<Cow<'a, Value>, &str> {
        let root = self.root();
        let mut value = Cow::Borrowed(scope.get(root).ok_or("")?);
        let mut end = root.len();
        while let Some(rest) = self.text.get(end + 1..) {
            let segment = first_segment(rest);
            let found = || self.text.get(..end).unwrap_or_default();
            value = part(value, segment).ok_or_else(found)?;
            end += 1 + segment.len();
        }
        Ok(value)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn first_segment(path: &str) -> &str {
    path.split_once('.').map_or(path, |(segment, _)| segment)
}

/// Dots part segments; spaces, pipes and braces belong to the binding around a path.
fn is_of_segment(char: char) -> bool {
    !char.is_whitespace() && !char.is_control() && !matches!(char, '|' | '{' | '}')
}

/// A part of a value. Only a length is not within the value itself, and it has no parts.
fn part<'a>(value: Cow<'a, Value>, segment: &str) -> Option<Cow<'a, Value>> {
    let Cow::Borrowed(value) = value else {
        return None;
    };
    match value {
        Value::Object(fields) => fields.get(segment).map(Cow::Borrowed),
        Value::Array(items) if segment == "length" => Some(Cow::Owned(items.len().into())),
        Value::Array(items) => items.get(index(segment)?).map(Cow::Borrowed),
        Value::String(text) if segment == "length" => Some(Cow::Owned(text.chars().count().into())),
        _ => None,
    }
}

/// The index that a segment is: digits without a leading zero.
fn index(segment: &str) -> Option<usize> {
    let is_plain = segment.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = is_plain && (segment == "0" || !segment.starts_with('0'));
    segment.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_leads_into_objects_lists_and_lengths() {
        let scope = json!({ "a": { "list": ["x", { "y": 1 }], "length": 7, "text": "grün" } });
        for (path, expected) in [
            ("a.list.0", json!("x")),
            (" a.list.1.y ", json!(1)),
            ("a.length", json!(7)),
            ("a.list.length", json!(2)),
            ("a.text.length", json!(4)),
        ] {
            let path = Path::parse(path).unwrap();
            assert_eq!(path.look_up(&scope).unwrap().as_ref(), &expected, "{path}");
        }
        for (path, found) in [
            ("b.c", ""),
            ("a.b.c", "a"),
            ("a.list.2", "a.list"),
            ("a.list.01", "a.list"),
            ("a.list.1.y.z", "a.list.1.y"),
            ("a.list.length.length", "a.list.length"),
        ] {
            assert_eq!(
                Path::parse(path).unwrap().look_up(&scope).unwrap_err(),
                found
            );
        }
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for path in [
            "", " ", "a..b", ".a", "a.", "a b", "a|b", "{a", "a}", "a\u{0}",
        ] {
            assert!(Path::parse(path).is_err(), "{path}");
        }
        for path in ["a", "$index", "a-b.c_d", "ß.ü", "a.'b'"] {
            assert!(Path::parse(path).is_ok(), "{path}");
        }
    }
}

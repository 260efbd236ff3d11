//! Checks values against JSON Schemas, and finds all that does not fit.
//!
//! It knows the keywords of JSON Schema 2020-12 (<https://json-schema.org/draft/2020-12>) that decide whether a value
//! fits, except for `unevaluatedItems` and `unevaluatedProperties`. References are JSON pointers into the schema (`#/…`):
//! no anchors, dynamic references or other documents. `format` is an annotation and is not checked. Patterns use the
//! syntax of the crate `regex-lite`.

mod fields;
mod keywords;
mod lists;
mod objects;
mod valid;

use std::{collections::BTreeMap, fmt, rc::Rc};

use regex_lite::Regex;
use serde_json::Value;

use self::fields::types;
pub use self::valid::schema_error;
pub(crate) use self::{
    fields::{missing_field, types_at},
    keywords::described_types,
};
use crate::{
    template::{has_binding, is_binding},
    tree::{Data, Span, Tree},
};

/// A part of a value that does not fit a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The part: `tags.0.name`, or nothing for the whole.
    pub path: String,
    /// What is wrong with it.
    pub message: String,
    pub(crate) span: Span,
    pub(crate) help: Option<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, message, .. } = self;
        if path.is_empty() {
            write!(f, "the value {message}")
        } else {
            write!(f, "`{path}` {message}")
        }
    }
}

/// All that does not fit a schema. An invalid schema may accept anything: check it with [`schema_error`] first.
///
/// ```
/// use pravah_document::violations;
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "properties": { "name": { "type": "string" }, "age": { "type": "integer", "minimum": 0 } },
///     "required": ["name"],
/// });
/// let texts = |value| -> Vec<String> {
///     violations(&schema, &value).iter().map(ToString::to_string).collect()
/// };
/// assert!(texts(json!({ "name": "Ada" })).is_empty());
/// assert_eq!(texts(json!({ "age": -1 })), ["the value has no `name`", "`age` is less than 0"]);
/// ```
pub fn violations(schema: &Value, value: &Value) -> Vec<Violation> {
    check(schema, &Tree::from(value), false)
}

/// The same for a part of a document without bindings.
pub(crate) fn violations_of(schema: &Value, tree: &Tree) -> Vec<Violation> {
    check(schema, tree, false)
}

/// The types that a schema asks for where a binding is the whole value, by the places of those.
pub(crate) type ExpectedTypes<'a> = BTreeMap<Span, Vec<&'a str>>;

/// The same for a part of a document, in which bindings stand for what is not yet known; and the types that those have
/// to be of.
pub(crate) fn check_template<'a>(
    schema: &'a Value,
    tree: &Tree,
) -> (Vec<Violation>, ExpectedTypes<'a>) {
    let checker = run_checker(schema, tree, true);
    (checker.found, checker.expected_types)
}

fn check(schema: &Value, tree: &Tree, is_template: bool) -> Vec<Violation> {
    run_checker(schema, tree, is_template).found
}

fn run_checker<'a>(schema: &'a Value, tree: &Tree, is_template: bool) -> Checker<'a> {
    let mut checker = Checker {
        root: schema,
        is_template,
        depth: 0,
        left: MAX_CHECKS.saturating_add(size_of(tree).saturating_mul(CHECKS_OF_A_PART)),
        is_cut_short: false,
        followed: Vec::new(),
        path: Vec::new(),
        found: Vec::new(),
        patterns: BTreeMap::new(),
        attempt_depth: 0,
        expected_types: BTreeMap::new(),
    };
    checker.check(schema, tree);
    if checker.is_cut_short {
        checker.report(
            tree.span,
            "is too deep, or its schema too complex, to be checked",
        );
    }
    checker
}

/// How many values a value consists of.
fn size_of(tree: &Tree) -> usize {
    let parts: usize = match &tree.data {
        Data::List(items) => items.iter().map(size_of).sum(),
        Data::Map(entries) => entries.iter().map(|entry| size_of(&entry.value)).sum(),
        _ => 0,
    };
    parts + 1
}

struct Checker<'a> {
    /// What local references are into.
    root: &'a Value,
    /// Whether strings may be bindings.
    is_template: bool,
    /// Schemas within schemas.
    depth: usize,
    /// How many more schemas may be checked.
    left: usize,
    /// Whether a schema was not checked for that, which is a violation of its own. Then nothing is said of values that
    /// fit too much.
    is_cut_short: bool,
    /// The references that are being followed: to which schema, and for which value.
    followed: Vec<(*const Value, *const Tree)>,
    path: Vec<String>,
    found: Vec<Violation>,
    /// Compiled patterns; `None` for those that `regex-lite` does not support.
    patterns: BTreeMap<&'a str, Option<Rc<Regex>>>,
    /// How many `anyOf`, `oneOf`, `not`, `if` and the like enclose the schema being checked. Inside them a type is no
    /// requirement, so none is recorded.
    attempt_depth: usize,
    expected_types: ExpectedTypes<'a>,
}

/// How deep schemas are checked within schemas.
const MAX_DEPTH: usize = 300;

/// The most schemas that are checked for one value, and how many more for each of its parts: alternatives within
/// alternatives would take exponential time.
const MAX_CHECKS: usize = 1_000_000;
const CHECKS_OF_A_PART: usize = 20;

impl<'a> Checker<'a> {
    fn check(&mut self, schema: &'a Value, tree: &Tree) {
        if self.is_unknown(tree) {
            self.expect_types(schema, tree);
            return;
        }
        if tree.is_invalid() {
            return;
        }
        let left = self.left.checked_sub(1);
        let Some(left) = left.filter(|_| self.depth <= MAX_DEPTH) else {
            self.is_cut_short = true;
            return;
        };
        self.left = left;
        self.depth += 1;
        match schema {
            Value::Bool(false) => self.report(tree.span, "is not allowed"),
            Value::Object(schema) => self.keywords(schema, tree),
            _ => {}
        }
        self.depth -= 1;
    }

    /// Notes what the value of a binding has to be.
    fn expect_types(&mut self, schema: &'a Value, tree: &Tree) {
        let types = schema
            .as_object()
            .and_then(types)
            .filter(|_| self.attempt_depth == 0);
        if let Some(types) = types {
            self.expected_types.insert(tree.span, types);
        }
    }

    fn report(&mut self, span: Span, message: impl Into<String>) {
        self.found.push(Violation {
            path: self.place(),
            message: message.into(),
            span,
            help: None,
        });
    }

    /// Where the value is that is checked.
    fn place(&self) -> String {
        const LONGEST: usize = 100;
        let names = self.path.iter().map(|name| truncated(name, LONGEST));
        names.collect::<Vec<_>>().join(".")
    }

    /// Whether a value is not known before a run.
    fn is_unknown(&self, tree: &Tree) -> bool {
        self.is_template && tree.as_str().is_some_and(is_binding)
    }

    /// Whether a text is not known before a run, though it is known to be one.
    fn is_unknown_text(&self, tree: &Tree) -> bool {
        self.is_template && tree.as_str().is_some_and(has_binding)
    }

    /// Whether anything in it is not known before a run.
    fn holds_unknown(&self, tree: &Tree) -> bool {
        self.is_template && tree.is_partly_unknown()
    }

    /// What does not fit another schema.
    fn attempt(&mut self, schema: &'a Value, tree: &Tree) -> Vec<Violation> {
        let before = std::mem::take(&mut self.found);
        self.attempt_depth += 1;
        self.check(schema, tree);
        self.attempt_depth -= 1;
        std::mem::replace(&mut self.found, before)
    }
}

/// The start of a long text.
fn truncated(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;

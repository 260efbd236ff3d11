//! Inputs with bindings in them.

mod binding;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use self::binding::Piece;
pub(crate) use self::binding::{Absent, Binding};
use crate::{
    error::{BindingError, SyntaxError},
    scope::Scope,
    tree::{Data, Span, Tree},
};

/// A JSON value in which some strings are, or hold, bindings.
///
/// `{{ path }}` has to name something, `{{? path }}` may name nothing, and `{{ path | default: JSON }}` says what there
/// is then. A string that is a binding becomes what it names; within a longer text strings are as they are, and
/// everything else is written as JSON. `{{{{` is `{{` as it is. What comes out of a binding is not read again.
///
/// ```
/// use pravah_document::Template;
/// use serde_json::json;
///
/// let scope = json!({ "flow": { "input": { "name": "Ada", "age": 36 } } });
/// let template = Template::parse(&json!({
///     "text": "Hello, {{ flow.input.name }}!",
///     "age": "{{ flow.input.age }}",
///     "city": "{{ flow.input.city | default: null }}",
/// }))?;
/// let value = template.resolve(&scope)?;
/// assert_eq!(value, json!({ "text": "Hello, Ada!", "age": 36, "city": null }));
/// assert_eq!(template.roots(), ["flow"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Template(Part);

/// A value of a template.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    /// There is no binding in it.
    Value(Value),
    Binding(Box<Binding>),
    Text(Vec<Piece>),
    List(Vec<Part>),
    Object(Vec<(String, Part)>),
}

/// A binding, and where it is.
pub(crate) type Use = (Binding, Span);

/// Something that cannot be read, and where it is.
pub(crate) type Fault = (SyntaxError, Span);

impl Template {
    /// Reads the bindings of a value.
    ///
    /// # Errors
    ///
    /// The first string that opens a binding, but is none.
    pub fn parse(value: &Value) -> Result<Self, SyntaxError> {
        let mut faults = Vec::new();
        let template = Self::of_tree(&Tree::from(value), &mut Vec::new(), &mut faults);
        faults
            .into_iter()
            .next()
            .map_or(Ok(template), |(error, _)| Err(error))
    }

    /// A value in which nothing is a binding, whatever its strings look like.
    pub fn plain(value: Value) -> Self {
        Self(Part::Value(value))
    }

    /// Reads the bindings of a part of a document, and says where they and the faults are.
    pub(crate) fn of_tree(tree: &Tree, uses: &mut Vec<Use>, faults: &mut Vec<Fault>) -> Self {
        Self(Part::read(tree, uses, faults))
    }

    /// The value, if there is no binding in it.
    pub fn as_value(&self) -> Option<&Value> {
        match &self.0 {
            Part::Value(value) => Some(value),
            _ => None,
        }
    }

    /// How it is written: what [`parse`](Self::parse) reads as this template.
    pub fn source(&self) -> Value {
        self.0.source()
    }

    /// The value, with every binding replaced.
    ///
    /// # Errors
    ///
    /// The first binding that names nothing.
    pub fn resolve(&self, scope: &dyn Scope) -> Result<Value, BindingError> {
        self.0.resolve(scope)
    }

    /// The ids of the nodes whose outputs it reads, each once, in order of mention; `flow` for the flow's input.
    pub fn roots(&self) -> Vec<&str> {
        let mut roots = Vec::new();
        self.0.visit(&mut |binding| roots.push(binding.path.root()));
        once_each(roots)
    }
}

/// Whether a text has a binding in it.
pub(crate) fn has_binding(text: &str) -> bool {
    text.contains("{{")
        && binding::split(text).is_ok_and(|all| all.iter().any(|it| it.binding().is_some()))
}

/// Whether a text is one binding and nothing else.
pub(crate) fn is_binding(text: &str) -> bool {
    text.starts_with("{{") && matches!(binding::split(text).as_deref(), Ok([Piece::Binding(_)]))
}

/// The names, without those that came before.
pub(crate) fn once_each(mut names: Vec<&str>) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    names
}

impl Part {
    fn read(tree: &Tree, uses: &mut Vec<Use>, faults: &mut Vec<Fault>) -> Self {
        match &tree.data {
            Data::String(text) => match binding::split(text) {
                Ok(pieces) => Self::of_pieces(pieces, tree.span, uses),
                Err(error) => {
                    faults.push((error, tree.span));
                    Self::Value(Value::Null)
                }
            },
            Data::Invalid => Self::Value(Value::Null),
            Data::List(items) => {
                let parts = items.iter().map(|item| Self::read(item, uses, faults));
                Self::List(parts.collect()).fold()
            }
            Data::Map(entries) => {
                let parts = entries
                    .iter()
                    .map(|entry| (entry.key.clone(), Self::read(&entry.value, uses, faults)));
                Self::Object(parts.collect()).fold()
            }
            _ => Self::Value(tree.value()),
        }
    }

    fn of_pieces(pieces: Vec<Piece>, span: Span, uses: &mut Vec<Use>) -> Self {
        for piece in &pieces {
            if let Piece::Binding(binding) = piece {
                uses.push((binding.clone(), span));
            }
        }
        match <[Piece; 1]>::try_from(pieces) {
            Ok([Piece::Binding(binding)]) => Self::Binding(Box::new(binding)),
            Ok([Piece::Text(text)]) => Self::Value(Value::String(text)),
            Err(pieces) if pieces.is_empty() => Self::Value(Value::String(String::new())),
            Err(pieces) => Self::Text(pieces),
        }
    }

    /// The same as one value, if there is no binding in it.
    fn fold(self) -> Self {
        let is_value = |part: &Self| matches!(part, Self::Value(_));
        match self {
            Self::List(parts) if parts.iter().all(is_value) => {
                Self::Value(parts.into_iter().filter_map(Self::into_value).collect())
            }
            Self::Object(parts) if parts.iter().all(|(_, part)| is_value(part)) => {
                let field = |(key, part): (String, Self)| Some((key, part.into_value()?));
                Self::Value(parts.into_iter().filter_map(field).collect())
            }
            part => part,
        }
    }

    fn into_value(self) -> Option<Value> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    fn resolve(&self, scope: &dyn Scope) -> Result<Value, BindingError> {
        match self {
            Self::Value(value) => Ok(value.clone()),
            Self::Binding(binding) => {
                let value = binding.look_up(scope)?;
                Ok(value.map_or(Value::Null, |value| value.into_owned()))
            }
            Self::Text(pieces) => {
                let mut text = String::new();
                for piece in pieces {
                    piece.write(scope, &mut text)?;
                }
                Ok(Value::String(text))
            }
            Self::List(parts) => parts.iter().map(|part| part.resolve(scope)).collect(),
            Self::Object(parts) => {
                // Faster than `collect`, which sorts all fields first: most objects have few.
                let mut fields = Map::new();
                for (key, part) in parts {
                    fields.insert(key.clone(), part.resolve(scope)?);
                }
                Ok(Value::Object(fields))
            }
        }
    }

    fn visit<'a>(&'a self, see: &mut impl FnMut(&'a Binding)) {
        match self {
            Self::Value(_) => {}
            Self::Binding(binding) => see(binding),
            Self::Text(pieces) => pieces.iter().filter_map(Piece::binding).for_each(see),
            Self::List(parts) => parts.iter().for_each(|part| part.visit(see)),
            Self::Object(parts) => parts.iter().for_each(|(_, part)| part.visit(see)),
        }
    }

    fn source(&self) -> Value {
        match self {
            Self::Value(value) => escaped(value),
            Self::Binding(binding) => Value::String(binding.to_string()),
            Self::Text(pieces) => Value::String(pieces.iter().map(ToString::to_string).collect()),
            Self::List(parts) => parts.iter().map(Self::source).collect(),
            Self::Object(parts) => {
                let fields = parts.iter().map(|(key, part)| (key.clone(), part.source()));
                Value::Object(fields.collect())
            }
        }
    }
}

/// A value whose strings are written so that nothing in them is a binding.
fn escaped(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(binding::escape(text)),
        Value::Array(items) => items.iter().map(escaped).collect(),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| (key.clone(), escaped(value)));
            Value::Object(fields.collect())
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests;

//! Conditions: `equals`, `not`, `and`, `or`, `exists`, `in`, `gt`, `gte`, `lt`, `lte`.

mod parse;

use std::cmp::Ordering;

use serde_json::Value;

use crate::{
    compare::{equal, order},
    error::SyntaxError,
    path::Path,
    scope::Scope,
    template::{Fault, Template, once_each},
    tree::{Span, Tree},
};

/// A condition of a node, an edge or a case.
///
/// What is missing makes a comparison false; null is a value like others. Numbers are compared by their values,
/// strings by their characters; `gt` and its like are false for anything else. Values to compare with may be bindings.
///
/// ```
/// use pravah_document::When;
/// use serde_json::json;
///
/// let when = When::parse(&json!({ "and": [
///     { "equals": { "var": "check.ok", "value": true } },
///     { "not": { "lt": { "var": "check.score", "value": 0.5 } } },
/// ] }))?;
/// assert!(when.holds(&json!({ "check": { "ok": true, "score": 0.7 } })));
/// assert!(!when.holds(&json!({ "check": { "score": 0.7 } })));
/// assert_eq!(when.roots(), ["check"]);
/// # Ok::<(), pravah_document::SyntaxError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct When(Expression);

#[derive(Clone, Debug, PartialEq)]
enum Expression {
    Not(Box<Expression>),
    And(Vec<Expression>),
    Or(Vec<Expression>),
    Exists(Path),
    Compare(Path, Comparison, Template),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equals,
    In,
    Gt,
    Gte,
    Lt,
    Lte,
}

/// A variable of a condition, and where it is.
pub(crate) type Variable = (Path, Span);

impl When {
    /// Reads a condition: an object with one operator.
    ///
    /// # Errors
    ///
    /// The first thing in it that is wrong.
    pub fn parse(value: &Value) -> Result<Self, SyntaxError> {
        let mut found = Found::default();
        let when = Self::of_tree(&Tree::from(value), &mut found);
        match found.faults.into_iter().next() {
            Some((error, _)) => Err(error),
            None => when.ok_or_else(|| SyntaxError::new("this is not a condition")),
        }
    }

    /// The condition that a name has a value.
    pub(crate) fn equals(path: Path, value: Template) -> Self {
        Self(Expression::Compare(path, Comparison::Equals, value))
    }

    /// Reads a part of a document, and says where the variables, bindings and faults are.
    pub(crate) fn of_tree(tree: &Tree, found: &mut Found) -> Option<Self> {
        found.expression(tree).map(Self)
    }

    /// Whether it holds. What is missing makes a comparison false.
    pub fn holds(&self, scope: &dyn Scope) -> bool {
        self.0.holds(scope)
    }

    /// The ids of the nodes whose outputs it reads, each once, in order of mention; `flow` for the flow's input.
    pub fn roots(&self) -> Vec<&str> {
        let mut roots = Vec::new();
        self.0.roots(&mut roots);
        once_each(roots)
    }

    /// The values that paths have to equal, or be among, somewhere in it.
    pub(crate) fn literals(&self) -> Vec<(&str, &Value)> {
        let mut literals = Vec::new();
        self.0.literals(&mut literals);
        literals
    }

    /// The one path that it reads, if there is no other.
    pub(crate) fn only_path(&self) -> Option<&str> {
        let mut paths = Vec::new();
        let is_fixed = self.0.paths(&mut paths);
        let first = *paths.first()?;
        (is_fixed && paths.iter().all(|path| *path == first)).then_some(first)
    }

    /// The conditions that all have to hold, as they are written.
    pub(crate) fn conjuncts(&self) -> Vec<String> {
        let parts = self.0.conjuncts().into_iter();
        parts.map(|part| part.source().to_string()).collect()
    }

    /// The paths that have to name something for it to hold.
    pub(crate) fn needed_paths(&self) -> Vec<&str> {
        let parts = self.0.conjuncts().into_iter();
        let paths = parts.filter_map(|part| match part {
            Expression::Exists(path) | Expression::Compare(path, ..) => Some(path.as_str()),
            _ => None,
        });
        paths.collect()
    }

    /// The values that paths have to have for it to hold.
    pub(crate) fn required_values(&self) -> Vec<(&str, &Value)> {
        let parts = self.0.conjuncts().into_iter();
        let values = parts.filter_map(|part| match part {
            Expression::Compare(path, Comparison::Equals, value) => {
                Some((path.as_str(), value.as_value()?))
            }
            _ => None,
        });
        values.collect()
    }

    /// How it is written: what [`parse`](Self::parse) reads as this condition.
    pub fn source(&self) -> Value {
        self.0.source()
    }
}

/// What is found while a condition is read.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) variables: Vec<Variable>,
    pub(crate) uses: Vec<crate::template::Use>,
    pub(crate) faults: Vec<Fault>,
}

impl Expression {
    fn holds(&self, scope: &dyn Scope) -> bool {
        match self {
            Self::Not(inner) => !inner.holds(scope),
            Self::And(all) => all.iter().all(|inner| inner.holds(scope)),
            Self::Or(any) => any.iter().any(|inner| inner.holds(scope)),
            Self::Exists(path) => path.look_up(scope).is_ok(),
            Self::Compare(path, comparison, value) => {
                let (Ok(left), Ok(right)) = (path.look_up(scope), value.resolve(scope)) else {
                    return false;
                };
                comparison.holds(&left, &right)
            }
        }
    }

    /// The parts that all have to hold.
    fn conjuncts(&self) -> Vec<&Self> {
        match self {
            Self::And(all) => all.iter().flat_map(Self::conjuncts).collect(),
            other => vec![other],
        }
    }

    fn literals<'a>(&'a self, literals: &mut Vec<(&'a str, &'a Value)>) {
        match self {
            Self::Not(inner) => inner.literals(literals),
            Self::And(inner) | Self::Or(inner) => inner.iter().for_each(|it| it.literals(literals)),
            Self::Compare(path, Comparison::Equals, value) => {
                literals.extend(value.as_value().map(|value| (path.as_str(), value)));
            }
            Self::Compare(path, Comparison::In, value) => {
                let values = value.as_value().and_then(Value::as_array);
                literals.extend(
                    values
                        .into_iter()
                        .flatten()
                        .map(|value| (path.as_str(), value)),
                );
            }
            Self::Exists(_) | Self::Compare(..) => {}
        }
    }

    /// Collects the paths, and says whether all else is known.
    fn paths<'a>(&'a self, paths: &mut Vec<&'a str>) -> bool {
        match self {
            Self::Not(inner) => inner.paths(paths),
            Self::And(inner) | Self::Or(inner) => inner.iter().all(|it| it.paths(paths)),
            Self::Exists(path) => {
                paths.push(path.as_str());
                true
            }
            Self::Compare(path, _, value) => {
                paths.push(path.as_str());
                value.as_value().is_some()
            }
        }
    }

    fn roots<'a>(&'a self, roots: &mut Vec<&'a str>) {
        match self {
            Self::Not(inner) => inner.roots(roots),
            Self::And(inner) | Self::Or(inner) => inner.iter().for_each(|it| it.roots(roots)),
            Self::Exists(path) => roots.push(path.root()),
            Self::Compare(path, _, value) => {
                roots.push(path.root());
                roots.extend(value.roots());
            }
        }
    }
}

impl Comparison {
    fn holds(self, left: &Value, right: &Value) -> bool {
        let is = |wanted: fn(Ordering) -> bool| order(left, right).is_some_and(wanted);
        match self {
            Self::Equals => equal(left, right),
            Self::In => right
                .as_array()
                .is_some_and(|all| all.iter().any(|it| equal(left, it))),
            Self::Gt => is(Ordering::is_gt),
            Self::Gte => is(Ordering::is_ge),
            Self::Lt => is(Ordering::is_lt),
            Self::Lte => is(Ordering::is_le),
        }
    }
}

#[cfg(test)]
mod tests;

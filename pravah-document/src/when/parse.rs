//! From what is written to a condition, and back.

use serde_json::{Value, json};

use super::{Comparison, Expression, Found};
use crate::{
    error::SyntaxError,
    nearest::nearest,
    path::Path,
    template::Template,
    tree::{Data, Entry, Span, Tree},
};

const OPERATORS: [&str; 10] = [
    "equals", "not", "and", "or", "exists", "in", "gt", "gte", "lt", "lte",
];

impl Found {
    fn fault(&mut self, error: SyntaxError, span: Span) {
        self.faults.push((error, span));
    }

    pub(super) fn expression(&mut self, tree: &Tree) -> Option<Expression> {
        let example = "write one operator: `{ equals: { var: check.ok, value: true } }`";
        if tree.is_invalid() {
            return None;
        }
        let Some(entries) = tree.as_map() else {
            let message = format!("a condition is an object, and this is {}", tree.kind());
            self.fault(SyntaxError::new(message).help(example), tree.span);
            return None;
        };
        match entries {
            [entry] => self.operator(entry),
            [] => {
                self.fault(
                    SyntaxError::new("this condition has no operator").help(example),
                    tree.span,
                );
                None
            }
            _ => {
                let help = "write one operator in each object, and join them with `and` or `or`";
                self.fault(
                    SyntaxError::new("this condition has more than one operator").help(help),
                    tree.span,
                );
                None
            }
        }
    }

    fn operator(&mut self, entry: &Entry) -> Option<Expression> {
        let operand = &entry.value;
        let comparison = match entry.key.as_str() {
            "not" => return Some(Expression::Not(Box::new(self.expression(operand)?))),
            "and" => return self.list(entry).map(Expression::And),
            "or" => return self.list(entry).map(Expression::Or),
            "exists" => {
                let [path] = self.fields(entry, ["var"])?;
                return Some(Expression::Exists(self.variable(path?)?));
            }
            "equals" => Comparison::Equals,
            "in" => Comparison::In,
            "gt" => Comparison::Gt,
            "gte" => Comparison::Gte,
            "lt" => Comparison::Lt,
            "lte" => Comparison::Lte,
            other => {
                let help = match nearest(other, OPERATORS) {
                    Some(nearest) => format!("did you mean `{nearest}`?"),
                    None => format!("operators are {}", OPERATORS.join(", ")),
                };
                let message = format!("a condition has no operator `{other}`");
                self.fault(SyntaxError::new(message).help(help), entry.key_span);
                return None;
            }
        };
        self.comparison(entry, comparison)
    }

    fn list(&mut self, entry: &Entry) -> Option<Vec<Expression>> {
        let Some(items) = entry.value.as_list() else {
            let message = format!("`{}` takes a list of conditions", entry.key);
            self.fault(SyntaxError::new(message), entry.value.span);
            return None;
        };
        // All of them are read, so that all faults are found.
        let read: Vec<_> = items.iter().map(|item| self.expression(item)).collect();
        read.into_iter().collect()
    }

    fn comparison(&mut self, entry: &Entry, comparison: Comparison) -> Option<Expression> {
        let (path, value) = if comparison == Comparison::In {
            // A list goes by both names.
            let names = if entry.value.get("values").is_some() {
                ["var", "values"]
            } else {
                ["var", "value"]
            };
            let [path, value] = self.fields(entry, names)?;
            (path, value)
        } else {
            let [path, value] = self.fields(entry, ["var", "value"])?;
            (path, value)
        };
        let path = self.variable(path?);
        let value = value?;
        let template = Template::of_tree(value, &mut self.uses, &mut self.faults);
        if comparison == Comparison::In && template.as_value().is_some_and(|it| !it.is_array()) {
            let message = format!("`in` takes a list of values, and this is {}", value.kind());
            self.fault(SyntaxError::new(message), value.span);
        }
        Some(Expression::Compare(path?, comparison, template))
    }

    /// The fields of an operator, all of which have to be there.
    fn fields<'a, const N: usize>(
        &mut self,
        entry: &'a Entry,
        names: [&str; N],
    ) -> Option<[Option<&'a Tree>; N]> {
        let operator = &entry.key;
        let Some(entries) = entry.value.as_map() else {
            let message = format!("`{operator}` takes an object with {}", quoted(&names));
            self.fault(SyntaxError::new(message), entry.value.span);
            return None;
        };
        for other in entries
            .iter()
            .filter(|it| !names.contains(&it.key.as_str()))
        {
            let message = format!("`{operator}` has no field `{}`", other.key);
            let help = format!("its fields are {}", quoted(&names));
            self.fault(SyntaxError::new(message).help(help), other.key_span);
        }
        let fields = names.map(|name| entry.value.get(name));
        for (name, field) in names.iter().zip(fields) {
            if field.is_none() {
                let message = format!("`{operator}` without `{name}`");
                let help = format!("its fields are {}", quoted(&names));
                self.fault(SyntaxError::new(message).help(help), entry.value.span);
            }
        }
        Some(fields)
    }

    fn variable(&mut self, tree: &Tree) -> Option<Path> {
        let read = match &tree.data {
            Data::String(text) if text.contains("{{") => {
                let help = "write the path without braces: `var: check.ok`";
                Err(SyntaxError::new("`var` is a path, not a binding").help(help))
            }
            Data::String(text) => Path::parse(text),
            _ => Err(SyntaxError::new(format!(
                "`var` is a path, and this is {}",
                tree.kind()
            ))),
        };
        match read {
            Ok(path) => {
                self.variables.push((path.clone(), tree.span));
                Some(path)
            }
            Err(error) => {
                self.fault(error, tree.span);
                None
            }
        }
    }
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(" and ")
}

impl Expression {
    pub(super) fn source(&self) -> Value {
        match self {
            Self::Not(inner) => json!({ "not": inner.source() }),
            Self::And(all) => json!({ "and": sources(all) }),
            Self::Or(any) => json!({ "or": sources(any) }),
            Self::Exists(path) => json!({ "exists": { "var": path.as_str() } }),
            Self::Compare(path, comparison, value) => {
                let field = if *comparison == Comparison::In {
                    "values"
                } else {
                    "value"
                };
                json!({ comparison.name(): { "var": path.as_str(), field: value.source() } })
            }
        }
    }
}

fn sources(expressions: &[Expression]) -> Vec<Value> {
    expressions.iter().map(Expression::source).collect()
}

impl Comparison {
    fn name(self) -> &'static str {
        match self {
            Self::Equals => "equals",
            Self::In => "in",
            Self::Gt => "gt",
            Self::Gte => "gte",
            Self::Lt => "lt",
            Self::Lte => "lte",
        }
    }
}

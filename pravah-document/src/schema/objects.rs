//! What the keywords of a schema ask of objects.

use std::rc::Rc;

use regex_lite::Regex;
use serde_json::{Map, Value};

use super::Checker;
use crate::{
    nearest::nearest,
    read::list_of,
    tree::{Data, Entry, Tree},
};

impl<'a> Checker<'a> {
    pub(super) fn fields(
        &mut self,
        schema: &'a Map<String, Value>,
        tree: &Tree,
        entries: &[Entry],
    ) {
        self.required(schema.get("required"), tree, None);
        let keywords = ["minProperties", "maxProperties"];
        self.bounds(schema, tree, entries.len(), keywords, "fields");
        self.dependent(schema, tree);
        if let Some(names) = schema.get("propertyNames") {
            self.names(names, entries);
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let patterns = self.patterns_of(schema);
        // A pattern that does not compile might match any field, so `additionalProperties` cannot be applied.
        let is_open = patterns.iter().any(|(regex, _)| regex.is_none());
        let others = schema.get("additionalProperties").filter(|_| !is_open);
        for entry in entries {
            let known = properties.and_then(|properties| properties.get(&entry.key));
            let has_pattern = |regex: &Rc<Regex>| regex.is_match(&entry.key);
            let by_pattern = patterns.iter().filter_map(|(regex, schema)| {
                let fits = regex.as_ref().is_some_and(has_pattern);
                fits.then_some(*schema)
            });
            let schemas: Vec<&Value> = known.into_iter().chain(by_pattern).collect();
            match (schemas.is_empty(), others) {
                (true, Some(Value::Bool(false))) => {
                    self.report(entry.key_span, format!("has no field `{}`", entry.key));
                    self.help(
                        properties.and_then(|properties| known_fields(&entry.key, properties)),
                    );
                }
                (true, Some(schema)) => self.part(entry.key.clone(), schema, &entry.value),
                _ => {
                    for schema in schemas {
                        self.part(entry.key.clone(), schema, &entry.value);
                    }
                }
            }
        }
    }

    /// Asks for the fields that a schema lists, since there is the field `because_of`, if any.
    fn required(&mut self, names: Option<&Value>, tree: &Tree, because_of: Option<&str>) {
        let names = names.and_then(Value::as_array).into_iter().flatten();
        for name in names.filter_map(Value::as_str) {
            if tree.get(name).is_some() {
                continue;
            }
            let message = match because_of {
                Some(other) => format!("has `{other}`, but no `{name}`"),
                None => format!("has no `{name}`"),
            };
            self.report(tree.span, message);
        }
    }

    /// Looks at what fields ask for of others.
    fn dependent(&mut self, schema: &'a Map<String, Value>, tree: &Tree) {
        let entries = |keyword| schema.get(keyword).and_then(Value::as_object);
        for (name, required) in entries("dependentRequired").into_iter().flatten() {
            if tree.get(name).is_some() {
                self.required(Some(required), tree, Some(name));
            }
        }
        for (name, schema) in entries("dependentSchemas").into_iter().flatten() {
            if tree.get(name).is_some() {
                self.check(schema, tree);
            }
        }
    }

    fn names(&mut self, schema: &'a Value, entries: &[Entry]) {
        for entry in entries {
            let name = Tree {
                data: Data::String(entry.key.clone()),
                span: entry.key_span,
            };
            if !self.attempt(schema, &name).is_empty() {
                let message = format!("has the field `{}`, whose name does not fit", entry.key);
                self.report(entry.key_span, message);
            }
        }
    }

    /// The patterns of fields, with what each asks for.
    fn patterns_of(
        &mut self,
        schema: &'a Map<String, Value>,
    ) -> Vec<(Option<Rc<Regex>>, &'a Value)> {
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let patterns = patterns.into_iter().flatten();
        patterns
            .map(|(pattern, schema)| (self.regex(pattern), schema))
            .collect()
    }
}

/// The field that was probably meant, or the fields that there are.
fn known_fields(key: &str, properties: &Map<String, Value>) -> Option<String> {
    const MOST: usize = 24;
    if properties.is_empty() || properties.len() > MOST {
        return None;
    }
    let names: Vec<_> = properties.keys().map(String::as_str).collect();
    Some(match nearest(key, names.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("its fields are {}", list_of(&names)),
    })
}

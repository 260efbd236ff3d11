//! What the keywords of a schema ask of lists.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::Checker;
use crate::{compare::whole_number, tree::Tree};

impl<'a> Checker<'a> {
    pub(super) fn items(&mut self, schema: &'a Map<String, Value>, tree: &Tree, items: &[Tree]) {
        self.bounds(schema, tree, items.len(), ["minItems", "maxItems"], "items");
        let first = schema.get("prefixItems").and_then(Value::as_array);
        let first = first.map_or(&[][..], Vec::as_slice);
        for (index, item) in items.iter().enumerate() {
            if let Some(schema) = first.get(index).or_else(|| schema.get("items")) {
                self.part(index.to_string(), schema, item);
            }
        }
        if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
            self.unique(tree, items);
        }
        if let Some(item_schema) = schema.get("contains") {
            self.contains(schema, item_schema, tree, items);
        }
    }

    fn unique(&mut self, tree: &Tree, items: &[Tree]) {
        let mut seen = BTreeSet::new();
        let known = items.iter().filter(|item| !self.holds_unknown(item));
        let values = known.map(|item| with_plain_numbers(item.value()).to_string());
        if !values.into_iter().all(|value| seen.insert(value)) {
            self.report(tree.span, "has an item twice");
        }
    }

    fn contains(
        &mut self,
        schema: &'a Map<String, Value>,
        item_schema: &'a Value,
        tree: &Tree,
        items: &[Tree],
    ) {
        if self.holds_unknown(tree) {
            return;
        }
        let fits = |item: &&Tree| self.attempt(item_schema, item).is_empty();
        let count = items.iter().filter(fits).count();
        if self.is_cut_short {
            return;
        }
        let bound = |name: &str| match schema.get(name) {
            Some(Value::Number(bound)) => whole_number(bound),
            _ => None,
        };
        let (least, most) = (bound("minContains").unwrap_or(1), bound("maxContains"));
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        if count < least {
            let message =
                format!("has {count} items that fit `contains`, and needs at least {least}");
            self.report(tree.span, message);
        }
        if let Some(most) = most.filter(|most| count > *most) {
            let message =
                format!("has {count} items that fit `contains`, and may have at most {most}");
            self.report(tree.span, message);
        }
    }
}

/// The same value, where a number that is whole is written without a fraction.
fn with_plain_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(float) => plain(float).unwrap_or(Value::Number(number)),
            None => Value::Number(number),
        },
        Value::Array(items) => items.into_iter().map(with_plain_numbers).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| (key, with_plain_numbers(value)))
            .collect(),
        other => other,
    }
}

/// A float as a whole number, if it is one that 64 bits hold.
fn plain(float: f64) -> Option<Value> {
    const SIGNED: f64 = 9_223_372_036_854_775_808.0;
    const UNSIGNED: f64 = 18_446_744_073_709_551_616.0;
    if float.fract() != 0.0 {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is whole, and within the range"
    )]
    if (0.0..UNSIGNED).contains(&float) {
        Some(Value::from(float as u64))
    } else {
        (-SIGNED..0.0)
            .contains(&float)
            .then(|| Value::from(float as i64))
    }
}

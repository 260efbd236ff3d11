//! Why a value does not fit a schema, in words that a model may read: they name fields of the
//! schema and never repeat the value.

mod place;
#[cfg(test)]
mod tests;

use std::{cell::Cell, collections::BTreeSet};

use regex_lite::Regex;
use serde_json::{Map, Value};

use self::place::{Place, Step};

/// How deep schemas are followed, several steps for each level of a value; a schema that only refers to
/// itself has no end.
const MAX_DEPTH: usize = 256;

/// The first place where `value` does not fit `schema`, `None` if it seems to fit. What is too deep or too complex to be
/// checked seems to: its type decides.
pub(crate) fn explain(schema: &Value, value: &Value) -> Option<String> {
    let checker = Checker::new(schema, value);
    checker.check(schema, value, &Place::ROOT).err()
}

/// The same where no type decides: what cannot be checked does not fit.
#[cfg(feature = "documents")]
pub(crate) fn explain_untyped(schema: &Value, value: &Value) -> Option<String> {
    let checker = Checker::new(schema, value);
    let reason = checker.check(schema, value, &Place::ROOT).err();
    let not_checked = "the value is too deep, or its schema too complex, to be checked";
    reason.or_else(|| checker.is_cut_short.get().then(|| not_checked.to_owned()))
}

/// The most schemas that are checked against one value, and how many more for each of its parts: nested alternatives that
/// differ only in their contents would take exponential time.
const MAX_CHECKS: usize = 100_000;
const CHECKS_OF_A_PART: usize = 20;

struct Checker<'a> {
    root: &'a Value,
    value: &'a Value,
    checks: Cell<usize>,
    /// The most checks, once it is known how large the value is.
    most: Cell<Option<usize>>,
    is_cut_short: Cell<bool>,
}

/// How many values a value consists of.
fn size_of(value: &Value) -> usize {
    let parts: usize = match value {
        Value::Array(items) => items.iter().map(size_of).sum(),
        Value::Object(fields) => fields.values().map(size_of).sum(),
        _ => 0,
    };
    parts + 1
}

/// The keywords that most schemas have, found in one pass: each look-up in the map costs as much as that.
#[derive(Default)]
struct Keywords<'a> {
    ty: Option<&'a Value>,
    properties: Option<&'a Map<String, Value>>,
    required: &'a [Value],
    additional: Option<&'a Value>,
    patterns: Option<&'a Map<String, Value>>,
    items: Option<&'a Value>,
    reference: Option<&'a Value>,
    /// Whether there are others, which say something about the value as a whole.
    has_others: bool,
}

impl<'a> Keywords<'a> {
    fn of(schema: &'a Map<String, Value>) -> Self {
        let mut found = Self::default();
        for (keyword, value) in schema {
            match keyword.as_str() {
                "type" => found.ty = Some(value),
                "properties" => found.properties = value.as_object(),
                "required" => found.required = value.as_array().map_or(&[], Vec::as_slice),
                "additionalProperties" => found.additional = Some(value),
                "patternProperties" => found.patterns = value.as_object(),
                "items" => found.items = Some(value),
                "$ref" => found.reference = Some(value),
                "description" => {}
                _ => found.has_others = true,
            }
        }
        found
    }

    /// The schema of the fields whose names have a pattern that `name` has.
    fn of_pattern(&self, name: &str) -> Option<&'a Value> {
        let (_, schema) = self.patterns?.iter().find(|(pattern, _)| {
            // As for texts, one that cannot be compiled here is ignored.
            Regex::new(pattern).map_or(true, |regex| regex.is_match(name))
        })?;
        Some(schema)
    }

    /// Whether a field tells one form from another.
    fn is_tag(&self, name: &str) -> bool {
        let schema = self
            .properties
            .and_then(|known| known.get(name)?.as_object());
        schema.is_some_and(|schema| schema.contains_key("const") || schema.contains_key("enum"))
    }
}

impl<'a> Checker<'a> {
    const fn new(root: &'a Value, value: &'a Value) -> Self {
        Self {
            root,
            value,
            checks: Cell::new(0),
            most: Cell::new(None),
            is_cut_short: Cell::new(false),
        }
    }

    /// Counts a check. Most values are so small that their size is not of interest.
    fn may_check(&self, depth: usize) -> bool {
        let checks = self.checks.get() + 1;
        self.checks.set(checks);
        let is_few = checks <= MAX_CHECKS || {
            let most = self.most.get().unwrap_or_else(|| {
                let of_parts = size_of(self.value).saturating_mul(CHECKS_OF_A_PART);
                MAX_CHECKS.saturating_add(of_parts)
            });
            self.most.set(Some(most));
            checks <= most
        };
        let may_check = is_few && depth <= MAX_DEPTH;
        if !may_check {
            self.is_cut_short.set(true);
        }
        may_check
    }
}

impl Checker<'_> {
    fn check(&self, schema: &Value, value: &Value, at: &Place<'_>) -> Result<(), String> {
        let Value::Object(schema) = schema else {
            return match schema {
                Value::Bool(false) => at.reject("is not allowed"),
                _ => Ok(()),
            };
        };
        if schema.is_empty() {
            return Ok(());
        }
        if !self.may_check(at.depth) {
            return Ok(());
        }
        let keywords = Keywords::of(schema);
        if let Some(target) = keywords.reference.and_then(|target| self.resolve(target)) {
            self.check(target, value, &at.below(Step::Here))?;
        }
        check_type(keywords.ty, value, at)?;
        if keywords.has_others {
            self.check_whole(schema, value, at)?;
        }
        match value {
            Value::Object(fields) => self.check_fields(&keywords, fields, at),
            Value::Array(items) => match keywords.items {
                Some(schema) => items.iter().enumerate().try_for_each(|(index, item)| {
                    self.check(schema, item, &at.below(Step::Item(index)))
                }),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Checks the keywords that few schemas have, and that are about the value as a whole.
    fn check_whole(
        &self,
        keywords: &Map<String, Value>,
        value: &Value,
        at: &Place<'_>,
    ) -> Result<(), String> {
        check_listed(keywords, value, at)?;
        check_bounds(keywords, value, at)?;
        for part in parts(keywords, "allOf") {
            self.check(part, value, &at.below(Step::Here))?;
        }
        self.check_alternatives(parts(keywords, "anyOf"), value, at)?;
        self.check_alternatives(parts(keywords, "oneOf"), value, at)
    }

    fn resolve(&self, target: &Value) -> Option<&Value> {
        self.root.pointer(target.as_str()?.strip_prefix('#')?)
    }

    /// One of the alternatives must fit. Where there is but one besides `null`, its own reason is given.
    fn check_alternatives(
        &self,
        alternatives: &[Value],
        value: &Value,
        at: &Place<'_>,
    ) -> Result<(), String> {
        let at_alternative = at.below(Step::Here);
        let mut reasons = Vec::new();
        for alternative in alternatives {
            match self.check(alternative, value, &at_alternative) {
                Ok(()) => return Ok(()),
                Err(_) if alternative.get("type").is_some_and(|ty| ty == "null") => {}
                Err(reason) => reasons.push(reason),
            }
        }
        match (alternatives.is_empty(), reasons.pop()) {
            (true, _) => Ok(()),
            (false, Some(reason)) if reasons.is_empty() => Err(reason),
            (false, _) => at.reject("matches none of the allowed forms"),
        }
    }

    fn check_fields(
        &self,
        keywords: &Keywords<'_>,
        fields: &Map<String, Value>,
        at: &Place<'_>,
    ) -> Result<(), String> {
        for name in keywords.required.iter().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                return at.below(Step::Field(name)).reject("is missing");
            }
        }
        // What tells one form from another is looked at before what it holds.
        let is_first = |name: &str| fields.len() > 1 && keywords.is_tag(name);
        let first = fields.iter().filter(|(name, _)| is_first(name));
        let others = fields.iter().filter(|(name, _)| !is_first(name));
        for (name, value) in first.chain(others) {
            self.check_field(keywords, name, value, at)?;
        }
        Ok(())
    }

    fn check_field(
        &self,
        keywords: &Keywords<'_>,
        name: &str,
        value: &Value,
        at: &Place<'_>,
    ) -> Result<(), String> {
        if let Some(schema) = keywords.of_pattern(name) {
            return self.check(schema, value, &at.below(Step::Here));
        }
        match (
            keywords.properties.and_then(|known| known.get(name)),
            keywords.additional,
        ) {
            (Some(schema), _) => self.check(schema, value, &at.below(Step::Field(name))),
            (None, Some(Value::Bool(false))) => at.reject("has a field that is not allowed"),
            (None, Some(schema)) => self.check(schema, value, &at.below(Step::Here)),
            (None, None) => Ok(()),
        }
    }
}

fn parts<'a>(keywords: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    match keywords.get(key) {
        Some(Value::Array(parts)) => parts,
        _ => &[],
    }
}

fn check_type(types: Option<&Value>, value: &Value, at: &Place<'_>) -> Result<(), String> {
    let types = match types {
        Some(Value::String(ty)) if is_of_type(value, ty) => return Ok(()),
        Some(Value::Array(types)) => types,
        Some(ty) => std::slice::from_ref(ty),
        None => return Ok(()),
    };
    let mut types = types.iter().filter_map(Value::as_str).peekable();
    if types.peek().is_none() || types.clone().any(|ty| is_of_type(value, ty)) {
        return Ok(());
    }
    let types: Vec<&str> = types.collect();
    at.reject(format_args!("is not of type {}", types.join(" or ")))
}

fn check_listed(
    keywords: &Map<String, Value>,
    value: &Value,
    at: &Place<'_>,
) -> Result<(), String> {
    let only = keywords.get("const").map(std::slice::from_ref);
    let among = keywords.get("enum").and_then(Value::as_array);
    let mut lists = only.into_iter().chain(among.map(Vec::as_slice));
    let fits = |allowed: &[Value]| allowed.iter().any(|allowed| is_same(allowed, value));
    let Some(allowed) = lists.find(|allowed| !fits(allowed)) else {
        return Ok(());
    };
    let allowed: Vec<String> = allowed.iter().map(Value::to_string).collect();
    at.reject(format_args!("is none of {}", allowed.join(", ")))
}

/// Whether two values are the same; `1.0` is `1`.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) if one.is_f64() != other.is_f64() => {
            one.as_f64() == other.as_f64()
        }
        _ => one == other,
    }
}

fn check_bounds(
    keywords: &Map<String, Value>,
    value: &Value,
    at: &Place<'_>,
) -> Result<(), String> {
    let within = |measure: f64, [least, most]: [&str; 2], verb: &str, unit: &str| {
        let bound = |key: &str| keywords.get(key).and_then(Value::as_f64);
        if let Some(least) = bound(least).filter(|least| measure < *least) {
            return at.reject(format_args!("{verb} less than {least}{unit}"));
        }
        match bound(most).filter(|most| measure > *most) {
            Some(most) => at.reject(format_args!("{verb} more than {most}{unit}")),
            None => Ok(()),
        }
    };
    match value {
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            within(number, ["minimum", "maximum"], "is", "")?;
            check_number(keywords, number, at)
        }
        Value::String(text) => {
            let length = count(text.chars().count());
            within(length, ["minLength", "maxLength"], "has", " characters")?;
            check_pattern(keywords, text, at)
        }
        Value::Array(items) => {
            within(
                count(items.len()),
                ["minItems", "maxItems"],
                "has",
                " items",
            )?;
            check_unique(keywords, items, at)
        }
        Value::Object(fields) => {
            let size = count(fields.len());
            within(size, ["minProperties", "maxProperties"], "has", " fields")
        }
        Value::Null | Value::Bool(_) => Ok(()),
    }
}

fn check_unique(
    keywords: &Map<String, Value>,
    items: &[Value],
    at: &Place<'_>,
) -> Result<(), String> {
    if keywords.get("uniqueItems") != Some(&Value::Bool(true)) {
        return Ok(());
    }
    let mut seen = BTreeSet::new();
    match items.iter().all(|item| seen.insert(item.to_string())) {
        true => Ok(()),
        false => at.reject("has an item twice"),
    }
}

fn check_number(keywords: &Map<String, Value>, number: f64, at: &Place<'_>) -> Result<(), String> {
    let bound = |key: &str| keywords.get(key).and_then(Value::as_f64);
    if let Some(least) = bound("exclusiveMinimum").filter(|least| number <= *least) {
        return at.reject(format_args!("is not more than {least}"));
    }
    if let Some(most) = bound("exclusiveMaximum").filter(|most| number >= *most) {
        return at.reject(format_args!("is not less than {most}"));
    }
    match bound("multipleOf").filter(|step| *step > 0.0) {
        Some(step) if !is_multiple(number, step) => {
            at.reject(format_args!("is not a multiple of {step}"))
        }
        _ => Ok(()),
    }
}

/// Up to the last digits, which few steps have in binary.
fn is_multiple(number: f64, step: f64) -> bool {
    let times = number / step;
    (times - times.round()).abs() <= f64::EPSILON * times.abs().max(1.0) * 4.0
}

/// A pattern that cannot be compiled here is ignored.
fn check_pattern(keywords: &Map<String, Value>, text: &str, at: &Place<'_>) -> Result<(), String> {
    let pattern = keywords.get("pattern").and_then(Value::as_str);
    match pattern.and_then(|pattern| Some((pattern, Regex::new(pattern).ok()?))) {
        Some((pattern, regex)) if !regex.is_match(text) => {
            at.reject(format_args!("does not match {pattern}"))
        }
        _ => Ok(()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "no text is that long")]
fn count(length: usize) -> f64 {
    length as f64
}

fn is_of_type(value: &Value, ty: &str) -> bool {
    match ty {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        _ => true,
    }
}

//! Values that a JSON Schema allows.

use std::cell::Cell;

use serde_json::{Map, Value, json};

/// How many definitions are inside each other: a type may contain itself.
const DEPTH: usize = 12;

/// How many values there are at most, beside the smallest: enough for the cases of most enums.
const MOST: usize = 64;

/// How many parts a value has at most.
const PARTS: usize = 2_000;

/// Values of a schema: the smallest one, and one with all properties for each case of an enum.
pub(super) fn samples(schema: &Value) -> Vec<Value> {
    let sampler = |case| Sampler {
        schema,
        is_smallest: case == 0,
        case: Cell::new(case),
        parts: Cell::new(PARTS),
    };
    let smallest = sampler(0).value(schema, DEPTH);
    let with_cases = (1..=MOST).map(|case| sampler(case).value(schema, DEPTH));
    let mut samples: Vec<Value> = smallest.into_iter().chain(with_cases.flatten()).collect();
    samples.dedup();
    samples
}

struct Sampler<'a> {
    /// The whole schema, with its definitions.
    schema: &'a Value,
    /// Whether what may be left out is.
    is_smallest: bool,
    /// Which case of each enum: a number with a digit for each of them.
    case: Cell<usize>,
    /// How many parts the value may still have.
    parts: Cell<usize>,
}

impl Sampler<'_> {
    /// A value of a part of the schema. `None` where there is none of that depth.
    fn value(&self, schema: &Value, depth: usize) -> Option<Value> {
        self.parts.set(self.parts.get().checked_sub(1)?);
        let Some(schema) = schema.as_object() else {
            return Some(Value::Null);
        };
        if let Some(value) = schema.get("const") {
            return Some(value.clone());
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let depth = depth.checked_sub(1)?;
            let target = self.schema.pointer(reference.trim_start_matches('#'))?;
            let value = self.value(target, depth)?;
            // The tag of an enum may stand beside what a case holds.
            let has_more = schema.contains_key("properties");
            let more = has_more.then(|| self.object(schema, depth)).flatten();
            return Some(merged(more, value));
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return self.pick(values).cloned();
        }
        let base = self.of_type(schema, depth);
        let Some(cases) = ["oneOf", "anyOf"].iter().find_map(|word| schema.get(*word)) else {
            return self.all_of(schema, base, depth);
        };
        let cases = cases.as_array()?;
        let chosen = self.pick(cases).and_then(|case| self.value(case, depth));
        // A case may contain the type itself, too deep for a value: another may not.
        let chosen = chosen.or_else(|| cases.iter().find_map(|case| self.value(case, depth)))?;
        Some(merged(base, chosen))
    }

    fn all_of(
        &self,
        schema: &Map<String, Value>,
        base: Option<Value>,
        depth: usize,
    ) -> Option<Value> {
        let parts = schema.get("allOf").and_then(Value::as_array);
        let mut all = base;
        for part in parts.into_iter().flatten() {
            let part = self.value(part, depth)?;
            all = Some(merged(all, part));
        }
        all
    }

    fn pick<'v>(&self, values: &'v [Value]) -> Option<&'v Value> {
        let case = self.case.get();
        self.case.set(case.checked_div(values.len())?);
        values.get(case % values.len())
    }

    fn of_type(&self, schema: &Map<String, Value>, depth: usize) -> Option<Value> {
        let types = match schema.get("type") {
            Some(Value::Array(types)) => self.pick(types),
            other => other,
        };
        let is_object = schema.contains_key("properties");
        match types.and_then(Value::as_str) {
            Some("object") => self.object(schema, depth),
            None if is_object => self.object(schema, depth),
            Some("array") => self.array(schema, depth),
            Some("string") => Some(text(schema).into()),
            Some("integer") => {
                Some(number(schema, 1.0).map_or(json!(1), |it| json!(it.ceil() as i64)))
            }
            Some("number") => Some(number(schema, 1.5).map_or(json!(1.5), |it| json!(it))),
            Some("boolean") => Some(json!(!self.is_smallest)),
            Some(_) | None => Some(Value::Null),
        }
    }

    fn object(&self, schema: &Map<String, Value>, depth: usize) -> Option<Value> {
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| {
            let mut required = required.into_iter().flatten();
            required.any(|it| it.as_str() == Some(name))
        };
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut object = Map::new();
        for (name, property) in properties.into_iter().flatten() {
            match (is_required(name), self.value(property, depth)) {
                (true, value) => drop(object.insert(name.clone(), value?)),
                (false, Some(value)) if !self.is_smallest => {
                    object.insert(name.clone(), value);
                }
                (false, _) => {}
            }
        }
        let others = schema.get("additionalProperties");
        if let Some(other) = others.filter(|it| it.is_object() && !self.is_smallest)
            && let Some(value) = self.value(other, depth)
        {
            // Keys of maps may be numbers.
            object.insert("1".to_owned(), value);
        }
        Some(object.into())
    }

    fn array(&self, schema: &Map<String, Value>, depth: usize) -> Option<Value> {
        let fixed = schema.get("prefixItems").and_then(Value::as_array);
        let mut items = Vec::new();
        for item in fixed.into_iter().flatten() {
            items.push(self.value(item, depth)?);
        }
        let least = schema.get("minItems").and_then(Value::as_u64);
        let least = least.map_or(0, |least| usize::try_from(least).unwrap_or_default());
        let wanted = match self.is_smallest {
            true => least,
            false => least.max(1),
        };
        if let Some(item) = schema.get("items").filter(|_| fixed.is_none()) {
            while items.len() < wanted.min(64) {
                match self.value(item, depth) {
                    Some(value) => items.push(value),
                    None if items.len() >= least => break,
                    None => return None,
                }
            }
        }
        Some(items.into())
    }
}

/// One value that has what both have, where both are objects.
fn merged(base: Option<Value>, other: Value) -> Value {
    match (base, other) {
        (Some(Value::Object(mut base)), Value::Object(other)) => {
            base.extend(other);
            base.into()
        }
        (_, other) => other,
    }
}

/// A text of the format that is asked for; formats as in JSON Schema 2020-12, section 7.3 of its validation part.
fn text(schema: &Map<String, Value>) -> &'static str {
    match schema.get("format").and_then(Value::as_str) {
        Some("date-time" | "partial-date-time") => "2026-01-31T12:00:00Z",
        Some("date") => "2026-01-31",
        Some("time" | "partial-time") => "12:00:00",
        Some("duration") => "PT1H",
        Some("uuid") => "67e55044-10b1-426f-9247-bb680e5fe0c8",
        Some("uri") => "https://example.org/",
        Some("email") => "ada@example.org",
        Some("ip" | "ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("char") => "a",
        Some(_) | None => "a text",
    }
}

/// A number within the bounds, where there are some.
fn number(schema: &Map<String, Value>, wanted: f64) -> Option<f64> {
    let bound = |word: &str| schema.get(word).and_then(Value::as_f64);
    let (least, most) = (bound("minimum"), bound("maximum"));
    match (least, most) {
        (None, None) => None,
        (least, most) => {
            let number = least.map_or(wanted, |least| wanted.max(least));
            Some(most.map_or(number, |most| number.min(most)))
        }
    }
}

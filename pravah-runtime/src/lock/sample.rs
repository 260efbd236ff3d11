//! Values that a JSON Schema allows.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
};

use serde_json::{Map, Value, json};

/// How many definitions are inside each other: a type may contain itself.
const DEPTH: usize = 12;

/// How many values there are at most, beside the smallest: enough for all cases of most types.
const MOST: usize = 1_000;

/// How many parts a value has at most.
const PARTS: usize = 2_000;

/// Values of a schema: the smallest one, and those with all properties, where one choice at a time is another than the
/// first. (All combinations would be too many, and a field is read whatever the others are.)
pub(super) fn samples(schema: &Value) -> Vec<Value> {
    let smallest = Sampler::of(schema, &[], true).value(schema, DEPTH);
    let mut samples: Vec<Value> = smallest.into_iter().collect();
    let mut plans = VecDeque::from([Plan::default()]);
    for _ in 0..MOST {
        let Some(plan) = plans.pop_front() else {
            break;
        };
        let sampler = Sampler::of(schema, &plan.picks, false);
        samples.extend(sampler.value(schema, DEPTH));
        plans.extend(plan.next(&sampler.choices.into_inner(), MOST - plans.len().min(MOST)));
    }
    samples.dedup();
    samples
}

/// Which alternatives a value has, of each choice in the order of the schema. Those that follow are the first ones.
#[derive(Default)]
struct Plan {
    picks: Vec<usize>,
}

/// A choice that was made for a value.
struct Choice {
    picked: usize,
    alternatives: usize,
    /// The number of the first choice that is not part of what was picked.
    end: usize,
}

impl Plan {
    /// The plans that differ in one choice that is part of what the last pick of this one has brought.
    fn next(&self, choices: &[Choice], most: usize) -> Vec<Self> {
        let end = match self.picks.len().checked_sub(1) {
            Some(last) => choices.get(last).map_or(0, |choice| choice.end),
            None => choices.len(),
        };
        let picked = |before: usize| choices.iter().take(before).map(|choice| choice.picked);
        let new = choices.iter().enumerate().take(end).skip(self.picks.len());
        let plans = new.flat_map(|(at, choice)| {
            let others = 1..choice.alternatives;
            others.map(move |other| Self {
                picks: picked(at).chain([other]).collect(),
            })
        });
        plans.take(most).collect()
    }
}

struct Sampler<'a> {
    /// The whole schema, with its definitions.
    schema: &'a Value,
    /// Whether what may be left out is.
    is_smallest: bool,
    picks: &'a [usize],
    choices: RefCell<Vec<Choice>>,
    /// How many parts the value may still have.
    parts: Cell<usize>,
}

impl<'a> Sampler<'a> {
    fn of(schema: &'a Value, picks: &'a [usize], is_smallest: bool) -> Self {
        Self {
            schema,
            is_smallest,
            picks,
            choices: RefCell::default(),
            parts: Cell::new(PARTS),
        }
    }

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
            return self.pick(values, |value| Some(value.clone()));
        }
        let base = self.of_type(schema, depth);
        let Some(cases) = ["oneOf", "anyOf"].iter().find_map(|word| schema.get(*word)) else {
            return self.all_of(schema, base, depth);
        };
        let cases = cases.as_array()?;
        let chosen = self.pick(cases, |case| self.value(case, depth));
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

    /// What `with` makes of one of these.
    fn pick(&self, values: &[Value], with: impl FnOnce(&Value) -> Option<Value>) -> Option<Value> {
        let at = self.choices.borrow().len();
        let picked = self.picks.get(at).copied().unwrap_or_default();
        let choice = Choice {
            picked,
            alternatives: values.len(),
            end: at,
        };
        self.choices.borrow_mut().push(choice);
        let value = values.get(picked).and_then(with);
        let mut choices = self.choices.borrow_mut();
        let end = choices.len();
        if let Some(choice) = choices.get_mut(at) {
            choice.end = end;
        }
        value
    }

    fn of_type(&self, schema: &Map<String, Value>, depth: usize) -> Option<Value> {
        match schema.get("type") {
            Some(Value::Array(types)) => self.pick(types, |of_type| {
                self.of_one_type(schema, Some(of_type), depth)
            }),
            of_type => self.of_one_type(schema, of_type, depth),
        }
    }

    fn of_one_type(
        &self,
        schema: &Map<String, Value>,
        of_type: Option<&Value>,
        depth: usize,
    ) -> Option<Value> {
        let is_object = schema.contains_key("properties");
        match of_type.and_then(Value::as_str) {
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

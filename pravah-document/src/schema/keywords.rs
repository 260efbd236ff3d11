//! What the keywords of a schema ask for.

use std::{cmp::Ordering, collections::BTreeSet, rc::Rc};

use regex_lite::Regex;
use serde_json::{Map, Number, Value};

use super::{Checker, Violation, truncated, types};
use crate::{
    compare::{equal, is_multiple, numbers, whole},
    nearest::nearest,
    tree::{Data, Tree},
};

impl<'a> Checker<'a> {
    pub(super) fn keywords(&mut self, schema: &'a Map<String, Value>, tree: &Tree) {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str)
            && let Some(target) = self.target(reference)
        {
            self.referenced(target, tree);
        }
        // A value of the wrong type fails everything else as well.
        if !self.has_type(schema, tree) || !self.is_among(schema, tree) {
            return;
        }
        match &tree.data {
            Data::Map(entries) => self.fields(schema, tree, entries),
            Data::List(items) => self.items(schema, tree, items),
            Data::String(text) if !self.is_unknown_text(tree) => self.text(schema, tree, text),
            Data::Number(number) => {
                self.range(schema, tree, number);
                self.multiple(schema, tree, number);
            }
            _ => {}
        }
        self.combinations(schema, tree);
    }

    /// A schema that refers to itself for the same value asks for no more than it does already.
    fn referenced(&mut self, target: &'a Value, tree: &Tree) {
        let pair = (std::ptr::from_ref(target), std::ptr::from_ref(tree));
        if self.followed.contains(&pair) {
            return;
        }
        self.followed.push(pair);
        self.check(target, tree);
        self.followed.pop();
    }

    fn target(&self, reference: &str) -> Option<&'a Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }

    fn has_type(&mut self, schema: &Map<String, Value>, tree: &Tree) -> bool {
        let Some(types) = types(schema) else {
            return true;
        };
        let fits = types.iter().any(|name| is_of_type(tree, name));
        if !fits {
            let (kind, names) = (tree.kind(), described_types(&types));
            self.report(tree.span, format!("is {kind}, and has to be {names}"));
        }
        fits
    }

    fn is_among(&mut self, schema: &Map<String, Value>, tree: &Tree) -> bool {
        let only = schema.get("const").map(std::slice::from_ref);
        let among = schema.get("enum").and_then(Value::as_array);
        if only.is_none() && among.is_none() || self.holds_unknown(tree) {
            return true;
        }
        let value = tree.value();
        let mut lists = only.into_iter().chain(among.map(Vec::as_slice));
        let unfit = lists.find(|values| !values.iter().any(|allowed| equal(allowed, &value)));
        let Some(values) = unfit else {
            return true;
        };
        self.report(tree.span, none_of(values));
        let known = values.iter().filter_map(Value::as_str);
        let near = tree.as_str().and_then(|text| nearest(text, known));
        self.help(near.map(|near| format!("did you mean `{near}`?")));
        false
    }

    /// Says what to do about the last violation.
    pub(super) fn help(&mut self, help: Option<String>) {
        if let Some(last) = self.found.last_mut() {
            last.help = help;
        }
    }

    pub(super) fn part(&mut self, name: String, schema: &'a Value, tree: &Tree) {
        self.path.push(name);
        self.check(schema, tree);
        self.path.pop();
    }

    pub(super) fn bounds(
        &mut self,
        schema: &Map<String, Value>,
        tree: &Tree,
        count: usize,
        [least, most]: [&str; 2],
        of: &str,
    ) {
        let bound = |name| schema.get(name).and_then(whole);
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        match bound(least).filter(|least| count < *least) {
            Some(1) => self.report(tree.span, "is empty"),
            Some(least) => self.report(tree.span, format!("has fewer than {least} {of}")),
            None => {}
        }
        if let Some(most) = bound(most).filter(|most| count > *most) {
            self.report(tree.span, format!("has more than {most} {of}"));
        }
    }

    fn text(&mut self, schema: &'a Map<String, Value>, tree: &Tree, text: &str) {
        let length = text.chars().count();
        let keywords = ["minLength", "maxLength"];
        self.bounds(schema, tree, length, keywords, "characters");
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
            && let Some(regex) = self.regex(pattern)
            && !regex.is_match(text)
        {
            self.report(tree.span, format!("does not match `{pattern}`"));
        }
    }

    /// A pattern, compiled, if `regex-lite` supports it.
    pub(super) fn regex(&mut self, pattern: &'a str) -> Option<Rc<Regex>> {
        let known = self.patterns.entry(pattern);
        let regex = known.or_insert_with(|| Regex::new(pattern).ok().map(Rc::new));
        regex.clone()
    }

    fn multiple(&mut self, schema: &Map<String, Value>, tree: &Tree, number: &Number) {
        if let Some(Value::Number(step)) = schema.get("multipleOf")
            && !is_multiple(number, step)
        {
            self.report(tree.span, format!("is not a multiple of {step}"));
        }
    }

    fn range(&mut self, schema: &Map<String, Value>, tree: &Tree, number: &Number) {
        for (keyword, is_wrong, words) in [
            (
                "minimum",
                Ordering::is_lt as fn(Ordering) -> bool,
                "is less than",
            ),
            ("maximum", Ordering::is_gt, "is more than"),
            ("exclusiveMinimum", Ordering::is_le, "is not more than"),
            ("exclusiveMaximum", Ordering::is_ge, "is not less than"),
        ] {
            if let Some(Value::Number(bound)) = schema.get(keyword)
                && numbers(number, bound).is_some_and(is_wrong)
            {
                self.report(tree.span, format!("{words} {bound}"));
            }
        }
    }

    fn combinations(&mut self, schema: &'a Map<String, Value>, tree: &Tree) {
        let list = |name| {
            schema
                .get(name)
                .and_then(Value::as_array)
                .map_or(&[][..], Vec::as_slice)
        };
        for schema in list("allOf") {
            self.check(schema, tree);
        }
        self.condition(schema, tree);
        self.alternatives(list("anyOf"), tree, false);
        self.alternatives(list("oneOf"), tree, true);
        if let Some(schema) = schema.get("not")
            && !self.holds_unknown(tree)
            && self.attempt(schema, tree).is_empty()
            && !self.is_cut_short
        {
            self.report(tree.span, "is what it must not be");
        }
    }

    /// Looks at `then` or `else`, as `if` says.
    fn condition(&mut self, schema: &'a Map<String, Value>, tree: &Tree) {
        let Some(condition) = schema.get("if") else {
            return;
        };
        if self.holds_unknown(tree) {
            return;
        }
        let holds = self.attempt(condition, tree).is_empty();
        let follows = schema.get(if holds { "then" } else { "else" });
        if let Some(follows) = follows.filter(|_| !self.is_cut_short) {
            self.check(follows, tree);
        }
    }

    fn alternatives(&mut self, schemas: &'a [Value], tree: &Tree, is_one: bool) {
        if schemas.is_empty() {
            return;
        }
        let mut results: Vec<Vec<Violation>> = Vec::new();
        for schema in schemas {
            let found = self.attempt(schema, tree);
            let fits = found.is_empty();
            results.push(found);
            if fits && !is_one {
                return;
            }
        }
        match results.iter().filter(|found| found.is_empty()).count() {
            0 => self.closest(results, tree),
            1 => {}
            _ if is_one && !self.is_cut_short && !self.holds_unknown(tree) => {
                self.report(tree.span, "fits more than one of the alternatives");
            }
            _ => {}
        }
    }

    /// Reports what is wrong by the one alternative whose mistakes are not about the whole value, if there is one.
    fn closest(&mut self, results: Vec<Vec<Violation>>, tree: &Tree) {
        let path = self.place();
        let is_near = |found: &Vec<Violation>| found.iter().all(|it| it.path != path);
        let mut near: Vec<_> = results.into_iter().filter(is_near).collect();
        match (near.pop(), near.is_empty()) {
            (Some(only), true) => self.found.extend(only),
            _ => self.report(tree.span, "fits none of the alternatives"),
        }
    }
}

fn is_of_type(tree: &Tree, name: &str) -> bool {
    match (&tree.data, name) {
        (Data::Null, "null")
        | (Data::Bool(_), "boolean")
        | (Data::Number(_), "number")
        | (Data::String(_), "string")
        | (Data::List(_), "array")
        | (Data::Map(_), "object") => true,
        (Data::Number(number), "integer") => {
            number.as_i128().is_some()
                || number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => false,
    }
}

/// Types in the words of a document: `a string or null`.
pub(crate) fn described_types(names: &[&str]) -> String {
    let names: Vec<&str> = names.iter().map(|name| described(name)).collect();
    names.join(" or ")
}

/// A type in the words of a document.
fn described(name: &str) -> &str {
    match name {
        "boolean" => "true or false",
        "number" => "a number",
        "integer" => "a whole number",
        "string" => "a string",
        "array" => "a list",
        "object" => "an object",
        other => other,
    }
}

/// Says that a value is not among those that are allowed.
fn none_of(values: &[Value]) -> String {
    const MOST: usize = 20;
    const LONGEST: usize = 100;
    let mut seen = BTreeSet::new();
    let shown = values.iter().map(|value| match value {
        Value::String(text) => format!("`{}`", truncated(text, LONGEST)),
        other => format!("`{}`", truncated(&other.to_string(), LONGEST)),
    });
    let mut shown: Vec<_> = shown.filter(|it| seen.insert(it.clone())).collect();
    let left_out = shown.len().saturating_sub(MOST);
    shown.truncate(MOST);
    match (shown.as_slice(), left_out) {
        ([only], _) => format!("is not {only}"),
        (_, 0) => format!("is none of {}", shown.join(", ")),
        _ => format!("is none of {} and {left_out} more", shown.join(", ")),
    }
}

//! Any text as a template, and as a condition: what is read is written as it was, and what a binding becomes is data.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pravah_document::{Template, When};
use serde_json::{Value, json};

fuzz_target!(|text: &str| {
    // What a node has returned looks like bindings itself.
    let scope = json!({
        "flow": { "input": { "a": [1, "{{ flow.input.a }}", null] } },
        "a": { "b": "{{ a.b }}", "c": 1.0 },
    });
    let value = Value::String(text.to_owned());
    if let Ok(template) = Template::parse(&value) {
        let source = template.source();
        assert_eq!(Template::parse(&source).unwrap(), template, "{source}");
        if template.roots().is_empty() {
            let plain = template.resolve(&scope).unwrap();
            assert_eq!(plain, Value::String(text.replace("{{{{", "{{")));
        } else if let Ok(value) = template.resolve(&scope) {
            drop(value.to_string());
        }
    }
    if let Ok(value) = serde_json::from_str::<Value>(text)
        && let Ok(when) = When::parse(&value)
    {
        when.holds(&scope);
        let source = when.source();
        assert_eq!(When::parse(&source).unwrap(), when, "{source}");
    }
});

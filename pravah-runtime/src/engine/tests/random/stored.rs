//! What the snapshot of a random flow has to hold.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// No value is there twice, whatever places hold it; but what an item started with is in its list, and may be in the
/// item too.
pub(super) fn assert_once(frame: &Value, around: &BTreeSet<u64>) {
    let section = |of: &'_ Value, name: &str| -> Vec<Value> {
        let entries = of[name].as_object().into_iter();
        entries.flat_map(|it| it.values().cloned()).collect()
    };
    let sections = ["states", "inputs", "latest", "output"].into_iter();
    let mut states: Vec<Value> = sections.flat_map(|name| section(frame, name)).collect();
    let lists = section(frame, "lists");
    states.extend(lists.iter().flat_map(|list| section(list, "done")));
    let (mut known, mut items) = (around.clone(), BTreeSet::new());
    for state in states {
        let (numbers, is_list) = match state.as_array() {
            Some(list) => (list.clone(), true),
            None => (vec![state], false),
        };
        for number in numbers {
            // Of a call that was made it is what that has returned; one that has failed has none.
            let number = number.get("content").unwrap_or(&number);
            if number.is_string() {
                continue;
            }
            let n = number["n"].as_u64().unwrap();
            assert!(known.insert(n), "{n} is there twice: {frame}");
            if is_list {
                items.insert(n);
            }
        }
    }
    let known = known.difference(&items).copied().collect();
    for item in lists.iter().flat_map(|list| section(list, "items")) {
        assert_once(&item, &known);
    }
}

/// A run without what depends on the order in which its bodies ended: its states, lists and failures. What is kept may
/// depend on that too, where nobody is to read it any more.
pub(super) fn what_waits(run: &Value) -> Value {
    let depends = [
        "ready",
        "steps",
        "calls",
        "usage",
        "asked",
        "timers",
        "attempts",
        "questions",
        "message",
        "visits",
        "latest",
        "shared_latest",
        "captured",
        "inbox",
    ];
    let Value::Object(fields) = run else {
        return run.clone();
    };
    let mut fields = fields.clone();
    for (name, references, values) in [
        ("states", "latest_states", "latest"),
        ("states", "shared_states", "states"),
        ("inputs", "latest_inputs", "latest"),
        ("inputs", "shared_inputs", "inputs"),
    ] {
        for (key, holder) in fields
            .remove(references)
            .iter()
            .filter_map(Value::as_object)
            .flatten()
        {
            let value = fields[values][holder.as_str().unwrap()].clone();
            fields
                .entry(name)
                .or_insert_with(|| Value::Object(Map::new()))[key] = value;
        }
    }
    let lasting = fields
        .iter()
        .filter(|(key, _)| !depends.contains(&key.as_str()));
    lasting
        .map(|(key, value)| (key.clone(), what_waits(value)))
        .collect()
}

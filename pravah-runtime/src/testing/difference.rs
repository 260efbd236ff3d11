//! What is different between two runs.

use serde_json::Value;

use super::effects::Noted;

/// What a run came to.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) output: Value,
    pub(super) effects: Noted,
}

/// What is different in a run that was disturbed, if anything is.
pub(super) fn difference(calm: &Ended, disturbed: &Ended) -> Option<String> {
    if calm.output != disturbed.output {
        let (expected, got) = (&calm.output, &disturbed.output);
        return Some(format!("the output is {got}, and {expected} without that"));
    }
    different_effects(&calm.effects, &disturbed.effects)
}

fn different_effects(calm: &Noted, disturbed: &Noted) -> Option<String> {
    for (effect, count) in &disturbed.without_key {
        let expected = calm.without_key.get(effect).copied().unwrap_or_default();
        if *count > expected {
            return Some(format!(
                "`{effect}` happened {count} times, and {expected} without that: it has no key by which the other side recognises it"
            ));
        }
    }
    for (effect, expected) in &calm.without_key {
        let count = disturbed
            .without_key
            .get(effect)
            .copied()
            .unwrap_or_default();
        if count < *expected {
            return Some(format!(
                "`{effect}` happened {count} times, and {expected} without that"
            ));
        }
    }
    for (key, effects) in &disturbed.by_key {
        match calm.by_key.get(key) {
            None => {
                return Some(format!(
                    "there is an effect under the key `{key}`, and none without that: a key has to be the same each time a step is made"
                ));
            }
            Some(expected) if expected != effects => {
                let (expected, got) = (list(expected), list(effects));
                return Some(format!(
                    "what happened under the key `{key}` is {got}, and {expected} without that"
                ));
            }
            Some(_) => {}
        }
    }
    let lost = calm
        .by_key
        .keys()
        .find(|key| !disturbed.by_key.contains_key(*key));
    lost.map(|key| format!("there is no effect under the key `{key}`, and one without that"))
}

fn list(effects: &[Value]) -> String {
    let effects: Vec<String> = effects.iter().map(Value::to_string).collect();
    effects.join(" and ")
}

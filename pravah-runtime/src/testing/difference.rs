//! What is different between two runs.

use serde_json::Value;

use super::{CrashTestError, effects::Noted};

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
        return Some(format!(
            "the output is {got}, but {expected} in the undisturbed run"
        ));
    }
    let (calm, disturbed) = (&calm.effects, &disturbed.effects);
    different_counts(calm, disturbed).or_else(|| different_keys(calm, disturbed))
}

/// An effect without a key that happened more or less often.
fn different_counts(calm: &Noted, disturbed: &Noted) -> Option<String> {
    let effects = calm.without_key.keys().chain(disturbed.without_key.keys());
    effects.into_iter().find_map(|effect| {
        let count = |noted: &Noted| noted.without_key.get(effect).copied().unwrap_or_default();
        let (expected, got) = (count(calm), count(disturbed));
        let hint = match got > expected {
            true => ": give it a key by which the other side recognises a repetition",
            false => "",
        };
        (got != expected).then(|| {
            format!("`{effect}` happened {got} times, but {expected} in the undisturbed run{hint}")
        })
    })
}

/// A key under which something else happened, or nothing.
fn different_keys(calm: &Noted, disturbed: &Noted) -> Option<String> {
    let keys = calm.by_key.keys().chain(disturbed.by_key.keys());
    keys.into_iter().find_map(|key| match (calm.by_key.get(key), disturbed.by_key.get(key)) {
        (None, _) => Some(format!(
            "there is an effect under the key `{key}`, but none in the undisturbed run: a key has to be the same each \
             time a step is made"
        )),
        (_, None) => Some(format!(
            "there is no effect under the key `{key}`, but one in the undisturbed run"
        )),
        (Some(expected), Some(got)) if expected != got => {
            let (expected, got) = (list(expected), list(got));
            Some(format!(
                "what happened under the key `{key}` is {got}, but {expected} in the undisturbed run"
            ))
        }
        _ => None,
    })
}

/// Fails where two effects have one key.
pub(super) fn check_keys(effects: &Noted) -> Result<(), CrashTestError> {
    let mut keys = effects.by_key.iter();
    match keys.find(|(_, effects)| effects.len() > 1) {
        None => Ok(()),
        Some((key, effects)) => Err(CrashTestError::SharedKey {
            key: key.clone(),
            effects: list(effects),
        }),
    }
}

fn list(effects: &[Value]) -> String {
    let effects: Vec<String> = effects.iter().map(Value::to_string).collect();
    effects.join(" and ")
}

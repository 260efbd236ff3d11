//! The difference between the results of two runs.

use serde_json::Value;

use super::{CrashTestError, effects::EffectLog};

/// The result of a run.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) output: Value,
    pub(super) effects: EffectLog,
}

/// What differs in a run with a fault, if anything does.
pub(super) fn difference(baseline: &Finished, faulted: &Finished) -> Option<String> {
    if baseline.output != faulted.output {
        let (expected, got) = (&baseline.output, &faulted.output);
        return Some(format!(
            "the output is {got}, but {expected} in the baseline run"
        ));
    }
    let (baseline, faulted) = (&baseline.effects, &faulted.effects);
    different_counts(baseline, faulted).or_else(|| different_keys(baseline, faulted))
}

/// An unkeyed effect that happened more or less often.
fn different_counts(baseline: &EffectLog, faulted: &EffectLog) -> Option<String> {
    let effects = baseline
        .without_key
        .keys()
        .chain(faulted.without_key.keys());
    effects.into_iter().find_map(|effect| {
        let count = |log: &EffectLog| log.without_key.get(effect).copied().unwrap_or_default();
        let (expected, got) = (count(baseline), count(faulted));
        let hint = if got > expected {
            ": give it a key by which the other side recognises a repetition"
        } else {
            ""
        };
        (got != expected).then(|| {
            format!("`{effect}` happened {got} times, but {expected} in the baseline run{hint}")
        })
    })
}

/// A key under which something else happened, or nothing.
fn different_keys(baseline: &EffectLog, faulted: &EffectLog) -> Option<String> {
    let keys = baseline.by_key.keys().chain(faulted.by_key.keys());
    keys.into_iter().find_map(|key| match (baseline.by_key.get(key), faulted.by_key.get(key)) {
        (None, _) => Some(format!(
            "there is an effect under the key `{key}`, but none in the baseline run: a key has to be the same each \
             time a step runs"
        )),
        (_, None) => Some(format!(
            "there is no effect under the key `{key}`, but one in the baseline run"
        )),
        (Some(expected), Some(got)) if expected != got => {
            let (expected, got) = (list(expected), list(got));
            Some(format!(
                "what happened under the key `{key}` is {got}, but {expected} in the baseline run"
            ))
        }
        _ => None,
    })
}

/// Fails where two effects have one key.
pub(super) fn check_keys(effects: &EffectLog) -> Result<(), CrashTestError> {
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

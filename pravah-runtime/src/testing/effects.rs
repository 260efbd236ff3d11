//! The effects of a run on the world outside.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;

/// The log of a run's effects, written by what stands for services in a test. Clones share it.
///
/// ```
/// use pravah_runtime::testing::Effects;
///
/// let effects = Effects::default();
/// assert!(effects.record("run/charge#1", 250));
/// assert!(!effects.record("run/charge#1", 250)); // The same again.
/// effects.record_unkeyed("a mail to Ana");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Effects(Arc<Mutex<EffectLog>>);

/// The effects.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct EffectLog {
    /// By key: several, if they differ.
    pub(super) by_key: BTreeMap<String, Vec<Value>>,
    /// How often each effect without a key happened.
    pub(super) without_key: BTreeMap<String, usize>,
}

impl Effects {
    /// Records an effect under a key that the other side recognises, such as [`Step::key`](crate::Step::key). Returns
    /// whether it is the first one under that key: a service does nothing for any other.
    ///
    /// Another effect under the same key is a mistake, which the test finds.
    pub fn record(&self, key: impl Into<String>, effect: impl Into<Value>) -> bool {
        let effect = effect.into();
        self.update(|log| {
            let known = log.by_key.entry(key.into()).or_default();
            let is_first = known.is_empty();
            if !known.contains(&effect) {
                known.push(effect);
            }
            is_first
        })
    }

    /// Records an effect that the other side cannot recognise when it comes again, such as a mail. The test fails for it: a
    /// step that is lost and run again repeats it.
    pub fn record_unkeyed(&self, effect: impl Into<String>) {
        self.update(|log| {
            let count = log.without_key.entry(effect.into()).or_default();
            *count = count.saturating_add(1);
        });
    }

    pub(super) fn snapshot(&self) -> EffectLog {
        self.update(|log| log.clone())
    }

    fn update<R>(&self, update: impl FnOnce(&mut EffectLog) -> R) -> R {
        update(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

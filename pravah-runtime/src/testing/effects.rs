//! What a run has done outside.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;

/// The log of what a run has done outside, written by what stands for services in a test. Clones share it.
///
/// ```
/// use pravah_runtime::testing::Effects;
///
/// let effects = Effects::default();
/// assert!(effects.with_key("run/charge#1", 250));
/// assert!(!effects.with_key("run/charge#1", 250)); // The same again.
/// effects.without_key("a mail to Ana");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Effects(Arc<Mutex<Noted>>);

/// What was noted.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Noted {
    /// By key what was done under it: several things, if they differ.
    pub(super) by_key: BTreeMap<String, Vec<Value>>,
    /// How often each thing was done without a key.
    pub(super) without_key: BTreeMap<String, usize>,
}

impl Effects {
    /// Notes an effect under a key that the other side recognises, such as [`Step::key`](crate::Step::key). Returns
    /// whether it is the first one under that key: a service does nothing for any other.
    ///
    /// Another effect under the same key is a mistake, which the test finds.
    pub fn with_key(&self, key: impl Into<String>, effect: impl Into<Value>) -> bool {
        let effect = effect.into();
        self.note(|noted| {
            let known = noted.by_key.entry(key.into()).or_default();
            let is_first = known.is_empty();
            if !known.contains(&effect) {
                known.push(effect);
            }
            is_first
        })
    }

    /// Notes an effect that the other side cannot recognise when it comes again, such as a mail. The test fails for it: a
    /// step that is lost makes it twice.
    pub fn without_key(&self, effect: impl Into<String>) {
        self.note(|noted| {
            let count = noted.without_key.entry(effect.into()).or_default();
            *count = count.saturating_add(1);
        });
    }

    pub(super) fn noted(&self) -> Noted {
        self.note(|noted| noted.clone())
    }

    fn note<R>(&self, note: impl FnOnce(&mut Noted) -> R) -> R {
        note(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

//! System: logs, metrics, the cache of the process and the state of the run.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use pravah_document::whole;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{field, text};
use crate::{Context, document::registry::Implementation};

pub(super) fn implementation(name: &str) -> Option<Implementation> {
    Some(match name {
        "system.log" => Implementation::Say(log),
        "system.metrics" => Implementation::Say(metrics),
        "system.cache.get" => Implementation::sync(|input| Ok(cache_get(&input))),
        "system.cache.set" => Implementation::sync(|input| Ok(cache_set(&input))),
        "system.state.get" => Implementation::GetState,
        "system.state.set" => Implementation::SetState,
        _ => return None,
    })
}

fn ok() -> Value {
    json!({ "ok": true })
}

fn log(input: &Value, ctx: &Context) {
    let (message, step) = (text(input, "message"), ctx.step().key());
    match text(input, "level") {
        "debug" => tracing::debug!(step, "{message}"),
        "warn" => tracing::warn!(step, "{message}"),
        "error" => tracing::error!(step, "{message}"),
        _ => tracing::info!(step, "{message}"),
    }
}

fn metrics(input: &Value, ctx: &Context) {
    let (name, step) = (text(input, "name"), ctx.step().key());
    let value = field(input, "value").as_f64();
    let tags = input.get("tags").map(ToString::to_string);
    tracing::info!(step, metric = name, value, tags, "measured `{name}`");
}

/// What is kept as long as the process runs, whichever run has put it there.
static CACHE: Mutex<Cache> = Mutex::new(Cache {
    entries: BTreeMap::new(),
    put: 0,
});

/// The most values that are kept: the oldest makes room for another one.
const MAX_ENTRIES: usize = 10_000;

struct Cache {
    entries: BTreeMap<String, Entry>,
    /// How many values were ever put.
    put: u64,
}

struct Entry {
    value: Value,
    /// Which of the values that were ever put it is.
    number: u64,
    until: Option<Instant>,
}

impl Entry {
    fn is_gone(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

fn cache() -> MutexGuard<'static, Cache> {
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn cache_get(input: &Value) -> Value {
    let now = Instant::now();
    let cache = cache();
    let entry = cache.entries.get(text(input, "key"));
    match entry.filter(|entry| !entry.is_gone(now)) {
        Some(entry) => json!({ "value": entry.value }),
        None => json!({}),
    }
}

fn cache_set(input: &Value) -> Value {
    let now = Instant::now();
    let ttl = whole(field(input, "ttlMs"));
    let until = ttl.and_then(|ttl| now.checked_add(Duration::from_millis(ttl)));
    let value = field(input, "value").clone();
    cache().put(text(input, "key").to_owned(), value, (now, until));
    ok()
}

impl Cache {
    fn put(&mut self, key: String, value: Value, (now, until): (Instant, Option<Instant>)) {
        let number = self.put;
        self.put = number.saturating_add(1);
        let entry = Entry {
            value,
            number,
            until,
        };
        self.entries.insert(key, entry);
        if self.entries.len() <= MAX_ENTRIES {
            return;
        }
        self.entries.retain(|_, entry| !entry.is_gone(now));
        if self.entries.len() > MAX_ENTRIES {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.number);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                self.entries.remove(&oldest);
            }
        }
    }
}

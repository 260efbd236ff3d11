//! Taking what is stored of a run apart into entries.

use std::{
    collections::BTreeMap,
    fmt::{Display, Write as _},
};

use serde::Serialize;
use serde_json::value::RawValue;

use super::map::Map;

/// Entries by their keys.
pub(super) type Put = BTreeMap<String, Box<RawValue>>;

/// Collects entries.
#[derive(Default)]
pub(super) struct Collector {
    /// The key of what comes next.
    at: String,
    pub(super) entries: Put,
}

/// What is found by a key in a section of a snapshot: one entry, or several.
pub(super) trait Entry: Serialize {
    fn collect(&self, collector: &mut Collector) -> Result<(), serde_json::Error> {
        collector.put(self)
    }
}

impl Collector {
    pub(super) fn put(
        &mut self,
        value: &(impl Serialize + ?Sized),
    ) -> Result<(), serde_json::Error> {
        let value = serde_json::value::to_raw_value(value)?;
        self.entries.insert(self.at.clone(), value);
        Ok(())
    }

    /// Puts a field of the current entry under a key of its own.
    pub(super) fn field(
        &mut self,
        name: &str,
        value: &impl Serialize,
    ) -> Result<(), serde_json::Error> {
        let around = self.at.len();
        self.at.extend(["/", name]);
        let put = self.put(value);
        self.at.truncate(around);
        put
    }

    pub(super) fn section<K: Display, T: Entry>(
        &mut self,
        name: &str,
        entries: &Map<K, T>,
    ) -> Result<(), serde_json::Error> {
        for (key, entry) in entries.iter() {
            let around = enter(&mut self.at, name, key);
            entry.collect(self)?;
            self.at.truncate(around);
        }
        Ok(())
    }
}

/// Lets a key go on to an entry of a section, in which `/` and `~` are escaped. Returns how long it was.
pub(super) fn enter(at: &mut String, section: &str, key: &impl Display) -> usize {
    let around = at.len();
    at.extend(["/", section, "/"]);
    let start = at.len();
    // Writing to a string does not fail.
    let _ = write!(at, "{key}");
    let written = at.get(start..).unwrap_or_default();
    if written.contains(['~', '/']) {
        let escaped = written.replace('~', "~0").replace('/', "~1");
        at.replace_range(start.., &escaped);
    }
    around
}

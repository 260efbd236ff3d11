//! Entries as changes.

use pravah_runtime::{Changes, Entries};
use serde::Serialize;

use crate::StoreError;

/// The changes that put all entries where there were none.
pub(crate) fn put_all(entries: &Entries) -> Result<Changes, StoreError> {
    replace_all(&Entries::default(), entries)
}

/// The changes that put all entries where there were others.
pub(crate) fn replace_all(before: &Entries, entries: &Entries) -> Result<Changes, StoreError> {
    #[derive(Serialize)]
    struct Put<'a> {
        deleted: Vec<&'a str>,
        put: &'a Entries,
    }

    let before = before.iter().map(|(key, _)| key);
    let put = Put {
        deleted: before.filter(|key| entries.get(key).is_none()).collect(),
        put: entries,
    };
    // As text: that keeps the JSON of each entry as it is.
    let json = serde_json::to_string(&put).and_then(|json| serde_json::from_str(&json));
    json.map_err(|error| StoreError::corrupt("an entry", error))
}

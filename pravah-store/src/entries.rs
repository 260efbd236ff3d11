//! Entries as changes.

use std::collections::BTreeMap;

use pravah_runtime::{Changes, Entries};
use serde::Serialize;
use serde_json::Value;

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

/// The same changes with another value of each entry that is put.
pub(crate) fn with_values(
    changes: &Changes,
    mut value: impl FnMut(&str, &str) -> Result<Value, StoreError>,
) -> Result<Changes, StoreError> {
    #[derive(Serialize)]
    struct Changed<'a> {
        deleted: Vec<&'a str>,
        put: BTreeMap<&'a str, Value>,
    }

    let put = changes.put();
    let put = put.map(|(key, json)| Ok((key, value(key, json)?)));
    let changed = Changed {
        deleted: changes.deleted().collect(),
        put: put.collect::<Result<_, StoreError>>()?,
    };
    let json = serde_json::to_string(&changed).and_then(|json| serde_json::from_str(&json));
    json.map_err(|error| StoreError::not_storable("an entry", error))
}

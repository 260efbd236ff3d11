//! Entries as changes.

use pravah_runtime::{Changes, Entries};
use serde::Serialize;

use crate::StoreError;

/// The changes that put all entries where there were none.
pub(crate) fn put_all(entries: &Entries) -> Result<Changes, StoreError> {
    #[derive(Serialize)]
    struct Put<'a> {
        deleted: [&'a str; 0],
        put: &'a Entries,
    }

    let deleted = [];
    let put = Put {
        deleted,
        put: entries,
    };
    // As text: that keeps the JSON of each entry as it is.
    let json = serde_json::to_string(&put).and_then(|json| serde_json::from_str(&json));
    json.map_err(|error| StoreError::corrupt("an entry", error))
}

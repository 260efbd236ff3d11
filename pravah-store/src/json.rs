//! Values as JSON.

use serde::{Serialize, de::DeserializeOwned};

use crate::StoreError;

/// The JSON of a value, if it can be read again: one may be nested too deeply.
pub(crate) fn to_round_trip_json<T: Serialize + DeserializeOwned>(
    what: &'static str,
    value: &T,
) -> Result<String, StoreError> {
    let json = serde_json::to_string(value);
    let read = json.and_then(|json| serde_json::from_str::<T>(&json).map(|_| json));
    read.map_err(|error| StoreError::not_storable(what, error))
}

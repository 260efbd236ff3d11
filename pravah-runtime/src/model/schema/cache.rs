//! Schemas that were lowered before: each is written once for a provider.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;

use super::{
    SchemaError,
    dialect::{Dialect, Lowered, lower},
};
use crate::model::{ModelError, ModelErrorKind};

/// More schemas than this are forgotten: whoever makes them anew for each request gains nothing.
const MOST: usize = 1_024;

/// The address of a schema, which stays its own as long as the schema is kept beside it.
type Key = (usize, Dialect);
type Kept = (Arc<Value>, Result<Arc<Lowered>, SchemaError>);

#[derive(Default)]
pub(in crate::model) struct Cache {
    lowered: Mutex<BTreeMap<Key, Kept>>,
}

impl Cache {
    /// The schema of `what` in a dialect.
    pub(in crate::model) fn lower(
        &self,
        schema: &Arc<Value>,
        dialect: Dialect,
        what: &str,
    ) -> Result<Arc<Lowered>, ModelError> {
        let key = (Arc::as_ptr(schema).addr(), dialect);
        let mut kept = self.lowered.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST && !kept.contains_key(&key) {
            kept.clear();
        }
        let (_, lowered) = kept.entry(key).or_insert_with(|| {
            let lowered = lower(schema, dialect).map(Arc::new);
            (Arc::clone(schema), lowered)
        });
        lowered.clone().map_err(|error| {
            ModelError::new(
                ModelErrorKind::InvalidRequest,
                format!("`{what}` cannot be asked for: {error}"),
            )
            .with_source(error)
        })
    }
}

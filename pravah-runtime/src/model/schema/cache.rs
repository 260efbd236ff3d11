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
            .with_told_source(error)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::{Cache, Dialect};

    #[test]
    fn a_schema_is_lowered_once_for_each_dialect() {
        let cache = Cache::default();
        let schema = Arc::new(json!({ "type": "object", "properties": {} }));
        let lower = |dialect| cache.lower(&schema, dialect, "Verdict").unwrap();
        let first = lower(Dialect::OpenAi);
        assert!(Arc::ptr_eq(&first, &lower(Dialect::OpenAi)));
        assert!(!Arc::ptr_eq(&first, &lower(Dialect::Gemini)));
    }

    #[test]
    fn a_schema_that_cannot_be_lowered_is_refused_each_time() {
        let cache = Cache::default();
        let any = Arc::new(json!({}));
        for _ in 0..2 {
            let error = cache
                .lower(&any, Dialect::Anthropic, "Verdict")
                .unwrap_err();
            assert!(
                error
                    .to_string()
                    .starts_with("`Verdict` cannot be asked for")
            );
        }
    }
}

//! What migrations are called in messages.

use std::{any, fmt};

use schemars::JsonSchema;

/// What a migration is called in messages: by its function, where a flow names it, and otherwise by its types.
#[derive(Clone, Debug)]
pub(crate) struct MigrationName {
    pub(crate) function: Option<&'static str>,
    /// The name of the states that it reads.
    pub(crate) reads: String,
    /// The name of the states that it makes.
    pub(crate) makes: String,
}

impl MigrationName {
    pub(crate) fn of_types<Old, New: JsonSchema>() -> Self {
        // What is only read needs no schema, which would have the name.
        let path = any::type_name::<Old>();
        let reads = path.rsplit("::").next().unwrap_or(path);
        Self {
            function: None,
            reads: reads.to_owned(),
            makes: New::schema_name().into_owned(),
        }
    }
}

impl fmt::Display for MigrationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reads, makes, .. } = self;
        match self.function {
            Some(function) => write!(f, "the migration `{function}`"),
            None => write!(f, "the migration from `{reads}` to `{makes}`"),
        }
    }
}

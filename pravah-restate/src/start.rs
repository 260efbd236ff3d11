//! Starting runs from JSON.

use std::{collections::BTreeMap, time::SystemTime};

use pravah_runtime::{FlowDef, FlowRuntime};
use pravah_store::{RunKey, StoreError, host::with_sources};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::{record::to_millis, step::json_of};

type Entries = BTreeMap<String, Box<RawValue>>;

/// Starts runs of one flow.
pub(crate) type Starter = fn(Value, &RunKey) -> Result<Entries, StoreError>;

/// The first entries of a run, or why there are none.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Started {
    Entries {
        entries: Entries,
        /// When, in milliseconds since 1970.
        at: u64,
    },
    Refused(String),
}

/// The first entries of a run of the flow `F`.
pub(crate) fn starter<F: FlowDef>(input: Value, key: &RunKey) -> Result<Entries, StoreError> {
    let input = serde_json::from_value(input);
    let input: F::Input = input.map_err(|error| StoreError::not_storable("the input", error))?;
    let mut run = FlowRuntime::<F>::start(input)?.with_run_id(key.run_id());
    let changes = run.take_changes()?;
    let entries = changes.put().map(|(key, json)| {
        let json = json_of("an entry", json.to_owned())?;
        Ok((key.to_owned(), json))
    });
    entries.collect()
}

pub(crate) fn start_run(starter: Starter, input: Value, key: &RunKey) -> Started {
    match starter(input, key) {
        Ok(entries) => Started::Entries {
            entries,
            at: to_millis(SystemTime::now()),
        },
        Err(error) => Started::Refused(with_sources(&error)),
    }
}

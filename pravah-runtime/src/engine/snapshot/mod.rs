//! A run at rest: shared in memory, JSON when written, checked when read.
//!
//! `stored` is the one layout of that JSON, which the macro in `layout` writes and reads with `map` for its
//! objects. `write` fills it with the whole of a run, or with what changed since another state; `collect` takes it
//! apart into `entries`, and a `tree` puts those together. `load` turns it into a run again: `check` looks at what
//! waits, and `finish` whether it can end.

mod check;
mod collect;
mod entries;
mod finish;
mod layout;
mod load;
mod map;
pub(super) mod migrate;
mod stored;
mod tree;
mod write;

use std::{borrow::Cow, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use self::entries::{Changes, Entries};
pub(crate) use self::migrate::{MigrationName, Migrations, SlotMigration};
use self::stored::Stored;
use super::{
    load_report::{LoadOptions, LoadReport},
    state::{RunState, erased::ErasedBox},
};
use crate::{
    error::{FlowError, brief},
    graph::Table,
};

/// Everything there is of a run, small and on its own: store it, move it, and go on with
/// [`FlowRuntime::from_snapshot`](crate::FlowRuntime::from_snapshot), in another process or a year
/// later.
///
/// Taking one shares the waiting states: no payload is copied and no JSON is made before it is
/// serialised. To a reader it is JSON:
///
/// ```json
/// {
///   "version": 7,
///   "flow": "Ticket",
///   "run_id": "01939d…",
///   "fingerprint": "8c5e…",
///   "steps": 2,
///   "inputs": { "Ticket": { "subject": "…" } },
///   "states": { "Verdict": { "urgent": true } }
/// }
/// ```
///
/// What is empty is left out, as is `ready`, the order in which nodes are next, where all that waits is for
/// one node whose turn it is. A value is there once: a flow's input that still waits is among the `states` and
/// not among the `inputs`, an item of a list is in the list, and `shared_inputs` names the nested flows whose
/// input is that of a flow around them.
///
/// A node appears there as the first state that it takes, which stays when a function is renamed. What is
/// in a nested flow is prefixed with that flow's function, as is the flow's input: `review_round::Verdict`,
/// `review_round::Ticket`.
#[derive(Clone)]
pub struct FlowSnapshot(Kind);

/// Every crate that drops a [`FlowError`] drops a snapshot, and need not compile how.
enum Kind {
    /// Of a run of the flow with this id, in this process.
    Taken(Arc<str>, ErasedBox<RunState>),
    /// Read from JSON, and not yet checked against a flow.
    Read(ErasedBox<Stored<'static>>),
}

impl Clone for Kind {
    // Nor how to clone one.
    #[inline(never)]
    fn clone(&self) -> Self {
        match self {
            Self::Taken(flow, state) => {
                Self::Taken(Arc::clone(flow), Box::new(RunState::clone(state)))
            }
            Self::Read(stored) => Self::Read(Box::new(Stored::clone(stored))),
        }
    }
}

impl FlowSnapshot {
    pub(super) fn take(flow: &Arc<str>, state: Box<RunState>) -> Self {
        Self(Kind::Taken(Arc::clone(flow), state))
    }

    /// The id of the flow that it is of, see [`Flow::node_id`](crate::Flow::node_id).
    pub fn flow(&self) -> &str {
        match &self.0 {
            Kind::Taken(flow, _) => flow,
            Kind::Read(stored) => &stored.head.flow,
        }
    }

    /// The id of the run that it is of.
    pub fn run_id(&self) -> &str {
        match &self.0 {
            Kind::Taken(_, state) => state.id.get(),
            Kind::Read(stored) => stored.head.run_id.get(),
        }
    }

    /// Whether the run was done.
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Kind::Taken(_, state) => state.output().is_some(),
            Kind::Read(stored) => stored.is_finished(),
        }
    }

    /// The snapshot as entries.
    ///
    /// # Errors
    ///
    /// [`FlowError::SerializeError`] if a state cannot be written as JSON.
    pub fn entries(&self) -> Result<Entries, FlowError> {
        let entries = match &self.0 {
            Kind::Taken(flow, state) => entries::entries_of(&write::whole(flow, state)),
            Kind::Read(stored) => entries::entries_of(stored),
        };
        entries.map_err(|error| FlowError::SerializeError(error.into()))
    }

    /// A snapshot from its entries. Whether it fits its flow is checked when it is
    /// [loaded](crate::FlowRuntime::from_snapshot).
    ///
    /// # Errors
    ///
    /// [`FlowError::SnapLoadError`] if the entries are not those of a snapshot.
    pub fn from_entries(entries: &Entries) -> Result<Self, FlowError> {
        let json = entries::json_of(entries);
        let json = json.map_err(|why| FlowError::SnapLoadError(why.brief()))?;
        serde_json::from_str(&json).map_err(|error| FlowError::SnapLoadError(error.into()))
    }

    /// The run's state, if it fits the flow, and what is to be said of that.
    pub(super) fn restore(
        self,
        table: &Arc<Table>,
        flow: &str,
        options: &LoadOptions,
    ) -> Result<(Box<RunState>, Option<Box<LoadReport>>), FlowError> {
        let stored = match self.0 {
            Kind::Taken(_, state)
                if options.migrations.is_empty() && Arc::ptr_eq(&state.root.table, table) =>
            {
                return Ok((state.into_box(), None));
            }
            // Another type may be another version of the flow: it is checked as JSON is.
            Kind::Taken(of, state) => {
                let json = serde_json::to_string(&write::whole(&of, &state));
                let read =
                    |json: String| Stored::read(&mut serde_json::Deserializer::from_str(&json));
                let stored = json.and_then(read);
                stored.map_err(|error| FlowError::SnapLoadError(error.into()))?
            }
            Kind::Read(stored) => stored.into_box(),
        };
        let loaded = load::load(stored, table, flow, options);
        loaded.map_err(|why| FlowError::SnapLoadError(why.brief()))
    }
}

/// What changed in a run since it was in the state `before`; everything, without one.
pub(super) fn changes(
    flow: &str,
    state: &RunState,
    before: Option<&RunState>,
) -> Result<Changes, FlowError> {
    let changes = match before {
        Some(before) => {
            let (put, deleted) = write::changes(flow, state, before);
            entries::changes_of(&put, deleted, Some(&write::head(flow, before)))
        }
        None => entries::changes_of(&write::whole(flow, state), Vec::new(), None),
    };
    changes.map_err(|error| FlowError::SerializeError(error.into()))
}

/// Writes the whole of a run, as its snapshot is written.
pub(super) fn write_run<S: Serializer>(
    flow: &str,
    state: &RunState,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    write::whole(flow, state).serialize(serializer)
}

impl Serialize for FlowSnapshot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Kind::Taken(flow, state) => write_run(flow, state, serializer),
            Kind::Read(stored) => stored.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for FlowSnapshot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let error = match Stored::read(deserializer) {
            Ok(stored) => return Ok(Self(Kind::Read(stored))),
            Err(error) => error,
        };
        let text = error.to_string();
        let text = unknown_field(&text).map_or_else(|| brief(&text), Cow::Owned);
        Err(match text {
            Cow::Borrowed(_) => error,
            // The place in the JSON is at the end, and stays.
            Cow::Owned(text) => serde::de::Error::custom(text),
        })
    }
}

/// Shortens serde's message about an unknown field, which lists every field of a snapshot.
fn unknown_field(text: &str) -> Option<String> {
    let (what, fields) = text.split_once(", expected one of `version`")?;
    let place = fields.rfind(" at line ").and_then(|at| fields.get(at..));
    let what = brief(what);
    Some(format!(
        "{what} in the snapshot of a run{}",
        place.unwrap_or_default()
    ))
}

impl std::fmt::Debug for FlowSnapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Payloads are not for logs.
        f.debug_struct("FlowSnapshot")
            .field("flow", &self.flow())
            .field("run_id", &self.run_id())
            .field("finished", &self.is_finished())
            .finish_non_exhaustive()
    }
}

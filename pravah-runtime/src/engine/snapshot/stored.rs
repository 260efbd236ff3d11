//! The JSON of a snapshot, as data: the one layout that is written and read.
//!
//! States stay raw when they are read, until a node takes them.

use std::{borrow::Cow, fmt, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Visitor};
use serde_json::{Value, value::RawValue};

use super::{
    super::state::{
        asked::ModelCounts,
        budget::Budget,
        detached_task::{ChildCount, DetachedTask},
        progress::{Attempts, FailedNode, Timer},
        remote_task::{KnownTask, RemoteProgress},
        run_id::RunId,
    },
    collect::{Collector, Entry},
    layout::{FieldName, Seen, layout, read_object, write_section},
    map::Map,
};
use crate::{
    agent::AgentProgress,
    error::ErrorText,
    graph::text_of_fingerprint,
    hub::Command,
    json,
    model::{Message, Usage},
    numbers::is_zero,
    state::{Live, RawState},
};

/// The layout of a snapshot's JSON; one of another version is refused.
pub(super) const VERSION: u32 = 7;

/// What was read, or why it is refused.
pub(super) type Loaded<T> = Result<T, ErrorText>;

/// A name of the flow: of a state, or of a node by the first state that it takes, which is its alone and
/// stays when a function is renamed.
pub(super) type Key<'a> = Cow<'a, str>;

/// The keys of places, each with the key of what is there.
pub(super) type References<'a> = Map<Key<'a>, Key<'a>>;

/// The sections of a list.
pub(super) const ITEMS: &str = "items";
pub(super) const DONE: &str = "done";

layout! {
    StoredHead {
        version: u32,
        flow: Cow<'a, str>,
        run_id: Cow<'a, RunId>,
        fingerprint: StoredFingerprint<'a>,
    }
    each_step {
        steps: u64,
    }
    // `name: type = predicate`: left out where the predicate holds.
    optional {
        calls: u64 = is_zero,
        budget: Budget = Budget::is_unlimited,
        paused: bool = std::ops::Not::not,
        questions_asked: u64 = is_zero,
        remote_tasks: u64 = is_zero,
        /// Whether the flow is done, and the run waits for detached tasks.
        awaits_tasks: bool = std::ops::Not::not,
        /// Why it was cancelled, if it was.
        cancelled: Option<Arc<str>> = Option::is_none,
        /// What the next span of the run is linked to.
        traceparent: Option<Arc<str>> = Option::is_none,
    }

    StoredResults {
        /// What the flow returned, if it is done, by its name.
        output: Key<'a> => StoredState<'a>,
        usage: Key<'a> => Usage,
        asked: Key<'a> => StoredAsked<'a>,
        inbox: u64 => Arc<Command>,
        /// What nodes of a document have kept, by the names that they gave it.
        values: Key<'a> => StoredState<'a>,
        /// The detached tasks, and how many agents were called by those to whom they belong.
        tasks: usize => Cow<'a, DetachedTask>,
        child_counts: Key<'a> => ChildCount,
        /// The remote tasks that are to be cancelled, by their ids.
        remote_cancels: Key<'a> => Cow<'a, KnownTask>,
    }

    Stored, "the JSON object of a snapshot"

    StoredFrame, "the JSON object of an item" {
        inputs: Key<'a> => StoredState<'a>,
        shared_inputs: Key<'a> => Key<'a>,
        states: Key<'a> => StoredState<'a>,
        ready: Key<'a> => u64,
    }

    StoredProgress {
        // Of a state that waits in several places the one that has the value, by each of the others.
        shared_states: Key<'a> => Key<'a>,
        // The last states that were made: those that have their value, those that another one has, and of an item
        // those that are kept around its list; and what waits, or is the input of a flow, and is one of them.
        latest: Key<'a> => StoredState<'a>,
        shared_latest: Key<'a> => Key<'a>,
        captured: Key<'a> => Key<'a>,
        latest_states: Key<'a> => Key<'a>,
        latest_inputs: Key<'a> => Key<'a>,
        // The flows whose inputs were lost when another version loaded the run: what waits where they start may have been
        // made in them. Each is `true`.
        unknown_inputs: Key<'a> => bool,
        agents: Key<'a> => StoredAgent<'a>,
        gates: Key<'a> => StoredGate<'a>,
        remotes: Key<'a> => Cow<'a, RemoteProgress>,
        lists: Key<'a> => StoredList<'a>,
        questions: Key<'a> => StoredQuestion<'a>,
        timers: Key<'a> => Timer,
        visits: Key<'a> => u32,
        attempts: Key<'a> => Attempts,
        failed: Key<'a> => Cow<'a, FailedNode>,
    }
}

impl Stored<'_> {
    /// Whether the run was done.
    pub(super) fn is_finished(&self) -> bool {
        let results = self.results.as_deref();
        !self.head.awaits_tasks && results.is_some_and(|results| !results.output.is_empty())
    }
}

/// The fingerprint of a flow: that of one in this process is JSON already, and is not looked at for what JSON
/// escapes.
#[derive(Clone)]
pub(super) enum StoredFingerprint<'a> {
    Known(&'a RawValue),
    Read(String),
}

impl PartialEq for StoredFingerprint<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Default for StoredFingerprint<'_> {
    fn default() -> Self {
        Self::Read(String::new())
    }
}

impl StoredFingerprint<'_> {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Known(json) => text_of_fingerprint(json),
            Self::Read(text) => text,
        }
    }
}

impl Serialize for StoredFingerprint<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Known(json) => json.serialize(serializer),
            Self::Read(text) => text.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for StoredFingerprint<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::Read)
    }
}

/// A state of a run, or of a snapshot.
#[derive(Clone)]
pub(super) enum StoredState<'a> {
    Live(&'a Live),
    Raw(RawState),
}

impl StoredState<'_> {
    /// The state, to be put in a run.
    pub(super) fn into_live(self) -> Live {
        match self {
            Self::Live(live) => live.clone(),
            Self::Raw(raw) => Live::raw(raw),
        }
    }
}

impl Serialize for StoredState<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Live(live) => live.serialize(serializer),
            Self::Raw(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for StoredState<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawState::deserialize(deserializer).map(Self::Raw)
    }
}

/// What an agent calls the list of its messages.
pub(super) const MESSAGES: &str = "conversation";

/// An agent in the middle of its work.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct StoredAgent<'a> {
    pub(super) progress: Cow<'a, AgentProgress>,
    /// How many messages of its conversation are in earlier changes.
    #[serde(skip)]
    pub(super) known_messages: usize,
}

impl Entry for StoredAgent<'_> {
    fn collect(&self, collector: &mut Collector) -> Result<(), serde_json::Error> {
        let mut own = serde_json::to_value(self.progress.without_conversation())?;
        own.as_object_mut().and_then(|own| own.remove(MESSAGES));
        collector.put(&own)?;
        let new = self.progress.messages().since(self.known_messages);
        collector.section(MESSAGES, &(self.known_messages..).zip(new).collect())
    }
}

impl Entry for &Message {}
impl Entry for StoredState<'_> {}
impl Entry for Key<'_> {}
impl Entry for StoredGate<'_> {}
impl Entry for StoredQuestion<'_> {}
impl Entry for StoredAsked<'_> {}
impl Entry for Usage {}
impl Entry for Cow<'_, DetachedTask> {}
impl Entry for Cow<'_, KnownTask> {}
impl Entry for Cow<'_, RemoteProgress> {}
impl Entry for ChildCount {}
impl Entry for Timer {}
impl Entry for Attempts {}
impl Entry for Cow<'_, FailedNode> {}
impl Entry for Arc<Command> {}
impl Entry for u64 {}
impl Entry for u32 {}
impl Entry for bool {}

impl Entry for StoredList<'_> {
    fn collect(&self, collector: &mut Collector) -> Result<(), serde_json::Error> {
        if !self.is_already_put {
            collector.put(&Self {
                returns: self.returns.clone(),
                tasks: self.tasks,
                ..Self::default()
            })?;
        }
        collector.section(ITEMS, &self.items)?;
        collector.section(DONE, &self.done)
    }
}

/// A gate that has asked, and its answer if it has come.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredGate<'a> {
    pub(super) returns: Key<'a>,
    pub(super) answered: bool,
    #[serde(
        default,
        skip_serializing_if = "is_null",
        deserialize_with = "json::value"
    )]
    pub(super) answer: Arc<Value>,
}

/// A list, of which the items that appear in neither map have not started; or the tasks of a caller.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredList<'a> {
    pub(super) returns: Key<'a>,
    /// How many tasks a node waits for that has started all of them together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tasks: Option<usize>,
    /// Whether earlier changes have put it.
    #[serde(skip)]
    pub(super) is_already_put: bool,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) items: Map<usize, StoredFrame<'a>>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) done: Map<usize, StoredState<'a>>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredQuestion<'a> {
    /// Those asked earlier have smaller numbers.
    pub(super) number: u64,
    pub(super) node: Key<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) call: Option<Key<'a>>,
    pub(super) value: json::Text,
}

/// How often the models of an agent were asked that may be asked again.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredAsked<'a> {
    /// The lists and items around the node, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) items: Vec<(Key<'a>, usize)>,
    pub(super) node: Key<'a>,
    /// Which visit the last of `counts` is of: that of each list around the node, and the node's own.
    pub(super) visit: Cow<'a, [u32]>,
    /// For each visit, how often each model was asked.
    pub(super) counts: Cow<'a, [ModelCounts]>,
}

fn is_null(value: &Arc<Value>) -> bool {
    value.is_null()
}

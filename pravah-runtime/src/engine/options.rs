//! How the caller wants a run to go; not part of its snapshot.

use std::{collections::BTreeMap, time::Duration};

use tracing::Span;

use super::state::{path::NodePath, rare::empty};
use crate::{
    events::Observers,
    hub::RunInbox,
    invocation::Runners,
    model::{ModelOptions, ModelUrl},
};

/// How the caller wants the run to go, where it says so; not part of its snapshot.
pub(super) struct Options {
    pub(super) models: BTreeMap<String, ModelUrl>,
    pub(super) model_options: BTreeMap<String, ModelOptions>,
    /// The runners of remote agents.
    pub(super) runners: Runners,
    pub(super) max_steps: Option<u64>,
    pub(super) observers: Observers,
    /// The last step that observers received.
    pub(super) last_reported: u64,
    /// When the run started to go on in this process, as far as anybody observed it, in milliseconds since 1970.
    pub(super) observed_since: Option<u64>,
    /// The agent runs that observers were told of, and not yet that they have ended.
    pub(super) agent_runs: BTreeMap<NodePath, String>,
    pub(super) spans: Spans,
    /// The commands of hubs, if there may be any.
    pub(super) inbox: Option<RunInbox>,
    /// How long bodies in flight have to end when the run is cancelled.
    pub(super) cancel_grace: Duration,
}

empty!(Options {
    models: BTreeMap::new(),
    model_options: BTreeMap::new(),
    runners: Runners::NONE,
    max_steps: None,
    observers: Observers::NOBODY,
    last_reported: 0,
    observed_since: None,
    agent_runs: BTreeMap::new(),
    spans: Spans::NONE,
    inbox: None,
    cancel_grace: Duration::ZERO,
});

/// The spans of the run in this process, and those of its agents.
pub(super) struct Spans {
    pub(super) run: Span,
    pub(super) agents: BTreeMap<NodePath, Span>,
}

impl Spans {
    pub(super) const NONE: Self = Self {
        run: Span::none(),
        agents: BTreeMap::new(),
    };

    /// That of the agent at `path`.
    pub(super) fn agent(&self, path: &NodePath) -> &Span {
        static NONE: Span = Span::none();
        self.agents.get(path).unwrap_or(&NONE)
    }
}

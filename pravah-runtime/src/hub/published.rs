//! What a hub knows of its run, as of the last step or the last command that was taken.

use std::sync::Arc;

use crate::engine::{ListeningAgent, RunState, RunStatus, Suspension};

/// Where a run is, for everybody who holds a hub. It shares what the run holds: what there may be much of is looked
/// up only where somebody asks.
pub(crate) struct Published {
    /// Nothing where only answers are waited for.
    status: Option<RunStatus>,
    state: Box<RunState>,
}

impl Published {
    pub(crate) fn new(status: Option<RunStatus>, state: Box<RunState>) -> Self {
        Self { status, state }
    }

    pub(super) fn run_id(&self) -> &Arc<str> {
        self.state.id.get()
    }

    pub(super) fn status(&self) -> RunStatus {
        let status = self.status.clone();
        status.unwrap_or_else(|| self.state.suspended())
    }

    /// The questions that are open.
    pub(super) fn suspensions(&self) -> Vec<Suspension> {
        self.state.suspensions()
    }

    /// The agents that wait for a message.
    pub(super) fn listening_agents(&self) -> Vec<ListeningAgent> {
        self.state.listening_agents()
    }
}

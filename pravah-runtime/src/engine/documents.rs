//! What a session of a document asks of its run.

use std::sync::Arc;

use super::runtime::FlowRuntime;
use crate::{error::FlowError, graph::FailedBody, node::LatestStates};

impl<F> FlowRuntime<F> {
    /// Says to observers that the run has ended with an error.
    pub(crate) fn end_failed(&mut self, error: &FlowError) {
        self.inner.notify_failed_end(&error.to_string());
    }

    /// The time, in milliseconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        self.inner.now()
    }

    /// What nodes have left to be read so far.
    pub(crate) fn latest(&self) -> &LatestStates {
        &self.inner.state.root.latest
    }

    /// The nodes that have failed with nothing left to try, those in regions too, each with the outermost region that
    /// it is in.
    pub(crate) fn failed_nodes(&self) -> Vec<(Arc<str>, Option<Arc<str>>, FailedBody)> {
        let state = &self.inner.state;
        let failed = state.waits.failed().filter_map(|path| {
            let frame = state.root.at(&path.frame)?;
            let failed = frame.progress.failed.get(&path.node)?;
            let entry = frame.table.node(path.node);
            let id = Arc::clone(&entry.id);
            let mut rules = entry.rules.iter();
            // The words of the error name the node.
            let message = failed
                .message
                .strip_prefix(&*format!("node `{id}` failed: "));
            let body = FailedBody {
                kind: failed.kind,
                is_retryable: failed.kind.is_retried() && rules.all(|it| it.rules.may_be_retried()),
                message: message.unwrap_or(&failed.message).to_owned(),
                attempts: failed.attempts,
            };
            let around = path.frame.first();
            let region = around.map(|item| Arc::clone(&state.root.table.node(item.list).id));
            Some((id, region, body))
        });
        failed.collect()
    }
}

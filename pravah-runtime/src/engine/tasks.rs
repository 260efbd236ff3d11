//! Tasks that are over before they have ended, and whatever else nobody waits for any more.

use super::{
    run::Run,
    state::path::{FramePath, ItemId, NodePath},
};
use crate::agent::TaskEnd;

impl Run {
    /// Ends a task in the frame at `around` that has failed.
    pub(super) fn fail_task(&mut self, around: &FramePath, item: ItemId, end: TaskEnd) {
        self.drop_steps(|path| path.is_in_item(around, item));
        self.state.fail_task(around, item, end);
    }

    /// Drops the tasks of an agent that starts over.
    pub(super) fn drop_tasks(&mut self, caller: &NodePath) {
        if self.state.frame(&caller.frame).has_tasks(caller.node) {
            self.drop_steps(|path| path != caller && path.is_within(&caller.frame, caller.node));
            self.state.drop_tasks(caller);
        }
    }

    /// Drops the steps in flight for which `is_over` holds: their bodies are cancelled, and agents have ended there.
    pub(super) fn drop_steps(&mut self, is_over: impl Fn(&NodePath) -> bool) {
        self.flights.cancel_where(&is_over);
        self.notify_agents_dropped(&is_over);
        self.cancel_agent_spans(&is_over);
    }
}

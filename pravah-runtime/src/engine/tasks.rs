//! Tasks that end before they are done: one that failed, and those of an agent that starts over.

use super::{
    run::Run,
    state::path::{FramePath, ItemId, NodePath},
};
use crate::{
    agent::{AgentProgress, TaskEnd},
    context::call_name,
    events::EventKind,
};

impl Run {
    /// Ends a task in the frame at `around` that has failed.
    pub(super) fn fail_task(&mut self, around: &FramePath, item: ItemId, end: TaskEnd) {
        self.drop_steps(|path| path.is_in_item(around, item));
        self.state.fail_task(around, item, end);
    }

    /// Sends observers, if there are any, which calls of the agent at `path` have ended with a step in which it has taken
    /// what they waited for.
    pub(super) fn notify_calls(&self, path: &NodePath, now: &AgentProgress) {
        let before = self.state.agent(path);
        let Some(before) = before.filter(|_| !self.options.observers.is_empty()) else {
            return;
        };
        let step_key = self.step_key(path);
        for (call, is_error) in now.answered_since(before) {
            let call_id = call_name(&step_key, now.turn_of_calls(), &call.id);
            self.notify(path, || {
                EventKind::tool_ended(&*call.name, &*call_id, is_error)
            });
        }
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

//! Tasks that end before they are done: one that failed, and those of an agent that starts over.

use super::{
    run::Run,
    state::path::{FramePath, ItemId, NodePath},
};
use crate::{
    agent::{AgentProgress, CALL_AGENT, TaskEnd},
    context::call_name,
    events::EventKind,
};

impl Run {
    /// Ends a task in the frame at `around` that has failed.
    pub(super) fn fail_task(&mut self, around: &FramePath, item: ItemId, end: TaskEnd) {
        self.drop_steps(|path| path.is_in_item(around, item));
        self.state.fail_task(around, item, end);
    }

    /// Sends observers, if there are any, which calls of agents have ended with a step: those of which it has taken the
    /// results, and these, which were refused.
    pub(super) fn notify_calls(&self, path: &NodePath, now: &AgentProgress, refused: &[String]) {
        let frame = self.state.frame(&path.frame);
        let has_any = frame.has_tasks(path.node) || !refused.is_empty();
        if self.options.observers.is_empty() || !has_any {
            return;
        }
        let step_key = self.step_key(path);
        let ended = |id: &str, is_error| {
            let call_id = call_name(&step_key, now.turn_of_calls(), id);
            self.notify(path, || {
                EventKind::tool_ended(CALL_AGENT, &*call_id, is_error)
            });
        };
        let before = frame.progress.agents.get(&path.node);
        for (task, call) in before.into_iter().flat_map(|before| before.open_calls()) {
            if !now.open_tasks().any(|open| open == task) {
                let end = frame.end_of_task(path.node, task);
                ended(&call.id, end.is_none_or(|end| end.has_failed()));
            }
        }
        for id in refused {
            ended(id, true);
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

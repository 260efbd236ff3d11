//! The agents that an agent has called.

use super::AgentProgress;
use crate::{
    agent::{AgentCall, TaskEnd, call::result, pending::Pending},
    model::ToolCall,
};

impl AgentProgress {
    /// The numbers of the tasks that it waits for.
    pub(crate) fn open_tasks(&self) -> impl Iterator<Item = usize> {
        self.pending.iter().filter_map(Pending::task)
    }

    /// The same with the calls.
    pub(crate) fn open_calls(&self) -> impl Iterator<Item = (usize, &ToolCall)> {
        let calls = self.asked().iter().zip(&self.pending);
        calls.filter_map(|(call, pending)| Some((pending.task()?, call)))
    }

    /// A task that it waits for and that it has not counted, or one beyond what it can count.
    pub(crate) fn task_out_of_count(&self) -> Option<usize> {
        let most = u32::MAX as usize;
        let last = Some(self.next_task).filter(|next| *next > most);
        self.open_tasks()
            .find(|task| *task >= self.next_task)
            .or(last)
    }

    /// Which model call of this visit asked for the calls that are open.
    pub(crate) fn turn_of_calls(&self) -> u32 {
        self.turns
    }

    /// Whether it can make a step, where `has_ended` says so of the agents that it has called.
    pub(crate) fn can_go_on(&self, has_ended: impl Fn(usize) -> bool) -> bool {
        let can_run = |pending: &Pending| match pending {
            Pending::Asked | Pending::Calls(_) | Pending::Returned { .. } => true,
            Pending::Reviewed { .. } | Pending::Resumed { .. } => true,
            Pending::Delegated { task, .. } => has_ended(*task),
            Pending::InReview | Pending::Suspended { .. } | Pending::Done(_) => false,
        };
        self.pending.iter().any(can_run) || self.pending.iter().all(Pending::is_done)
    }

    /// Takes what the agents have returned that it has called, where they have.
    pub(crate) fn take_results(&mut self, end_of: impl Fn(usize) -> Option<TaskEnd>) {
        let calls = self.asked().to_vec();
        for (call, pending) in calls.iter().zip(&mut self.pending) {
            if let Pending::Delegated { task, is_handoff } = *pending
                && let Some(end) = end_of(task)
            {
                *pending = Pending::Returned {
                    result: result(call, &end.text(), end.has_failed()),
                    end,
                    is_handoff,
                };
            }
        }
    }

    /// How the agent has ended that has taken over, if one has.
    pub(in crate::agent) fn handoff_end(&self) -> Option<&TaskEnd> {
        self.pending.iter().find_map(|pending| match pending {
            Pending::Returned {
                end,
                is_handoff: true,
                ..
            } => Some(end),
            _ => None,
        })
    }

    /// Gives each agent that is to be called the number of a task, as long as `left` of them may be called. Returns
    /// the calls with those numbers, and the ids of the others, of which the model learns that they were not made.
    pub(crate) fn start_calls(&mut self, left: u32) -> (Vec<(usize, AgentCall)>, Vec<String>) {
        let calls = self.asked().to_vec();
        let (mut started, mut refused) = (Vec::new(), Vec::new());
        for (call, pending) in calls.iter().zip(&mut self.pending) {
            let Pending::Calls(agent_call) = pending else {
                continue;
            };
            let is_handoff = agent_call.is_handoff;
            let refusal = match (is_handoff && calls.len() > 1, started.len() < left as usize) {
                (true, _) => "not called: an agent takes over with the only call of an answer",
                (false, false) => "not called: no more agents may be called in this visit",
                (false, true) => {
                    let task = self.next_task;
                    self.next_task = task.saturating_add(1);
                    started.push((task, agent_call.clone()));
                    *pending = Pending::Delegated { task, is_handoff };
                    continue;
                }
            };
            *pending = Pending::Done(result(call, refusal, true));
            refused.push(call.id.clone());
        }
        (started, refused)
    }

    /// How many more agents may be called, of at most so many.
    pub(crate) fn children_left(&self, most: u32) -> u32 {
        most.saturating_sub(self.called)
    }

    /// Counts agents that were called, by it or below it.
    pub(crate) fn add_children(&mut self, children: u32) {
        self.called = self.called.saturating_add(children);
    }

    /// Keeps the count of agents that were called meanwhile by those below it.
    pub(crate) fn keep_called_of(&mut self, now: &Self) {
        self.called = self.called.max(now.called);
    }
}

//! The agents that an agent has called.

use std::mem;

use super::AgentProgress;
use crate::{
    agent::{
        AgentCall, TaskEnd, TaskRequest,
        call::result,
        call_agent::callee_names,
        pending::Pending,
        task::{CallTarget, all_results},
    },
    invocation::Join,
    model::{Message, ToolCall},
};

/// The calls of a step that are made.
#[derive(Default)]
pub(crate) struct StartedCalls {
    /// The tasks that the agent waits for, with their numbers.
    pub(crate) awaited: Vec<(usize, CallTarget)>,
    /// The detached ones, by the numbers of their calls.
    pub(crate) detached: Vec<(usize, Vec<CallTarget>)>,
    /// The numbers of the calls that were refused.
    pub(crate) refused: Vec<usize>,
}

/// Why a call is not made, if it is not: `left` agents may be called.
fn refusal(call: &AgentCall, is_only_call: bool, left: usize) -> Option<String> {
    let named = call.targets.len();
    if call.is_handoff && !is_only_call {
        return Some("not called: an agent takes over with the only call of an answer".to_owned());
    }
    (named > left).then(|| match left {
        0 => "not called: no more agents may be called in this visit".to_owned(),
        left => format!("not called: the call names {named} agents, and only {left} more may be called in this visit"),
    })
}

impl AgentProgress {
    /// The numbers of the tasks that it waits for.
    pub(crate) fn open_tasks(&self) -> impl Iterator<Item = usize> {
        self.pending.iter().flat_map(Pending::tasks).copied()
    }

    /// The same, each with the name of its callee.
    pub(crate) fn open_tasks_with_names(&self) -> impl Iterator<Item = (usize, &str)> {
        let calls = self.asked().iter().zip(&self.pending);
        calls.flat_map(|(call, pending)| {
            let names = callee_names(&call.arguments);
            let tasks = pending.tasks().iter().copied().enumerate();
            tasks.map(move |(index, task)| (task, names.get(index).copied().unwrap_or_default()))
        })
    }

    /// The calls that waited for tasks in `before` and have their results now, each with whether that is an error.
    pub(crate) fn answered_since<'a>(&self, before: &'a Self) -> Vec<(&'a ToolCall, bool)> {
        let is_open = |index| {
            self.pending
                .get(index)
                .is_some_and(Pending::waits_for_tasks)
        };
        // What the model reads of a step's calls is one message.
        let said = self.messages().since(before.messages().len()).next();
        let calls = before.asked().iter().zip(&before.pending).enumerate();
        let ended =
            calls.filter(|(index, (_, pending))| pending.waits_for_tasks() && !is_open(*index));
        ended
            .map(|(index, (call, _))| {
                let result = match (self.pending.get(index), said) {
                    (Some(Pending::Done(result)), _) => Some(result),
                    (_, Some(Message::Tool { results })) => {
                        results.iter().find(|result| result.call_id == call.id)
                    }
                    _ => None,
                };
                (call, result.is_some_and(|result| result.is_error))
            })
            .collect()
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
            Pending::Asked | Pending::Calls(_) | Pending::TaskRequest(_) => true,
            Pending::Returned { .. } | Pending::Reviewed { .. } | Pending::Resumed { .. } => true,
            Pending::Delegated { task, .. } => has_ended(*task),
            Pending::DelegatedAll { tasks } => tasks.iter().all(|task| has_ended(*task)),
            Pending::InReview | Pending::Suspended { .. } => false,
            Pending::AwaitsTask { .. } | Pending::Done(_) => false,
        };
        self.pending.iter().any(can_run) || self.pending.iter().all(Pending::is_done)
    }

    /// Takes what the agents have returned that it has called, where they have. `step_key` names the step.
    pub(crate) fn take_results(
        &mut self,
        step_key: impl Fn() -> String,
        end_of: impl Fn(usize) -> Option<TaskEnd>,
    ) {
        let calls = self.conversation.asked();
        for (call, pending) in calls.iter().zip(&mut self.pending) {
            match pending {
                Pending::Delegated { task, is_handoff } => {
                    let Some(end) = end_of(*task) else { continue };
                    *pending = Pending::Returned {
                        result: result(call, &end.text(), end.has_failed()),
                        handoff: is_handoff.then_some(end),
                    };
                }
                Pending::DelegatedAll { tasks } => {
                    let ends = tasks.iter().map(|task| Some((*task, end_of(*task)?)));
                    let Some(ends) = ends.collect::<Option<Vec<_>>>() else {
                        continue;
                    };
                    *pending = Pending::Returned {
                        result: result(call, &all_results(&step_key(), &ends), false),
                        handoff: None,
                    };
                }
                _ => {}
            }
        }
    }

    /// How the agent has ended that has taken over, if one has.
    pub(in crate::agent) fn handoff_end(&self) -> Option<&TaskEnd> {
        self.pending.iter().find_map(|pending| match pending {
            Pending::Returned { handoff, .. } => handoff.as_ref(),
            _ => None,
        })
    }

    /// Gives each agent that is to be called and waited for the number of a task, as long as `left` of them may be
    /// called. The model learns of the calls beyond that that they were not made.
    pub(crate) fn start_calls(&mut self, left: u32) -> StartedCalls {
        let calls = self.conversation.asked();
        let mut started = StartedCalls::default();
        let mut left = left as usize;
        for (index, (call, pending)) in calls.iter().zip(&mut self.pending).enumerate() {
            let Pending::Calls(agent_call) = pending else {
                continue;
            };
            if let Some(why) = refusal(agent_call, calls.len() == 1, left) {
                *pending = Pending::Done(result(call, &why, true));
                started.refused.push(index);
                continue;
            }
            let targets = mem::take(&mut agent_call.targets);
            let named = targets.len();
            left = left.saturating_sub(named);
            let first = self.next_task;
            *pending = match agent_call.join {
                Join::Detached => {
                    started.detached.push((index, targets));
                    continue;
                }
                Join::Single => Pending::Delegated {
                    task: first,
                    is_handoff: agent_call.is_handoff,
                },
                Join::All => Pending::DelegatedAll {
                    tasks: (first..first.saturating_add(named)).collect(),
                },
            };
            self.next_task = first.saturating_add(named);
            started.awaited.extend((first..).zip(targets));
        }
        started
    }

    /// What its calls want of detached tasks, each with the number of its call.
    pub(crate) fn task_requests(&self) -> Vec<(usize, TaskRequest)> {
        let pending = self.pending.iter().enumerate();
        let requests = pending.filter_map(|(index, pending)| match pending {
            Pending::TaskRequest(request) => Some((index, request.clone())),
            _ => None,
        });
        requests.collect()
    }

    /// The detached tasks that its calls wait for, and until when.
    pub(crate) fn detached_waits(&self) -> impl Iterator<Item = (usize, usize, u64)> {
        let pending = self.pending.iter().enumerate();
        pending.filter_map(|(index, pending)| match pending {
            Pending::AwaitsTask { task, until } => Some((index, *task, *until)),
            _ => None,
        })
    }

    pub(crate) fn waits_for_detached(&self) -> bool {
        self.detached_waits().next().is_some()
    }

    /// Lets a call wait for a detached task.
    pub(crate) fn wait_for(&mut self, call: usize, task: usize, until: u64) {
        if let Some(pending) = self.pending.get_mut(call) {
            *pending = Pending::AwaitsTask { task, until };
        }
    }

    /// Answers a call that no tool is run for.
    pub(crate) fn answer(&mut self, call: usize, text: &str, is_error: bool) {
        let Some(asked) = self.asked().get(call) else {
            return;
        };
        let answer = result(asked, text, is_error);
        if let Some(pending) = self.pending.get_mut(call) {
            *pending = Pending::Done(answer);
        }
    }

    /// The numbers of the calls that have their results.
    pub(crate) fn known_results(&self) -> Vec<usize> {
        let pending = self.pending.iter().enumerate();
        let done = pending.filter(|(_, pending)| pending.is_done());
        done.map(|(index, _)| index).collect()
    }

    /// The call of this number, and whether its answer is an error.
    pub(crate) fn answered(&self, call: usize) -> Option<(&ToolCall, bool)> {
        match self.pending.get(call)? {
            Pending::Done(result) => Some((self.asked().get(call)?, result.is_error)),
            _ => None,
        }
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

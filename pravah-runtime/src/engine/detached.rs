//! Detached tasks in a run: what their owners want of them, how they end, and what the end of the flow means for them.

mod shown;

use std::{collections::BTreeSet, sync::Arc};

pub(super) use self::shown::detached_task_id;
use super::{
    run::{Out, Run},
    state::{
        RunState,
        detached::DetachedStart,
        path::{ItemId, NodePath},
        progress::{Timer, WaitReason},
        tasks::TaskStart,
    },
};
use crate::{
    agent::{AgentProgress, CallTarget, TaskAction, TaskEnd, TaskRequest, tool_text},
    context::call_name,
    events::EventKind,
    invocation::InvocationResult,
};

/// What became of a call that is carried out when its step is committed.
enum CallOutcome {
    Result(String),
    Error(String),
    /// It waits for this task.
    Waits {
        task: usize,
        until: u64,
    },
}

impl Run {
    /// Starts the detached tasks that calls of the agent at `path` ask for, carries out its requests about others, and
    /// lets those wait that wait for one. The numbers are those of the calls; the results of `known` have been there
    /// before. The step of the agent is being committed.
    pub(super) fn carry_out_calls(
        &mut self,
        path: &NodePath,
        detached: Vec<(usize, Vec<CallTarget>)>,
        known: &[usize],
    ) {
        let now = self.now();
        for (call, targets) in detached {
            let starts = targets.into_iter().map(DetachedStart::of_target).collect();
            let numbers = self.state.start_detached(path, starts, now);
            let task_ids = numbers.into_iter().map(detached_task_id).collect();
            let started = InvocationResult::TaskIds { task_ids };
            self.end_call(path, call, CallOutcome::Result(tool_text(&started)));
        }
        let Some(progress) = self.state.agent(path).cloned() else {
            return;
        };
        for (call, request) in progress.task_requests() {
            let outcome = self.carry_out(path, &request);
            self.end_call(path, call, outcome);
        }
        for (call, task, until) in progress.detached_waits() {
            let outcome = self.outcome_of_wait(task, until);
            self.note_outcome(path, call, &outcome);
            if !known.contains(&call) {
                self.notify_ended(path, call);
            }
        }
    }

    /// Notes the outcome of a call, and sends observers, if there are any, that it has ended, if it has.
    fn end_call(&mut self, path: &NodePath, call: usize, outcome: CallOutcome) {
        self.note_outcome(path, call, &outcome);
        self.notify_ended(path, call);
    }

    fn note_outcome(&mut self, path: &NodePath, call: usize, outcome: &CallOutcome) {
        let Some(progress) = self.state.agent_mut(path) else {
            return;
        };
        match outcome {
            CallOutcome::Result(text) => progress.answer(call, text, false),
            CallOutcome::Error(text) => progress.answer(call, text, true),
            CallOutcome::Waits { task, until } => {
                progress.wait_for(call, *task, *until);
                self.state.detached.add_waiting(*task, path);
            }
        }
    }

    /// Sends observers, if there are any, that a call of the agent at `path` has ended, if it
    /// has.
    pub(super) fn notify_ended(&self, path: &NodePath, call: usize) {
        if self.options.observers.is_empty() {
            return;
        }
        let progress = self.state.agent(path);
        let answered = progress.and_then(|it| Some((it.turn_of_calls(), it.answered(call)?)));
        if let Some((turn, (call, is_error))) = answered {
            let call_id = call_name(&self.step_key(path), turn, &call.id);
            self.notify(path, || {
                EventKind::tool_ended(&*call.name, &*call_id, is_error)
            });
        }
    }

    fn carry_out(&mut self, path: &NodePath, request: &TaskRequest) -> CallOutcome {
        let (task_id, action) = match request {
            TaskRequest::List => {
                return CallOutcome::Result(tool_text(&self.state.owned_tasks(path)));
            }
            TaskRequest::One { task_id, action } => (task_id, *action),
        };
        let Some(task) = self.state.owned_task(path, task_id) else {
            return CallOutcome::Error(format!("you have started no task `{task_id}`"));
        };
        match action {
            TaskAction::Get => {}
            TaskAction::Cancel => self.cancel_task(task),
            TaskAction::Wait { seconds } => {
                let until = self.now().saturating_add(seconds.saturating_mul(1_000));
                return self.outcome_of_wait(task, until);
            }
        }
        CallOutcome::Result(self.state.task_as_text(task))
    }

    /// What becomes of a call that waits for a task until then.
    fn outcome_of_wait(&self, task: usize, until: u64) -> CallOutcome {
        match self.state.end_as_text(task) {
            Some(end) => CallOutcome::Result(end),
            None if until <= self.now() => CallOutcome::Result(self.state.task_as_text(task)),
            None => CallOutcome::Waits { task, until },
        }
    }

    /// Ends the waits for tasks whose time is over, in the progress with which the agent makes its step.
    pub(super) fn end_overdue_waits(&self, progress: &mut AgentProgress) {
        let now = self.now();
        let waits: Vec<_> = progress.detached_waits().collect();
        for (call, task, until) in waits {
            if until <= now {
                progress.answer(call, &self.state.task_as_text(task), false);
            }
        }
    }

    /// Lets the agent at `path` go on when the first of its waits for tasks is over.
    pub(super) fn set_task_timer(&mut self, path: &NodePath) {
        let waits = self.state.agent(path).into_iter();
        let waits = waits.flat_map(|progress| progress.detached_waits());
        let first = waits.map(|(.., until)| until).min();
        match first {
            Some(until) => {
                let why = WaitReason::Task;
                self.state.set_timer(path, Timer { until, why });
            }
            None => self.state.clear_timer(path),
        }
    }

    /// Cancels a detached task and all below it that have not ended.
    fn cancel_task(&mut self, task: usize) {
        self.cancel_tasks(&self.state.detached.cancelled_with(task));
        let RunState { root, spending, .. } = &mut *self.state;
        spending.forget_lost_agents(root);
    }

    fn cancel_tasks(&mut self, tasks: &[usize]) {
        if tasks.is_empty() {
            return;
        }
        let places = tasks
            .iter()
            .filter_map(|task| self.state.detached.place(*task));
        let places: BTreeSet<ItemId> = places.collect();
        self.drop_steps(|path| path.frame.first().is_some_and(|item| places.contains(item)));
        for item in places {
            self.state.drop_detached(item);
            self.end_task(item.index, TaskEnd::cancelled());
        }
    }

    /// Ends a run whose flow is done, once the host has cancelled the last task that it has waited for.
    pub(super) fn end_without_tasks(&mut self) -> Option<Out> {
        if self.state.detached.returned.is_none() || self.state.detached.delay_end() {
            return None;
        }
        let returned = self.state.detached.returned.take();
        let out = self.finish(returned);
        self.notify_done();
        Some(out)
    }

    /// Cancels all detached tasks of a run that was cancelled.
    pub(super) fn cancel_all_tasks(&mut self) {
        if self.state.detached.has_open() {
            let now = self.now();
            for item in self.state.detached.places() {
                self.state.drop_detached(item);
                let end = TaskEnd::cancelled();
                for path in self.state.detached.note_end(item.index, end, now) {
                    self.end_waits(&path, item.index);
                }
            }
        }
    }

    /// Notes what the step at `path`, which is being committed, means for the detached task that it was in. Returns
    /// the end of the run, if that has come: the flow is done, and all tasks have ended for which the run waits.
    pub(super) fn settle_detached(&mut self, path: &NodePath, out: Out) -> Out {
        match self.state.detached.is_unchanged() {
            true => out,
            false => self.settle_detached_slow(path, out),
        }
    }

    #[cold]
    fn settle_detached_slow(&mut self, path: &NodePath, out: Out) -> Out {
        if let Some(item) = self.state.detached_at(&path.frame) {
            let now = self.now();
            self.state.detached.note_event(item.index, now);
            if let Some(end) = self.state.take_detached_end(item) {
                self.end_task(item.index, end);
            }
        } else if self.state.detached.has_open() {
            let step = self.state.this_step();
            let node = path.frame.first().map_or(path.node, |item| item.list);
            self.state.root.move_to_back(node, step);
        }
        let detached = &mut self.state.detached;
        if detached.returned.is_none() || detached.delay_end() {
            return out;
        }
        let returned = detached.returned.take();
        self.finish(returned)
    }

    /// Notes that a task has ended, and lets those go on that wait for it.
    fn end_task(&mut self, task: usize, end: TaskEnd) {
        let now = self.now();
        for path in self.state.detached.note_end(task, end, now) {
            for call in self.end_waits(&path, task) {
                self.notify_ended(&path, call);
            }
        }
    }

    /// Lets what is at `path` go on that has waited for a task, unless it has stopped waiting. Returns the numbers of
    /// an agent's calls that have their results now.
    fn end_waits(&mut self, path: &NodePath, task: usize) -> Vec<usize> {
        if self.state.wake_await_task(path) {
            return Vec::new();
        }
        let progress = self.state.agent(path).into_iter();
        let waits = progress.flat_map(|progress| progress.detached_waits());
        let calls = waits.filter(|(_, other, _)| *other == task);
        let calls: Vec<usize> = calls.map(|(call, ..)| call).collect();
        if calls.is_empty() {
            return calls;
        }
        let text = self.state.end_as_text(task).unwrap_or_default();
        let result = CallOutcome::Result(text);
        for call in &calls {
            self.note_outcome(path, *call, &result);
        }
        let frame = self.state.frame(&path.frame);
        if !frame.progress.failed.contains(&path.node) {
            self.set_task_timer(path);
            self.state.requeue(path);
        }
        calls
    }

    /// Cancels the detached tasks for which the run does not wait, since the flow is done.
    pub(super) fn cancel_tasks_with_flow(&mut self) {
        if !self.state.detached.is_unchanged() {
            self.cancel_tasks(&self.state.detached.cancelled_with_flow());
        }
    }
}

impl DetachedStart {
    fn of_target(target: CallTarget) -> Self {
        Self {
            agent: target.agent.into(),
            context: target.context,
            start: TaskStart {
                callee: target.callee,
                input: Ok(target.start.into_live()),
            },
        }
    }
}

impl RunState {
    /// Lets the node at `path` go on, if it waits for a detached task.
    fn wake_await_task(&mut self, path: &NodePath) -> bool {
        let Some(frame) = self.root.at_mut(&path.frame) else {
            return false;
        };
        if !frame.table.node(path.node).kind.is_await_task() {
            return false;
        }
        if frame.is_fed(path.node) && !frame.progress.failed.contains(&path.node) {
            frame.move_to_front(path.node);
            self.settle(&path.frame, None);
        }
        true
    }

    /// The agent at `path`, if it has started and is still there.
    pub(super) fn agent(&self, path: &NodePath) -> Option<&Arc<AgentProgress>> {
        self.root.at(&path.frame)?.progress.agents.get(&path.node)
    }

    fn agent_mut(&mut self, path: &NodePath) -> Option<&mut AgentProgress> {
        let frame = self.root.at_mut(&path.frame)?;
        let agent = frame.progress.get_mut()?.agents.get_mut(&path.node);
        agent.map(Arc::make_mut)
    }

    /// Puts the node at `path` in the ready queue if it can go on, and takes it out otherwise.
    pub(super) fn requeue(&mut self, path: &NodePath) {
        self.frame_mut(&path.frame).update_queue(path.node);
        self.settle(&path.frame, None);
    }
}

//! Detached tasks in a run: what their starters want of them, how they end, and what the end of the flow means for them.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    run::{Out, Run},
    runtime::FlowRuntime,
    state::{
        End, RunState,
        detached::DetachedTask,
        frame::Frame,
        path::{ItemId, NodePath},
        progress::{Timer, WaitReason},
    },
};
use crate::{
    agent::{AgentProgress, CallTarget, TaskEnd, TaskRequest},
    context::call_name,
    events::EventKind,
    invocation::{Executor, InvocationResult, TaskSnapshot, TaskStatus},
};

/// How many letters of what a task has said last are shown.
const PREVIEW: usize = 200;

/// What detached tasks are called by those who look after them.
const PREFIX: &str = "task_";

impl<F> FlowRuntime<F> {
    /// The detached tasks of the run in the order in which they were started: those that agents have started with
    /// [`Join::Detached`](crate::invocation::Join::Detached), whether they have ended or not.
    pub fn tasks(&self) -> Vec<TaskSnapshot> {
        let state = &self.inner.state;
        let tasks = state.detached.tasks.iter();
        tasks
            .map(|(number, task)| state.task_snapshot(*number, task))
            .collect()
    }
}

/// What became of a call that is answered when its step is committed.
enum Answer {
    Text(String),
    Error(String),
    /// It waits for this task.
    Waits {
        task: usize,
        until: u64,
    },
}

impl Run {
    /// Starts the detached tasks that calls of the agent at `path` ask for, does what others want of such tasks, and
    /// lets those wait that wait for one. The numbers are those of the calls. The step of the agent is being committed.
    pub(super) fn answer_calls(
        &mut self,
        path: &NodePath,
        detached: Vec<(usize, Vec<CallTarget>)>,
    ) {
        let now = self.now();
        for (call, targets) in detached {
            let numbers = self.state.start_detached(path, targets, now);
            let task_ids = numbers.into_iter().map(task_id).collect();
            let started = InvocationResult::TaskIds { task_ids };
            self.answer_call(path, call, Answer::Text(text_of(&started)));
        }
        let Some(progress) = self.state.agent(path).cloned() else {
            return;
        };
        for (call, request) in progress.task_requests() {
            let answer = self.answer_to(path, &request);
            self.answer_call(path, call, answer);
        }
        for (call, task, until) in progress.detached_waits() {
            self.answer_call(path, call, self.wait_for(task, until));
        }
    }

    fn answer_call(&mut self, path: &NodePath, call: usize, answer: Answer) {
        let Some(progress) = self.state.agent_mut(path) else {
            return;
        };
        match &answer {
            Answer::Text(text) => progress.answer(call, text, false),
            Answer::Error(text) => progress.answer(call, text, true),
            Answer::Waits { task, until } => {
                progress.wait_for(call, *task, *until);
                self.state.detached.add_waiting(*task, path);
                return;
            }
        }
        self.notify_answered(path, call);
    }

    /// Sends observers, if there are any, that a call of the agent at `path` has ended.
    pub(super) fn notify_answered(&self, path: &NodePath, call: usize) {
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

    fn answer_to(&mut self, path: &NodePath, request: &TaskRequest) -> Answer {
        let task_id = match request {
            TaskRequest::List => {
                let mine = self.state.tasks_of(path);
                return Answer::Text(text_of(&mine));
            }
            TaskRequest::Get { task_id }
            | TaskRequest::Cancel { task_id }
            | TaskRequest::Wait { task_id, .. } => task_id,
        };
        let Some(task) = self.state.task_of(path, task_id) else {
            return Answer::Error(format!("you have started no task `{task_id}`"));
        };
        match request {
            TaskRequest::Wait { seconds, .. } => {
                let until = self.now().saturating_add(seconds.saturating_mul(1_000));
                return self.wait_for(task, until);
            }
            TaskRequest::Cancel { .. } => self.cancel_task(task),
            TaskRequest::Get { .. } | TaskRequest::List => {}
        }
        Answer::Text(self.state.task_as_text(task))
    }

    /// The answer of a call that waits for a task until then.
    fn wait_for(&self, task: usize, until: u64) -> Answer {
        match self.state.end_as_text(task) {
            Some(end) => Answer::Text(end),
            None if until <= self.now() => Answer::Text(self.state.task_as_text(task)),
            None => Answer::Waits { task, until },
        }
    }

    /// The agent of a step at `path` where the time of its waits for tasks may be over: what it says of these then.
    pub(super) fn with_overdue_waits(&self, progress: &mut AgentProgress) {
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

    /// Ends a detached task and all below it that have not ended.
    fn cancel_task(&mut self, task: usize) {
        for task in self.state.detached.ending_with(task) {
            self.cancel_one(task);
        }
        let RunState { root, spending, .. } = &mut self.state;
        spending.forget_lost_agents(root);
    }

    fn cancel_one(&mut self, task: usize) {
        let open = self.state.detached.open().find(|(open, _)| *open == task);
        if let Some((_, item)) = open {
            self.drop_steps(|path| path.is_in_item(&[], item));
            self.state.drop_detached(item);
            self.end_task(item, TaskEnd::cancelled());
        }
    }

    /// Notes what the step at `path`, which is being committed, means for the detached task that it was in. Returns
    /// the end of the run, if that has come: the flow is done, and all tasks have ended for which the run waits.
    pub(super) fn note_detached(&mut self, path: &NodePath, out: Out) -> Out {
        if self.state.detached.is_unchanged() {
            return out;
        }
        if let Some(item) = self.state.detached_at(&path.frame) {
            let now = self.now();
            self.state.detached.note_event(item.index, now);
            if let Some(end) = self.state.take_detached_end(item) {
                self.end_task(item, end);
            }
        }
        let detached = &mut self.state.detached;
        match detached.returned.is_some() && detached.open().next().is_none() {
            true => {
                let returned = detached.returned.take();
                self.finish(returned)
            }
            false => out,
        }
    }

    /// Notes that a task has ended, and lets those go on that wait for it.
    fn end_task(&mut self, item: ItemId, end: TaskEnd) {
        let now = self.now();
        let task = item.index;
        for path in self.state.detached.note_end(task, end, now) {
            let Some(progress) = self.state.agent(&path) else {
                continue;
            };
            let waits = progress.detached_waits();
            let calls = waits
                .filter(|(_, other, _)| *other == task)
                .map(|(call, ..)| call);
            for call in calls.collect::<Vec<_>>() {
                let text = self.state.end_as_text(task).unwrap_or_default();
                self.answer_call(&path, call, Answer::Text(text));
            }
            self.set_task_timer(&path);
            self.state.requeue(&path);
        }
    }

    /// Ends the detached tasks that end with the flow. Whether there are others, for which the run waits.
    pub(super) fn end_detached(&mut self) -> bool {
        if self.state.detached.is_unchanged() {
            return false;
        }
        for task in self.state.detached.ending_with_flow() {
            self.cancel_one(task);
        }
        self.state.detached.open().next().is_some()
    }
}

impl RunState {
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

    /// The number of the task of this id, if the agent at `path` may look after it.
    fn task_of(&self, path: &NodePath, task_id: &str) -> Option<usize> {
        let number = task_id.strip_prefix(PREFIX)?.parse().ok()?;
        let task = self.detached.tasks.get(&number)?;
        let visit = self.step_key(path);
        let is_mine = task.owners.iter().any(|owner| **owner == *visit);
        (is_mine && *task_id == *self::task_id(number)).then_some(number)
    }

    /// The tasks that the agent at `path` may look after.
    fn tasks_of(&self, path: &NodePath) -> Vec<TaskSnapshot> {
        let visit = self.step_key(path);
        let is_mine = |task: &DetachedTask| task.owners.iter().any(|owner| **owner == *visit);
        let tasks = self.detached.tasks.iter();
        let mine = tasks.filter(|(_, task)| is_mine(task));
        mine.map(|(number, task)| self.task_snapshot(*number, task))
            .collect()
    }

    fn task_as_text(&self, number: usize) -> String {
        let task = self.detached.tasks.get(&number);
        let shown = task.map(|task| self.task_snapshot(number, task));
        shown.map_or_else(String::new, |shown| text_of(&shown))
    }

    /// The result of a task, if it has ended.
    fn end_as_text(&self, number: usize) -> Option<String> {
        let end = self.detached.tasks.get(&number)?.end.clone()?;
        Some(text_of(&end.into_result(task_id(number))))
    }

    fn task_snapshot(&self, number: usize, task: &DetachedTask) -> TaskSnapshot {
        let DetachedTask {
            agent, started_at, ..
        } = task;
        let mut shown =
            TaskSnapshot::started(task_id(number), &**agent, Executor::Local, *started_at);
        shown.last_event_at = task.last_event_at;
        shown.ended_at = task.ended_at;
        let frame = self.detached.open().find(|(open, _)| *open == number);
        let frame = frame.and_then(|(_, item)| self.root.at(&[item]));
        shown.status = match (&task.end, frame) {
            (Some(end), _) => end.status,
            (None, _) if matches!(self.end, Some(End::Cancelled(_))) => TaskStatus::Cancelled,
            (None, Some(frame)) => frame.task_status(),
            (None, None) => TaskStatus::Running,
        };
        let said = match &task.end {
            Some(end) => Some(match end.value() {
                Value::String(text) => text,
                other => other.to_string(),
            }),
            None => frame.and_then(Frame::said_last),
        };
        shown.preview = said.map(|said| preview(&said));
        shown
    }
}

impl Frame {
    fn task_status(&self) -> TaskStatus {
        let mut asks = false;
        self.walk(|_, frame| asks |= !frame.progress.questions.is_empty());
        match (self.ready.is_empty(), asks) {
            (false, _) => TaskStatus::Running,
            (true, true) => TaskStatus::Suspended,
            (true, false) => TaskStatus::Waiting,
        }
    }

    /// What an agent in it has said last.
    fn said_last(&self) -> Option<String> {
        let mut agents = self.progress.agents.values();
        agents.find_map(|agent| agent.said_last().map(str::to_owned))
    }
}

/// What a detached task is called.
fn task_id(number: usize) -> String {
    format!("{PREFIX}{number}")
}

/// What a model reads.
fn text_of(answer: &impl serde::Serialize) -> String {
    // Nothing in it is what JSON cannot hold.
    serde_json::to_string(answer).unwrap_or_else(|error| json!(error.to_string()).to_string())
}

fn preview(said: &str) -> String {
    match said.char_indices().nth(PREVIEW) {
        Some((end, _)) => format!("{}…", said.get(..end).unwrap_or_default()),
        None => said.to_owned(),
    }
}

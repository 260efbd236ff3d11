//! What others see of detached tasks: their owners, and whoever runs the run.

use std::sync::Arc;

use crate::{
    agent::tool_text,
    engine::{
        runtime::FlowRuntime,
        state::{End, RunState, detached_task::DetachedTask, frame::Frame, path::NodePath},
    },
    error::{ErrorText, FlowError},
    invocation::{Executor, Join, TaskSnapshot, TaskStatus},
};

/// How many characters of what a task has said last are shown.
const PREVIEW_CHARS: usize = 200;

/// The ids of detached tasks begin with this.
const TASK_ID_PREFIX: &str = "task_";

impl<F> FlowRuntime<F> {
    /// The detached tasks of the run, in the order in which they were started: by agents and invocations with
    /// [`Join::Detached`](crate::invocation::Join::Detached), and by nodes with
    /// [`Invoke::detached`](crate::Invoke::detached). Tasks that have ended stay in the list. Times are in milliseconds
    /// since 1970; a `preview` has at most 200 characters.
    ///
    /// ```
    /// use pravah_runtime::{invocation::TaskStatus, prelude::*};
    /// use serde_json::json;
    ///
    /// #[state] struct Question { text: String }
    /// #[state] struct Report { text: String }
    ///
    /// /// You check facts.
    /// #[agent(model = "openai://gpt-4o-mini", output = Report)]
    /// fn checker(question: &Question) -> String { question.text.clone() }
    ///
    /// /// You write reports.
    /// #[agent(
    ///     model = "openai://gpt-4o",
    ///     output = Report,
    ///     agents = [checker],
    ///     delegation(join = detached, on_done = wait),
    /// )]
    /// fn writer(question: &Question) -> String { question.text.clone() }
    ///
    /// #[flow]
    /// fn writing(question: Question) -> Report { flow! { writer } }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
    /// let script = ScriptedModel::new()
    ///     .call("writer", "call_agent", json!({ "agent": "checker", "prompt": "Is it so?" }))
    ///     .call("writer", "submit", json!({ "text": "Done." }))
    ///     .reply("checker", json!({ "text": "It is." }));
    /// let run = FlowRuntime::new(Question { text: "Is it so?".into() })?;
    /// let mut run = run.with_factory(script);
    /// run.run(Context::default()).await?;
    /// let tasks = run.tasks();
    /// assert_eq!((&*tasks[0].task_id, tasks[0].status), ("task_1", TaskStatus::Completed));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn tasks(&self) -> Vec<TaskSnapshot> {
        let state = &self.inner.state;
        let tasks = state.detached.tasks.iter();
        tasks
            .map(|(number, task)| state.snapshot_for_host(*number, task))
            .collect()
    }

    /// Cancels a detached task and all that were started below it, which are [`tasks`](Self::tasks) of the run. Agents and
    /// nodes that wait for one of them learn of it. A task that has ended stays as it is.
    ///
    /// A run that has waited for this task alone is done with its next step. That of a remote agent is
    /// cancelled by its runner beside the steps that follow.
    ///
    /// # Errors
    ///
    /// [`FlowError::NotFound`] if no task has this id, and [`FlowError::Finished`] or [`FlowError::Cancelled`] if the run
    /// has ended.
    pub fn cancel_task(&mut self, task_id: &str) -> Result<TaskSnapshot, FlowError> {
        let run = &mut self.inner;
        run.check_not_ended()?;
        if let Some((number, _)) = run.state.task(task_id) {
            run.cancel_task(number);
            run.publish_status();
        }
        let state = &self.inner.state;
        match state.task(task_id) {
            Some((number, task)) => Ok(state.snapshot_for_host(number, task)),
            None => {
                let known = self.tasks().into_iter().map(|task| task.task_id);
                Err(FlowError::NotFound(ErrorText::unknown(task_id, known)))
            }
        }
    }
}

impl RunState {
    /// The task of this id, with its number.
    pub(in crate::engine) fn task(&self, task_id: &str) -> Option<(usize, &Arc<DetachedTask>)> {
        let number = task_id.strip_prefix(TASK_ID_PREFIX)?.parse().ok()?;
        let task = self.detached.tasks.get(&number)?;
        (*task_id == *detached_task_id(number)).then_some((number, task))
    }

    /// The number of the task of this id, if the agent at `path` may manage it.
    pub(super) fn owned_task(&self, path: &NodePath, task_id: &str) -> Option<usize> {
        let (number, task) = self.task(task_id)?;
        let is_owned = task.owners.contains(&self.owner_key(path));
        is_owned.then_some(number)
    }

    /// The tasks that the agent at `path` may manage.
    pub(super) fn owned_tasks(&self, path: &NodePath) -> Vec<TaskSnapshot> {
        let owner = self.owner_key(path);
        let tasks = self.detached.tasks.iter();
        let owned = tasks.filter(|(_, task)| task.owners.contains(&owner));
        owned
            .map(|(number, task)| self.task_snapshot(*number, task))
            .collect()
    }

    pub(super) fn task_as_text(&self, number: usize) -> String {
        let task = self.detached.tasks.get(&number);
        let shown = task.map(|task| self.task_snapshot(number, task));
        shown.map_or_else(String::new, |shown| tool_text(&shown))
    }

    /// The result of a task, if it has ended.
    pub(super) fn end_as_text(&self, number: usize) -> Option<String> {
        let end = self.detached.tasks.get(&number)?.end.clone()?;
        Some(tool_text(&end.into_result(detached_task_id(number))))
    }

    /// A task as the host sees it: also how it was called. Agents are shown less, so that what a model reads stays short.
    fn snapshot_for_host(&self, number: usize, task: &DetachedTask) -> TaskSnapshot {
        TaskSnapshot {
            context: Some(task.context),
            join: Some(Join::Detached),
            tools: Some(task.tools.clone()),
            ..self.task_snapshot(number, task)
        }
    }

    fn task_snapshot(&self, number: usize, task: &DetachedTask) -> TaskSnapshot {
        let DetachedTask {
            agent, started_at, ..
        } = task;
        let executor = task
            .runner
            .clone()
            .map_or(Executor::Local, Executor::remote);
        let id = detached_task_id(number);
        let agent_id = task.remote_id.as_deref().unwrap_or(agent);
        let mut shown = TaskSnapshot::started(id, agent_id, executor, *started_at);
        shown.last_event_at = task.last_event_at;
        shown.ended_at = task.ended_at;
        let place = self.detached.place(number);
        let frame = place.and_then(|item| self.root.at(&[item]));
        shown.status = match (&task.end, frame) {
            (Some(end), _) => end.status,
            (None, _) if matches!(self.end, Some(End::Cancelled(_))) => TaskStatus::Cancelled,
            (None, Some(frame)) => frame.task_status(),
            (None, None) => TaskStatus::Running,
        };
        let said = match &task.end {
            Some(end) => Some(end.words()),
            None => frame.and_then(Frame::last_text),
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

    /// The last text of an agent in it.
    fn last_text(&self) -> Option<String> {
        let mut agents = self.progress.agents.values();
        agents.find_map(|agent| agent.last_text().map(str::to_owned))
    }
}

/// What a detached task is called.
pub(in crate::engine) fn detached_task_id(number: usize) -> String {
    format!("{TASK_ID_PREFIX}{number}")
}

fn preview(said: &str) -> String {
    match said.char_indices().nth(PREVIEW_CHARS) {
        Some((end, _)) => said.get(..end).unwrap_or_default().to_owned(),
        None => said.to_owned(),
    }
}

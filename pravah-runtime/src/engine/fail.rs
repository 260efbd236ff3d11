//! What becomes of a failure: another attempt, a `catch`, or the end of the run.

use std::time::Duration;

use super::{
    catch::{is_never_caught, lacks_runner},
    last_step::StepKind,
    notify::is_shown,
    outcome::{is_retried, kind_of},
    run::{Out, Run},
    state::{
        path::{FramePath, NodePath, within_items},
        progress::{FailedNode, WaitReason},
    },
};
use crate::{
    agent::{AgentProgress, Spent},
    error::FlowError,
    events::{EventKind, FailureOutcome},
    numbers::millis,
};

impl Run {
    /// Commits the failure of an attempt at `path`, if there is another one or a `catch` takes it. Otherwise
    /// everything stays where it was, but for what was paid, and that the node failed.
    pub(super) fn fail(
        &mut self,
        path: &NodePath,
        mut error: FlowError,
        spent: Option<Spent>,
    ) -> Result<(StepKind, Out), FlowError> {
        self.name_items(path, &mut error);
        if let Some(spent) = spent {
            self.count_usage(path, spent);
        }
        if is_never_caught(&error) {
            self.keep_lost(path, spent);
            // A payload that does not fit is no failure of the node: its question is open again.
            if !matches!(error, FlowError::ResumePayload { .. }) {
                self.notify_failed(path, &error, FailureOutcome::Unhandled);
            }
            return Err(error);
        }
        let attempt = self.state.attempt(path);
        if let Some(wait) = self.next_attempt(path, attempt, &error) {
            self.notify_failed(path, &error, FailureOutcome::Retried);
            self.try_again(path, spent, wait);
            return Ok((StepKind::FailedAttempt, Out::Continue));
        }
        if let Some(caught) = self.catch(path, &error, attempt) {
            self.notify_failed(path, &error, FailureOutcome::Caught);
            self.start_commit(path);
            return Ok((StepKind::Failure, self.commit_failure(path, caught)));
        }
        self.keep_lost(path, spent);
        self.notify_failed(path, &error, FailureOutcome::Unhandled);
        self.note_failed(path, attempt, &error);
        if self.known.graph.fail_fast() {
            return Err(error);
        }
        // Everything else goes on first.
        self.state.suspend(path);
        self.memory.errors.insert(path.clone(), error);
        Ok((StepKind::FailedAttempt, Out::Continue))
    }

    /// Names the items of lists that the node is in: `read[2]`.
    fn name_items(&self, path: &NodePath, error: &mut FlowError) {
        if !self.is_in_lists(&path.frame) {
            return;
        }
        let id = self.node_id(path);
        if let Some(node) = error.node_mut().filter(|node| **node == *id) {
            *node = within_items(node, &path.frame);
        }
    }

    /// Whether it is an item, and all around it are: not of a call, nor of a document.
    fn is_in_lists(&self, frame: &FramePath) -> bool {
        let mut around = frame;
        while let [outer @ .., item] = around {
            let list = self.state.frame(outer).table.node(item.list);
            if !list.kind.numbers_items() {
                return false;
            }
            around = outer;
        }
        !frame.is_empty()
    }

    fn notify_failed(&mut self, path: &NodePath, error: &FlowError, outcome: FailureOutcome) {
        self.notify_agent_end(path, false);
        if !is_shown(&self.node_id(path)) {
            return;
        }
        let is_attempt = self.known.phase.is_some() && outcome == FailureOutcome::Retried;
        self.notify(path, || match is_attempt {
            true => EventKind::attempt_failed(kind_of(error), error.to_string()),
            false => EventKind::node_failed(kind_of(error), error.to_string(), outcome),
        });
    }

    fn keep_lost(&mut self, path: &NodePath, spent: Option<Spent>) {
        if let Some(spent) = spent {
            self.count_lost(path, spent);
        }
    }

    /// How long to wait before the attempt after number `attempt`, if there is one.
    fn next_attempt(&self, path: &NodePath, attempt: u32, error: &FlowError) -> Option<Duration> {
        let frame = self.state.frame(&path.frame);
        let policy = &frame.table.node(path.node).policy;
        let retry = policy.retry.filter(|_| is_retried(error))?;
        if attempt >= retry.max_attempts {
            return None;
        }
        // A provider that says when to come back knows best.
        let hint = match error {
            FlowError::Model { source, .. } => source.retry_after(),
            _ => None,
        };
        let wait = hint.unwrap_or_else(|| retry.wait_after(attempt, &self.step_key(path)));
        if policy.total_timeout.is_none() {
            return Some(wait);
        }
        let now = self.now();
        let (end, _) = self.end_of_all_attempts(path, policy, now)?;
        (now.saturating_add(millis(wait)) < end).then_some(wait)
    }

    /// Lets the node start anew, after the wait.
    fn try_again(&mut self, path: &NodePath, spent: Option<Spent>, wait: Duration) {
        self.start_commit(path);
        self.forget_attempt(path, spent);
        let attempts = self.state.attempts_mut(path);
        attempts.failed = attempts.failed.saturating_add(1);
        attempts.spent = 0;
        if !wait.is_zero() {
            self.state.suspend(path);
            self.set_timer(path, wait, WaitReason::Retry);
        }
    }

    /// Forgets what the attempt has done: an agent starts a new conversation, and a gate asks anew.
    fn forget_attempt(&mut self, path: &NodePath, spent: Option<Spent>) {
        self.state.forget_questions(path);
        self.drop_tasks(path);
        self.state.drop_remote(path);
        let frame = self.state.frame_mut(&path.frame);
        frame.progress.gates.remove(&path.node);
        let before = frame.progress.agents.remove(&path.node);
        if let Some(next) = AgentProgress::next_attempt(before.as_deref(), spent) {
            frame.set_agent(path.node, next);
        }
    }

    /// Notes that nothing is left to try. Whoever goes on with the run all the same starts from the first
    /// attempt.
    fn note_failed(&mut self, path: &NodePath, attempts: u32, error: &FlowError) {
        let frame = self.state.frame(&path.frame);
        let is_invoke = frame.table.node(path.node).kind.is_invoke();
        let has_tasks = frame.has_tasks(path.node);
        let failed = FailedNode {
            kind: kind_of(error),
            message: error.to_string().into(),
            attempts,
            is_tried_last: !self.known.graph.fail_fast() && has_tasks && !is_invoke,
        };
        let is_asked = matches!(frame.progress.gates.get(&path.node), Some(None));
        // Whatever it waited for has come.
        self.state.wake(path);
        let starts_over = is_asked || attempts > 1 || (is_invoke && has_tasks);
        if starts_over && !lacks_runner(error) {
            self.forget_attempt(path, None);
        }
        self.state.note_failed(path, failed.into());
        self.state.settle(&path.frame, None);
    }

    /// The error of a node that failed, which is tried again next: each has its turn.
    pub(super) fn failure(&mut self) -> Option<FlowError> {
        let failed = || self.state.waits.failed();
        let next = failed().find(|path| Some(*path) > self.memory.tried_again.as_ref());
        let path = next.or_else(|| failed().next())?.clone();
        self.state.try_again(&path);
        self.memory.tried_again = Some(path.clone());
        let frame = self.state.frame(&path.frame);
        let failed = frame.progress.failed.get(&path.node).cloned()?;
        let error = self.memory.errors.remove(&path);
        Some(error.unwrap_or_else(|| self.stored_failure(&path, &failed)))
    }

    /// The error of a node that failed in another process.
    fn stored_failure(&self, path: &NodePath, failed: &FailedNode) -> FlowError {
        let mut error = FlowError::Failed {
            node: self.node_id(path).to_string(),
            kind: failed.kind,
            message: failed.message.to_string(),
            attempts: failed.attempts,
        };
        self.name_items(path, &mut error);
        error
    }
}

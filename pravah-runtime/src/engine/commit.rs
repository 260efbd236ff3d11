//! Committing a step: what it consumed goes out, what it returned comes in, together.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use super::{
    clock::at,
    flight::Landed,
    last_step::{LastStep, Outputs, StepKind},
    outcome::{Asks, StepOutcome},
    perform::waiting_input,
    run::{Out, Run},
    state::{
        RunState,
        frame::Frame,
        path::{NodePath, within_items},
        progress::WaitReason,
        tasks::TaskStart,
    },
};
use crate::{
    agent::{AgentProgress, AgentStep, OpenCall},
    error::{FlowError, guard},
    events::EventKind,
    json,
    node::{Emission, Emitted},
    state::Live,
};

impl Run {
    /// Commits the outcome of the step at `path`. Until here the run's state has not changed, so a future
    /// that was dropped leaves it as it was, and an error leaves it with what was paid for and no other
    /// change.
    pub(super) fn commit(&mut self, landed: Landed) -> Result<Out, FlowError> {
        let Landed {
            path,
            outcome,
            started,
            ..
        } = landed;
        let outcome = self.with_calls(&path, outcome);
        self.end_agent_span(&path, &outcome);
        let attempt = self.observed_attempt(&path);
        let frame = self.state.frame(&path.frame);
        let calls = || frame.table.inner(path.node).is_some();
        if frame.has_tasks(path.node) || (matches!(outcome, StepOutcome::Agent(..)) && calls()) {
            // Its clock was stopped while its tasks went on.
            self.start_clock(&path);
        }
        let (kind, outputs, out) = match outcome {
            StepOutcome::Outputs(emitted) => self.commit_outputs(&path, emitted),
            outcome => self.commit_rare_outcome(&path, outcome, started)?,
        };
        let out = self.settle_detached(&path, out);
        self.note_ready(&path.frame);
        self.note_ended_regions(&path);
        self.state.steps = self.state.this_step();
        self.last = Some(LastStep {
            path,
            kind,
            outputs,
            attempt,
        });
        self.refresh_view();
        Ok(out)
    }

    /// Commits any outcome but outputs. It is apart so that a step that returns outputs does not read this code.
    #[inline(never)]
    fn commit_rare_outcome(
        &mut self,
        path: &NodePath,
        outcome: StepOutcome,
        started: Option<u64>,
    ) -> Result<(StepKind, Outputs, Out), FlowError> {
        Ok(match outcome {
            // Not reached: `commit` does it.
            StepOutcome::Outputs(emitted) => self.commit_outputs(path, emitted),
            StepOutcome::Calls(starts) => {
                self.note_start(path, started);
                self.start_commit(path);
                let out = self.call_agents(path, starts);
                (StepKind::Calls, Outputs::Nothing, out)
            }
            StepOutcome::StartsTasks(starts) => {
                self.note_start(path, started);
                self.start_commit(path);
                let output = self.start_tasks(path, starts);
                let emitted = Emitted::only(output);
                let outputs = Outputs::of(&emitted);
                self.note_result(path, &emitted);
                (StepKind::Calls, outputs, self.fire(path, emitted))
            }
            StepOutcome::AwaitsTask(task) => {
                self.start_commit(path);
                self.state.suspend(path);
                self.state.detached.add_waiting(task, path);
                (StepKind::Calls, Outputs::Nothing, Out::Continue)
            }
            StepOutcome::Asks(asks) => {
                self.start_commit(path);
                let frame = self.state.frame_mut(&path.frame);
                frame.progress.gates.insert(path.node, None);
                self.ask(path, *asks)
            }
            StepOutcome::Agent(step, progress) => {
                if started.is_some()
                    && !matches!(step, AgentStep::Done(_) | AgentStep::HandedOff(_))
                {
                    self.note_start(path, started);
                    self.count_time(path, started);
                }
                self.commit_agent(path, step, progress)
            }
            StepOutcome::Remote(step) => {
                self.note_start(path, started);
                self.count_time(path, started);
                self.commit_remote(path, *step)?
            }
            StepOutcome::Failed(error, spent) => {
                self.note_start(path, started);
                let (kind, out) = self.fail(path, *error, spent)?;
                (kind, Outputs::Nothing, out)
            }
        })
    }

    #[inline]
    fn commit_outputs(&mut self, path: &NodePath, emitted: Emitted) -> (StepKind, Outputs, Out) {
        let outputs = Outputs::of(&emitted);
        self.note_result(path, &emitted);
        self.forget_calls(path);
        (StepKind::Node, outputs, self.fire(path, emitted))
    }

    fn commit_agent(
        &mut self,
        path: &NodePath,
        step: AgentStep,
        progress: Arc<AgentProgress>,
    ) -> (StepKind, Outputs, Out) {
        self.start_commit(path);
        match step {
            AgentStep::Asked => {
                let out = self.go_on(path, progress);
                (StepKind::ModelCall, Outputs::Nothing, out)
            }
            AgentStep::Ran => {
                self.notify_calls(path, &progress);
                let out = self.go_on(path, progress);
                if self.state.frame(&path.frame).has_tasks(path.node) {
                    self.state.forget_taken_tasks(path);
                }
                (StepKind::ToolCalls, Outputs::Nothing, out)
            }
            AgentStep::Waits { wait, model, why } => {
                let until = self.wait(path, progress, wait);
                self.notify(path, || EventKind::model_waits(model, why, at(until)));
                (StepKind::Wait, Outputs::Nothing, Out::Continue)
            }
            AgentStep::Suspended(calls) => {
                let out = self.wait_for_calls(path, calls, progress);
                (StepKind::ToolCalls, Outputs::Nothing, out)
            }
            AgentStep::InReview(mut question) => {
                question.insert("state".to_owned(), self.shown_input(path));
                self.keep_agent(path, progress);
                let out = self.put_question(path, question.into());
                (StepKind::ModelCall, Outputs::Nothing, out)
            }
            AgentStep::Listens(wait) => {
                let turn = progress.turn();
                self.keep_agent(path, progress);
                self.stop_clock(path);
                self.set_timer(path, wait, WaitReason::Message);
                self.notify_published(path, || {
                    EventKind::turn_ended(self.agent_run_id(path), turn)
                });
                (StepKind::ModelCall, Outputs::Nothing, Out::Continue)
            }
            AgentStep::HandedOff(output) => {
                self.notify_calls(path, &progress);
                let out = self.end_agent(path, &progress, output);
                (StepKind::ToolCalls, Outputs::Branch(0), out)
            }
            AgentStep::Done(output) => {
                let kind = if progress.is_reviewed() {
                    StepKind::Review
                } else if progress.answer_to_message().is_some() {
                    StepKind::LastTurn
                } else {
                    StepKind::ModelCall
                };
                let out = self.end_agent(path, &progress, output);
                (kind, Outputs::Branch(0), out)
            }
        }
    }

    /// Lets an agent wait for answers to its calls, and for the tasks that these start.
    fn wait_for_calls(
        &mut self,
        path: &NodePath,
        asked: Vec<OpenCall>,
        mut progress: Arc<AgentProgress>,
    ) -> Out {
        let table = Arc::clone(&self.state.frame(&path.frame).table);
        if table.inner(path.node).is_some() {
            let left = self.state.children_left(path);
            let started = Arc::make_mut(&mut progress).start_calls(left);
            self.notify_calls(path, &progress);
            let before = self.state.agent(path);
            let known = before.map_or_else(Vec::new, |before| before.known_results());
            self.keep_agent(path, progress);
            for call in started.refused {
                self.notify_ended(path, call);
            }
            let starts = started.awaited.into_iter().map(|(task, call)| {
                let (callee, input) = (call.callee, Ok(call.start.into_live()));
                (task, TaskStart { callee, input })
            });
            self.state.start_tasks(path, starts.collect());
            self.carry_out_calls(path, started.detached, &known);
            self.set_task_timer(path);
            self.state.requeue(path);
            let progress = self.state.agent(path);
            if progress.is_none_or(|progress| !progress.waits_for_others()) {
                // It goes on: all of its calls have been answered.
                return Out::Continue;
            }
        } else {
            self.keep_agent(path, progress);
        }
        self.stop_clock(path);
        let asked = self.asked_by_calls(path, asked);
        self.reopen(path, asked)
    }

    /// Lets what an agent has returned go on.
    fn end_agent(&mut self, path: &NodePath, progress: &AgentProgress, output: Live) -> Out {
        let spent = progress.spent();
        self.count_usage(path, spent);
        self.notify_agent_end(path, true);
        let frame = self.state.frame(&path.frame);
        let output = match &frame.table.node(path.node).rules {
            Some(rules) => rules.rules.with_usage(output, spent.usage),
            None => output,
        };
        let name = within_items(&self.node_id(path), &path.frame);
        let emitted = Emitted::only(output);
        self.note_result(path, &emitted);
        let out = self.fire(path, emitted);
        let RunState { root, spending, .. } = &mut *self.state;
        spending.forget_asked(root, path);
        let said = progress.messages().clone();
        self.memory.history.record(name, said);
        out
    }

    /// What every commit of a node that goes on begins with: it waits for no time any more, and the items
    /// that it is in have started.
    pub(super) fn start_commit(&mut self, path: &NodePath) {
        self.state.wake(path);
        self.state.forget_failed(path);
        self.state.settle(&path.frame, None);
    }

    pub(super) fn fire(&mut self, path: &NodePath, emitted: Emitted) -> Out {
        let has_rules = self.state.has_rules(path);
        let mut done = self.state.fire(path, emitted);
        if has_rules && done.is_none() {
            done = self.cancel_losers(path);
        }
        self.finish(done)
    }

    /// Ends the nodes that are over once the node at `path` has run, by its rules. Returns the flow's output, if that
    /// came of it.
    #[inline(never)]
    fn cancel_losers(&mut self, path: &NodePath) -> Option<Live> {
        let frame = self.state.root.at(&path.frame)?;
        let table = Arc::clone(&frame.table);
        let rules = table.node(path.node).rules.as_ref()?;
        for node in &rules.cancels {
            let loser = NodePath::new(&path.frame, *node);
            let is_running = |frame: &Frame| frame.is_fed(*node);
            if !self.state.root.at(&path.frame).is_some_and(is_running) {
                continue;
            }
            self.drop_steps(|flight| flight.is_within(&path.frame, *node));
            if let Some(done) = self.state.skip(&loser) {
                return Some(done);
            }
        }
        None
    }

    /// Ends the run, if that was its output, unless it waits for detached tasks.
    pub(super) fn finish(&mut self, done: Option<Live>) -> Out {
        let Some(output) = done else {
            return Out::Continue;
        };
        self.cancel_tasks_with_flow();
        if self.state.detached.has_open() {
            self.state.detached.returned = Some(output);
            return Out::Continue;
        }
        self.state.finish(output);
        Out::Done(())
    }

    /// Lets an agent make another step.
    fn go_on(&mut self, path: &NodePath, mut progress: Arc<AgentProgress>) -> Out {
        self.count_usage(path, progress.spent());
        let frame = self.state.frame_mut(&path.frame);
        if let Some(now) = frame.progress.agents.get(&path.node)
            && frame.has_tasks(path.node)
        {
            Arc::make_mut(&mut progress).keep_called_of(now);
        }
        frame.set_agent(path.node, progress);
        Out::Continue
    }

    /// Keeps what an agent has done so far, and takes it out of the ready queue.
    fn keep_agent(&mut self, path: &NodePath, progress: Arc<AgentProgress>) {
        self.go_on(path, progress);
        self.state.suspend(path);
    }

    /// Lets an agent wait; other nodes go on.
    fn wait(&mut self, path: &NodePath, progress: Arc<AgentProgress>, wait: Duration) -> u64 {
        self.keep_agent(path, progress);
        let wait = self.count_wait(path, wait);
        self.set_timer(path, wait, WaitReason::Model)
    }

    /// Asks what a gate asks, as long as it waits; or waits, where it asks nobody.
    fn ask(&mut self, path: &NodePath, asks: Asks) -> (StepKind, Outputs, Out) {
        let Asks {
            mut question,
            timeout,
            is_timer,
            since,
        } = asks;
        if is_timer {
            self.state.suspend(path);
            let wait = timeout.unwrap_or_default();
            self.set_timer(path, wait, WaitReason::Time);
            return (StepKind::Wait, Outputs::Nothing, Out::Continue);
        }
        if let (Some(since), Value::Object(fields)) = (since, &mut question) {
            let metadata = fields.entry("metadata").or_insert(Value::Null);
            *metadata = serde_json::json!({ since: self.now() });
        }
        if let Some(timeout) = timeout {
            self.set_timer(path, timeout, WaitReason::Question);
        }
        let out = self.put_question(path, question);
        (StepKind::Question, Outputs::Nothing, out)
    }

    /// What the node at `path` takes, as far as a JSON value can hold it in another: no number of 128 bits, and nothing that
    /// is nested too deeply.
    pub(super) fn shown_input(&self, path: &NodePath) -> Value {
        let frame = self.state.frame(&path.frame);
        let entry = frame.table.node(path.node);
        let written = guard(&entry.id, || waiting_input(entry, frame));
        let shown = written.unwrap_or_else(Err);
        let shown = shown.ok().filter(|it| json::can_be_read(it, 1));
        shown.unwrap_or_default()
    }
}

impl Outputs {
    fn of(emitted: &Emitted) -> Self {
        match &emitted.0 {
            Emission::Branch(branch, _) => Self::Branch(*branch),
            Emission::All(_) => Self::All,
            Emission::Calls(_) => Self::Nothing,
        }
    }
}

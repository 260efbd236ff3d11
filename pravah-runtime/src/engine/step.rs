//! A step of a run, without the types of its flow, which `futures` add.

use std::{
    mem,
    task::{Context as Task, Poll, ready},
};

use super::{
    choose::Choice,
    clock::Sleep,
    commands::Taken,
    fast_path::FastStep,
    flight::{Flight, Landed},
    perform::StartedStep,
    run::{Out, Run, node_id},
    state::path::NodePath,
    yielding::Nested,
};
use crate::{context::Context, error::FlowError};

/// A step that is being made. Nothing is committed before it is done.
pub(super) struct Step<'a> {
    run: &'a mut Run,
    /// The step to make, where it is not the one that is next.
    path: Option<NodePath>,
    ctx: Context,
    stage: Stage,
    /// The wait for the time at which another step may start besides those that are in flight, or of a run that a
    /// hub has cancelled for the time by which they have to end.
    due: Option<Sleep>,
}

enum Stage {
    New,
    Started,
    /// A hub has cancelled the run.
    Cancelled,
    /// The run has ended with this, and remote tasks are still to be cancelled.
    CancellingRemoteTasks(Box<Result<Out, FlowError>>),
    /// Done. Polling again stays pending, and makes no second step.
    Ended,
}

impl<'a> Step<'a> {
    pub(super) fn new(run: &'a mut Run, ctx: Context) -> Self {
        Self {
            run,
            path: None,
            ctx,
            stage: Stage::New,
            due: None,
        }
    }

    pub(super) fn run(&mut self) -> &mut Run {
        self.run
    }

    /// Makes this the step at `path` instead of the next one.
    pub(super) fn aim_at(&mut self, path: NodePath) {
        self.path = Some(path);
    }

    /// Makes this the next step, after one that has ended.
    pub(super) fn restart(&mut self) {
        self.path = None;
        self.stage = Stage::New;
        self.due = None;
    }

    pub(super) fn poll(&mut self, task: &mut Task<'_>) -> Poll<Result<Out, FlowError>> {
        let _nested = match Nested::enter() {
            Ok(nested) => nested,
            Err(error) => {
                self.end();
                return Poll::Ready(Err(error));
            }
        };
        // They go on beside the step, which does not wait for them.
        let _ = self.run.poll_remote_cancels(task);
        if matches!(self.stage, Stage::New)
            && let Some(out) = self.run.untold()
        {
            self.stage = Stage::CancellingRemoteTasks(out.into());
        }
        let polled = match self.stage {
            Stage::New => match self.start_plain(task) {
                // Most steps end so: nothing is moved that could be an output or an error.
                FastStep::Continue => {
                    self.end();
                    return Poll::Ready(Ok(Out::Continue));
                }
                FastStep::Pending => Poll::Pending,
                FastStep::Ended(out) => Poll::Ready(out),
                FastStep::Other => self.advance(task, true),
            },
            Stage::Started => self.advance(task, false),
            Stage::Cancelled => self.poll_cancelled(task),
            Stage::CancellingRemoteTasks(_) => return self.poll_remote_cancels(task),
            Stage::Ended => Poll::Pending,
        };
        let out = ready!(polled);
        self.end();
        if self.run.has_remote_cancels() && self.run.state.end.is_some() {
            self.stage = Stage::CancellingRemoteTasks(out.into());
            return self.poll_remote_cancels(task);
        }
        self.run.end_span_after(&out);
        Poll::Ready(out)
    }

    /// Waits until the remote tasks of a run that has ended are cancelled.
    #[cold]
    fn poll_remote_cancels(&mut self, task: &mut Task<'_>) -> Poll<Result<Out, FlowError>> {
        ready!(self.run.poll_remote_cancels(task));
        let Stage::CancellingRemoteTasks(out) = mem::replace(&mut self.stage, Stage::Ended) else {
            return Poll::Pending;
        };
        self.run.end_span_after(&out);
        Poll::Ready(*out)
    }

    /// Starts the step, and makes it where it is a plain move.
    #[inline]
    fn start_plain(&mut self, task: &mut Task<'_>) -> FastStep {
        let Self { run, ctx, .. } = self;
        if !run.may_step(task) {
            return FastStep::Pending;
        }
        if let Err(error) = run.factory.check_script(ctx, &run.state.root.table) {
            return FastStep::Ended(Err(error));
        }
        self.stage = Stage::Started;
        match self.path {
            None => run.fast_step(ctx, task),
            Some(_) => FastStep::Other,
        }
    }

    /// Polls what is in flight. Where nothing of it has ended, a new step is started, of any kind.
    fn advance(&mut self, task: &mut Task<'_>, is_new: bool) -> Poll<Result<Out, FlowError>> {
        self.run.notify_run_start();
        let taken = self.run.take_commands(task);
        if let Taken::Cancelled(grace) = taken {
            self.stage = Stage::Cancelled;
            self.due = grace;
            return self.poll_cancelled(task);
        }
        let Self { run, path, ctx, .. } = self;
        let path = path.as_ref();
        let mut out = run.poll_flights(path, task);
        // A command may have made room for a step, or stopped the one that is awaited.
        let is_changed = matches!(taken, Taken::Something);
        if (is_new || is_changed) && out.is_none() {
            out = run.start(path, ctx, task);
        }
        match out {
            Some(out) => Poll::Ready(out),
            None => self.poll_due(task),
        }
    }

    /// Starts what waits for a time, if that has come; not where one step is what the caller waits for.
    fn poll_due(&mut self, task: &mut Task<'_>) -> Poll<Result<Out, FlowError>> {
        let Self { run, ctx, due, .. } = self;
        match self.path {
            Some(_) => Poll::Pending,
            None => run
                .start_due(due, ctx, task)
                .map_or(Poll::Pending, Poll::Ready),
        }
    }

    /// Waits for what is in flight in a run that a hub has cancelled.
    fn poll_cancelled(&mut self, task: &mut Task<'_>) -> Poll<Result<Out, FlowError>> {
        ready!(self.run.poll_grace(&mut self.due, task));
        // It says who cancelled the run.
        Poll::Ready(self.run.check_not_ended().and_then(|()| self.run.idle()))
    }

    #[inline]
    fn end(&mut self) {
        if !self.run.options.observers.is_empty() {
            self.run.after_step(&self.stage);
        }
        self.stage = Stage::Ended;
    }

    /// Whoever does not wait for a step does not want the bodies that were started for it.
    #[cold]
    fn drop_unfinished(&mut self) {
        match self.stage {
            Stage::Started => self.run.flights.clear(),
            Stage::Cancelled => self.run.end_cancel(),
            Stage::CancellingRemoteTasks(ref out) => {
                if let Ok(Out::Done(())) = **out {
                    self.run.memory.is_end_untold = true;
                }
            }
            Stage::New | Stage::Ended => {}
        }
    }
}

impl Drop for Step<'_> {
    #[inline]
    fn drop(&mut self) {
        if !matches!(self.stage, Stage::New | Stage::Ended) {
            self.drop_unfinished();
        }
    }
}

impl Run {
    /// What a dropped future was to return.
    #[inline]
    fn untold(&mut self) -> Option<Result<Out, FlowError>> {
        let memory = self.memory.get_mut()?;
        if let Some(error) = memory.untold_error.take() {
            return Some(Err(error));
        }
        mem::take(&mut memory.is_end_untold).then_some(Ok(Out::Done(())))
    }

    /// Says what came of a step to whoever observes the run.
    #[cold]
    #[inline(never)]
    fn after_step(&mut self, stage: &Stage) {
        if let Stage::Cancelled = stage {
            self.end_cancel();
        }
        self.publish_status();
        self.notify_step();
    }

    /// Starts the step at `path`, or those that are next. Returns the outcome of one that is done at once.
    fn start(
        &mut self,
        path: Option<&NodePath>,
        ctx: &Context,
        task: &mut Task<'_>,
    ) -> Option<Result<Out, FlowError>> {
        match path {
            Some(path) if self.flights.holds(&path.frame, path.node) => None,
            Some(_) if self.state.is_paused => Some(self.idle()),
            Some(path) => self.start_at(path.clone(), ctx, true, task),
            None => self.start_next(ctx, task),
        }
    }

    /// Starts steps as long as there is room for one and something to do.
    fn start_next(&mut self, ctx: &Context, task: &mut Task<'_>) -> Option<Result<Out, FlowError>> {
        while self.flights.len() < self.concurrency {
            let path = match self.choose() {
                Ok(Choice::Node(path)) => path,
                Ok(Choice::Unreadable(path, outcome)) => {
                    self.notify_node_start(&path);
                    return Some(self.commit(Landed::at_once(path, outcome)));
                }
                Ok(Choice::Nothing) => break,
                // What is in flight goes on.
                Err(_) if !self.flights.is_empty() => break,
                Err(error) => return Some(Err(error)),
            };
            let out = self.start_at(path, ctx, false, task);
            if out.is_some() {
                return out;
            }
        }
        self.flights.is_empty().then(|| self.idle())
    }

    /// Starts what waits for a time once that has come, while others are in flight.
    fn start_due(
        &mut self,
        due: &mut Option<Sleep>,
        ctx: &Context,
        task: &mut Task<'_>,
    ) -> Option<Result<Out, FlowError>> {
        if due.is_none() {
            *due = self.sleep_in_flight();
        }
        due.as_mut()?.as_mut().poll(task).is_ready().then_some(())?;
        *due = None;
        let out = self.start_next(ctx, task);
        if out.is_none() {
            // Another time may come.
            task.waker().wake_by_ref();
        }
        out
    }

    fn start_at(
        &mut self,
        path: NodePath,
        ctx: &Context,
        just_resumed: bool,
        task: &mut Task<'_>,
    ) -> Option<Result<Out, FlowError>> {
        let in_span = self.enter_span();
        if in_span.is_some() {
            self.open_agent_span(&path);
        }
        self.notify_node_start(&path);
        let mut flight = match self.perform(&path, ctx, just_resumed) {
            StartedStep::Ended(outcome) => {
                return Some(self.commit(Landed::at_once(path, outcome)));
            }
            StartedStep::Pending {
                pending,
                limit,
                cancel,
            } => Flight {
                path,
                pending,
                limit,
                cancel,
                waker: self.flights.new_waker(task),
            },
        };
        match flight.poll(task, |path| self.node_id(path).to_string()) {
            Poll::Ready(outcome) => Some(self.commit(flight.end(outcome))),
            Poll::Pending => {
                self.flights.reserve(self.concurrency);
                self.flights.add(flight);
                None
            }
        }
    }

    /// Polls what is in flight, and commits what ended first: of the step at `path`, where that is what
    /// the caller waits for.
    fn poll_flights(
        &mut self,
        path: Option<&NodePath>,
        task: &mut Task<'_>,
    ) -> Option<Result<Out, FlowError>> {
        let is_meant = |ended: &NodePath| path.is_none_or(|path| path == ended);
        if self.flights.is_empty() {
            return None;
        }
        let _in_span = self.enter_span();
        let landed = match self.flights.take_ended(is_meant) {
            Some(landed) => landed,
            None => {
                let state = &self.state;
                let id = |path: &NodePath| node_id(state, &path.frame, path.node).to_string();
                self.flights.poll(task, id);
                self.flights.take_ended(is_meant)?
            }
        };
        Some(self.commit(landed))
    }
}

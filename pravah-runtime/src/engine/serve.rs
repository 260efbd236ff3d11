//! Runs that others drive through a hub.

use std::{future::poll_fn, task::Poll};

use super::{run::Run, run_out::RunOut, runtime::FlowRuntime};
use crate::{context::Context, error::FlowError, flow::FlowEnds, hub::Hub};

impl<F> FlowRuntime<F> {
    /// A handle for other tasks: where the run is, its events, and commands to it.
    ///
    /// A run that has ever had a hub, or was restored with commands that nobody had taken, makes its steps a bit
    /// more slowly.
    pub fn hub(&mut self) -> Hub {
        self.inner.hub()
    }

    /// Waits for what [`next`](Self::next) could not wait for: a command of a [`Hub`], or the time of a wait or of
    /// a gate's `timeout`. Where a step can be made, it returns at once. It returns `false` where nothing can change
    /// any more: the run has ended, or no time is waited for and nobody holds a hub.
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    ///
    /// # #[state] struct Draft { text: String }
    /// # #[state] struct Decided { published: bool }
    /// # #[gate(prompt = "Publish this?")]
    /// # fn approve(_draft: &Draft, yes: bool) -> Decided { Decided { published: yes } }
    /// # #[flow] fn publish(draft: Draft) -> Decided { flow! { approve } }
    /// # fn store(_: FlowSnapshot) {}
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
    /// let mut run = FlowRuntime::new(Draft { text: "…".into() })?;
    /// let hub = run.hub();
    /// let mut questions = hub.events().only("session:prompt");
    /// tokio::spawn(async move {
    ///     questions.next().await; // A reply to what is not asked yet is refused.
    ///     hub.reply("approve", true).await
    /// });
    /// let decided = loop {
    ///     match run.next(Context::default()).await {
    ///         Ok(RunOut::Done(decided)) => break decided,
    ///         Ok(RunOut::Waiting { .. }) | Err(FlowError::ResumeRequired(_)) => {
    ///             assert!(run.changed().await, "nobody can answer");
    ///         }
    ///         Ok(_) => store(run.snapshot()),
    ///         Err(error) => return Err(error),
    ///     }
    /// };
    /// # Ok(()) }
    /// ```
    ///
    /// Dropping the future changes nothing.
    pub async fn changed(&mut self) -> bool {
        let run = &mut self.inner;
        if !run.is_waiting() {
            return run.state.end.is_none();
        }
        let mut time = run.sleep_until_due();
        poll_fn(move |task| {
            let is_due = time
                .as_mut()
                .is_some_and(|it| it.as_mut().poll(task).is_ready());
            match (run.has_new_command(task) || is_due, run.can_change()) {
                (true, _) => Poll::Ready(true),
                (false, true) => Poll::Pending,
                (false, false) => Poll::Ready(false),
            }
        })
        .await
    }

    /// Makes steps to the end, and waits where [`run`](Self::run) returns: for answers, for the timeouts of gates
    /// and while the run is paused. It returns what `run` does only once nobody holds a [`Hub`] and no time is
    /// waited for.
    ///
    /// # Errors
    ///
    /// Those of [`next`](Self::next); [`FlowError::Cancelled`] once a hub has cancelled the run.
    pub async fn serve(&mut self, ctx: Context) -> Result<RunOut<F::Output>, FlowError>
    where
        F: FlowEnds,
    {
        loop {
            let out = self.run(ctx.clone()).await?;
            if matches!(out, RunOut::Done(_)) || !self.changed().await {
                return Ok(out);
            }
        }
    }
}

impl Run {
    /// Whether no step can be made before something changes.
    fn is_waiting(&self) -> bool {
        self.state.end.is_none() && (self.state.is_paused || !self.can_move())
    }

    /// Whether a time or somebody outside can change anything.
    fn can_change(&self) -> bool {
        self.has_hubs() || self.sleep_until_due().is_some()
    }
}

//! The plainest of steps, and most of them: one state waits, a function takes it and returns one, and
//! nothing else changes. They are made here without what only other steps need, in less than half the time;
//! whatever is out of the ordinary goes on as any other step.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    task::{Context as Task, Poll},
};

use super::{
    flight::{Flight, Landed, Pending},
    last_step::{LastStep, Outputs, StepKind},
    outcome::StepOutcome,
    run::{Out, Run},
    state::{frame::Frame, path::NodePath},
};
use crate::{
    context::{Context, StepScope},
    error::{BoxError, FlowError, panicked, quietly},
    graph::{NodeIx, NodeKind},
    node::{BodyFuture, Emission, Emitted, Inputs, Running, Started},
    state::Live,
    trace,
};

/// What became of a step that was to be made here.
pub(super) enum FastStep {
    /// It is no plain move, and made as any other step.
    Other,
    /// Its body awaits.
    Pending,
    /// It is committed, and there is more to do.
    Continue,
    /// It ended: the flow is done, or the node failed.
    Ended(Result<Out, FlowError>),
}

/// What became of a plain move. It is small, since every step hands it on.
enum Move {
    Committed,
    /// It is committed, and what it returned is the flow's output.
    CommittedToEnd,
    /// The body awaits.
    Pending,
    /// The body returned anything but its one output.
    Returned(Box<Result<Emitted, BoxError>>),
    NotStarted(Box<FlowError>),
}

impl Run {
    /// Makes the step that is next, if it is one of these.
    #[inline]
    pub(super) fn fast_step(&mut self, ctx: &Context, task: &mut Task<'_>) -> FastStep {
        let Some(node) = self.fast_node() else {
            return FastStep::Other;
        };
        let mut body = None;
        let made = catch_unwind(AssertUnwindSafe(|| {
            self.make_move(node, &mut body, ctx, task)
        }));
        if let Some(body) = body {
            match made {
                Ok(Move::Pending) => self.keep_in_flight(node, body),
                _ => quietly(|| drop(body)),
            }
        }
        match made {
            Ok(Move::Committed) => FastStep::Continue,
            Ok(Move::CommittedToEnd) => FastStep::Ended(Ok(Out::Done(()))),
            Ok(Move::Pending) => FastStep::Pending,
            Ok(Move::Returned(returned)) => {
                self.commit_other(node, |id| StepOutcome::of_body(*returned, || id.to_owned()))
            }
            Ok(Move::NotStarted(error)) => {
                self.commit_other(node, |id| StepOutcome::failed((*error).in_node(id)))
            }
            Err(panic) => self.commit_other(node, |id| StepOutcome::failed(panicked(id, panic))),
        }
    }

    fn keep_in_flight(&mut self, node: NodeIx, body: BodyFuture) {
        self.flights.add(Flight {
            path: NodePath::of(node),
            pending: Pending::Body(body),
            limit: None,
            // Nothing else runs that could end it.
            cancel: None,
            waker: None,
        });
    }

    /// Runs the body of `node`, which is left in `awaited` if it awaits, and commits what it returns. That is done
    /// here because handing the state on to the caller would take longer than the commit.
    #[inline]
    fn make_move(
        &mut self,
        node: NodeIx,
        awaited: &mut Option<BodyFuture>,
        ctx: &Context,
        task: &mut Task<'_>,
    ) -> Move {
        match self.start_fast(node, ctx) {
            Ok(Running::Ready(returned)) => self.commit_move(node, returned),
            Ok(Running::Pending(body)) => match awaited.insert(body).as_mut().poll(task) {
                Poll::Ready(returned) => self.commit_move(node, returned),
                Poll::Pending => Move::Pending,
            },
            Err(error) => Move::NotStarted(error),
        }
    }

    #[inline(always)]
    fn commit_move(&mut self, node: NodeIx, returned: Result<Emitted, BoxError>) -> Move {
        match returned {
            Ok(Emitted(Emission::Branch(0, live))) => self.move_on(node, live),
            returned => Move::Returned(Box::new(returned)),
        }
    }

    /// The node that is next, if its step can be made here.
    #[inline]
    fn fast_node(&self) -> Option<NodeIx> {
        let state = &self.state;
        let ((_, node), ()) = state.root.ready.first()?;
        let can_be_made = state.root.tokens.len() == 1
            && state.root.table.node(*node).plain_move.is_some()
            && self.flights.is_empty()
            && state.waits.is_empty()
            && !state.root.progress.attempts.contains(node)
            && !state.root.progress.visits.contains(node)
            && state.end.is_none()
            && !state.is_paused
            && state.detached.is_unchanged()
            && self.check_max_steps().is_ok()
            && self.options.observers.is_empty()
            && !trace::is_wanted();
        can_be_made.then_some(*node)
    }

    #[inline]
    fn start_fast(&mut self, node: NodeIx, ctx: &Context) -> Started {
        let Frame {
            table,
            tokens,
            flow_inputs,
            progress,
            ..
        } = &mut self.state.root;
        let entry = table.node(node);
        let NodeKind::Function(body) = &entry.kind else {
            let problem = format!("`{}` is no function", entry.id);
            return Err(Box::new(FlowError::BuildError(problem.into())));
        };
        let scope = || StepScope {
            run: self.view.get(&self.state.id, table, flow_inputs),
            node: node.0,
            visit: progress.visit(node),
            attempt: 1,
            items: None,
            cancel: None,
            just_resumed: false,
        };
        body.start(Inputs::new(&entry.slots, tokens, table.names()).set_context(ctx, &scope))
    }

    /// Commits what is no plain move: an error or a panic.
    #[cold]
    fn commit_other(
        &mut self,
        node: NodeIx,
        outcome: impl FnOnce(&str) -> StepOutcome,
    ) -> FastStep {
        let outcome = outcome(self.table().node_id(node));
        FastStep::Ended(self.commit(Landed::at_once(NodePath::of(node), outcome)))
    }

    /// Puts in place what the node returned, which is all that waits from now on. Nothing of the user's that may
    /// panic runs here.
    #[inline(always)]
    fn move_on(&mut self, node: NodeIx, live: Live) -> Move {
        let step = self.state.this_step();
        self.state.steps = step;
        self.last = Some(LastStep {
            path: NodePath::of(node),
            kind: StepKind::Node,
            outputs: Outputs::Branch(0),
            attempt: 1,
        });
        match self.state.root.move_on(node, live, step) {
            None => Move::Committed,
            Some(output) => {
                self.state.finish(output);
                Move::CommittedToEnd
            }
        }
    }
}

//! The plainest of steps, and most of them: one state waits, a function takes it and returns one, and
//! nothing else changes. They are made here without what only other steps need, in less than half the time;
//! whatever is out of the ordinary goes on as any other step.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    task::{Context as Task, Poll},
    thread,
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
    node::{Emission, Emitted, Inputs, Running, Started},
    state::Live,
};

impl Run {
    /// Makes the step that is next, if it is one of these.
    #[inline]
    pub(super) fn fast_step(
        &mut self,
        ctx: &mut Option<Context>,
        task: &mut Task<'_>,
    ) -> Option<Poll<Result<Out, FlowError>>> {
        let node = self.fast_node()?;
        let started = catch_unwind(AssertUnwindSafe(|| self.start_fast(node, ctx)));
        let returned = match started {
            Ok(Ok(Running::Ready(returned))) => Ok(returned),
            Ok(Ok(Running::Pending(mut body))) => {
                let polled = catch_unwind(AssertUnwindSafe(|| body.as_mut().poll(task)));
                let returned = match polled {
                    Ok(Poll::Ready(returned)) => Ok(returned),
                    Ok(Poll::Pending) => {
                        self.flights.add(Flight {
                            path: NodePath::of(node),
                            pending: Pending::Body(body),
                            limit: None,
                            // Nothing else runs that could end it.
                            cancel: None,
                        });
                        return Some(Poll::Pending);
                    }
                    Err(panic) => Err(panic),
                };
                quietly(|| drop(body));
                returned
            }
            Ok(Err(error)) => {
                let error = error.in_node(self.table().node_id(node));
                let landed = Landed::at_once(NodePath::of(node), error.into());
                return Some(Poll::Ready(self.commit(landed)));
            }
            Err(panic) => Err(panic),
        };
        Some(Poll::Ready(match returned {
            Ok(Ok(Emitted(Emission::Branch(0, live)))) => Ok(self.move_on(node, live)),
            returned => self.commit_other(node, returned),
        }))
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
            && state.end.is_none()
            && !state.is_paused
            && self.check_max_steps().is_ok();
        can_be_made.then_some(*node)
    }

    #[inline]
    fn start_fast(&mut self, node: NodeIx, ctx: &mut Option<Context>) -> Started {
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
        body.start(&mut Inputs::new(&entry.slots, tokens, &**table).with_context(ctx, &scope))
    }

    /// Commits what is no plain move: an error or a panic.
    #[cold]
    fn commit_other(
        &mut self,
        node: NodeIx,
        returned: thread::Result<Result<Emitted, BoxError>>,
    ) -> Result<Out, FlowError> {
        let id = || self.table().node_id(node).to_owned();
        let outcome = match returned {
            Ok(returned) => StepOutcome::of_body(returned, id),
            Err(panic) => panicked(&id(), panic).into(),
        };
        self.commit(Landed::at_once(NodePath::of(node), outcome))
    }

    /// Commits what the node returned, which is all that waits from now on.
    #[inline(always)]
    fn move_on(&mut self, node: NodeIx, live: Live) -> Out {
        let step = self.state.this_step();
        self.state.steps = step;
        self.last = Some(LastStep {
            path: NodePath::of(node),
            kind: StepKind::Node,
            outputs: Outputs::Branch(0),
        });
        match self.state.root.move_on(node, live, step) {
            None => Out::Continue,
            done => self.finish(done),
        }
    }
}

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
    error::{FlowError, panicked},
    graph::NodeIx,
    node::{Emission, Emitted, Inputs, LazyContext, NodeKind, Running, Started},
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
        let id = || self.table().node_id(node).to_owned();
        let outcome = match started {
            Ok(Ok(Running::Ready(Ok(Emitted(Emission::Way(0, live)))))) => {
                return Some(Poll::Ready(Ok(self.move_on(node, live))));
            }
            Ok(Ok(Running::Ready(returned))) => StepOutcome::of_body(returned, id),
            Ok(Ok(Running::Pending(body))) => {
                let flight = Flight {
                    path: NodePath::of(node),
                    pending: Pending::Body(body),
                    limit: None,
                };
                match flight.poll(task, |_| id()) {
                    Ok(landed) => landed.outcome,
                    Err(flight) => {
                        self.flights.add(flight);
                        return Some(Poll::Pending);
                    }
                }
            }
            Ok(Err(error)) => (*error).into(),
            Err(panic) => panicked(&id(), panic).into(),
        };
        Some(Poll::Ready(match outcome {
            StepOutcome::Outputs(Emitted(Emission::Way(0, live))) => Ok(self.move_on(node, live)),
            outcome => self.commit(Landed::at_once(NodePath::of(node), outcome)),
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
            && state.end.is_none()
            && !state.is_paused
            && self.within_max_steps().is_ok();
        can_be_made.then_some(*node)
    }

    #[inline]
    fn start_fast(&mut self, node: NodeIx, ctx: &mut Option<Context>) -> Started {
        let Frame {
            table,
            tokens,
            inputs,
            ..
        } = &mut self.state.root;
        let entry = table.node(node);
        let NodeKind::Function(body) = &entry.kind else {
            let problem = format!("`{}` is no function", entry.id);
            return Err(Box::new(FlowError::BuildError(problem.into())));
        };
        let scope = || {
            Ok(StepScope {
                run: self.view.get(&self.state.id, table, inputs, &self.cancel),
                node: node.0,
                // It is on no loop.
                visit: 1,
                items: None,
                cancel: None,
                just_resumed: false,
            })
        };
        let ctx = LazyContext { ctx, scope: &scope };
        body.start(&mut Inputs::new(&entry.slots, tokens, table), ctx)
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

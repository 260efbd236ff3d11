//! The plainest of steps, and most of them: one state waits, a function takes it and returns one, and
//! nothing else changes. They are made here without what only other steps need, in half the time.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{
    last_step::LastStep,
    marking::Marking,
    outcome::StepOutcome,
    run::{NodePath, Out, Run},
    step::{Pending, Stage},
};
use crate::{
    context::{Context, StepScope},
    error::FlowError,
    graph::{NodeEntry, NodeIx},
    node::{Emission, Emitted, Inputs, LazyContext, NodeKind, Running},
    state::Live,
};

impl Run {
    /// The node that is next, if its step can be made here.
    #[inline]
    pub(super) fn fast_node(&self) -> Option<NodeIx> {
        let marking = &self.state.marking;
        let node = *marking.ready.front()?;
        let sequence = self.table.node(node).ok()?.sequence.as_ref()?;
        (marking.is_only(sequence.takes) && self.within_max_steps().is_ok()).then_some(node)
    }

    /// Makes the step of that node, as [`start_step`](Run::start_step) does.
    #[inline]
    pub(super) fn start_fast(
        &mut self,
        node: NodeIx,
        ctx: &mut Option<Context>,
        stage: &mut Stage,
    ) -> Option<Result<Out, FlowError>> {
        let path = || NodePath::of(node);
        let Some(NodeEntry {
            kind: NodeKind::Function(body),
            slots,
            ..
        }) = self.table.nodes.get(node.0 as usize)
        else {
            return self.start_step(None, ctx, stage);
        };
        let Marking {
            waiting, inputs, ..
        } = &mut self.state.marking;
        let scope = || {
            Ok(StepScope {
                run: self.view.get(&self.state.id, &self.table, inputs),
                node: node.0,
                // It is on no loop.
                visit: 1,
                items: None,
                just_resumed: false,
            })
        };
        let ctx = LazyContext { ctx, scope: &scope };
        let mut taken = Inputs::new(slots, waiting, &self.table);
        match catch_unwind(AssertUnwindSafe(|| body.start(&mut taken, ctx))) {
            Ok(Ok(Running::Ready(Ok(Emitted(Emission::Way(0, live)))))) => {
                Some(self.commit_plain(node, live))
            }
            Ok(Ok(Running::Pending(body))) => {
                *stage = Stage::Pending(path(), Pending::Body(body));
                None
            }
            Ok(Ok(Running::Ready(emitted))) => Some(self.end_body(&mut path(), Ok(emitted))),
            Ok(Err(error)) => Some(self.commit_or_catch(&mut path(), Err((*error).into()))),
            Err(panic) => Some(self.end_body(&mut path(), Err(panic))),
        }
    }

    /// Commits a state that a node of the flow itself returned on its first output.
    #[inline]
    pub(super) fn commit_plain(&mut self, node: NodeIx, live: Live) -> Result<Out, FlowError> {
        if let Some(sequence) = &self.table.node(node)?.sequence
            && self.state.marking.is_only(sequence.takes)
        {
            let done = self.state.marking.move_only(sequence, live);
            let out = done.map_or(Out::Continue, Out::Done);
            return Ok(self.committed(LastStep::of_node(node), out));
        }
        let emitted = Emitted(Emission::Way(0, live));
        self.commit(&NodePath::of(node), StepOutcome::Outputs(emitted))
    }
}

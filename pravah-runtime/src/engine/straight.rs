//! The plainest of steps, and most of them: one state waits, its node gives one, and on it goes.
//! They are made here without what only other steps need; `docs/benchmarks.md` says what that
//! saves.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{
    flight::Flight,
    info::Last,
    run::{Out, Place, Run},
    step::Performed,
};
use crate::{
    context::{Context, StepScope},
    error::FlowError,
    graph::NodeIx,
    node::{Emission, Emitted, Inputs, LazyContext, NodeKind, Running},
    state::Live,
};

impl Run {
    /// The node that is next, if its step is straight.
    pub(super) fn straight_node(&self) -> Option<NodeIx> {
        let marking = &self.state.marking;
        let node = *marking.ready.front()?;
        let straight = self.table.node(node).ok()?.straight.as_ref()?;
        (marking.is_only(straight.from) && self.options.max_steps.is_none()).then_some(node)
    }

    /// Makes the step of `node`; one that awaits is in `flight` then.
    #[inline]
    pub(super) fn start_straight(
        &mut self,
        node: NodeIx,
        ctx: &mut Option<Context>,
        flight: &mut Option<Flight>,
    ) -> Option<Result<Out, FlowError>> {
        let entry = self.table.nodes.get(node.0 as usize)?;
        let NodeKind::Function(body) = &entry.kind else {
            return None;
        };
        let scope = || {
            Ok(StepScope {
                run: self.view.clone(),
                node: node.0,
                // It is on no cycle.
                visit: 1,
                items: None,
            })
        };
        let ctx = LazyContext { ctx, scope: &scope };
        let mut inputs = Inputs::new(&entry.slots, self.state.marking.movable(), &self.table);
        let place = Place::of(node);
        match catch_unwind(AssertUnwindSafe(|| body.start(&mut inputs, ctx))) {
            Ok(Ok(Running::Ready(Ok(Emitted(Emission::Way(0, live)))))) => {
                Some(self.move_on(node, live))
            }
            Ok(Ok(Running::Later(body))) => {
                *flight = Some(Flight::Body(place, body));
                None
            }
            Ok(Ok(Running::Ready(given))) => Some(self.land(&place, Ok(given))),
            Ok(Err(error)) => Some(self.conclude(&place, Err(*error))),
            Err(panic) => Some(self.land(&place, Err(panic))),
        }
    }

    /// Commits a state that a node of the flow itself gave on its first way.
    #[inline]
    pub(super) fn move_on(&mut self, node: NodeIx, live: Live) -> Result<Out, FlowError> {
        if let Some(straight) = &self.table.node(node)?.straight
            && self.state.marking.is_only(straight.from)
        {
            let done = self.state.marking.move_on(straight, live);
            self.state.steps = self.state.steps.saturating_add(1);
            self.last = Some(Last::of_node(node));
            self.state.finished = done.is_some();
            return Ok(done.map_or(Out::Continue, Out::Done));
        }
        let given = Emitted(Emission::Way(0, live));
        self.commit(&Place::of(node), Performed::Gave(given))
    }
}

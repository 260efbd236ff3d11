//! Committing a step: what it consumed goes out, what it gave comes in, together.

use super::{
    catch::{Caught, What},
    each::{Hop, chain, gather},
    info::{Gave, Last, StepKind},
    marking::{Marking, Progress},
    run::{Out, Place, Run},
    step::Performed,
};
use crate::{
    agent::{AgentProgress, AgentStep},
    error::FlowError,
    graph::{NodeIx, Table},
    node::{Emission, Emitted, NodeKind},
    state::Live,
};

impl Run {
    pub(super) fn commit(&mut self, place: &Place, performed: Performed) -> Result<Out, FlowError> {
        let last = Last::of(place, &performed);
        let out = self.apply(place, performed)?;
        self.state.steps = self.state.steps.saturating_add(1);
        self.last = Some(last);
        self.refresh_view();
        self.state.finished = matches!(out, Out::Done(_));
        Ok(out)
    }

    fn apply(&mut self, place: &Place, performed: Performed) -> Result<Out, FlowError> {
        let node = place.node;
        match performed {
            Performed::Gave(given) => self.fire(place, given),
            Performed::Asks(value) => {
                self.update(&place.hops, &mut |_, marking| {
                    marking.set_progress(node, Progress::Gate(None));
                    marking.leave_line(node);
                    Ok(None)
                })?;
                let id = self.node_id(place)?;
                let open = self.open(place, &id, *value, None);
                open.announced = true;
                Ok(open.out())
            }
            Performed::Agent(step, given) => self.apply_agent(place, *step, given),
            Performed::Caught(caught) => self.apply_failure(place, *caught),
        }
    }

    fn apply_agent(
        &mut self,
        place: &Place,
        step: AgentStep,
        given: Option<Emitted>,
    ) -> Result<Out, FlowError> {
        let node = place.node;
        let id = self.node_id(place)?;
        match step {
            AgentStep::Advanced(progress) => {
                self.count_usage(place, &id, &progress);
                self.set_agent(place, progress, false)?;
                Ok(Out::Continue)
            }
            AgentStep::Suspended { progress, calls } => {
                self.count_usage(place, &id, &progress);
                self.set_agent(place, progress, true)?;
                Ok(self.reopen(place, &id, calls))
            }
            AgentStep::Done { progress, .. } => {
                self.count_usage(place, &id, &progress);
                self.history
                    .record(place.within_items(&id), progress.conversation().clone());
                let missing = || FlowError::NotFound(format!("what `{}` gave", node.0));
                self.fire(place, given.ok_or_else(missing)?)
            }
        }
    }

    fn set_agent(
        &mut self,
        place: &Place,
        progress: AgentProgress,
        suspended: bool,
    ) -> Result<(), FlowError> {
        let node = place.node;
        let progress = std::sync::Arc::new(progress);
        self.update(&place.hops, &mut |_, marking| {
            marking.set_progress(node, Progress::Agent(std::sync::Arc::clone(&progress)));
            if suspended {
                marking.leave_line(node);
            }
            Ok(None)
        })?;
        Ok(())
    }

    /// Adds what the agent's calls cost in this step.
    fn count_usage(&mut self, place: &Place, id: &str, progress: &AgentProgress) {
        let before = match self
            .locate(&place.hops)
            .map(|(_, marking)| marking.progress(place.node))
        {
            Ok(Some(Progress::Agent(before))) => before.usage(),
            _ => Default::default(),
        };
        let cost = progress.usage() - before;
        *self.state.usage.entry(id.to_owned()).or_default() += cost;
    }

    fn fire(&mut self, place: &Place, given: Emitted) -> Result<Out, FlowError> {
        if place.hops.is_empty() {
            let done = self.state.marking.fire(&self.table, place.node, given)?;
            return Ok(done.map_or(Out::Continue, Out::Done));
        }
        let mut given = Some(given);
        let done = self.update(&place.hops, &mut |table, marking| match given.take() {
            Some(given) => marking.fire(table, place.node, given),
            None => Ok(None),
        })?;
        Ok(done.map_or(Out::Continue, Out::Done))
    }

    fn apply_failure(&mut self, place: &Place, caught: Caught) -> Result<Out, FlowError> {
        let Caught {
            depth,
            what,
            state,
            failure,
        } = caught;
        let (hops, _) = place.hops.split_at(depth);
        let done = self.update(hops, &mut |table, marking| {
            let leaves = |node: NodeIx| match what {
                What::Node(failed) => node == failed,
                What::Scope(scope) => table.scopes_of(node).any(|(index, _)| index == scope),
            };
            marking.check_free(table, state, leaves)?;
            match what {
                What::Node(node) => marking.consume(table, node),
                What::Scope(scope) => marking.clear(table, scope),
            }
            Ok(marking.put(table, state, failure.clone()))
        })?;
        self.close_lost();
        Ok(done.map_or(Out::Continue, Out::Done))
    }

    pub(super) fn node_id(&self, place: &Place) -> Result<String, FlowError> {
        Ok(self.locate(&place.hops)?.0.node(place.node)?.id.to_string())
    }

    /// Changes the marking within the lists that `hops` name.
    fn update(&mut self, hops: &[Hop], change: &mut Change<'_>) -> Result<Option<Live>, FlowError> {
        let table = std::sync::Arc::clone(&self.table);
        update(&table, &mut self.state.marking, hops, change)
    }
}

/// A change of one marking; it answers the output of its net, if it made it.
type Change<'a> = dyn FnMut(&Table, &mut Marking) -> Result<Option<Live>, FlowError> + 'a;

fn update(
    table: &Table,
    marking: &mut Marking,
    hops: &[Hop],
    change: &mut Change<'_>,
) -> Result<Option<Live>, FlowError> {
    let Some((hop, inner)) = hops.split_first() else {
        return change(table, marking);
    };
    let lost = || {
        FlowError::NotFound(format!(
            "item {} of `{}`",
            hop.item,
            table.node_id(hop.each)
        ))
    };
    let chain = chain(table, hop.each)?;
    let each = marking
        .each_mut(hop.each, Default::default)
        .ok_or_else(lost)?;
    each.begin(hop);
    let item = each.items.get_mut(&hop.item).ok_or_else(lost)?;
    match update(chain, item, inner, change)? {
        Some(output) => each.finish(hop.item, output),
        None => each.settle(hop.item),
    }
    let (complete, can_move) = (each.is_complete(), each.can_move());
    if complete
        && let NodeKind::Each(node) = &table.node(hop.each)?.kind
        && let Ok(list) = gather(marking, hop.each, node)
    {
        return marking.fire(table, hop.each, Emitted(Emission::Way(0, list)));
    }
    if !can_move {
        marking.leave_line(hop.each);
    }
    Ok(None)
}

impl Last {
    fn of(place: &Place, performed: &Performed) -> Self {
        let (kind, gave) = match performed {
            Performed::Gave(Emitted(Emission::Way(way, _))) => (StepKind::Node, Gave::Way(*way)),
            Performed::Gave(Emitted(Emission::All(_))) => (StepKind::Node, Gave::All),
            Performed::Asks(_) => (StepKind::Question, Gave::Nothing),
            Performed::Agent(step, _) => match &**step {
                AgentStep::Done { .. } => (StepKind::ModelCall, Gave::Way(0)),
                AgentStep::Advanced(progress) if progress.has_calls() => {
                    (StepKind::ModelCall, Gave::Nothing)
                }
                AgentStep::Advanced(_) | AgentStep::Suspended { .. } => {
                    (StepKind::ToolCalls, Gave::Nothing)
                }
            },
            Performed::Caught(_) => (StepKind::Failure, Gave::Nothing),
        };
        Self {
            items: place.hops.iter().map(|hop| (hop.each, hop.item)).collect(),
            node: place.node,
            kind,
            gave,
        }
    }
}

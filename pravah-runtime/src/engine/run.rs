//! One run of a flow, whatever its types.

use std::sync::Arc;

use super::{
    clock::{RunClock, at},
    factory::{Factory, agents},
    flight::Flights,
    last_step::LastStep,
    memory::Memory,
    options::Options,
    run_out::RunOut,
    state::{
        RunState,
        frame::Frame,
        path::{FramePath, NodePath},
        progress::WaitReason,
        rare::Rare,
        run_id::RunId,
    },
    view::{LazyView, View},
};
use crate::{
    error::{ErrorText, FlowError, Stuck},
    flow::Known,
    graph::{NodeIx, Table},
    quoted::quoted,
};

/// The outcome of a step; the run's state has the output, if the flow is done.
pub(super) type Out = RunOut<()>;

pub(crate) struct Run {
    /// The flow that it is a run of.
    pub(super) known: Arc<Known>,
    /// In a box, since it is large and moves between runs, snapshots and hubs.
    pub(super) state: Box<RunState>,
    pub(super) flights: Flights,
    pub(super) options: Rare<Options>,
    /// How many bodies may be in flight.
    pub(super) concurrency: usize,
    pub(super) memory: Rare<Memory>,
    pub(super) factory: Factory,
    pub(super) clock: RunClock,
    pub(super) view: LazyView,
    pub(super) last: Option<LastStep>,
    /// How many steps it made without a pause.
    pub(super) steps_in_a_row: u32,
}

impl Run {
    #[inline]
    pub(super) fn new(known: Arc<Known>, state: Box<RunState>) -> Self {
        Self {
            known,
            state,
            flights: Flights::default(),
            options: Rare::default(),
            concurrency: 1,
            memory: Rare::default(),
            factory: Factory::default(),
            clock: RunClock::default(),
            view: LazyView::default(),
            last: None,
            steps_in_a_row: 0,
        }
    }

    /// A run from a snapshot: its open questions are to be announced, and commands may wait in its inbox.
    pub(super) fn restored(known: Arc<Known>, state: Box<RunState>) -> Self {
        let mut run = Self::new(known, state);
        if run.state.waits.last_number().is_some() {
            let open = run.state.waits.numbers().map(|number| (number, ()));
            run.memory.unannounced = open.collect();
        }
        if !run.state.inbox.is_empty() {
            run.open_inbox();
        }
        run
    }

    /// The table of the flow itself.
    pub(super) fn table(&self) -> &Arc<Table> {
        &self.state.root.table
    }

    pub(super) fn node_id(&self, path: &NodePath) -> Arc<str> {
        node_id(&self.state, &path.frame, path.node)
    }

    /// Fails if no other step may be started, besides those that are in flight.
    pub(super) fn check_max_steps(&self) -> Result<(), FlowError> {
        let in_flight = u64::try_from(self.flights.len()).unwrap_or(u64::MAX);
        let steps = self.state.steps.saturating_add(in_flight);
        match self.options.max_steps {
            Some(limit) if steps >= limit => Err(FlowError::MaxSteps { limit }),
            _ => Ok(()),
        }
    }

    /// Fails if neither the flow nor a list in it has an agent of this id.
    pub(super) fn check_agent(&self, id: &str) -> Result<(), FlowError> {
        let agents = agents(self.table());
        if agents.iter().any(|agent| agent == id) {
            return Ok(());
        }
        Err(FlowError::NotFound(ErrorText::unknown(id, agents)))
    }

    /// What a body of the flow itself sees of the run.
    pub(super) fn root_view(&self) -> Arc<View> {
        let Frame {
            table, flow_inputs, ..
        } = &self.state.root;
        self.view.get(&self.state.id, table, flow_inputs)
    }

    /// Gives the run another id.
    pub(super) fn set_id(&mut self, id: &str) {
        self.state.id = RunId::Known(id.into());
        self.view.drop_view();
        self.publish_status();
    }

    /// Lets the next body that asks see the inputs of flows that have started since.
    #[inline]
    pub(super) fn refresh_view(&mut self) {
        self.view.drop_outdated(&self.state.root.flow_inputs);
    }

    /// What to return when no node can move.
    pub(super) fn idle(&mut self) -> Result<Out, FlowError> {
        if self.state.is_paused {
            let (until, why) = (None, WaitReason::Paused);
            return Ok(Out::Waiting { until, why });
        }
        if let Some(out) = self.end_without_tasks() {
            return Ok(out);
        }
        while let Some((number, ())) = self.memory.unannounced.first() {
            let number = *number;
            // It may be closed by now.
            if let Some(out) = self.announce(number) {
                return Ok(out);
            }
        }
        if let Some((until, why)) = self.next_time() {
            let until = Some(at(until));
            return Ok(Out::Waiting { until, why });
        }
        if let Some((id, _)) = self.state.questions().next() {
            return Err(FlowError::ResumeRequired(id.to_string()));
        }
        if let Some(error) = self.failure() {
            return Err(error);
        }
        let table = self.table();
        let waiting = self.state.root.waiting();
        let states: Vec<&str> = waiting.map(|(place, _)| table.place_key(place)).collect();
        let reason = format!("{} wait and no node can take them", quoted(&states));
        Err(FlowError::Deadlock(Stuck::new(reason, states)))
    }

    /// The question that was asked first, of those that are open.
    pub(super) fn first_question(&mut self) -> Option<Out> {
        let (_, question) = self.state.questions().next()?;
        let number = question.number;
        self.announce(number)
    }

    /// Announces the question of this number.
    pub(super) fn announce(&mut self, number: u64) -> Option<Out> {
        self.memory.unannounced.remove(&number);
        let id = self.state.waits.id_of(number)?;
        let (_, question) = self.state.question(id)?;
        Some(Out::Suspend {
            value: question.value.value(),
            tool_id: id.to_string(),
        })
    }
}

/// What a node is called.
pub(super) fn node_id(state: &RunState, frame: &FramePath, node: NodeIx) -> Arc<str> {
    Arc::clone(&state.frame(frame).table.node(node).id)
}

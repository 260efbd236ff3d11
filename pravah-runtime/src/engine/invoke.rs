//! Nodes that let agents and flows do their work: how the calls that a body returned become tasks, and what these have
//! returned the output of the node.

use super::{
    outcome::StepOutcome,
    run::{Out, Run},
    state::{RunState, path::NodePath, tasks::TaskStart},
};
use crate::{
    agent::TaskEnd,
    error::FlowError,
    graph::{EndedCalls, InvokeNode, NodeKind},
    node::{Emission, Emitted, FailureKind, Inputs, NodeCall},
    quoted::quoted,
};

impl Run {
    /// The outcome of the step at `path`, where the calls that its body returned are tasks to start.
    pub(super) fn with_calls(&mut self, path: &NodePath, outcome: StepOutcome) -> StepOutcome {
        let StepOutcome::Outputs(Emitted(Emission::Calls(calls))) = outcome else {
            return outcome;
        };
        let frame = self.state.frame(&path.frame);
        let entry = frame.table.node(path.node);
        let NodeKind::Invoke(invoke) = &entry.kind else {
            let why = "it returned calls, and declares no agents";
            return StepOutcome::failed(FlowError::failed(&entry.id, FailureKind::Error, why));
        };
        if let Err(error) = self.check_count(path, invoke, calls.len()) {
            return StepOutcome::failed(error);
        }
        if calls.is_empty() {
            let (invoke, calls) = (invoke.clone(), self.ended_calls(path, Vec::new()));
            let inputs = self.state.frame_mut(&path.frame).inputs_of(path.node);
            return combined(&invoke, calls, &inputs);
        }
        let starts = calls.into_iter().map(|call| start(&entry.id, invoke, call));
        let starts: Result<_, FlowError> = starts.collect();
        starts.map_or_else(StepOutcome::failed, StepOutcome::Calls)
    }

    /// Fails where the node at `path` may not make so many calls.
    fn check_count(
        &self,
        path: &NodePath,
        invoke: &InvokeNode,
        count: usize,
    ) -> Result<(), FlowError> {
        let node = self.node_id(path);
        if invoke.results.takes_one() && count != 1 {
            let why = format!("it expects one call, and made {count}");
            return Err(FlowError::failed(&node, FailureKind::Error, &why));
        }
        let left = self.state.children_left(path);
        if count <= left as usize {
            return Ok(());
        }
        let why = format!(
            "it makes {count} calls, and the `max_children` of its callers allows {left} more"
        );
        Err(FlowError::failed(&node, FailureKind::Limit, &why))
    }

    /// What goes on from the node at `path`, all of whose calls have ended.
    pub(super) fn results(
        &self,
        path: &NodePath,
        (invoke, ends): (&InvokeNode, Vec<TaskEnd>),
        inputs: &Inputs<'_>,
    ) -> StepOutcome {
        combined(invoke, self.ended_calls(path, ends), inputs)
    }

    fn ended_calls(&self, path: &NodePath, ends: Vec<TaskEnd>) -> EndedCalls {
        EndedCalls {
            node: self.node_id(path),
            step_key: self.step_key(path),
            ends,
        }
    }

    /// Forgets what the agents have asked that the node at `path` has called, which is done.
    pub(super) fn forget_calls(&mut self, path: &NodePath) {
        let RunState { root, spending, .. } = &mut self.state;
        let frame = root.at(&path.frame);
        let has_called = frame.is_some_and(|frame| frame.has_tasks(path.node));
        if has_called && !spending.asked.is_empty() {
            spending.forget_called(root, path);
        }
    }

    /// Starts the tasks of the node at `path`, which waits for them.
    pub(super) fn call_agents(&mut self, path: &NodePath, starts: Vec<TaskStart>) -> Out {
        self.state.suspend(path);
        let starts = starts.into_iter().enumerate().collect();
        self.state.start_tasks(path, starts);
        self.stop_clock(path);
        Out::Continue
    }
}

fn combined(invoke: &InvokeNode, calls: EndedCalls, inputs: &Inputs<'_>) -> StepOutcome {
    let output = invoke.results.combine(calls, inputs);
    output.map_or_else(StepOutcome::failed, |output| {
        StepOutcome::Outputs(Emitted::only(output))
    })
}

fn start(id: &str, invoke: &InvokeNode, call: NodeCall) -> Result<TaskStart, FlowError> {
    if let Some(callee) = invoke.callee(&call) {
        let unfit = |why| TaskEnd::failed(why).with_kind(FailureKind::Data);
        let input = call.input.map_err(unfit);
        return Ok(TaskStart { callee, input });
    }
    let names: Vec<&str> = invoke.names().collect();
    let (called, names) = (call.name, quoted(&names));
    let why = format!("it calls `{called}`, which it does not declare: it declares {names}");
    Err(FlowError::failed(id, FailureKind::Error, &why))
}

//! Nodes that let agents and flows do their work: how the calls that a body returned become tasks, and what these have
//! returned the output of the node.

use super::{
    detached::detached_task_id,
    outcome::StepOutcome,
    run::{Out, Run},
    state::{RunState, detached::DetachedStart, frame::Frame, path::NodePath, tasks::TaskStart},
};
use crate::{
    agent::TaskEnd,
    error::FlowError,
    graph::{EndedCalls, InvokeNode, NodeKind},
    index::NodeIx,
    invocation::ContextScope,
    node::{Emission, Emitted, FailureKind, Inputs, NodeCall, NodeCalls, Tasks},
    quoted::quoted,
    state::Live,
};

impl Run {
    /// The outcome of the step at `path`, where the calls that its body returned are tasks to start.
    pub(super) fn with_calls(&mut self, path: &NodePath, outcome: StepOutcome) -> StepOutcome {
        match outcome {
            StepOutcome::Outputs(Emitted(Emission::Calls(calls))) => {
                self.outcome_of_calls(path, calls)
            }
            outcome => outcome,
        }
    }

    /// The outcome where a body returned these calls: the tasks to start, or why they cannot.
    #[inline(never)]
    fn outcome_of_calls(&mut self, path: &NodePath, calls: NodeCalls) -> StepOutcome {
        let frame = self.state.frame(&path.frame);
        let entry = frame.table.node(path.node);
        let NodeKind::Invoke(invoke) = &entry.kind else {
            let why = "it returned calls, and declares no agents";
            return StepOutcome::failed(FlowError::failed(&entry.id, FailureKind::Error, why));
        };
        let starts = match calls {
            NodeCalls::Tasks(task_ids) => self.waits_for_tasks(invoke, task_ids),
            NodeCalls::Detached(calls) => return self.detached_calls(path, invoke, calls),
            NodeCalls::Awaited(calls) => {
                let counted = self.check_count(path, invoke, calls.len());
                let starts = calls.into_iter().map(|call| start(&entry.id, invoke, call));
                match counted.and_then(|()| starts.collect()) {
                    Ok(starts) => starts,
                    Err(error) => return StepOutcome::failed(error),
                }
            }
        };
        if starts.is_empty() {
            let (invoke, calls) = (invoke.clone(), self.ended_calls(path, Vec::new()));
            let inputs = self.state.frame_mut(&path.frame).inputs_of(path.node);
            return combined(&invoke, calls, &inputs);
        }
        StepOutcome::Calls(starts)
    }

    /// The calls that a node makes as detached tasks.
    fn detached_calls(
        &self,
        path: &NodePath,
        invoke: &InvokeNode,
        calls: Vec<NodeCall>,
    ) -> StepOutcome {
        let id = self.node_id(path);
        if !invoke.results.allows_detached() {
            let why = "it starts detached tasks, and its return type waits for results: return an `Invoke<Tasks>`";
            return StepOutcome::failed(FlowError::failed(&id, FailureKind::Error, why));
        }
        let counted = self.check_count(path, invoke, calls.len());
        let starts = calls.into_iter().map(|call| {
            let start = start(&id, invoke, call)?;
            Ok(DetachedStart {
                agent: invoke.names().nth(start.callee).unwrap_or_default().into(),
                context: ContextScope::Independent,
                start,
            })
        });
        let starts = counted.and_then(|()| starts.collect());
        starts.map_or_else(StepOutcome::failed, StepOutcome::StartsTasks)
    }

    /// What waits for the detached tasks of these ids.
    fn waits_for_tasks(&self, invoke: &InvokeNode, task_ids: Vec<String>) -> Vec<TaskStart> {
        let unfit = |task_id: &str, why| {
            let end = TaskEnd::failed(why).with_kind(FailureKind::Data);
            let awaited = invoke.results.awaited(task_id, &end);
            Err(awaited.map_or(end, TaskEnd::completed))
        };
        let waits = task_ids.into_iter().map(|task_id| TaskStart {
            callee: invoke.await_task_callee(),
            input: match self.state.task(&task_id) {
                Some((number, task)) if invoke.names().any(|name| *name == *task.agent) => {
                    Ok(Live::new(number))
                }
                Some((_, task)) => {
                    let (agent, names) = (&task.agent, invoke.names().collect::<Vec<_>>());
                    let names = quoted(&names);
                    let why = format!(
                        "`{task_id}` is a task of `{agent}`, and this node can wait only for tasks of {names}"
                    );
                    unfit(&task_id, why)
                }
                None => unfit(&task_id, format!("there is no task `{task_id}`")),
            },
        });
        waits.collect()
    }

    /// Starts the detached tasks of the node at `path`, and returns its output.
    pub(super) fn start_tasks(&mut self, path: &NodePath, starts: Vec<DetachedStart>) -> Live {
        let now = self.now();
        let numbers = self.state.start_detached(path, starts, now);
        let task_ids = numbers.into_iter().map(detached_task_id).collect();
        match &self.state.frame(&path.frame).table.node(path.node).kind {
            NodeKind::Invoke(invoke) => invoke.results.started(task_ids),
            _ => Live::new(Tasks::new(task_ids)),
        }
    }

    /// The outcome of a step of the node at `path`, which waits for a detached task.
    pub(super) fn await_task(&self, path: &NodePath, task: usize) -> StepOutcome {
        let known = self.state.detached.tasks.get(&task);
        let end = match known.map(|known| &known.end) {
            None => TaskEnd::failed("the task is not known any more").with_kind(FailureKind::Data),
            Some(Some(end)) => end.clone(),
            Some(None) => match self.state.detached_at(&path.frame) {
                Some(own) if self.state.waits_for(task, own.index) => {
                    TaskEnd::failed(would_wait(own.index, task)).with_kind(FailureKind::Error)
                }
                _ => return StepOutcome::AwaitsTask(task),
            },
        };
        self.end_of_wait(path, task, end)
    }

    /// What the node at `path` outputs, which has waited for a task that has ended so.
    fn end_of_wait(&self, path: &NodePath, task: usize, end: TaskEnd) -> StepOutcome {
        let invoke = self.invoke_around(path);
        let task_id = detached_task_id(task);
        if let Some(awaited) = invoke.and_then(|it| it.results.awaited(&task_id, &end)) {
            return StepOutcome::Outputs(Emitted::only(awaited));
        }
        let unfit = invoke.filter(|_| !end.has_failed());
        let unfit = unfit.and_then(|it| it.results.accepts(&end.content).err());
        let (kind, message) = match unfit {
            Some(error) => {
                let why = format!("what `{task_id}` has returned does not fit: {error}");
                (FailureKind::Data, why)
            }
            None if end.has_failed() => (end.kind.unwrap_or(FailureKind::Error), end.words()),
            None => return StepOutcome::Outputs(Emitted::only(end.content)),
        };
        // The node that waits is internal: its name stays out of the message.
        StepOutcome::failed(FlowError::Failed {
            node: self.node_id(path).to_string(),
            kind,
            message,
            attempts: 1,
        })
    }

    /// The node whose task is at `path`, if it is one that calls agents and flows.
    fn invoke_around(&self, path: &NodePath) -> Option<&InvokeNode> {
        let (task, around) = path.frame.split_last()?;
        match &self.state.frame(around).table.node(task.list).kind {
            NodeKind::Invoke(invoke) => Some(invoke),
            _ => None,
        }
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
        let RunState { root, spending, .. } = &mut *self.state;
        if spending.asked.is_empty() {
            return;
        }
        let frame = root.at(&path.frame);
        if frame.is_some_and(|frame| frame.has_tasks(path.node)) {
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

impl Frame {
    /// The number of the task that the node at `node` waits for.
    pub(in crate::engine) fn awaited_task(&self, node: NodeIx) -> Option<usize> {
        let slot = self.table.node(node).slots.first()?;
        let number = self.tokens.get(slot)?.live.get::<usize>().ok()?;
        Some(*number)
    }
}

/// Why a node in the task `own` does not wait for the task `other`.
fn would_wait(own: usize, other: usize) -> String {
    let task_id = detached_task_id(own);
    match own == other {
        true => format!("`{task_id}` would wait for itself for ever"),
        false => format!(
            "`{task_id}` and `{}` would wait for each other for ever",
            detached_task_id(other)
        ),
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
    if let Err(why) = &call.input {
        return Err(FlowError::failed(id, FailureKind::Error, why));
    }
    let names: Vec<&str> = invoke.names().collect();
    let (called, names) = (call.name, quoted(&names));
    let why = format!("it calls `{called}`, which it does not declare: it declares {names}");
    Err(FlowError::failed(id, FailureKind::Error, &why))
}

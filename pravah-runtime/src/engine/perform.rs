//! Performing a step: running a body, asking a model, waiting for a person. Nothing is committed.

use std::{cell::OnceCell, sync::Arc};

use serde::de::Error as _;
use serde_json::Value;

use super::{
    flight::{Pending, TimeLimit},
    outcome::{Asks, StepOutcome},
    run::Run,
    state::{frame::Frame, path::NodePath},
};
use crate::{
    cancel::CancelToken,
    context::{Context, StepScope},
    error::{FlowError, guard},
    graph::{NodeEntry, NodeKind, Table},
    json,
    node::{Emitted, GateBody, Inputs, Running, Started, Token, Tokens},
};

/// The default of `max_visits`.
const MAX_VISITS: u32 = 1_000;

/// A step that was started.
pub(super) enum StartedStep {
    Ended(StepOutcome),
    Pending {
        pending: Pending,
        limit: Option<Box<TimeLimit>>,
        /// What its context listens to, if it has one.
        cancel: Option<CancelToken>,
    },
}

/// A body that was started, before it is known how long it may take.
enum StartedBody {
    Ended(StepOutcome),
    Pending(Pending),
}

impl Run {
    /// Makes the step at `path`, as far as it does not await. Whatever a body panics with, the states that
    /// wait are back in their places afterwards.
    pub(super) fn perform(
        &mut self,
        path: &NodePath,
        ctx: &Context,
        just_resumed: bool,
    ) -> StartedStep {
        let frame = self.state.frame(&path.frame);
        let table = Arc::clone(&frame.table);
        let entry = table.node(path.node);
        if let Err(error) = check_visits(entry, frame, path) {
            return StartedStep::Ended(StepOutcome::failed(error));
        }
        if let NodeKind::Each(_) = &entry.kind {
            // This empties the list before the commit, which follows at once: nothing awaits in between.
            let frame = self.state.frame_mut(&path.frame);
            let list = frame.gather(path.node).map(Emitted::only);
            return StartedStep::Ended(list.map_or_else(StepOutcome::failed, StepOutcome::Outputs));
        }
        let limit = match self.time_limit(path, entry) {
            Ok(limit) => limit,
            Err(error) => return StartedStep::Ended(StepOutcome::failed(error)),
        };
        // It may be dropped when its time has passed, or when another one fails beside it.
        let may_be_dropped = limit.is_some() || self.concurrency > 1;
        let token = OnceCell::<CancelToken>::new();
        let mut tokens = self.state.frame_mut(&path.frame).take_tokens();
        let started = guard(&entry.id, || {
            let scope = |just_resumed| StepScope {
                cancel: may_be_dropped.then(|| token.get_or_init(CancelToken::default).clone()),
                just_resumed,
                ..self.scope(path)
            };
            self.run_body(path, (&table, &mut tokens), ctx, (&scope, just_resumed))
        });
        self.state.frame_mut(&path.frame).restore_tokens(tokens);
        match started {
            Ok(Ok(StartedBody::Ended(outcome))) => StartedStep::Ended(outcome),
            Ok(Ok(StartedBody::Pending(pending))) => StartedStep::Pending {
                pending,
                limit,
                cancel: token.into_inner(),
            },
            Ok(Err(error)) | Err(error) => StartedStep::Ended(StepOutcome::failed(error)),
        }
    }

    /// The same, of a node that is no list.
    fn run_body(
        &self,
        path: &NodePath,
        (table, tokens): (&Table, &mut Tokens),
        ctx: &Context,
        (scope, just_resumed): (&dyn Fn(bool) -> StepScope, bool),
    ) -> Result<StartedBody, FlowError> {
        let entry = table.node(path.node);
        let NodeKind::Function(body) = &entry.kind else {
            return self.start_other(path, (table, tokens), ctx, (scope, just_resumed));
        };
        let of_body = || scope(false);
        let mut inputs = self.inputs(path, table, tokens);
        started_body(body.start(inputs.set_context(ctx, &of_body)), entry)
    }

    /// Starts the body of a node that is no function.
    #[inline(never)]
    fn start_other(
        &self,
        path: &NodePath,
        (table, tokens): (&Table, &mut Tokens),
        ctx: &Context,
        (scope, just_resumed): (&dyn Fn(bool) -> StepScope, bool),
    ) -> Result<StartedBody, FlowError> {
        let (frame, entry) = (self.state.frame(&path.frame), table.node(path.node));
        let of_body = || scope(false);
        let mut inputs = self.inputs(path, table, tokens);
        let running = match &entry.kind {
            NodeKind::Gate(gate) => match frame.progress.gates.get(&path.node) {
                Some(Some(answer)) => gate.run(inputs.set_context(ctx, &of_body), answer),
                // Its time has come, and nobody has answered.
                Some(None) => gate
                    .timed_out(inputs.set_context(ctx, &of_body))
                    .ok_or_else(|| FlowError::TimedOut {
                        node: entry.id.to_string(),
                        limit: entry.policy.timeout.unwrap_or_default(),
                    })?,
                None => {
                    let inputs = inputs.set_context(ctx, &of_body);
                    return ask(&**gate, entry, inputs).map(StartedBody::Ended);
                }
            },
            NodeKind::Agent(agent) => {
                let scope = scope(just_resumed);
                return Ok(StartedBody::Pending(
                    self.start_agent(agent, path, inputs, scope, ctx)?,
                ));
            }
            NodeKind::Remote(remote) => {
                let inputs = inputs.set_context(ctx, &of_body);
                let step = self.start_remote(remote, path, inputs, just_resumed)?;
                return Ok(StartedBody::Pending(Pending::Remote(step)));
            }
            NodeKind::Invoke(invoke) => match frame.ends_of_tasks(path.node) {
                Some(ends) => {
                    let outcome = self.results(path, (invoke, ends), &inputs);
                    return Ok(StartedBody::Ended(outcome));
                }
                None => invoke.body.start(inputs.set_context(ctx, &of_body)),
            },
            NodeKind::AwaitTask => {
                let task = inputs.typed::<usize>(0).map_err(|error| *error)?;
                return Ok(StartedBody::Ended(self.await_task(path, *task)));
            }
            NodeKind::Function(_)
            | NodeKind::Each(_)
            | NodeKind::Flow(_)
            | NodeKind::Detached(_)
            | NodeKind::Broken(_) => {
                let problem = format!("`{}` cannot run", entry.id);
                return Err(FlowError::BuildError(problem.into()));
            }
        };
        started_body(running, entry)
    }

    /// What the body of the node at `path` takes its arguments from.
    #[inline]
    fn inputs<'a>(
        &'a self,
        path: &NodePath,
        table: &'a Table,
        tokens: &'a mut Tokens,
    ) -> Inputs<'a> {
        let entry = table.node(path.node);
        let inputs = Inputs::new(&entry.slots, tokens, table).with_values(&self.state.values);
        // Only reads and rules need the frame, which takes a while to look up for an item.
        match entry.reads.is_empty() && entry.rules.is_none() {
            true => inputs,
            false => inputs.with_latest(&entry.reads, &self.state.frame(&path.frame).latest),
        }
    }

    /// Where in the run the node at `path` is.
    fn scope(&self, path: &NodePath) -> StepScope {
        let (view, frame) = self.state.view_at(path, self.root_view());
        StepScope {
            run: view,
            node: path.node.0,
            visit: frame.visit(path.node),
            attempt: self.state.attempt(path),
            just_resumed: false,
            cancel: None,
            items: (!path.frame.is_empty()).then(|| path.items().collect()),
        }
    }

    /// What names the step at `path` for those outside, in all its attempts.
    pub(super) fn step_key(&self, path: &NodePath) -> String {
        self.state.step_key(path)
    }
}

/// What became of a body that was started.
#[inline(always)]
fn started_body(running: Started, entry: &NodeEntry) -> Result<StartedBody, FlowError> {
    Ok(match running.map_err(|error| error.in_node(&entry.id))? {
        Running::Ready(returned) => {
            StartedBody::Ended(StepOutcome::of_body(returned, || entry.id.to_string()))
        }
        Running::Pending(body) => StartedBody::Pending(Pending::Body(body)),
    })
}

/// What a gate asks before its states, or why it cannot ask.
fn ask(
    gate: &dyn GateBody,
    entry: &NodeEntry,
    inputs: &mut Inputs<'_>,
) -> Result<StepOutcome, FlowError> {
    let state = input_as_json(entry, |index| inputs.token(index).map_err(|error| *error))?;
    let asked = gate.ask(inputs).map_err(|error| error.in_node(&entry.id))?;
    let asked = asked.map_err(|source| FlowError::node(entry.id.to_string(), source))?;
    let (timeout, is_timer, since) = (asked.timeout, asked.is_timer, asked.since);
    let question = serde_json::to_value(gate.question(asked, state));
    let question = question.and_then(|question| match json::can_be_read(&question, 0) {
        true => Ok(question),
        false => Err(serde_json::Error::custom(format!(
            "what `{}` asks is nested too deeply",
            entry.id
        ))),
    });
    let question = question.map_err(|error| FlowError::SerializeError(error.into()))?;
    Ok(StepOutcome::Asks(Box::new(Asks {
        question,
        timeout: entry.policy.timeout.into_iter().chain(timeout).min(),
        is_timer,
        since,
    })))
}

/// What waits for a node in a frame, as JSON.
pub(super) fn waiting_input(entry: &NodeEntry, frame: &Frame) -> Result<Value, FlowError> {
    input_as_json(entry, |index| {
        let token = entry.slots.get(index);
        let token = token.and_then(|slot| frame.tokens.get(slot));
        token.ok_or_else(|| FlowError::NotFound(format!("input {index} of `{}`", entry.id).into()))
    })
}

/// A list where a node takes several states; nothing in a document, where what waits are edges.
fn input_as_json<'a>(
    entry: &NodeEntry,
    token: impl Fn(usize) -> Result<&'a Token, FlowError>,
) -> Result<Value, FlowError> {
    let write = |slot| {
        let value = token(slot)?.live.to_value();
        value.map_err(|e| FlowError::SerializeError(e.into()))
    };
    match entry.slots.len() {
        _ if entry.rules.is_some() => Ok(Value::Null),
        1 => write(0),
        slots => (0..slots).map(write).collect(),
    }
}

#[inline]
fn check_visits(entry: &NodeEntry, frame: &Frame, path: &NodePath) -> Result<(), FlowError> {
    match entry.on_cycle {
        true => check_visits_slow(entry, frame, path),
        false => Ok(()),
    }
}

#[inline(never)]
fn check_visits_slow(entry: &NodeEntry, frame: &Frame, path: &NodePath) -> Result<(), FlowError> {
    let limit = entry.policy.max_visits.unwrap_or(MAX_VISITS);
    if frame.visit(path.node) <= limit {
        return Ok(());
    }
    let cycle = frame.table.cycle(path.node);
    let cycle = cycle
        .iter()
        .map(|node| frame.table.node_id(*node).to_owned());
    Err(FlowError::MaxVisits {
        node: entry.id.to_string(),
        cycle: cycle.collect(),
        limit,
    })
}

//! Performing a step: running a body, asking a model, waiting for a person. Nothing is committed.

use std::{cell::OnceCell, sync::Arc};

use serde_json::Value;

use super::{
    flight::{Pending, TimeLimit},
    outcome::{Asks, StepOutcome},
    run::Run,
    state::{RunState, frame::Frame, path::NodePath},
};
use crate::{
    agent::{self, AgentProgress, Model, TaskPrompt, fallback},
    cancel::CancelToken,
    context::{Context, StepScope},
    error::{FlowError, guard},
    events::Watch,
    graph::{AgentNode, NodeEntry, NodeKind},
    model::{ClientFactory, ModelClient, ModelOptions, ModelUrl},
    node::{Emitted, GateBody, Inputs, Running, Token},
    trace,
};

/// The default of `max_visits`.
const MAX_VISITS: u32 = 1_000;

/// A step that was started.
pub(super) enum StartedStep {
    Ended(StepOutcome),
    Pending {
        pending: Pending,
        limit: Option<TimeLimit>,
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
        ctx: &mut Option<Context>,
        just_resumed: bool,
    ) -> StartedStep {
        let frame = self.state.frame_mut(&path.frame);
        let table = Arc::clone(&frame.table);
        let entry = table.node(path.node);
        if let Err(error) = check_visits(entry, frame, path) {
            return StartedStep::Ended(StepOutcome::failed(error));
        }
        if let NodeKind::Each(_) = &entry.kind {
            let list = frame.gather(path.node).map(Emitted::only);
            return StartedStep::Ended(list.map_or_else(StepOutcome::failed, StepOutcome::Outputs));
        }
        let limit = match (&entry.kind, self.time_limit(path, &entry.policy)) {
            // Its time runs while it waits for its answer.
            (NodeKind::Gate(_), _) => None,
            (_, Ok(limit)) => limit,
            (_, Err(error)) => return StartedStep::Ended(StepOutcome::failed(error)),
        };
        // It may be dropped when its time has passed, or when another one fails beside it.
        let may_be_dropped = limit.is_some() || self.options.concurrency > 1;
        let token = OnceCell::<CancelToken>::new();
        let mut tokens = self.state.frame_mut(&path.frame).take_tokens();
        let inputs = Inputs::new(&entry.slots, &mut tokens, &*table);
        let started = guard(&entry.id, || {
            let scope = |just_resumed| StepScope {
                cancel: may_be_dropped.then(|| token.get_or_init(CancelToken::default).clone()),
                just_resumed,
                ..self.scope(path)
            };
            self.run_body(path, entry, inputs, ctx, (&scope, just_resumed))
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
        entry: &NodeEntry,
        inputs: Inputs<'_>,
        ctx: &mut Option<Context>,
        (scope, just_resumed): (&dyn Fn(bool) -> StepScope, bool),
    ) -> Result<StartedBody, FlowError> {
        let frame = self.state.frame(&path.frame);
        let inputs = inputs
            .with_latest(&entry.reads, &frame.latest)
            .with_values(&self.state.values);
        let of_body = || scope(false);
        let running = match &entry.kind {
            NodeKind::Function(body) => body.start(&mut inputs.with_context(ctx, &of_body)),
            NodeKind::Gate(gate) => match frame.progress.gates.get(&path.node) {
                Some(Some(answer)) => gate.run(&mut inputs.with_context(ctx, &of_body), answer),
                // Its time has come, and nobody has answered.
                Some(None) => {
                    let mut inputs = inputs.with_context(ctx, &of_body);
                    match gate.timed_out(&mut inputs) {
                        Some(running) => running,
                        None => {
                            return Err(FlowError::TimedOut {
                                node: entry.id.to_string(),
                                limit: entry.policy.timeout.unwrap_or_default(),
                            });
                        }
                    }
                }
                None => {
                    let inputs = inputs.with_context(ctx, &of_body);
                    return ask(&**gate, entry, inputs).map(StartedBody::Ended);
                }
            },
            NodeKind::Agent(agent) => {
                let ctx = ctx.take().unwrap_or_default();
                let scope = scope(just_resumed);
                return Ok(StartedBody::Pending(
                    self.start_agent(agent, path, inputs, scope, ctx)?,
                ));
            }
            NodeKind::Invoke(invoke) => match frame.ends_of_tasks(path.node) {
                Some(ends) => {
                    let outcome = self.results(path, (invoke, ends), &inputs);
                    return Ok(StartedBody::Ended(outcome));
                }
                None => invoke.body.start(&mut inputs.with_context(ctx, &of_body)),
            },
            NodeKind::Each(_) | NodeKind::Flow(_) | NodeKind::Broken(_) => {
                let problem = format!("`{}` cannot run", entry.id);
                return Err(FlowError::BuildError(problem.into()));
            }
        };
        Ok(match running.map_err(|error| error.in_node(&entry.id))? {
            Running::Ready(returned) => {
                StartedBody::Ended(StepOutcome::of_body(returned, || entry.id.to_string()))
            }
            Running::Pending(body) => StartedBody::Pending(Pending::Body(body)),
        })
    }

    /// A step of an agent: a model call, or the tool calls that it asked for.
    fn start_agent(
        &self,
        agent: &AgentNode,
        path: &NodePath,
        inputs: Inputs<'_>,
        scope: StepScope,
        ctx: Context,
    ) -> Result<Pending, FlowError> {
        let frame = self.state.frame(&path.frame);
        let table = &frame.table;
        let id = &table.node(path.node).id;
        let spec = match agent.is_base {
            true => inputs
                .typed::<TaskPrompt>(0)
                .map_err(|error| *error)?
                .agent(&agent.spec)
                .map(Arc::new),
            false => Ok(Arc::clone(&agent.spec)),
        };
        let spec =
            spec.map_err(|why| FlowError::BuildError(format!("the agent `{id}`: {why}").into()))?;
        let progress = match frame.progress.agents.get(&path.node) {
            Some(progress) if frame.has_tasks(path.node) => {
                let mut progress = (**progress).clone();
                progress.take_results(|task| frame.end_of_task(path.node, task));
                Arc::new(progress)
            }
            Some(progress) if progress.has_started() => Arc::clone(progress),
            before => {
                let (mut of_host, of_prompt) = (Some(ctx.clone()), || scope.clone());
                let mut inputs = inputs.with_context(&mut of_host, &of_prompt);
                let prompt = (agent.prompt)(&mut inputs).map_err(|error| error.in_node(id))?;
                let progress = AgentProgress::start(prompt, Arc::clone(table.returns(path.node)));
                let progress = match agent.spec.config.turns {
                    Some(_) => progress.started_at(self.state.steps),
                    None => progress,
                };
                self.check_fallbacks(agent, id, &progress, &ctx, &scope)?;
                Arc::new(match before {
                    Some(before) => progress.with_counts_of(before),
                    None => progress,
                })
            }
        };
        let model = if progress.is_models_turn() {
            self.check_budget(id)?;
            let factory = self.factory.get(&ctx);
            let number = progress.fallback();
            let mut model = self.model(agent, id, number, &factory)?;
            model.asked = self.asked_so_far(&model, number, agent, path, &factory)?;
            Some(model)
        } else {
            None
        };
        let watch = Watch::new(Arc::clone(id), &self.options.observers, || {
            self.origin(scope.items().to_vec(), scope.attempt)
        });
        let ctx = ctx.into_step(scope);
        Ok(Pending::Agent {
            asks: model.is_some(),
            step: trace::within(
                self.options.spans.agent(path),
                agent::step(spec, progress, model, watch, ctx),
            ),
        })
    }

    /// Fails where an agent that starts has a fallback that could not be asked.
    fn check_fallbacks(
        &self,
        agent: &AgentNode,
        id: &str,
        progress: &AgentProgress,
        ctx: &Context,
        scope: &StepScope,
    ) -> Result<(), FlowError> {
        let last = agent.spec.config.fallback.len();
        if last == 0 {
            return Ok(());
        }
        let factory = self.factory.get(ctx);
        let models = (0..=last).map(|number| self.model(agent, id, number, &factory));
        let models = models.collect::<Result<Vec<_>, _>>()?;
        let ctx = ctx.clone().into_step(scope.clone());
        fallback::check_models(&agent.spec, progress, id, models, &ctx)
    }

    /// The model of an agent, or the fallback of this number, with all that a request to it needs.
    fn model(
        &self,
        agent: &AgentNode,
        id: &str,
        number: usize,
        factory: &ClientFactory,
    ) -> Result<Model, FlowError> {
        let (url, client) = self.client(agent, id, number, factory)?;
        let of_run = self.options.model_options.get(id);
        let config = &agent.spec.config;
        if let Some(options) = of_run {
            config.check_tool_choice(options).map_err(|problem| {
                let problem = format!("the options of agent `{id}`: {problem}");
                FlowError::BuildError(problem.into())
            })?;
        }
        let layers = of_run.into_iter().chain([&config.options]);
        Ok(Model {
            options: ModelOptions::of_layers(layers.chain(factory.options(&url))),
            url,
            client,
            asked: Vec::new(),
        })
    }

    /// Where the model of an agent, or the fallback of this number, is, and the client that speaks to it.
    pub(super) fn client(
        &self,
        agent: &AgentNode,
        id: &str,
        number: usize,
        factory: &ClientFactory,
    ) -> Result<(ModelUrl, Arc<dyn ModelClient>), FlowError> {
        let url = match self.options.models.get(id) {
            Some(url) if number == 0 => url.clone(),
            _ => {
                let url = agent.spec.config.model_url(number);
                url.map_err(|error| FlowError::BuildError(error.into()))?
            }
        };
        let client = factory.client(&url);
        let client = client.map_err(|error| fallback::model_error(number, &url, id, error))?;
        Ok((url, client))
    }

    /// How often the agent at `path` has asked its model of this number, visit by visit; empty where none
    /// of its models wants to know.
    fn asked_so_far(
        &self,
        model: &Model,
        number: usize,
        agent: &AgentNode,
        path: &NodePath,
        factory: &ClientFactory,
    ) -> Result<Vec<u32>, FlowError> {
        let id = self.node_id(path);
        let others = (0..=agent.spec.config.fallback.len()).filter(|other| *other != number);
        let others: Vec<_> = others
            .filter_map(|other| Some((other, self.client(agent, &id, other, factory).ok()?)))
            .collect();
        let clients = others.iter().map(|(_, (_, client))| client);
        if !clients.chain([&model.client]).any(|it| it.wants_counts()) {
            return Ok(Vec::new());
        }
        let RunState { root, spending, .. } = &self.state;
        Ok(spending.asked_so_far(root, path, |asked_number| {
            let other = others.iter().find(|(other, _)| *other == asked_number);
            other.map_or(asked_number == number, |(_, (url, client))| {
                model.shares_answers(url, client)
            })
        }))
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

/// What a gate asks before its states, or why it cannot ask.
fn ask(
    gate: &dyn GateBody,
    entry: &NodeEntry,
    mut inputs: Inputs<'_>,
) -> Result<StepOutcome, FlowError> {
    let state = input_as_json(entry, |index| inputs.token(index).map_err(|error| *error))?;
    let asked = gate
        .ask(&mut inputs)
        .map_err(|error| error.in_node(&entry.id))?;
    let asked = asked.map_err(|source| FlowError::node(entry.id.to_string(), source))?;
    let (timeout, is_timer, since) = (asked.timeout, asked.is_timer, asked.since);
    let question = serde_json::to_value(gate.question(asked, state));
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

fn check_visits(entry: &NodeEntry, frame: &Frame, path: &NodePath) -> Result<(), FlowError> {
    if !entry.on_cycle {
        return Ok(());
    }
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

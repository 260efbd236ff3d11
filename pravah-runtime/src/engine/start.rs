//! Starting a step: running a body, asking a model, waiting for a person. Nothing is committed.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    each::gather,
    marking::{Marking, Progress},
    outcome::{StepOutcome, guard},
    run::{Chosen, NodePath, Out, Run, marking_mut},
    step::{Pending, Stage},
    view::View,
};
use crate::{
    agent::{self, AgentProgress, Model, fallback},
    context::{Context, StepScope},
    error::FlowError,
    events::Watch,
    graph::{NodeEntry, Table},
    model::{ClientFactory, ModelClient, ModelOptions, ModelUrl},
    node::{AgentNode, Emission, Emitted, Gate, Inputs, LazyContext, NodeKind, Running, Token},
};

/// The default of `max_visits`.
const MAX_VISITS: u32 = 1_000;

/// The next thing to do in a step.
enum Next {
    Commit(StepOutcome),
    Await(Pending),
}

impl Run {
    /// Makes the step at `path`, or the one that is next. Where it awaits there is no answer yet, and
    /// `stage` holds what it awaits.
    // Kept out of the fast path, whose stack frame it would swell.
    #[inline(never)]
    pub(super) fn start_step(
        &mut self,
        path: Option<NodePath>,
        ctx: &mut Option<Context>,
        stage: &mut Stage,
    ) -> Option<Result<Out, FlowError>> {
        let just_resumed = path.is_some();
        let mut path = match path {
            Some(path) => path,
            None => match self.choose() {
                Ok(Chosen::Node(path)) => path,
                Ok(Chosen::Unreadable(mut path, error)) => {
                    return Some(self.commit_or_catch(&mut path, Err(error.into())));
                }
                Ok(Chosen::Nothing) => return Some(self.idle()),
                Err(error) => return Some(Err(error)),
            },
        };
        match self.perform(&mut path, ctx, just_resumed) {
            Ok(Next::Commit(outcome)) => Some(self.commit(&path, outcome)),
            Ok(Next::Await(pending)) => {
                *stage = Stage::Pending(path, pending);
                None
            }
            Err(error) => Some(self.commit_or_catch(&mut path, Err(error.into()))),
        }
    }

    /// Runs a body that does not await, and hands out one that does. Whatever it panics with, the
    /// states that wait are back in their places afterwards.
    fn perform(
        &mut self,
        path: &mut NodePath,
        ctx: &mut Option<Context>,
        just_resumed: bool,
    ) -> Result<Next, FlowError> {
        let (table, marking) = self.locate(&path.items_path)?;
        let table = Arc::clone(table);
        let entry = table.node(path.node)?;
        within_max_visits(entry, &table, marking, path)?;
        let marking = marking_mut(&self.table, &mut self.state.marking, &mut path.items_path)?;
        if let NodeKind::Each(each) = &entry.kind {
            let list = guard(&entry.id, || gather(marking, path.node, each))?;
            let list = list.map_err(|source| FlowError::State {
                state: entry
                    .ways
                    .first()
                    .map_or("", |state| table.state_key(*state))
                    .to_owned(),
                source,
            })?;
            let emitted = Emitted(Emission::Way(0, list));
            return Ok(Next::Commit(StepOutcome::Outputs(emitted)));
        }
        let mut waiting = std::mem::take(&mut marking.waiting);
        let inputs = Inputs::new(&entry.slots, &mut waiting, &table);
        let started = guard(&entry.id, || {
            self.start(path, entry, inputs, ctx, just_resumed)
        });
        marking_mut(&self.table, &mut self.state.marking, &mut path.items_path)?.waiting = waiting;
        started?
    }

    /// The same, of a node that is no list.
    fn start(
        &self,
        path: &NodePath,
        entry: &NodeEntry,
        mut inputs: Inputs<'_>,
        ctx: &mut Option<Context>,
        just_resumed: bool,
    ) -> Result<Next, FlowError> {
        let (_, marking) = self.locate(&path.items_path)?;
        let scope = || self.scope(marking, path);
        let running = match &entry.kind {
            NodeKind::Function(body) => {
                let ctx = LazyContext { ctx, scope: &scope };
                body.start(&mut inputs, ctx)
            }
            NodeKind::Gate(gate) => match marking.progress(path.node) {
                Some(Progress::Gate(Some(answer))) => {
                    let ctx = LazyContext { ctx, scope: &scope };
                    (gate.fns.run)(&mut inputs, answer, ctx)
                }
                _ => {
                    let question = question(gate, entry, &inputs)?;
                    return Ok(Next::Commit(StepOutcome::Asks(Box::new(question))));
                }
            },
            NodeKind::Agent(agent) => {
                let ctx = ctx.take().unwrap_or_default();
                let mut scope = scope()?;
                scope.just_resumed = just_resumed;
                let step = self.ask(agent, path, &mut inputs, scope, ctx)?;
                return Ok(Next::Await(Pending::Agent(step)));
            }
            NodeKind::Each(_) | NodeKind::Flow(_) | NodeKind::Broken(_) => {
                return Err(FlowError::BuildError(
                    format!("`{}` cannot run", entry.id).into(),
                ));
            }
        };
        match running.map_err(|error| *error)? {
            Running::Ready(Ok(emitted)) => Ok(Next::Commit(StepOutcome::Outputs(emitted))),
            Running::Ready(Err(source)) => Err(FlowError::node(&*entry.id, source)),
            Running::Pending(body) => Ok(Next::Await(Pending::Body(body))),
        }
    }

    /// A step of an agent: a model call, or the tool calls that it asked for.
    fn ask(
        &self,
        agent: &AgentNode,
        path: &NodePath,
        inputs: &mut Inputs<'_>,
        scope: StepScope,
        ctx: Context,
    ) -> Result<agent::AgentFuture, FlowError> {
        let (table, marking) = self.locate(&path.items_path)?;
        let id = &table.node(path.node)?.id;
        let progress = match marking.progress(path.node) {
            Some(Progress::Agent(progress)) if progress.has_started() => (**progress).clone(),
            before => {
                let of_prompt = LazyContext {
                    ctx: &mut Some(ctx.clone()),
                    scope: &|| Ok(scope.clone()),
                };
                let prompt = (agent.prompt)(inputs, of_prompt).map_err(|error| match error {
                    FlowError::Other(source) => FlowError::node(&**id, source),
                    error => error,
                })?;
                let progress = AgentProgress::start(prompt);
                self.check_fallbacks(agent, id, &progress, &ctx, &scope)?;
                match before {
                    Some(Progress::Agent(before)) => progress.with_lost_tokens_of(before),
                    _ => progress,
                }
            }
        };
        let model = if progress.is_models_turn() {
            self.within_budget(id)?;
            let factory = self.factory(&ctx);
            let number = progress.fallback();
            let mut model = self.model(agent, id, number, &factory)?;
            model.asked = self.asked_so_far(&model, number, agent, path, &factory)?;
            Some(model)
        } else {
            None
        };
        let watch = Watch {
            observers: self.options.observers.clone(),
            run_id: Arc::clone(&self.state.id),
            node: Arc::clone(id),
            items: scope.items.as_deref().unwrap_or_default().to_vec(),
        };
        let (spec, ctx) = (Arc::clone(&agent.spec), ctx.into_step(scope));
        Ok(agent::step(spec, progress, model, watch, ctx))
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
        let factory = self.factory(ctx);
        let models = (0..=last).map(|number| self.model(agent, id, number, &factory));
        let models = models.collect::<Result<Vec<_>, _>>()?;
        let ctx = ctx.clone().into_step(scope.clone());
        fallback::check_models(&agent.spec, progress, id, &models, &ctx)
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
    fn client(
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
        let id = self.node_id(path)?;
        let others = (0..=agent.spec.config.fallback.len()).filter(|other| *other != number);
        let others: Vec<_> = others
            .filter_map(|other| Some((other, self.client(agent, &id, other, factory).ok()?)))
            .collect();
        let clients = others.iter().map(|(_, (_, client))| client);
        if !clients.chain([&model.client]).any(|it| it.wants_counts()) {
            return Ok(Vec::new());
        }
        self.asked(path, |asked_number| {
            let other = others.iter().find(|(other, _)| *other == asked_number);
            other.map_or(asked_number == number, |(_, (url, client))| {
                model.shares_answers(url, client)
            })
        })
    }

    /// Where in the run the node at `path` is.
    fn scope(&self, marking: &Marking, path: &NodePath) -> Result<StepScope, FlowError> {
        Ok(StepScope {
            run: self.view_at(path)?,
            node: path.node.0,
            visit: marking.visits(path.node).saturating_add(1),
            just_resumed: false,
            items: (!path.items_path.is_empty()).then(|| {
                path.items_path
                    .iter()
                    .map(|item_step| item_step.item)
                    .collect()
            }),
        })
    }

    /// What the node at `path` sees of the run: in a list, of the item that it is in.
    fn view_at(&self, path: &NodePath) -> Result<Arc<View>, FlowError> {
        let state = &self.state;
        let mut view = self.view.get(&state.id, &self.table, &state.marking.inputs);
        for depth in 1..=path.items_path.len() {
            let (items_path, _) = path.items_path.split_at(depth);
            let (table, marking) = self.locate(items_path)?;
            let Some((item_step, around)) = items_path.split_last() else {
                break;
            };
            // Two lists may share a chain, and one may come again: their steps are not the same.
            let (outer, marked) = self.locate(around)?;
            let visit = marked.visits(item_step.each).saturating_add(1);
            view = Arc::new(View {
                run_id: format!("{}/{}#{visit}", view.run_id, outer.node_id(item_step.each)).into(),
                table: Arc::clone(table),
                inputs: Arc::clone(&marking.inputs),
                around: Some((view, item_step.each)),
            });
        }
        Ok(view)
    }
}

/// What a gate asks: its prompt, the state it is before, and the schema of the answer.
fn question(gate: &Gate, entry: &NodeEntry, inputs: &Inputs<'_>) -> Result<Value, FlowError> {
    let state = input(entry, inputs)?;
    Ok(json!({ "prompt": gate.prompt, "state": state, "schema": (gate.fns.schema)() }))
}

/// What a node takes, as JSON: a list where it takes several states.
pub(super) fn input(entry: &NodeEntry, inputs: &Inputs<'_>) -> Result<Value, FlowError> {
    shown(entry.slots.len(), |index| inputs.token(index))
}

/// The same, of what waits in a marking.
pub(super) fn waiting_input(entry: &NodeEntry, marking: &Marking) -> Result<Value, FlowError> {
    shown(entry.slots.len(), |index| {
        let token = entry.slots.get(index).and_then(|slot| marking.token(*slot));
        token.ok_or_else(|| FlowError::NotFound(format!("input {index} of `{}`", entry.id).into()))
    })
}

fn shown<'a>(
    slots: usize,
    token: impl Fn(usize) -> Result<&'a Token, FlowError>,
) -> Result<Value, FlowError> {
    let write = |slot| {
        let value = token(slot)?.live.to_value();
        value.map_err(|e| FlowError::SerializeError(e.into()))
    };
    match slots {
        1 => write(0),
        slots => (0..slots).map(write).collect(),
    }
}

fn within_max_visits(
    entry: &NodeEntry,
    table: &Table,
    marking: &Marking,
    path: &NodePath,
) -> Result<(), FlowError> {
    if !entry.on_cycle {
        return Ok(());
    }
    let limit = entry.policy.max_visits.unwrap_or(MAX_VISITS);
    if marking.visits(path.node) < limit {
        return Ok(());
    }
    Err(FlowError::MaxVisits {
        node: entry.id.to_string(),
        cycle: table
            .cycle(path.node)
            .iter()
            .map(|node| table.node_id(*node).to_owned())
            .collect(),
        limit,
    })
}

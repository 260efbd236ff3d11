//! Starting a step of an agent: what it goes on with, and the model that it asks.

use std::sync::Arc;

use super::{
    flight::Pending,
    run::Run,
    state::{RunState, path::NodePath},
};
use crate::{
    agent::{self, AgentProgress, AgentSpec, Model, TaskPrompt, fallback},
    context::{Context, StepScope},
    error::FlowError,
    events::Watch,
    graph::AgentNode,
    model::{ClientFactory, ModelClient, ModelOptions, ModelUrl},
    node::Inputs,
    trace,
};

impl Run {
    /// A step of an agent: a model call, or the tool calls that it asked for.
    pub(super) fn start_agent(
        &self,
        agent: &AgentNode,
        path: &NodePath,
        inputs: Inputs<'_>,
        scope: StepScope,
        ctx: &Context,
    ) -> Result<Pending, FlowError> {
        let frame = self.state.frame(&path.frame);
        let table = &frame.table;
        let id = &table.node(path.node).id;
        let spec = match agent.is_ad_hoc {
            true => ad_hoc_spec(agent, id, &inputs)?,
            false => Arc::clone(&agent.spec),
        };
        let progress = match frame.progress.agents.get(&path.node) {
            Some(progress) if frame.has_tasks(path.node) || progress.waits_for_detached() => {
                Arc::new(self.with_task_results(path, progress))
            }
            Some(progress) if progress.has_started() => Arc::clone(progress),
            before => {
                let of_prompt = || scope.clone();
                // Moved, so that it may borrow from this block.
                let mut inputs = inputs;
                let inputs = inputs.set_context(ctx, &of_prompt);
                let prompt = (agent.prompt)(inputs).map_err(|error| error.in_node(id))?;
                let progress = AgentProgress::start(prompt, Arc::clone(table.returns(path.node)));
                let progress = match agent.spec.config.turns {
                    Some(_) => progress.started_at(self.state.steps),
                    None => progress,
                };
                if !agent.spec.config.fallback.is_empty() {
                    self.check_fallbacks(agent, id, &progress, ctx, &scope)?;
                }
                Arc::new(match before {
                    Some(before) => progress.with_counts_of(before),
                    None => progress,
                })
            }
        };
        let model = if progress.is_models_turn() {
            self.check_budget(id)?;
            let factory = self.factory.get(ctx);
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
        let ctx = ctx.clone().into_step(scope);
        Ok(Pending::Agent {
            asks: model.is_some(),
            step: trace::within(
                self.options.spans.agent(path),
                agent::step(spec, progress, model, watch, ctx),
            ),
        })
    }

    /// The agent's progress, with the results of its tasks.
    #[inline(never)]
    fn with_task_results(&self, path: &NodePath, progress: &AgentProgress) -> AgentProgress {
        let frame = self.state.frame(&path.frame);
        let mut progress = progress.clone();
        let step_key = || self.step_key(path);
        progress.take_results(step_key, |task| frame.end_of_task(path.node, task));
        self.end_overdue_waits(&mut progress);
        progress
    }

    /// Fails where an agent that starts has a fallback that could not be asked.
    #[inline(never)]
    fn check_fallbacks(
        &self,
        agent: &AgentNode,
        id: &str,
        progress: &AgentProgress,
        ctx: &Context,
        scope: &StepScope,
    ) -> Result<(), FlowError> {
        let factory = self.factory.get(ctx);
        let models = (0..=agent.spec.config.fallback.len())
            .map(|number| self.model(agent, id, number, &factory));
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
        let RunState { root, spending, .. } = &*self.state;
        Ok(spending.asked_so_far(root, path, |asked_number| {
            let other = others.iter().find(|(other, _)| *other == asked_number);
            other.map_or(asked_number == number, |(_, (url, client))| {
                model.shares_answers(url, client)
            })
        }))
    }
}

/// An ad-hoc agent. What all of those share, such as models and limits, is said by the agent of the node all the same.
#[inline(never)]
fn ad_hoc_spec(
    agent: &AgentNode,
    id: &str,
    inputs: &Inputs<'_>,
) -> Result<Arc<AgentSpec>, FlowError> {
    let told = inputs.typed::<TaskPrompt>(0).map_err(|error| *error)?;
    let spec = told.agent(&agent.spec).map_err(|why| {
        let problem = format!("the agent `{id}`: {why}");
        FlowError::BuildError(problem.into())
    })?;
    Ok(Arc::new(spec))
}

//! Performing a step: running a body, asking a model, waiting for a person. Nothing is committed.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use serde_json::{Value, json};

use super::{
    each::gather,
    flight::{AgentFuture, Flight, Landed},
    marking::{Marking, Progress},
    run::{Out, Place, Run},
    view::View,
};
use crate::{
    agent::{self, AgentProgress, AgentStep},
    context::{Context, StepScope},
    error::{BoxError, FlowError},
    graph::{NodeEntry, Table},
    model::{ModelClient, ModelUrl},
    node::{
        AgentNode, BodyFuture, Emission, Emitted, Gate, Inputs, LazyContext, NodeKind, Running,
    },
    state::{FailureKind, Live},
};

/// The default of `max_visits`.
const MAX_VISITS: u32 = 1_000;

/// What a step came to, before it is committed.
pub(super) enum Performed {
    /// The node gave its output.
    Gave(Emitted),
    /// A gate asks its question.
    Asks(Box<Value>),
    /// An agent came one step further, or is done.
    Agent(Box<AgentStep>, Option<Emitted>),
    /// The node, or the flow inlined around it, failed, and a `catch` takes it from here.
    Caught(Box<super::catch::Caught>),
}

/// A step that has begun.
enum Begun {
    Performed(Performed),
    Body(BodyFuture),
    Agent(AgentFuture),
}

impl Run {
    /// Makes the step at `place`, or the one that is next, as far as it goes without waiting.
    #[inline(never)]
    pub(super) fn advance(
        &mut self,
        place: Option<Place>,
        ctx: &mut Option<Context>,
        flight: &mut Option<Flight>,
    ) -> Result<Option<Out>, FlowError> {
        let place = match place {
            Some(place) => place,
            None => match self.choose()? {
                Some(place) => place,
                None => return self.idle().map(Some),
            },
        };
        match self.begin(&place, ctx) {
            Ok(Begun::Performed(performed)) => self.commit(&place, performed).map(Some),
            Ok(Begun::Body(body)) => {
                *flight = Some(Flight::Body(place, body));
                Ok(None)
            }
            Ok(Begun::Agent(step)) => {
                *flight = Some(Flight::Agent(place, step));
                Ok(None)
            }
            Err(error) => self.conclude(&place, Err(error)).map(Some),
        }
    }

    /// Begins the step at `place`: runs a body that does not await, and hands out one that does.
    fn begin(&self, place: &Place, ctx: &mut Option<Context>) -> Result<Begun, FlowError> {
        let (table, marking) = self.locate(&place.hops)?;
        let entry = table.node(place.node)?;
        within_max_visits(entry, table, marking, place)?;
        let scope = || self.scope(marking, place);
        let running = match &entry.kind {
            NodeKind::Function(body) => {
                let ctx = LazyContext { ctx, scope: &scope };
                let start = || marking.inputs(entry, table, |inputs| body.start(inputs, ctx));
                guard(&entry.id, start)?
            }
            NodeKind::Gate(gate) => match marking.progress(place.node) {
                Some(Progress::Gate(Some(answer))) => {
                    let ctx = LazyContext { ctx, scope: &scope };
                    let start = |inputs: &mut Inputs<'_>| (gate.fns.run)(inputs, answer, ctx);
                    guard(&entry.id, || marking.inputs(entry, table, start))?
                }
                _ => {
                    let question = guard(&entry.id, || question(gate, entry, table, marking))??;
                    return Ok(Begun::Performed(Performed::Asks(Box::new(question))));
                }
            },
            NodeKind::Agent(agent) => {
                let ctx = ctx.take().unwrap_or_default().into_step(scope()?);
                return self.begin_agent(agent, entry, table, marking, place, ctx);
            }
            NodeKind::Each(each) => {
                let list =
                    gather(marking, place.node, each).map_err(|source| FlowError::State {
                        state: entry.id.to_string(),
                        source,
                    })?;
                return Ok(Begun::Performed(Performed::Gave(Emitted(Emission::Way(
                    0, list,
                )))));
            }
            NodeKind::Flow(_) | NodeKind::Broken(_) => {
                return Err(FlowError::BuildError(format!("`{}` cannot run", entry.id)));
            }
        };
        match running.map_err(|error| *error)? {
            Running::Ready(Ok(given)) => Ok(Begun::Performed(Performed::Gave(given))),
            Running::Ready(Err(source)) => Err(failed(&entry.id, source)),
            Running::Later(future) => Ok(Begun::Body(future)),
        }
    }

    fn begin_agent(
        &self,
        agent: &AgentNode,
        entry: &NodeEntry,
        table: &Table,
        marking: &Marking,
        place: &Place,
        ctx: Context,
    ) -> Result<Begun, FlowError> {
        let id = &entry.id;
        let progress = match marking.progress(place.node) {
            Some(Progress::Agent(progress)) => (**progress).clone(),
            _ => {
                let step = ctx.step().cloned().ok_or(FlowError::Finished)?;
                let ctx = LazyContext {
                    ctx: &mut Some(ctx.clone()),
                    scope: &|| Ok(step.clone()),
                };
                let prompt = || marking.inputs(entry, table, |inputs| (agent.prompt)(inputs, ctx));
                let prompt = guard(id, prompt)?.map_err(|error| match error {
                    FlowError::Other(source) => failed(id, source),
                    error => error,
                })?;
                AgentProgress::start(prompt, None)
            }
        };
        let (url, client) = self.client(agent, id)?;
        let step = agent::step(
            Arc::clone(&agent.spec),
            progress,
            client,
            id.to_string(),
            url,
            ctx,
        );
        let read = agent.read;
        Ok(Begun::Agent(Box::pin(async move {
            let step = step.await?;
            let given = match &step {
                AgentStep::Done { output: value, .. } => {
                    let live = read(value.clone())
                        .map_err(|e| FlowError::DeserializeError(e.to_string()))?;
                    Some(Emitted(Emission::Way(0, live)))
                }
                AgentStep::Advanced(_) | AgentStep::Suspended { .. } => None,
            };
            Ok(Performed::Agent(Box::new(step), given))
        })))
    }

    /// Commits what a body gave, or hands on its failure.
    #[cold]
    #[inline(never)]
    pub(super) fn land(&mut self, place: &Place, given: Landed) -> Result<Out, FlowError> {
        let performed = match given {
            Ok(Ok(given)) => Ok(Performed::Gave(given)),
            Ok(Err(source)) => Err(failed(&self.node_id(place)?, source)),
            Err(panic) => return self.panicked(place, &*panic),
        };
        self.conclude(place, performed)
    }

    /// Hands on a panic of what the user wrote.
    pub(super) fn panicked(
        &mut self,
        place: &Place,
        panic: &(dyn Any + Send),
    ) -> Result<Out, FlowError> {
        let error = panicked(&self.node_id(place)?, panic);
        self.conclude(place, Err(error))
    }

    /// The model of an agent, and the client that speaks to it.
    fn client(
        &self,
        agent: &AgentNode,
        id: &str,
    ) -> Result<(ModelUrl, Arc<dyn ModelClient>), FlowError> {
        let url = match self.options.models.get(id) {
            Some(url) => url.clone(),
            None => agent.spec.config.model_url()?,
        };
        let client = self.options.factory.client(&url);
        let client = client.map_err(|source| FlowError::Model {
            node: id.to_owned(),
            source,
        })?;
        Ok((url, client))
    }

    /// Where in the run the node at `place` stands.
    fn scope(&self, marking: &Marking, place: &Place) -> Result<StepScope, FlowError> {
        Ok(StepScope {
            run: self.view(place)?,
            node: place.node.0,
            visit: marking.visits(place.node).saturating_add(1),
            items: (!place.hops.is_empty())
                .then(|| place.hops.iter().map(|hop| hop.item).collect()),
        })
    }

    fn view(&self, place: &Place) -> Result<Arc<View>, FlowError> {
        let mut view = Arc::clone(&self.view);
        for depth in 1..=place.hops.len() {
            let (hops, _) = place.hops.split_at(depth);
            let (table, marking) = self.locate(hops)?;
            let Some((hop, around)) = hops.split_last() else {
                break;
            };
            // Two lists may share a chain, and one may come again: their steps are not the same.
            let (outer, marked) = self.locate(around)?;
            let visit = marked.visits(hop.each).saturating_add(1);
            view = Arc::new(View {
                run_id: format!("{}/{}#{visit}", view.run_id, outer.node_id(hop.each)).into(),
                table: Arc::clone(table),
                inputs: Arc::clone(&marking.inputs),
                around: Some((view, hop.each)),
            });
        }
        Ok(view)
    }
}

/// What a gate asks: its prompt, the state it stands before, and the schema of the answer.
fn question(
    gate: &Gate,
    entry: &NodeEntry,
    table: &Table,
    marking: &Marking,
) -> Result<Value, FlowError> {
    let slots = 0..entry.slots.len();
    let states: Vec<Live> = marking.inputs(entry, table, |inputs| {
        slots
            .map(|slot| Ok(inputs.token(slot)?.live.clone()))
            .collect::<Result<_, FlowError>>()
    })?;
    let write = |live: &Live| {
        live.to_value()
            .map_err(|e| FlowError::SerializeError(e.to_string()))
    };
    let state = match states.as_slice() {
        [state] => write(state)?,
        states => Value::Array(states.iter().map(write).collect::<Result<_, _>>()?),
    };
    Ok(json!({ "prompt": gate.prompt, "state": state, "schema": (gate.fns.schema)() }))
}

fn within_max_visits(
    entry: &NodeEntry,
    table: &Table,
    marking: &Marking,
    place: &Place,
) -> Result<(), FlowError> {
    if !entry.on_cycle {
        return Ok(());
    }
    let limit = entry.policy.max_visits.unwrap_or(MAX_VISITS);
    if marking.visits(place.node) < limit {
        return Ok(());
    }
    Err(FlowError::MaxVisits {
        node: entry.id.to_string(),
        cycle: table
            .cycle(place.node)
            .iter()
            .map(|node| table.node_id(*node).to_owned())
            .collect(),
        limit,
    })
}

/// Runs what the user wrote; a panic in it becomes an error.
fn guard<R>(id: &str, body: impl FnOnce() -> R) -> Result<R, FlowError> {
    catch_unwind(AssertUnwindSafe(body)).map_err(|panic| panicked(id, &*panic))
}

fn failed(node: &str, source: BoxError) -> FlowError {
    FlowError::Node {
        node: node.to_owned(),
        source,
    }
}

fn panicked(node: &str, panic: &(dyn Any + Send)) -> FlowError {
    let message = panic
        .downcast_ref::<&str>()
        .map(|message| (*message).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    FlowError::Panicked {
        node: node.to_owned(),
        message,
    }
}

/// What kind of failure an error is.
pub(super) fn kind_of(error: &FlowError) -> FailureKind {
    match error {
        FlowError::Panicked { .. } => FailureKind::Panic,
        FlowError::MaxVisits { .. } | FlowError::Limit { .. } => FailureKind::Limit,
        FlowError::State { .. } | FlowError::SerializeError(_) | FlowError::DeserializeError(_) => {
            FailureKind::Data
        }
        _ => FailureKind::Error,
    }
}

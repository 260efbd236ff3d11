//! Calls of agents and flows, which a node returns.

use std::{any::TypeId, marker::PhantomData};

use serde::Serialize;

use super::{Emission, Emit, Emitted, HasBranch, IsState, Output, ParamList, TaskResult, Tasks};
use crate::{
    agent::Agent,
    error::BoxError,
    state::{Each, Live, State},
    topology::{Shape, ShapeKind},
};

/// What a node wants of agents and flows. The node that returns it calls them and outputs their result, an `S`:
/// `researcher::invoke(topic)` is an `Invoke<Finding>`, and [`all`](Self::all) makes an `Invoke<Each<Finding>>` of
/// several. It may also start them as [detached](Invoke::detached) tasks, or [wait](Tasks::wait) for such tasks.
///
/// Which agents and flows a node calls is in its attribute. They run as tasks of the run, side by side as
/// [`with_concurrency`](crate::FlowRuntime::with_concurrency) allows: step by step, with their questions and
/// conversations in the snapshot. Unless they are detached, the node waits for all of them; its function does not run again. An agent that is
/// called gets its input as it would as a node of the flow, and its function writes its prompt.
///
/// Where a call fails, the node fails once all calls have ended, and another attempt makes all of them again. With
/// [`settled`](Invoke::settled) the node does not fail, and each result says how its call ended. A used-up budget is
/// the exception: it stops the run, which goes on with a larger one.
///
/// ```
/// use pravah_runtime::prelude::*;
/// use serde_json::json;
///
/// #[state] struct Plan { topics: Vec<String> }
/// #[state] struct Topic { name: String }
/// #[state] struct Finding { text: String }
/// #[state] struct Report { text: String }
///
/// /// You look things up.
/// #[agent(model = "openai://gpt-4o-mini", output = Finding)]
/// fn researcher(topic: &Topic) -> String { topic.name.clone() }
///
/// #[node(agents = [researcher])]
/// fn look_up(plan: &Plan) -> Invoke<Each<Finding>> {
///     let topics = plan.topics.iter().map(|name| Topic { name: name.clone() });
///     Invoke::all(topics.map(researcher::invoke))
/// }
///
/// #[node]
/// fn write(findings: Each<Finding>) -> Report {
///     let texts: Vec<_> = findings.into_iter().map(|finding| finding.text).collect();
///     Report { text: texts.join(" ") }
/// }
///
/// #[flow]
/// fn reporting(plan: Plan) -> Report { flow! { look_up -> write } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
/// let script = ScriptedModel::new()
///     .reply("researcher[0]", json!({ "text": "No train goes to Benin." }))
///     .reply("researcher[1]", json!({ "text": "A ferry does." }));
/// let plan = Plan { topics: vec!["trains".into(), "ferries".into()] };
/// let mut run = FlowRuntime::new(plan)?.with_factory(script);
/// let RunOut::Done(report) = run.run(Context::default()).await? else { panic!("nobody is asked") };
/// assert_eq!(report.text, "No train goes to Benin. A ferry does.");
/// # Ok(()) }
/// ```
#[must_use = "nothing is called unless a node returns it"]
pub struct Invoke<S> {
    calls: NodeCalls,
    returns: PhantomData<fn() -> S>,
}

/// What a node wants of agents and flows.
pub(crate) enum NodeCalls {
    /// To call these, and their results.
    Awaited(Vec<NodeCall>),
    /// To call these as detached tasks, and the ids of the tasks.
    Detached(Vec<NodeCall>),
    /// The results of these detached tasks, by their ids.
    Tasks(Vec<String>),
}

/// Which agent or flow is called, and what it takes.
pub(crate) struct NodeCall {
    pub(crate) name: String,
    /// The type that identifies it, where one does.
    pub(crate) id: Option<TypeId>,
    /// What it takes, or why it cannot take what it was to take.
    pub(crate) input: Result<Live, String>,
}

impl<S> Invoke<S> {
    pub(crate) fn of(calls: Vec<NodeCall>) -> Self {
        Self::with_calls(NodeCalls::Awaited(calls))
    }

    const fn with_calls(calls: NodeCalls) -> Self {
        Self {
            calls,
            returns: PhantomData,
        }
    }
}

impl<S> Invoke<S> {
    /// A call of an agent that is written by hand; of others `name::invoke(input)` is one.
    pub fn agent<A: Agent<Output = S>>(input: A) -> Self {
        Self::of(vec![NodeCall {
            name: A::node_id(),
            id: Some(TypeId::of::<A>()),
            input: Ok(Live::new(input)),
        }])
    }

    pub(crate) fn into_emission(self) -> Emission {
        Emission::Calls(self.calls)
    }
}

impl<S> Invoke<Each<S>> {
    /// All of these calls; the node outputs their results, in the same order. Of no calls that is an empty list.
    pub fn all(invokes: impl IntoIterator<Item = Invoke<S>>) -> Self {
        Self::of(calls_of(invokes))
    }
}

impl<S> Invoke<Each<TaskResult<S>>> {
    /// All of these calls; the node outputs how each ended, in the same order.
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    ///
    /// # #[state] struct Plan { topics: Vec<String> }
    /// # #[state] struct Topic { name: String }
    /// # #[state] struct Finding { text: String }
    /// # #[state] struct Report { text: String }
    /// # /// You look things up.
    /// # #[agent(model = "openai://gpt-4o-mini", output = Finding)]
    /// # fn researcher(topic: &Topic) -> String { topic.name.clone() }
    /// #[node(agents = [researcher])]
    /// fn look_up(plan: &Plan) -> Invoke<Each<TaskResult<Finding>>> {
    ///     let topics = plan.topics.iter().map(|name| Topic { name: name.clone() });
    ///     Invoke::settled(topics.map(researcher::invoke))
    /// }
    ///
    /// #[node]
    /// fn write(findings: Each<TaskResult<Finding>>) -> Report {
    ///     let found = findings.iter().filter_map(TaskResult::output);
    ///     Report { text: found.map(|finding| &*finding.text).collect() }
    /// }
    /// ```
    pub fn settled(invokes: impl IntoIterator<Item = Invoke<S>>) -> Self {
        Self::of(calls_of(invokes))
    }
}

impl Invoke<Tasks> {
    /// All of these calls as detached tasks, which go on in the background: the node outputs their ids at once, and
    /// another node may [wait](Tasks::wait) for them. Those that have not ended when the flow is done are cancelled, unless
    /// the node says otherwise, with `#[node(agents = […], on_done = wait)]` or the `OnDone::Wait` of
    /// [`invoke_detached`](crate::FlowGraphBuilder::invoke_detached). The host sees them in
    /// [`FlowRuntime::tasks`](crate::FlowRuntime::tasks).
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    /// use serde_json::json;
    ///
    /// #[state] struct Plan { topics: Vec<String> }
    /// #[state] struct Topic { name: String }
    /// #[state] struct Finding { text: String }
    /// #[state] struct Report { text: String }
    ///
    /// /// You look things up.
    /// #[agent(model = "openai://gpt-4o-mini", output = Finding)]
    /// fn researcher(topic: &Topic) -> String { topic.name.clone() }
    ///
    /// #[node(agents = [researcher])]
    /// fn start(plan: &Plan) -> Invoke<Tasks> {
    ///     let topics = plan.topics.iter().map(|name| Topic { name: name.clone() });
    ///     Invoke::detached(topics.map(researcher::invoke))
    /// }
    ///
    /// // Nodes between the two run beside the tasks.
    /// #[node(agents = [researcher])]
    /// fn collect(tasks: &Tasks) -> Invoke<Each<Finding>> { tasks.wait() }
    ///
    /// #[node]
    /// fn write(findings: Each<Finding>) -> Report {
    ///     Report { text: findings.into_iter().map(|finding| finding.text).collect() }
    /// }
    ///
    /// #[flow]
    /// fn reporting(plan: Plan) -> Report { flow! { start -> collect -> write } }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
    /// let script = ScriptedModel::new().reply("researcher", json!({ "text": "No trains." }));
    /// let run = FlowRuntime::new(Plan { topics: vec!["trains".into()] })?;
    /// let mut run = run.with_factory(script);
    /// let RunOut::Done(report) = run.run(Context::default()).await? else { panic!("nobody is asked") };
    /// assert_eq!(report.text, "No trains.");
    /// # Ok(()) }
    /// ```
    pub fn detached<S>(invokes: impl IntoIterator<Item = Invoke<S>>) -> Self {
        Self::with_calls(NodeCalls::Detached(calls_of(invokes)))
    }
}

impl Tasks {
    /// The results of all of these tasks, in their order, once all have ended. The node that returns it may wait only for
    /// tasks of what it may call: those in its `agents`, or in its registry. Where a task has failed or was cancelled, the node fails once all have ended.
    pub fn wait<S>(&self) -> Invoke<Each<S>> {
        Invoke::with_calls(NodeCalls::Tasks(self.task_ids.clone()))
    }

    /// How each of these tasks has ended, in their order, once all have.
    pub fn wait_settled<S>(&self) -> Invoke<Each<TaskResult<S>>> {
        Invoke::with_calls(NodeCalls::Tasks(self.task_ids.clone()))
    }
}

/// As [`all`](Invoke::all) does.
impl<S> FromIterator<Invoke<S>> for Invoke<Each<S>> {
    fn from_iter<I: IntoIterator<Item = Invoke<S>>>(invokes: I) -> Self {
        Self::all(invokes)
    }
}

fn calls_of<S>(invokes: impl IntoIterator<Item = Invoke<S>>) -> Vec<NodeCall> {
    let calls = invokes.into_iter().flat_map(|invoke| match invoke.calls {
        NodeCalls::Awaited(calls) | NodeCalls::Detached(calls) => calls,
        NodeCalls::Tasks(_) => vec![NodeCall {
            name: "tasks.wait()".to_owned(),
            id: None,
            input: Err(
                "tasks are waited for by a node that returns `tasks.wait()` itself".to_owned(),
            ),
        }],
    });
    calls.collect()
}

/// Calls of agents and flows by nodes, as `researcher::invoke(topic)`: of each function with `#[agent]` or `#[flow]`,
/// and of each struct with `#[agent]`.
pub trait InvokeAgent<Params, Output>: Sized {
    /// A call with this input, for a node to return.
    fn invoke(input: <Params::Consumed as FirstState>::State) -> Invoke<Output>
    where
        Params: ParamList<Consumed: FirstState>;
}

/// The first state of what a node takes. A node that takes more cannot be called; `check_call` reports that where it is
/// named.
#[doc(hidden)]
pub trait FirstState {
    type State: Serialize + Send + Sync + 'static;
}

impl<S: Serialize + Send + Sync + 'static, Rest> FirstState for (S, Rest) {
    type State = S;
}

/// How an [`Invoke`] goes on from its node.
#[doc(hidden)]
pub struct Invoking;

impl<S: State> Output for Invoke<S> {
    type Emit = Invoking;
}

impl<S: State> Emit<Invoke<S>> for Invoking {
    const SHAPE: Shape =
        Shape::new(ShapeKind::One, <S as IsState>::REFS).of_calls(&<S as State>::CALL_OUTPUT);

    fn emit(invoke: Invoke<S>) -> Result<Emitted, BoxError> {
        Ok(Emitted(invoke.into_emission()))
    }
}

impl<S: State> HasBranch<0, S> for Invoke<S> {}

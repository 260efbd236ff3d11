//! Graphs without macros.

mod body;
mod invoke;
mod policy;

use std::{
    any::{TypeId, type_name},
    collections::{BTreeMap, BTreeSet},
    future::Future,
    sync::Arc,
};

use schemars::JsonSchema;

use self::body::{closure, later, ready};
use super::{
    AgentNode, CatchSpec, End, Flow, FlowGraph, FlowSpec, Name, NodeKind, NodeSpec, building,
    checks,
    clones::Clones,
    data::{Data, DataState, spec, state},
    link,
    problems::Problem,
    wiring::Wiring,
};
use crate::{
    agent::Agent,
    context::Context,
    error::FlowError,
    node::{Body, Emission, Inputs, Started},
    state::{Either, Live},
    topology::ShapeKind,
};

/// Puts a graph together from closures, agents and other flows; see [`FlowGraph::builder`].
///
/// Each node consumes one state type and returns another: the types are the edges. [`build`] checks
/// the whole and reports all problems at once.
///
/// A node that takes [`Failure<A>`](crate::Failure) catches the failures of the node that takes `A`:
/// without one such a failure ends the step with an error. A join is not caught.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Text { text: String }
/// #[state] struct Words { count: usize }
///
/// let graph = FlowGraph::builder()
///     .work::<Text, Words, _, _>(|text, _ctx| async move {
///         Ok(Words { count: text.text.split_whitespace().count() })
///     })
///     .build()?;
/// assert_eq!((graph.input(), graph.output()), ("Text", "Words"));
/// # Ok::<(), FlowError>(())
/// ```
///
/// [`build`]: FlowGraphBuilder::build
#[derive(Default)]
#[must_use = "a graph is made by `build()`"]
pub struct FlowGraphBuilder {
    nodes: Vec<NodeSpec>,
    /// The Rust type behind the name of each state.
    types: BTreeMap<String, &'static str>,
    /// What a failure becomes, by the state that the failed node takes.
    catches: BTreeMap<Name, CatchSpec>,
    clones: Clones,
    problems: Vec<Problem>,
    /// The last node whose policy was set by [`policy`](Self::policy).
    has_policy: Option<usize>,
    goes_on_after_failures: bool,
}

impl FlowGraphBuilder {
    /// Says that `S` is `Clone`, which the builder cannot see.
    ///
    /// A node gets its state itself. What stays in the run meanwhile, for another attempt after an
    /// error and for snapshots, is a clone if `S` is known to be `Clone`: by this, or because
    /// `#[state]` is written above it. Otherwise it is what `Serialize` says of it, kept in memory, of
    /// which another attempt gets a new value: with the default for what `#[serde(skip)]` leaves out.
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    ///
    /// #[derive(Clone, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    /// struct Text { text: String, #[serde(skip)] cache: Option<usize> }
    /// # #[state] struct Words { count: usize }
    ///
    /// let graph = FlowGraph::builder()
    ///     .clones::<Text>()
    ///     .work::<Text, Words, _, _>(|text, _ctx| async move {
    ///         Ok(Words { count: text.cache.unwrap_or(text.text.len()) })
    ///     })
    ///     .build()?;
    /// # Ok::<(), FlowError>(())
    /// ```
    pub fn clones<S: Data + Clone>(mut self) -> Self {
        self.clones.of::<S>().set();
        self
    }

    /// A node that takes `From` and returns `Out`. It gets the state itself; see
    /// [`clones`](Self::clones) for what that costs, and [`work_shared`](Self::work_shared) for what
    /// costs nothing.
    #[doc(alias = "node", alias = "add_node", alias = "task", alias = "step")]
    pub fn work<From, Out, F, Fut>(mut self, f: F) -> Self
    where
        From: Data,
        Out: Data,
        F: Fn(From, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Out, FlowError>> + Send + 'static,
    {
        let clone = self.clones.of::<From>();
        self.work_with::<From, Out, _>(move |inputs| {
            let from = inputs.take(0, &clone)?;
            Ok(later(f(from, inputs.take_context())))
        })
    }

    /// A node that takes `From` and returns `Out`, and shares its state with the run: nothing is copied,
    /// however large it is.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pravah_runtime::prelude::*;
    ///
    /// #[state] struct Text { text: String }
    /// #[state] struct Words { count: usize }
    ///
    /// let graph = FlowGraph::builder()
    ///     .work_shared::<Text, Words, _, _>(|text: Arc<Text>, _ctx| async move {
    ///         Ok(Words { count: text.text.split_whitespace().count() })
    ///     })
    ///     .build()?;
    /// # Ok::<(), FlowError>(())
    /// ```
    pub fn work_shared<From, Out, F, Fut>(self, f: F) -> Self
    where
        From: Data,
        Out: Data,
        F: Fn(Arc<From>, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Out, FlowError>> + Send + 'static,
    {
        self.work_with::<From, Out, _>(move |inputs| {
            Ok(later(f(inputs.arc_of(0)?, inputs.take_context())))
        })
    }

    fn work_with<From, Out, F>(self, body: F) -> Self
    where
        From: Data,
        Out: Data,
        F: Fn(&mut Inputs<'_>) -> Started + Send + Sync + 'static,
    {
        self.catchable::<From>().states::<Out>().add_node(
            &[state::<From>()],
            ShapeKind::One,
            &[state::<Out>()],
            Arc::new(body),
        )
    }

    /// A node that takes `From` and chooses between `A` and `B`.
    #[doc(
        alias = "branch",
        alias = "conditional",
        alias = "add_conditional_edges"
    )]
    pub fn either<From, A, B, F>(mut self, f: F) -> Self
    where
        From: Data,
        A: Data,
        B: Data,
        F: Fn(From, Context) -> Result<Either<A, B>, FlowError> + Send + Sync + 'static,
    {
        let clone = self.clones.of::<From>();
        let body = closure(move |inputs| {
            let from = inputs.take(0, &clone)?;
            Ok(ready(f(from, inputs.take_context()).map(
                |choice| match choice {
                    Either::Left(a) => Emission::Branch(0, Live::new(a)),
                    Either::Right(b) => Emission::Branch(1, Live::new(b)),
                },
            )))
        });
        self.branches::<From, A, B>(ShapeKind::Choice, body)
    }

    /// A node that takes `From` and returns both `A` and `B`, which have to meet again in a
    /// [`join`](Self::join).
    pub fn fork<From, A, B, F>(mut self, f: F) -> Self
    where
        From: Data,
        A: Data,
        B: Data,
        F: Fn(From, Context) -> Result<(A, B), FlowError> + Send + Sync + 'static,
    {
        let clone = self.clones.of::<From>();
        let body = closure(move |inputs| {
            let from = inputs.take(0, &clone)?;
            let output = f(from, inputs.take_context());
            Ok(ready(output.map(|(a, b)| {
                Emission::All(vec![Live::new(a), Live::new(b)])
            })))
        });
        self.branches::<From, A, B>(ShapeKind::Fork, body)
    }

    /// A node that waits for `A` and `B` and returns `Out`.
    pub fn join<A, B, Out, F>(mut self, f: F) -> Self
    where
        A: Data,
        B: Data,
        Out: Data,
        F: Fn(A, B, Context) -> Result<Out, FlowError> + Send + Sync + 'static,
    {
        for parent in [name::<A>(), name::<B>()] {
            if parent == name::<Out>() {
                let node = parent.clone();
                self.problems.push(Problem::ReturnsItsInput {
                    state: parent,
                    node,
                });
            }
        }
        let (clone_a, clone_b) = (self.clones.of::<A>(), self.clones.of::<B>());
        let body = closure(move |inputs| {
            let a = inputs.take(0, &clone_a)?;
            let b = inputs.take(1, &clone_b)?;
            let output = f(a, b, inputs.take_context());
            Ok(ready(output.map(|out| Emission::Branch(0, Live::new(out)))))
        });
        self.states::<A>().states::<B>().states::<Out>().add_node(
            &[state::<A>(), state::<B>()],
            ShapeKind::One,
            &[state::<Out>()],
            body,
        )
    }

    /// The agent `A`: takes `A`, and returns `A::Output`, which its model produces.
    pub fn agent<A: Agent>(mut self) -> Self {
        let id = A::node_id();
        let agent = AgentNode::of_state::<A>();
        let problems = agent.spec.problems().iter();
        self.problems.extend(problems.map(|problem| Problem::Agent {
            node: id.clone().into(),
            problem: problem.clone(),
        }));
        let mut this = self.catchable::<A>().states::<A::Output>();
        let kind = agent.kind(&id.clone().into());
        let mut spec = spec(
            id.into(),
            &[state::<A>()],
            ShapeKind::One,
            &[state::<A::Output>()],
            kind,
        );
        spec.policy = A::policy();
        this.nodes.push(spec);
        this
    }

    /// The flow `F`, inlined: its input and output keep their names, everything else in it is
    /// prefixed with its input's.
    pub fn flow<F: Flow>(self) -> Self {
        let mut this = self.catchable::<F>().states::<F::Output>();
        let kind = match building(TypeId::of::<F>(), F::node_id, F::build) {
            Ok(graph) => {
                this.problems.extend(checks::ends_fit(
                    &graph,
                    [End::of::<F>(), End::of::<F::Output>()],
                ));
                NodeKind::Flow(graph)
            }
            Err(error) => NodeKind::Broken(error.to_string().into()),
        };
        this.nodes.push(spec(
            F::node_id().into(),
            &[state::<F>()],
            ShapeKind::One,
            &[state::<F::Output>()],
            kind,
        ));
        this
    }

    /// Links the graph and checks it.
    ///
    /// It starts with the one state that is consumed and never produced, else with the first
    /// node's, and ends with the one state that is produced and never consumed.
    ///
    /// # Errors
    ///
    /// [`FlowError::Invalid`] with all problems: a state with two consumers or none, two types of
    /// one name, no single start or end, unreachable nodes, a policy that cannot be obeyed, and whatever
    /// else keeps the graph from being a sound workflow net.
    pub fn build(mut self) -> Result<FlowGraph, FlowError> {
        self.connect_catches();
        let mut problems = self.problems;
        problems.extend(checks::uncaught(&self.nodes));
        problems.extend(checks::policies(&self.nodes));
        let entry = checks::entry(&self.nodes, &mut problems);
        let output = checks::output(&self.nodes, &mut problems);
        problems.extend(checks::consumers(&self.nodes));
        problems.extend(checks::dead_ends(&self.nodes, &output));
        let wiring = Wiring::by_state(&entry, &self.nodes);
        let mut specs = FlowSpec::new(self.nodes, wiring);
        specs.fail_fast = !self.goes_on_after_failures;
        let (mut graph, linked) = link::link(entry, output, specs);
        graph.types = Arc::new(self.types);
        checks::add_linked(&mut problems, linked);
        // What follows takes the graph for one whose states and nodes fit together.
        if problems.iter().all(Problem::leaves_the_net) {
            problems.extend(checks::soundness(&graph));
        } else {
            problems.extend(checks::islands(&graph.specs));
        }
        graph.unless(&problems)
    }

    /// A node is caught if another takes its failure.
    fn connect_catches(&mut self) {
        let taken: BTreeSet<Name> = self
            .nodes
            .iter()
            .flat_map(|node| &node.params)
            .flatten()
            .cloned()
            .collect();
        for node in &mut self.nodes {
            let catch = match node.params.as_slice() {
                [param] => param.first().and_then(|state| self.catches.get(state)),
                _ => None,
            };
            node.catch = catch.filter(|catch| taken.contains(&catch.name)).cloned();
        }
    }

    /// Notes a state that a node takes by itself, so that another node may take its failure.
    fn catchable<From: Data>(mut self) -> Self {
        let catch = CatchSpec::of_state(self.clones.of::<From>());
        self.catches.insert(name::<From>(), catch);
        self.states::<From>()
    }

    /// Notes a type under its name, which has to be its alone.
    fn states<T: Data>(mut self) -> Self {
        let known = self
            .types
            .entry(name::<T>().into_owned())
            .or_insert(type_name::<T>());
        if *known != type_name::<T>() {
            let problem = Problem::TwoTypes {
                state: name::<T>(),
                types: [known, type_name::<T>()],
            };
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
        self
    }

    fn branches<From: Data, A: Data, B: Data>(self, shape: ShapeKind, body: Arc<dyn Body>) -> Self {
        let mut this = self.catchable::<From>().states::<A>().states::<B>();
        if name::<A>() == name::<B>() {
            this.problems.push(Problem::ReturnsTwice {
                state: name::<A>(),
                node: name::<From>(),
            });
        }
        this.add_node(
            &[state::<From>()],
            shape,
            &[state::<A>(), state::<B>()],
            body,
        )
    }

    fn add_node(
        mut self,
        takes: &[DataState],
        shape: ShapeKind,
        outputs: &[DataState],
        body: Arc<dyn Body>,
    ) -> Self {
        let id = takes.first().map(|state| state.name.clone());
        let id = id.unwrap_or_default();
        self.nodes
            .push(spec(id, takes, shape, outputs, NodeKind::Function(body)));
        self
    }
}

fn name<T: JsonSchema>() -> Name {
    T::schema_name()
}

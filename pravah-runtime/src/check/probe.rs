//! What the macros ask of types that may be wrong, without an error of its own.
//!
//! Method lookup takes the nearer impl first: the one that knows the node's types where the node
//! is in order, and one reference further the fallback that answers [`Missing`]. So a mistake that
//! has been reported where it was made is not reported again by every edge around it. It works on
//! concrete types only, which is what a flow has.

use std::marker::PhantomData;

use crate::{
    error::{BoxError, FlowError},
    graph::{FlowGraph, NodeInfo, NodeSpec},
    node::{Consumed, Emitted, HasBranch, NamedOutput, Node, Output, Param, ParamList},
    state::{Each, State},
    topology::{Shape, ShapeKind, Signature},
};

/// Stands for a type that could not be found out.
pub struct Missing;

/// Asks for the types of the node `N`.
pub struct Probe<N>(PhantomData<N>);

/// The node `N`, which consumes `P`.
pub struct Takes<N, P>(PhantomData<(N, P)>);

/// A node whose parameters are not checked here: a join, or a broken one.
pub struct TakesAnything;

/// What a node returns.
pub struct Returns<O>(PhantomData<O>);

/// Branch number `K` of what a node returns.
pub struct BranchOf<const K: usize, O>(PhantomData<O>);

/// What an edge carries.
pub struct Carries<S>(PhantomData<S>);

pub const fn probe<N>() -> Probe<N> {
    Probe(PhantomData)
}

/// `N` has to be a node.
pub const fn is_node<N: NodeInfo>() {}

impl<N, P> Takes<N, P> {
    /// The same node inside `each(…)`.
    pub fn each(&self) -> Takes<N, Each<P>> {
        Takes(PhantomData)
    }
}

impl TakesAnything {
    pub fn each(&self) -> Self {
        Self
    }
}

impl<O> Returns<O> {
    pub fn at<const K: usize>(&self) -> BranchOf<K, O> {
        BranchOf(PhantomData)
    }
}

/// Known: the node is in order and consumes one state.
pub trait KnownInput<N, L, P, O> {
    fn takes(&self) -> Takes<N, P>;
}

impl<N: Node<L, O>, L: ParamList<Consumed = (P, ())>, P: Param, O> KnownInput<N, L, P, O>
    for Probe<N>
{
    fn takes(&self) -> Takes<N, P> {
        Takes(PhantomData)
    }
}

pub trait UnknownInput {
    fn takes(&self) -> TakesAnything;
}

impl<N> UnknownInput for &Probe<N> {
    fn takes(&self) -> TakesAnything {
        TakesAnything
    }
}

/// Known: the node is in order, and so is what it returns.
pub trait KnownOutput<I, O> {
    fn returns(&self) -> Returns<O>;
}

impl<N: Node<I, O>, I, O: Output> KnownOutput<I, O> for Probe<N> {
    fn returns(&self) -> Returns<O> {
        Returns(PhantomData)
    }
}

pub trait UnknownOutput {
    fn returns(&self) -> Returns<Missing>;
}

impl<N> UnknownOutput for &Probe<N> {
    fn returns(&self) -> Returns<Missing> {
        Returns(PhantomData)
    }
}

/// Known: there is a branch of this number. A wrong number of branches is [`check_either`]'s to report.
///
/// [`check_either`]: super::check_either
pub trait KnownBranch<S> {
    fn branch(&self) -> Carries<S>;
}

impl<const K: usize, S, O: HasBranch<K, S>> KnownBranch<S> for BranchOf<K, O> {
    fn branch(&self) -> Carries<S> {
        Carries(PhantomData)
    }
}

pub trait UnknownBranch {
    fn branch(&self) -> Carries<Missing>;
}

impl<const K: usize, O> UnknownBranch for &BranchOf<K, O> {
    fn branch(&self) -> Carries<Missing> {
        Carries(PhantomData)
    }
}

/// What comes out of `each(…)`, of whose chain one end carries this.
pub trait KnownEach<S> {
    fn each(&self) -> Carries<Each<S>>;
}

impl<S: State> KnownEach<S> for Carries<S> {
    fn each(&self) -> Carries<Each<S>> {
        Carries(PhantomData)
    }
}

pub trait UnknownEach {
    fn each(&self) -> Carries<Missing>;
}

impl<S> UnknownEach for &Carries<S> {
    fn each(&self) -> Carries<Missing> {
        Carries(PhantomData)
    }
}

/// The signature of `N`: its own where it has one, since an inherent constant goes before that of
/// a trait.
pub struct Info<N>(PhantomData<N>);

impl<N: NodeInfo> Info<N> {
    pub const SIGNATURE: Signature = N::SIGNATURE;
    /// How to run the node, for a flow that compiles; a flow that does not is never built.
    pub const SPEC: fn() -> NodeSpec = N::spec;
}

pub trait NoInfo {
    const SIGNATURE: Signature = Signature::BROKEN;
    const SPEC: fn() -> NodeSpec = NodeSpec::broken;
}

impl<N> NoInfo for Info<N> {}

/// What a node returns, where that is what it takes too: a type that is no state is then reported
/// as what it takes.
pub struct Same<T>(PhantomData<T>);

impl<T: Output> Same<T> {
    pub const SHAPE: Shape = T::SHAPE;
}

pub trait NoShape {
    const SHAPE: Shape = Shape::new(ShapeKind::One, &[]);
}

impl<T> NoShape for Same<T> {}

pub const fn same<T>() -> Same<T> {
    Same(PhantomData)
}

pub trait KnownEmit<T> {
    fn emit(&self, output: T) -> Result<Emitted, BoxError>;
}

impl<T: Output> KnownEmit<T> for Same<T> {
    fn emit(&self, output: T) -> Result<Emitted, BoxError> {
        output.emit()
    }
}

pub trait UnknownEmit<T> {
    fn emit(&self, output: T) -> Result<Emitted, BoxError>;
}

impl<T> UnknownEmit<T> for &Same<T> {
    fn emit(&self, _: T) -> Result<Emitted, BoxError> {
        Err("it does not compile".into())
    }
}

/// What a node returns, where it takes `G` for a parameter of that type.
pub struct SameAs<T, G>(PhantomData<(T, G)>);

pub const fn same_as<T, G>() -> SameAs<T, G> {
    SameAs(PhantomData)
}

/// It can be returned.
pub trait KnownReturn {
    fn check_return(&self) {}
}

impl<T: Output, G> KnownReturn for &&SameAs<T, G> {}

/// It can be taken, so that nothing is reported there.
pub trait TakenReturn<T> {
    fn check_return(&self)
    where
        T: NamedOutput,
    {
    }
}

impl<T, G: Param> TakenReturn<T> for &SameAs<T, G> {}

/// It is reported as what the node takes.
pub trait UnknownReturn {
    fn check_return(&self) {}
}

impl<T, G> UnknownReturn for SameAs<T, G> {}

/// How to run a node with a `catch` behind it.
pub trait KnownCatch<L, O> {
    fn caught(&self) -> NodeSpec;
}

impl<N: NodeInfo + Node<L, O>, L: ParamList<Consumed: Consumed>, O> KnownCatch<L, O> for Probe<N> {
    fn caught(&self) -> NodeSpec {
        N::spec().caught::<<L::Consumed as Consumed>::Input>()
    }
}

pub trait UnknownCatch {
    fn caught(&self) -> NodeSpec;
}

impl<N> UnknownCatch for &Probe<N> {
    fn caught(&self) -> NodeSpec {
        NodeSpec::broken()
    }
}

/// `each(…)` around a chain that starts with this node and ends with that state.
pub trait KnownList<Y> {
    fn list(&self, end: Carries<Y>, id: &'static str, chain: EachChain) -> NodeSpec;
}

type EachChain = fn(&'static str, &'static str) -> Result<FlowGraph, FlowError>;

impl<N, X: State, Y: State> KnownList<Y> for Takes<N, X> {
    fn list(&self, _: Carries<Y>, id: &'static str, chain: EachChain) -> NodeSpec {
        NodeSpec::each::<X, Y>(id, chain(X::NAME, Y::NAME))
    }
}

/// What the chain ends with was reported where it is made.
impl<N, X: State> KnownList<Missing> for Takes<N, X> {
    fn list(&self, _: Carries<Missing>, _: &'static str, _: EachChain) -> NodeSpec {
        NodeSpec::broken()
    }
}

pub trait UnknownList<T> {
    fn list(&self, end: T, id: &'static str, chain: EachChain) -> NodeSpec;
}

impl<N, T> UnknownList<T> for &N {
    fn list(&self, _: T, _: &'static str, _: EachChain) -> NodeSpec {
        NodeSpec::broken()
    }
}

//! What a flow starts and ends with, which a node of the flow may have been told of already: of a type that is
//! no state it is enough to hear once.

use std::marker::PhantomData;

use crate::{
    node::{IsState, Node, Output, Param},
    state::StateRef,
};

/// What is known of `S`: its own constant where it is a state, since an inherent one goes before that of
/// a trait.
pub struct StateOf<S>(PhantomData<S>);

impl<S: IsState> StateOf<S> {
    pub const REF: Option<StateRef> = Some(S::REF);
}

pub trait NoState {
    const REF: Option<StateRef> = None;
}

impl<S> NoState for StateOf<S> {}

/// The input `S` of a flow, or of one of its branches, which node `N` may take.
pub struct Start<S, N>(PhantomData<(S, N)>);

/// The output `S` of a flow, which node `N` may return.
pub struct End<S, N>(PhantomData<(S, N)>);

pub const fn start<S, N>() -> Start<S, N> {
    Start(PhantomData)
}

pub const fn end<S, N>() -> End<S, N> {
    End(PhantomData)
}

/// In order.
pub trait KnownState {
    fn check(&self) {}
}

impl<S: IsState, N> KnownState for &&Start<S, N> {}
impl<S: IsState, N> KnownState for &&End<S, N> {}

/// No state, though a node may have it: to be reported here.
pub trait OwnState<S> {
    fn check(&self)
    where
        S: IsState,
    {
    }
}

impl<S: Param, N> OwnState<S> for &&&Start<S, N> {}
impl<S: Output, N> OwnState<S> for &&&End<S, N> {}

/// Reported where the node is written.
pub trait NodeState<I, O> {
    fn check(&self) {}
}

impl<S, N: Node<(S, I), O>, I, O> NodeState<I, O> for &Start<S, N> {}
impl<S, N: Node<I, O>, I, O: Holds<S>> NodeState<I, O> for &End<S, N> {}

// To be reported here as well.
impl<S, N> OwnState<S> for Start<S, N> {}
impl<S, N> OwnState<S> for End<S, N> {}

/// What a node returns, alone or where it succeeds.
pub trait Holds<S> {}

impl<S> Holds<S> for S {}
impl<S, E> Holds<S> for Result<S, E> {}

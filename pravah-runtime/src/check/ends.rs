//! What a flow starts and ends with. A type that is no state is reported once: where the node is written that
//! takes or returns it, if that node reports it (`ReportedAtNode`), and else at the flow (`ReportHere`), also where
//! a node may take what is no state.

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

pub trait KnownState {
    fn check(&self) {}
}

impl<S: IsState, N> KnownState for &&Start<S, N> {}
impl<S: IsState, N> KnownState for &&End<S, N> {}

pub trait ReportHere<S> {
    fn check(&self)
    where
        S: IsState,
    {
    }
}

impl<S: Param, N> ReportHere<S> for &&&Start<S, N> {}
impl<S: Output, N> ReportHere<S> for &&&End<S, N> {}

pub trait ReportedAtNode<I, O> {
    fn check(&self) {}
}

impl<S, N: Node<(S, I), O>, I, O> ReportedAtNode<I, O> for &Start<S, N> {}
impl<S, N: Node<I, O>, I, O: SucceedsWith<S>> ReportedAtNode<I, O> for &End<S, N> {}

impl<S, N> ReportHere<S> for Start<S, N> {}
impl<S, N> ReportHere<S> for End<S, N> {}

/// What a node returns, alone or where it succeeds.
pub trait SucceedsWith<S> {}

impl<S> SucceedsWith<S> for S {}
impl<S, E> SucceedsWith<S> for Result<S, E> {}

//! What the calls of a node return, at compile time.

use crate::{
    graph::TypedResults,
    node::Tasks,
    state::{OfState, SealedState, State, StateRef},
};

/// What the calls of a node return, and what the node makes of that.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct CallOutput {
    /// What each call returns.
    pub(crate) state: StateRef,
    pub(crate) results: TypedResults,
    /// Of how a call ended: what a list of that waits for.
    pub(crate) in_list: Option<TypedResults>,
    /// Whether nothing that is called is waited for, so that it may return anything.
    pub(crate) is_detached: bool,
}

impl CallOutput {
    /// Calls as detached tasks.
    pub(crate) const TASKS: Self = Self {
        state: <Tasks as SealedState>::REF,
        results: TypedResults::DETACHED,
        in_list: None,
        is_detached: true,
    };

    /// One call that returns the state `S`.
    pub(crate) const fn one<S: State>() -> Self {
        Self {
            state: <S as SealedState>::REF,
            results: TypedResults::one::<S>(),
            in_list: None,
            is_detached: false,
        }
    }

    /// One call that returns the state `S`, however it ends.
    pub(crate) const fn outcome<S: State>() -> Self {
        Self {
            in_list: Some(TypedResults::settled::<S, OfState>()),
            ..Self::one::<S>()
        }
    }

    /// Calls, each of which returns the state `S`; or of which each ends as `S` says.
    pub(crate) const fn list<S: State>() -> Self {
        let item = <S as State>::CALL_OUTPUT;
        match item.in_list {
            Some(results) => Self {
                results,
                in_list: None,
                ..item
            },
            None => Self {
                state: <S as SealedState>::REF,
                results: TypedResults::all::<S, OfState>(),
                in_list: None,
                is_detached: false,
            },
        }
    }
}

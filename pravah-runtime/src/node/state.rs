//! What a state is to a node: a parameter, and what it returns.

use std::sync::Arc;

use schemars::{Schema, SchemaGenerator};

use super::{
    Emit, Emitted, Failure, Input, InputResult, Inputs, MaybeOwned, Output, Param, Receive,
    TaskResult,
};
use crate::{
    error::{BoxError, does_not_compile},
    state::{Copying, Each, OfState, SealedState, State, StateRef},
    topology::{ParamRef, Shape, ShapeKind},
};

/// A state, as the macros ask for it. They may not name [`State`]: rustc would report what a type
/// that is no state lacks of its supertraits too.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a flow state",
    label = "not a state",
    note = "write `#[state]` above your own type, in place of `#[choice]` if that is there: a node that follows may return the choice",
    note = "a type that is not yours goes into a field of a `#[state]` struct"
)]
pub trait IsState: Sized {
    /// The state as the checks of a flow see it.
    const REF: StateRef;

    /// It alone: one constant for what a node takes and what it returns.
    const REFS: &'static [StateRef];

    /// What a node returns that chose the state as its branch number `branch`.
    fn emitted(self, branch: usize) -> Result<Emitted, BoxError>;

    /// The state in slot `index` of a node.
    fn owned(inputs: &mut Inputs<'_>, index: usize) -> InputResult<Self>;

    /// A clone, where the type is `Clone`.
    fn cloned(&self) -> Option<Self>;

    /// The schema as part of another.
    fn schema(generator: &mut SchemaGenerator) -> Schema;
}

#[diagnostic::do_not_recommend]
impl<S: State> IsState for S {
    const REF: StateRef = <S as SealedState>::REF;
    const REFS: &'static [StateRef] = &[<S as SealedState>::REF];

    fn emitted(self, branch: usize) -> Result<Emitted, BoxError> {
        Ok(Emitted::branch(branch, self))
    }

    fn owned(inputs: &mut Inputs<'_>, index: usize) -> InputResult<S> {
        inputs.take(index, &OfState)
    }

    fn cloned(&self) -> Option<S> {
        S::Copying::duplicate(self)
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<S>()
    }
}

/// How a node takes and returns one state.
#[doc(hidden)]
pub struct OneState;

impl<S: State> Receive<S> for OneState {
    const REF: ParamRef = ParamRef::of_state(<S as IsState>::REFS);

    type Before<Rest> = (S, Rest);

    #[inline]
    fn owned(inputs: &mut Inputs<'_>, slot: usize) -> InputResult<S> {
        inputs.take(slot, &OfState)
    }

    #[inline]
    fn held(_: &mut Inputs<'_>, _: usize) -> InputResult<Option<S>> {
        Ok(None)
    }

    #[inline]
    fn borrowed<'a>(
        _: Option<S>,
        inputs: &'a Inputs<'_>,
        slot: usize,
    ) -> InputResult<MaybeOwned<'a, S>> {
        inputs.get(slot)
    }

    #[inline]
    fn shared(inputs: &mut Inputs<'_>, slot: usize) -> InputResult<Arc<S>> {
        inputs.to_arc(slot)
    }

    #[inline]
    fn duplicate(state: &S) -> Option<S> {
        S::Copying::duplicate(state)
    }
}

impl<S: State> Emit<S> for OneState {
    const SHAPE: Shape = Shape::new(ShapeKind::One, <S as IsState>::REFS);

    #[inline]
    fn emit(state: S) -> Result<Emitted, BoxError> {
        Ok(Emitted::branch(0, state))
    }
}

impl<S: State> Param for Each<S> {
    type Receive = OneState;
}

impl<S: State> Output for Each<S> {
    type Emit = OneState;
}

impl<S: State> Param for TaskResult<S> {
    type Receive = OneState;
}

impl<S: State> Output for TaskResult<S> {
    type Emit = OneState;
}

impl<I: Input> Param for Failure<I> {
    type Receive = OneState;
}

impl<I: Input> Output for Failure<I> {
    type Emit = OneState;
}

/// How a node takes and returns a type that was refused where it is written: no check speaks of it, and it
/// never runs.
#[doc(hidden)]
pub struct Refused;

impl<P> Receive<P> for Refused {
    const REF: ParamRef = ParamRef::of_state(&[]);

    type Before<Rest> = (P, Rest);

    fn owned(_: &mut Inputs<'_>, _: usize) -> InputResult<P> {
        Err(does_not_compile().into())
    }
}

impl<O> Emit<O> for Refused {
    const SHAPE: Shape = Shape::new(ShapeKind::One, &[]);

    fn emit(_: O) -> Result<Emitted, BoxError> {
        Err(does_not_compile().into())
    }
}

//! What a parameter of a node may be.

use std::sync::Arc;

use super::{InputResult, Inputs, MaybeOwned, inputs::missing};
use crate::{
    state::{Copying, Either, OfState, SealedState, State, name::ConstStr},
    topology::ParamRef,
};

/// How a parameter of the type `P` is made of what came.
#[doc(hidden)]
pub trait Receive<P> {
    /// The parameter as the checks see it.
    const REF: ParamRef;

    /// The list of what a node consumes that takes this before what it consumes of the `Rest`.
    type Before<Rest>;

    /// What came; `slot` is the number of the parameters before this one that consume a state.
    fn owned(inputs: &mut Inputs<'_>, slot: usize) -> InputResult<P>;

    /// What came, for a body that takes it by reference, if it cannot be looked at where it is: a
    /// choice is made of the state that came.
    fn held(inputs: &mut Inputs<'_>, slot: usize) -> InputResult<Option<P>> {
        Self::owned(inputs, slot).map(Some)
    }

    /// What such a body looks at.
    fn borrowed<'a>(
        held: Option<P>,
        _: &'a Inputs<'_>,
        slot: usize,
    ) -> InputResult<MaybeOwned<'a, P>> {
        held.map(MaybeOwned::Owned).ok_or_else(|| missing(slot))
    }

    /// The same for a body that outlives the call.
    fn shared(inputs: &mut Inputs<'_>, slot: usize) -> InputResult<Arc<P>> {
        Self::owned(inputs, slot).map(Arc::new)
    }

    /// A clone, if all that it may hold is `Clone`.
    fn duplicate(_: &P) -> Option<P> {
        None
    }
}

/// Something that a parameter of a node may be. Each such trait has a message of its own for a type that is
/// none.
macro_rules! param_trait {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[doc(hidden)]
        pub trait $name: Sized {
            /// How it is taken. For a state there is this line and no more, so that a crate of many compiles
            /// soon; were there one impl for all states, rustc would not say which part of an `Either` is none.
            type Receive: Receive<Self>;

            const REF: ParamRef = Self::Receive::REF;

            #[inline]
            fn owned(inputs: &mut Inputs<'_>, slot: usize) -> InputResult<Self> {
                Self::Receive::owned(inputs, slot)
            }

            #[inline]
            fn held(inputs: &mut Inputs<'_>, slot: usize) -> InputResult<Option<Self>> {
                Self::Receive::held(inputs, slot)
            }

            #[inline]
            fn borrowed<'a>(
                held: Option<Self>,
                inputs: &'a Inputs<'_>,
                slot: usize,
            ) -> InputResult<MaybeOwned<'a, Self>> {
                Self::Receive::borrowed(held, inputs, slot)
            }

            #[inline]
            fn shared(inputs: &mut Inputs<'_>, slot: usize) -> InputResult<Arc<Self>> {
                Self::Receive::shared(inputs, slot)
            }
        }
    };
}

/// [`Param`] under another name, with another message.
macro_rules! also_param {
    ($(#[$attribute:meta])* $name:ident) => {
        param_trait!($(#[$attribute])* $name);

        #[diagnostic::do_not_recommend]
        impl<P: Param> $name for P {
            type Receive = P::Receive;
        }
    };
}

param_trait! {
    /// What one parameter of a node may be: a state, a choice of states, or something that it asks for.
    #[diagnostic::on_unimplemented(
        message = "a node cannot take `{Self}`",
        label = "neither a state nor something that a node asks for",
        note = "write `#[state]` above its definition, or `#[choice]` above an enum of states; a type that is not yours goes into a field of a `#[state]` struct",
        note = "a node asks for `Files`, `Commands`, `Http`, `Dep<_>`, `Input<_>`, `Latest<_>`, `Step` or `Context`; a value of the host's own is `Dep<_>`"
    )]
    Param
}

also_param! {
    /// A parameter whose type is written as one name. rustc lists none of the impls of [`Param`] for it, of
    /// which there is one for each state.
    #[diagnostic::on_unimplemented(
        message = "a node cannot take `{Self}`",
        label = "neither a state nor something that a node asks for",
        note = "write `#[state]` above its definition, or `#[choice]` above an enum of states; a type that is not yours goes into a field of a `#[state]` struct",
        note = "a node asks for `Files`, `Commands`, `Http`, `Dep<_>`, `Input<_>`, `Latest<_>`, `Step` or `Context`; a value of the host's own is `Dep<{Self}>`"
    )]
    NamedParam
}

also_param! {
    /// A parameter that is called a `String`: with the message for those who expect a text.
    #[diagnostic::on_unimplemented(
        message = "a node cannot take `{Self}`",
        label = "not a state",
        note = "wrap it in a state, such as `#[state] struct Text {{ text: String }}`",
        note = "behind `catch(node)` take `Failure<A>`, where `A` is what `node` takes: it has the error as its `message`, and the `input`"
    )]
    TextParam
}

also_param! {
    /// A parameter that is called an error: with the message for those who expect one behind a `catch`.
    #[diagnostic::on_unimplemented(
        message = "a node cannot take `{Self}`",
        label = "neither a state nor something that a node asks for",
        note = "behind `catch(node)` take `Failure<A>`, where `A` is what `node` takes: it has the error as its `message`, and the `input`",
        note = "a state of your own has `#[state]` above its definition"
    )]
    ErrorParam
}

also_param! {
    /// A parameter that is called `Resumed`, which a tool asks for: with the message for those who wait for a
    /// person in a node.
    #[diagnostic::on_unimplemented(
        message = "a node cannot take `{Self}`",
        label = "what a tool asks for that waits for an answer",
        note = "a node that waits for a person is a `#[gate(prompt = \"…\")]`, whose last parameter is the answer"
    )]
    ResumedParam
}

also_param! {
    /// A parameter of a gate that is not the answer, and is written as one name: with the message for those
    /// who write a gate with two answers.
    #[diagnostic::on_unimplemented(
        message = "a gate cannot take `{Self}`, which is not its answer",
        label = "neither a state, nor something that a gate asks for, nor the answer",
        note = "the answer is the last parameter, behind what waits at the gate: put it last, and two answers into one struct",
        note = "write `#[state]` above `{Self}` if it is a type of yours that waits at the gate"
    )]
    GateParam
}

impl<A: State, B: State> Either<A, B> {
    const FULL_NAME: ConstStr = ConstStr::concat(&["Either_of_", A::NAME, "_and_", B::NAME]);
    const FULL_PATH: ConstStr = ConstStr::concat(&[
        "pravah_runtime::Either<",
        A::TYPE_PATH,
        ", ",
        B::TYPE_PATH,
        ">",
    ]);
}

impl<A: State, B: State> Param for Either<A, B> {
    type Receive = Self;
}

impl<A: State, B: State> Receive<Self> for Either<A, B> {
    const REF: ParamRef = ParamRef::of_states(
        Self::FULL_NAME.as_str(),
        Self::FULL_PATH.as_str(),
        &[<A as SealedState>::REF, <B as SealedState>::REF],
    );

    type Before<Rest> = (Self, Rest);

    fn owned(inputs: &mut Inputs<'_>, slot: usize) -> InputResult<Self> {
        Ok(match inputs.branch(slot) {
            0 => Self::Left(inputs.take(slot, &OfState)?),
            _ => Self::Right(inputs.take(slot, &OfState)?),
        })
    }

    fn duplicate(choice: &Self) -> Option<Self> {
        Some(match choice {
            Self::Left(a) => Self::Left(A::Copying::duplicate(a)?),
            Self::Right(b) => Self::Right(B::Copying::duplicate(b)?),
        })
    }
}
